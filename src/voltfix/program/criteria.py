"""Which losses of torch's the callers of a function hand over, where every one of them hands over such a loss.

``validate(loader, net, criterion)`` is read without its callers otherwise, and a criterion that nobody knows may learn.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, calls_of, default_of
from voltfix.program.bindings import External, Local, ProjectClass, ProjectFunction
from voltfix.program.built import may_have
from voltfix.program.calls import CallGraph, fits
from voltfix.program.internal import Internal
from voltfix.program.receivers import is_looked_at
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.torchmodel.losses import LOSSES
from voltfix.torchmodel.tables import RETURNS_SELF, SAME_WEIGHTS

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_MODULES = {f"torch.nn.{row.module}" for row in LOSSES}
_FUNCTIONS = {f"torch.nn.functional.{row.function}" for row in LOSSES}
_MOST = 40  # places that are gone through for one parameter

Place = tuple[str, ast.expr]


class Criteria:
    """Answers for the parameters of a project's functions, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.arg, tuple[str, ...]] = {}
        self._called: dict[ast.AST, bool] = {}

    def of(self, path: str, function: ast.AST, name: str) -> tuple[str, ...]:
        """The full names of the losses that a parameter can be, made already; empty where it may be anything else."""
        parameter = next((p for p in parameters_of(function) if p.arg == name), None) if isinstance(
            function, FUNCTIONS) else None
        if parameter is None:
            return ()
        if parameter not in self._known:
            self._known[parameter] = ()  # one that is handed round to itself
            self._known[parameter] = self._all_of(path, parameter)
        return self._known[parameter]

    def _all_of(self, path: str, parameter: ast.arg) -> tuple[str, ...]:
        found: dict[str, None] = {}
        seen: set[ast.AST] = set()
        waiting = self._handed(path, parameter)
        while waiting:
            at, node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            loss = self._loss(at, node)
            if loss:
                found[loss] = None
                continue
            following = self._behind(at, node)
            if following is None or len(seen) > _MOST:
                return ()
            waiting += following
        return tuple(sorted(found))

    def _loss(self, path: str, node: ast.expr) -> str:
        """The loss that an expression makes, or that it names if it is a function; empty where it does neither."""
        made = isinstance(node, ast.Call)
        binding = self._project.resolve(path, None, node.func if isinstance(node, ast.Call) else node) if isinstance(
            node, (ast.Call, ast.Name, ast.Attribute)) else None
        name = binding.name if isinstance(binding, External) else ""
        return name if name in (_MODULES if made else _FUNCTIONS) else ""

    def _behind(self, path: str, node: ast.expr) -> list[Place] | None:
        """What an expression is, each of several where it is one of them; None where nobody here can say."""
        if isinstance(node, ast.IfExp):
            return [(path, node.body), (path, node.orelse)]
        if isinstance(node, ast.Call):
            same = isinstance(node.func, ast.Attribute) and node.func.attr in (RETURNS_SELF | SAME_WEIGHTS)
            return [(path, node.func.value)] if same and isinstance(node.func, ast.Attribute) else None
        if isinstance(node, ast.Name) and self._rebound.is_bound_elsewhere(path, node):
            return None
        if isinstance(node, ast.Attribute) and self._rebound.is_patched(node.attr):
            return None
        bound = self._project.resolve(path, None, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if not isinstance(bound, Local):
            return None
        if bound.parameter is not None:
            return self._handed(bound.path, bound.parameter) or None if not bound.values else None
        return [(bound.path, value) for value in bound.values] if bound.complete and bound.values else None

    def _handed(self, path: str, parameter: ast.arg) -> list[Place]:
        """What each caller hands over for a parameter; nothing where one does not say, or is not in sight."""
        scope = self._project.scope(path, parameter)
        function = self._project.function(path, scope) if isinstance(scope, FUNCTIONS) else None
        if function is None or not self._is_called_in_sight(function):
            return []
        found: list[Place] = []
        for at, call, filled in calls_of(self._project, function):
            if not fits(function.node, call, filled):
                continue
            if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                return []
            value, default = argument_for(call, function.node, parameter, filled), default_of(function.node, parameter)
            if value is not None:
                found.append((at, value))
            elif default is not None:
                found.append((path, default))
            else:
                return []
        return found

    def _is_called_in_sight(self, function: ProjectFunction) -> bool:
        """Is every place that names a function a call of it, or an import, and has no other code a name for it?"""
        if function.node not in self._called:
            self._called[function.node] = self._is_in_sight(function)
        return self._called[function.node]

    def _is_in_sight(self, function: ProjectFunction) -> bool:
        node, name = function.node, function.qualname.rsplit(".", 1)[-1]
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or (
                self._project.for_others and not self._project.computed(Internal).is_own(function)):
            return False
        if name.startswith("__") and name != "__init__":
            return False  # Python calls it
        owner = self._project.hierarchy.class_around(function.path, node)
        targets: list[ProjectFunction | ProjectClass] = [function]
        if owner is not None and name == "__init__":
            targets += [owner, *self._project.hierarchy.subclasses(owner)]
        references = self._project.computed(References)
        if any(each.kind not in ("call", "import", "base", "maybe-call") and not (
                target is not function and is_looked_at(self._project, each.path, each.node))
               for target in targets for each in references.of(target)):
            return False
        graph = self._project.computed(CallGraph)
        return not any(built.may_be(name) and may_have(self._project, built, function) for built in graph.built_names())
