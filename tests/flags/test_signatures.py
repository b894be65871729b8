from __future__ import annotations

import pytest

from alone import START, project
from voltfix.flags.propagation import Passing
from voltfix.flags.signatures import Signatures, carriers, is_public
from voltfix.model import Options

TEXT = START + "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\nto_var(1, volatile=True)\n"


def test_a_parameter_that_only_carries_the_flag_is_found_with_what_feeds_it():
    code = project(main=TEXT)
    passing = code.computed(Passing)
    (carrier,) = carriers(code, passing)
    assert carrier.function.qualname == "to_var"
    feeds = Signatures(code, passing, Options()).feeds_of(carrier)
    assert feeds is not None
    assert len(feeds) == 1


@pytest.mark.parametrize(("name", "public"), [("f", True), ("_f", False), ("A.f", True), ("A._f", False)])
def test_names_with_an_underscore_are_not_public(name, public):
    assert is_public(name) is public


@pytest.mark.parametrize(("call", "fed"), [
    ("lib.net().start(3, volatile=True)", 1),
    ("lib.net().start(3, volatile=lib.off)", 1),
    ("lib.net().start(3, True)", 1),
    ("lib.net().start(3)", 0),
    ("lib.net().start(3, volatile=True, first=True)", 0),
    ("lib.net().start(volatile=True, wide=3)", 0),
    ("lib.net().start(3, True, 2, 1)", 0),
])
def test_a_call_that_a_function_would_raise_for_is_of_another_of_that_name(call: str, fed: int):
    code = project(main=START + "import lib\nclass Net(object):\n    def start(self, size, volatile=False):\n"
                                f"        return Variable(size, volatile=volatile)\n{call}\n")
    passing = code.computed(Passing)
    (carrier,) = carriers(code, passing)
    feeds = Signatures(code, passing, Options()).feeds_of(carrier)
    if fed:
        assert feeds is not None
        assert len(feeds) == fed
    else:
        assert not feeds


def test_what_decorates_a_function_may_take_more_than_it():
    code = project(main=START + "import lib\nclass Net(object):\n    @lib.wide\n"
                                "    def start(self, size, volatile=False):\n"
                                "        return Variable(size, volatile=volatile)\n"
                                "lib.net().start(3, volatile=True, first=True)\n")
    passing = code.computed(Passing)
    (carrier,) = carriers(code, passing)
    feeds = Signatures(code, passing, Options()).feeds_of(carrier)
    assert feeds is None or len(feeds) == 1


FAMILY = START + """\
class Net(object):
    def start(self, size, volatile=False):
        return Variable(size, volatile=volatile)
class Wide(Net):
    def start(self, size{below}):
        {does}
Net().start(1)
{call}
"""


@pytest.mark.parametrize(("below", "does", "call", "together"), [
    (", volatile=False", "return size", "Wide().start(3, True)", 2),
    (", volatile=False", "return size", "Wide().start(3)", 2),
    (", wide=1, volatile=False", "return size * wide", "Wide().start(3, volatile=True)", 2),
    (", wide=1, volatile=False", "return size * wide", "Wide().start(3, True)", None),
    (", wide=1, volatile=False", "return size * wide", "Wide().start(3, 2)", None),
    (", wide=1", "return size * wide", "Net().start(3, volatile=True)", 1),
    (", wide=1", "return size * wide", "Net().start(3, True)", None),
    (", **options", "return options", "Net().start(3, volatile=True)", None),
    (", **options", "raise NotImplementedError", "Net().start(3, volatile=True)", 1),
    (", volatile=False", "return eval(size)", "Net().start(3, True)", None),
    (", volatile=False", "return size", "Net().start(3, True)\nhand = Wide().start", None),
    (", volatile=False", "return size", "Net().start(3, True)\nWide().start(*[3, True])", None),
    (", volatile=False", "return size", "Net().start(3, True)\nNet.start = len", None),
])
def test_methods_that_override_each_other_lose_a_parameter_together(
    below: str, does: str, call: str, together: int | None
) -> None:
    code = project(main=FAMILY.format(below=below, does=does, call=call))
    passing = code.computed(Passing)
    first = carriers(code, passing)[0]
    signatures = Signatures(code, passing, Options())
    family = signatures.families[id(first.parameter)]
    assert (None if family is None else len(family)) == together
