"""What Python asks of classes and generators, and what it compares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import Edit, EnsureImport, InsertStatement, ReplaceStatement
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_NEW = "https://docs.python.org/3/whatsnew/3.0.html"
_PEP = "https://peps.python.org/pep-0479/"


def advanced(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A class that has ``next``: Python 3 asks for ``__next__``."""
    for path in place.scene.project.paths:
        for node in place.scene.nodes(path):
            if not isinstance(node, ast.ClassDef) or node.name != match.group(1):
                continue
            methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
            if "next" in methods and "__next__" not in methods:
                span = place.scene.span(path, methods["next"])
                edit = InsertStatement(span, "__next__ = next", "after")
                told = "next() is called __next__ on Python 3"
                yield Mend(
                    "VF218", told, place.event.head, place.located(path, node.lineno), ((path, (edit,)),), path=path
                )


def ended(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``raise StopIteration`` and ``next()`` in a generator: it ends by returning."""
    scene, path = place.scene, place.path
    around = scene.project.scope(path, place.statement) if place.statement is not None else None
    yields = (node for node in scene.nodes(path) if isinstance(node, (ast.Yield, ast.YieldFrom)))
    if not any(scene.project.scope(path, node) is around for node in yields):
        return
    edits: list[Edit] = []
    for node in scene.nodes(path):
        if scene.project.scope(path, node) is not around or not isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(raised, ast.Name) and raised.id == "StopIteration":
                edits.append(ReplaceStatement(scene.span(path, node), "return"))
    statement = place.statement
    if not edits and isinstance(statement, (ast.Assign, ast.Expr)):
        lines = "".join(f"    {line}\n" for line in place.text(statement).splitlines())
        text = f"try:\n{lines}except StopIteration:\n    return"
        edits.append(ReplaceStatement(place.span(statement), text))
    if edits and statement is not None:
        yield place.edited("VF218", statement, tuple(edits), "ends the generator: return", seen=place.event.head)


def compared(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``sort(cmp)`` and ``sorted(x, cmp=f)``: a key made of the comparison."""
    for node in place.calls("sort", "sorted"):
        keyword = next((k for k in node.keywords if k.arg == "cmp"), None)
        value = keyword.value if keyword is not None else None
        at = 1 if called(node) == "sorted" and isinstance(node.func, ast.Name) else 0
        old: ast.AST | None = keyword
        if value is None and len(node.args) > at:
            value = old = node.args[at]
        if value is not None and old is not None:
            text = f"key=functools.cmp_to_key({place.text(value)})"
            start, whole = place.span(node).start, place.text(node)
            span = place.span(old)
            text = f"{whole[: span.start - start]}{text}{whole[span.end - start :]}"
            yield place.mend("VF218", node, text, "compares by a key on Python 3", EnsureImport("functools"),
                             seen=place.event.head)  # fmt: skip


def missing_cmp(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``cmp(a, b)``."""
    for node in place.calls("cmp"):
        if len(node.args) == 2:
            a, b = (place.atom(argument) for argument in node.args)
            yield place.mend(
                "VF218", node, f"(({a} > {b}) - ({a} < {b}))", "is gone from Python 3", seen=place.event.head
            )


def nothing(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``value > best`` where one of them is None, which was less than everything."""
    for node in place.within():
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        less = isinstance(node.ops[0], (ast.Lt, ast.LtE))
        if not less and not isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            continue
        small, large = (node.left, node.comparators[0]) if less else (node.comparators[0], node.left)
        for side, word in ((small, "or"), (large, "and")):
            value = place.value(side)
            if value is not None and value.type.endswith("NoneType") and isinstance(side, (ast.Name, ast.Attribute)):
                test = f"{place.text(side)} is {'' if word == 'or' else 'not '}None"
                text = f"({test} {word} {place.text(node)})"
                yield place.mend(
                    "VF218", node, text, "None was less than everything on Python 2", seen=place.seen(side)
                )


SYMPTOMS = (
    Symptom(
        "VF218",
        "iterator-of-python-2",
        ("TypeError",),
        r"(?:non-iterator of type )?'(\w+)'(?: object is not an iterator)?$",
        "the method was called next",
        _NEW,
        advanced,
    ),
    Symptom(
        "VF218",
        "generator-that-stops",
        ("StopIteration",),
        r"",
        "StopIteration in a generator ended it",
        _PEP,
        ended,
    ),
    Symptom(
        "VF218",
        "sort-by-a-comparison",
        ("TypeError",),
        r"sort\(\) takes no positional|'cmp' is an invalid keyword|sorted expected 1 argument",
        "sort took a comparison",
        _NEW,
        compared,
    ),
    Symptom(
        "VF218",
        "comparison-that-is-gone",
        ("NameError",),
        r"name 'cmp' is not defined",
        "Python 2 had it",
        _NEW,
        missing_cmp,
    ),
    Symptom(
        "VF218",
        "none-in-a-comparison",
        ("TypeError",),
        r"'[<>]=?' not supported between instances of .*'NoneType'",
        "None was less than everything",
        _NEW,
        nothing,
    ),
)
