"""Random edits of random modules mean in the text what they mean in the tree, and touch nothing else."""

from __future__ import annotations

import ast
import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voltfix.edit import EditError, apply, guard
from voltfix.model import Module, ReplaceExpression, Span, WrapStatements

from . import oracle
from .programs import module

EXAMPLES = int(os.environ.get("VOLTFIX_EXAMPLES", "300"))
AT_ODDS = ("overlap", "inside of what", "replace the same")


@given(st.integers(0, 2**40))
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_text_says_what_the_tree_says(seed: int) -> None:
    check(module(Random(seed)), Random(seed + 1))


def check(text: str, random: Random) -> bool:
    """Draw edits for ``text`` and compare; False where the edits were at odds and refused for that."""
    planned = oracle.plan(text, random, random.choice([1, 1, 2, 3, 5, 8]))
    result, problem = _applied(text, planned)
    if problem is not None:
        assert any(reason in problem for reason in AT_ODDS), (problem, planned.edits)
        return False
    assert oracle.dumped(ast.parse(result)) == planned.expected()
    assert guard.check(text, result, planned.edits) == []
    return True


def _applied(text: str, planned: oracle.Planned) -> tuple[str, str | None]:
    try:
        return apply(Module("a.py", text), planned.edits), None
    except EditError as error:
        return "", str(error)


def test_most_drawn_edits_are_carried_out() -> None:
    done = [check(module(Random(seed)), Random(seed + 1)) for seed in range(200)]
    assert sum(done) > 120


@given(st.integers(0, 2**40))
@settings(max_examples=EXAMPLES, deadline=None)
def test_no_edit_no_change(seed: int) -> None:
    text = module(Random(seed))
    assert apply(Module("a.py", text), []) == text


@pytest.mark.parametrize("depth", [21, 150])
def test_deep_nesting_is_told_by_the_guard_not_by_a_crash(depth: int) -> None:
    from voltfix.edit.outline import Outline

    text = "".join(f"{' ' * level}while a:\n" for level in range(depth - 1)) + " " * (depth - 1) + "y = 1\n"
    assert Outline("x = 1\n").by_start[0].end == 5
    start = text.index("y = 1")
    edit = WrapStatements(Span(start, start + 5), Span(start, start + 5), "torch.no_grad()")
    try:
        result = apply(Module("a.py", text), [edit])
    except EditError:
        return
    assert guard.check(text.replace("while a", "if a"), result, [edit]) or guard.trouble(text) is not None


def test_a_keyword_argument_is_replaced_by_one() -> None:
    text = "x.cuda(asynC=True)\n"
    edit = ReplaceExpression(Span(7, 17), "non_blocking=True")
    assert apply(Module("a.py", text), [edit]) == "x.cuda(non_blocking=True)\n"


def test_a_block_does_not_reach_from_cell_to_cell() -> None:
    text = "x = 1\n#%% piece 1\ny = 2\n"
    edit = WrapStatements(Span(0, 5), Span(18, 23), "torch.no_grad()")
    with pytest.raises(EditError, match="cell"):
        apply(Module("a.ipynb", text, barriers=(6,), kind="notebook"), [edit])
