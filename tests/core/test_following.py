"""A flag that a second run would only drop goes with the change behind which it does nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import toy_solver
from voltfix import core
from voltfix.model import Decision, Edit, InsertStatement, Module, Options, Plan, Refusal, Verification
from voltfix.pipeline import guarding, settling

FIRST = "x = Variable(a, volatile=True)  # first\n"
LATER = "y = Variable(b, volatile=True)  # later\n"


class Staged:
    """Refuses what stands on lines with ``later`` as long as another flag is there."""

    def __init__(self, more: Edit | None = None) -> None:
        self.more = more

    def __call__(self, modules: Sequence[Module], options: Options) -> Plan:
        plan = toy_solver.solve(modules, options)
        texts = {module.path: module.text for module in modules}

        def waits(decision: Decision) -> bool:
            return "later" in toy_solver.line_of(texts[decision.site.path], decision.site.span.start)

        late = [change for change in plan.changes if any(map(waits, change.decisions))]
        if len(late) == len(plan.changes) and not any("a, volatile" in text for text in texts.values()):
            if self.more is not None:
                late = [replace(each, edits=((each.edits[0][0], (*each.edits[0][1], self.more)),)) for each in late]
            return replace(plan, changes=tuple(late))
        refused = [replace(decision, strategy=None, refusal=Refusal("mixed-statement", "it mixes"))
                   for change in late for decision in change.decisions]
        rest = tuple(change for change in plan.changes if change not in late)
        return Plan(rest, (*plan.left, *refused))


def rows(monkeypatch, solver, text: str, verifier=None, **options) -> tuple[list[tuple[int, str, str | None]], str]:
    monkeypatch.setattr(settling, "solver", lambda: solver)
    result = core.migrate({"a.py": text.encode()}, Options(**options), verifier)
    found = [(row.line, row.status, row.reason) for row in result.sites]
    return found, result.outputs.get("a.py", text.encode()).decode()


def test_what_a_second_run_would_drop_goes_at_once(monkeypatch):
    found, text = rows(monkeypatch, Staged(), FIRST + LATER)
    assert found == [(1, "fixed", None), (2, "fixed", None)]
    assert "volatile" not in text


def test_both_are_one_change(monkeypatch):
    def differs(items):
        return [Verification("symbolic", "different", detail="it differs") for _ in items]

    found, text = rows(monkeypatch, Staged(), FIRST + LATER, differs)
    assert [(line, status) for line, status, _ in found] == [(1, "refused"), (2, "refused")]
    assert text == FIRST + LATER


def test_what_a_second_run_would_do_more_than_drop_is_a_fault_as_ever(monkeypatch):
    anchor = toy_solver.Span(0, 10)
    found, text = rows(monkeypatch, Staged(InsertStatement(anchor, "z = 1")), FIRST + LATER)
    assert [(line, reason) for line, _, reason in found] == [(1, "internal-error"), (2, "mixed-statement")]
    assert text == FIRST + LATER


def test_of_two_that_are_alike_nobody_knows_which_it_was(monkeypatch):
    found, text = rows(monkeypatch, Staged(), FIRST + LATER + LATER)
    assert "internal-error" in {reason for _, _, reason in found}
    assert text == FIRST + LATER + LATER


def test_what_somebody_wants_left_alone_stays(monkeypatch):
    skipped = LATER.replace("# later", "# later  # voltfix: skip")
    found, text = rows(monkeypatch, Staged(), FIRST + skipped)
    assert text.endswith(skipped)
    assert found[1][1] != "fixed"


@pytest.mark.parametrize("text", [FIRST, LATER, FIRST + "z = Variable(c, volatile=True)  # refuse\n"])
def test_where_a_second_run_has_nothing_to_do_all_is_as_it_was(monkeypatch, text):
    found, out = rows(monkeypatch, Staged(), text)
    assert found[0][1] == "fixed"
    assert out.count("volatile=True") == text.count("refuse")


def in_two_files(monkeypatch, first: str, later: str, verifier=None) -> tuple[list[tuple[str, str | None]], set[str]]:
    """What becomes of the flags of two files, by name and line; in the second one a statement is added, too."""
    more = InsertStatement(toy_solver.Span(0, len("y = Variable(b, volatile=True)")), "z = 1")
    monkeypatch.setattr(settling, "solver", lambda: Staged(more))
    result = core.migrate({"a.py": first.encode(), "b.py": later.encode()}, Options(), verifier)
    return [(row.path, row.reason) for row in result.sites], set(result.outputs)


def test_what_a_second_run_would_do_in_a_file_that_the_first_one_leaves_alone_is_done_at_once(monkeypatch):
    assert in_two_files(monkeypatch, FIRST, LATER) == ([("a.py", None), ("b.py", None)], {"a.py", "b.py"})


def test_what_waits_in_another_file_falls_with_what_it_waits_for(monkeypatch):
    def differs(items):
        return [Verification("symbolic", "different", detail="it differs") for _ in items]

    found, written = in_two_files(monkeypatch, FIRST, LATER, differs)
    assert [reason for _, reason in found] == ["verification-failed", "verification-failed"]
    assert written == set()


def test_what_waits_in_another_file_and_is_to_be_left_alone_stays(monkeypatch):
    _, written = in_two_files(monkeypatch, FIRST, LATER.replace("# later", "# later  # voltfix: skip"))
    assert "b.py" not in written


@pytest.mark.parametrize("many", [1, 3, 20])
def test_where_all_of_it_is_done_at_once_nobody_asks_which_change_was_to_blame(monkeypatch, many):
    asked: list[object] = []
    monkeypatch.setattr(guarding, "_rests", lambda *of: asked.append(of))
    found, written = in_two_files(monkeypatch, FIRST * many, LATER)
    assert found == [("a.py", None)] * many + [("b.py", None)]
    assert written == {"a.py", "b.py"}
    assert asked == []


def test_where_that_is_not_to_be_each_change_is_tried_without_the_others(monkeypatch):
    asked: list[object] = []
    monkeypatch.setattr(guarding, "_rests", lambda *of: asked.append(of))
    at = len(FIRST * 9) + len("y = Variable(b, volatile=True)")
    more = InsertStatement(toy_solver.Span(0, at), "z = 1")
    rows(monkeypatch, Staged(more), FIRST * 9 + LATER)
    assert len(asked) == 9


class Tired:
    """Does nothing on lines with ``later`` as long as many flags are there; then it adds a statement there, too."""

    def __call__(self, modules: Sequence[Module], options: Options) -> Plan:
        plan = toy_solver.solve(modules, options)
        texts = {module.path: module.text for module in modules}
        many = sum(text.count("volatile=True") for text in texts.values()) > 3

        def waits(change) -> bool:
            return any("later" in toy_solver.line_of(texts[d.site.path], d.site.span.start) for d in change.decisions)

        late = [change for change in plan.changes if waits(change)]
        rest = [change for change in plan.changes if change not in late]
        if not many:
            text = texts["b.py"]
            more = InsertStatement(toy_solver.Span(text.rindex("y = "), text.rindex("  # later")), "z = 1")
            late = [replace(each, edits=((each.edits[0][0], (*each.edits[0][1], more)),)) for each in late]
            return replace(plan, changes=(*rest, *late))
        refused = [replace(decision, strategy=None, refusal=Refusal("mixed-statement", "it mixes"))
                   for change in late for decision in change.decisions]
        return Plan(tuple(rest), (*plan.left, *refused))


@pytest.mark.parametrize("many", [2, 9])
def test_where_one_file_needs_another_run_the_others_are_not_taken_back(monkeypatch, many):
    monkeypatch.setattr(settling, "solver", Tired)
    files = {"a.py": (FIRST * many).encode(), "b.py": (FIRST + FIRST + LATER).encode()}
    result = core.migrate(files, Options())
    assert {row.reason for row in result.sites} == {None}
    assert set(result.outputs) == {"a.py", "b.py"}
    assert not any(b"volatile" in text for text in result.outputs.values())
