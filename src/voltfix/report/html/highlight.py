"""Python in colour, line by line: Pygments finds the tokens, the page has five colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from voltfix.report.hunks import lines_of

_CLASSES = (
    ("Keyword", "k"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Comment", "c"),
    ("Name.Decorator", "d"),
)
MAX_CHARACTERS = 400_000


class Highlighted:
    """A text whose lines can be asked for as HTML."""

    def __init__(self, text: str, escape: Callable[[str], str]) -> None:
        self._escape = escape
        self._lines: list[list[tuple[str, str]]] = [[]]
        for kind, value in _tokens(text):
            for index, part in enumerate(lines_of(value)):
                if index or (self._lines[-1] and self._lines[-1][-1][1].endswith("\n")):
                    self._lines.append([])
                self._lines[-1].append((kind, part))

    def line(self, number: int, marks: list[range]) -> str:
        """Line ``number`` (from 0) as HTML, the characters in ``marks`` marked."""
        out = []
        at = 0
        for kind, text in self._lines[number] if number < len(self._lines) else ():
            for marked, part in _cut(text, at, marks):
                body = self._escape(part.rstrip("\r\n"))
                body = f'<span class="{kind}">{body}</span>' if kind and body else body
                out.append(f"<mark>{body}</mark>" if marked and body else body)
            at += len(text)
        return "".join(out)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token; all the text is there, whatever it is."""
    if len(text) > MAX_CHARACTERS:
        yield "", text
        return
    from pygments.lexers.python import PythonLexer

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for _, token, value in lexer.get_tokens_unprocessed(text):
        name = str(token).removeprefix("Token.")
        yield next((short for prefix, short in _CLASSES if name.startswith(prefix)), ""), value


def _cut(text: str, at: int, marks: list[range]) -> Iterator[tuple[bool, str]]:
    """A token in pieces: inside a mark, outside one."""
    start = 0
    for index in range(1, len(text) + 1):
        inside = _marked(at + index - 1, marks)
        if index == len(text) or _marked(at + index, marks) != inside:
            yield inside, text[start:index]
            start = index


def _marked(position: int, marks: list[range]) -> bool:
    return any(position in mark for mark in marks)
