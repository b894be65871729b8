"""What PyTorch 0.3's operations did with ``volatile``, as plain data.

Importable without torch. The solver and the emulation both read these tables and share no other code, so
that one can check the other. Every row is an observation on a genuine 0.3.0; see ``docs/emulation.md`` for
how they are tested.
"""

from voltfix.torchmodel.flags import (
    CURES,
    KEEPS_VOLATILE,
    NO_TENSOR_RESULTS,
    PLAIN_RESULTS,
    REFUSES_VOLATILE,
)
from voltfix.torchmodel.inplace import (
    INPLACE_OPERATORS,
    KEEPS_NODE,
    is_inplace_name,
)
from voltfix.torchmodel.losses import CONTAGIOUS_LOSSES, LOSS_MODULES, TARGET_REFUSES_GRADIENT
from voltfix.torchmodel.operations import (
    AS_FUNCTIONS,
    COMPARISONS,
    INDEX_FUNCTIONS,
    INDEX_RESULTS,
    LOSS_FUNCTIONS,
    MADE_LIKE,
    MASK_ARGUMENTS,
    NODE_RESULTS,
    NON_CONTAGIOUS,
    NON_CONTAGIOUS_METHODS,
    STOCHASTIC,
    is_contagious,
    volatile_result,
)

__all__ = [
    "AS_FUNCTIONS",
    "COMPARISONS",
    "CONTAGIOUS_LOSSES",
    "CURES",
    "INDEX_FUNCTIONS",
    "INDEX_RESULTS",
    "INPLACE_OPERATORS",
    "KEEPS_NODE",
    "KEEPS_VOLATILE",
    "LOSS_FUNCTIONS",
    "LOSS_MODULES",
    "MADE_LIKE",
    "MASK_ARGUMENTS",
    "NODE_RESULTS",
    "NON_CONTAGIOUS",
    "NON_CONTAGIOUS_METHODS",
    "NO_TENSOR_RESULTS",
    "PLAIN_RESULTS",
    "REFUSES_VOLATILE",
    "STOCHASTIC",
    "TARGET_REFUSES_GRADIENT",
    "is_contagious",
    "is_inplace_name",
    "volatile_result",
]
