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


def is_inplace_name(function: str) -> bool:
    """Does a function of this name (``add_``, ``__setitem__``) write into its first argument?"""
    if function in INPLACE_OPERATORS:
        return True
    return function.endswith("_") and not function.endswith("__") and function not in _NO_WRITES
