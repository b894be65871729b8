"""Functions of autograd in the old style: made static, their state handed in with the inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from textwrap import dedent

from voltfix.model import Edit, ReplaceExpression, ReplaceStatement
from voltfix.program.bindings import ProjectClass
from voltfix.records import dataclass
from voltfix.repair.place import Mend, Place
from voltfix.repair.symptom import Symptom

_NOTES = "https://docs.pytorch.org/docs/stable/notes/extending.html"


@dataclass(frozen=True)
class _Use:
    """``F(state)(inputs)`` somewhere."""

    path: str
    call: ast.Call
    made: ast.Call


def static(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``class F(Function)`` with methods of an instance, where every use of it is ``F(...)(...)``."""
    found = next(iter(_classes(place)), None)
    if found is None:
        return
    uses = _uses(place, found)
    methods = {node.name: node for node in found.node.body if isinstance(node, ast.FunctionDef)}
    if uses is None or set(methods) - {"__init__", "forward", "backward"} or "forward" not in methods:
        return
    state = _state(methods.get("__init__"))
    if state is None or any(len(use.made.args) != len(state[0]) or use.made.keywords for use in uses):
        return
    edits: dict[str, list[Edit]] = {}
    for use in uses:
        given = [place.scene.text(use.path, node) for node in (*use.call.args, *use.made.args)]
        text = f"{place.scene.text(use.path, use.made.func)}.apply({', '.join(given)})"
        edits.setdefault(use.path, []).append(ReplaceExpression(place.scene.span(use.path, use.call), text))
    edits.setdefault(found.path, []).extend(_methods(place, found, methods, state))
    told = f"{found.node.name} is static, and called by apply()"
    yield Mend(
        "VF220",
        told,
        place.event.head,
        place.where,
        tuple((path, tuple(some)) for path, some in edits.items()),
        path=found.path,
    )


def _classes(place: Place) -> Iterator[ProjectClass]:
    for node in place.within():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            binding = place.scene.project.resolve(place.path, None, node.func.func)
            if isinstance(binding, ProjectClass):
                yield binding


def _uses(place: Place, cls: ProjectClass) -> list[_Use] | None:
    """Every call of an instance; None where an instance is used in any other way."""
    uses = []
    for path in place.scene.project.paths:
        for call in place.scene.calls(path):
            if place.scene.project.resolve(path, None, call.func) != cls:
                continue
            above = place.scene.project.parent(path, call)
            if not isinstance(above, ast.Call) or above.func is not call or above.keywords:
                return None
            uses.append(_Use(path, above, call))
    return uses


def _state(init: ast.FunctionDef | None) -> tuple[list[str], list[ast.Assign]] | None:
    """The parameters of ``__init__``, and what it keeps on the instance; None where it does more."""
    if init is None:
        return [], []
    kept = []
    for statement in init.body:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Attribute)
        ):
            kept.append(statement)
        elif not isinstance(statement, ast.Expr) or "__init__" not in ast.dump(statement):
            return None
    given = init.args
    plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
    return ([parameter.arg for parameter in given.args[1:]], kept) if plain else None


def _methods(
    place: Place, cls: ProjectClass, methods: dict[str, ast.FunctionDef], state: tuple[list[str], list[ast.Assign]]
) -> Iterator[Edit]:
    from voltfix.model import DeleteStatement

    for name, method in methods.items():
        if name == "__init__":
            yield DeleteStatement(place.scene.span(cls.path, method))
        else:
            text = _method(place, cls.path, method, state)
            yield ReplaceStatement(place.scene.span(cls.path, method), text)


def _method(place: Place, path: str, method: ast.FunctionDef, state: tuple[list[str], list[ast.Assign]]) -> str:
    scene, names = place.scene, state[0]
    own = method.args.args[0]
    start = scene.span(path, method).start
    source = scene.text(path, method)
    parts = [(scene.span(path, own).start - start, len(own.arg), "ctx")]
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and node.id == own.arg:
            parts.append((scene.span(path, node).start - start, len(own.arg), "ctx"))
        if isinstance(node, ast.Attribute) and node.attr == "saved_variables":
            parts.append(
                (scene.span(path, node).end - len("saved_variables") - start, len("saved_variables"), "saved_tensors")
            )
        if isinstance(node, ast.Return) and node.value is not None and names and method.name == "backward":
            parts.append((scene.span(path, node.value).end - start, 0, ", None" * len(names)))
    if names and method.name == "forward":
        last = method.args.args[-1]
        parts.append((scene.span(path, last).end - start, 0, "".join(f", {name}" for name in names)))
        first = scene.span(path, method.body[0]).start - start
        inline = method.body[0].lineno == method.lineno
        indent = " " * (method.col_offset + 4 if inline else method.body[0].col_offset)
        kept = "".join(_kept(scene.text(path, node), own.arg) + "\n" + indent for node in state[1])
        parts.append((first, 0, ("\n" + indent if inline and kept else "") + kept))
    for at, length, new in sorted(parts, reverse=True):
        source = source[:at] + new + source[at + length :]
    column = " " * method.col_offset
    return dedent(f"{column}@staticmethod\n{column}{source}")


def _kept(text: str, own: str) -> str:
    return re.sub(rf"\b{own}\b", "ctx", text)


SYMPTOMS = (
    Symptom(
        "VF220",
        "old-style-function",
        ("RuntimeError",),
        r"Legacy autograd function with non-static forward",
        "a function's instance was called, and kept its state",
        _NOTES,
        static,
    ),
)
