"""What the callers of a function hand over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.program.bindings import Ambiguous, Binding, ProjectClass, ProjectFunction
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS, Function, parameters_of


def is_static(node: Function) -> bool:
    """Is it a staticmethod, whose first parameter is no receiver?"""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in decorators)


def accepts(node: Function, call: ast.Call, filled: int) -> bool:
    """Could a function, ``filled`` parameters of it filled already, be what ``call`` calls?"""
    arguments = node.args
    names = {parameter.arg for parameter in parameters_of(node)}
    if arguments.kwarg is None and any(k.arg is not None and k.arg not in names for k in call.keywords):
        return False
    if arguments.vararg is not None or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    room = len(arguments.posonlyargs) + len(arguments.args) - filled
    return len(call.args) <= room


def unpacks(call: ast.Call) -> bool:
    """Does a call hand over more than it says, with a star or two?"""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def calls_of(project: Project, function: ProjectFunction) -> Iterator[tuple[str, ast.Call, int]]:
    """The calls of ``function``, or of its class: path, call, how many parameters are filled already."""
    cls = project.hierarchy.class_around(function.path, function.node)
    for reference in project.computed(References).of(function):
        if isinstance(reference.node, ast.Call):
            binding = project.resolve(reference.path, None, reference.node.func)
            bound = _bound(binding, function) or (reference.kind == "maybe-call" and cls is not None)
            yield reference.path, reference.node, int(bound)
    if cls is not None and function.qualname.endswith(".__init__"):
        for owner in [cls, *project.hierarchy.subclasses(cls)]:
            yield from _constructions(project, owner, function)


def _constructions(
    project: Project, cls: ProjectClass, initializer: ProjectFunction
) -> Iterator[tuple[str, ast.Call, int]]:
    found = project.method(cls, "__init__")
    if not isinstance(found, ProjectFunction) or found.node is not initializer.node:
        return
    for reference in project.computed(References).of(cls):
        if isinstance(reference.node, ast.Call):
            yield reference.path, reference.node, 1


def _bound(binding: Binding, function: ProjectFunction) -> bool:
    if isinstance(binding, ProjectFunction):
        return binding.bound and binding.node is function.node
    return isinstance(binding, Ambiguous) and any(_bound(c, function) for c in binding.candidates)


def argument_for(call: ast.Call, function: Function, parameter: ast.arg, filled: int) -> ast.expr | None:
    """What ``call`` hands over for ``parameter``; None where it is left out or cannot be told."""
    for keyword in call.keywords:
        if keyword.arg == parameter.arg:
            return keyword.value
    positional = [*function.args.posonlyargs, *function.args.args]
    if parameter not in positional:
        return None
    position = positional.index(parameter) - filled
    given = call.args[: position + 1]
    if position < 0 or len(given) <= position or any(isinstance(a, ast.Starred) for a in given):
        return None
    return given[position]


def default_of(function: Function, parameter: ast.arg) -> ast.expr | None:
    """The default of ``parameter``."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if parameter in positional:
        place = positional.index(parameter) - (len(positional) - len(arguments.defaults))
        return arguments.defaults[place] if place >= 0 else None
    if parameter in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(parameter)]
    return None


def arguments_for(project: Project, path: str, parameter: ast.arg) -> Iterator[tuple[str, ast.expr]]:
    """Every expression that a caller hands over for ``parameter``, and its default; each with its path."""
    table = project.table(path)
    node = table.owner[parameter].node if table is not None else None
    function = project.function(path, node) if isinstance(node, FUNCTIONS) else None
    if function is None:
        return
    for at, call, filled in calls_of(project, function):
        value = argument_for(call, function.node, parameter, filled)
        if value is not None:
            yield at, value
    default = default_of(function.node, parameter)
    if default is not None:
        yield path, default
