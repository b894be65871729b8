"""Who turns a flag on that stands in for what others say: ``volatile=self.off``, ``volatile=off``.

A function runs with such a flag on and off, whoever calls it. What becomes of what it hands on shows only where a run
begins with whoever says that it is on. Followed are parameters, what is bound to names and attributes, defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from voltfix.flags.sites import find
from voltfix.model import SiteKind, Span
from voltfix.program.arguments import argument_for, calls_of, default_of, unpacks
from voltfix.program.bindings import Local
from voltfix.program.mentions import stores
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS
from voltfix.records import dataclass

Unit = tuple[str, str]  # as in ``Change.touched``
_Value = tuple[str, ast.expr, ast.AST, bool]  # the module, what is said, where, is it said as it is


@dataclass(frozen=True)
class Turned:
    """The functions in view that may turn a flag on.

    ``sure``: they say it themselves; of ``perhaps`` it is on or off by what they say (``not self.training``).
    """

    sure: tuple[Unit, ...] = ()
    perhaps: tuple[Unit, ...] = ()

    def never_on(self, lit: Collection[Unit]) -> Unit | None:
        """One of them that was not run with the flag on, and should have been; ``lit``: who was."""
        missing = next((each for each in self.sure if each not in lit), None)
        if missing is None and self.perhaps and not any(each in lit for each in (*self.sure, *self.perhaps)):
            missing = self.perhaps[0]
        return missing


class Turning:
    """Who turns flags of a project on."""

    def __init__(self, project: Project) -> None:
        self.project = project
        reads = (site for site in find(project) if site.kind is SiteKind.READ)
        self._reads = {(site.path, site.span) for site in reads}  # the flags of tensors

    def never_on(self, path: str, span: Span, runs: Iterable[tuple[Unit, Unit]]) -> Unit | None:
        """Who may turn the flag at a place on, and was not run with it on; ``runs``: who loses flags, and who was."""
        nodes = (node for node in self.project.nodes(path) if isinstance(node, (ast.keyword, ast.expr))
                 and self.project.span(path, node) == span)
        node = next(nodes, None)
        value = node.value if isinstance(node, ast.keyword) else node
        if node is None or not isinstance(value, ast.expr):
            return None
        mine = self._unit(path, node)
        return self._turned(path, value).never_on({run for loses, run in runs if loses == mine})

    def _turned(self, path: str, value: ast.expr) -> Turned:
        """Who may turn a flag on, by an argument or by what they bind."""
        found: dict[bool, dict[Unit, None]] = {True: {}, False: {}}
        seen: set[tuple[ast.AST, ast.AST, bool]] = set()
        waiting = list(self._said(path, value, plainly=True))
        while waiting:
            at, said, where, plainly = waiting.pop()
            if (said, where, plainly) in seen:
                continue
            seen.add((said, where, plainly))
            following = list(self._said(at, said, plainly))
            waiting += following
            if self._decides(at, said, plainly, bool(following)):
                found[plainly][self._unit(at, where)] = None
        return Turned(tuple(found[True]), tuple(found[False]))

    def _decides(self, path: str, said: ast.expr, plainly: bool, more: bool) -> bool:
        """May it be on by what stands there, and not by what others say (``more``: some do)?

        An attribute of something else than the object at hand may be what nobody in view has bound.
        """
        if isinstance(said, ast.Name):
            binding = self.project.resolve(path, None, said)
            return not more and not (isinstance(binding, Local) and binding.parameter is not None)
        if isinstance(said, ast.Attribute):
            return not more or not (isinstance(said.value, ast.Name) and said.value.id == "self")
        return not more and not (plainly and _is_off(said))

    def _said(self, path: str, value: ast.expr, plainly: bool) -> Iterator[_Value]:
        """What others say for the names and attributes in a value; ``plainly``: on where that is on."""
        plainly = plainly and isinstance(value, (ast.Name, ast.Attribute))
        waiting: list[ast.AST] = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, ast.Attribute):
                if (path, self.project.span(path, part)) not in self._reads:
                    yield from ((*bound, plainly) for bound in self._bound(part.attr))
                continue
            waiting += ast.iter_child_nodes(part)
            binding = self.project.resolve(path, None, part) if isinstance(part, ast.Name) else None
            if isinstance(binding, Local):
                yield from ((binding.path, each, each, plainly) for each in binding.values)
                if binding.parameter is not None:
                    yield from self._given(binding.path, binding.parameter, plainly)

    def _given(self, path: str, parameter: ast.arg, plainly: bool) -> Iterator[_Value]:
        """What callers hand over for a parameter, and what it is where they leave it out."""
        table = self.project.table(path)
        node = table.owner[parameter].node if table is not None else None
        function = self.project.function(path, node) if isinstance(node, FUNCTIONS) else None
        if function is None:
            return
        default = default_of(function.node, parameter)
        for at, call, filled in calls_of(self.project, function):
            given = argument_for(call, function.node, parameter, filled)
            if given is not None:
                yield at, given, call, plainly
            elif unpacks(call):
                yield at, call, call, False
            elif default is not None:
                yield at, default, call, plainly

    def _bound(self, name: str) -> Iterator[tuple[str, ast.expr, ast.AST]]:
        """What is bound to an attribute of that name, and where."""
        for path, kept in self.project.computed(stores).get(name, ()):
            stated = next((above for above in self.project.parents(path, kept) if isinstance(above, ast.stmt)), None)
            targets = stated.targets if isinstance(stated, ast.Assign) else (
                [stated.target] if isinstance(stated, ast.AnnAssign) else [])
            value = stated.value if isinstance(stated, (ast.Assign, ast.AnnAssign)) else None
            for target, given in (pair for each in targets if value is not None for pair in _pairs(each, value)):
                if target is kept:
                    yield path, given, given

    def _unit(self, path: str, node: ast.AST) -> Unit:
        """The function that a node stands in, the outermost, as runs have it; or the module."""
        around = [each for each in self.project.parents(path, node)
                  if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
        function = self.project.function(path, around[-1]) if around else None
        return path, function.qualname if function is not None else ""


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment binds to what, part by part where both sides have as many."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) and not any(
        isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)) else [value] * len(target.elts)
    for inner, part in zip(target.elts, parts, strict=True):
        yield from _pairs(inner, part)


def _is_off(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value
