"""Which word somebody meant who wrote another: for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable

_LOOK_ALIKE = str.maketrans("OolIi", "00111")


def likeliest(word: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """The word of ``known`` that is meant by ``word``; None where nothing is near.

    Codes are compared as they are read: O for 0 and l or I for 1 are one mistake of the eye, not several of the hand.
    Of codes that are as near as another one, that with the same beginning comes first.
    """
    import difflib

    words = list(known)
    if word.upper().translate(_LOOK_ALIKE) in words:
        return word.upper().translate(_LOOK_ALIKE)
    plain = {each.lower().translate(_LOOK_ALIKE): each for each in reversed(words)}
    close = difflib.get_close_matches(word.lower().translate(_LOOK_ALIKE), plain, 5, cutoff)
    if not close:
        return None

    def rank(each: str) -> tuple[float, int]:
        shared = len(_common(each, word.lower().translate(_LOOK_ALIKE)))
        return (difflib.SequenceMatcher(None, each, word.lower().translate(_LOOK_ALIKE)).ratio(), shared)

    return plain[max(close, key=rank)]


def _common(one: str, other: str) -> str:
    """What two words begin with."""
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:at]
