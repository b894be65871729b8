"""Names that an object takes over from another, and what is written of them."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.rebound import rebound_in
from voltfix.program.resolve import Project
from voltfix.program.takingover import written_in

NET = """
from argparse import Namespace
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, args, *rest, **words):
        super().__init__()
        {takes}
        self.layer = nn.Linear(1, 1)

    def forward(self, x):
        self.kept = x
        return self.layer(x)

class Deck:
    def __init__(self, cards):
        self.cards = cards

    def deal(self):
        pass

{more}
"""
COPY = "for k, v in args.__dict__.items():\n            setattr(self, k, v)"
LIKE_IT = [
    COPY,
    "for k, v in vars(args).items():\n            self.__setattr__(k, v)",
    "for k, v in words.items():\n            object.__setattr__(self, k, v)",
    "for k in words:\n            setattr(self, k, words[k])",
    "for k in words.keys():\n            setattr(self, k, words[k])",
    "self.__dict__.update(args.__dict__)",
    "self.__dict__.update(vars(args))",
    "self.__dict__.update(words)",
    "self.__dict__.update(**words)",
    "vars(self).update(args.deck.__dict__)",
]


def code(takes: str, more: str = "") -> Project:
    return project(main=NET.format(takes=takes, more=more))


def patched(name: str, takes: str, more: str = "", of: str | None = None) -> bool:
    found = code(takes, more)
    cls = next((each for each in found.classes() if each.node.name == of), None)
    return rebound_in(found).is_patched(name, cls)


@pytest.mark.parametrize("takes", LIKE_IT)
def test_no_name_that_nobody_writes_is_taken_over(takes):
    assert not patched("forward", takes)
    assert not patched("deal", takes)


@pytest.mark.parametrize("takes", LIKE_IT)
def test_a_name_that_something_has_of_its_own_may_be_taken_over(takes):
    assert patched("cards", takes)  # by whatever has a deck
    assert patched("kept", takes)


@pytest.mark.parametrize("takes", LIKE_IT)
def test_what_is_bound_again_after_it_is_what_it_is(takes):
    assert not patched("layer", takes)


@pytest.mark.parametrize("takes", LIKE_IT)
def test_an_object_of_another_class_takes_nothing_over(takes):
    assert not patched("cards", takes, of="Deck")
    assert patched("cards", takes, of="Net")


@pytest.mark.parametrize("takes", LIKE_IT)
@pytest.mark.parametrize("name", ["_modules", "training", "_forward_hooks"])
def test_what_torch_keeps_on_its_modules_may_come_with_one(takes, name):
    assert patched(name, takes)


@pytest.mark.parametrize("more", [
    "args.forward = print",
    "Net(forward=print)",
    "Net(**{'forward': print})",
    "parser.add_argument('--forward', type=load)",
    "Args = namedtuple('Args', 'layers forward')",
    "class Config:\n    forward = print",
    "class Config:\n    @staticmethod\n    def forward(x):\n        return x",
    "class Other:\n    def __init__(self, f):\n        self.forward = f",
    "Net(None, **locals())",
    "Net(Namespace(**globals()))",
    "args = Namespace(**vars(nn))",
    "table = {f.__name__: f for f in found}",
    "table[f.__name__] = f",
    "table = {k: getattr(thing, k) for k in dir(thing)}",
    "table = dict(inspect.getmembers(thing))",
    "def forward(x):\n    return x",
    "forward = print",
    "from steps import forward",
    "class Config:\n    def forward(x):\n        return x",
    "class Config:\n    from steps import forward",
    "def make():\n    forward = print\n    return locals()",
    "def make(f, table):\n    name = f.__name__\n    table[name] = f",
    "table = dict(zip([f.__name__ for f in found], found))",
    "table = {getattr(f, '__name__'): f for f in found}",
    "Net(Namespace(**runpy.run_path(name)))",
    "Net(importlib.import_module(name))",
    "Net(importlib.import_module('%s.settings' % name))",
    "settings = Namespace()\nfor k in found:\n    setattr(settings, k, found[k])",
    "def make(net, args):\n    args.__dict__[net] = print",
])
def test_a_name_that_is_written_anywhere_may_be_taken_over(more):
    assert patched("forward", COPY, more)


@pytest.mark.parametrize("takes", [
    "for k, v in args.items():\n            setattr(self, k, v)",  # a dictionary may have been made of a class's names
    "for k, v in Deck.__dict__.items():\n            setattr(self, k, v)",
    "for k, v in args.__class__.__dict__.items():\n            setattr(self, k, v)",
    "for k, v in vars(type(args)).items():\n            setattr(self, k, v)",
    "for k, v in args.__dict__.items():\n            setattr(self, k, v.act)",
    "for k, v in args.__dict__.items():\n            setattr(self, v, k)",
    "for k, v in args.__dict__.items():\n            k = args.name\n            setattr(self, k, v)",
    "for k, v in args.__dict__.items():\n            setattr(self, args.prefix + k, v)",
    "for k in args:\n            setattr(self, k, args[k])",
    "for k in words:\n            setattr(self, k, args[k])",
    "words = args\n        for k, v in words.items():\n            setattr(self, k, v)",
    "self.__dict__.update(args)",
    "self.__dict__.update(args.__dict__, **words)",
    "args.__dict__.update(words)",
    "self.__dict__ = args.__dict__",
    "k, v = args\n        setattr(self, k, v)",
])
def test_any_name_may_be_bound_where_nobody_tells_whose_it_is(takes):
    assert patched("forward", takes)
    assert patched("deal", takes)


@pytest.mark.parametrize("takes", [
    COPY + "\n        if args:\n            return",
    "if args:\n            self.layer = args\n        " + COPY.replace("\n", "\n    "),
])
def test_what_need_not_be_bound_again_is_not_settled(takes):
    found = NET.format(takes=takes, more="").replace("        self.layer = nn.Linear", "        if rest:\n"
                                                     "            self.layer = nn.Linear")
    assert rebound_in(project(main=found)).is_patched("layer")


def test_another_method_than_init_settles_nothing():
    more = f"class Late(Deck):\n    def take(self, args):\n        {COPY}\n        self.cards = 1\n"
    assert patched("cards", "pass", more)


def test_locals_are_the_names_of_the_method():
    takes = "self.__dict__.update(locals())"
    assert patched("args", takes)
    assert patched("words", takes)
    assert not patched("forward", takes)
    assert not patched("cards", takes)


def test_a_method_run_on_other_objects_takes_over_for_these():
    assert patched("cards", COPY, "Net.__init__(Deck(1), None)", of="Deck")


def test_what_is_written_is_told_from_what_is_read():
    written = written_in(code("pass", "print(args.asked)\nmake(given=1)\nsaid = 'a word'\nargs.set = 'one_word'\n"))
    assert written is not None
    assert {"given", "set", "one_word", "kept", "cards", "layer"} <= written
    assert written.isdisjoint({"asked", "forward", "deal", "word"})


@pytest.mark.parametrize("more", [
    "def make(f):\n    forward = print\n    print(f.__name__, 'of %s' % f.__name__, f.__class__.__name__)",
    "def find(name):\n    return importlib.import_module('nets.' + name)",
    "def find(name):\n    return importlib.import_module('nets.{}'.format(name))",
    "if __name__ == '__main__':\n    main()",
])
def test_a_name_that_is_shown_or_a_module_of_a_package_in_view_brings_no_other_name(more: str):
    assert not patched("forward", COPY, more)
