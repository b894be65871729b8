"""How volatility begins and ends on 0.3, and what refuses a volatile value."""

from __future__ import annotations

from collections.abc import Mapping

# attributes and methods that keep the flag although one may think otherwise
KEEPS_VOLATILE: frozenset[str] = frozenset(
    {
        "clone",
        "contiguous",
        "cpu",
        "cuda",
        "detach",
        "detach_",
        "double",
        "expand",
        "float",
        "half",
        "long",
        "view",
    }
)

# attributes and methods that give plain data: a tensor that is no Variable, an array, a number
PLAIN_RESULTS: frozenset[str] = frozenset({"__array__", "data", "item", "numpy", "tolist"})
NO_TENSOR_RESULTS: frozenset[str] = frozenset(
    {
        "__bool__",
        "__float__",
        "__hash__",
        "__index__",
        "__int__",
        "__len__",
        "__repr__",
        "data_ptr",
        "dim",
        "element_size",
        "get_device",
        "is_contiguous",
        "is_leaf",
        "numel",
        "requires_grad",
        "shape",
        "size",
        "storage_offset",
        "stride",
        "volatile",
    }
)

# what ends volatility: the code, and what it does
CURES: Mapping[str, str] = {
    "Variable(v.data)": "a new Variable over the same data, not volatile",
    "v.volatile = False": "on a leaf; the result of a volatile operation is one",
    "v.data": "plain data",
    "v.max(1)[1]": "an index",
}

# what raises when it is given a volatile value, with the words of 0.3.0
REFUSES_VOLATILE: Mapping[str, str] = {
    "backward": "element {index} of variables tuple is volatile",
    "grad": "element {index} of variables tuple is volatile",
    "register_hook": "cannot register a hook on a volatile variable",
}
