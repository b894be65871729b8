"""What kind of value an expression has: a light inference for the rules, apart from the solver's.

``reaching`` says which definitions reach a name, ``values`` what a value can be, ``tables`` what torch's
functions make of theirs, ``infer`` puts them together on demand.
"""

from __future__ import annotations

from voltfix.modernize.kinds.infer import Kinds
from voltfix.modernize.kinds.values import (
    NOTHING,
    NUMBER,
    OTHER,
    UNKNOWN,
    Instance,
    Kind,
    Many,
    Tensor,
)

__all__ = ["NOTHING", "NUMBER", "OTHER", "UNKNOWN", "Instance", "Kind", "Kinds", "Many", "Tensor"]
