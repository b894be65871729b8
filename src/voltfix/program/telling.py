"""Places in sentences for a reader: with the lines of the document, not those of the code taken out of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from voltfix.model import file_of
from voltfix.program.resolve import Project


def place(project: Project, path: str, node: ast.AST) -> str:
    """``a.py:12``, in a notebook ``a.ipynb:cell 3:12``, as in the text report."""
    cell, line = project.modules[path].origin(getattr(node, "lineno", 0))
    return f"{file_of(path)}:{line}" if cell is None else f"{file_of(path)}:cell {cell}:{line}"


def lines(project: Project, path: str, numbers: Iterable[int], *, read_in: str) -> str:
    """``lines 3, 5`` of a module, in a notebook ``cell 2, line 3``; with the file where the reader is in another."""
    by_cell: dict[int | None, list[int]] = {}
    for number in sorted(set(numbers)):
        cell, line = project.modules[path].origin(number)
        by_cell.setdefault(cell, []).append(line)
    parts = [_in_cell(cell, f"line{'s' if len(found) > 1 else ''} {', '.join(map(str, found))}")
             for cell, found in by_cell.items()]
    return _in_file(path, "; ".join(parts), read_in)


def stretch(project: Project, path: str, first: int, last: int, *, read_in: str) -> str:
    """``lines 3-5`` of a module, or ``line 3``, written like ``lines``."""
    cell, start = project.modules[path].origin(first)
    _, end = project.modules[path].origin(last)
    return _in_file(path, _in_cell(cell, f"lines {start}-{end}" if end != start else f"line {start}"), read_in)


def _in_cell(cell: int | None, text: str) -> str:
    return text if cell is None else f"cell {cell}, {text}"


def _in_file(path: str, text: str, read_in: str) -> str:
    return text if file_of(path) == file_of(read_in) else f"{file_of(path)}: {text}"
