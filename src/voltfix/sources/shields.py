"""Python of other ages and shells, made readable to today's parser by stand-ins of the same length.

Every stand-in is chosen so that it occurs nowhere in the file. So an edited text is restored by looking for
the stand-ins, wherever the edits have moved them; and since lengths are kept, offsets are those of the file.

    cuda(async=True)       cuda(asynC=True)        except E, e:      except E@ e:
    print "x"              print,"x"               raise E, "x"      raise E@ "x"
    exec code in names     exec,code in names      a <> b            a <~ b
    0777, 10L, `x`         a name                  ur"x"             ~r"x"
    def f(a, (b, c)):      def f(a, a_name):       %matplotlib, !ls  a name
"""

from __future__ import annotations

import keyword
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import count, product

from voltfix.records import dataclass
from voltfix.sources.lexer import CLOSING, CODE, OPENING, Token, lex, logical_lines

# what `async` may be called in a module's text; which one depends on what the file itself uses
ASYNC_WORDS = ("asynC", "asyNc", "asYnc", "aSync", "Async", "asyNC", "asYNC", "aSYNC", "ASYNC")
_AWAIT_WORDS = ("awaiT", "awaIt", "awAit", "aWait", "Await", "AWAIT")
_PRINT = {"print": ("print", "prinT", "priNt", "prInt", "pRint"), "exec": ("exec", "exeC", "exEc", "eXec")}
_NOT_AFTER_PRINT = frozenset(["in", "is", "and", "or", "if", "else", "for"])
_COMPARISONS = ("<~", "<+", "<-", ">~", ">+")
_OPERATORS = "@|^&"
_RAW_UNICODE = {"ur": "~r", "uR": "~R", "Ur": "-r", "UR": "-R"}
_OCTAL = re.compile(r"0\d*[1-9]\d*\Z")
_BAD_ESCAPE = re.compile(r"\\(?:(?P<code>[xuUN])(?P<rest>\{[^}]*\}|[0-9a-fA-F]*)|.)", re.DOTALL)
_ESCAPE_DIGITS = {"x": 2, "u": 4, "U": 8}
_BARRIER_CHARACTERS = "\x01\x02\x03\x04\x05\x06"
_WORD = re.compile(r"\w+")
_OF_PYTHON_2 = "0123456789`("  # what 0777, 10L, `x` and the parameter (a, b) begin with


@dataclass
class Shield:
    """A text and its stand-ins, by what they stand for.

    ``words`` count where they stand alone, ``marks`` wherever they occur, and so do ``commas``, whose last
    character belongs to the text behind them and is looked at when that has been restored.
    """

    text: str
    words: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    commas: dict[str, str] = field(default_factory=dict)

    @property
    def python2(self) -> bool:
        """Does something have a stand-in that no Python 3 reads? Its first ones read ``async``, and IPython its magics.
        """
        return bool(self.marks or self.commas) or any(old[0] in _OF_PYTHON_2 for old in self.words.values())

    def restore(self, text: str) -> str:
        """Put back what the stand-ins in ``text`` stand for."""
        words = [rf"{_bounded(word)}(?!\w)" for word in self.words]
        text = _exchanged(text, {**self.words, **self.marks}, [*words, *map(_bounded, self.marks)])
        return _exchanged(text, self.commas, [re.escape(comma) for comma in self.commas])


def _exchanged(text: str, table: Mapping[str, str], patterns: Sequence[str]) -> str:
    return re.sub("|".join(patterns), lambda hit: table[hit.group()], text) if patterns else text


def _bounded(key: str) -> str:
    """Return the pattern of a stand-in: what begins like a word must not be the end of another."""
    return rf"(?<!\w){re.escape(key)}" if key[0].isidentifier() else re.escape(key)


def shield(text: str, *, magics: bool = False) -> Shield:
    """Return ``text`` with stand-ins for what today's Python does not read (``magics``: IPython too)."""
    made = _Shielder(text, magics).run()
    # where stand-ins run into their neighbours (0777async), it is no Python of any age
    return made if made.restore(made.text) == text else Shield(text)


class _Shielder:
    def __init__(self, text: str, magics: bool) -> None:
        self.source = text
        self.result = Shield(text)
        self.tokens = list(lex(text, magics=magics))
        self.code = [token for token in self.tokens if token.kind in CODE]
        self.replaced: list[tuple[int, int, str]] = []
        self.known: set[str] = set(_WORD.findall(text))
        self.names: dict[tuple[str, str], str] = {}
        self.fresh_names: dict[int, Iterator[str]] = {}
        self.repr_end = 0  # behind the last pair of backticks
        self.has_lambda = "lambda" in self.known
        self.has_async = re.search(r"\basync\s+(?:def|for|with)\b", text) is not None

    def run(self) -> Shield:
        for line in logical_lines(self.source, self.tokens):
            self._line(line)
        parts, at = [], 0
        for start, end, new in sorted(self.replaced):
            if start < at:  # inside of something that has a stand-in as a whole
                continue
            parts += [self.source[at:start], new]
            at = end
        self.result.text = "".join([*parts, self.source[at:]])
        assert len(self.result.text) == len(self.source)
        return self.result

    def _line(self, line: list[Token]) -> None:
        first = self._text(line[0])
        commas = first in ("except", "raise")
        brackets: list[_Bracket] = []
        fresh = True
        for index, token in enumerate(line):
            piece = self._text(token)
            if token.kind == "op":
                self._operator(line, index, piece, brackets, commas)
                fresh = not brackets and piece in (":", ";")
                if fresh and piece == ";":
                    after = self._text(line[index + 1]) if index + 1 < len(line) else ""
                    commas = after in ("except", "raise")
                elif fresh:
                    after = self._text(line[index + 1]) if index + 1 < len(line) else ""
                    commas = after == "raise"
                continue
            if token.kind == "name":
                self._name(line, index, piece, fresh, brackets)
            elif token.kind == "number" and (_OCTAL.match(piece) or piece[-1] in "lL"):
                self._opaque(token.start, token.end)
            elif token.kind == "string":
                self._string(token, piece)
            elif token.kind == "magic":
                # the further lines of one are made operands of the first
                further = index > 0 and line[index - 1].kind == "magic"
                self._opaque(token.start, token.end, before="-" if further else "")
            fresh = False

    def _operator(self, line: list[Token], index: int, piece: str, brackets: list[_Bracket], commas: bool) -> None:
        token = line[index]
        if piece == "<>":
            self._mark(token.start, token.end, _COMPARISONS)
        elif piece == "`":
            self._backtick(line, index)
        elif piece == "," and ((commas and not brackets) or (brackets and brackets[-1].iterates)):
            self._comma(line, index)
        elif piece in OPENING:
            if piece == "(" and self._is_tuple_parameter(line, index, brackets):
                self._tuple_parameter(line, index)
            brackets.append(_Bracket(piece, self._opens_parameters(line, index)))
        elif piece in CLOSING and brackets:
            brackets.pop()

    def _name(self, line: list[Token], index: int, piece: str, fresh: bool, brackets: list[_Bracket]) -> None:
        token = line[index]
        after = self._text(line[index + 1]) if index + 1 < len(line) else ""
        if piece == "async" and after not in ("def", "for", "with"):
            self._word(token, ASYNC_WORDS)
        elif piece == "await" and (not self.has_async or after in ("=", ")", ",", ".", ":", "")):
            self._word(token, _AWAIT_WORDS)
        elif piece in _PRINT and fresh and index + 1 < len(line):
            self._print(token, line[index + 1], piece)
        elif brackets and brackets[-1].kind == "[" and piece in ("for", "in"):
            brackets[-1].enter(piece)

    # --- kinds of stand-ins

    def _print(self, token: Token, after: Token, piece: str) -> None:
        text = self._text(after)
        starts = after.kind in ("string", "number", "error") or text in ("[", "{", "`", "~")
        starts = starts or (after.kind == "name" and text not in _NOT_AFTER_PRINT)
        if not starts:
            return
        if after.start > token.end and self.source[token.end] in " \t":
            self._mark(token.start, token.end + 1, [f"{word}," for word in _PRINT[piece]])
        elif after.start == token.end:
            self._mark(token.start, token.end, [f"{word[:-1]}," for word in _PRINT[piece]])

    def _backtick(self, line: list[Token], index: int) -> None:
        token = line[index]
        if token.start < self.repr_end:
            return
        further = (line[at] for at in range(index + 1, len(line)))
        closing = next((other for other in further if self._text(other) == "`"), None)
        if closing is not None:
            self._opaque(token.start, closing.end)
            self.repr_end = closing.end

    def _comma(self, line: list[Token], index: int) -> None:
        token = line[index]
        if index + 1 >= len(line):
            return
        tail = self.source[token.end : line[index + 1].start + 1]
        commas = self.result.commas
        for mark in (operator + tail for operator in _OPERATORS):
            if mark in commas or mark not in self.source:
                commas[mark] = f",{tail}"
                self.replaced.append((token.start, token.end, mark[0]))
                return

    def _opens_parameters(self, line: list[Token], index: int) -> bool:
        return index >= 2 and self._text(line[index - 2]) == "def"

    def _is_tuple_parameter(self, line: list[Token], index: int, brackets: list[_Bracket]) -> bool:
        before = self._text(line[index - 1]) if index else ""
        if brackets and brackets[-1].parameters:
            return before in ("(", ",")
        if before == "lambda":
            return True
        return self.has_lambda and before == "," and self._in_lambda_parameters(line, index)

    def _in_lambda_parameters(self, line: list[Token], index: int) -> bool:
        depth = 0
        for other in reversed(line[:index]):
            piece = self._text(other)
            depth += (piece in CLOSING) - (piece in OPENING) if other.kind == "op" else 0
            if depth < 0 or (depth == 0 and piece == ":"):
                return False
            if depth == 0 and piece == "lambda":
                return True
        return False

    def _tuple_parameter(self, line: list[Token], index: int) -> None:
        depth = 0
        for other in line[index:]:
            piece = self._text(other)
            depth += (piece in OPENING) - (piece in CLOSING) if other.kind == "op" else 0
            if depth == 0:
                self._opaque(line[index].start, other.end)
                return

    def _string(self, token: Token, piece: str) -> None:
        prefix = piece[: len(piece) - len(piece.lstrip("rRbBuUfFtT"))]
        if prefix in _RAW_UNICODE:
            quote = piece[2]
            variants = [_RAW_UNICODE[prefix] + quote, *(f"{sign}{prefix[1]}{quote}" for sign in "~+-")]
            self._mark(token.start, token.start + 3, variants)
        elif "r" not in prefix.lower() and "\\" in piece:
            for hit in _BAD_ESCAPE.finditer(self.source, token.start, token.end):
                if _is_bad_escape(hit, in_bytes="b" in prefix.lower()):
                    self._mark(hit.start(), hit.start() + 1, _BARRIER_CHARACTERS)

    # --- placing

    def _text(self, token: Token) -> str:
        return self.source[token.start : token.end]

    def _word(self, token: Token, candidates: Iterable[str]) -> None:
        original = self._text(token)
        for word in candidates:
            if self.result.words.get(word) == original or (word not in self.known and word not in self.result.words):
                self.result.words[word] = original
                self.replaced.append((token.start, token.end, word))
                return

    def _mark(self, start: int, end: int, candidates: Iterable[str]) -> None:
        """Replace a range by the first candidate that the file does not hold."""
        original = self.source[start:end]
        for mark in candidates:
            if self.result.marks.get(mark) == original or (mark not in self.source and mark not in self.result.marks):
                self.result.marks[mark] = original
                self.replaced.append((start, end, mark))
                return

    def _opaque(self, start: int, end: int, before: str = "") -> None:
        """Replace a range on one line by a name that the file does not know, behind ``before``."""
        original = self.source[start:end]
        if "\n" in original or "\r" in original or _is_word(self.source[end : end + 1]):
            return
        if not before and _is_word(self.source[max(0, start - 1) : start]):
            before = " "  # lambda(a, b): a
        word = self.names.get((before, original))
        if word is None:
            name = self._fresh_name(len(original) - len(before))
            if name is None:
                return
            word = before + name
            self.names[before, original] = word
            self.result.words[word] = original
        self.replaced.append((start, end, word))

    def _fresh_name(self, length: int) -> str | None:
        if length < 1:
            return None
        for name in self.fresh_names.setdefault(length, _names(length)):
            if name not in self.known:
                self.known.add(name)
                return name
        return None


@dataclass
class _Bracket:
    kind: str
    parameters: bool
    # a comprehension that runs over a bare tuple: [x for x in 1, 2]
    iterates: bool = False
    seen_for: bool = False

    def enter(self, word: str) -> None:
        if word == "for":
            self.seen_for, self.iterates = True, False
        elif self.seen_for:
            self.iterates = True


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_bad_escape(hit: re.Match[str], *, in_bytes: bool) -> bool:
    code, rest = hit.group("code"), hit.group("rest")
    if code is None or (in_bytes and code != "x"):
        return False
    if code == "N":
        return not _is_character_name(rest)
    digits = _ESCAPE_DIGITS[code]
    if len(rest) < digits or rest.startswith("{"):
        return True
    return code == "U" and int(rest[:8], 16) > 0x10FFFF


def _is_character_name(braced: str) -> bool:
    import unicodedata

    try:
        unicodedata.lookup(braced[1:-1])
    except KeyError:
        return False
    return True


def _names(length: int) -> Iterator[str]:
    """Yield names of that length, unlikely ones first."""
    if length >= 6:
        for number in count():
            name = f"q{number}_".ljust(length, "_")
            if len(name) > length:
                return
            yield name
    letters = "QZXJVKYWqzxjvkywUHGBFDP_" + string.ascii_lowercase
    rest = "_0987654321" + letters
    for parts in product(letters, *[rest] * (length - 1)):
        name = "".join(parts)
        if name not in _KEYWORDS:
            yield name


_KEYWORDS = frozenset(keyword.kwlist)


def is_async(name: str) -> bool:
    """Say whether a name of a module's text stands for ``async``, or once did (``async_``)."""
    return name in ASYNC_WORDS or name in ("async", "async_")
