"""Writing into tensors on 0.3.

``n`` is neither volatile nor requires grad, ``a`` requires grad and is no leaf, ``x`` requires grad and is
a leaf. Writing a volatile value into ``n`` or ``a`` makes *that object* volatile, and every other name of
it with it; the graph of ``a`` is lost. Writing into ``x`` raises. Writing anything into a volatile tensor
leaves it volatile.
"""

from __future__ import annotations

INPLACE_OPERATORS: frozenset[str] = frozenset(
    {
        "__iadd__",
        "__iand__",
        "__idiv__",
        "__ifloordiv__",
        "__imatmul__",
        "__imod__",
        "__imul__",
        "__ior__",
        "__ipow__",
        "__isub__",
        "__itruediv__",
        "__ixor__",
        "__setitem__",
    }
)

# underscored names that write no values
_NO_WRITES: frozenset[str] = frozenset({"requires_grad_", "share_memory_", "detach_", "retain_grad_"})

# where the flag ``inplace`` stands among the arguments, of a function of ``torch.nn.functional`` and of the module
_FLAG_OF_FUNCTIONS = {
    "dropout": 3, "dropout2d": 3, "dropout3d": 3, "elu": 2, "hardtanh": 3, "leaky_relu": 2,
    "relu": 1, "relu6": 1, "rrelu": 4, "selu": 1, "threshold": 3,
}  # fmt: skip
_FLAG_OF_MODULES = {
    "Dropout": 1, "Dropout2d": 1, "Dropout3d": 1, "ELU": 1, "Hardtanh": 2, "LeakyReLU": 1, "ReLU": 0, "ReLU6": 0,
    "RReLU": 2, "SELU": 0, "Threshold": 2,
}  # fmt: skip
FLAG = "inplace"


def flag_position(name: str) -> int | None:
    """Where the flag stands by which a function, or the module of that name, writes into its input; None: it has none.
    """
    return _FLAG_OF_FUNCTIONS.get(name, _FLAG_OF_MODULES.get(name))


def is_inplace_name(function: str) -> bool:
    """Does a function of this name (``add_``, ``__setitem__``) write into its first argument?"""
    if function in INPLACE_OPERATORS:
        return True
    return function.endswith("_") and not function.endswith("__") and function not in _NO_WRITES
