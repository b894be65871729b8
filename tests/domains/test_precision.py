from __future__ import annotations

import itertools

from voltfix.domains.precision import EXACT, LADDER


def test_each_step_of_the_ladder_is_coarser_than_the_one_before():
    assert LADDER[0] == EXACT
    for finer, coarser in itertools.pairwise(LADDER):
        assert coarser != finer
        assert (coarser.items or 0) <= (finer.items or 0)
