"""What refuses a volatile value on 0.3."""

from __future__ import annotations

from collections.abc import Mapping

# what raises when it is given a volatile value, with the words of 0.3.0
_IN_GRAPH = "element {index} of variables tuple is volatile"
REFUSES_VOLATILE: Mapping[str, str] = {
    "backward": _IN_GRAPH,
    "grad": _IN_GRAPH,
    "register_hook": "cannot register a hook on a volatile variable",
}
