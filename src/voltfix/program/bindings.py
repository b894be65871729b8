"""What a name can turn out to be."""

from __future__ import annotations

import ast
from collections.abc import Collection

from voltfix.program.scopes import Function
from voltfix.records import dataclass

VARIABLE = "torch.autograd.Variable"


@dataclass(frozen=True)
class External:
    """Something outside the project, by its canonical dotted name."""

    name: str


@dataclass(frozen=True)
class ProjectModule:
    """A file of the project, or a folder that serves as a package without ``__init__``."""

    path: str


@dataclass(frozen=True)
class ProjectFunction:
    """A ``def`` or a ``lambda``.

    ``bound``: the first parameter is filled already (``self.method``). ``static``: it came through
    ``name = staticmethod(f)``, so an instance does not fill it.
    """

    path: str
    qualname: str
    node: Function
    bound: bool = False
    static: bool = False


@dataclass(frozen=True)
class ProjectClass:
    """A class of the project."""

    path: str
    qualname: str
    node: ast.ClassDef


@dataclass(frozen=True)
class Builtin:
    """A name that nothing binds, but Python does."""

    name: str


@dataclass(frozen=True)
class Local:
    """A value: a parameter, or what was assigned.

    ``values`` are the expressions assigned to it, each in the module at ``path``; ``complete`` tells whether
    they are all that it can be (no parameter, loop target or unpacking beside them).
    """

    path: str
    name: str
    values: tuple[ast.expr, ...] = ()
    parameter: ast.arg | None = None
    complete: bool = False


@dataclass(frozen=True)
class Ambiguous:
    """Several things, depending on what runs."""

    candidates: tuple[Binding, ...]


@dataclass(frozen=True)
class Unknown:
    """Nothing here says. ``stars`` are modules outside the project whose names a star import brings in."""

    stars: tuple[str, ...] = ()


Binding = (
    External | ProjectModule | ProjectFunction | ProjectClass | Builtin | Local | Ambiguous | Unknown
)


def is_one_of(binding: Binding | None, names: Collection[str]) -> bool:
    """Is it something from outside, or a built-in, of one of these full names?"""
    return (isinstance(binding, External) and binding.name in names) or (
        isinstance(binding, Builtin) and f"builtins.{binding.name}" in names)


def canonical(name: str) -> str:
    """One name for each thing of torch: every ``torch.*.Variable`` is ``torch.autograd.Variable``."""
    if name.startswith("torch.") and name.endswith(".Variable"):
        return VARIABLE
    return name


def merge(found: list[Binding]) -> Binding:
    """What a name is that was bound to each of ``found``; values that are None alone do not count."""
    distinct = list(dict.fromkeys(found))
    real = [binding for binding in distinct if not _is_none(binding)] or distinct
    if len(real) == 1:
        return real[0]
    values = [binding for binding in real if isinstance(binding, Local)]
    if real and len(values) == len(real):
        return _merge_values(values)
    flat: list[Binding] = []
    for binding in real:
        flat.extend(binding.candidates if isinstance(binding, Ambiguous) else (binding,))
    return Ambiguous(tuple(dict.fromkeys(flat))) if flat else Unknown()


def _merge_values(values: list[Local]) -> Local:
    first = values[0]
    parameters = [value.parameter for value in values if value.parameter is not None]
    expressions = tuple(expression for value in values for expression in value.values)
    complete = all(value.complete for value in values)
    return Local(first.path, first.name, expressions, parameters[0] if parameters else None, complete)


def _is_none(binding: Binding) -> bool:
    """Was it assigned None (as after a failed import)?"""
    if not isinstance(binding, Local) or not binding.complete:
        return False
    return all(isinstance(value, ast.Constant) and value.value is None for value in binding.values)
