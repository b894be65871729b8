"""What the operands on a line were. Runs in the command's process: the standard library alone, Python 3.8 on."""

from __future__ import annotations

import ast
import types
from contextlib import suppress
from typing import Any

_MOST = 120  # expressions of one statement that are looked at
_SIMPLE: dict[str, Any] = {"len": len, "int": int, "float": float}
_CONTAINERS = (list, tuple, dict)
# methods and functions of torch and NumPy that make something new of what they get, and touch nothing
_PURE = frozenset(
    [
        "size",
        "dim",
        "numel",
        "nelement",
        "cpu",
        "detach",
        "view",
        "reshape",
        "squeeze",
        "unsqueeze",
        "sum",
        "mean",
        "max",
        "min",
        "numpy",
        "float",
        "long",
        "double",
        "int",
        "byte",
        "bool",
        "half",
        "t",
        "transpose",
        "permute",
        "contiguous",
        "expand",
        "expand_as",
        "view_as",
        "norm",
        "abs",
        "exp",
        "log",
        "pow",
        "mul",
        "add",
        "sub",
        "div",
        "eq",
        "ne",
        "lt",
        "gt",
        "le",
        "ge",
        "type",
        "type_as",
        "clone",
        "narrow",
        "index_select",
        "gather",
        "std",
        "var",
        "prod",
        "tolist",
        "topk",
        "sort",
        "cumsum",
        "softmax",
        "log_softmax",
        "sigmoid",
        "tanh",
        "relu",
        "mm",
        "bmm",
        "matmul",
        "dot",
        "cat",
        "stack",
        "zeros",
        "ones",
        "rand",
        "arange",
        "get_device",
        "is_contiguous",
        "flatten",
        "ravel",
        "astype",
        "from_numpy",
        "chunk",
        "split",
        "argmax",
        "argmin",
        "masked_select",
        "nonzero",
        "clamp",
        "sqrt",
        "item",
        "copy",
        "mv",
        "ger",
        "round",
        "floor",
        "ceil",
        "array",
        "asarray",
        "tensor",
        "LongTensor",
        "FloatTensor",
        "Tensor",
        "eye",
        "full",
        "randn",
        "argsort",
        "t",
        "data_ptr",
    ]
)


def described(statement: Any, frame: Any) -> Any:
    """[[line, column, end line, end column, description]] of the expressions in the head of a statement."""
    found: list[Any] = []
    for node in _expressions(statement):
        if len(found) >= _MOST:
            break
        with suppress(Exception):  # where it is not to be had without running what may do something
            value = evaluate(node, frame)
            place = [node.lineno, node.col_offset, node.end_lineno, node.end_col_offset]
            found.append([*place, describe(value)])
    return found


def describe(value: Any, depth: Any = 0) -> Any:
    """What a value is, as JSON."""
    cls = type(value)
    made: dict[str, Any] = {"type": f"{cls.__module__}.{cls.__qualname__}"}
    with suppress(Exception):
        if _is_tensor(value):
            made.update(
                kind="tensor",
                shape=list(value.shape),
                dtype=str(value.dtype).replace("torch.", ""),
                grad=bool(value.requires_grad),
                leaf=bool(value.is_leaf),
            )
        elif _is_array(value):
            made.update(kind="array", shape=list(value.shape), dtype=str(value.dtype))
            if value.shape == () and value.dtype.kind in "iufb" and abs(value) < 1e15:
                made["value"] = float(value) if value.dtype.kind == "f" else int(value)
        elif isinstance(value, bool) or value is None:
            made.update(kind="constant", value=value)
        elif isinstance(value, (int, float)):
            made.update(kind="number", value=value if abs(value) < 1e15 else None)
        elif isinstance(value, str):
            made.update(kind="text", value=value[:80])
        elif isinstance(value, _CONTAINERS):
            made.update(kind="container", length=len(value))
            if depth < 2:
                some = list(value.values() if isinstance(value, dict) else value)[:8]
                made["items"] = [describe(item, depth + 1) for item in some]
        elif isinstance(value, types.ModuleType):
            made.update(kind="module", value=value.__name__)
        elif callable(value) and hasattr(value, "__name__"):
            made.update(kind="callable", value=f"{value.__module__}.{value.__name__}")
    made.setdefault("kind", "other")
    return made


def _is_tensor(value: Any) -> Any:
    return any(cls.__module__ == "torch" and cls.__name__ == "Tensor" for cls in type(value).__mro__)


def _is_array(value: Any) -> Any:
    return type(value).__module__ == "numpy" and hasattr(value, "shape") and hasattr(value, "dtype")


def _expressions(statement: Any) -> Any:
    """Those in a statement's head, the outer before the inner; never those of nested functions and bodies."""
    todo = [statement]
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.expr):
            yield node
        for name, child in ast.iter_fields(node):
            if isinstance(node, ast.stmt) and name in ("body", "orelse", "finalbody", "handlers"):
                continue
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, ast.AST) and not isinstance(each, ast.Lambda):
                    todo.append(each)


def evaluate(node: Any, frame: Any) -> Any:
    """The value of an expression that can be had by looking; raises where it cannot."""
    if isinstance(node, ast.Name):
        for space in (frame.f_locals, frame.f_globals):
            if node.id in space:
                return space[node.id]
        return vars(__import__("builtins"))[node.id]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List)) and not isinstance(node.ctx, ast.Store):
        made = [evaluate(item, frame) for item in node.elts]
        return tuple(made) if isinstance(node, ast.Tuple) else made
    if isinstance(node, ast.Attribute):
        return _attribute(evaluate(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript):
        return _item(evaluate(node.value, frame), _index(node.slice, frame))
    if isinstance(node, ast.BinOp):
        return _calculated(node.op, evaluate(node.left, frame), evaluate(node.right, frame))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = evaluate(node.operand, frame)
        if _is_plain(value):
            return -value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node.ops[0], evaluate(node.left, frame), evaluate(node.comparators[0], frame))
    if isinstance(node, ast.Call):
        return _called(node, frame)
    raise ValueError


def _is_plain(value: Any) -> Any:
    return _is_tensor(value) or _is_array(value) or isinstance(value, (int, float))


def _attribute(value: Any, name: Any) -> Any:
    if isinstance(value, types.ModuleType):
        return getattr(value, name)
    if _is_tensor(value) or _is_array(value):
        if name in ("data", "shape", "grad", "T", "dtype", "size", "weight", "bias", "is_cuda"):
            return getattr(value, name)
        raise ValueError
    own = vars(value) if hasattr(value, "__dict__") else {}
    for space in (own, own.get("_parameters", {}), own.get("_buffers", {}), own.get("_modules", {})):
        if name in space:
            return space[name]
    if isinstance(value, type) and name in vars(value):
        return vars(value)[name]
    raise ValueError


def _index(node: Any, frame: Any) -> Any:
    if isinstance(node, ast.Slice):
        parts = [None if part is None else evaluate(part, frame) for part in (node.lower, node.upper, node.step)]
        return slice(*parts)
    if type(node).__name__ == "Index":  # Python 3.8
        return _index(node.value, frame)
    if isinstance(node, ast.Tuple):
        return tuple(_index(item, frame) for item in node.elts)
    return evaluate(node, frame)


def _item(value: Any, index: Any) -> Any:
    if _is_tensor(value) or _is_array(value) or isinstance(value, (*_CONTAINERS, str)):
        return value[index]
    raise ValueError


def _calculated(operator: Any, left: Any, right: Any) -> Any:
    import operator as known

    names = {
        "Add": known.add,
        "Sub": known.sub,
        "Mult": known.mul,
        "Div": known.truediv,
        "FloorDiv": known.floordiv,
        "MatMult": known.matmul,
    }
    if _is_plain(left) and _is_plain(right):
        return names[type(operator).__name__](left, right)
    raise ValueError


def _compared(operator: Any, left: Any, right: Any) -> Any:
    import operator as known

    names = {"Eq": known.eq, "NotEq": known.ne, "Lt": known.lt, "LtE": known.le, "Gt": known.gt, "GtE": known.ge}
    if _is_plain(left) and _is_plain(right):
        return names[type(operator).__name__](left, right)
    raise ValueError


def _called(node: Any, frame: Any) -> Any:
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        raise ValueError
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("len", "int", "float") and isinstance(node.func, ast.Name):
        value = evaluate(node.args[0], frame)
        if _is_plain(value) or isinstance(value, _CONTAINERS):
            return _SIMPLE[name](value)
    if name not in _PURE or not isinstance(node.func, ast.Attribute):
        raise ValueError
    owner = evaluate(node.func.value, frame)
    known = isinstance(owner, types.ModuleType) and owner.__name__.split(".")[0] in ("torch", "numpy")
    if not (known or _is_tensor(owner) or _is_array(owner)):
        raise ValueError
    arguments = [evaluate(argument, frame) for argument in node.args]
    return getattr(owner, name)(*arguments, **{k.arg: evaluate(k.value, frame) for k in node.keywords})
