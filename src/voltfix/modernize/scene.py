"""What rules look at: the project's names and trees, and shorthands for the places in a module's text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from voltfix.model import Module, Options, ReplaceExpression, Span
from voltfix.modernize.kinds import Kind, Kinds
from voltfix.program.bindings import Ambiguous, Binding, External
from voltfix.program.resolve import Project

LATEST = (2, 13)


class Scene:
    """A project under the eyes of the rules. ``target`` is the oldest torch that the result has to run on."""

    def __init__(self, modules: Sequence[Module], options: Options) -> None:
        self.project = Project(modules)
        self.target = options.torch_version or LATEST

    def nodes(self, path: str) -> list[ast.AST]:
        """All nodes of a module; none where it does not parse."""
        return self.project.nodes(path)

    def calls(self, path: str) -> Iterator[ast.Call]:
        """All calls of a module."""
        table = self.project.table(path)
        return iter(table.calls if table is not None else ())

    def span(self, path: str, node: ast.AST) -> Span:
        """What ``node`` covers."""
        return self.project.span(path, node)

    def text(self, path: str, node: ast.AST) -> str:
        """The source of ``node`` as it is written."""
        span = self.span(path, node)
        return self.project.modules[path].text[span.start : span.end]

    def source(self, path: str) -> str:
        """The text of a module."""
        return self.project.modules[path].text

    def outside(self, path: str, expression: ast.expr) -> str | None:
        """The dotted name that ``expression`` has outside the project; None if it is, or may be, anything
        else."""
        binding = self.project.resolve(path, None, expression)
        return binding.name if isinstance(binding, External) else None

    def may_be(self, path: str, expression: ast.expr) -> tuple[Binding, ...]:
        """Everything that ``expression`` may stand for."""
        binding = self.project.resolve(path, None, expression)
        return binding.candidates if isinstance(binding, Ambiguous) else (binding,)

    @cached_property
    def torch_paths(self) -> frozenset[str]:
        """The modules that import torch."""
        return frozenset(path for path in self.project.paths if _imports_torch(self.nodes(path)))

    @cached_property
    def kinds(self) -> Kinds:
        """What values are."""
        return Kinds(self.project, self.torch_paths)

    def kind(self, path: str, expression: ast.expr) -> Kind:
        """The kind of value that ``expression`` has."""
        return self.kinds.of(path, expression)

    def rewritten(self, path: str, node: ast.expr, parts: Sequence[tuple[Span, str]]) -> ReplaceExpression:
        """The edit that exchanges ``parts`` (ranges inside ``node``) and leaves the rest of it as it is."""
        span, text = self.span(path, node), self.source(path)
        at, pieces = span.start, []
        for part, new in sorted(parts, key=lambda item: (item[0].start, item[0].end)):
            pieces += [text[at : part.start], new]
            at = part.end
        return ReplaceExpression(span, "".join([*pieces, text[at : span.end]]))


def _imports_torch(nodes: Sequence[ast.AST]) -> bool:
    for node in nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if any(name.split(".")[0] == "torch" for name in names):
            return True
    return False
