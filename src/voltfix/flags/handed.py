"""Which calls hand over something that takes a flag itself: ``run(Variable)``, ``map(to_var, xs)``.

Who calls a parameter is asked for at every such call, and finding it looks through a whole project. What is handed over
is rare: it is found first, by the last words of what takes a flag and of all that is bound to it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from voltfix.program.bindings import VARIABLE, External, ProjectFunction
from voltfix.program.mentioned import LAMBDA, last_word
from voltfix.program.mentions import Mentions
from voltfix.program.resolve import Project

_UNTOLD = frozenset({"__call__", "forward", LAMBDA})  # no word says which names hold what is called so


class Handed:
    """The calls that may hand over torch's Variable, or what was added: a function, a class that it constructs.

    What takes a flag becomes more from question to question: only what is new is looked for.
    """

    def __init__(self, project: Project, fills: Callable[[str, ast.Call], bool]) -> None:
        self.project = project
        self._fills = fills  # makes a partial, under whatever name
        self._mentions = project.computed(Mentions)
        self.anywhere = False
        self._callees: set[str] = set()
        self._noted: set[ast.Call] = set()
        self._words_noted: set[str] = set()
        self._look_for(project.computed(_variables))

    def add(self, functions: Iterable[ProjectFunction]) -> None:
        """These take a flag, too."""
        self._look_for({word for function in functions for word in self._words(function)})

    def _look_for(self, words: set[str]) -> None:
        self.anywhere = self.anywhere or not _UNTOLD.isdisjoint(words)
        for word in () if self.anywhere else sorted(self._mentions.bound_to(*words) - self._words_noted):
            self._words_noted.add(word)
            for _, path, node in self._mentions.places(word):
                if isinstance(node, ast.expr):
                    self._note(path, node)

    def to(self, function: ProjectFunction) -> bool:
        """May a call of ``function`` be one of them?"""
        return self.anywhere or not self._callees.isdisjoint(self._mentions.bound_to(*self._words(function)))

    def _words(self, function: ProjectFunction) -> Iterator[str]:
        """By which words it is called, before anything is bound to it."""
        if isinstance(function.node, ast.Lambda):
            yield LAMBDA
            return
        yield (name := function.qualname.rsplit(".", 1)[-1])
        cls = self.project.hierarchy.class_around(function.path, function.node) if name == "__init__" else None
        for each in [cls, *self.project.hierarchy.subclasses(cls)] if cls is not None else ():
            yield each.node.name

    def _note(self, path: str, node: ast.expr) -> None:
        """The calls around a mention, as far as it stands in one of their arguments."""
        below: ast.AST = node
        for above in self.project.parents(path, node):
            if isinstance(above, ast.stmt):
                return
            if isinstance(above, ast.Call) and below is not above.func:
                if above in self._noted:
                    return  # and so were those around it
                self._noted.add(above)
                if (callee := last_word(above.func)) is not None:
                    self._callees.add(callee)
                if self._fills(path, above):
                    self.anywhere = True
            below = above


def _variables(project: Project) -> set[str]:
    """What torch's Variable and the classes below it are called."""
    return {"Variable", *(cls.node.name for cls in project.classes() if External(VARIABLE) in project.mro(cls))}
