"""A flag that is a parameter, off by default, and that no call sets."""

from __future__ import annotations

import ast

import pytest

from alone import function, project
from voltfix.program.unset import unset_parameter

WRAP = """
def wrap(x, cuda=None, quiet=False):
    {more}
    return make(x, flag=quiet)


wrap(1)
wrap(2, 3)
wrap(4, quiet=False)
"""


def unset(more: str = "pass", calls: str = "", header: str = "quiet=False", asked: str = "quiet") -> bool:
    code = project(main=WRAP.replace("{more}", more).replace("quiet=False):", f"{header}):") + calls)
    return unset_parameter(code, function(code, "wrap"), ast.parse(asked, mode="eval").body) == "quiet"


@pytest.mark.quick
def test_no_call_sets_it():
    assert unset()
    assert unset(header="*, quiet=False")


@pytest.mark.quick
@pytest.mark.parametrize("call", [
    "wrap(1, None, True)", "wrap(1, quiet=True)", "wrap(1, quiet=ask())", "wrap(1, **given)", "wrap(*given)",
    "wrap(1, None, *given)",
])
def test_a_call_may_set_it(call: str):
    assert not unset(calls=f"{call}\n")


@pytest.mark.quick
@pytest.mark.parametrize(("more", "header", "asked"), [
    ("quiet = x.off", "quiet=False", "quiet"),
    ("import x as quiet", "quiet=False", "quiet"),
    ("[quiet for quiet in x]", "quiet=False", "quiet"),
    ("pass", "quiet=True", "quiet"),
    ("pass", "quiet=off()", "quiet"),
    ("pass", "quiet=False", "not quiet"),
    ("pass", "quiet=False", "x"),
    ("pass", "quiet=False", "elsewhere"),
])
def test_it_is_another_value(more: str, header: str, asked: str):
    assert not unset(more, header=header, asked=asked)
