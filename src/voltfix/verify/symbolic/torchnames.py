"""Stand-ins for the names of torch."""

from __future__ import annotations

from voltfix.verify.symbolic.standin import StandIn, State

_KEPT: dict[str, StandIn] = {}


def name(path: str) -> StandIn:
    """The stand-in for the name ``path`` of torch; one object a name, so that ``type(x) == Variable``
    works.
    """
    if path.endswith(".Variable") or path == "Variable":
        path = "torch.autograd.Variable"
    if path not in _KEPT:
        _KEPT[path] = StandIn(State(path, "torch"))
    return _KEPT[path]
