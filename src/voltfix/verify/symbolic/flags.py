"""Where a text decides volatility: the values of ``volatile=``, writes of ``.volatile``, reads of it.

A verdict counts only for what was exercised: each of these places tells in a run what it held (``rewrite`` puts the
helpers there), and ``coverage`` asks for both answers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from voltfix.verify.symbolic.walking import last_word

WORD = "volatile"
_THIRD = 2  # place of ``volatile`` among the arguments of Variable


@dataclass(frozen=True)
class Flag:
    """A place that decides volatility. ``node``: the value that is given, or the read itself."""

    node: ast.expr
    read: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Line and column."""
        return self.node.lineno, self.node.col_offset

    @property
    def constant(self) -> bool | None:
        """What the text says by itself; None: it depends."""
        return bool(self.node.value) if isinstance(self.node, ast.Constant) else None


def flags_of(node: ast.AST) -> Iterator[Flag]:
    """The flags that one node of a tree holds itself (not those of what is in it)."""
    if isinstance(node, ast.Call):
        yield from (Flag(each.value) for each in node.keywords if each.arg == WORD)
        if last_word(node.func) == "Variable" and len(node.args) > _THIRD and not _starred(node.args[: _THIRD + 1]):
            yield Flag(node.args[_THIRD])
        if last_word(node.func) == "setattr" and len(node.args) == _THIRD + 1 and _says(node.args[1]):
            yield Flag(node.args[_THIRD])
    elif isinstance(node, ast.Dict):
        yield from (Flag(value) for key, value in zip(node.keys, node.values, strict=True) if key and _says(key))
    elif isinstance(node, ast.Assign):
        if any(_is_flag(target) for target in node.targets):
            yield Flag(node.value)
    elif isinstance(node, ast.Attribute) and node.attr == WORD and isinstance(node.ctx, ast.Load):
        yield Flag(node, read=True)


def replace_child(node: ast.AST, old: ast.expr, new: ast.expr) -> None:
    """Put ``new`` where ``node`` has ``old``."""
    if isinstance(node, ast.Call):
        node.args[:] = [new if each is old else each for each in node.args]
        for keyword in node.keywords:
            keyword.value = new if keyword.value is old else keyword.value
    elif isinstance(node, ast.Dict):
        node.values[:] = [new if each is old else each for each in node.values]
    elif isinstance(node, ast.Assign):
        node.value = new


def _is_flag(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return _says(target.slice)
    return isinstance(target, ast.Attribute) and target.attr == WORD


def _says(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == WORD


def _starred(nodes: list[ast.expr]) -> bool:
    return any(isinstance(each, ast.Starred) for each in nodes)
