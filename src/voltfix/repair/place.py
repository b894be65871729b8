"""The place in the project's text that a frame speaks of, with what its operands were."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from voltfix.model import Edit, ReplaceExpression, Span
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom
from voltfix.records import dataclass
from voltfix.repair.observed import Event, Frame, Position, Value


@dataclass(frozen=True)
class Mend:
    """What a symptom's rule would do: edits by module, or new files; ``told`` says what, ``seen`` what it rests on."""

    code: str
    told: str
    seen: str
    place: str  # file:line
    edits: tuple[tuple[str, tuple[Edit, ...]], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    node: ast.AST | None = None  # what was mended, to find its like elsewhere
    path: str = ""


class Place:
    """A statement that a frame stopped at."""

    def __init__(self, scene: Scene, path: str, frame: Frame, event: Event) -> None:
        self.scene, self.path, self.frame, self.event = scene, path, frame, event

    @cached_property
    def statement(self) -> ast.stmt | None:
        """The innermost statement on the line."""
        found: list[ast.stmt] = []
        for node in self.scene.nodes(self.path):
            if isinstance(node, ast.stmt) and node.lineno <= self.frame.line <= (node.end_lineno or node.lineno):
                found.append(node)
        if self.frame.position is not None:
            line, column, end_line, end_column = self.frame.position
            start, end = (line, column), (end_line, end_column)
            inside = [n for n in found if position(n)[:2] <= start and end <= position(n)[2:]]
            return max(inside or found, key=lambda node: position(node)[:2], default=None)
        return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    @cached_property
    def failed(self) -> ast.expr | None:
        """The very expression that failed, where Python says so."""
        if self.frame.position is None:
            return None
        for node in self.expressions():
            if position(node) == self.frame.position:
                return node
        return None

    def expressions(self) -> Iterator[ast.expr]:
        """The expressions in the head of the statement, the outer before the inner."""
        todo: list[ast.AST] = [self.statement] if self.statement is not None else []
        while todo:
            node = todo.pop(0)
            if isinstance(node, ast.expr):
                yield node
            for name, child in ast.iter_fields(node):
                if isinstance(node, ast.stmt) and name in ("body", "orelse", "finalbody", "handlers"):
                    continue
                todo += [one for one in (child if isinstance(child, list) else [child]) if isinstance(one, ast.AST)]

    def attributes(self, name: str) -> Iterator[ast.Attribute]:
        """Where the head of the statement asks something for the attribute of that name."""
        return (node for node in self.expressions() if isinstance(node, ast.Attribute) and node.attr == name)

    def within(self) -> Iterator[ast.expr]:
        """The expression that failed and what it is made of; all of the statement where that is not known."""
        if self.failed is None:
            yield from self.expressions()
        else:
            for node in ast.walk(self.failed):
                if isinstance(node, ast.expr):
                    yield node

    def outwards(self) -> Iterator[ast.expr]:
        """The expression that failed alone, or every one of the statement where that is not known."""
        yield from ([self.failed] if self.failed is not None else self.expressions())

    def value(self, node: ast.AST) -> Value | None:
        """What an expression held; None where nobody looked."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return Value("number", type(node.value).__name__, value=node.value)
        return self.frame.values.get(position(node))

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        return self.scene.text(self.path, node)

    def atom(self, node: ast.expr) -> str:
        """The source of a node, so that something can be asked of it."""
        plain = isinstance(node, (ast.Dict, ast.DictComp, ast.ListComp, ast.Set, ast.JoinedStr))
        return self.text(node) if plain else atom(self.scene, self.path, node)

    def span(self, node: ast.AST) -> Span:
        """What a node covers."""
        return self.scene.span(self.path, node)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """What a node stands in."""
        return self.scene.project.parent(self.path, node)

    @property
    def where(self) -> str:
        """``file:line``."""
        return self.located(self.path, self.frame.line)

    def located(self, path: str, line: int) -> str:
        """A line of a module as reports say it: in a notebook it counts in its cell."""
        cell, at = self.scene.project.modules[path].origin(line)
        return f"{path}:{at}" if cell is None else f"{path}:cell {cell}:{at}"

    def outside(self, node: ast.expr) -> str:
        """The dotted name of a node outside of the project, by what the run held, or by name."""
        value = self.value(node)
        if value is not None and value.kind in ("module", "callable") and isinstance(value.value, str):
            return value.value
        return self.scene.outside(self.path, node) or ""

    def mend(self, code: str, node: ast.AST, text: str, told: str, *more: Edit, seen: str | None = None) -> Mend:
        """The mend that puts ``text`` in the place of ``node``."""
        edits: tuple[Edit, ...] = (ReplaceExpression(self.span(node), text), *more)
        return self.edited(code, node, edits, told, seen=seen)

    def edited(self, code: str, node: ast.AST, edits: tuple[Edit, ...], told: str, *, seen: str | None = None) -> Mend:
        """The mend of some edits in this module."""
        return Mend(
            code, told, seen if seen is not None else self.seen(node), self.where, ((self.path, edits),), node=node,
            path=self.path,
        )  # fmt: skip

    def mend_at(self, path: str, code: str, node: ast.AST, text: str, told: str) -> Mend:
        """The mend that puts ``text`` in the place of a node of any module."""
        edit = ReplaceExpression(self.scene.span(path, node), text)
        line = self.located(path, getattr(node, "lineno", 0))
        return Mend(code, told, f"{self.event.head} at {self.where}", line, ((path, (edit,)),), node=node, path=path)

    def made(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """The expressions that a name, or an attribute of an object, was given; with their modules."""
        return self.made_in(self.path, node)

    def made_in(self, module: str, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """The same, of an expression in any module."""
        if isinstance(node, ast.Name):
            for reach in self.scene.kinds.reaches(module, node):
                if reach.value is not None and reach.how == "value" and not reach.path:
                    yield module, reach.value
        elif isinstance(node, ast.Attribute):
            owner = self.value(node.value) if module == self.path else None
            cls = owner.type.rpartition(".")[2] if owner is not None else ""
            for path in sorted(self.scene.project.paths, key=lambda path: path != module):
                for other in self.scene.nodes(path):
                    if isinstance(other, ast.Assign) and any(_is_attribute(t, node.attr) for t in other.targets):
                        around = [
                            c.name for c in self.scene.project.parents(path, other) if isinstance(c, ast.ClassDef)
                        ]
                        if not around or not cls or cls in around or len(self.scene.project.paths) == 1:
                            yield path, other.value

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """The calls that may have failed, of functions and methods of these names."""
        for node in self.outwards():
            above = self.parent(node)
            if isinstance(above, ast.Call) and above.func is node:
                node = above  # what failed is the name of what is called
            if isinstance(node, ast.Call) and called(node) in names:
                yield node

    def with_keyword(self, node: ast.Call, keyword: str) -> str:
        """The text of a call with one more argument."""
        text = self.text(node).rstrip()[:-1].rstrip().rstrip(",")
        return f"{text}, {keyword})" if node.args or node.keywords else f"{text}{keyword})"

    def seen(self, node: ast.AST) -> str:
        """What the run knew of a node, in a sentence."""
        value = self.value(node)
        if value is None:
            return f"{self.event.head} at {self.where}"
        return f"`{' '.join(self.text(node).split())[:60]}` was {value.told()} at {self.where}"


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _is_attribute(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Name)


def position(node: ast.AST) -> Position:
    """Where a node stands, as frames say it."""
    return (
        getattr(node, "lineno", 0), getattr(node, "col_offset", 0), getattr(node, "end_lineno", 0) or 0,
        getattr(node, "end_col_offset", 0) or 0,
    )  # fmt: skip
