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
    for node in place.within():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            seen = True
            yield floored(place, place.path, node)
    for node in place.within():
        value = place.value(node)
        fraction = value is not None and value.type.endswith(("float", "float64", "float32")) and value.kind != "array"
        if not fraction or not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            continue
        for division in _behind(place, node):
            seen = True
            yield floored(place, place.path, division)
        assert value is not None
        if isinstance(value.value, (int, float)) and value.value == int(value.value):
            yield place.mend("VF218", node, f"int({place.text(node)})", "is needed as a whole number: int()")
    if not seen:
        for node in place.within():
            if isinstance(node, ast.Call) and _rounds(place, node):
                yield place.mend("VF218", node, f"int({place.text(node)})", "is needed as a whole number: int()")


def floored(place: Place, path: str, node: ast.BinOp) -> Mend:
    """The mend that makes ``//`` of ``/``."""
    scene = place.scene
    gap = Span(scene.span(path, node.left).end, scene.span(path, node.right).start)
    text = scene.source(path)[gap.start : gap.end].replace("/", "//", 1)
    edit: ReplaceExpression = scene.rewritten(path, node, [(gap, text)])
    return place.edited("VF218", node, (edit,), "has to be a whole number, which / gave on Python 2: //")


def _behind(place: Place, node: ast.expr) -> Iterator[ast.BinOp]:
    """Divisions in what a name was given."""
    if not isinstance(node, ast.Name):
        return
    for reach in place.scene.kinds.reaches(place.path, node):
        value = reach.value
        if value is None:
            continue
        for inner in ast.walk(value):
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
                yield inner


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


SYMPTOMS = (
    Symptom(
        "VF218",
        "fraction-for-a-whole-number",
        ("TypeError", "IndexError"),
        r"'(numpy\.)?float(64|32)?' object cannot be interpreted as an integer|indices must be integers"
        r"|slice indices must"
        r"|only integers, slices|must be tuple of ints|type must be tuple of ints|got \((.*, )?float"
        r"|non-int of type 'float'"
        r"|expected a sequence of integers or a single integer|must be an integer|must be int, not float"
        r"|integer argument expected"
        r"|takes \d positional arguments? but \d were given|data must be a sequence \(got float\)"
        r"|must be real number|got float|integer is required",
        "/ of whole numbers gave a whole number",
        _PEP,
        divided,
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
