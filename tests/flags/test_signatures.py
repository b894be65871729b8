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
