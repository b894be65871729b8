"""Every sentence that a report says of a VF2xx finding, in one place; ``rules.messages`` says how they are written."""

from __future__ import annotations

from voltfix.rules.messages import LONGEST, asked_for, fault, planned, shortened

# --- what was done ---------------------------------------------------------------------------------------------------


def no_variable() -> str:
    """VF201."""
    return "removed Variable(): a tensor needs none"


def switches() -> str:
    """VF201: ``p.requires_grad = flag``."""
    return "replaced the flag by requires_grad_()"


def asks_for_tensor() -> str:
    """VF201."""
    return "replaced Variable by torch.Tensor in a type check"


def unused_import() -> str:
    """VF201."""
    return "removed the import of Variable: nothing uses it"


def item_for_index() -> str:
    """VF202."""
    return "replaced [0] by .item(): the tensor holds one number"


def item_of_element() -> str:
    """VF202."""
    return "added .item(): PyTorch 0.3 gave a Python number here"


def non_blocking() -> str:
    """VF203."""
    return "renamed async= to non_blocking="


def opposite() -> str:
    """VF204."""
    return "replaced 1 - mask by ~mask"


def counted() -> str:
    """VF204."""
    return "cast the comparisons to bytes: they are counted here"


def boolean() -> str:
    """VF204."""
    return "cast the mask to bool"


def reduction(value: str) -> str:
    """VF205."""
    return f"replaced the old arguments by reduction={shortened(value, 40)}"


def successor(old: str, new: str) -> str:
    """VF206, VF209."""
    return f"replaced {shortened(old, 40)} by {shortened(new, 40)}"


def renamed(new: str) -> str:
    """VF206."""
    return f"renamed it to {shortened(new, 40)}"


def corners() -> str:
    """VF206."""
    return "added align_corners=True, the default of PyTorch 0.3"


def dimension(dim: str | int) -> str:
    """VF206."""
    return f"added dim={dim}, the default of PyTorch 0.3"


def keywords(names: str) -> str:
    """VF206."""
    return f"named the factors: {shortened(names, 40)}"


def detach_for_data() -> str:
    """VF207."""
    return "replaced .data by .detach(): it is only read"


def reshape() -> str:
    """VF208."""
    return "replaced view by reshape: the tensor may not be contiguous"


def abstract() -> str:
    """VF209."""
    return "imported it from collections.abc"


def next_of() -> str:
    """VF209."""
    return "replaced .next() by next()"


def loads_objects() -> str:
    """VF210."""
    return "added weights_only=False: the file may hold more than weights"


def shape_of_place(has: int, place: int) -> str:
    """VF211."""
    return f"added .reshape_as(): it has {has} dimensions, its place has {place}"


def only_looked_at() -> str:
    """VF212."""
    return "added .detach(): the sum is only read"


def objects() -> str:
    """VF213."""
    return "added dtype=object: the rows differ in length"


def copied() -> str:
    """VF214."""
    return "added .copy(): the array has negative strides"


def cloned() -> str:
    """VF215."""
    return "added .clone(): dropout returns the parameter itself in eval mode"


# --- why not ---------------------------------------------------------------------------------------------------------


def used_as_value() -> str:
    """VF201."""
    return "uses Variable as a value: may mean torch.Tensor"


def unknown_arguments() -> str:
    """VF201."""
    return "calls Variable with arguments that cannot be told apart"


def graph_would_end() -> str:
    """VF202."""
    return "has no dimensions today: [0] raises, and .item() would cut its graph"


def unknown_shape() -> str:
    """VF202."""
    return "has an unknown shape: use .item() if it holds one number"


def unknown_result(callee: str) -> str:
    """VF202."""
    return f"reads an unknown result of {shortened(callee, 30)}(): use .item() if it holds one number"


def own_parameter() -> str:
    """VF203."""
    return "calls a function with a parameter named async: rename both by hand"


def own_method(method: str) -> str:
    """VF203."""
    return f"calls {shortened(method, 30)}(), which this project defines with a parameter named async"


def masks(what: str) -> str:
    """VF204: what is done to a comparison."""
    return f"{what} a comparison, which is bool today: cast it first"


def adds_masks() -> str:
    """VF204."""
    return "adds comparisons, which are bool today: cast them with .byte() to count them"


def too_old(what: str, since: str) -> str:
    """All rules."""
    return f"needs {shortened(what, 40)}, new in torch {since}: --torch-version is older"


def unknown_reduction() -> str:
    """VF205."""
    return "sets a reduction by values that are not written out"


def gone(name: str, new: str) -> str:
    """VF206."""
    return f"calls {shortened(name, 25)}, which is gone: {shortened(new, 30)} has other arguments or results"


def unknown_mode() -> str:
    """VF206."""
    return "resizes by a mode that is not written out: align_corners depends on it"


def unknown_dimension() -> str:
    """VF206."""
    return "leaves dim to torch, which chooses it by the number of dimensions"


def keeps_graphs() -> str:
    """VF212."""
    return "keeps the graph of every step: add .detach() unless you need its gradient"


def taken_back(detail: str | None) -> str:
    """All rules: the verifier found a difference."""
    return shortened(f"took it back: {asked_for(detail) or 'the results before and after differ'}", LONGEST)


def failed(code: str, error: str) -> str:
    """All rules: a fault of voltfix's own."""
    return fault(f"{code} failed here ({error})")


def only_suggested(sentence: str) -> str:
    """All rules: an edit that is only suggested, since what it rests on may be otherwise."""
    return f"--unsafe-fixes {shortened(planned(sentence), 90)}"


def cannot_edit() -> str:
    """All rules: a fault of voltfix's own."""
    return fault("the edit cannot be carried out")
