"""What differs between two texts, as ranges of lines and what comes in their place."""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.sources.alignment import opcodes


def hunks(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """``(first, last, text)``: the lines first..last (from 0, half open) of ``before`` become ``text``."""
    old, new = lines_of(before), lines_of(after)
    for tag, first, last, start, end in opcodes(old, new):
        if tag != "equal":
            yield first, last, "".join(new[start:end])


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only ``\\n`` ends one, as in git and SARIF (a form feed does not)."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
