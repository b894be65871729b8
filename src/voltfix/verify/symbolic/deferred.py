"""Which definitions of a module can wait until somebody asks for their names.

A run loads the modules of the project anew, with all that they import. What makes a function, a class of constants and
methods, or an import, does nothing but bind names: when it is done makes no difference, so that a run does it for the
names that it comes by, and no others.

What a module computes (``nets = train(data)``) may do more than that. Where loading takes long, further runs are lean:
it waits, too, and is computed when one of its names is asked for, as statements that bind nothing are never run.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeGuard, cast

from voltfix.verify.symbolic.rewrite import finish
from voltfix.verify.symbolic.walking import children, walk

_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_IMPORTS = frozenset({ast.Import, ast.ImportFrom})
_INERT = frozenset({"staticmethod", "classmethod", "property"})  # decorators
# of constants: they ask the run alone
_CONSTANTS = frozenset({"__vf_option__", "__vf_setting__", "__vf_state__", "__vf_later__"})
Imports = Callable[[ast.Import | ast.ImportFrom], bool]  # can this import wait?


@dataclass
class Deferred:
    """The definitions of a module: those that are run when it is loaded, and those that wait, by name."""

    path: str
    first: list[ast.stmt]
    waiting: dict[str, ast.stmt]
    computed: dict[str, ast.stmt] = field(default_factory=dict)  # what waits in lean runs
    _code: types.CodeType | None = None

    def code(self) -> types.CodeType:
        """What is run when the module is loaded."""
        if self._code is None:
            self._code = self._compiled(self.first)
        return self._code

    def code_of(self, node: ast.stmt) -> types.CodeType:
        """One definition that waits; compiled when it is first asked for, once for both sides where they share it."""
        found: types.CodeType | None = getattr(node, "code", None)
        if found is None:
            found = self._compiled([node])
            node.code = found  # type: ignore[attr-defined]
        return found

    def _compiled(self, body: list[ast.stmt]) -> types.CodeType:
        finish(body)
        return compile(ast.Module(body, []), "vf:" + self.path, "exec", dont_inherit=True)


def deferred(
    path: str, body: list[ast.stmt], whole: Iterable[ast.AST], builtin: Collection[str], can_wait: Imports
) -> Deferred:
    """The definitions (``body``) of a module; ``whole``: all that its text holds; ``builtin``: the names that are there
    as long as the module does not bind them."""
    often = Counter(name for each in body for name in _bound(each))
    changed: set[str] = set()
    for node in whole:
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is ast.Del:  # type: ignore[attr-defined]
                changed.add(node.id)  # type: ignore[attr-defined]
        elif kind is ast.Global:
            changed.update(node.names)  # type: ignore[attr-defined]
        elif kind is ast.ImportFrom and node.names[0].name == "*":  # type: ignore[attr-defined]
            return Deferred(path, body, {})  # what that binds is not known
    first: list[ast.stmt] = []
    waiting: dict[str, ast.stmt] = {}
    for each in body:
        names = _bound(each)
        once = all(often[name] == 1 and name not in builtin for name in names) and changed.isdisjoint(names)
        if once and isinstance(each, ast.ClassDef):
            roots = {_root(base) for base in _bases(each)}
            fits = is_inert(each) and all(often[root] <= 1 for root in roots) and changed.isdisjoint(roots)
        else:
            future = isinstance(each, ast.ImportFrom) and each.module == "__future__"  # says how the rest is compiled
            imports = not future and isinstance(each, (ast.Import, ast.ImportFrom)) and can_wait(each)
            fits = once and (imports or (isinstance(each, ast.FunctionDef) and is_inert(each)))
        if fits:
            waiting.update(dict.fromkeys(names, each))
        else:
            first.append(each)
    return Deferred(path, first, waiting)


def lean(path: str, body: list[ast.stmt], parts: Deferred) -> Deferred:
    """The definitions of a module in lean runs: what it computes, by names that nothing else of them binds, waits. What
    computes a name again, or several at once, or may change what one stands for (``done = fill(rows)``), is run with
    all that binds one of them, in its order."""
    computing = [each for each in parts.first if _computes(each)]
    may_change = {name for each in computing if not isinstance(each.value, ast.Constant) for name in _bound(each)}
    kept = {name for each in body if each not in computing for name in _bound(each)}
    set_by = {each.name: _sets(each) for each in body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    bound = {name for each in computing for name in _bound(each)}
    groups: list[tuple[set[str], list[ast.stmt]]] = []
    for each in computing:
        changed = (may_change & _given(each.value)) | (bound & _set_in(each.value, set_by))
        names, held = set(_bound(each)) | changed, [cast(ast.stmt, each)]
        for group in [group for group in groups if not names.isdisjoint(group[0])]:
            groups.remove(group)
            names, held = names | group[0], group[1] + held
        groups.append((names, held))
    computed: dict[str, ast.stmt] = {}
    waiting: set[ast.stmt] = set()
    for names, held in groups:
        if kept.isdisjoint(names) and any(not is_inert(each) for each in held):
            whole = ast.copy_location(ast.If(ast.Constant(True), held, []), held[0])
            ast.fix_missing_locations(whole)
            computed.update(dict.fromkeys(sorted(names), whole))
            waiting.update(held)
    first = [each for each in parts.first if each not in waiting]
    return Deferred(path, first, {**parts.waiting, **computed}, computed)


def _given(node: ast.expr) -> set[str]:
    """The names of what calls are given as it is, and of what they are methods of."""
    calls = [each for each in walk(node) if isinstance(each, ast.Call)]
    held = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    held += [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]
    return {each.id for each in held if isinstance(each, ast.Name)}


def _sets(node: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a function gives something, or of which it changes a part; those that are mentioned in it."""
    found: set[str] = set()
    for each in walk(node):
        if isinstance(each, ast.Global):
            found.update(each.names)
        elif isinstance(each, (ast.Attribute, ast.Subscript)) and not isinstance(each.ctx, ast.Load):
            found.update(part.id for part in walk(each) if isinstance(part, ast.Name))
        elif isinstance(each, ast.Expr):
            found |= _given(each.value)
    return found, {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _set_in(node: ast.expr, set_by: dict[str, tuple[set[str], set[str]]]) -> set[str]:
    """What the functions set that an expression may call, in whatever way, and those that are mentioned in them."""
    waiting, seen, found = [each.id for each in walk(node) if isinstance(each, ast.Name)], set[str](), set[str]()
    while waiting:
        name = waiting.pop()
        if name in set_by and name not in seen:
            seen.add(name)
            found |= set_by[name][0]
            waiting += set_by[name][1]
    return found


def _computes(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """Does a statement give names, and nothing else, what it computes?"""
    return isinstance(node, ast.Assign) and all(map(_is_named, node.targets))


def _is_named(target: ast.expr) -> bool:
    """A name, or several."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_named, target.elts))
    return isinstance(target, ast.Name)


def is_inert(node: ast.stmt) -> bool:
    """Does a definition bind names, and do nothing else that a run could tell? Imports are not looked at."""
    if isinstance(node, ast.ClassDef):
        named = all(isinstance(base, (ast.Name, ast.Attribute)) and _root(base) for base in _bases(node))
        return named and not node.decorator_list and all(map(is_inert, node.body))
    if isinstance(node, ast.FunctionDef):
        given = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        typed = node.returns is not None or any(each is not None and each.annotation is not None for each in every)
        known = all(isinstance(each, ast.Name) and each.id in _INERT for each in node.decorator_list)
        return known and not typed and all(map(_is_constant, given))
    if isinstance(node, ast.Assign):
        return all(isinstance(each, ast.Name) for each in node.targets) and _is_constant(node.value)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_constant(node: ast.expr | None) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.Dict):
        return all(map(_is_constant, [*node.keys, *node.values]))
    if isinstance(node, ast.Call):
        asked = isinstance(node.func, ast.Name) and node.func.id in _CONSTANTS
        return asked and all(map(_is_constant, node.args))
    return isinstance(node, ast.Constant)


def _bases(node: ast.ClassDef) -> list[ast.expr]:
    """The bases of a class, of one that ``rewrite`` prepared, too."""
    found: list[ast.expr] = []
    for each in node.bases:
        if isinstance(each, ast.Starred) and isinstance(each.value, ast.Call):
            found += each.value.args
        else:
            found.append(each)
    return found


def _root(node: ast.expr) -> str:
    """The name that a base begins with; "" where it is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement binds in its module, each as often as it does."""
    found: list[str] = []
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind in _SCOPES:
            found.append(each.name)  # type: ignore[attr-defined]
        elif kind in _IMPORTS:
            found += [alias.asname or alias.name.split(".")[0] for alias in each.names]  # type: ignore[attr-defined]
        elif kind is ast.Name:
            if type(each.ctx) is ast.Store:  # type: ignore[attr-defined]
                found.append(each.id)  # type: ignore[attr-defined]
        else:
            if kind is ast.ExceptHandler and each.name:  # type: ignore[attr-defined]
                found.append(each.name)  # type: ignore[attr-defined]
            waiting += children(each)
    return found
