"""Symbol tables of one module: which names each scope binds, and how.

Everything here is syntax; what an import or an assigned name means is the business of ``resolve``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from typing import Literal

from voltfix.program.mentioned import OfModule
from voltfix.program.walking import LEAVES, children
from voltfix.records import dataclass

Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# what stands in them need not run where they do
PERHAPS = (*FUNCTIONS, ast.IfExp, ast.BoolOp, *Comprehension)
DefinitionKind = Literal["import", "function", "class", "value", "parameter", "other"]


@dataclass(frozen=True)
class Import:
    """``from {level dots}{module} import {name}``; ``name`` is None for ``import module``."""

    module: str
    name: str | None
    level: int


@dataclass(frozen=True)
class Definition:
    """One place that binds a name. ``value`` is the expression assigned, if it is known whole."""

    kind: DefinitionKind
    node: ast.AST
    value: ast.expr | None = None
    source: Import | None = None


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension, with the names that it binds."""

    node: ast.AST
    parent: Scope | None
    qualname: str
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    outer: dict[str, Literal["global", "nonlocal"]] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Class bodies are invisible from the functions inside them."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def module(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def define(self, name: str, definition: Definition) -> None:
        """Bind ``name`` here, or where a global or nonlocal statement says."""
        self._home(name).definitions.setdefault(name, []).append(definition)

    def _home(self, name: str) -> Scope:
        said = self.outer.get(name)
        if said == "global":
            return self.module
        scope = self.parent
        while said == "nonlocal" and scope is not None:
            if name in scope.definitions and not scope.is_class:
                return scope
            scope = scope.parent
        return self


class Table:
    """The scopes of one tree; for every node its scope and its parent. Deep trees are fine."""

    def __init__(self, tree: ast.Module) -> None:
        self.root = Scope(tree, None, "")
        self.scopes: dict[ast.AST, Scope] = {tree: self.root}
        self.owner: dict[ast.AST, Scope] = {tree: self.root}
        self.parent: dict[ast.AST, ast.AST] = {}
        self._stack: list[tuple[ast.AST, Scope]] = []
        self._push(tree, children(tree), self.root)
        while self._stack:
            self._visit(*self._stack.pop())

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call of the module."""
        return [node for node in self.owner if type(node) is ast.Call]

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the module, in one order."""
        return list(self.owner)

    @cached_property
    def mentions(self) -> OfModule:
        """Where the module mentions names."""
        return OfModule(self.nodes)

    def _push(self, parent: ast.AST, nodes: list[ast.AST], scope: Scope) -> None:
        for node in reversed(nodes):
            self.parent[node] = parent
            self.owner[node] = scope
            if type(node) not in LEAVES:
                self._stack.append((node, scope))

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        kind = type(node)
        if kind not in _SPECIAL:
            if kind in _BINDING:
                _bind_statement(node, scope)
            self._push(node, children(node), scope)
        elif isinstance(node, FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        else:
            self._comprehension(node, scope)

    def _function(self, node: Function, scope: Scope) -> None:
        name = self._assigned_to(node) if isinstance(node, ast.Lambda) else node.name
        inner = self._open(node, scope, name)
        arguments = node.args
        self.parent[arguments] = node
        self.owner[arguments] = inner
        parameters = parameters_of(node)
        for parameter in parameters:
            self.parent[parameter] = arguments
            self.owner[parameter] = inner
            inner.define(parameter.arg, Definition("parameter", parameter))
        outside: list[ast.AST] = [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]
        outside += [p.annotation for p in parameters if p.annotation is not None]
        if isinstance(node, ast.Lambda):
            self._push(node, [node.body], inner)
        else:
            scope.define(node.name, Definition("function", node))
            outside += node.decorator_list
            outside += [node.returns] if node.returns is not None else []
            self._push(node, list(node.body), inner)
        self._push(node, outside, scope)

    def _assigned_to(self, node: ast.Lambda) -> str:
        above = self.parent.get(node)
        targets = above.targets if isinstance(above, ast.Assign) else []
        return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else "<lambda>"

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        scope.define(node.name, Definition("class", node))
        inner = self._open(node, scope, node.name)
        self._push(node, list(node.body), inner)
        self._push(node, [*node.bases, *node.keywords, *node.decorator_list], scope)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = self._open(node, scope, "<comprehension>")
        first = True
        for child in children(node):
            if not isinstance(child, ast.comprehension):
                self._push(node, [child], inner)
                continue
            self.parent[child], self.owner[child] = node, inner
            _bind_target(child.target, None, child, inner)
            self._push(child, [child.target, *child.ifs], inner)
            self._push(child, [child.iter], scope if first else inner)
            first = False

    def _open(self, node: ast.AST, scope: Scope, name: str) -> Scope:
        dot = ".<locals>." if isinstance(scope.node, FUNCTIONS) else "."
        inner = Scope(node, scope, name if not scope.qualname else scope.qualname + dot + name)
        self.scopes[node] = inner
        return inner


_SPECIAL = frozenset({*FUNCTIONS, ast.ClassDef, *Comprehension})
_BINDING = frozenset(
    {
        ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.AugAssign,
        ast.For, ast.AsyncFor, ast.withitem, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping,
    }
)  # fmt: skip


def binds(node: ast.AST, name: str) -> bool:
    """Does a node bind a name, or take it away, in whatever way but as a parameter?"""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs,
                         ast.MatchStar)):
        return node.name == name
    if isinstance(node, ast.MatchMapping):
        return node.rest == name
    return isinstance(node, ast.alias) and name in (node.asname, node.name.split(".")[0], "*")


def decorators(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The decorators of a function or a class, each with what it names: itself, or what it calls (``@made(by)``)."""
    return [(each, each.func if isinstance(each, ast.Call) else each) for each in getattr(node, "decorator_list", ())]


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """All that a call hands over, by place and by keyword."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def parameters_of(node: Function) -> list[ast.arg]:
    """All parameters in the order of the signature, ``*args`` and ``**kwargs`` included."""
    arguments = node.args
    found = [*arguments.posonlyargs, *arguments.args]
    found += [arguments.vararg] if arguments.vararg else []
    found += arguments.kwonlyargs
    return found + ([arguments.kwarg] if arguments.kwarg else [])


def is_said_outer(nodes: Iterable[ast.AST], name: str) -> bool:
    """Does one of them say that a name is another scope's (``global x``, ``nonlocal x``)?"""
    return any(isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names for node in nodes)


def _bind_statement(node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _bind_target(target, node.value, node, scope)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        _bind_target(node.target, node.value, node, scope)
    elif isinstance(node, ast.NamedExpr):
        _bind_target(node.target, node.value, node, _not_comprehension(scope))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        _bind_import(node, scope)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        said: Literal["global", "nonlocal"] = "global" if isinstance(node, ast.Global) else "nonlocal"
        scope.outer.update(dict.fromkeys(node.names, said))
    else:
        _bind_other(node, scope)


def _bind_other(node: ast.AST, scope: Scope) -> None:
    """Bindings whose value is not an expression of the text."""
    if isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor)):
        _bind_target(node.target, None, node, scope)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        _bind_target(node.optional_vars, None, node, scope)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        scope.define(node.name, Definition("other", node))
    elif isinstance(node, ast.MatchMapping) and node.rest:
        scope.define(node.rest, Definition("other", node))


def _bind_target(target: ast.expr, value: ast.expr | None, node: ast.AST, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        scope.define(target.id, Definition("other" if value is None else "value", node, value))
    elif isinstance(target, ast.Starred):
        _bind_target(target.value, None, node, scope)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element, part in zip(target.elts, _parts(value, target), strict=True):
            _bind_target(element, part, node, scope)


def _parts(value: ast.expr | None, target: ast.Tuple | ast.List) -> list[ast.expr] | list[None]:
    """The values of an unpacking, where both sides are written out and of one length."""
    starred = any(isinstance(e, ast.Starred) for e in target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) and not starred:
        return value.elts
    return [None] * len(target.elts)


def _bind_import(node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.split(".")[0]
            source = Import(module, None, 0)
            scope.define(alias.asname or module, Definition("import", node, source=source))
        return
    for alias in node.names:
        source = Import(node.module or "", alias.name, node.level)
        if alias.name == "*":
            scope.module.stars.append(source)
        else:
            scope.define(alias.asname or alias.name, Definition("import", node, source=source))


def _not_comprehension(scope: Scope) -> Scope:
    while isinstance(scope.node, Comprehension) and scope.parent is not None:
        scope = scope.parent
    return scope
