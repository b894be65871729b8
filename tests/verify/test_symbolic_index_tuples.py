"""``x[i, :]`` of a volatile ``i``: a part of a tuple, and no argument of the operation; a graph there stays one.

So it was on 0.3.0 (16.01 of the later recordings), also where it is written (16.06).
"""

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
WRITES = """
def pairs(base, x):
    picked = Variable(torch.arange(0, 2).long(), volatile=True)
    mask = Variable(torch.zeros(2, 2))
    mask[picked, :] = 1.0
    return base(x) * mask
"""


@pytest.mark.parametrize("index", ["picked, :", ":, picked", "[picked, picked]", "(picked,)", "..., picked"])
def test_the_flag_of_a_part_does_nothing(index):
    before = BEFORE.replace("picked, :", index)
    assert judge(before, before.replace(", volatile=True", ""), "pairs")[0] == "identical"


def test_a_block_around_it_is_too_wide():
    wide = DROPPED.replace("    other", "    with torch.no_grad():\n        other")
    assert judge(BEFORE, wide, "pairs")[0] != "identical"


def test_a_block_around_what_an_index_alone_takes_is_right():
    alone = BEFORE.replace("picked, :", "picked")
    within = "    with torch.no_grad():\n        other = features[picked]\n        return"
    block = alone.replace(", volatile=True", "").replace("    other = features[picked]\n    return", within)
    assert judge(alone, block, "pairs")[0] == "identical"
    assert judge(alone, alone.replace(", volatile=True", ""), "pairs")[0] != "identical"


@pytest.mark.parametrize("index", ["picked, :", ":, picked", "[picked]"])
def test_the_flag_of_a_part_by_which_is_written_does_nothing(index):
    before = WRITES.replace("picked, :", index)
    dropped = before.replace(", volatile=True", "")
    assert judge(before, dropped, "pairs")[0] == "identical"
    wide = dropped.replace("    return", "    with torch.no_grad():\n        return")
    assert judge(before, wide, "pairs")[0] != "identical"


def test_what_is_written_by_an_index_alone_is_volatile():
    before = WRITES.replace("picked, :", "picked")
    dropped = before.replace(", volatile=True", "")
    assert judge(before, dropped, "pairs")[0] != "identical"
    block = dropped.replace("    return", "    with torch.no_grad():\n        return")
    assert judge(before, block, "pairs")[0] == "identical"


@pytest.mark.parametrize("index", ["picked.chunk(2)", "torch.split(picked, 1)"])
def test_several_tensors_that_an_operation_gave_are_several_parts(index):
    before = BEFORE.replace("picked, :", index)
    assert judge(before, before.replace(", volatile=True", ""), "pairs")[0] == "identical"
    writes = WRITES.replace("picked, :", index)
    dropped = writes.replace(", volatile=True", "")
    assert judge(writes, dropped, "pairs")[0] == "identical"
    wide = dropped.replace("    return", "    with torch.no_grad():\n        return")
    assert judge(writes, wide, "pairs")[0] != "identical"
