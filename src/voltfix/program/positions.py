"""Where the nodes of ``ast`` lie in a text, in characters."""

from __future__ import annotations

import ast

from voltfix.model import Span
from voltfix.sources.document import LineIndex


class Offsets:
    """Turns positions of ``ast`` (line from 1, column in UTF-8 bytes) into character offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = LineIndex(text).starts
        self._ascii = text.isascii()

    def at(self, line: int, column: int) -> int:
        """The character offset of ``line`` (from 1) and ``column`` (bytes of UTF-8); clamped to the text."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self._text)
        start = self._starts[line - 1]
        if self._ascii:
            return min(start + column, len(self._text))
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        head = self._text[start:end].encode("utf-8", "surrogatepass")[:column]
        return start + len(head.decode("utf-8", "ignore" if _cut(head) else "surrogatepass"))

    def span(self, node: ast.AST) -> Span:
        """What ``node`` covers, decorators included; an empty span at 0 for a node without a position."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
            return Span(self._decorated(node), self._end(node))
        if not hasattr(node, "lineno"):
            return Span(0, 0)
        return Span(self.at(node.lineno, node.col_offset), self._end(node))  # type: ignore[attr-defined]

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
        decorator = node.decorator_list[0]
        start = self.at(decorator.lineno, decorator.col_offset)
        return self._text.rfind("@", 0, start)

    def _end(self, node: ast.AST) -> int:
        line, column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        if line is None or column is None:
            return self.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return self.at(line, column)


def _cut(head: bytes) -> bool:
    """Does ``head`` end inside a character?"""
    try:
        head.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return True
    return False
