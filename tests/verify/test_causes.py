"""Why something was not run is one of eight causes."""

from __future__ import annotations

import pytest

from voltfix.verify.causes import CAUSES, word_of


def test_there_are_eight_causes_at_most():
    assert len(CAUSES) <= 8
    assert all(meaning and pieces for meaning, pieces in CAUSES.values())


@pytest.mark.parametrize(
    ("detail", "word"),
    [
        ("a.py: f: the flag was never on (line 8)", "never-on"),
        ("a.py: f: line 8 `call net`: requires_grad False before, True after (given settings that are not what the "
         "module sets them to), when on", "guess"),
        ("a.py: f: line 8 `call net`: it differs (given numbers that are not so: 5 < 3)", "guess"),
        ("a.py: f: with the block at line 8 taken out it would look the same", "near-miss"),
        ("a.py: f: line 20 changed, and no way that was run comes by it", "not-reached"),
        ("a.py: f: more than 4000 operations", "limit"),
        ("a.py: f: code that reaches for __code__ is not run", "forbidden"),
        ("a.py: f: the code stops at line 3, on stand-ins or by itself: 'PART'", "not-followed"),
        ("a.py: f: a loop that only a return ends goes on", "not-followed"),
        ("torch is not installed", "not-here"),
        (None, "not-here"),
    ],
)  # fmt: skip
def test_a_detail_tells_its_cause(detail: str | None, word: str):
    assert word_of(detail) == word
