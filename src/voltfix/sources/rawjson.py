"""JSON that remembers where everything stood, so that a few strings can be exchanged and all else stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]

from voltfix.records import dataclass

_SPACE = re.compile(r"[ \t\n\r]*")
_ATOM = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


@dataclass(frozen=True)
class Node:
    """A value and its range; ``value`` is a dict or list of nodes, a string, or None for the rest."""

    start: int
    end: int
    value: dict[str, Node] | list[Node] | str | None

    def get(self, key: str) -> Node | None:
        """Return the member of that name, None where there is none."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def elements(self) -> list[Node]:
        """Return the elements of a list, none for anything else."""
        return self.value if isinstance(self.value, list) else []

    def string(self) -> str | None:
        """Return a string's text, None for anything else."""
        return self.value if isinstance(self.value, str) else None


def parse(text: str) -> Node:
    """Parse JSON; raises ValueError (JSONDecodeError) or RecursionError."""
    node = _value(text, _skip(text, 0))
    if _skip(text, node.end) != len(text):
        raise json.JSONDecodeError("extra data", text, node.end)
    return node


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> Node:
    head = text[at : at + 1]
    if head == '"':
        value, end = scanstring(text, at + 1)
        return Node(at, end, value)
    if head == "{":
        return _object(text, at)
    if head == "[":
        return _array(text, at)
    found = _ATOM.match(text, at)
    if found is None:
        raise json.JSONDecodeError("expecting a value", text, at)
    return Node(at, found.end(), None)


def _object(text: str, start: int) -> Node:
    members: dict[str, Node] = {}
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("expecting a name", text, at)
        name, at = scanstring(text, at + 1)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("expecting ':'", text, at)
        members[name] = _value(text, _skip(text, at + 1))
        at = _next(text, members[name].end, "}")
    return Node(start, at + 1, members)


def _array(text: str, start: int) -> Node:
    elements: list[Node] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        elements.append(_value(text, at))
        at = _next(text, elements[-1].end, "]")
    return Node(start, at + 1, elements)


def _next(text: str, at: int, closing: str) -> int:
    """Step over a comma to what follows it, or stay before the closing bracket."""
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        at = _skip(text, at + 1)
        if text[at : at + 1] != closing:
            return at
    elif text[at : at + 1] == closing:
        return at
    raise json.JSONDecodeError("expecting ',' or a closing bracket", text, at)


class Spelling:
    """Writes strings the way a file writes them: which characters it escapes, and how."""

    def __init__(self, raws: Iterable[str], *, ascii_only: bool) -> None:
        """``raws`` are strings as they stand in the file, quotes included."""
        self._ascii_only = ascii_only
        self._known: dict[str, str] = {}
        for raw in raws:
            for piece in characters(raw):
                self._known.setdefault(json.loads(f'"{piece}"'), piece)

    def body(self, text: str) -> str:
        """Return what stands between the quotes for ``text``."""
        return "".join(self._known.get(char) or self._fresh(char) for char in text)

    def _fresh(self, char: str) -> str:
        written = json.dumps(char, ensure_ascii=self._ascii_only)
        return written[1:-1]


def characters(raw: str) -> list[str]:
    """Cut a JSON string, quotes included, into the spellings of its characters."""
    return _CHARACTER.findall(raw, 1, len(raw) - 1)
