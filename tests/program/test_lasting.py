"""Attributes that an object has from its making on, bound for good by one statement."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.lasting import bound_for_good, makes_again
from voltfix.solver.roots import Tables

MODULE = """
class Above:
    {above}


class Player(Above):
    {member}

    def __init__(self, x):
        {first}
        self.held = make(x)
        {last}

    def step(self):
        {step}
        return self.held


class Below(Player):
    {below}


class Beside:
    def __init__(self):
        self.held = None


{beside}
"""


def lasting(**more: str) -> bool:
    parts = dict.fromkeys(("above", "member", "first", "last", "step", "below", "beside"), "pass") | more
    code = project(main=MODULE.format(**parts))
    player = next(cls for cls in code.classes() if cls.node.name == "Player")
    bound = bound_for_good(code, player, "held")
    return bound is not None and ast.unparse(bound) == "self.held"


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    {},
    {"first": "self.held = None"},
    {"first": "self.held = zeros(1); self.held = self.held.cuda()"},
    {"first": "if x:\n            self.held = None"},
    {"first": "super().__init__(); self.step()"},  # who reads it then gets no further
    {"last": "self.step(); keep(self)"},
    {"step": "self.held.data.copy_(x); self.other = None"},
    {"below": "def __init__(self):\n        self.other = 1"},
    {"beside": "other = Beside()\nother.held = None"},
])
def test_an_attribute_that_init_alone_binds_lasts(more: dict[str, str]) -> None:
    assert lasting(**more)


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    # bound elsewhere, or taken away
    {"step": "self.held = None"},
    {"step": "del self.held"},
    {"step": "self.held += 1"},
    {"step": "me = self; me.held = 1"},
    {"above": "def free(self):\n        self.held = None"},
    {"below": "def free(self):\n        self.held = None"},
    {"below": "held = None"},
    {"member": "held = None"},
    {"above": "held: object = None"},
    {"below": "def held(self):\n        pass"},
    {"beside": "class Mixed:\n    def free(self):\n        self.held = 1\n\n\nclass Both(Player, Mixed):\n    pass"},
    {"beside": "Player.held = None"},
    {"beside": "def free(player):\n    player.held = None"},
    {"beside": "def free(player):\n    setattr(player, 'held', None)"},
    {"beside": "def look(player):\n    return getattr(player, 'held', None)"},
    {"above": "def __getattr__(self, name):\n        pass"},
    # not on every way
    {"first": "self.held = None\n        if x:\n            return"},
    {"last": "if x:\n            self.held = None"},
    {"last": "self.held, other = None, 1"},
    {"last": "self.held = other = None"},
    {"last": "def free():\n            self.held = None"},
    # somebody may ask while something else stands there
    {"first": "self.held = None; self.step()"},
    {"first": "self.held = None; keep(self)"},
    {"first": "self.held = None; me = self"},
    {"first": "self.held = None; super().__init__()"},
    {"first": "self.held = None; run(lambda: self.held)"},
    {"first": "self.held = None; self.step"},
    {"first": "self = other()"},
])
def test_another_does_not(more: dict[str, str]) -> None:
    assert not lasting(**more)


@pytest.mark.quick
@pytest.mark.parametrize("above", [
    "super(Below, self).__init__()", "super().__init__(1)", "Player.__init__(self, 1)", "lib.Player.__init__(self)",
])
def test_the_init_of_a_class_below_runs_that_of_its_class_and_makes_nothing_again(above: str) -> None:
    assert not project(main=f"class Below(Player):\n    def __init__(self):\n        {above}\n").computed(makes_again)


@pytest.mark.quick
@pytest.mark.parametrize("again", [
    "self.__init__()", "player.__init__(1)", "Player.__init__(player)", "f = player.__init__", "super().__init__()",
    "Player.__init__(*them)",
])
def test_who_asks_for_init_elsewhere_may_make_an_object_again(again: str) -> None:
    code = project(main=f"class Below(Player):\n    def reset(self, player, them):\n        {again}\n")
    assert code.computed(makes_again)


DECK = """
import lib

class Above(object):
    pass


class Deck(Above):
    def __init__(self, rows, quiet=False):
        {first}
        self.rows = rows
        self.quiet = quiet

    @staticmethod
    def read(path):
        return open(path)

    def rounds(self):
        {step}
        return self.quiet

    {member}


class Below(Deck):
    {below}


class Beside(object):
    def __init__(self, quiet):
        self.quiet = quiet


def main(rows):
    return Deck(rows).rounds()


{beside}
"""


def constant(asked: str = "self.quiet", **more: str) -> object:
    """What a method of a deck finds; its place in the tree where nothing says."""
    parts = dict.fromkeys(("first", "step", "member", "below", "beside"), "pass") | more
    code = project(main=DECK.format(**parts))
    lines = [each for each in code.nodes("main.py") if isinstance(each, ast.Attribute) and ast.unparse(each) == asked
             and isinstance(each.ctx, ast.Load)]
    found = Tables(code).lasting.constant("main.py", lines[0])
    return "unknown" if found is None else found.value


@pytest.mark.parametrize("more", [
    {},
    {"beside": "Deck([1], False)"},
    {"beside": "Below([1])"},
    {"beside": "Deck.read('a')"},  # it is only asked for a function
    {"beside": "Beside(True)"},
    {"beside": "beside = Beside(True)\nbeside.quiet = False"},
    {"beside": "def f(x): return isinstance(x, Deck), type(x) == x, x.__class__.__name__, x.type(1)"},
    {"beside": "def f(x): print(type(x))"},
    {"beside": "def f(net): net.eval()"},  # no text is run
    {"step": "return [self.quiet for each in self.rows]"},
])
def test_what_all_who_make_an_object_hand_over_is_what_it_has(more):
    assert constant(**more) is False


def test_it_may_be_a_number_or_another_constant_that_init_binds():
    assert constant(beside="Deck([1], 3)", first="quiet = quiet") == "unknown"
    code = project(main="class Deck(object):\n    def __init__(self):\n        self.quiet = 3\n"
                        "    def rounds(self): return self.quiet\nDeck().rounds()")
    asked = [each for each in code.nodes("main.py") if isinstance(each, ast.Attribute) and each.attr == "quiet"][1]
    found = Tables(code).lasting.constant("main.py", asked)
    assert found is not None
    assert found.value == 3


@pytest.mark.parametrize("more", [
    {"beside": "Deck([1], True)"},
    {"beside": "Deck([1], 0)"},  # of two constants it may be either
    {"beside": "Deck([1], quiet=lib.quiet)"},
    {"beside": "Deck(*lib.all)"},
    {"beside": "Deck([1], **lib.all)"},
    {"beside": "Below([1], True)"},
    {"below": "def __init__(self, rows):\n        super(Below, self).__init__(rows, quiet=True)"},
    {"below": "def __init__(self, rows):\n        Deck.__init__(self, rows, True)"},
    {"below": "def __init__(self, rows):\n        self.quiet = True"},
    {"below": "quiet = True"},
    {"below": "@property\n    def quiet(self): return True"},
    {"below": "def __getattribute__(self, name): return True"},
    {"beside": "deck = Deck([1])\ndeck.quiet = True"},
    {"beside": "def f(x): x.quiet = True"},
    {"beside": "setattr(Deck([1]), 'quiet', True)"},
    {"beside": "def f(x, name): setattr(x, name, True)"},
    {"beside": "vars(Deck([1])).update(lib.all)"},
    {"beside": "Deck([1]).__dict__['quiet'] = True"},
    {"beside": "def f(x): return type(x)([1], True)"},
    {"beside": "def f(x): return x.__class__([1], True)"},
    {"beside": "kind = type('Kind', (Deck,), {})"},
    {"beside": "lib.run(Deck)"},
    {"beside": "lib.run(map(lambda kind: kind([1], True), [Deck]))"},
    {"beside": "kinds = {'deck': Deck}"},
    {"beside": "import functools\nfunctools.partial(Deck, quiet=True)"},
    {"beside": "getattr(lib.me, 'Deck')([1], True)"},
    {"beside": "def f(x): getattr(x, lib.name)([1], True)"},
    {"beside": "globals()['Deck']([1], True)"},
    {"beside": "Deck([1]).__init__([1], True)"},
    {"beside": "kind = eval(lib.name)\nkind([1], True)"},  # what a text says may be the class
    {"beside": "eval(lib.name + '([1], True)')"},
    {"beside": "lib.add('--kind', type=eval)"},
    {"beside": "exec('deck = Deck([1], True)')"},
    {"beside": "import builtins\nbuiltins.eval(lib.name)([1], True)"},
    {"beside": "import pydoc\npydoc.locate(lib.name)([1], True)"},
    {"beside": "import inspect\nfor _, kind in inspect.getmembers(lib.me): kind([1], True)"},
    {"beside": "for kind in Deck.__subclasses__(): kind([1], True)"},
    {"beside": "def f(a, b): a.__dict__ = b.__dict__\nf(Beside(True), Deck([1]))"},  # what is set on one, both have
    {"beside": "def f(a, b): a.__dict__ = b\nf(Beside(True), vars(Deck([1])))"},
    {"beside": "Deck.rounds(Beside(True))"},  # no deck at all
    {"beside": "Beside.rounds = Deck.rounds"},
    {"member": "@classmethod\n    def load(cls, path): return cls(path, True)"},
    {"first": "quiet = quiet or lib.quiet"},
    {"first": "if rows is None: return"},
    {"step": "self = Beside(True)"},
    {"step": "self.quiet = not lib.quiet"},
    {"step": "return [self.quiet for self in lib.all]"},
])
def test_it_is_not_known_where_somebody_may_put_something_else_there(more):
    assert constant(**more) == "unknown"


def test_what_others_install_they_may_make_as_they_like():
    code = project(main=DECK.format(**dict.fromkeys(("first", "step", "member", "below", "beside"), "pass")))
    code.for_others = True
    asked = next(each for each in code.nodes("main.py") if isinstance(each, ast.Attribute) and each.attr == "quiet"
                 and isinstance(each.ctx, ast.Load))
    assert Tables(code).lasting.constant("main.py", asked) is None
