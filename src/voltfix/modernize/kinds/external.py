"""What functions and classes from outside the project give: torch's, NumPy's, Python's."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix.modernize.kinds import tables, tensors
from voltfix.modernize.kinds.values import (
    NOTHING,
    NUMBER,
    NUMPY,
    OTHER,
    UNKNOWN,
    DType,
    Instance,
    Kind,
    Many,
    Tensor,
    join,
    many,
)
from voltfix.program.bindings import VARIABLE

if TYPE_CHECKING:
    from voltfix.modernize.kinds.asking import Kinds

_FUNCTIONAL = ("torch.nn.functional.", "torch.functional.", "torch.")
_WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel"})
_NUMBERS = frozenset(["float", "int", "len", "round", "abs_", "hash", "ord", "divmod", "id"])
_TEXT = frozenset(
    [
        "str",
        "repr",
        "format",
        "bytes",
        "isinstance",
        "hasattr",
        "callable",
        "type",
        "input",
        "open",
        "print",
        "bool",
    ]
)
_SEQUENCES = frozenset(["list", "tuple", "reversed", "iter", "sorted"])


def called(kinds: Kinds, path: str, call: ast.Call, name: str) -> Kind:
    """What calling ``name`` (dotted, from outside the project) gives."""
    if name == VARIABLE or name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        kind = kinds.of(path, call.args[0]) if call.args else Tensor()
        if kind == NOTHING:
            return NOTHING
        return replace(kind if isinstance(kind, Tensor) else Tensor(), plain=False)
    head = name.split(".")[0]
    if head == "numpy":
        return NUMPY
    if head != "torch":
        return OTHER if head in ("math", "time", "os", "argparse", "random", "chainer", "cupy") else UNKNOWN
    return _of_torch(kinds, path, call, name)


def _of_torch(kinds: Kinds, path: str, call: ast.Call, name: str) -> Kind:
    last = name.rsplit(".", 1)[-1]
    if last in tables.LOSS_CLASSES and name.startswith("torch.nn."):
        return Instance(name, scalar=_reduces(call))
    if name.startswith("torch.nn.") and last[:1].isupper():
        return kinds.of(path, call.args[0]) if last in _WRAPPERS and call.args else Instance(name)
    if last in tables.TENSOR_CLASSES:
        return _made(kinds, path, call, tables.TENSOR_CLASSES[last])
    if last[:1].isupper():
        return Instance(name)
    plain = next((name[len(p) :] for p in _FUNCTIONAL if name.startswith(p)), name)
    if "." in plain:
        return UNKNOWN
    return _function(kinds, path, call, plain)


def _function(kinds: Kinds, path: str, call: ast.Call, name: str) -> Kind:
    if name in tables.LOSSES:
        return Tensor(0, True, "float", plain=False) if _reduces(call) else Tensor(dtype="float", plain=False)
    if name in tables.FACTORIES:
        return _made(kinds, path, call, "float", by_size=True)
    if name in tables.VECTORS:
        return Tensor(1, dtype="long" if name in ("arange", "randperm") else "float")
    if name in tables.LIKE and call.args:
        kind = kinds.of(path, call.args[0])
        return Tensor(kind.dim, kind.single, kind.dtype) if isinstance(kind, Tensor) else Tensor()
    if name in ("cat", "stack") and call.args:
        return _joined(kinds.of(path, call.args[0]), deeper=name == "stack")
    if name in ("split", "chunk", "unbind", "topk", "sort"):
        return tensors.named(kinds, path, name, call)
    if name in ("load", "save", "is_tensor", "manual_seed", "set_grad_enabled", "no_grad"):
        return UNKNOWN if name == "load" else OTHER
    if name in tables.TENSOR_VALUED and name not in (
        "squeeze",
        "unsqueeze",
        "reshape",
        "view_as",
        "multinomial",
    ):
        return Tensor()
    return tensors.named(kinds, path, name, call)


def _joined(kind: Kind, *, deeper: bool) -> Tensor:
    element = kind.element if isinstance(kind, Many) else UNKNOWN
    if not isinstance(element, Tensor):
        return Tensor()
    dim = element.dim
    return Tensor(None if dim is None else dim + deeper, dtype=element.dtype, plain=element.plain)


def _made(kinds: Kinds, path: str, call: ast.Call, dtype: DType, *, by_size: bool = False) -> Kind:
    """A tensor by its sizes, by a list (``by_size``: of sizes, else of values), or by one size."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or not call.args:
        return Tensor(dtype=dtype)
    found = [kinds.of(path, argument) for argument in call.args]
    if by_size and len(found) == 1 and found[0] != NUMBER:
        sizes = found[0].items if isinstance(found[0], Many) else None
        return Tensor(None if sizes is None else len(sizes), dtype=dtype)
    if len(found) == 1 and isinstance(found[0], Many):
        return Tensor(_depth(found[0]), dtype=dtype)
    if len(found) == 1 and isinstance(found[0], Tensor):
        return Tensor(found[0].dim, dtype=dtype)
    return Tensor(len(found) if all(kind == NUMBER for kind in found) else None, dtype=dtype)


def _depth(kind: Kind) -> int | None:
    """How many levels of lists there are around numbers."""
    if kind == NUMBER:
        return 0
    inner = _depth(kind.element) if isinstance(kind, Many) else None
    return None if inner is None else inner + 1


def _reduces(call: ast.Call) -> bool:
    """Does a loss made with these arguments give one number?"""
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None:
            return False
        if keyword.arg == "reduce" and not (isinstance(value, ast.Constant) and value.value is True):
            return False
        if keyword.arg == "reduction" and not (isinstance(value, ast.Constant) and value.value != "none"):
            return False
    return True


def module_called(kinds: Kinds, path: str, call: ast.Call, instance: Instance) -> Kind:
    """What calling one of torch's modules gives."""
    name = str(instance.cls)
    last = name.rsplit(".", 1)[-1]
    if instance.scalar:
        return Tensor(0, True, "float", plain=False)
    if not name.startswith("torch.nn."):
        return UNKNOWN
    if last in ("LSTM", "GRU", "RNN"):
        state: Kind = Tensor()
        return many((Tensor(), many((state, state)) if last == "LSTM" else state))
    if last == "LSTMCell":
        return many((Tensor(), Tensor()))
    if last in ("ModuleList", "Module", "Sequential", "ParameterList"):
        return UNKNOWN if last != "Sequential" else Tensor()
    if last in ("ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Dropout", "Linear") and call.args:
        kind = kinds.of(path, call.args[0])
        return Tensor(kind.dim, strided=kind.strided, plain=False) if isinstance(kind, Tensor) else Tensor(plain=False)
    return Tensor(plain=False)


def builtin(kinds: Kinds, path: str, call: ast.Call, name: str) -> Kind:
    """What one of Python's own functions gives."""
    if name in _NUMBERS:
        return NUMBER
    if name in _TEXT:
        return OTHER
    if not call.args or isinstance(call.args[0], ast.Starred):
        return Many((), UNKNOWN) if name in _SEQUENCES else UNKNOWN
    first = kinds.of(path, call.args[0])
    element = first.element if isinstance(first, Many) else UNKNOWN
    if name == "range" or name == "xrange":
        return Many(None, NUMBER)
    if name in _SEQUENCES:
        return first if isinstance(first, Many) else Many(None, kinds.items(first))
    if name == "enumerate":
        return Many(None, many((NUMBER, kinds.items(first))))
    if name == "zip":
        return Many(None, many(kinds.items(kinds.of(path, argument)) for argument in call.args))
    if name in ("next", "sum"):
        return join((element, NUMBER)) if name == "sum" else element
    if name == "abs":
        return first
    if name in ("max", "min"):
        return join(kinds.of(path, a) for a in call.args) if len(call.args) > 1 else element
    return UNKNOWN
