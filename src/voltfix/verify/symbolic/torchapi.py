"""What project code sees of torch: names that are looked up as they are asked for, nothing of the real
module.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import torch

from voltfix.verify.symbolic import kinds, neighbours, ops, spellings, tables
from voltfix.verify.symbolic.standin import (
    WRAPPED,
    StandIn,
    key,
    leaves_in,
    numbers_of,
    project_line,
    tensor_of,
    unknown,
    value,
)
from voltfix.verify.symbolic.tensormethods import tensor_method
from voltfix.verify.symbolic.torchnames import name
from voltfix.verify.symbolic.world import coefficients, here

BACKEND = "torch.nn.backends.thnn"  # what the modules of 0.3 had behind them: ``embed._backend.Embedding.apply``
_MODERN = frozenset(["no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "inference_mode"])
_TENSOR_NAMES = (
    "Tensor",
    "Variable",
    "FloatTensor",
    "LongTensor",
    "DoubleTensor",
    "ByteTensor",
    "IntTensor",
    "HalfTensor",
    "ShortTensor",
    "CharTensor",
    "BoolTensor",
)


def member(standin: StandIn, attribute: str) -> Any:
    """``torch.x.attribute``."""
    path = standin._vf.path
    if attribute == "__version__":
        return Version("2.5.0" if here().modern else "0.3.0")
    if attribute == "__name__":
        return path.rsplit(".", 1)[-1]
    if attribute == "enabled" and path.endswith("cudnn"):
        return True
    return name(f"{path}.{attribute}")


class Version(str):
    """The version of torch, or a part of it: code can ask which it is; in text that it becomes part of it is the same
    before and after, for that torch is another one is no doing of the project's."""

    __slots__ = ("_vf",)
    _vf: str  # what it is on 0.3, and in text

    def __new__(cls, today: str, before: str = "0.3.0") -> Version:
        """``today``: what it is compared as."""
        made = str.__new__(cls, today)
        made._vf = before
        return made

    def __getitem__(self, which: Any) -> str:
        """How it begins tells which it is. A character further on may be any on today's torch (2.1, 2.3): who asks for
        one means a version of his time, and what he gets is the same before and after."""
        found, before = str.__getitem__(self, which), str.__getitem__(self._vf, which)
        begins = which.start in (None, 0) if isinstance(which, slice) else range(len(self))[which] == 0
        return Version(found, before) if begins else Later(found, before)

    def __str__(self) -> str:
        return self._vf

    def __repr__(self) -> str:
        return repr(self._vf)

    def __format__(self, spec: str) -> str:
        return format(self._vf, spec)

    def __add__(self, other: str) -> str:
        return self._vf + other

    def __radd__(self, other: str) -> str:
        return other + self._vf


class Later(Version):
    """Characters of it that are not its first: they are what they were on 0.3 to who asks whether they are some."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self._vf == other

    def __ne__(self, other: object) -> bool:
        return self._vf != other

    def __hash__(self) -> int:
        return hash(self._vf)


def has(standin: StandIn, attribute: str) -> bool:
    """``hasattr(torch, attribute)``: 0.3 knew nothing of grad modes."""
    return here().modern or attribute not in _MODERN


def last(standin: StandIn) -> str:
    """The last part of a name of torch."""
    return standin._vf.path.rsplit(".", 1)[-1]


def call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a name of torch."""
    path, word = standin._vf.path, last(standin)
    special = _FUNCTIONS.get(word)
    if special is not None:
        return special(*args, **kwargs)
    if word == "apply" and path.startswith(f"{BACKEND}."):
        return ops.apply(path.split(".")[-2].lower(), list(args), kwargs)
    kwargs = {k: v for k, v in kwargs.items() if k not in ("out", "inplace") and not spellings.is_transfer(k)}
    if path.startswith(("torch.jit", "torch.autograd.profiler")) and len(args) == 1:
        return args[0]
    if (
        path.startswith("torch.cuda")
        or ".distributed" in path
        or ".multiprocessing" in path
        or "backends" in path
    ):
        return unknown(path + "()")
    if path.startswith(("torch.utils", "torch.optim", "torch.nn.init")):
        return _from_helper(path, word, args)
    if word in _TENSOR_NAMES or word in _MAKERS:
        made = ops.plain_tensor("torch." + ("BoolTensor" if word == "ByteTensor" else word), [*args])
        if word == "normal":  # of Variables 0.3 made one, and nobody knows what an unknown one is
            made._vf.raw = made._vf.raw and all(each._vf.raw for each in leaves_in([*args, *kwargs.values()]))
        return made
    if word[:1].isupper():
        return make_module(path, word, args, kwargs)
    if path.startswith(_RUN_NETWORKS):
        _note_mode(path, [*args, *kwargs.values()])
    if word.endswith("_") and args and isinstance(args[0], StandIn):
        return ops.in_place(args[0], word, list(args))
    if args and isinstance(args[0], StandIn) and word in tables.VIEWS:
        return tensor_method(args[0], word, args[1:], kwargs)
    return ops.apply(word, list(args), kwargs, graph=word not in tables.NO_GRADIENT)


_RUN_NETWORKS = ("torch.onnx.", "torch.jit.trace", "torch.jit.get_trace_graph")
_MAKERS = frozenset(
    [
        "zeros",
        "ones",
        "rand",
        "randn",
        "eye",
        "arange",
        "linspace",
        "full",
        "empty",
        "from_numpy",
        "tensor",
        "as_tensor",
        "randperm",
        "range",
        "randint",
        "normal",
        "logspace",
        "tril_indices",
    ]
)


def make_module(path: str, word: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StandIn:
    """An object of a class of torch: a module; with parameters unless its class has none."""
    made = unknown(f"{word}#{here().count('new:' + word)}", "module")
    made._vf.name = word
    if word == "Parameter":
        tensor = coefficients("parameter:" + made._vf.path, here().device).clone().requires_grad_(True)
        here().leaves[made._vf.path] = tensor
        return value(made._vf.path, tensor)
    if tables.is_parameter_free(word):
        made._vf.path = "loss_fn " + made._vf.path if "Loss" in word else "fn_" + made._vf.path
    made._vf.attrs["_parts"] = [*args, *kwargs.values()]
    return made


def _from_helper(path: str, word: str, args: tuple[Any, ...]) -> Any:
    if path.startswith("torch.nn.init"):
        return args[0] if args else None
    made = unknown(f"{word}#{here().count('new:' + word)}", "any")
    return made


def variable(data: Any = None, requires_grad: Any = False, volatile: Any = False, **_: Any) -> Any:
    """``Variable(data, requires_grad, volatile)``: a new leaf that shares the data's storage."""
    world = here()
    world.spend()
    if isinstance(data, (list, tuple)) and any(part._vf.kind == "value" for part in leaves_in(data)):
        return data  # ``type(batch)([...])``: what was taken for a tensor is a container, for Variable takes none
    if isinstance(data, StandIn):
        shared = numbers_of(data)
        world.wrap(data._vf.path, shared)
        itself = data._vf.kind == "any" or data._vf.name == WRAPPED  # its ``.data`` goes by the same path
        asked = ("isinstance", data._vf.path, "Variable")
        world.twice = world.twice or (world.legacy and itself and world.ways.get(asked, False))
        source, tag = shared.detach(), data._vf.tag
        label = data._vf.path
    else:
        made = ops.plain("data", [data])
        source, tag, label = tensor_of(made), "", "data"
    flag = bool(volatile)
    wants = bool(requires_grad)
    if flag and wants:
        raise ValueError("Variable can't be volatile and require_grad at the same time!")
    both = not world.after and not torch.is_grad_enabled()  # a flag in a block of the author's: no torch had both
    result = value(label, source, flag and world.legacy and not both, tag)
    if isinstance(data, StandIn) and data._vf.multiple:
        result._vf.multiple = True
    if wants:
        source.requires_grad_(True)
        world.leaves[f"Variable {world.count('leaf')}"] = source
    return result


def _set_grad_enabled(mode: Any = True) -> Any:
    return Mode(torch.set_grad_enabled(bool(mode) if isinstance(mode, StandIn) else mode))


class Mode:
    """A grad mode as a context manager and as a decorator, torch's own behind it (quirks included)."""

    __slots__ = ("_place", "_vf")

    def __init__(self, real: Any) -> None:
        self._vf = real
        self._place = project_line() if here().watched else None

    def __enter__(self) -> None:
        neighbours.enter(self._place, self._vf)

    def __exit__(self, *error: Any) -> None:
        neighbours.leave(self._place, self._vf, error)

    def __call__(self, function: Any) -> Any:
        if neighbours.is_out(self._place):
            neighbours.undo(self._vf)
            return function
        if not isinstance(function, (types.FunctionType, types.MethodType, type)):  # a network
            return lambda *a, **k: neighbours.within(self._place, self._vf, function, a, k)
        return neighbours.decorated(self._place, self._vf, function)


def _mode(make: Callable[[], Any]) -> Callable[..., Any]:
    def build(function: Any = None, *_: Any) -> Any:
        made = Mode(make())
        return made(function) if callable(function) else made

    return build


def _is_tensor(thing: Any) -> Any:
    if not isinstance(thing, StandIn):
        return False
    if thing._vf.kind == "any" and thing._vf.tensor is None:
        return kinds.is_tensor(thing, "Tensor")
    state = thing._vf
    if state.raw:
        return True
    if state.kind == "value" and not state.multiple and state.name != WRAPPED:
        return here().decide(("is_tensor", key(thing)))  # of 0.3's tensors it computed tensors, of Variables none
    return thing._vf.kind in ("any", "value")


def _checkpoint(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args)


def _backward(outputs: Any, *_: Any, **__: Any) -> None:
    for each in leaves_in(outputs):
        ops.backward(each)


def _parallel_call(module: Any, inputs: Any = (), *_: Any, module_kwargs: Any = None, **__: Any) -> Any:
    """``data_parallel(net, x, ids)`` of torch.nn.parallel: a call of the network."""
    return module(*inputs if isinstance(inputs, tuple) else (inputs,), **(module_kwargs or {}))


def _note_mode(path: str, args: list[Any]) -> None:
    """torch runs a network that it is handed here (to export it): a graph that no block of the author's keeps off is
    one that is kept. What a volatile input does to it nobody sees, for what torch gives back is no tensor."""
    mode = None if ops.spreads(path, args) else torch.is_grad_enabled()
    here().record(path + "()", (), (mode,), beside_volatile=True)


def _data_parallel(module: Any, *_: Any, **__: Any) -> Any:
    return module


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _load(*args: Any, **_: Any) -> Any:
    return unknown(f"torch.load({', '.join(str(part._vf.path) for part in leaves_in(list(args)))})")


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Variable": variable,
    "no_grad": _mode(torch.no_grad),
    "enable_grad": _mode(torch.enable_grad),
    "inference_mode": _mode(torch.no_grad),
    "set_grad_enabled": _set_grad_enabled,
    "is_grad_enabled": torch.is_grad_enabled,
    "is_tensor": _is_tensor,
    "grad": ops.gradient,
    "backward": _backward,
    "checkpoint": _checkpoint,
    "data_parallel": _parallel_call,
    "DataParallel": _data_parallel,
    "DistributedDataParallel": _data_parallel,
    "save": _nothing,
    "load": _load,
    "manual_seed": _nothing,
    "set_num_threads": _nothing,
    "set_default_tensor_type": _nothing,
    "save_image": _nothing,
    "clip_grad_norm": lambda *a, **k: ops.plain("clip_grad_norm", []),
    "clip_grad_norm_": lambda *a, **k: ops.plain("clip_grad_norm", []),
}

__all__ = ["call", "has", "member", "name", "project_line"]
