"""``isinstance``, ``type(x) ==`` and ``torch.is_tensor``: which alternatives of a value are of which kinds."""

from __future__ import annotations

import ast

from voltfix.domains.conditions import Formula
from voltfix.machine.calls import Calls
from voltfix.machine.values import Abstract, Const, Extern, Frame, Ref, Value

# none of them has a graph, or gets one
NUMBERS_AND_WORDS = frozenset(f"?builtins.{name}" for name in (
    "int", "float", "str", "bool", "long", "unicode", "basestring", "bytes", "complex"))
# several of these in one name of a library's
FAMILIES = frozenset(f"?{name}" for name in (
    "torch._six.string_classes", "torch._six.int_classes", "six.string_types", "six.text_type", "six.integer_types",
    "numbers.Number", "numbers.Real", "numbers.Integral"))
WITHOUT_GRAPH = NUMBERS_AND_WORDS | FAMILIES | {"tensor", "?numpy.ndarray", "?numpy.generic"}  # plain data, all of it


def type_names(m: Calls, value: Value) -> frozenset[str]:
    """The kinds of cell that a type, or a tuple of types, of an ``isinstance`` stands for; "?" for others."""
    names: set[str] = set()
    for _, thing in value:
        if isinstance(thing, Extern):
            last = thing.name.rsplit(".", 1)[-1]
            names |= {"list"} if last in ("list", "tuple", "set", "Sequence") else set()
            names |= {"dict"} if last in ("dict", "Mapping", "OrderedDict") else set()
            names |= {"variable"} if last == "Variable" else set()
            names |= {"tensor"} if last.endswith("Tensor") or last in ("is_tensor", "_TensorBase") else set()
            names |= {"?" + thing.name} if last in ("str", "int", "float", "object") or not names else set()
        elif isinstance(thing, Ref) and m.heap[thing.cell].kind == "list":
            for _, item in m.heap[thing.cell].items:
                names |= type_names(m, item)
        else:
            names.add(f"?{id(thing)}")
    return frozenset(names)


def is_a(m: Calls, value: Value, kinds: frozenset[str]) -> Value:
    """``isinstance`` and ``torch.is_tensor``: known for containers and Variables, one question for each unknown."""
    out = m.algebra.false
    for guard, thing in value:
        out = out | (guard & thing_is_a(m, thing, kinds))
    return m.truth(out)


def thing_is_a(m: Calls, thing: Abstract, kinds: frozenset[str]) -> Formula:
    """Where one alternative is of one of the kinds."""
    if isinstance(thing, Const):
        known = constant_is(thing.value, kinds, exactly=False)
        return m.unknown_truth() if known is None else m.algebra.constant(known)
    if not isinstance(thing, Ref):
        return m.unknown_truth()
    cell = m.heap[thing.cell]
    if kinds <= NUMBERS_AND_WORDS | FAMILIES and cell.kind in ("tensor", "list", "dict", "module"):
        return m.algebra.false
    sure = not any(kind.startswith("?") for kind in kinds)
    if cell.kind in ("list", "dict") and (cell.kind in kinds or sure):
        return m.algebra.constant(cell.kind in kinds)
    if cell.kind == "tensor" and ("variable" in kinds or sure):
        return m.algebra.constant("variable" in kinds)
    asked = m.atom(("is a", thing, kinds))
    if kinds == frozenset({"variable"}) and not cell.vol.is_false:
        # something volatile is a Variable, or has some in it
        held = m.atom(("is a", thing, frozenset({"list"}))) | m.atom(("is a", thing, frozenset({"dict"})))
        return (cell.vol & ~held) | (~cell.vol & asked)
    if kinds <= WITHOUT_GRAPH:
        m.liveness.note_plain(thing.cell, asked)
        return asked & ~cell.vol
    return asked


def compare_type(m: Calls, node: ast.Compare, frame: Frame) -> Value | None:
    """``type(x) == int``: it tells the alternatives of ``x`` apart; None of any other comparison."""
    call, op = node.left, node.ops[0]
    asks = len(node.ops) == 1 and isinstance(op, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot, ast.In, ast.NotIn))
    if not asks or not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    if not isinstance(call.func, ast.Name) or m.eval(call.func, frame) != m.extern("builtins.type"):
        return None
    value = m.eval(call.args[0], frame)
    kinds = type_names(m, m.eval(node.comparators[0], frame))
    if not kinds <= NUMBERS_AND_WORDS:
        return m.truth(m.unknown_truth())
    out = m.algebra.false
    for guard, thing in value:
        if isinstance(thing, Const):
            found = constant_is(thing.value, kinds, exactly=True)
            out = out | (guard & m.algebra.constant(found)) if found is not None else out
        else:
            out = out | (guard & thing_is_a(m, thing, kinds))
    return m.truth(~out if isinstance(op, (ast.NotEq, ast.IsNot, ast.NotIn)) else out)


def constant_is(value: object, kinds: frozenset[str], exactly: bool) -> bool | None:
    """Is a constant of one of the kinds, or of a class above it if not ``exactly``; None where a kind is unknown."""
    names = {f"?builtins.{cls.__name__}" for cls in ([type(value)] if exactly else type(value).__mro__)}
    if isinstance(value, str) and not exactly:
        names.add("?builtins.basestring")
    if names & kinds:
        return True
    if isinstance(value, (int, str)) and kinds & {"?builtins.long", "?builtins.unicode"}:
        return None  # it depends on Python's own version
    return False if kinds <= NUMBERS_AND_WORDS | {"list", "dict", "variable", "tensor"} else None
