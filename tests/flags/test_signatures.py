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
