"""What candidates are made from: the syntax of a project's modules, asked for as it is needed.

Nothing here proves anything: names are followed by their last word. What comes of it is tried, not believed.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from voltfix.model import Module, Span
from voltfix.program.positions import Offsets
from voltfix.program.resolve import Project as Program
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.outside import Outside
from voltfix.search.turning import Turning
from voltfix.solver.case import torch_alias

if TYPE_CHECKING:
    from voltfix.pipeline.loading import Project
    from voltfix.pipeline.surroundings import Surroundings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
_OF_TENSORS = frozenset({"data", "grad", "requires_grad", "volatile"})  # who writes to them writes to the tensor
_EVERYTHING = 1 << 40  # characters
_SUITES = ("body", "orelse", "finalbody", "handlers")


@dataclass(frozen=True)
class Found:
    """A function of the project."""

    scene: Scene
    node: ast.FunctionDef | ast.AsyncFunctionDef
    name: str  # qualified, without ``<locals>``


class Scene:
    """One module: its tree, where things stand in it, what is around what."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.tree = ast.parse(module.text)
        self.offsets = Offsets(module.text)
        self.torch = torch_alias(self.tree)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.functions: list[Found] = []
        self._note(self.tree, "")

    def _note(self, node: ast.AST, prefix: str) -> None:
        waiting: list[tuple[ast.AST, str]] = [(node, prefix)]
        while waiting:
            above, inside = waiting.pop()
            for child in ast.iter_child_nodes(above):
                self.parents[child] = above
                if isinstance(child, FUNCTIONS):
                    self.functions.append(Found(self, child, inside + child.name))
                named = isinstance(child, (*FUNCTIONS, ast.ClassDef))
                waiting.append((child, f"{inside}{getattr(child, 'name', '')}." if named else inside))

    @cached_property
    def makers(self) -> frozenset[str]:
        """The names that are torch's Variable here: imported as such, and bound to nothing else."""
        taken = [each.name for each in ast.walk(self.tree) if isinstance(each, (*FUNCTIONS, ast.ClassDef))]
        taken += [each.id for each in ast.walk(self.tree) if isinstance(each, ast.Name)
                  and not isinstance(each.ctx, ast.Load)]
        taken += [each.arg for each in ast.walk(self.tree) if isinstance(each, ast.arg)]
        made = [(each.asname or each.name, alias.module == "torch.autograd" and each.name == "Variable")
                for alias in ast.walk(self.tree) if isinstance(alias, ast.ImportFrom) for each in alias.names]
        others = {name for name, torchs in made if not torchs}
        return frozenset(name for name, torchs in made if torchs) - others - {*taken}

    def span(self, node: ast.AST) -> Span:
        """Where a node lies."""
        return self.offsets.span(node)

    def at(self, span: Span) -> ast.expr | None:
        """The expression that covers a span exactly."""
        for node in walk(self.tree):
            if isinstance(node, ast.expr) and hasattr(node, "lineno") and self.span(node) == span:
                return node
        return None

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node, from the inside out."""
        while (found := self.parents.get(node)) is not None:
            yield found
            node = found

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds a node, or is it."""
        return next(each for each in (node, *self.above(node)) if isinstance(each, ast.stmt))

    def scope(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Module:
        """The function whose body a node stands in, or the module."""
        for each in self.above(node):
            if isinstance(each, (*FUNCTIONS, ast.Module)):
                return each
        return self.tree

    def qualified(self, scope: ast.AST) -> str:
        """The name of a function as reports and the verifier have it; "" for the module."""
        return next((found.name for found in self.functions if found.node is scope), "")

    def line(self, node: ast.AST) -> int:
        """The line that a reader finds a node on."""
        return self.module.origin(getattr(node, "lineno", 1))[1]


class Scenes:
    """All modules of a project."""

    def __init__(self, project: Project, around: Surroundings) -> None:
        self.project, self._around = project, around
        self._scenes: dict[str, Scene] = {}
        self._imported: dict[str, frozenset[str]] = {}
        self._together: dict[str, frozenset[str]] = {}
        self._trains: dict[ast.AST, bool] = {}

    @cached_property
    def outside(self) -> Outside:
        """Where functions of the project are handed to."""
        return Outside(self.program)

    @cached_property
    def turning(self) -> Turning:
        """Who turns flags on."""
        return Turning(self.program)

    @cached_property
    def program(self) -> Program:
        """What the names of the project mean."""
        return Program(self.project.modules)

    def of(self, path: str) -> Scene:
        """The scene of a module."""
        if path not in self._scenes:
            self._scenes[path] = Scene(self.project.module(path))
        return self._scenes[path]

    def imported(self, path: str) -> frozenset[str]:
        """A module and what it imports, directly or not."""
        if path not in self._imported:
            self._imported[path] = frozenset(self._around.of([path], _EVERYTHING))
        return self._imported[path]

    def together(self, path: str) -> frozenset[str]:
        """The modules of the programs that a module is part of: one hands another's objects to a third."""
        if path not in self._together:
            importing = self._around.importers([path], _EVERYTHING)
            self._together[path] = frozenset(self._around.of([path, *importing], _EVERYTHING))
        return self._together[path]

    def mentioning(self, names: frozenset[str], path: str) -> Iterator[Scene]:
        """The modules whose text holds one of the names, of those that run with the module at ``path``."""
        for module in self.project.modules:
            if any(name in module.text for name in names) and module.path in self.together(path):
                with contextlib.suppress(SyntaxError, ValueError, RecursionError):
                    yield self.of(module.path)

    def named(self, name: str, path: str) -> list[Found]:
        """The functions and methods of that last name that a module may call; of a class its ``__init__``."""
        found = []
        for scene in self.mentioning(frozenset({name}), path):
            for each in scene.functions if scene.module.path in self.imported(path) else ():
                *owner, last = each.name.split(".")
                if last == name or (owner and owner[-1] == name and last in ("__init__", "__call__", "forward")):
                    found.append(each)
        return found

    def trains(self, scene: Scene, node: ast.AST, depth: int = 4) -> bool:
        """May running it send gradients backward, in it or in functions of the project that it names?"""
        if node not in self._trains:
            self._trains[node] = False  # while it is being found out: a cycle adds nothing
            self._trains[node] = _sends(node) or (depth > 0 and any(
                self.trains(found.scene, found.node, depth - 1)
                for name in called(node) for found in self.named(name, scene.module.path)
                if found.node is not node))
        return self._trains[node]


def _sends(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in walk(node))


def called(node: ast.AST) -> frozenset[str]:
    """The last words of what is called in a node."""
    return frozenset(
        each.func.id if isinstance(each.func, ast.Name) else each.func.attr
        for each in walk(node)
        if isinstance(each, ast.Call) and isinstance(each.func, (ast.Name, ast.Attribute)))


def read(node: ast.AST) -> frozenset[str]:
    """The names, and ``self.x`` as such, that a node reads."""
    return frozenset(filter(None, (word_of(each) for each in walk(node) if _loads(each))))


def stored(node: ast.AST) -> set[str]:
    """The plain names that are assigned to, or taken away, in a node; in functions inside of it, too."""
    return {part.id for part in walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}


def bound(node: ast.AST) -> frozenset[str]:
    """The names, and ``self.x`` as such, that a node binds or writes into; what is appended to counts.

    Not those of a comprehension, which end with it.
    """
    found = set()
    own = {name for each in walk(node) if isinstance(each, ast.comprehension) for name in walk(each.target)}
    for each in walk(node):
        if each in own:
            continue
        if isinstance(each, ast.Attribute) and each.attr in _OF_TENSORS and isinstance(each.ctx, ast.Store):
            found.add(word_of(each.value))
        elif isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, ast.Store):
            found.add(word_of(each))
        elif isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store):
            found.add(word_of(each.value))
        elif (isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
              and each.func.attr in ("append", "extend", "insert", "add", "update", "setdefault")):
            found.add(word_of(each.func.value))
    return frozenset(filter(None, found))


def word_of(node: ast.AST) -> str:
    """``x`` and ``self.x``; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _loads(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)


def suites(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The suites inside a compound statement."""
    for name in _SUITES:
        for each in [getattr(statement, name, None)]:
            if name == "handlers":
                yield from (handler.body for handler in each or ())
            elif isinstance(each, list) and each and isinstance(each[0], ast.stmt):
                yield each


def yields(node: ast.AST) -> bool:
    """Does grad mode leak out of a block around it?"""
    return any(isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await)) for each in own(node))


def own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, without the functions defined in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += [c for c in ast.iter_child_nodes(each) if not isinstance(c, (*FUNCTIONS, ast.Lambda))]
