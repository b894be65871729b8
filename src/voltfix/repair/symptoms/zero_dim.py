"""Tensors without dimensions, where 0.3 had one of one element."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import ReplaceExpression
from voltfix.modernize.writing import torch_name
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_GUIDE = "https://pytorch.org/blog/pytorch-0_4_0-migration-guide/"
_BLOCKS = frozenset({"data", "detach", "cpu", "numpy"})  # in front of [0]: what .item() does as well


def indexed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``x[0]``: the number where nothing can be asked of it any more, the tensor itself where a graph hangs on it."""
    for node in place.outwards():
        if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Del):
            continue
        value = place.value(node.value)
        if value is None and place.failed is None:
            continue
        if value is not None and (value.dtype == "object" or not (value.is_scalar or value.kind == "number")):
            continue
        if isinstance(node.ctx, ast.Store):
            yield place.mend(
                "VF202", node, f"{place.atom(node.value)}.view(1)[{place.text(node.slice)}]", "has no dimensions"
            )
            continue
        index, base = _first(node)
        if not index:
            if value is not None and value.is_tensor and not isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
                text = f"{place.atom(node.value)}.view(-1)"
                yield place.mend("VF216", node.value, text, "had one dimension: .view(-1)")
            continue
        if value is not None and value.kind == "number":
            yield place.mend("VF202", node, place.text(base), "is a number already", seen=place.seen(node.value))
        elif value is not None and value.is_tensor and value.grad and not _cut_off(base):
            yield place.mend("VF202", node, place.text(base), "has no dimensions today, and is the one element itself",
                             seen=place.seen(node.value))  # fmt: skip
        else:
            text = f"{place.atom(stripped(base))}.item()"
            yield place.mend("VF202", node, text, "holds one number: .item()", seen=place.seen(node.value))
        if value is not None and value.is_tensor and value.is_scalar and not isinstance(node.slice, ast.Tuple):
            yield _at_times(place, base)


def _at_times(place: Place, node: ast.expr) -> Mend:
    """For what has no dimensions at some times only, where nothing that suits these suits the others."""
    torch, imports = torch_name(place.scene, place.path, node)
    told = "has no dimensions at times, and one at others: torch.atleast_1d()"
    return place.mend("VF216", node, f"{torch}.atleast_1d({place.text(node)})", told, *imports, seen=place.seen(node))


def _first(node: ast.Subscript) -> tuple[bool, ast.expr]:
    """Whether it asks for the one element; what it is asked of (``x`` of ``x[0][0]`` too)."""
    index = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    zero = all((isinstance(part, ast.Constant) and part.value in (0, -1)) or _is_minus_one(part) for part in parts)
    return zero, node.value


def _is_minus_one(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant) and node.operand.value == 1


def _cut_off(node: ast.expr) -> bool:
    while isinstance(node, (ast.Attribute, ast.Call)):
        if isinstance(node, ast.Attribute) and node.attr in ("data", "detach", "numpy"):
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def stripped(node: ast.expr) -> ast.expr:
    """``x`` of ``x.data.cpu().numpy()``."""
    while True:
        if isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _BLOCKS
            and not node.args
        ):
            node = node.func.value
        else:
            return node


def iterated(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Loops, unpacking, ``list(x)``, ``*x``: of a tensor without dimensions, one element."""
    found = False
    for node in _looped(place):
        value = place.value(node)
        if value is not None and value.is_scalar and value.is_tensor:
            found = True
            yield place.mend("VF216", node, f"{place.atom(node)}.view(1)", "is looped over as the one element it had")
            yield _at_times(place, node)
    if not found:
        for node in _looped(place):
            if place.value(node) is None:
                yield place.mend(
                    "VF216", node, f"{place.atom(node)}.view(-1)", "is looped over as the one element it had"
                )


def _looped(place: Place) -> Iterator[ast.expr]:
    """Expressions of a statement that are iterated over."""
    statement = place.statement
    if isinstance(statement, ast.For):
        yield statement.iter
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Tuple, ast.List)):
        yield statement.value
    for node in place.expressions():
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            yield from (generator.iter for generator in node.generators)
        elif isinstance(node, ast.Starred):
            yield node.value
        elif isinstance(node, ast.Call):
            yield from (argument for argument in node.args if not isinstance(argument, ast.Starred))


def measured(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """An operation that wants a dimension: what has none gets the one that it had."""
    found = []
    for node in _operands(place):
        value = place.value(node)
        if value is not None and value.is_tensor and value.is_scalar:
            found.append(node)
            yield place.mend("VF216", node, f"{place.atom(node)}.view(1)", "had one dimension: .view(1)")
    for node in found:
        yield _at_times(place, node)


def varied(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``x.view(1)`` of what has no dimensions at some times, and one at others: ``torch.atleast_1d``."""
    for node in place.calls("view"):
        one = len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == 1
        if one and isinstance(node.func, ast.Attribute):
            torch, imports = torch_name(place.scene, place.path, node)
            text = f"{torch}.atleast_1d({place.text(node.func.value)})"
            told = "has no dimensions at times, and one at others: torch.atleast_1d()"
            yield place.mend("VF216", node, text, told, *imports, seen=place.seen(node.func.value))


def _operands(place: Place) -> Iterator[ast.expr]:
    """What the operations of the expression that failed act on, the receivers first."""
    for node in place.within():
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
            yield from node.args
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, (ast.List, ast.Tuple)):
            yield from node.elts


def counted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``len(x)`` of what has no dimensions."""
    for node in place.outwards():
        if (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and isinstance(node.func, ast.Name)
            and node.func.id == "len"
        ):
            yield place.mend("VF216", node.args[0], f"{place.atom(node.args[0])}.view(1)", "had one element: .view(1)")
            value = place.value(node.args[0])
            if value is not None and value.is_tensor and value.is_scalar:
                yield _at_times(place, node.args[0])


def joined(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.cat`` of tensors that had one element each: ``torch.stack`` makes of them what cat did."""
    for node in place.outwards():
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "cat":
            continue
        value, func = place.value(node.args[0]), node.func
        along = node.args[1:] or [keyword.value for keyword in node.keywords if keyword.arg in ("dim", "axis")]
        plain = not along or (isinstance(along[0], ast.Constant) and along[0].value in (0, -1))
        same = value is not None and value.length == len(value.items) and all(item.is_scalar for item in value.items)
        if plain and (same or value is None or (value.items and all(item.is_scalar for item in value.items))):
            text = f"{place.atom(func.value)}.stack"
            yield place.mend("VF216", func, text, "stacks what has no dimensions", seen=place.seen(node.args[0]))
        elif isinstance(node.args[0], (ast.List, ast.Tuple)):
            yield from measured(place, match)
        else:
            name = "one" if "one" not in place.text(node) else "each"
            text = f"[{name}.view(1) if {name}.dim() == 0 else {name} for {name} in {place.text(node.args[0])}]"
            yield place.mend(
                "VF216", node.args[0], text, "some of them had one dimension", seen=place.seen(node.args[0])
            )


def keyed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A tensor as a key: it was a Python number, which is what a dictionary looks up."""
    for node in place.outwards():
        if isinstance(node, ast.Subscript):
            keys = [node.slice]
        elif isinstance(node, ast.Call) and node.args:
            keys = [node.args[0]]
        else:
            continue
        for key in keys:
            value = place.value(key)
            if value is None or (value.kind in ("tensor", "array") and value.count == 1):
                yield place.mend("VF202", key, f"{place.atom(key)}.item()", "is used as a key: .item()")
        for key in keys:  # it may be a number at other times, which has no .item()
            value = place.value(key)
            if value is not None and value.is_tensor and value.is_scalar and value.is_whole:
                told = "is used as a key, and is a number at times: int()"
                yield place.mend("VF202", key, f"int({place.text(key)})", told)


def hashed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A tensor as a key, which finds nothing but itself: in a dictionary, a set, or with ``in``."""
    found = []
    for node in _keys(place):
        value = place.value(node)
        if value is not None and value.is_tensor and value.is_scalar:
            found.append(node)
    for node in place.expressions():
        if isinstance(node, ast.Call) and called(node) in ("set", "frozenset", "Counter", "update", "fromkeys"):
            for argument in node.args[:1]:
                value = place.value(argument)
                if value is not None and value.is_tensor and len(value.shape or ()) == 1:
                    told = "are used as keys: .tolist()"
                    yield place.mend("VF202", argument, f"{place.atom(argument)}.tolist()", told)
    if found:
        edits = tuple(ReplaceExpression(place.span(node), f"{place.atom(node)}.item()") for node in found)
        yield place.edited("VF202", found[0], edits, "is used as a key: .item()")


def _keys(place: Place) -> Iterator[ast.expr]:
    for node in place.expressions():
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call):
            yield from node.args
        elif isinstance(node, ast.Compare):
            yield node.left
        elif isinstance(node, ast.Dict):
            yield from (key for key in node.keys if key is not None)
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            yield from node.elts
        elif isinstance(node, ast.DictComp):
            yield node.key
        elif isinstance(node, ast.SetComp):
            yield node.elt


def formatted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``"{:.2f}".format(x)`` of one element."""
    for node in _operands(place):
        value = place.value(node)
        if value is not None and value.kind in ("tensor", "array") and value.count == 1:
            yield place.mend("VF202", node, f"{place.atom(node)}.item()", "is told as a number: .item()")
    for node in place.expressions():
        if isinstance(node, ast.FormattedValue):
            value = place.value(node.value)
            if value is not None and value.kind in ("tensor", "array") and value.count == 1:
                yield place.mend(
                    "VF202", node.value, f"{place.atom(node.value)}.item()", "is told as a number: .item()"
                )


def told(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``str(x)``, ``"%s" % x`` of an element: the text of a Python number, which somebody reads."""
    for node in place.expressions():
        if isinstance(node, ast.Call) and called(node) in ("str", "repr", "map", "format", "write", "append"):
            operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            operands = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        elif isinstance(node, ast.FormattedValue):
            operands = [node.value]
        else:
            continue
        for operand in operands:
            value = place.value(operand)
            if value is None or not value.is_tensor:
                continue
            if value.is_scalar:
                text = f"{place.atom(operand)}.item()"
                yield place.mend("VF202", operand, text, "is told as the number that it was: .item()")
            elif isinstance(node, ast.Call) and called(node) == "map":
                text = f"{place.atom(operand)}.tolist()"
                yield place.mend("VF202", operand, text, "are told as the numbers that they were: .tolist()")


def single(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``float(x)``, ``"%d" % x``, ``a[0] = x`` of an array of one element."""
    for node in [*_operands(place), *_told(place)]:
        value = place.value(node)
        if (
            value is not None
            and value.kind in ("array", "tensor")
            and value.count == 1
            and not isinstance(node, ast.Constant)
        ):
            yield place.mend("VF202", node, f"{place.atom(node)}.item()", "holds one number: .item()")


def _told(place: Place) -> Iterator[ast.expr]:
    statement = place.statement
    if isinstance(statement, ast.Assign):
        yield statement.value
    for node in place.expressions():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            yield from node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]


def rounded(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``round(x, 2)`` of an element."""
    for node in place.calls("round"):
        if node.args:
            yield place.mend("VF202", node.args[0], f"{place.atom(node.args[0])}.item()", "was a number: .item()")


def serialised(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``json.dump`` of what holds tensors where numbers were."""
    for node in place.outwards():
        writes = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("dump", "dumps")
        )
        if not writes or not isinstance(node, ast.Call):
            continue
        if not any(keyword.arg in ("default", "cls", None) for keyword in node.keywords):
            close = place.text(node).rstrip()[:-1].rstrip().rstrip(",")
            told = "tensors in it were numbers"
            yield place.mend("VF216", node, f"{close}, default=lambda value: value.tolist())", told)


def widened(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Something of shape [1] written into what has no dimensions."""
    statement = place.statement
    if isinstance(statement, ast.AugAssign):
        given, owner = place.value(statement.value), place.value(statement.target)
        same = owner is not None and given is not None and given.count == owner.count
        if given is not None and given.is_tensor and (given.count == 1 or same):
            text = f"{place.atom(statement.value)}.view_as({place.text(statement.target)})"
            yield place.mend("VF216", statement.value, text, "has as many elements as what it is added to")
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, given = place.value(node.func.value), place.value(node.args[0])
            if owner is not None and given is not None and given.is_tensor and owner.count == given.count:
                text = f"{place.atom(node.args[0])}.view_as({place.text(node.func.value)})"
                yield place.mend("VF216", node.args[0], text, "has as many elements as what it is written to")


SYMPTOMS = (
    Symptom(
        "VF202",
        "index-of-0-dim",
        ("IndexError", "TypeError"),
        r"invalid index of a 0-dim tensor|too many indices for (array|tensor)|invalid index to scalar variable"
        r"|'(float|int|numpy\.\w+)' object is not subscriptable|slice\(\) cannot be applied to a 0-dim tensor",
        "a reduction, a loss and an element had one dimension",
        _GUIDE,
        indexed,
    ),
    Symptom(
        "VF216",
        "iteration-over-0-dim",
        ("TypeError",),
        r"iteration over a 0-d (tensor|array)",
        "it had one element, which a loop gave",
        _GUIDE,
        iterated,
    ),
    Symptom(
        "VF216",
        "length-of-0-dim",
        ("TypeError",),
        r"len\(\) of (a 0-d tensor|unsized object)",
        "it had one element",
        _GUIDE,
        counted,
    ),
    Symptom(
        "VF216",
        "cat-of-0-dim",
        ("RuntimeError",),
        r"zero-dimensional tensor .* cannot be concatenated",
        "tensors of one element were joined",
        _GUIDE,
        joined,
    ),
    Symptom(
        "VF216",
        "dimension-of-0-dim",
        ("RuntimeError", "IndexError", "ValueError"),
        r"tensor has no dimensions|Dimension out of range|at least 1D|1D tensors? expected, but got"
        r"|must be a (matrix|vector)"
        r"|Expected input batch_size|0D or 1D target|size mismatch|must match the size|expected [\dD]+ .*tensors?"
        r"|same number of dimensions|non-empty vector|Target size|same shape|Expected \d+[- ]?[dD]|dimension",
        "what is a tensor without dimensions today had one",
        _GUIDE,
        measured,
    ),
    Symptom("VF202", "tensor-as-key", ("KeyError",), r"^tensor\(", "an element was a Python number", _GUIDE, keyed),
    Symptom(
        "VF202",
        "key-that-is-a-tensor",
        ("meaning",),
        r"^tensor-as-key$",
        "an element of data was a Python number, which a dictionary finds again",
        _GUIDE,
        hashed,
    ),
    Symptom(
        "VF202",
        "tensor-in-format",
        ("TypeError",),
        r"unsupported format string passed to (Tensor|numpy\.ndarray)",
        "an element was a Python number",
        _GUIDE,
        formatted,
    ),
    Symptom(
        "VF202",
        "text-of-an-element",
        ("KeyError", "ValueError"),
        r"tensor\(",
        "an element was a Python number, and told as such",
        _GUIDE,
        told,
    ),
    Symptom(
        "VF202",
        "number-in-an-array",
        ("TypeError", "ValueError"),
        r"only 0-dimensional arrays can be converted|real number is required, not (numpy|Tensor)"
        r"|unsupported format string passed to numpy|setting an array element with a sequence|only (one element"
        r"|length-1)|only one element tensors can be converted",
        "an array of one element was taken for the number in it",
        "https://numpy.org/doc/stable/release/2.4.0-notes.html",
        single,
    ),
    Symptom(
        "VF202",
        "number-that-is-rounded",
        ("TypeError",),
        r"type Tensor doesn't define __round__",
        "an element was a Python number",
        _GUIDE,
        rounded,
    ),
    Symptom(
        "VF216",
        "one-element-at-times",
        ("RuntimeError",),
        r"shape '\[1\]' is invalid for input of size",
        "what is a tensor without dimensions today had one",
        _GUIDE,
        varied,
    ),
    Symptom(
        "VF216",
        "tensor-in-json",
        ("TypeError",),
        r"type (Tensor|float32|int64|ndarray) is not JSON serializable",
        "an element was a Python number",
        _GUIDE,
        serialised,
    ),
    Symptom(
        "VF216",
        "one-into-0-dim",
        ("RuntimeError",),
        r"output with shape \[[\d, ]*\] doesn't match the broadcast shape",
        "both had one element",
        _GUIDE,
        widened,
    ),
)
