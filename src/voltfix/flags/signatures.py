"""Parameters that only carried volatility: which of them can go, with every argument that feeds them."""

from __future__ import annotations

import ast
from collections.abc import Set
from functools import cached_property

from voltfix.flags.propagation import Passing
from voltfix.model import Options, file_of
from voltfix.program.arguments import calls_of, unpacks
from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.program.calls import fits
from voltfix.program.internal import Internal
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.scopes import Function, parameters_of
from voltfix.program.walking import walk
from voltfix.records import dataclass


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
        return feeds if known else None

    def droppable(self, dropped: set[int], header_names: dict[int, set[str]]) -> list[Carrier]:
        """The largest set of carriers that can go together.

        ``dropped``: node ids of arguments that go anyway (``volatile=p``); ``header_names``: per function node id, the
        names that the headers of its blocks use.
        """
        if self.options.keep_signatures:
            return []
        chosen = [c for c in self.carriers if self.may_go(c)]
        while True:
            gone = dropped | {id(f.argument) for c in chosen for f in self.feeds[id(c.parameter)] or ()}
            parameters = {id(c.parameter) for c in chosen}
            still = [c for c in chosen if self.unused_but_for(c, gone, header_names) and all(
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
            found.update(taken or [id(node)])
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
        """Are all callers known, editable, and not the public's?"""
        feeds = self.feeds[id(carrier.parameter)]
        if feeds is None or self.overrides(carrier):
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


def is_public(qualname: str) -> bool:
    """Can callers outside the project reach it by a public name?"""
    return not any(part.startswith("_") and not part.startswith("__") for part in qualname.split("."))
