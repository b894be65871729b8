"""A parameter that only carried a flag which is taken by running goes with it, where nobody else asks or sets it."""

from __future__ import annotations

import ast

import pytest
from trying import project

from voltfix.flags.sites import find
from voltfix.model import (
    Change,
    Decision,
    DropArgument,
    DropParameter,
    Edit,
    EnsureImport,
    Options,
    SiteKind,
    WrapStatements,
)
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.loading import load_project
from voltfix.program.resolve import Project as Program
from voltfix.rules import premises
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
    made = with_parameters(program, Options(**options), change, ())
    if made is None:
        return None
    edits = made.edits
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


SEVERAL = TEXT.format(more="", body="", given="quiet=True") + """

def measure(model, rows):
    x = batch(rows, 3, quiet=True)
    return model(x).sum().data
"""


def in_turn(*turns: tuple[str, ...], text: str = SEVERAL, asks: str = "") -> list[Change | None]:
    """What is made of each turn, beside those before it; a turn drops the flag, or arguments in the functions named.

    ``asks``: the header of a block of all turns but the last one.
    """
    code = load_project(project(text), Options())
    program = Program(code.modules)
    made, before = list[Change | None](), list[Change]()
    for n, turn in enumerate(turns):
        edits, decisions = list[Edit](), list[Decision]()
        for site in find(program):
            function = program.function(site.path, program.scope(site.path, next(
                node for node in program.nodes(site.path) if program.span(site.path, node) == site.node)))
            if function is not None and function.qualname in turn:
                edits.append(DropArgument(site.node, site.span))
                decisions.append(Decision(site, "no_grad", "", evidence=(premises.helper_stays("a.py:3"), "it holds")))
        if asks and n < len(turns) - 1:
            span = program.span("a.py", next(
                node for node in program.nodes("a.py") if isinstance(node, ast.Return)))
            edits.append(WrapStatements(span, span, asks))
        change = Change(f"c{n}", tuple(decisions), (("a.py", tuple(edits)),), (("a.py", turn[0]),))
        made.append(with_parameters(program, Options(), change, before))
        before.append(change)
        if made[-1] is not None:
            carried = carry_out(code, [made[-1]])
            assert not carried.failures
            compile(carried.texts["a.py"], "a.py", "exec")
            assert "quiet" not in carried.texts["a.py"]
    return made


@pytest.mark.parametrize("turns", [
    [("measure",), ("batch", "evaluate")],
    [("evaluate",), ("measure",), ("batch",)],
    [("batch", "measure"), ("evaluate",)],
    [("batch",), ("evaluate",), ("measure",)],
])
def test_in_whatever_order_the_flag_and_its_calls_were_taken_the_parameter_goes_with_the_last(turns: list) -> None:
    *first, last = in_turn(*turns)
    assert first == [None] * len(first)
    assert last is not None
    assert {edit for _, edits in last.edits for edit in edits if isinstance(edit, DropParameter)}
    assert len(last.decisions) == 3  # with those of the turns before: without them nothing would be whole
    assert {name for _, name in last.touched} == {turn[0] for turn in turns}


def test_of_what_goes_now_nothing_says_any_more_that_it_stays() -> None:
    _, last = in_turn(("measure",), ("batch", "evaluate"))
    assert last is not None
    joined = last.decisions[-1]
    assert joined.evidence == ("it holds",)


def test_a_change_that_has_nothing_to_do_with_the_parameter_stays_by_itself() -> None:
    other = "\n\ndef other(model, rows):\n    return model(Variable(rows, volatile=True)).data\n"
    *_, last = in_turn(("measure",), ("other",), ("batch", "evaluate"), text=SEVERAL + other)
    assert last is not None
    assert len(last.decisions) == 3


@pytest.mark.parametrize("turns", [
    [("measure",), ("batch",)],  # evaluate hands it over still
    [("measure",), ("evaluate",)],  # the flag asks for it still
])
def test_a_parameter_stays_as_long_as_something_is_handed_over_or_asked(turns: list) -> None:
    assert in_turn(*turns) == [None] * len(turns)


def test_a_parameter_stays_for_a_block_of_a_change_before_that_asks_for_it() -> None:
    assert in_turn(("batch", "measure"), ("evaluate",), asks="torch.set_grad_enabled(not quiet)") == [None, None]


def test_what_an_earlier_turn_left_for_good_reason_is_no_business_of_one_about_something_else() -> None:
    other = "\n\ndef other(model, rows):\n    return model(Variable(rows, volatile=True)).data\n"
    *_, last = in_turn(("batch", "evaluate", "measure"), ("other",), text=SEVERAL + other)
    assert last is None
