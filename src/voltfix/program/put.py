"""Under which names that are put together something may be put on an object: ``setattr(net, 'layer%d' % n, block)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, bound_names, names_of_functions
from voltfix.program.spelled import ends_of, gone_through

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_SETS = frozenset({"setattr", "__setattr__"})
_RUNS = frozenset({"exec", "execfile"})
_ANSWERS_FOR_ANY = frozenset({"__getattr__", "__getattribute__"})
_PUTS = _SETS | _RUNS | {"add_module", "register_module"}


class Put:
    """How such names start and end, all over a project, as far as that is written out."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._texts: set[str] = set()
        self._ends: set[tuple[str, str]] = set()
        for path in project.paths:
            for node in project.nodes(path):
                for name in _names_put(node):
                    self._note(path, name)

    def may_be(self, name: str) -> bool:
        """Could one of them be this name?"""
        return name in self._texts or any(name.startswith(start) and name.endswith(end) for start, end in self._ends)

    def _note(self, path: str, name: ast.expr | None) -> None:
        texts = gone_through(self.project, path, name) if name is not None else frozenset[str]()
        if texts:
            self._texts |= texts
        elif not isinstance(name, ast.Constant):  # a constant is a mention
            self._ends.add(ends_of(name) if name is not None else ("", ""))


def may_be_kept(project: Project, name: str) -> bool:
    """May something of the project's be kept under the name of an attribute, in whatever way but by a ``def``?"""
    return name in project.computed(bound_names) or project.computed(Mentions).is_written(name) or (
        project.computed(Put).may_be(name))


def are_of_others(project: Project, names: Iterable[str]) -> frozenset[str]:
    """Those of the names of methods that nothing of the project's has: what is asked for them is code of others."""
    functions = project.computed(names_of_functions)
    if not functions.isdisjoint(_ANSWERS_FOR_ANY):
        return frozenset()
    return frozenset(name for name in names if name not in functions and not may_be_kept(project, name))


def _names_put(node: ast.AST) -> Iterator[ast.expr | None]:
    """The names under which a call puts something on an object; None: any name."""
    word = last_word(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or word not in _PUTS:
        return
    at = int(word in _SETS and (isinstance(node.func, ast.Name) or len(node.args) > 2))
    unread = word in _RUNS or len(node.args) <= at or any(isinstance(each, ast.Starred) for each in node.args)
    yield None if unread else node.args[at]
