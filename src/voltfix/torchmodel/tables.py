"""What the rows say, asked the other way round: which names have a trait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from voltfix.torchmodel import traits as t
from voltfix.torchmodel.losses import LOSSES
from voltfix.torchmodel.methods import METHODS
from voltfix.torchmodel.operations import OPERATIONS

Argument: TypeAlias = int | str  # its position or keyword; 0 is the first tensor, and the object of a method
Arguments: TypeAlias = frozenset[Argument]

_ROWS = {name: OPERATIONS.get(name, 0) | METHODS.get(name, 0) for name in (*OPERATIONS, *METHODS)}
_SPARED: dict[int, tuple[Argument, ...]] = {
    t.INDEX_1: (1, "index"),
    t.INDEX_2: (2, "index"),
    t.MASK_1: (1, "mask"),
    t.OTHER_1: (1, "other"),
    t.LENGTHS_1: (1, "lengths"),
    t.BATCH_SIZES_1: (1, "batch_sizes"),
}


def having(trait: int) -> frozenset[str]:
    """The names whose rows have the trait."""
    return frozenset(name for name, traits in _ROWS.items() if traits & trait)


def _with_twins(names: frozenset[str]) -> frozenset[str]:
    return names | {f"{name}_" for name in names if _ROWS[name] & t.TWIN}


LOSS_FUNCTIONS: Mapping[str, Arguments] = {row.function: row.spared for row in LOSSES if row.spared}
LOSS_MODULES: Mapping[str, str] = {row.module: row.function for row in LOSSES if row.spared}
CONTAGIOUS_LOSSES = frozenset(row.module for row in LOSSES if not row.spared)
# a target that requires grad: these functions raise RuntimeError ("the derivative for 'target' is not
# implemented"), their modules AssertionError (so do the modules PoissonNLLLoss and those of LOSS_MODULES)
TARGET_REFUSES_GRADIENT = frozenset(row.function for row in LOSSES if row.refuses)

# the inputs that do not pass volatile on, by operation
NON_CONTAGIOUS: Mapping[str, Arguments] = {
    **{name: frozenset(spared) for trait, spared in _SPARED.items() for name in _with_twins(having(trait))},
    **LOSS_FUNCTIONS,
}
# methods of classes of torch.distributions that hand their argument on to a function of the table above
NON_CONTAGIOUS_METHODS: Mapping[tuple[str, str], Arguments] = {
    ("Bernoulli", "log_prob"): frozenset({1, "value"}),
    ("Categorical", "log_prob"): frozenset({1, "value"}),
}
# those whose result nothing differentiates through; the other sampler, ``rsample``, is there for gradients
SAMPLES = frozenset({"sample", "sample_n"})
# results that stay free of volatile even when an input is. The positions count in the tuple that is returned; a
# single result is position 0
INDEX_RESULTS: Mapping[str, frozenset[int]] = {
    name: frozenset(at for at, trait in enumerate((t.FREE_0, t.FREE_1, t.FREE_2)) if _ROWS[name] & trait)
    for name in having(t.FREE_0 | t.FREE_1 | t.FREE_2)
}
# of tensors they take one, and numbers beside it (``max`` and ``min`` compare two): dimensions, sizes
MEASURED = having(t.MEASURED)
ONE_TENSOR = (having(t.REDUCES | t.PAIRS) - {"max", "min"}) | (having(t.SIZES) & having(t.METHOD)) | MEASURED
# 0.3 raised where they were given no tensor to join
JOINS = having(t.JOINS)
PRODUCTS = having(t.PRODUCT)
NODE_RESULTS = having(t.NODE)
STOCHASTIC = having(t.SAMPLE)
MADE_LIKE = having(t.LIKE)
COMPARISONS = having(t.COMPARISON) | {f"__{name}__" for name in having(t.COMPARISON)}
MASK_ARGUMENTS: Mapping[str, int] = dict.fromkeys(_with_twins(having(t.MASK_1)), 1)
PLAIN_RESULTS = having(t.DATA)
NO_TENSOR_RESULTS = having(t.ABOUT)

TENSOR_METHODS = having(t.METHOD) | LOSS_FUNCTIONS.keys()
PLAIN_METHODS = having(t.PLAIN)
SAME_VALUES = having(t.DEVICE)
VIEWS = having(t.VIEW)
LOOKS = SAME_VALUES | VIEWS
SHAPE_METHODS = having(t.SIZES)
FACTORIES = having(t.FACTORY)
PLAIN_ATTRIBUTES = having(t.PLAIN_ATTRIBUTE)
SHOWS_GRAPH = having(t.SHOWS_GRAPH)
GRAPH_NAMES = having(t.GRAPH)
WITHOUT_GRAPH = having(t.PLAIN | t.NO_WEIGHT)
TENSOR_USES = having(t.TENSOR_USE)
NEUTRAL_METHODS = having(t.NEUTRAL)
NEUTRAL_ON_PLAIN = having(t.NEUTRAL_ON_PLAIN)
EFFECTLESS_METHODS = having(t.PLAIN | t.QUIET)
RESHUFFLING = having(t.RESHUFFLES)
STORING = having(t.STORES)
RESIZING = having(t.RESIZES)
ARRAY_METHODS = having(t.ARRAY)
SEVERAL = having(t.SEVERAL)
HANDING = having(t.HANDS)
MODEL_METHODS = having(t.OF_MODEL)
NETWORK_METHODS = MODEL_METHODS - having(t.PASSING)  # that no tensor has
PUTTING = having(t.PUTS) | {"__setitem__"}
RETURNS_SELF = having(t.RETURNS_SELF)
SAME_WEIGHTS = having(t.MOVES_WEIGHTS)
WEIGHT_LISTS = having(t.LISTS_WEIGHTS)
LISTING = {name: 1 + (name in having(t.LISTS_PAIRS)) for name in having(t.LISTS)}  # how deep what is listed is new
COMMON_METHODS = having(t.COMMON)
USUAL_METHODS = having(t.USUAL)


def is_contagious(function: str, argument: Argument) -> bool:
    """Does this argument (position or keyword) of this operation make its results volatile?

    ``function`` is the bare name (``gather``, ``mse_loss``, ``__setitem__``). Unknown operations are
    contagious.
    """
    return argument not in NON_CONTAGIOUS.get(function, frozenset())


def volatile_result(function: str, position: int) -> bool:
    """Is the result at ``position`` volatile when a contagious argument is?

    ``x.max()`` gives one result, the value, at position 0; ``x.max(1)`` gives an index besides, at position
    1.
    """
    return position not in INDEX_RESULTS.get(function, frozenset())
