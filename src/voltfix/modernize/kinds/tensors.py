"""What becomes of a tensor: arithmetic, indexing, attributes, methods."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix.modernize.kinds import tables
from voltfix.modernize.kinds.values import (
    NOTHING,
    NUMBER,
    NUMPY,
    OTHER,
    UNKNOWN,
    DType,
    Guess,
    Instance,
    Kind,
    Many,
    Tensor,
    many,
    together,
)

if TYPE_CHECKING:
    from voltfix.modernize.kinds.asking import Kinds


def arithmetic(left: Kind, right: Kind, operator: ast.operator) -> Kind:
    """``left OP right``."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return broadcast(left, right)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Tensor):
            if other in (NUMBER, NOTHING):
                return replace(one, dtype=_after(one, operator), guessed=_computed(one))
            if isinstance(other, Instance):
                return UNKNOWN
            if other == UNKNOWN:
                plain = one.plain and None
                return Tensor(strided=one.strided, plain=plain, maybe=one.maybe, guessed=one.guessed)
    if NOTHING in (left, right):
        return left if right == NOTHING else right
    if left == right == NUMBER:
        return NUMBER
    if isinstance(left, Many) and isinstance(right, Many) and isinstance(operator, ast.Add):
        return Many(None, many((left.element, right.element)).element)
    if isinstance(left, Many) and isinstance(operator, ast.Mult):
        return Many(None, left.element)
    if NUMPY in (left, right) and UNKNOWN not in (left, right):
        return NUMPY
    return OTHER if OTHER in (left, right) and UNKNOWN not in (left, right) else UNKNOWN


def _after(tensor: Tensor, operator: ast.operator) -> DType | None:
    if isinstance(operator, ast.Div) and tensor.dtype in ("long", "byte", "bool"):
        return "float"
    return tensor.dtype


def _computed(one: Tensor) -> Guess:
    """What something may be besides a tensor that is computed or compared with: modules have no order either."""
    return "" if one.guessed == "module" and one.plain is not True else one.guessed


def broadcast(left: Tensor, right: Tensor) -> Tensor:
    """An elementwise operation of two tensors."""
    if left.dim is not None and right.dim is not None:
        dim: int | None = max(left.dim, right.dim)
    else:
        dim = left.dim if right.dim == 0 else right.dim if left.dim == 0 else None
    dtypes = {left.dtype, right.dtype}
    dtype = left.dtype if len(dtypes) == 1 else "float" if "float" in dtypes else None
    plain = together([left.plain, right.plain])
    return Tensor(
        dim, left.single and right.single, dtype, left.strided or right.strided, left.maybe and right.maybe, plain,
        left.guessed and right.guessed,
    )  # fmt: skip


def comparison(left: Kind, right: Kind, *, ordered: bool = False) -> Tensor:
    """``left == right`` and its kin; ``ordered``: which is less."""
    one = left if isinstance(left, Tensor) else right
    assert isinstance(one, Tensor)
    both = isinstance(left, Tensor) and isinstance(right, Tensor)
    shape = broadcast(left, right) if both else one  # type: ignore[arg-type]
    if not both and UNKNOWN in (left, right):
        shape = Tensor(strided=one.strided, maybe=one.maybe, plain=one.plain, guessed=one.guessed)
    return replace(shape, dtype="bool", guessed=_computed(shape) if ordered else shape.guessed)


def indexed(base: Tensor, index: ast.expr, kind: Kind | None) -> Kind:
    """``base[index]``."""
    if isinstance(index, ast.Slice):
        return replace(base, single=False, maybe=False)
    if isinstance(index, ast.Tuple):
        return _by_tuple(base, index)
    if kind == NUMBER or _is_number(index):
        dim = None if base.dim is None else max(base.dim - 1, 0)
        return Tensor(dim, dim == 0, base.dtype, base.strided, plain=base.plain)
    if isinstance(kind, Tensor) and kind.dtype == "long" and kind.dim is not None and base.dim is not None:
        return Tensor(base.dim - 1 + kind.dim, False, base.dtype, plain=base.plain)
    if isinstance(kind, Tensor) and kind.dtype in ("bool", "byte") and kind.dim == base.dim:
        return Tensor(1, False, base.dtype, plain=base.plain)
    return Tensor(None, False, base.dtype, plain=base.plain)


def _by_tuple(base: Tensor, index: ast.Tuple) -> Tensor:
    dim = base.dim
    for element in index.elts:
        if _is_number(element):
            dim = None if dim is None else dim - 1
        elif isinstance(element, ast.Constant) and element.value is None:
            dim = None if dim is None else dim + 1
        elif not isinstance(element, ast.Slice):
            dim = None
    return Tensor(dim, dim == 0, base.dtype, strided=True, plain=base.plain)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) is int


def attribute(base: Tensor, name: str) -> Kind:
    """``base.name``, not called."""
    if name in ("data", "grad"):
        return replace(base, maybe=False, plain=name == "data")
    if name in ("T", "mT"):
        return replace(base, strided=True, maybe=False)
    if name in ("shape",):
        return Many(None, NUMBER)
    return OTHER


def method(kinds: Kinds, path: str, base: Tensor, name: str, call: ast.Call, arguments: Sequence[ast.expr]) -> Kind:
    """``base.name(arguments)``; ``arguments`` without the tensor, which ``torch.name`` takes first."""
    base = replace(base, maybe=False)
    if name in tables.PLAIN_RESULT:
        return Many(None, NUMBER) if name == "size" and not arguments else NUMBER if name != "tolist" else OTHER
    if name == "numpy":
        return NUMPY
    if name in tables.CASTS:
        return replace(base, dtype=tables.CASTS[name])
    if name in tables.REDUCTIONS or name in tables.PAIRS:
        return _reduced(kinds, path, base, name, call, arguments)
    if name in tables.SCALARS:
        return Tensor(0, True, base.dtype, plain=base.plain)
    if name in tables.COMPARISONS:
        other = kinds.of(path, arguments[0]) if arguments else NUMBER
        return comparison(base, other)
    if name in tables.STRIDING:
        return _strided(base, name, arguments)
    return _shaped(kinds, path, base, name, call, arguments)


def _strided(base: Tensor, name: str, arguments: Sequence[ast.expr]) -> Tensor:
    dim = base.dim
    if name in ("expand", "permute"):
        dim = len(arguments) if len(arguments) > 1 and not _starred(arguments) else dim if name == "permute" else None
    elif name in ("expand_as", "diagonal", "unfold"):
        dim = None
    return Tensor(dim, False, base.dtype, strided=True, plain=base.plain)


def _shaped(kinds: Kinds, path: str, base: Tensor, name: str, call: ast.Call, arguments: Sequence[ast.expr]) -> Kind:
    plain = name.rstrip("_")
    if name == "detach":
        return replace(base, plain="detached")  # a Variable on 0.3, but without a graph
    if name == "type" and not arguments:
        return OTHER  # its name
    if name in ("type", "type_as", "to"):
        return replace(base, dtype=None)
    if name in tables.SAME or plain in tables.SAME:
        return replace(base, single=base.single and name != "index_select")
    if name == "contiguous":
        return replace(base, strided=False)
    if plain in tables.ELEMENTWISE or name == "fill_diagonal_":
        operands = [kinds.of(path, argument) for argument in arguments[:1]]
        other = next((kind for kind in operands if isinstance(kind, Tensor)), None)
        unknown = UNKNOWN in operands and plain in ("add", "sub", "mul", "div", "pow", "where")
        if name.endswith("_") or plain not in (
            "add",
            "sub",
            "mul",
            "div",
            "pow",
            "where",
            "fmod",
            "remainder",
        ):
            return base
        if unknown:
            return Tensor(strided=base.strided, plain=base.plain and None)
        return broadcast(base, other) if other else base
    if name == "gather" and arguments:
        index = kinds.of(path, arguments[-1])
        dim = index.dim if isinstance(index, Tensor) else None
        return replace(base, dim=dim, strided=False, single=False)
    if name in ("view", "reshape", "repeat", "new", "new_zeros", "new_ones"):
        return _viewed(kinds, path, base, arguments)
    if name == "view_as" and arguments:
        shape = kinds.of(path, arguments[0])
        return Tensor(shape.dim if isinstance(shape, Tensor) else None, base.single, base.dtype, plain=base.plain)
    if name == "unsqueeze":
        return replace(base, dim=None if base.dim is None else base.dim + 1)
    if name == "squeeze":
        return replace(base, dim=0 if base.single else None)
    if name in ("split", "chunk", "unbind"):
        return Many(None, replace(base, dim=base.dim if name != "unbind" else None, single=False, strided=True))
    if name in tables.PRODUCTS:
        return Tensor(tables.PRODUCTS[name], dtype=base.dtype)
    if name == "select":
        return replace(base, dim=None if base.dim is None else base.dim - 1, single=base.dim == 1, strided=True)
    if name in ("multinomial", "nonzero"):
        dim = base.dim if name == "multinomial" else 2
        return Tensor(dim, dtype="long", strided=name == "nonzero", plain=base.plain)
    if name == "backward":
        return OTHER
    return Tensor() if plain in tables.TENSOR_VALUED else UNKNOWN


def _viewed(kinds: Kinds, path: str, base: Tensor, arguments: Sequence[ast.expr]) -> Tensor:
    base = replace(base, strided=False)
    if _starred(arguments) or not arguments:
        return replace(base, dim=None)
    if len(arguments) == 1 and kinds.of(path, arguments[0]) != NUMBER and not _is_number(arguments[0]):
        shape = kinds.of(path, arguments[0])
        return replace(base, dim=len(shape.items) if isinstance(shape, Many) and shape.items is not None else None)
    ones = all(isinstance(argument, ast.Constant) and argument.value == 1 for argument in arguments)
    return replace(base, dim=len(arguments), single=base.single or ones)


def _starred(arguments: Sequence[ast.expr]) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in arguments)


def _reduced(kinds: Kinds, path: str, base: Tensor, name: str, call: ast.Call, arguments: Sequence[ast.expr]) -> Kind:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if _starred(arguments) or None in given:
        return UNKNOWN
    rest = list(arguments)
    if name == "norm" and rest:
        rest.pop(0)
    if name in ("topk", "kthvalue") and rest:
        rest.pop(0)
    if name in ("max", "min") and rest and isinstance(other := kinds.of(path, rest[0]), Tensor):
        return broadcast(base, other)
    if name == "std" or name == "var":
        rest = [] if rest and isinstance(rest[0], ast.Constant) and isinstance(rest[0].value, bool) else rest
    dim = given.get("dim", rest[0] if rest else None)
    kept = name in ("topk", "sort", "cummax", "cummin") or _true(given.get("keepdim", rest[1] if rest[1:] else None))
    dtype = base.dtype if name not in ("all", "any") else "bool"
    if name in ("argmax", "argmin"):
        dtype = "long"
    if name == "sum" and base.dtype in ("bool", "byte"):
        dtype = "long"
    if dim is None and name not in ("topk", "sort", "kthvalue", "mode", "cummax", "cummin"):
        return Tensor(0, True, dtype, plain=base.plain)
    if kept is None or (dim is not None and not kept and not _one(kinds, path, dim)):
        left = None
    else:
        left = base.dim if kept else None if base.dim is None else max(base.dim - 1, 0)
        left = left if name not in ("mode", "kthvalue") or dim is not None or base.dim is None else base.dim - 1
    values = Tensor(left, left == 0, dtype, base.strided, plain=base.plain)
    if name in tables.PAIRS:
        return many((values, replace(values, dtype="long")))
    return values


def _one(kinds: Kinds, path: str, dim: ast.expr) -> bool:
    """Is it one dimension, not a tuple of several?"""
    return _is_number(dim) or not isinstance(kinds.of(path, dim), Many)


def _true(node: ast.expr | None) -> bool | None:
    """The truth of a written-out flag; None where it is not written out."""
    if node is None:
        return False
    return bool(node.value) if isinstance(node, ast.Constant) else None


def named(kinds: Kinds, path: str, name: str, call: ast.Call) -> Kind:
    """``torch.name(x, ...)``, which does what the method does."""
    if not call.args or isinstance(call.args[0], ast.Starred):
        keyword = next((k.value for k in call.keywords if k.arg in ("input", "tensor")), None)
        base = kinds.of(path, keyword) if keyword is not None else UNKNOWN
        return method(kinds, path, base if isinstance(base, Tensor) else Tensor(), name, call, ())
    first = kinds.of(path, call.args[0])
    if first == NUMBER and len(call.args) > 1:
        first = kinds.of(path, call.args[1])
    base = first if isinstance(first, Tensor) else Tensor()
    return method(kinds, path, base, name, call, call.args[1:])
