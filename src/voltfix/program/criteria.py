"""What the callers of a function hand over to be called: losses of torch's, functions, or losses of the project's.

``validate(loader, net, criterion, accuracy)`` is read without its callers otherwise, and a criterion that nobody knows
may learn. ``functools.partial`` is what it fills in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from voltfix.program.arguments import unpacks
from voltfix.program.below import Below
from voltfix.program.bindings import Ambiguous, Binding, External, Local, ProjectClass, ProjectFunction
from voltfix.program.built import gives_module, may_have
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.internal import Internal
from voltfix.program.judging import Judging
from voltfix.program.receivers import handed_over, is_looked_at
from voltfix.program.references import Reference, References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import of_node, walk
from voltfix.records import dataclass
from voltfix.torchmodel.losses import LOSSES
from voltfix.torchmodel.tables import RETURNS_SELF, SAME_WEIGHTS

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_MODULES = {f"torch.nn.{row.module}" for row in LOSSES}
_FUNCTIONS = {f"torch.nn.functional.{row.function}" for row in LOSSES}
_SAYS = frozenset({"forward", "parameters", "train", "eval", "zero_grad"})
_MOST = 40  # places that are gone through for one parameter
_OF_PARTIAL = frozenset({"keywords", "__setstate__"})
_SEVERAL = 4  # functions and classes of the project that one parameter may be: each is read wherever it is called

Place = tuple[str, ast.expr]


@dataclass(frozen=True)
class Filled:
    """``partial(of, 2, size=3)``: what is called, and the call that gives it arguments, of the module at ``path``."""

    of: Called
    path: str
    made: ast.Call


# a loss by its full name, a function of a module of the project, a class without weights of which one is made, or what
# ``partial`` makes of one of these
Called: TypeAlias = "str | ProjectFunction | ProjectClass | Filled"


class Criteria:
    """Answers for the parameters of a project's functions, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.arg, tuple[Called, ...]] = {}
        self._called: dict[ast.AST, bool] = {}
        self._kept: dict[ast.AST, dict[str, tuple[Called, ...]]] = {}

    def of(self, path: str, function: ast.AST, name: str) -> tuple[Called, ...]:
        """The losses, made already, and the functions that a parameter can be; none where it may be anything else.

        So is the class of the project of which it is an object, where that has no weights.
        """
        parameter = next((p for p in parameters_of(function) if p.arg == name), None) if isinstance(
            function, FUNCTIONS) else None
        if parameter is None:
            return ()
        if parameter not in self._known:
            self._known[parameter] = ()  # one that is handed round to itself
            self._known[parameter] = self._all_of(path, parameter)
        return self._known[parameter]

    def kept(self, definition: ast.ClassDef) -> dict[str, tuple[Called, ...]]:
        """The attributes of an object of a class that are losses, whichever of its methods binds them."""
        if definition not in self._kept:
            cls = self._project.computed(Below).of(definition)
            self._kept[definition] = dict(self._all_kept(cls)) if cls is not None else {}
        return self._kept[definition]

    def _all_kept(self, cls: ProjectClass) -> Iterator[tuple[str, tuple[Called, ...]]]:
        """Of a class above or below, too, and of what stands beside that in the order of one below."""
        hierarchy = self._project.hierarchy
        family = {above.node: above for each in (cls, *hierarchy.subclasses(cls)) for above in self._project.mro(each)
                  if isinstance(above, ProjectClass)}
        bound: dict[str, list[Place | None]] = {}
        for each in family.values():
            for name, value in kept_in(each.node):
                bound.setdefault(name, []).append((each.path, value) if value is not None else None)
        members = {name for each in family.values() for name in self._project.names_in(each.path, each.node)}
        members |= self._bound_outside
        for name, places in bound.items():
            known = [place for place in places if place is not None]
            if None in places or name in members | self._used_otherwise or self._rebound.is_patched(name):
                continue
            found = self._among(known)
            if found and not any(isinstance(each, (ProjectFunction, Filled)) for each in found):
                yield name, found

    @cached_property
    def _used_otherwise(self) -> set[str]:
        """The attributes whose value is more than called somewhere: another name for it, something put on it."""
        return {node.attr for path in self._project.paths for node in self._project.nodes(path)
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
                and not self._is_called(path, node)}

    def _is_called(self, path: str, used: ast.expr) -> bool:
        """Is something called, or looked at, or moved: is that all that a use of it does?"""
        above = self._project.parent(path, used)
        if isinstance(above, ast.Attribute):
            call = self._project.parent(path, above)
            return above.attr in RETURNS_SELF | _SAYS and isinstance(call, ast.Call) and call.func is above
        return (isinstance(above, ast.Call) and above.func is used) or isinstance(above, (ast.Compare, ast.Expr)) or (
            isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is used)

    def _is_handed_on(self, path: str, used: ast.expr) -> bool:
        """Is it an argument of a call of a function in sight? That is asked for itself."""
        above = self._project.parent(path, used)
        call = self._project.parent(path, above) if isinstance(above, ast.keyword) else above
        return isinstance(call, ast.Call) and isinstance(
            self._project.resolve(path, None, call.func), (ProjectFunction, ProjectClass))

    @cached_property
    def _bound_outside(self) -> set[str]:
        """The attributes that functions bind which stand in no class: they may be put into one."""
        found = set()
        for path in self._project.paths:
            nodes = self._project.nodes(path)
            inside = {each for node in nodes if isinstance(node, ast.ClassDef) for each in walk(node)}
            found |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and node not in inside
                      and not isinstance(node.ctx, ast.Load)}
        return found

    def _all_of(self, path: str, parameter: ast.arg) -> tuple[Called, ...]:
        found = self._among(self._handed(path, parameter))
        if any(isinstance(each, (ProjectClass, Filled)) for each in found):
            function = self._project.scope(path, parameter)
            uses = [node for node in walk(function) if isinstance(node, ast.Name) and node.id == parameter.arg]
            return found if all(self._is_called(path, each) or self._is_handed_on(path, each) for each in uses) else ()
        return found

    def _among(self, waiting: list[Place]) -> tuple[Called, ...]:
        found: dict[Called, None] = {}
        seen: set[ast.AST] = set()
        while waiting:
            at, node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            called = list(self._called_by(at, node)) or list(self._filled_in(at, node))
            if called:
                found |= dict.fromkeys(called)
                continue
            following = self._behind(at, node)
            if following is None or len(seen) > _MOST:
                return ()
            waiting += following
        losses = sorted(each for each in found if isinstance(each, str))
        others = [each for each in found if not isinstance(each, str)]
        return (*losses, *others) if len(others) <= _SEVERAL else ()

    def _filled_in(self, path: str, node: ast.expr) -> Iterator[Filled]:
        """What ``partial`` makes of what is known; nothing where it is given what nobody can count."""
        if not isinstance(node, ast.Call) or not node.args or self._fills_later or (
                self._project.resolve(path, None, node.func) != External("functools.partial")):
            return
        if unpacks(node):
            return
        for each in self._among([(path, node.args[0])]):
            yield Filled(each, path, node)

    @cached_property
    def _fills_later(self) -> bool:
        """May somebody write to the dictionary that a ``partial`` keeps its arguments in?"""
        return any(isinstance(node, ast.Attribute) and node.attr in _OF_PARTIAL
                   for path in self._project.paths for node in self._project.nodes(path))

    def _called_by(self, path: str, node: ast.expr) -> Iterator[Called]:
        """The loss that an expression makes, or what it names if that is a function; nothing where it does neither."""
        if isinstance(node, ast.Call):
            made = self._project.resolve(path, None, node.func)
            if isinstance(made, External) and made.name in _MODULES:
                yield made.name
            elif isinstance(made, ProjectClass) and isinstance(node.func, (ast.Name, ast.Attribute)):
                judging = self._project.computed(Judging)
                if not self._may_be_another(path, node.func) and judging.is_made(path, node, made):
                    yield made
        elif isinstance(node, (ast.Name, ast.Attribute)) and not self._may_be_another(path, node):
            named = self._project.resolve(path, None, node)
            several = named.candidates if isinstance(named, Ambiguous) else (named,)
            if all(map(_is_function, several)):
                yield from (each.name if isinstance(each, External) else each for each in several
                            if isinstance(each, (External, ProjectFunction)))

    def _may_be_another(self, path: str, node: ast.Name | ast.Attribute) -> bool:
        """May others bind the name, or the attribute, to something else?"""
        if isinstance(node, ast.Name):
            return self._rebound.is_bound_elsewhere(path, node)
        return self._rebound.is_patched(node.attr)

    def _behind(self, path: str, node: ast.expr) -> list[Place] | None:
        """What an expression is, each of several where it is one of them; None where nobody here can say."""
        if isinstance(node, ast.IfExp):
            return [(path, node.body), (path, node.orelse)]
        if isinstance(node, ast.Call):
            same = isinstance(node.func, ast.Attribute) and node.func.attr in (RETURNS_SELF | SAME_WEIGHTS)
            return [(path, node.func.value)] if same and isinstance(node.func, ast.Attribute) else None
        if not isinstance(node, (ast.Name, ast.Attribute)) or self._may_be_another(path, node):
            return None
        bound = self._project.resolve(path, None, node)
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
        return handed_over(self._project, function, parameter, fitting=True) or []

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
                is_looked_at(self._project, each.path, each.node) if target is not function
                else owner is None and self._is_of_no_module(each))
               for target in targets for each in references.of(target)):
            return False
        graph = self._project.computed(CallGraph)
        return not any(built.may_be(name) and may_have(self._project, built, function) for built in graph.built_names())

    def _is_of_no_module(self, reference: Reference) -> bool:
        """Is it ``args.test`` that is read, of something that is no module? No function is kept there that none put."""
        node = reference.node
        return reference.kind == "maybe" and isinstance(node, ast.Attribute) and not (
            gives_module(self._project, reference.path, node.value))


@of_node
def kept_in(cls: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """What a class binds attributes to, of whatever object, by name; None where that is no plain assignment to self."""
    found: list[tuple[str, ast.expr | None]] = []
    plain: set[ast.AST] = set()
    for method in cls.body if isinstance(cls, ast.ClassDef) else ():
        own = receiver_name(method) if isinstance(method, ast.FunctionDef) else None
        for node in walk(method) if own else ():
            if not isinstance(node, ast.Assign) or len(node.targets) != 1:
                continue
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
                plain.add(target)
                if not _is_moved(node.value, own, target.attr):
                    found.append((target.attr, node.value))
    found += [(node.attr, None) for node in walk(cls) if isinstance(node, ast.Attribute) and node not in plain
              and not isinstance(node.ctx, ast.Load)]
    return found


def _is_moved(value: ast.expr, own: str | None, name: str) -> bool:
    """``self.loss.cuda()``: is it what stands under the name already?"""
    func = value.func if isinstance(value, ast.Call) else None
    of = func.value if isinstance(func, ast.Attribute) and func.attr in RETURNS_SELF else None
    return isinstance(of, ast.Attribute) and of.attr == name and isinstance(of.value, ast.Name) and of.value.id == own


def _is_function(binding: Binding) -> bool:
    """Is it a loss that is a function, or a plain function of a module of the project?"""
    if isinstance(binding, External):
        return binding.name in _FUNCTIONS
    return isinstance(binding, ProjectFunction) and isinstance(binding.node, ast.FunctionDef) and (
        "." not in binding.qualname and not binding.node.decorator_list)
