"""Whole numbers: what Python 2, and 0.3's tensors, divided without a rest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import ReplaceExpression, Span
from voltfix.repair.place import Mend, Place
from voltfix.repair.symptom import Symptom

_PEP = "https://peps.python.org/pep-0238/"


def divided(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A fraction where a whole number is needed: the division that made it, else ``int()``."""
    seen = False
    divisions = [node for node in place.within() if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    whole: list[ast.BinOp] = []
    whole += [one for one in divisions if _is_whole(place, one.left) and _is_whole(place, one.right)]
    if len(whole) > 1:  # Python 2 left no rest in any of them
        edits = tuple(floored_at(place, place.path, node) for node in whole)
        yield place.edited("VF218", whole[0], edits, "have to be whole numbers, which / gave on Python 2: //")
    for division in [*whole, *(one for one in divisions if one not in whole)]:
        seen = True
        yield floored(place, place.path, division)
    for node in place.within():
        value = place.value(node)
        fraction = value is not None and (value.is_floating or value.type == "builtins.float")
        if not fraction or not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            continue
        for path, division in _behind(place, node):
            seen = True
            yield floored(place, path, division)
    if not seen and place.event.message.startswith("'float' object cannot be"):
        for path, division in _lengths(place):
            yield floored(place, path, division)


def cast(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A whole number that is a fraction by its type, where no division is to blame: ``int()``."""
    told = "is needed as a whole number: int()"
    for node in place.within():
        value = place.value(node)
        if isinstance(node, ast.Call) and _rounds(place, node):
            yield place.mend("VF218", node, f"int({place.text(node)})", told)
        elif value is not None and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            fraction = value.is_floating or value.type == "builtins.float"
            if fraction and isinstance(value.value, (int, float)) and value.value == int(value.value):
                yield place.mend("VF218", node, f"int({place.text(node)})", told)


def _is_whole(place: Place, node: ast.expr) -> bool:
    value = place.value(node)
    return value is not None and value.kind == "number" and isinstance(value.value, int)


def _lengths(place: Place) -> Iterator[tuple[str, ast.BinOp]]:
    """Divisions in what a ``__len__`` of the project returns."""
    for path in place.scene.project.paths:
        for node in place.scene.nodes(path):
            if isinstance(node, ast.FunctionDef) and node.name == "__len__":
                for inner in ast.walk(node):
                    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
                        yield path, inner


def floored(place: Place, path: str, node: ast.BinOp) -> Mend:
    """The mend that makes ``//`` of ``/``."""
    told = "has to be a whole number, which / gave on Python 2: //"
    if path == place.path:
        return place.edited("VF218", node, (floored_at(place, path, node),), told)
    edit = floored_at(place, path, node)
    return Mend("VF218", told, place.event.head, place.located(path, node.lineno), ((path, (edit,)),), node=node,
                path=path)  # fmt: skip


def floored_at(place: Place, path: str, node: ast.BinOp) -> ReplaceExpression:
    """The edit that makes ``//`` of ``/``."""
    scene = place.scene
    gap = Span(scene.span(path, node.left).end, scene.span(path, node.right).start)
    text = scene.source(path)[gap.start : gap.end].replace("/", "//", 1)
    edit: ReplaceExpression = scene.rewritten(path, node, [(gap, text)])
    return edit


def _behind(place: Place, node: ast.expr) -> Iterator[tuple[str, ast.BinOp]]:
    """Divisions in what a name, or an attribute, was given."""
    for path, value in place.made(node):
        for inner in ast.walk(value):
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
                yield path, inner


def _rounds(place: Place, node: ast.Call) -> bool:
    name = place.outside(node.func)
    return name in ("numpy.ceil", "numpy.floor", "numpy.round", "math.floor", "math.ceil", "numpy.sqrt", "math.sqrt")


def of_tensors(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``/`` of tensors of whole numbers, seen while it ran."""
    for node in place.outwards():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = place.value(node.left), place.value(node.right)
            if left is not None and left.is_whole and (right is None or right.is_whole or right.kind == "number"):
                yield floored(place, place.path, node)


_NEEDED = (
    r"'(numpy\.)?float(64|32)?' object cannot be interpreted as an integer|indices must be integers"
    r"|slice indices must"
    r"|only integers, slices|must be tuple of ints|type must be tuple of ints|got \((.*, )?float"
    r"|non-int of type 'float'"
    r"|expected a sequence of integers or a single integer|must be an integer|must be int, not float"
    r"|integer argument expected"
    r"|only integer tensors of a single element|should be of type int|positive integer|types \[<class 'float'"
    r"|takes \d positional arguments? but \d were given|data must be a sequence \(got float\)"
    r"|must be real number|got float|integer is required"
)

SYMPTOMS = (
    Symptom(
        "VF218",
        "fraction-for-a-whole-number",
        ("TypeError", "IndexError", "ValueError"),
        _NEEDED,
        "/ of whole numbers gave a whole number",
        _PEP,
        divided,
        outward=True,
    ),
    Symptom(
        "VF218",
        "whole-number-of-another-type",
        ("TypeError", "IndexError", "ValueError"),
        _NEEDED,
        "fractions without a rest were taken for whole numbers",
        "https://numpy.org/doc/stable/release/1.12.0-notes.html",
        cast,
    ),
    Symptom(
        "VF218",
        "integer-division",
        ("meaning",),
        r"^integer-division$",
        "tensors of whole numbers were divided without a rest",
        "https://github.com/pytorch/pytorch/releases/tag/v1.5.0",
        of_tensors,
    ),
)
