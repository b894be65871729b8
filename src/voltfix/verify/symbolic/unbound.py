"""Names that a module does not have yet, or never has, where the new text alone asks for them.

A name that nothing binds is taken for one that came from somewhere: a star import, a cell that ran before. So it is
where the old text asks for it, too. Where the new text alone does, as for ``torch.no_grad()`` in a cell above
``import torch``, or beside one in another function, Python has no such name, and says so.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Mapping

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_INNER = (*_SCOPES, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OWN = frozenset(dir(builtins))
_TOLD = frozenset({"Variable", "torch"})  # whose flag it is has these from somewhere


def imported_by(tree: ast.Module) -> frozenset[str]:
    """The names that the imports of a module bind there, and nothing else does: they are not there before."""
    imports: set[str] = set()
    others: set[str] = set()
    for node in _at_the_top(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.update(each.asname or each.name.split(".")[0] for each in node.names)
        else:
            others.update(_bound(node))
    return frozenset(imports - others - _OWN)


def filled_from_outside(nodes: Mapping[str, Iterable[ast.AST]]) -> dict[str, set[str]]:
    """The names of a module, by its own last name, that another one binds: ``import common; common.log = Log()``.

    ``nodes``: all that is in each module."""
    found: dict[str, set[str]] = {}
    for inside in nodes.values():
        names: dict[str, str] = {}
        stored: list[tuple[str, str]] = []
        for node in inside:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for each in node.names:
                    if each.asname or "." not in each.name:
                        names[each.asname or each.name] = each.name.rpartition(".")[2]
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and type(node.value) is ast.Name:
                stored.append((node.value.id, node.attr))
        for name, attribute in stored:
            if name in names:
                found.setdefault(names[name], set()).add(attribute)
    return found


def never_bound(old: str, new: str) -> frozenset[str]:
    """The names that a module of this ``new`` text asks for and does not have, and that its ``old`` text does not ask
    for. Nothing of a text that is a part of another one: it has what that has."""
    try:
        (asked, bound), (before, _) = _names_of(new), _names_of(old)
    except (SyntaxError, ValueError, RecursionError):  # it does not run at all
        return frozenset()
    bound |= _OWN
    return frozenset() if (before & _TOLD) - bound else frozenset(asked - before - bound)


def _names_of(text: str) -> tuple[set[str], set[str]]:
    """The names that a text asks its module for, and those that it binds there."""
    asked: set[str] = set()
    bound: set[str] = set()
    waiting = [symtable.symtable(text, "text", "exec")]
    while waiting:
        scope = waiting.pop()
        top = scope.get_type() == "module"
        for each in scope.get_symbols():
            if top or each.is_global():
                if each.is_referenced():
                    asked.add(each.get_name())
                if each.is_assigned() or each.is_imported() or each.is_namespace():
                    bound.add(each.get_name())
        waiting += scope.get_children()
    return asked, bound


def _at_the_top(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs in the scope of a module itself."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _INNER):
            waiting += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [each.asname or each.name.split(".")[0] for each in node.names]
    if isinstance(node, (*_SCOPES, ast.ExceptHandler)):
        return [node.name] if node.name else []
    return [node.id] if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else []
