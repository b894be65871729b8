"""Under which names something is kept: those that are written out, and those that are put together while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.calls import BuiltName
from voltfix.program.spelled import ends_of
from voltfix.torchmodel.tables import STORING, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# where Python and nn.Module look for what ``x.name`` asks
NAMESPACES = frozenset({"__dict__", "_parameters", "_buffers", "_modules"})


class Kept(NamedTuple):
    """A name, or how one that is put together starts and ends."""

    name: str
    start: str = ""
    end: str = ""

    def may_be(self, word: str) -> bool:
        """Could it be this name?"""
        return word == self.name if self.name else word.startswith(self.start) and word.endswith(self.end)

    def says(self) -> bool:
        """Is any of it written out?"""
        return bool(self.name or self.start or self.end)

    def may_be_asked(self, built: BuiltName) -> bool:
        """Could a name that is put together elsewhere be the same?"""
        if self.name:
            return built.may_be(self.name)
        if built.texts:
            return any(map(self.may_be, built.texts))
        starts, ends = (self.start, built.start), (self.end, built.end)
        return (starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])) and (
            ends[0].endswith(ends[1]) or ends[1].endswith(ends[0]))


def kept_as(target: ast.expr) -> Kept | None:
    """The attribute of an object that a target is, or is an item of; None: it is none."""
    while isinstance(target, ast.Subscript):
        if namespace_of(target.value) is not None:
            return kept_under(target.slice)
        target = target.value
    if isinstance(target, ast.Attribute) and target.attr not in WITHOUT_GRAPH:  # data is copied, not kept
        return Kept(target.attr)
    return None


def kept_under(name: ast.expr) -> Kept:
    """What is kept under the string that an expression gives."""
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return Kept(name.value)
    return Kept("", *ends_of(name))


def namespace_of(node: ast.expr) -> ast.expr | None:
    """The object whose attributes an expression holds by their names: ``x.__dict__``, ``vars(x)``, ``x._buffers``."""
    if isinstance(node, ast.Attribute) and node.attr in NAMESPACES:
        return node.value
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return node.args[0] if called and isinstance(node, ast.Call) and node.args else None


def bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a node binds to what; what is set by a name stands as an entry of the object's ``__dict__``."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
    elif isinstance(node, ast.Call):
        for holder, name, value in _set_by_name(node):
            yield ast.Subscript(ast.Attribute(holder, "__dict__", ast.Load()), name, ast.Store()), value


def filled(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a node puts into which container."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STORING:
        yield from ((node.func.value, value) for value in node.args)
    elif isinstance(node, ast.Assign):
        yield from ((target.value, node.value) for target in node.targets if isinstance(target, ast.Subscript))


def _set_by_name(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """``setattr(x, name, value)`` and its kin: the object, the name, the value."""
    called = call.func
    if isinstance(called, ast.Name) and called.id == "setattr" and len(call.args) == 3:
        yield call.args[0], call.args[1], call.args[2]
    elif isinstance(called, ast.Attribute) and called.attr == "__setattr__" and len(call.args) in (2, 3):
        holder, name, value = call.args if len(call.args) == 3 else (called.value, *call.args)
        yield holder, name, value
    elif isinstance(called, ast.Attribute) and called.attr == "update" and (
            holding := namespace_of(called.value)) is not None:
        for given in call.keywords:
            yield holding, ast.Constant(given.arg or ""), given.value
        for whole in call.args:
            yield holding, ast.Name("", ast.Load()), whole


def assigned_to(project: Project, path: str, target: ast.AST) -> ast.expr | None:
    """What an assignment puts there, alone or in its place of ``a, b = c, d``; None where no expression says it."""
    above = project.parent(path, target)
    if isinstance(above, ast.Assign):
        return above.value if target in above.targets else None
    whole = project.parent(path, above) if isinstance(above, ast.Tuple) else None
    value = whole.value if isinstance(whole, ast.Assign) and above in whole.targets else None
    if not isinstance(value, ast.Tuple) or not isinstance(above, ast.Tuple) or len(value.elts) != len(above.elts) or (
            any(isinstance(each, ast.Starred) for each in (*value.elts, *above.elts))):
        return None
    return next(given for place, given in zip(above.elts, value.elts, strict=True) if place is target)


def begins_with_itself(project: Project, path: str, target: ast.AST) -> bool:
    """``self.x = self.x.view(3).cuda()``: is an attribute assigned what is asked of what it held? Then it held that."""
    part = assigned_to(project, path, target)
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return False
    while isinstance(part, (ast.Call, ast.Attribute)):
        if isinstance(part, ast.Attribute) and part.attr == target.attr and isinstance(part.value, ast.Name):
            return part.value.id == target.value.id
        part = part.func if isinstance(part, ast.Call) else part.value
    return False
