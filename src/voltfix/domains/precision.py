"""How closely a function is looked at: where a budget runs out, it is looked at again, and less closely.

What is given up, in this order: conditions that nothing in the code repeats (a value is volatile *perhaps*, on some
paths), the shapes of containers, and what the functions that are called compute. Each is given up for the sound side
alone: what may be volatile may also not be, so that no block comes to lie on it, and none is said to be needless.
"""

from __future__ import annotations

import sys
from typing import NamedTuple


class Precision(NamedTuple):
    """What one interpretation tells apart."""

    atoms: int  # conditions that one formula hangs on
    alternatives: int  # tensors that one name may hold
    items: int  # entries of a list
    enters: bool  # functions that carry no flag, where they are small
    given_up: str  # in words
    nodes: float = 1.0  # how much of the nodes that diagrams may have


LADDER = (
    Precision(sys.maxsize, 8, 24, True, ""),
    # where this is enough it takes few nodes: what takes many here takes too many, as it did before
    Precision(8, 3, 12, True, "conditions", 0.125),
    # the last that looks into what is called: what it cannot show is seldom shown without that
    Precision(4, 2, 4, True, "conditions and containers", 0.25),
    Precision(4, 2, 4, False, "conditions, containers and callees", 0.5),
)
EXACT = LADDER[0]
