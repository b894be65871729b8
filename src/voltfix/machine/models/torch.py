"""Functions of torch: one handler for those that are more than an operation by the table, by their full name."""

from __future__ import annotations

from collections.abc import Mapping

from voltfix.machine.calls import Call, Calls, Handler
from voltfix.machine.models import types
from voltfix.machine.values import Value
from voltfix.torchmodel import library, tables
from voltfix.torchmodel.inplace import FLAG, flag_position
from voltfix.torchmodel.layers import HOLDS_MODULES, LISTS_OF_MODULES

_PACKING = ("pack_padded_sequence", "pad_packed_sequence")
_GIVES_OBJECTS = ("torch.optim.", "torch.utils.")


def call_torch(m: Calls, name: str, call: Call) -> Value:
    """A function of torch, by its full name."""
    last = name.rsplit(".", 1)[-1]
    handler = HANDLERS.get(name) or (_backward if last == "backward" else None)
    made = handler(m, call) if handler is not None else None
    if made is not None:
        return made
    is_factory = last in tables.FACTORIES and name.count(".") <= 2
    if name == "torch.from_numpy":
        return m.plain()  # it takes an array of NumPy and raises for anything else: no graph comes to it
    if name in library.NEUTRAL_TORCH or (name.startswith(library.NEUTRAL_TORCH_PREFIXES) and not is_factory):
        m.liveness.mark(m.pc, call.values)
        if name in library.ANSWERS_IN_TORCH:
            return m.answer()
        return m.unknown() if name == "torch.load" or name.startswith(_GIVES_OBJECTS) else m.plain()
    if name.startswith("torch.nn.") and last[:1].isupper() and name.count(".") == 2:
        if last in HOLDS_MODULES and m.may_train_when_called(call):
            return m.unknown()  # calling it may run a network of the project's that sends gradients
        is_list = last in LISTS_OF_MODULES
        holds = last in HOLDS_MODULES and not is_list
        return m.list_of_layers(last, call.args, call.kwargs) if is_list else (
            m.holder(last, call.args, call.kwargs) if holds else m.new("module", text=last, attrs=_writing(last, call)))
    if name.startswith(library.DISTRIBUTIONS) and last[:1].isupper():
        return m.distribution(last, call.args, call.kwargs, call.node, call.frame)
    if is_factory:  # from numbers, on the graphics card as on the processor: no graph comes into it
        return m.plain()
    within = name.split(".")[1:]
    if last[:1].isupper() or any(part.startswith("_") and not part.startswith("__") for part in within):
        return m.unknown_call(call.node, call.frame, call.args, call.kwargs)  # the engine itself may train
    if name.startswith("torch.nn.functional."):
        m.raise_of_number(call.args, call.frame)
        if any(not m.truth_of(flag)[0].is_false for _, flag in _writing(last, call)) and call.args:
            return m.writes_into(last, call.args[0], call.node, call.frame)
    if last in tables.JOINS:
        m.raise_of_none(call.args, call.frame)
    if last in _PACKING:
        return m.table_operation(last, call.args[:1], {}, call.node, call.frame)  # lengths are numbers
    return m.table_operation(last, call.args, call.kwargs, call.node, call.frame, of_torch=True)


def _writing(name: str, call: Call) -> tuple[tuple[str, Value], ...]:
    """The flag that says whether a function, or a layer that is made, writes into its input; none where none is given.
    """
    at = flag_position(name)
    given = call.kwargs.get(FLAG, call.args[at] if at is not None and len(call.args) > at else None)
    return ((FLAG, given),) if at is not None and given is not None else ()


def _backward(m: Calls, call: Call) -> Value:
    m.demand(call.node, call.frame, *call.values[:1])
    m.liveness.mark(m.pc, call.values)
    return m.unknown()


def _is_tensor(m: Calls, call: Call) -> Value | None:
    return types.is_a(m, call.args[0], frozenset({"tensor"})) if call.args else None


def _parameter(m: Calls, _: Call) -> Value:
    return m.new("tensor", req=m.algebra.true)


def _mode(m: Calls, _: Call) -> Value:
    return m.plain()


HANDLERS: Mapping[str, Handler] = {
    "torch.autograd.backward": _backward,
    "torch.autograd.grad": _backward,
    "torch.enable_grad": _mode,
    "torch.is_tensor": _is_tensor,
    "torch.nn.Parameter": _parameter,
    "torch.no_grad": _mode,
    "torch.set_grad_enabled": _mode,
}
