"""A block in which nothing could have a graph is no part of what a person writes: the candidate is tried without it.

The verifier names such a block (``sum += float(loss)``: there is nothing to turn off), and gives no verdict on a
candidate that has one. What is left has to pass all that other candidates have to; that somebody who is not in view
gets the tensor where gradients are on speaks against it, as against a flag that goes without a block.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from voltfix.model import Edit, Verification, WrapStatements, file_of
from voltfix.search.draft import Draft
from voltfix.search.narrowing import block_of, is_block
from voltfix.search.oracle import Trial
from voltfix.search.scene import Scene, Scenes

ROUNDS = 4  # blocks, one after the other
# what a run comes by may be a part of these alone
_CHOICES = frozenset({"If", "While", "Try", "TryStar", "Match", "With", "IfExp", "BoolOp", "Lambda", "GeneratorExp",
                      "FunctionDef", "AsyncFunctionDef", "AsyncFor", "ClassDef"})
_SAID = re.compile(r" \(|, without ")
_IDLE = re.compile(r"nothing in the block of line (\d+) could have a graph")


def without_idle(scenes: Scenes, each: Trial, verdict: Verification | None) -> Draft | None:
    """The draft of a trial without the block that its verdict names; None where it names none, or has no other."""
    found = _IDLE.search((verdict and verdict.detail) or "")
    if verdict is None or verdict.tier is not None or found is None:
        return None
    path = next((path for path, _ in each.item.touched
                 if (verdict.detail or "").startswith(f"{file_of(path)}: ") and path in each.item.after), None)
    return _without(scenes, each, [(path, int(found[1]))]) if path is not None else None


def without_vacant(scenes: Scenes, each: Trial, verdict: Verification) -> Draft | None:
    """The draft of a trial that does the same without all blocks that its runs entered and in which nothing could have
    had a graph, whatever is asked there; None where there is none, or no other is left.
    """
    return _without(scenes, each, verdict.vacant, whole=True)


def _without(scenes: Scenes, each: Trial, places: Sequence[tuple[str, int]], *, whole: bool = False) -> Draft | None:
    blocks = [(path, block) for path, line in places if path in each.item.after
              and (block := _block_at(each.item.after[path], line)) is not None and not (whole and _chooses(block))]
    edits = tuple((where, tuple(edit for edit in made if not any(
                      where == path and _made(scenes.of(path), edit, block) for path, block in blocks)))
                  for where, made in each.draft.edits)
    fewer = sum(map(len, dict(edits).values())) < sum(map(len, dict(each.draft.edits).values()))
    if not fewer or not any(is_block(edit) for _, made in edits for edit in made):
        return None
    return replace(each.draft, how=f"{re.split(_SAID, each.draft.how)[0]}, without what needs none", edits=edits)


def _chooses(block: ast.With) -> bool:
    """May a run come by a block without all that stands in it?"""
    return any(type(node).__name__ in _CHOICES or (isinstance(node, ast.comprehension) and node.ifs)
               for statement in block.body for node in ast.walk(statement))


def _block_at(text: str, line: int) -> ast.With | None:
    nodes = ast.walk(ast.parse(text))
    return next((node for node in nodes if isinstance(node, ast.With) and node.lineno == line), None)


def _made(scene: Scene, edit: Edit, block: ast.With) -> bool:
    """May an edit have made a block? Blocks that are neighbours become one."""
    made = block_of(scene, edit) if isinstance(edit, WrapStatements) and is_block(edit) else None
    return made is not None and ast.dump(made.suite[made.first]) in map(ast.dump, block.body)
