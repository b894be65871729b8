"""Which codes are on: ``--select``, ``--ignore`` and what is ignored in one file."""

from __future__ import annotations

from collections.abc import Iterable

from voltfix.model import Options


def ignored_in(options: Options, file: str) -> tuple[str, ...]:
    """The codes, or prefixes, that are left alone in one file."""
    return next((codes for path, codes in options.ignored if path == file), ())


def selected(code: str, select: Iterable[str], ignore: Iterable[str]) -> bool:
    """Whether a rule code is on: the longest prefix in ``select`` or ``ignore`` decides, as in ruff.

    All are on by default.
    """
    chosen = tuple(select)
    on = max((len(prefix) for prefix in chosen if code.startswith(prefix)), default=-1 if chosen else 0)
    off = max((len(prefix) for prefix in ignore if code.startswith(prefix)), default=-1)
    return on > off
