"""How a migration reads: the lines that it indents deeper, for each operation that has to be in a block.

    python benchmarks/reading.py FOLDER... [--without NAME]...    each folder in a FOLDER is a project of its own

An *operation* is an expression of a function's own text that would build a graph of a volatile tensor, there or in what
it calls: what the solver asks a block for. Nothing is run and nothing is written.
"""

from __future__ import annotations

import argparse
import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gate import folders

from voltfix import core
from voltfix.discovery.hits import is_hit
from voltfix.model import Decorate, Options, WrapExpression, WrapStatements
from voltfix.pipeline.loading import load_project
from voltfix.solver.regions import Layout, Planner

Lines = tuple[int, int]  # of a block's body, first and last
LONG = 40  # lines

_asked: dict[Lines, set[tuple[int, int]]] = {}  # where the operations of a block stand, as it was laid out last
_plan = Planner.plan


def _noting(self: Planner) -> Layout:
    layout = _plan(self)
    for region in layout.regions:
        places = {at for fact in region.facts if (at := _place(fact.chain[0])) is not None}
        _asked[region.first.lineno, region.last.end_lineno or 0] = places
    return layout


def _place(node: ast.AST) -> tuple[int, int] | None:
    return (node.lineno, node.col_offset) if isinstance(node, (ast.expr, ast.stmt)) else None


def blocks(files: dict[str, bytes]) -> Iterator[tuple[str, int, int]]:
    """What was written: "block", "call" or "decorator", the lines it holds and the operations in it."""
    _asked.clear()
    result = core.migrate(files)
    project = load_project(files, Options())
    for change in result.plan.changes:
        for path, edits in change.edits:
            text = project.module(path).text
            for edit in edits:
                if isinstance(edit, WrapStatements):
                    first, last = (text.count("\n", 0, at) + 1 for at in (edit.first.start, edit.last.end))
                    yield "block", last - first + 1, len(_asked.get((first, last), ()))
                elif isinstance(edit, (Decorate, WrapExpression)):
                    yield "decorator" if isinstance(edit, Decorate) else "call", 0, 1
    core.forget()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--without", action="append", default=[], help="a word in the names of projects to leave out")
    asked = parser.parse_args()
    Planner.plan = _noting  # type: ignore[method-assign]
    kinds, rows = Counter[str](), list[tuple[int, int]]()
    for name, files in (project for each in asked.folder for project in folders(each)):
        if any(word in name for word in asked.without):
            continue
        found = [*blocks(files)] if any(is_hit(data) for data in files.values()) else []
        kinds.update(kind for kind, _, _ in found)
        mine = [(lines, count) for kind, lines, count in found if kind == "block" and count]
        rows += mine
        print(name, len(mine), sum(lines for lines, _ in mine), sum(count for _, count in mine), flush=True)
    lines, count = sum(lines for lines, _ in rows), sum(count for _, count in rows)
    print(dict(kinds))
    print(f"{len(rows)} blocks with {lines} lines for {count} operations: {lines / count:.2f} an operation")
    print(f"lines of a block: {statistics.median(lines for lines, _ in rows)} at the median, "
          f"{max(lines for lines, _ in rows)} at most, {sum(lines >= LONG for lines, _ in rows)} of {LONG} and more")


if __name__ == "__main__":
    main()
