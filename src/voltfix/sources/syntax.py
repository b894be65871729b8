"""Parsing that warns nobody and never crashes."""

from __future__ import annotations

import ast
import re
import warnings
from weakref import WeakValueDictionary

_unclaimed: dict[str, ast.Module] = {}  # trees of texts that were only read so far, each for one taker

# trees that were claimed, as long as their takers have them, for those who only read
_claimed: WeakValueDictionary[str, ast.Module] = WeakValueDictionary()

# CPython's parser keeps every beginning of a dotted name that is imported: 60,000 short words took 3.8 GB
_WORDS = 200
_BETWEEN = r"(?:[ \t\f]|\\\r?\n)*"
_LONG_NAME = re.compile(rf"(?<!\w)(?:\w+{_BETWEEN}\.{_BETWEEN}){{{_WORDS}}}")


def check(text: str) -> SyntaxError | None:
    """What is wrong with ``text``; the tree of one that parses is kept for ``claim``."""
    found = parse(text)
    if isinstance(found, SyntaxError):
        return found
    _unclaimed[text] = found
    return None


def claim(text: str) -> ast.Module | SyntaxError:
    """Parse ``text``, or take over the tree that ``check`` made of it: nobody else has it."""
    found = _unclaimed.pop(text, None) or parse(text)
    if isinstance(found, ast.Module):
        _claimed[text] = found
    return found


def shared(text: str) -> ast.Module | SyntaxError:
    """The tree of ``text`` that somebody claimed, else a new one; to be read, not to be kept."""
    return _claimed.get(text) or parse(text)


def forget() -> None:
    """Let go of the trees that nobody claimed."""
    _unclaimed.clear()


def parse(text: str) -> ast.Module | SyntaxError:
    """Parse ``text`` with today's ast; what goes wrong, too deep nesting included, comes back as a value."""
    if _has_long_name(text):
        return SyntaxError(f"a name of more than {_WORDS} words with dots between them")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like: not ours to judge
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (RecursionError, MemoryError):
        return SyntaxError("the code is nested too deeply to be parsed")
    except (ValueError, UnicodeError, OverflowError) as error:
        return SyntaxError(str(error))


def _has_long_name(text: str) -> bool:
    may_be = any(len(line) >= 2 * _WORDS or line.endswith(("\\", "\\\r")) for line in text.split("\n"))
    return may_be and _LONG_NAME.search(text) is not None
