"""Parameters that only carried volatility: which of them can go, with every argument that feeds them.

Methods that override each other lose theirs together, or not at all: one call may be of any of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from functools import cached_property

from voltfix.flags.propagation import Passing
from voltfix.model import Options, file_of
from voltfix.program.arguments import calls_of, unpacks
from voltfix.program.below import only_raises
from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.program.built import may_have
from voltfix.program.calls import BuiltName, CallGraph, fits
from voltfix.program.flow import called_at
from voltfix.program.internal import Internal
from voltfix.program.overriding import relatives
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.scopes import Function, parameters_of
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.torchmodel.python import SHOWS_LOCALS


@dataclass(frozen=True, eq=False)
class Carrier:
    """A parameter that is handed on as a volatile flag."""

    path: str
    function: ProjectFunction
    parameter: ast.arg


@dataclass(frozen=True)
class Feed:
    """An argument of a call that feeds a carrier."""

    path: str
    call: ast.Call
    argument: ast.AST  # the keyword, or the positional expression


def carriers(project: Project, passing: Passing) -> list[Carrier]:
    """All parameters that carry a volatile flag."""
    out = []
    for function in project.functions():
        flags = passing.flags_of(function.node)
        for parameter in [*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs]:
            if parameter.arg in flags.keywords:
                out.append(Carrier(function.path, function, parameter))
    return out


class Signatures:
    """Decides which carriers go. ``dropped``: the arguments (by node id) that fall with the flags themselves."""

    def __init__(self, project: Project, passing: Passing, options: Options) -> None:
        self.project = project
        self.options = options
        self.carriers = carriers(project, passing)
        self.stubs = set[int]()  # methods, by node id, that are overridden by one with a flag in it
        self.feeds = {id(c.parameter): self.feeds_of(c) for c in self.carriers}

    def feeds_of(self, carrier: Carrier) -> list[Feed] | None:
        """The arguments that feed a carrier, over all calls; None where not all callers are known."""
        node = carrier.function.node
        if isinstance(node, ast.Lambda):
            return None
        kinds = {r.kind for r in self.project.computed(References).of(carrier.function)}
        if kinds - {"call", "import", "maybe-call"}:
            return None
        feeds, known = [], 0
        for path, call, filled in calls_of(self.project, carrier.function):
            if not node.decorator_list and not any(fits(node, call, given) for given in (0, 1)):
                continue  # it is of another function of that name: this one would raise
            if unpacks(call):
                return None
            argument = argument_for(node, carrier.parameter, call, filled)
            inside = any(above is node for above in self.project.parents(path, call))
            known += not inside
            if argument is not None:
                feeds.append(Feed(path, call, argument))
        if (not known and id(node) not in self.stubs) or self._is_filled_by_name(carrier):
            return None
        return feeds

    def _is_filled_by_name(self, carrier: Carrier) -> bool:
        """Does a call hand something over for it that finds its function by a name that is put together?"""
        function, name = carrier.function, carrier.function.qualname.rsplit(".", 1)[-1]
        filled = int(self.project.hierarchy.class_around(carrier.path, function.node) is not None)
        return any(
            argument_for(function.node, carrier.parameter, call, filled) is not None
            for built in self.project.computed(CallGraph).built_names()
            if built.may_be(name) and may_have(self.project, built, function)
            for call in self._calls_by(built))

    def _calls_by(self, built: BuiltName) -> list[ast.Call]:
        above = self.project.parent(built.path, built.node)
        if isinstance(above, ast.Call) and above.func is built.node:
            return [above]
        followed = called_at(self.project, built.path, built.node)
        return [call for _, call in followed.calls] if followed is not None else []

    @cached_property
    def families(self) -> dict[int, list[Carrier] | None]:
        """By parameter, by node id, those that go with it: of the methods that override each other.

        None where not all are in sight. A parameter of that name which nothing asks is one of them.
        """
        found: dict[int, list[Carrier] | None] = {}
        for carrier in self.carriers:
            if id(carrier.parameter) not in found:
                family = self._family(carrier)
                found.update((id(each.parameter), family) for each in family or [carrier])
        return found

    def _family(self, carrier: Carrier) -> list[Carrier] | None:
        others = relatives(self.project, carrier.function)
        if others is None:
            return None
        known = {id(each.parameter): each for each in self.carriers}
        family = [carrier]
        for other in others:
            parameter = next((each for each in parameters_of(other.node) if each.arg == carrier.parameter.arg), None)
            if parameter is not None:
                family.append(known.get(id(parameter)) or Carrier(other.path, other, parameter))
        if others and not (self._are_all_asked(family) and self._are_fed_alike(family, others)):
            return None
        return family

    def _are_all_asked(self, family: list[Carrier]) -> bool:
        """Are all calls of each in sight? Of one that has no flag in it, none is as well."""
        flagged = {id(each.parameter) for each in self.carriers}
        for each in family:
            if id(each.parameter) not in flagged:
                self.stubs.add(id(each.function.node))
                self.feeds[id(each.parameter)] = self.feeds_of(each)
        return all(self.feeds[id(each.parameter)] is not None for each in family) and not any(
            isinstance(node, ast.Name) and node.id in SHOWS_LOCALS
            for each in family for node in walk(each.function.node))

    def _are_fed_alike(self, family: list[Carrier], others: tuple[ProjectFunction, ...]) -> bool:
        """Does an argument that is for one of them mean the same to each method that may be called there?"""
        mine = {id(each.function.node): each.parameter for each in family}
        methods = [family[0].function, *others]
        for method in methods:
            for _, call, filled in calls_of(self.project, method):
                taken = [argument_for(each.node, mine[id(each.node)], call, filled) if id(each.node) in mine else None
                         for each in methods if any(fits(each.node, call, given) for given in (0, 1))
                         and not (id(each.node) not in mine and raises(each.node))]
                if any(each is not taken[0] for each in taken[1:]):
                    return False
        return True

    def whole(self, chosen: list[Carrier]) -> list[Carrier]:
        """Those of ``chosen`` that override none, or only such as are chosen, too."""
        parameters = {id(each.parameter) for each in chosen}
        return [each for each in chosen if all(
            id(other.parameter) in parameters for other in self.families.get(id(each.parameter)) or [each])]

    def droppable(
        self, dropped: set[int], header_names: dict[int, set[str]], may: Callable[[Carrier], bool] = lambda _: True
    ) -> list[Carrier]:
        """The largest set of carriers that can go together.

        ``dropped``: node ids of arguments that go anyway (``volatile=p``); ``header_names``: per function node id, the
        names that the headers of its blocks use; ``may``: can all that feeds a carrier go?
        """
        if self.options.keep_signatures:
            return []
        everyone = {id(c.parameter): c for one in self.carriers for c in self.families[id(one.parameter)] or ()}
        chosen = [c for c in everyone.values() if self.is_in_sight(c) and may(c)]
        while True:
            gone = dropped | {id(f.argument) for c in chosen for f in self.feeds[id(c.parameter)] or ()}
            parameters = {id(c.parameter) for c in chosen}
            still = [c for c in self.whole(chosen) if self.unused_but_for(c, gone, header_names) and all(
                self.fed_by(feed) <= parameters for feed in self.feeds[id(c.parameter)] or ())]
            if len(still) == len(chosen):
                return chosen
            chosen = still

    def fed_by(self, feed: Feed) -> set[int]:
        """What an argument may be for, parameters by node id: the call may be of one of several functions."""
        found = set[int]()
        for node, filled in self.called.get(id(feed.call), ()):
            taken = [id(each) for each in parameters_of(node)
                     if argument_for(node, each, feed.call, filled) is feed.argument]
            found.update(taken or ([] if raises(node) else [id(node)]))
        return found

    @cached_property
    def called(self) -> dict[int, list[tuple[Function, int]]]:
        """By call, by node id, the functions named like a carrier that it may be of, and how much they have then."""
        return self.called_by({carrier.function.qualname.rsplit(".", 1)[-1] for carrier in self.carriers})

    def called_by(self, names: Set[str]) -> dict[int, list[tuple[Function, int]]]:
        """By call, by node id, the functions of those names that it may be of, and how much they have then."""
        found: dict[int, list[tuple[Function, int]]] = {}
        for function in self.project.functions():
            node = function.node
            for _, call, filled in calls_of(self.project, function) if (
                    function.qualname.rsplit(".", 1)[-1] in names) else ():
                if not isinstance(node, ast.Lambda) and (
                        node.decorator_list or any(fits(node, call, given) for given in (0, 1))):
                    found.setdefault(id(call), []).append((node, filled))
        return found

    def may_go(self, carrier: Carrier) -> bool:
        """Are all callers known, editable, and not the public's? And does it override none?"""
        return not self.overrides(carrier) and self.is_in_sight(carrier)

    def is_in_sight(self, carrier: Carrier) -> bool:
        """Are all callers known, editable, and not the public's?"""
        feeds = self.feeds[id(carrier.parameter)]
        if feeds is None:
            return False
        if self.is_for_others(carrier.function):
            return False
        paths = {file_of(carrier.path), *(file_of(feed.path) for feed in feeds)}
        return self.options.editable is None or paths <= self.options.editable

    def is_for_others(self, function: ProjectFunction) -> bool:
        """May others who install the package call the function?"""
        return self.options.installable and not self.options.break_api and is_public(
            function.qualname) and not self.project.computed(Internal).is_own(function)

    def overrides(self, carrier: Carrier) -> bool:
        """Is there a method of the same name in a class above or below?"""
        cls = self.project.hierarchy.class_around(carrier.path, carrier.function.node)
        if cls is None:
            return False
        name = carrier.function.qualname.rsplit(".", 1)[-1]
        family = [c for c in [*self.project.mro(cls), *self.project.hierarchy.subclasses(cls)]
                  if isinstance(c, ProjectClass) and c.node is not cls.node]
        return name != "__init__" and any(self.project.definitions(c.path, c.node, name) for c in family)

    def unused_but_for(self, carrier: Carrier, gone: set[int], header_names: dict[int, set[str]]) -> bool:
        """Is every use of the parameter inside an argument that goes?"""
        node: Function = carrier.function.node
        name = carrier.parameter.arg
        if name in header_names.get(id(node), set()):
            return False
        for use in walk(node):
            if isinstance(use, ast.Name) and use.id == name and not self.inside(carrier.path, use, gone):
                return False
        return True

    def inside(self, path: str, node: ast.AST, gone: set[int]) -> bool:
        """Does the node stand in something that goes?"""
        return id(node) in gone or any(id(above) in gone for above in self.project.parents(path, node))


def argument_for(function: Function, parameter: ast.arg, call: ast.Call, filled: int) -> ast.AST | None:
    """The argument of ``call`` for ``parameter``; ``filled`` leading parameters have theirs already (self)."""
    for keyword in call.keywords:
        if keyword.arg == parameter.arg:
            return keyword
    positional = [*function.args.posonlyargs, *function.args.args]
    if parameter in positional:
        index = positional.index(parameter) - filled
        if 0 <= index < len(call.args):
            return call.args[index]
    return None


def raises(function: Function) -> bool:
    """Does it raise, whatever it is handed?"""
    return isinstance(function, ast.FunctionDef) and only_raises(function)


def is_public(qualname: str) -> bool:
    """Can callers outside the project reach it by a public name?"""
    return not any(part.startswith("_") and not part.startswith("__") for part in qualname.split("."))
