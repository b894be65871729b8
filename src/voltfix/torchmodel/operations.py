"""Which arguments of an operation pass ``volatile`` on, and which of its results take it.

The rule of 0.3: an operation with a volatile input gives volatile outputs without a graph. The exceptions
below are inputs that the operation cannot differentiate, and outputs that are indices.

An *argument* is named by its position or its keyword. Position 0 is the first tensor, so that
``torch.gather(x, 1, i)`` and ``x.gather(1, i)`` share a row: for a method, position 0 is the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Argument: TypeAlias = int | str
Arguments: TypeAlias = frozenset[Argument]


def _row(*arguments: Argument) -> Arguments:
    return frozenset(arguments)


# the index or mask of these does not pass volatile on; x[index] and F.embedding(index) are not among them
INDEX_FUNCTIONS: Mapping[str, Arguments] = {
    "gather": _row(2, "index"),
    "index_add": _row(2, "index"),
    "index_add_": _row(2, "index"),
    "index_copy": _row(2, "index"),
    "index_copy_": _row(2, "index"),
    "index_fill": _row(2, "index"),
    "index_fill_": _row(2, "index"),
    "index_select": _row(2, "index"),
    "masked_fill": _row(1, "mask"),
    "masked_fill_": _row(1, "mask"),
    "masked_scatter": _row(1, "mask"),
    "masked_scatter_": _row(1, "mask"),
    "masked_copy": _row(1, "mask"),
    "masked_select": _row(1, "mask"),
    "put_": _row(1, "index"),
    "scatter": _row(2, "index"),
    "scatter_": _row(2, "index"),
    "scatter_add": _row(2, "index"),
    "scatter_add_": _row(2, "index"),
    "take": _row(1, "index"),
}

# the argument of these gives a shape or a type and nothing else. (zeros_like and ones_like are none of them:
# those of a volatile value are volatile)
AS_FUNCTIONS: Mapping[str, Arguments] = {
    "expand_as": _row(1, "other"),
    "type_as": _row(1, "other"),
    "view_as": _row(1, "other"),
}

# the target and the weight of these losses; the other losses are written out in Python and pass it on
# (losses.py)
LOSS_FUNCTIONS: Mapping[str, Arguments] = {
    "binary_cross_entropy": _row(1, "target", 2, "weight"),
    "cross_entropy": _row(1, "target", 2, "weight"),
    "kl_div": _row(1, "target"),
    "l1_loss": _row(1, "target"),
    "mse_loss": _row(1, "target"),
    "multi_margin_loss": _row(1, "target", 4, "weight"),
    "multilabel_margin_loss": _row(1, "target"),
    "multilabel_soft_margin_loss": _row(1, "target", 2, "weight"),
    "nll_loss": _row(1, "target", 2, "weight"),
    "nll_loss2d": _row(1, "target", 2, "weight"),
    "smooth_l1_loss": _row(1, "target"),
    "soft_margin_loss": _row(1, "target"),
}

# packed sequences carry their lengths as a tensor today, as a list on 0.3; the divisor of remainder had no
# derivative
_OTHERS: Mapping[str, Arguments] = {
    "_pack_padded_sequence": _row(1, "lengths"),
    "_pad_packed_sequence": _row(1, "batch_sizes"),
    "remainder": _row(1, "other"),
}

NON_CONTAGIOUS: Mapping[str, Arguments] = {**INDEX_FUNCTIONS, **AS_FUNCTIONS, **LOSS_FUNCTIONS, **_OTHERS}

# methods of classes of torch.distributions that hand their argument on to a function of the table above
NON_CONTAGIOUS_METHODS: Mapping[tuple[str, str], Arguments] = {
    ("Bernoulli", "log_prob"): _row(1, "value"),
    ("Categorical", "log_prob"): _row(1, "value"),
}

# results that stay free of volatile even when an input is: indices, and second factors that 0.3 did not
# differentiate. The positions count in the tuple that is returned; a single result is position 0. (eig and
# its kin: sweep of 0.3.0)
INDEX_RESULTS: Mapping[str, frozenset[int]] = {
    "_pack_padded_sequence": frozenset({1}),
    "_pad_packed_sequence": frozenset({1}),
    "argmax": frozenset({0}),
    "argmin": frozenset({0}),
    "argsort": frozenset({0}),
    "eig": frozenset({1}),
    "geqrf": frozenset({1}),
    "gesv": frozenset({1}),
    "kthvalue": frozenset({1}),
    "max": frozenset({1}),
    "max_pool2d_with_indices": frozenset({1}),
    "max_pool3d_with_indices": frozenset({1}),
    "median": frozenset({1}),
    "min": frozenset({1}),
    "mode": frozenset({1}),
    "pstrf": frozenset({1}),
    "qr": frozenset({1}),
    "sort": frozenset({1}),
    "svd": frozenset({1, 2}),
    "symeig": frozenset({1}),
    "topk": frozenset({1}),
}

# these gave their results a node (``grad_fn``) even where nothing requires grad: ``x[0].volatile = False``
# raises. Indexing by a tensor is none of them, and a conversion is one only where the type changes.
NODE_RESULTS: frozenset[str] = frozenset(
    {
        "__getitem__",
        "bernoulli",
        "byte",
        "double",
        "float",
        "half",
        "int",
        "long",
        "multinomial",
        "normal",
        "short",
        "type",
        "type_as",
        "unbind",
    }
)

# samples: nothing differentiates through them, although torch of today says that some require grad
STOCHASTIC: frozenset[str] = frozenset({"bernoulli", "multinomial", "normal"})

# made anew in the shape of a tensor: volatile where that is, and without a graph whatever it is
MADE_LIKE: frozenset[str] = frozenset({"ones_like", "zeros_like"})

# byte tensors on 0.3, bool today
COMPARISONS: frozenset[str] = frozenset(
    {"eq", "ge", "gt", "le", "lt", "ne", "__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"}
)
MASK_ARGUMENTS: Mapping[str, Argument] = {
    "masked_fill": 1,
    "masked_fill_": 1,
    "masked_scatter": 1,
    "masked_scatter_": 1,
    "masked_select": 1,
}


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
