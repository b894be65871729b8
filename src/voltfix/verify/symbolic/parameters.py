"""The parameters of modules that are not at hand: always the same stand-ins."""

from __future__ import annotations

from voltfix.verify.symbolic.standin import StandIn, value
from voltfix.verify.symbolic.world import here


def parameters_of(path: str) -> list[StandIn]:
    """The parameters of an unknown module: always the same objects."""
    world = here()
    label = "parameter:" + path
    if label not in world.globals:
        made = value(path + ".parameter", world.parameter(path, used=False))
        made._vf.name = "parameter"
        world.globals[label] = made
    return [world.globals[label]]


def parameters_below(path: str) -> list[StandIn]:
    """The parameters of a module and of its parts, as far as the run has come across them."""
    parts = [name for name in here().leaves if name.startswith(path + ".") and not name.endswith("()")]
    parts = [name for name in parts if name in here().used]
    if path in here().used or not parts:
        parts.insert(0, path)
    return [each for name in parts for each in parameters_of(name)]
