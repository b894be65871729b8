"""``x[i, :]`` of a volatile ``i``: a part of a tuple, and no argument of the operation; a graph there stays one."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge  # noqa: E402

BEFORE = """
def pairs(base, x):
    picked = Variable(torch.arange(0, 2).long(), volatile=True)
    features = base(x)
    other = features[picked, :]
    return features[:2] - other
"""
DROPPED = BEFORE.replace(", volatile=True", "")


def test_a_block_around_it_is_too_wide():
    wide = DROPPED.replace("    other", "    with torch.no_grad():\n        other")
    assert judge(BEFORE, wide, "pairs")[0] != "identical"


def test_a_block_around_what_an_index_alone_takes_is_right():
    alone = BEFORE.replace("picked, :", "picked")
    within = "    with torch.no_grad():\n        other = features[picked]\n        return"
    block = alone.replace(", volatile=True", "").replace("    other = features[picked]\n    return", within)
    assert judge(alone, block, "pairs")[0] == "identical"
    assert judge(alone, alone.replace(", volatile=True", ""), "pairs")[0] != "identical"
