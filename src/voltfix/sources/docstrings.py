"""Interactive sessions in the docstrings of a Python file: a module of their own beside the file's code."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

from voltfix.model import Module
from voltfix.records import dataclass
from voltfix.sources import blocks, markup
from voltfix.sources.blocks import Block
from voltfix.sources.document import LineIndex
from voltfix.sources.lexer import lex
from voltfix.sources.markup import Blocks
from voltfix.sources.syntax import parse

_HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Sessions:
    """The sessions of a file. ``literals`` are the docstrings they stand in, as written, in order."""

    text: str
    literals: tuple[tuple[int, int], ...]
    blocks: Blocks

    def module(self, path: str) -> Module:
        """Return the sessions as a module; its path is that of the file with ``::doctest`` behind."""
        joined = self.blocks.joined
        name, origins = f"{path}::doctest", self.blocks.origins()
        return Module(name, joined.text, joined.barriers, "rst", origins, (), joined.python2)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column in the file."""
        return self.blocks.locate(offset)

    def put_into(self, code: str, sessions: str) -> str:
        """Return ``code`` (the file's own text after its edits) with the docstrings of ``sessions``."""
        new = self.blocks.rewritten(sessions)
        at = 0
        parts: list[str] = []
        for old_literal, new_literal in zip(self._literals(self.text), self._renewed(new), strict=True):
            place = code.find(old_literal, at)
            if place < 0:
                raise ValueError("a docstring was lost in editing")
            parts += [code[at:place], new_literal]
            at = place + len(old_literal)
        return "".join([*parts, code[at:]])

    def _literals(self, text: str) -> list[str]:
        return [text[start:end] for start, end in self.literals]

    def _renewed(self, new: str) -> Iterator[str]:
        """Yield the literals in ``new``, which differs from the text inside of literals alone."""
        at = shift = 0
        for start, end in self.literals:
            token = next(lex(new, start + shift))
            assert self.text[at:start] == new[at + shift : token.start]
            yield new[token.start : token.end]
            at = end
            shift = token.end - end


def find(text: str) -> Sessions | None:
    """Find sessions that speak of volatile in the docstrings of ``text``, which parses."""
    tree = parse(text)
    if isinstance(tree, SyntaxError):
        return None
    index = LineIndex(text)
    literals: list[tuple[int, int]] = []
    found: list[Block] = []
    lines = [line.rstrip("\r\n") for line in index.lines()]
    for start, end in sorted(_docstrings(tree, text, index)):
        if "\\" in text[start:end] or ">>>" not in text[start:end]:
            continue  # with backslashes, what is written is not what runs
        first, last = bisect_right(index.starts, start), bisect_right(index.starts, end - 1)
        inside = lines[first : last - 1] if len(lines) >= last else []
        sessions = [_moved(block, first) for block in blocks.find(inside, "prompts")]
        if sessions:
            literals.append((start, end))
            found += sessions
    if not any("volatile" in block.code for block in found):
        return None
    made = markup.from_blocks(text, [Block(b.first, b.lines, b.prompts) for b in found])
    if isinstance(made, SyntaxError) or not made.joined.text:
        return None
    return Sessions(text, tuple(literals), made)


def _moved(block: Block, lines: int) -> Block:
    return Block(block.first + lines, block.lines, block.prompts, block.declared)


def _docstrings(tree: ast.Module, text: str, index: LineIndex) -> Iterator[tuple[int, int]]:
    """Yield the ranges of docstrings that are one literal."""
    for node in ast.walk(tree):
        if not isinstance(node, _HOLDERS) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            begin = index.starts[first.lineno - 1]
            head = text[begin : begin + first.col_offset].encode()[: first.col_offset]
            start = begin + len(head.decode())
            token = next(lex(text, start))
            if token.kind == "string" and isinstance(first.value.value, str):
                yield token.start, token.end
