"""Where a function that is handed over as a value gets to: the calls that may run it, while names can be followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.sheltered import is_sheltered
from voltfix.program.walking import walk
from voltfix.torchmodel.library import THREADS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

Call = tuple[str, ast.Call]


class Followed(NamedTuple):
    """Where a value is called, and the functions that handed it back on the way: who calls them may call it."""

    calls: list[Call]
    handed_back_by: list[ProjectFunction]


def called_at(project: Project, path: str, node: ast.AST) -> Followed | None:
    """The calls that may run what ``node`` is; None where it gets out of sight.

    It is followed into parameters of functions of the project and of what makes objects of its classes, into names of
    the same function, into the attribute of such an object that keeps it, through what a thread is given for its
    function, and to the calls of a function that returns it (``made(flag)(x)``).
    """
    found = Followed([], [])
    seen: set[ast.AST] = set()
    waiting = [(path, node)]
    while waiting:
        at, use = waiting.pop()
        if use in seen:
            continue
        seen.add(use)
        above = project.parent(at, use)
        if isinstance(above, ast.keyword):
            use, above = above, project.parent(at, above)
        if isinstance(above, ast.Call) and above.func is use:
            found.calls.append((at, above))
            continue
        following = _into_parameter(project, at, use, above) if isinstance(above, ast.Call) else (
            _into_name(project, at, above) if isinstance(above, ast.Assign) else
            _into_thread(project, at, use, above) if isinstance(above, (ast.Tuple, ast.List)) else
            _to_callers(project, at, above, found) if isinstance(above, ast.Return) else
            iter(()) if _is_tested(project, at, use, above) else None)
        if following is None:
            return None
        waiting += following
    return found


def _is_tested(project: Project, path: str, use: ast.AST, above: ast.AST | None) -> bool:
    """Is it only asked for its truth, or compared? ``a or b`` gives one of the two, unless that is tested in turn."""
    while isinstance(above, ast.BoolOp):
        use, above = above, project.parent(path, above)
    return isinstance(above, (ast.Compare, ast.UnaryOp)) or (
        isinstance(above, (ast.If, ast.While, ast.Assert, ast.IfExp)) and above.test is use)


def _into_parameter(project: Project, path: str, use: ast.AST, call: ast.Call) -> list[tuple[str, ast.AST]] | None:
    called = project.resolve(path, None, call.func)
    made = project.method(called, "__init__") if isinstance(called, ProjectClass) else None
    function = made if isinstance(made, ProjectFunction) else called
    if not isinstance(function, ProjectFunction) or any(isinstance(a, ast.Starred) for a in call.args) or (
            isinstance(called, ProjectClass) and not _is_plain(project, called)):
        return None
    if isinstance(use, ast.keyword):
        arguments = function.node.args
        names = [p for p in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if p.arg == use.arg]
        return _of_parameter(project, function, names[0].arg) if names else None
    index = next((n for n, a in enumerate(call.args) if a is use), None)
    return None if index is None else _of_place(project, function, index, made is not None or function.bound)


def _is_plain(project: Project, cls: ProjectClass) -> bool:
    """Is all that a call of a class is handed for its ``__init__`` alone?"""
    above = [each for each in project.mro(cls) if isinstance(each, ProjectClass)]
    return project.method(cls, "__new__") is None and not any(
        each.node.decorator_list or each.node.keywords for each in above)


def _of_place(project: Project, function: ProjectFunction, index: int, bound: bool) -> list[tuple[str, ast.AST]] | None:
    """The reads of what is handed over at a place; ``bound``: the first parameter is filled by then."""
    names = [*function.node.args.posonlyargs, *function.node.args.args][index + bound :]
    return _of_parameter(project, function, names[0].arg) if names else None


def _of_parameter(project: Project, function: ProjectFunction, name: str) -> list[tuple[str, ast.AST]] | None:
    if getattr(function.node, "decorator_list", None):
        return None
    return _uses(project, function.path, function.node, name)


def _into_name(project: Project, path: str, statement: ast.Assign) -> list[tuple[str, ast.AST]] | None:
    target = statement.targets[0]
    scope = project.scope(path, statement)
    if len(statement.targets) == 1 and isinstance(target, ast.Attribute):
        return _into_attribute(project, path, target)
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or not isinstance(scope, FUNCTIONS):
        return None
    return _uses(project, path, scope, target.id)


def _into_attribute(project: Project, path: str, kept: ast.Attribute) -> list[tuple[str, ast.AST]] | None:
    """The reads of an attribute of an object that nobody is handed: those of its own methods, and of who made it."""
    table = project.table(path)
    scope = table.owner.get(kept.value) if table is not None else None
    own = kept.value.id if isinstance(kept.value, ast.Name) else ""
    cls = project.hierarchy.receiver(path, scope, own) if scope is not None and own else None
    if cls is None or not is_sheltered(project, cls):
        return None
    related = [each.node for each in project.hierarchy.family(cls)]
    asked = [(at, node, project.instance(at, node.value))
             for at, node in project.computed(Mentions).of({kept.attr}, attributes=True)
             if isinstance(node, ast.Attribute)]
    return [(at, node) for at, node, of in asked if of is not None and of.node in related]


def _into_thread(project: Project, path: str, use: ast.AST, given: ast.Tuple | ast.List,
                 ) -> list[tuple[str, ast.AST]] | None:
    """``Thread(target=f, args=(use,))``: a parameter of the function that a thread, or a process, is made to run."""
    above = project.parent(path, given)
    call = project.parent(path, above) if isinstance(above, ast.keyword) else above
    called = project.resolve(path, None, call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(called, External) or called.name not in THREADS:
        return None
    word, at, rest = THREADS[called.name]
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if any(isinstance(each, ast.Starred) for each in (*call.args, *given.elts)) or None in named or (
            given not in (named.get("args"), *call.args[rest : rest + 1])):
        return None
    target = call.args[at] if len(call.args) > at else named.get(word)
    function = project.resolve(path, None, target) if target is not None else None
    index = next((n for n, each in enumerate(given.elts) if each is use), None)
    if not isinstance(function, ProjectFunction) or index is None:
        return None
    return _of_place(project, function, index, function.bound)


def _to_callers(project: Project, path: str, back: ast.Return, found: Followed) -> list[tuple[str, ast.AST]] | None:
    """The calls of the function that a ``return`` stands in: each is what is handed back."""
    function = project.function(path, project.scope(path, back))
    if function is None or not isinstance(function.node, ast.FunctionDef) or function.node.decorator_list or (
            any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(function.node))):
        return None
    found.handed_back_by.append(function)
    references = [each for each in project.computed(References).of(function) if each.kind != "import"]
    if any(each.kind != "call" for each in references):
        return None
    return [(each.path, each.node) for each in references]


def _uses(project: Project, path: str, scope: ast.AST, name: str) -> list[tuple[str, ast.AST]] | None:
    """The reads of a name of a function that is bound once; None where it is bound again."""
    if len(project.definitions(path, scope, name)) != 1:
        return None
    return [(path, node) for node in _reads(scope, name)]


def _reads(scope: ast.AST, name: str) -> Iterator[ast.AST]:
    for node in walk(scope):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield node
