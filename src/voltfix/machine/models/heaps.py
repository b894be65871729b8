"""``heapq``: its functions put in, take out, and compare the items. That is all, where comparing reads numbers."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from voltfix.machine.calls import Call, Calls, Handler
from voltfix.machine.models import containers
from voltfix.machine.values import ClassValue, Const, Extern, Function, Plain, Ref, Truth, Value, choose, single
from voltfix.program.walking import walk

# what ``pop`` takes is any of the items, since ``sort`` says nothing of their order
STEPS: Mapping[str, tuple[str, ...]] = {
    "heappush": ("append", "sort"), "heappop": ("sort", "pop"), "heapify": ("sort",),
    "heappushpop": ("append", "sort", "pop"), "heapreplace": ("append", "sort", "pop"),
}
_COMPARING = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__cmp__")
_ASKED = ("__getattr__", "__getattribute__", "__metaclass__")
# what a comparison that only reads is made of: no call, no arithmetic, no item, and nothing that it leaves behind
_READING = (ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.If, ast.IfExp, ast.Compare, ast.cmpop, ast.BoolOp,
            ast.boolop, ast.Not, ast.Name, ast.Attribute, ast.Load, ast.Constant, ast.Expr, ast.Assert, ast.Pass)
_DEEPEST = 4


def _heaped(m: Calls, call: Call) -> Value | None:
    """A heap that is in sight, of items that are; else it is unknown code, as any of a library's."""
    steps, given = STEPS[call.name.rpartition(".")[2]], call.args[1:]
    if call.kwargs or len(call.args) != 1 + ("append" in steps) or not call.args[0] or not _is_own(m, call):
        return None
    if any(map(m.rebound.is_assigned, (*_COMPARING, *_ASKED))) or not all(
            _compares_numbers(m, value) for value in call.args):
        return None
    found: Value | None = None
    for guard, thing in call.args[0]:
        if isinstance(thing, Ref):
            with m.narrowed(guard):
                for step in steps:
                    args = given if step == "append" else []
                    made = containers.container_method(
                        m, containers.Call(thing, step, args, {}, call.node, call.frame))
            found = made if found is None else choose(guard, made, found)
    return found if "pop" in steps else m.const(None)


def _is_own(m: Calls, call: Call) -> bool:
    """Is the heap a list that no module keeps and no other thread has, and into which nobody unseen puts more?"""
    of_module = call.frame.is_root and isinstance(call.frame.node, ast.Module)
    return not of_module and not m.may_hold_more(call.args[0]) and all(
        isinstance(thing, Ref) and m.heap[thing.cell].kind == "list" and thing.cell not in m.at_top | m.shared
        for _, thing in call.args[0])


def _compares_numbers(m: Calls, value: Value, depth: int = 0) -> bool:
    """Does comparing such values run no code but methods of the project that compare numbers?"""
    return depth < _DEEPEST and all(
        isinstance(thing, (Plain, Const, Truth)) or (isinstance(thing, Ref) and _is_compared_so(m, thing, depth))
        for _, thing in value)


def _is_compared_so(m: Calls, ref: Ref, depth: int) -> bool:
    cell = m.heap[ref.cell]
    if cell.kind == "list":
        return not m.may_hold_more(single(ref, m.algebra)) and all(
            _compares_numbers(m, item, depth + 1) for _, item in cell.items)
    if cell.kind == "object" and cell.owner is not None:
        names = _read_by(cell.owner)
        return names is not None and all(_is_number(m, ref, name) for name in names)
    return _is_data(m, ref)


def _is_number(m: Calls, ref: Ref, name: str) -> bool:
    cell = m.heap[ref.cell]
    value = cell.attr(name)
    return value is not None and not m.may_change(ref, name) and all(
        isinstance(thing, (Plain, Const, Truth)) or (isinstance(thing, Ref) and _is_data(m, thing))
        for _, thing in value)


def _is_data(m: Calls, ref: Ref) -> bool:
    """Is it what surely came out of a tensor, or a tensor: comparing these has no graph?"""
    cell = m.heap[ref.cell]
    return cell.kind == "tensor" or (cell.kind == "unknown" and cell.origin == "data")


def _read_by(owner: ClassValue) -> set[str] | None:
    """The attributes that comparing objects of a class reads; None where it may do more than read."""
    names: set[str] = set()
    members: set[str] = set()
    for cls in owner.order:
        if not isinstance(cls, ClassValue):
            if not (isinstance(cls, Extern) and cls.name == "builtins.object"):
                return None
            continue
        if cls.node.decorator_list or cls.node.keywords:  # these may write comparisons of their own
            return None
        members |= set(cls.members)
        for name in _COMPARING:
            for _, thing in cls.members.get(name, ()):
                read = _read_in(thing.node) if isinstance(thing, Function) else None
                if read is None:
                    return None
                names |= read
    return names if names.isdisjoint(members) and members.isdisjoint(_ASKED) else None


def _read_in(function: ast.AST) -> set[str] | None:
    """The attributes of its two parameters that a method reads; None where it may do more than compare these."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or function.args.defaults:
        return None
    told = {id(part) for node in walk(function) if _tells_class(node) for part in walk(node)}
    parts = [node for node in walk(function) if id(node) not in told]
    own = {argument.arg for argument in function.args.args}
    read = [node for node in parts if isinstance(node, ast.Attribute)]
    if any(isinstance(node, ast.Name) and node.id not in own for node in parts) or not all(
            isinstance(node.value, ast.Name) for node in read):
        return None
    only = all(isinstance(node, (*_READING, ast.USub)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub))) for node in parts)
    return {node.attr for node in read} if only else None


def _tells_class(node: ast.AST) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
            and not node.keywords and all(isinstance(argument, ast.Name) for argument in node.args))


HANDLERS: Mapping[str, Handler] = {f"heapq.{name}": _heaped for name in STEPS}
