"""Every place of a project that names a function or class of it.

Resolving every name of a project costs more than all else that is asked of names. So only those mentions are
resolved that may mean a target by their last word: its own name, and what is assigned from it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from voltfix.program.bindings import Ambiguous, Binding, External, Local, ProjectClass, ProjectFunction, Unknown
from voltfix.program.mentioned import LAMBDA
from voltfix.program.mentions import Mentions, Place
from voltfix.program.modular import is_no_module, modules_go_about

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# call: called by that name. value: handed over, stored, returned, decorated with. base: a class derives from
# it. import: an import statement brings it in. maybe, maybe-call: ``obj.name`` of an object that nobody here
# knows, or a string of that name given to getattr: it may or may not be this one.
Kind = Literal["call", "value", "base", "import", "maybe-call", "maybe"]
Key = tuple[str, str, int, int]


class Reference(NamedTuple):
    """One mention; ``node`` is the Call for calls, else the name, attribute, import statement or string."""

    path: str
    node: ast.AST
    kind: Kind

    @property
    def of_above(self) -> bool:
        """Is it what ``super()`` finds, of the class above? In one line of classes that is no other."""
        called = self.node.func if isinstance(self.node, ast.Call) else None
        above = called.value if isinstance(called, ast.Attribute) else None
        return isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "super"


class OfWord(NamedTuple):
    """What is mentioned by one word: by what it means, and as an attribute of what nobody here knows.

    ``perhaps``: by what it may mean, of a module whose name several files have, of which none is near.
    """

    sure: dict[Key, list[tuple[Place, Reference]]]
    vague: list[tuple[Place, Reference]]
    perhaps: dict[Key, list[tuple[Place, Reference]]]


class References:
    """What the mentions of a project mean."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._mentions = project.computed(Mentions)
        self._found: dict[Key, list[Reference]] = {}
        self._words: dict[str, OfWord] = {}  # many targets share a word

    def of(self, target: ProjectFunction | ProjectClass) -> list[Reference]:
        """The mentions of ``target``; for a method also those that may mean it by its name alone."""
        key = _key(target)
        if key not in self._found:
            self._found[key] = self._look(target, key)
        return list(self._found[key])

    def _look(self, target: ProjectFunction | ProjectClass, key: Key) -> list[Reference]:
        name = target.qualname.rsplit(".", 1)[-1]
        words = self._mentions.bound_to(LAMBDA if isinstance(target.node, ast.Lambda) else name)
        sure = [found for word in words for found in self._of_word(word).sure.get(key, ())]
        maybe: list[tuple[Place, Reference]] = [
            (place, Reference(path, node, "maybe")) for place, path, node in self._mentions.asked_for(name)
        ]
        if name in words:
            maybe += self._of_word(name).vague
        around = self._project.hierarchy.class_around(target.path, target.node)
        perhaps = [found for word in words for found in self._of_word(word).perhaps.get(key, ())]
        if around is None and not isinstance(target, ProjectClass):
            if target.qualname != name:
                maybe = []
            elif maybe and self._goes_by_its_name(target, words, sure):
                maybe = [found for found in maybe if not self._is_asked_of_no_module(found[1])]
        maybe += perhaps
        return [reference for found in (sure, maybe) for _, reference in sorted(found, key=lambda item: item[0])]

    def _goes_by_its_name(self, target: ProjectFunction, words: set[str], sure: list[tuple[Place, Reference]]) -> bool:
        """Does nobody put a function of a module's top level on an object? It is only called, and imported."""
        named = (place for word in words for place in self._mentions.places(word))
        return not getattr(target.node, "decorator_list", True) and all(
            each.kind in ("call", "import") for _, each in sure) and not any(  # what a class binds, its objects have
            isinstance(self._project.scope(path, node), ast.ClassDef) for _, path, node in named
        ) and not self._project.computed(modules_go_about)

    def _is_asked_of_no_module(self, reference: Reference) -> bool:
        asked = reference.node.func if isinstance(reference.node, ast.Call) else reference.node
        return isinstance(asked, ast.Attribute) and is_no_module(self._project, reference.path, asked.value)

    def _of_word(self, word: str) -> OfWord:
        if (known := self._words.get(word)) is None:
            known = self._words[word] = OfWord({}, [], {})
            for place, path, node in self._mentions.places(word):
                kind, at, binding = self._looked_up(path, node, word)
                for key in {_key(found) for found in _targets(binding)}:
                    known.sure.setdefault(key, []).append((place, Reference(path, at, kind)))
                vague: Kind = "maybe-call" if kind == "call" else "maybe"
                if isinstance(node, ast.Attribute) and isinstance(binding, (Unknown, Local)):
                    known.vague.append((place, Reference(path, at, vague)))
                elif isinstance(binding, External) and kind != "import":
                    for key in {_key(found) for found in self._of_several(path, binding)}:
                        known.perhaps.setdefault(key, []).append((place, Reference(path, at, vague)))
        return known

    def _of_several(self, path: str, binding: External) -> Iterator[ProjectFunction | ProjectClass]:
        """What a name may mean that a module brings which may be one of several files."""
        module, _, name = binding.name.rpartition(".")
        for found in self._project.several(path, module, name):
            yield from _targets(found)

    def _looked_up(self, path: str, node: ast.AST, word: str) -> tuple[Kind, ast.AST, Binding]:
        if not isinstance(node, ast.expr):
            return "import", node, self._project.resolve(path, self._project.scope(path, node), word)
        kind, at = self._use(path, node)
        return kind, at, self._project.resolve(path, None, node)

    def _use(self, path: str, node: ast.expr) -> tuple[Kind, ast.AST]:
        above = self._project.parent(path, node)
        if isinstance(above, ast.Call) and above.func is node:
            return "call", above
        if isinstance(above, ast.ClassDef) and node in above.bases:
            return "base", node
        return "value", node


def _targets(binding: Binding) -> Iterator[ProjectFunction | ProjectClass]:
    if isinstance(binding, (ProjectFunction, ProjectClass)):
        yield binding
    elif isinstance(binding, Ambiguous):
        for candidate in binding.candidates:
            yield from _targets(candidate)


def _key(target: ProjectFunction | ProjectClass) -> Key:
    return (target.path, target.qualname, target.node.lineno, target.node.col_offset)
