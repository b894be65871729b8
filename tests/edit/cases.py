"""Edit cases in files: commands (``#! ...``), the input, a line ``# output``, the output.

A command names statements by how they begin (``y = net``, the second such ``y = net@@2``) and expressions by
their whole text. ``\\n`` in a text stands for a newline.

    #! wrap FIRST | LAST | HEADER        #! before STATEMENT => TEXT      #! expression EXPR => TEXT
    #! argument ARGUMENT                 #! after STATEMENT => TEXT       #! around EXPR => BEFORE | AFTER
    #! parameter PARAMETER               #! replace STATEMENT => TEXT     #! decorate DEF => DECORATOR
    #! delete STATEMENT                  #! import MODULE
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from voltfix.edit.outline import Outline
from voltfix.model import (
    Decorate,
    DeleteStatement,
    DropArgument,
    DropParameter,
    Edit,
    EnsureImport,
    InsertStatement,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapExpression,
    WrapStatements,
)

FOLDER = Path(__file__).parents[1] / "fixtures" / "edit"


@dataclass(frozen=True)
class Case:
    """One case; the commands find their spans in ``before``, whatever was done to its layout."""

    name: str
    commands: tuple[str, ...]
    before: str
    after: str

    def edits(self, text: str) -> list[Edit]:
        """Find the places that the commands mean in ``text``."""
        finder = Finder(text)
        return [finder.edit(command) for command in self.commands]


def cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n=====\n"):
            name, _, rest = block.strip("\n").partition("\n")
            commands, lines = [], rest.split("\n")
            while lines and lines[0].startswith("#! "):
                commands.append(lines.pop(0)[3:].strip())
            before, _, after = ("\n".join(lines) + "\n").partition("# output\n")
            yield Case(f"{path.stem}: {name.strip('# ')}", tuple(commands), before, after)


class Finder:
    """Turns commands into edits."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.outline = Outline(text)

    def edit(self, command: str) -> Edit:
        verb, _, rest = command.partition(" ")
        target, _, text = rest.partition(" => ")
        target, text = (part.replace("\\n", "\n") for part in (target, text))
        if verb == "wrap":
            first, last, header = rest.split(" | ")
            return WrapStatements(self.statement(first), self.statement(last), header)
        if verb == "argument":
            return self.argument(target)
        if verb == "parameter":
            return self.parameter(target)
        if verb == "around":
            before, after = (part.strip("`") for part in text.split(" | "))
            return WrapExpression(self.expression(target), before, after)
        if verb == "import":
            return EnsureImport(target)
        if verb == "delete":
            return DeleteStatement(self.statement(target))
        if verb in ("before", "after"):
            return InsertStatement(self.statement(target), text, verb)  # type: ignore[arg-type]
        if verb == "replace":
            return ReplaceStatement(self.statement(target), text)
        if verb == "decorate":
            return Decorate(self.statement(target), text)
        assert verb == "expression", verb
        return ReplaceExpression(self.expression(target), text)

    def statement(self, beginning: str) -> Span:
        beginning, _, number = beginning.partition("@@")
        spans = {Span(each.start, each.end) for each in self.outline.by_start.values()}
        found = sorted(span for span in spans if self.text.startswith(beginning, span.start))
        return found[int(number or 1) - 1]

    def expression(self, text: str) -> Span:
        nodes = (node for node in ast.walk(self.outline.tree) if isinstance(node, ast.expr))
        return self._named(text, [self.outline.span(node) for node in nodes])

    def argument(self, text: str) -> DropArgument:
        text, _, number = text.partition("@@")
        found = []
        for node in ast.walk(self.outline.tree):
            if isinstance(node, ast.Call):
                for each in [*node.args, *node.keywords]:
                    span = self.outline.span(each)  # type: ignore[arg-type]
                    if self._text(span) == text:
                        found.append(DropArgument(self.outline.span(node), span))
        found.sort(key=lambda each: each.argument)
        return found[int(number or 1) - 1]

    def parameter(self, text: str) -> DropParameter:
        for node in ast.walk(self.outline.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                function = self.outline.span(node)
                if not isinstance(node, ast.Lambda):
                    statement = self.outline.by_start[function.start]
                    function = Span(statement.start, statement.end)
                args = node.args
                names = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
                for each in names:
                    span = self.outline.span(each) if each else Span(0, 0)  # type: ignore[arg-type]
                    whole = Span(span.start, span.start + len(text))
                    if each and self._text(whole) == text:
                        return DropParameter(function, whole)
        raise AssertionError(text)

    def _named(self, text: str, spans: list[Span]) -> Span:
        text, _, number = text.partition("@@")
        return sorted(span for span in set(spans) if self._text(span) == text)[int(number or 1) - 1]

    def _text(self, span: Span) -> str:
        return self.text[span.start : span.end].replace("\r\n", "\n")
