"""Forward hooks of the project that compute with weights: a block around the network would take their graphs away.

Volatility reaches a hook through what the network is given, and not through its weights: on 0.3 a penalty that a hook
computed from ``module.weight`` had its graph, whatever came in. Grad mode reaches everything that runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Ambiguous, Binding, Local, ProjectClass, ProjectFunction
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import walk
from voltfix.program.weights import has_no_graph
from voltfix.torchmodel.layers import HOOK_TABLES
from voltfix.torchmodel.python import TELLING
from voltfix.torchmodel.tables import WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_REGISTERING = ("register_forward_hook", "register_forward_pre_hook")
_WEIGHTS = ("weight", "bias", "parameters", "named_parameters", "_parameters")
_DEEPEST = 3  # calls of functions of the project that a hook is followed through


def weight_hook(project: Project) -> tuple[str, ast.AST] | None:
    """A forward hook in view that computes with weights, with its file."""
    return next(((path, body) for path, body in forward_hooks(project) if _computes(project, path, body)), None)


def registers_hooks(project: Project) -> bool:
    """Does the project speak of forward hooks anywhere?"""
    mentions = project.computed(Mentions)
    return any(True for word in (*_REGISTERING, *HOOK_TABLES) for asked in (mentions.places, mentions.asked_for)
               for _ in asked(word))


def forward_hooks(project: Project) -> Iterator[tuple[str, ast.AST]]:
    """The functions that layers run by themselves, with their files, as far as they can be told."""
    mentions = project.computed(Mentions)
    for word in _REGISTERING:
        for _, path, node in mentions.places(word):
            call = project.parent(path, node)
            if not isinstance(call, ast.Call) or call.func is not node:
                continue
            for hook in [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "hook")]:
                yield from _bodies(project, path, hook)


def may_keep_what_passes(project: Project) -> bool:
    """May a forward hook keep what a layer is given, or makes? Then its graph is there though nobody has the result."""
    return any(_keeps_argument(project, path, body) for path, body in forward_hooks(project))


def _keeps_argument(project: Project, path: str, body: ast.AST) -> bool:
    """Does a hook do anything with what a layer is given and makes but ask it for data and sizes?"""
    given = {parameter.arg for parameter in parameters_of(body)[-2:]} if isinstance(body, FUNCTIONS) else set()
    return any(isinstance(node, ast.Name) and node.id in given and _may_keep_graph(project, path, node)
               for node in walk(body))


def _bodies(project: Project, path: str, hook: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    """The functions that may be registered, as far as they can be told; what is unknown is trusted (decision 1)."""
    if isinstance(hook, ast.Call):  # a function that makes one, an object that is one, partial(f)
        hook = hook.args[0] if last_word(hook.func) == "partial" and hook.args else hook.func
    yield from _meant(project, project.resolve(path, None, hook))


def _meant(project: Project, binding: Binding) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(binding, ProjectFunction):
        yield binding.path, binding.node
    elif isinstance(binding, ProjectClass):
        method = project.method(binding, "__call__") or project.method(binding, "forward")
        if isinstance(method, ProjectFunction):
            yield method.path, method.node
    elif isinstance(binding, Ambiguous):
        for candidate in binding.candidates:
            yield from _meant(project, candidate)
    elif isinstance(binding, Local):
        for value in binding.values:
            if isinstance(value, ast.Call):
                yield from _meant(project, project.resolve(binding.path, None, value.func))


def _computes(project: Project, path: str, body: ast.AST, depth: int = 0) -> bool:
    """Does a function compute with weights, or another that it calls?"""
    nodes = walk(body)
    weights: list[ast.Attribute | ast.Name] = [
        node for node in nodes if isinstance(node, ast.Attribute) and node.attr.startswith(_WEIGHTS)
    ]
    looped = {name.id for node in weights for name in _loop_targets(project, path, node)}
    weights += [node for node in nodes if isinstance(node, ast.Name) and node.id in looped]
    if any(isinstance(node.ctx, ast.Load) and _may_keep_graph(project, path, node) for node in weights):
        return True
    calls = [node for node in nodes if isinstance(node, ast.Call)] if depth < _DEEPEST else []
    return any(
        _computes(project, at, inner, depth + 1)
        for call in calls
        for at, inner in _meant(project, project.resolve(path, None, call.func))
        if inner is not body
    )


def _loop_targets(project: Project, path: str, node: ast.AST) -> list[ast.Name]:
    """The names that stand for one weight each, where all of them are gone through."""
    for above in project.parents(path, node):
        if isinstance(above, (ast.For, ast.comprehension)):
            return [name for name in walk(above.target) if isinstance(name, ast.Name)]
        if not isinstance(above, (ast.Call, ast.Attribute)):
            break
    return []


def _may_keep_graph(project: Project, path: str, node: ast.AST) -> bool:
    """Does a weight go into something whose graph could be kept?"""
    below = node
    for above in project.parents(path, node):
        if isinstance(above, ast.Attribute) and above.attr in WITHOUT_GRAPH:
            return False
        if has_no_graph(above) or isinstance(above, ast.FormattedValue) or (
                isinstance(above, ast.IfExp) and above.test is below):
            return False
        if isinstance(above, ast.Call) and below is not above.func and last_word(above.func) in TELLING:
            return False
        if isinstance(above, (ast.For, ast.comprehension)):
            return False  # gone through: what counts is what becomes of each
        if not isinstance(above, ast.expr):
            break
        below = above
    return True
