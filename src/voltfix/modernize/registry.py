"""The VF2xx rules, in the order in which they act."""

from __future__ import annotations

from voltfix.modernize import (
    vf201_variable,
    vf202_item,
    vf203_async,
    vf204_masks,
    vf205_reduction,
    vf206_names,
    vf207_detach,
    vf208_reshape,
    vf209_surroundings,
    vf210_load,
    vf211_assignment,
    vf212_accumulators,
    vf213_ragged,
    vf214_reversed,
    vf215_dropout,
)
from voltfix.modernize.finding import Rule

# What looks at 0.3's Variables comes before VF201, which takes them away; VF207 sees what is left of .data.
RULES: tuple[Rule, ...] = (
    vf203_async.RULE,
    vf209_surroundings.RULE,
    vf202_item.RULE,
    vf212_accumulators.RULE,
    vf204_masks.RULE,
    vf208_reshape.RULE,
    vf205_reduction.RULE,
    vf206_names.RULE,
    vf211_assignment.RULE,
    vf213_ragged.RULE,
    vf214_reversed.RULE,
    vf215_dropout.RULE,
    vf210_load.RULE,
    vf201_variable.RULE,
    vf207_detach.RULE,
)
