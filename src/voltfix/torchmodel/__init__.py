"""What PyTorch 0.3's operations did with ``volatile``, as plain data.

Importable without torch. The solver and the emulation both read what is named here and share no other code, so
that one can check the other. Each is an observation on a genuine 0.3.0; see ``docs/emulation.md`` for how they are
tested. The other tables of this package are the rewriter's alone.
"""

from voltfix.torchmodel.flags import REFUSES_VOLATILE
from voltfix.torchmodel.inplace import is_inplace_name
from voltfix.torchmodel.tables import (
    COMPARISONS,
    INDEX_RESULTS,
    LOSS_FUNCTIONS,
    LOSS_MODULES,
    MASK_ARGUMENTS,
    NO_TENSOR_RESULTS,
    NODE_RESULTS,
    NON_CONTAGIOUS,
    NON_CONTAGIOUS_METHODS,
    PLAIN_RESULTS,
    SEVERAL,
    STOCHASTIC,
    TARGET_REFUSES_GRADIENT,
    is_contagious,
    volatile_result,
)

__all__ = [
    "COMPARISONS",
    "INDEX_RESULTS",
    "LOSS_FUNCTIONS",
    "LOSS_MODULES",
    "MASK_ARGUMENTS",
    "NODE_RESULTS",
    "NON_CONTAGIOUS",
    "NON_CONTAGIOUS_METHODS",
    "NO_TENSOR_RESULTS",
    "PLAIN_RESULTS",
    "REFUSES_VOLATILE",
    "SEVERAL",
    "STOCHASTIC",
    "TARGET_REFUSES_GRADIENT",
    "is_contagious",
    "is_inplace_name",
    "volatile_result",
]
