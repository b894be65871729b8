"""Blocks of Python among lines of something else: fences, indented blocks, directives, sessions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from voltfix.records import dataclass
from voltfix.sources.alignment import opcodes
from voltfix.sources.syntax import parse

_PYTHON = frozenset(["python", "python2", "python3", "py", "py2", "py3", "ipython", "ipython3", "pycon", "doctest"])
_FENCE = re.compile(r"(?P<indent>[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)$")
_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\. +(?:code(?:-block)?|sourcecode|ipython|testcode|doctest)::[ \t]*(?P<info>.*)$"
)
_OPTION = re.compile(r"[ \t]*:[\w-]+:")
_LITERAL = re.compile(r"(?P<indent>[ \t]*)(?!\.\.[ \t]).*::[ \t]*$")
# space, and quotation marks of Markdown, which a prompt is not
_MARGIN = re.compile(r"(?:[ \t]*(?!>>>)>)*[ \t]*")
_PROMPT = re.compile(_MARGIN.pattern + r"(?:>>>(?: |$)|>>>\t)")
_CONTINUED = re.compile(_MARGIN.pattern + r"\.\.\.(?: |$)")
_INDENT = re.compile(r"[ \t]*")
_MARKDOWN_INDENT = re.compile(r"(?: {4}|\t)")

Syntax = Literal["markdown", "rst", "prompts"]


@dataclass(frozen=True)
class Line:
    """One line of a block: what stands before its Python, and the Python (no newline)."""

    prefix: str
    code: str


@dataclass(frozen=True)
class Block:
    """Python from line ``first`` (from 0) on. ``declared``: the document says that it is Python."""

    first: int
    lines: tuple[Line, ...]
    prompts: bool = False
    declared: bool = False

    @property
    def code(self) -> str:
        """The block's Python."""
        return "\n".join(line.code for line in self.lines)


def find(lines: Sequence[str], syntax: Syntax) -> Iterator[Block]:
    """Find the blocks in ``lines`` (without newlines); what is no Python after all, the parser will say."""
    if syntax == "prompts":
        yield from _sessions(lines, 0, len(lines), declared=True)
        return
    at = 0
    while at < len(lines):
        region = _markdown_region(lines, at) if syntax == "markdown" else _rst_region(lines, at)
        if region is None:
            at += 1
            continue
        yield from _in_region(lines, region)
        at = max(region.end, at + 1)


@dataclass(frozen=True)
class _Region:
    """Lines that hold code; ``end`` is where to look on."""

    first: int
    last: int
    end: int
    declared: bool
    python: bool = True


def _in_region(lines: Sequence[str], region: _Region) -> Iterator[Block]:
    if not region.python or region.first >= region.last:
        return
    if any(_PROMPT.match(line) for line in lines[region.first : region.last]):
        yield from _sessions(lines, region.first, region.last, declared=region.declared)
        return
    body = lines[region.first : region.last]
    margin = _margin(body)
    cut = [Line(line[: len(margin)], line[len(margin) :]) for line in body]
    yield Block(region.first, tuple(cut), declared=region.declared)


def _margin(lines: Sequence[str]) -> str:
    """Return what all lines that are not blank begin with: space, or quotation marks of Markdown."""
    margin: str | None = None
    for line in lines:
        space = _leading(line)
        if len(space) == len(line):
            continue
        if margin is None:
            margin = space
        while not line.startswith(margin):
            margin = margin[:-1]
    return margin or ""


def _markdown_region(lines: Sequence[str], at: int) -> _Region | None:
    fence = _FENCE.match(lines[at])
    if fence is not None:
        mark = fence.group("fence")
        last = at + 1
        while last < len(lines) and not _closes(lines[last], mark):
            last += 1
        python, declared = _language(fence.group("info"))
        return _Region(at + 1, last, last + 1, declared, python)
    before_blank = at == 0 or not lines[at - 1].strip()
    if before_blank and _MARKDOWN_INDENT.match(lines[at]) and lines[at].strip():
        last = _indented_end(lines, at, "")
        return _Region(at, last, last, False)
    return None


def _closes(line: str, mark: str) -> bool:
    bare = line.strip(" \t>")
    return len(bare) >= len(mark) and not bare.strip(mark[0])


def _language(info: str) -> tuple[bool, bool]:
    """Say whether a block with this note may be Python, and whether it surely is."""
    words = re.findall(r"[\w+-]+", info)
    if not words:
        return True, False
    known = words[0].lower() in _PYTHON
    return known, known


def _rst_region(lines: Sequence[str], at: int) -> _Region | None:
    directive = _DIRECTIVE.match(lines[at])
    if directive is not None:
        python, declared = _language(directive.group("info"))
        first = at + 1
        while first < len(lines) and (not lines[first].strip() or _OPTION.match(lines[first])):
            first += 1
        last = _deeper_end(lines, first, directive.group("indent"))
        return _Region(first, last, last, declared, python)
    literal = _LITERAL.match(lines[at])
    if literal is not None:
        first = at + 1
        while first < len(lines) and not lines[first].strip():
            first += 1
        last = _deeper_end(lines, first, literal.group("indent"))
        return _Region(first, last, last, False) if last > first else None
    if _PROMPT.match(lines[at]):
        last = at
        while last < len(lines) and lines[last].strip():
            last += 1
        return _Region(at, last, last, True)
    return None


def _deeper_end(lines: Sequence[str], first: int, outer: str) -> int:
    if first >= len(lines) or len(_indent(lines[first])) <= len(outer):
        return first
    return _indented_end(lines, first, outer)


def _indented_end(lines: Sequence[str], first: int, outer: str) -> int:
    """Return where lines deeper than ``outer`` end; blank lines behind the last of them do not count."""
    last = at = first
    while at < len(lines):
        if lines[at].strip():
            deep = _MARKDOWN_INDENT.match(lines[at]) if not outer else len(_indent(lines[at])) > len(outer)
            deep = deep or (bool(outer or _indent(lines[first])) and lines[at].startswith(_indent(lines[first])))
            if not deep:
                break
            last = at + 1
        at += 1
    return last


def _leading(line: str) -> str:
    found = _MARGIN.match(line)
    return found.group() if found else ""


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found.group() if found else ""


# --- interactive sessions


def _sessions(lines: Sequence[str], first: int, last: int, *, declared: bool) -> Iterator[Block]:
    """Find runs of prompt lines without output between them."""
    run: list[Line] = []
    start = first
    for at in range(first, last):
        line = _prompt_line(lines[at], bool(run))
        if line is None or (run and _leading(lines[at]) != _leading(lines[start])):
            if run:
                yield Block(start, tuple(run), prompts=True, declared=declared)
            run = []
            line = _prompt_line(lines[at], False)
        if line is not None:
            if not run:
                start = at
            run.append(line)
    if run:
        yield Block(start, tuple(run), prompts=True, declared=declared)


def _prompt_line(line: str, inside: bool) -> Line | None:
    found = _PROMPT.match(line) or (_CONTINUED.match(line) if inside else None)
    return Line(found.group(), line[found.end() :]) if found else None


# --- writing


def rewritten(block: Block, new: str) -> list[tuple[str, int]]:
    """Return the lines (without newlines) of a block with new Python; lines that stay keep their prefix.

    With each comes the number of the old line that it is, or that it stands in the place of.
    """
    old, lines = [line.code for line in block.lines], new.split("\n")
    starts = _statement_starts(new) if block.prompts else set()
    prefix = next((line.prefix for line in block.lines if line.code.strip()), "")
    result: list[tuple[str, int]] = []
    for tag, i1, i2, j1, j2 in opcodes(old, lines):
        for at in range(j1, j2):
            source = min(i1 + at - j1, i2 - 1 if i2 > i1 else i1, len(old) - 1)
            if tag == "equal":
                line = block.lines[source]
                result.append((line.prefix + line.code, source))
            elif block.prompts:
                mark = ">>>" if at in starts else "..."
                result.append((f"{_leading(prefix)}{mark} {lines[at]}".rstrip(), source))
            else:
                text = prefix + lines[at]
                result.append((text if lines[at].strip() else text.rstrip(), source))
    return result


def _statement_starts(code: str) -> set[int]:
    """Return the lines (from 0) that a session shows with its first prompt."""
    tree = parse(code)
    if isinstance(tree, SyntaxError):
        return set(range(code.count("\n") + 1))
    starts: set[int] = set()
    covered: set[int] = set()
    for node in tree.body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        starts.add(first - 1)
        covered.update(range(first - 1, ast_end(node)))
    comments = {at for at, line in enumerate(code.split("\n")) if line.startswith("#") and at not in covered}
    return starts | comments


def ast_end(node: ast.stmt) -> int:
    """Return the last line of a statement (from 1)."""
    return node.end_lineno or node.lineno
