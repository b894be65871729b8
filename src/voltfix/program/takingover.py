"""Names under which an object takes over what another has: ``for k, v in vars(args).items(): setattr(self, k, v)``.

What such a name may be, somebody wrote: where an attribute is set, as a word, or as the name of an argument. What has
that name has it for itself: a method of a class that is taken over so would be called without its object, and raise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import Local, ProjectClass
from voltfix.program.mentioned import last_word
from voltfix.program.scopes import Scope, Table
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_CALLED = ("__name__", "__qualname__", "func_name", "co_name")
_LISTS = ("dir", "getmembers", "run_path", "run_module", "load_source", "exec_module", "execfile")
_OF_MODULES = "training"  # what each of torch's modules has among its own names, beside those with an underscore


class Taken(NamedTuple):
    """The names that a method may bind so: those of ``names``, or any that is written; never those of ``settled``."""

    names: frozenset[str] | None
    settled: frozenset[str]

    def may_bind(self, name: str, written: frozenset[str] | None) -> bool:
        """May the method bind that name on its object? ``written``: see ``written_in``."""
        if self.names is not None:
            return name in self.names
        of_torch = name == _OF_MODULES or (name.startswith("_") and not name.endswith("__"))
        return name not in self.settled and (of_torch or written is None or name in written)


def taken_by(project: Project, path: str, call: ast.Call) -> Taken | None:
    """What a call takes over on the object whose method it stands in; None of one that may bind any name."""
    table = project.table(path)
    scope = table.owner.get(call.func if isinstance(call.func, ast.Name) else _root(call.func)) if table else None
    if scope is None or not isinstance(scope.node, ast.FunctionDef):
        return None
    if last_word(call.func) in ("setattr", "__setattr__"):
        key, value = call.args[-2:] if len(call.args) > 1 else (None, None)
        if not isinstance(key, ast.Name) or not _goes_through(project, path, scope, key, value):
            return None
        return Taken(None, _settled(project, path, scope.node, call))
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is None)]
    if len(given) != 1 or len(call.args) + len(call.keywords) != 1:
        return None
    if isinstance(given[0], ast.Call) and ast.unparse(given[0]) == "locals()":
        return Taken(frozenset(scope.definitions), frozenset())
    if not _is_others(project, path, scope, given[0]):
        return None
    return Taken(None, _settled(project, path, scope.node, call))


def written_in(project: Project) -> frozenset[str] | None:
    """The names that an object may have of its own: those that are set, said as a word, or given with an argument.

    None where names of functions and of variables may become names of an object's.
    """
    nodes = [(path, node) for path in project.paths for node in project.nodes(path)]
    if any(_turns_into_word(project, path, node) for path, node in nodes):
        return None
    tables = filter(None, map(project.table, project.paths))
    return frozenset(name for _, node in nodes for name in _writes(node)) | {
        name for table in tables for name in _in_namespaces(table)}


def _in_namespaces(table: Table) -> Iterator[str]:
    """The names of a module, which may be settings itself, and of functions of which ``locals()`` gives the names."""
    yield from table.root.definitions
    listed = {table.owner[call] for call in table.calls if last_word(call.func) in ("locals", "vars") and not call.args}
    for scope in table.scopes.values():
        if scope in listed:
            yield from scope.definitions


def _turns_into_word(project: Project, path: str, node: ast.AST) -> bool:
    """May a part of a program make a word of what a function or variable is called, and put something under it?"""
    if isinstance(node, ast.Attribute):
        return node.attr in _CALLED and not _is_shown(project.parent(path, node)) and not (
            isinstance(node.value, ast.Attribute) and node.value.attr == "__class__")
    if isinstance(node, ast.Constant):
        return node.value in _CALLED
    if isinstance(node, ast.keyword):
        given = node.value if node.arg is None else None
        return isinstance(given, ast.Call) and last_word(given.func) in ("locals", "globals", "vars") and (
            not given.args or not isinstance(project.resolve(path, None, given.args[0]), Local))
    return isinstance(node, ast.Call) and (last_word(node.func) in _LISTS or (
        last_word(node.func) in ("import_module", "__import__") and not _begins_in_view(node)))


def _is_shown(above: ast.AST | None) -> bool:
    """Is a name only put into a text, or compared?"""
    return isinstance(above, (ast.FormattedValue, ast.BinOp, ast.Compare)) or (
        isinstance(above, ast.Call) and last_word(above.func) in ("print", "format"))


def _begins_in_view(call: ast.Call) -> bool:
    """Does the name of a module that is asked for begin with what is written out: is it of a package in view?"""
    name = call.args[0] if call.args else None
    while isinstance(name, (ast.BinOp, ast.JoinedStr, ast.Call)):
        if isinstance(name, ast.BinOp):
            name = name.left
        elif isinstance(name, ast.JoinedStr):
            name = name.values[0] if name.values else None
        else:
            name = name.func.value if isinstance(name.func, ast.Attribute) and name.func.attr == "format" else None
    return isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value[:1] not in ("", "%", "{")


def _writes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value.lstrip("-").replace("-", "_")
    elif isinstance(node, ast.ClassDef):
        for statement in node.body:
            yield from (part.id for part in walk(statement)
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
            if isinstance(statement, ast.FunctionDef) and (statement.decorator_list or not _has_object(statement)):
                yield statement.name
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield from (each.asname or each.name for each in statement.names)
    elif isinstance(node, ast.Call) and last_word(node.func) in ("namedtuple", "split"):
        for part in walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from part.value.replace(",", " ").split()


def _has_object(method: ast.FunctionDef) -> bool:
    """Does a function of a class call its first argument as methods do, and would miss another without that?"""
    first = [*method.args.posonlyargs, *method.args.args][:1]
    return bool(first) and first[0].arg == "self"


def _goes_through(project: Project, path: str, scope: Scope, key: ast.Name, value: ast.expr | None) -> bool:
    """Is a name each of those that an object has, one after the other, and the value what it has under that?"""
    found = scope.definitions.get(key.id, [])
    loops = [above for above in project.parents(path, key) if isinstance(above, ast.For)]
    loop = next((each for each in loops if any(
        isinstance(part, ast.Name) and part.id == key.id for part in walk(each.target))), None)
    if loop is None or len(found) != 1:
        return False
    if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2:
        first, second = loop.target.elts
        over = loop.iter
        return isinstance(first, ast.Name) and first.id == key.id and isinstance(second, ast.Name) and (
            isinstance(value, ast.Name) and value.id == second.id and len(scope.definitions.get(second.id, [])) == 1
            and isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and not over.args
            and over.func.attr in ("items", "iteritems") and _is_others(project, path, scope, over.func.value))
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "keys":
        over = over.func.value
    return isinstance(value, ast.Subscript) and ast.unparse(value) == f"{ast.unparse(over)}[{key.id}]" and (
        _is_others(project, path, scope, over))


def _is_others(project: Project, path: str, scope: Scope, names: ast.expr) -> bool:
    """``vars(args)``, ``args.__dict__``, or the keywords that the method is given: names, and what they stand for."""
    if isinstance(names, ast.Name):
        arguments = scope.node.args if isinstance(scope.node, ast.FunctionDef) else None
        taken = arguments.kwarg if arguments is not None else None
        return taken is not None and taken.arg == names.id and len(scope.definitions.get(names.id, [])) == 1
    of: ast.expr | None = None
    if isinstance(names, ast.Attribute) and names.attr == "__dict__":
        of = names.value
    elif isinstance(names, ast.Call) and isinstance(names.func, ast.Name) and names.func.id == "vars" and (
            len(names.args) == 1):
        of = names.args[0]
    return isinstance(of, (ast.Name, ast.Attribute)) and getattr(of, "attr", "") != "__class__" and not isinstance(
        project.resolve(path, None, of), ProjectClass)


def _settled(project: Project, path: str, method: ast.FunctionDef, call: ast.Call) -> frozenset[str]:
    """The names that ``__init__`` binds again, whatever comes, once it has taken over those of others."""
    own = method.args.args[0].arg if method.args.args else ""
    around = {id(call), *map(id, project.parents(path, call))}
    places = [index for index, statement in enumerate(method.body) if id(statement) in around]
    if method.name != "__init__" or not places or any(isinstance(part, ast.Return) for part in walk(method)):
        return frozenset()
    return frozenset(
        target.attr for statement in method.body[places[0] + 1 :] if isinstance(statement, ast.Assign)
        for target in statement.targets if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        and target.value.id == own)


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node
