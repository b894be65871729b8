"""A parameter that only carried a flag which is taken by running goes with it, where nobody else asks or sets it."""

from __future__ import annotations

import ast

import pytest
from trying import project

from voltfix.flags.sites import find
from voltfix.model import Change, Decision, DropArgument, DropParameter, EnsureImport, Options, SiteKind, WrapStatements
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.loading import load_project
from voltfix.program.resolve import Project as Program
from voltfix.search.unread import left_in_place, with_parameters

TEXT = """
def batch(rows, at, quiet=False{more}):
    x = Variable(rows[at], volatile=quiet)
    {body}return x


def evaluate(model, rows):
    x = batch(rows, 1, {given})
    return model(x).data


def train(model, rows):
    model(batch(rows, 2)).sum().backward()
"""


def without(more: str = "", body: str = "", given: str = "quiet=True", add: str = "", calls: bool = True,
            header: str = "torch.no_grad()", **options) -> str | None:
    """The text with the flag gone by a change, and what goes with it; None where nothing does."""
    code = load_project(project(TEXT.format(more=more, body=body, given=given) + add), Options(**options))
    program = Program(code.modules)
    flag, *handing = sorted(find(program), key=lambda site: site.kind is SiteKind.WRAPPER)
    statement = next(node for node in program.nodes("a.py") if isinstance(node, ast.Return)
                     and ast.unparse(node) == "return model(x).data")
    span = program.span("a.py", statement)
    decisions = (Decision(flag, "no_grad", ""), *(Decision(site, "no_grad", "") for site in handing if calls))
    block = WrapStatements(span, span, header)
    change = Change("s1", decisions, (("a.py", (DropArgument(flag.node, flag.span), block)),), ())
    edits = with_parameters(program, Options(**options), change, ())
    if edits is None:
        return None
    assert any(isinstance(edit, DropParameter) for edit in dict(edits)["a.py"])
    assert not any(isinstance(edit, EnsureImport) for edit in dict(edits)["a.py"])
    carried = carry_out(code, [Change("s1", decisions, edits, ())])
    assert not carried.failures
    (text,) = carried.texts.values()
    compile(text, "a.py", "exec")
    return text


@pytest.mark.parametrize("given", ["quiet=True", "True", "quiet=1"])
def test_a_parameter_that_only_carried_the_flag_goes_with_what_is_handed_over(given: str) -> None:
    text = without(given=given)
    assert text is not None
    assert "quiet" not in text
    assert "batch(rows, 1)" in text


def test_an_argument_that_says_no_goes_as_well() -> None:
    text = without(add="\n\ndef more(model, rows):\n    return model(batch(rows, 3, quiet=False))\n")
    assert text is not None
    assert "batch(rows, 3)" in text


@pytest.mark.parametrize("changed", [
    {"body": "print(quiet)\n    "},
    {"body": "quiet = not quiet\n    "},
    {"header": "torch.set_grad_enabled(not quiet)"},
    {"given": "quiet=rows.pop()"},
    {"calls": False},
    {"add": "\n\nrun = batch\n"},
    {"add": "\n\ndef more(model, rows, how):\n    return model(batch(rows, 3, **how))\n"},
    {"add": "\n\ndef more(model, rows, how):\n    return model(batch(*how))\n"},
    {"more": ", **rest", "body": "print(locals())\n    "},
    {"keep_signatures": True},
    {"installable": True},
])
def test_one_that_somebody_else_asks_or_may_set_stays(changed: dict) -> None:
    assert without(**changed) is None


@pytest.mark.parametrize(("taken", "kept"), [(True, 0), (False, 1)])
def test_an_argument_that_no_edit_takes_out_of_its_call_is_kept(taken: bool, kept: int) -> None:
    code = load_project(project(TEXT.format(more="", body="print(quiet)\n    ", given="quiet=True")), Options())
    program = Program(code.modules)
    flag, handing = sorted(find(program), key=lambda site: site.kind is SiteKind.WRAPPER)
    edits = (DropArgument(flag.node, flag.span), *((DropArgument(handing.node, handing.span),) if taken else ()))
    change = Change("s1", (Decision(flag, "drop", ""), Decision(handing, "drop", "")), (("a.py", edits),), ())
    first, second = left_in_place(program, change)
    assert first == change.decisions[0]
    assert second.kept == bool(kept)
    assert (second.strategy is None) == bool(kept)
