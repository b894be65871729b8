"""What the parts of ``infer`` ask it for: it asks them, and they ask it for what lies inside."""

from __future__ import annotations

import ast
from typing import Protocol

from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.kinds.values import Kind
from voltfix.program.resolve import Project


class Kinds(Protocol):
    """Kinds of the expressions of a project."""

    project: Project

    def of(self, path: str, expression: ast.expr) -> Kind:
        """What ``expression`` is."""

    def items(self, kind: Kind) -> Kind:
        """What going over it gives."""

    def reaches(self, path: str, name: ast.Name) -> frozenset[Reach]:
        """Where the name may have been bound last."""

    def callees(self, path: str, func: ast.expr) -> set[str]:
        """The names of what may be called."""
