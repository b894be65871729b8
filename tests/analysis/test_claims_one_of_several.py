"""A call that may be of one of several functions keeps its argument where one of them looks at it otherwise."""

from __future__ import annotations

import pytest
from solving import migrated_files

ARMS = """
import sys

if sys.argv[1:]:
    def batch(rows, at, quiet=False):
        return Variable(rows[at], volatile=quiet)
else:
    def batch(rows, at, quiet=False):
        {other}


def evaluate(model, rows):
    x = batch(rows, 1, quiet=True)
    return model(x).data


def train(model, rows):
    model(batch(rows, 2)).sum().backward()
"""


def test_an_argument_goes_where_each_function_that_may_take_it_only_hands_it_on():
    _, texts = migrated_files({"a.py": ARMS.format(other="return Variable(rows.get(at), volatile=quiet)")})
    assert "quiet" not in texts["a.py"]


@pytest.mark.parametrize("other", [
    "print(quiet)\n        return Variable(rows[at], volatile=quiet)",
    "return rows.get(at, quiet)",
    "return rows.get(at) if quiet else Variable(rows[at])",
])
def test_it_stays_where_one_of_them_looks_at_it(other: str):
    _, texts = migrated_files({"a.py": ARMS.format(other=other)})
    assert "batch(rows, 1, quiet=True)" in texts["a.py"]
    assert texts["a.py"].count("def batch(rows, at, quiet=False)") == 2
