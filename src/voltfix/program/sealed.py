"""Networks of which nothing comes volatile that they were not given: no flag is in them, and they keep nothing.

What a network gives hangs on what it is given, and on what its text and its attributes bring in: a flag further in, a
tensor that somebody left on it, a layer that remembers what it saw last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, Local, ProjectClass, ProjectFunction
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import stores
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import walk
from voltfix.torchmodel.tables import PLAIN_ATTRIBUTES, WEIGHT_LISTS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_VARIABLE = "torch.autograd.Variable"
_WORDS = frozenset({"volatile", "setattr", "__setattr__", "__dict__", "vars", "locals", "globals", "eval", "exec"})
_PUTS = frozenset({"register_buffer", "register_parameter", "add_module"})
_OF_TORCH = ("torch.", "torchvision.")


class Sealed:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[ast.AST, bool] = {}

    def is_sealed(self, cls: ProjectClass) -> bool:
        """Does surely nothing volatile come out of a network of a class, or one below, that it was not given?"""
        if cls.node not in self._known:
            below = self._project.hierarchy.subclasses(cls)
            self._known[cls.node] = Closure(self._project).is_sealed([cls, *below])
        return self._known[cls.node]


class Closure:
    """All that some classes are made of: what they name, and what that names."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stores = project.computed(stores)
        self._seen: dict[ast.AST, str] = {}
        self._waiting: list[ProjectClass | ProjectFunction] = []

    def is_sealed(self, classes: list[ProjectClass]) -> bool:
        """Is no definition among them open?"""
        self._waiting += classes
        while self._waiting:
            found = self._waiting.pop()
            above = self._project.mro(found) if isinstance(found, ProjectClass) else [found]
            for each in above:
                if isinstance(each, (ProjectClass, ProjectFunction)) and each.node not in self._seen:
                    self._seen[each.node] = each.path
                    if not self._definition(each.path, each.node):
                        return False
        return True

    def _definition(self, path: str, node: ast.AST) -> bool:
        """Is there nothing in a definition itself? What it names is looked at later."""
        first, making = self._receivers(node)
        if isinstance(node, FUNCTIONS) and self._project.hierarchy.class_around(path, node) is None and any(
                self._is_laid_open(path, {p.arg for p in parameters_of(node)}, part) for part in walk(node)):
            return False
        return all(
            self._is_plain(path, part) and (id(part) in making or self._leaves_nothing(path, part, first))
            for part in walk(node))

    def _receivers(self, node: ast.AST) -> tuple[set[str], set[int]]:
        """The names of the objects of its methods, and the ids of what stands in an ``__init__``."""
        methods = [each for each in walk(node) if isinstance(each, FUNCTIONS)]
        first = {p.arg for method in methods for p in parameters_of(method)[:1]}
        inits = [method for method in methods if getattr(method, "name", "") == "__init__"]
        return first, {id(part) for init in inits for part in walk(init)}

    def _is_laid_open(self, path: str, names: set[str], part: ast.AST) -> bool:
        """May a helper put what it is handed into what it gives? Not where it hands it on, or compares it."""
        if not isinstance(part, ast.Name) or part.id not in names:
            return False
        above = self._project.parent(path, part)
        handed = (isinstance(above, ast.Call) and part is not above.func) or (
            isinstance(above, ast.Subscript) and part is above.slice)
        return not handed and not isinstance(above, (ast.Compare, ast.keyword, ast.If, ast.BoolOp, ast.UnaryOp))

    def _is_plain(self, path: str, part: ast.AST) -> bool:
        """Does it set no flag, and ask no name of a module that may be anything? Notes the definitions it names."""
        if isinstance(part, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
        if isinstance(part, (ast.keyword, ast.arg)):
            return part.arg not in _WORDS
        if isinstance(part, ast.Constant):
            return part.value not in _WORDS if isinstance(part.value, str) else True
        if isinstance(part, ast.Call):
            made = self._project.resolve(path, None, part.func)
            return made != External(_VARIABLE) or (len(part.args) == 1 and not isinstance(part.args[0], ast.Starred)
                                                   and all(k.arg == "requires_grad" for k in part.keywords))
        if isinstance(part, ast.Attribute) and part.attr in _WORDS:
            return part.attr == "__dict__" and isinstance(self._project.resolve(path, None, part.value), External)
        if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Load):
            return self._names(path, part)
        return True

    def _names(self, path: str, part: ast.Name | ast.Attribute) -> bool:
        found = self._project.resolve(path, None, part)
        if isinstance(found, (ProjectClass, ProjectFunction)):
            self._waiting.append(found)
        if not isinstance(part, ast.Name):
            return True
        tree = self._project.tree(path)
        if part.id in _WORDS or tree is None:
            return False
        if part.id not in self._project.names_in(path, tree) or not isinstance(found, Local):
            return True
        if found.parameter is not None or (found.values and all(
                isinstance(self._project.scope(found.path, each), FUNCTIONS) for each in found.values)):
            return True  # a function's own, of the same name
        return found.complete and all(isinstance(each, ast.Constant) for each in found.values)

    def _leaves_nothing(self, path: str, part: ast.AST, first: set[str]) -> bool:
        """Where an object is used: nothing is left on it, and what it has was made where it was made."""
        if isinstance(part, ast.Attribute):
            if not isinstance(part.ctx, ast.Load):
                return part.attr == "requires_grad"
            own = isinstance(part.value, ast.Name) and part.value.id in first
            return not own or self._is_own(part.attr) or self._is_asked(path, part)
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            return not _is_of(part.value, first)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in _PUTS or part.func.attr in WEIGHT_LISTS:
                return part.func.attr not in _PUTS
            held = list(_chain(part.func.value))
            return not _is_of(part.func.value, first) or len(held) == 1 or any(
                isinstance(each, ast.Attribute) and each.attr in PLAIN_ATTRIBUTES for each in held)
        return True

    def _is_own(self, name: str) -> bool:
        """Is an attribute bound to nothing but layers that are made there? Or by nobody, as torch's own are."""
        places = self._stores.get(name, [])
        return all(self._is_made(path, node) for path, node in places)

    def _is_made(self, path: str, stored: ast.Attribute) -> bool:
        above = self._project.parent(path, stored)
        value = above.value if isinstance(above, ast.Assign) and above.targets == [stored] else None
        if not isinstance(value, ast.Call):
            return isinstance(value, ast.Constant)
        found = self._project.resolve(path, None, value.func)
        if isinstance(found, ProjectClass):
            self._waiting.append(found)
            return True
        return isinstance(found, External) and found.name.startswith(_OF_TORCH) and found.name != _VARIABLE and not any(
            self._is_handed(path, each) for each in _held_in(value))

    def _is_handed(self, path: str, held: ast.expr) -> bool:
        """May a layer that is put into another be one that a caller hands over?"""
        return any(
            isinstance(found := self._project.resolve(path, None, part), Local) and (found.parameter is not None or any(
                self._is_handed(found.path, value) for value in found.values if part not in walk(value)))
            for part in self._names_in(path, held))

    def _names_in(self, path: str, held: ast.expr) -> Iterator[ast.Name]:
        """The names in an expression; what a helper is given, it hands on at most (``_is_laid_open``)."""
        if isinstance(held, ast.Call) and isinstance(self._project.resolve(path, None, held.func), ProjectFunction):
            return
        if isinstance(held, ast.Name):
            yield held
        for each in ast.iter_child_nodes(held):
            yield from self._names_in(path, each)  # type: ignore[arg-type]

    def _is_asked(self, path: str, part: ast.Attribute) -> bool:
        """Is an attribute asked for no more than which way to go?"""
        child: ast.AST = part
        for above in self._project.parents(path, part):
            if isinstance(above, (ast.If, ast.While, ast.IfExp)):
                return child is above.test
            if not isinstance(above, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
                return False
            child = above
        return False


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """``a.b[0].c``: that, and what it is asked of, to the name at its beginning."""
    yield node
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        yield node


def _is_of(node: ast.expr, first: set[str]) -> bool:
    """Is it an object, or a part of it?"""
    return any(isinstance(each, ast.Name) and each.id in first for each in _chain(node))


def _held_in(made: ast.Call) -> Iterator[ast.expr]:
    """What may be layers among what a layer is made of: not the numbers of ``Linear``."""
    holds = last_word(made.func) in ("Sequential", "ModuleList", "DataParallel")
    for each in made.args:
        if holds or not isinstance(each, (ast.Name, ast.BinOp)):
            yield each
