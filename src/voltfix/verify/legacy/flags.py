"""The flags that a tensor of today carries while it stands in for a Variable of 0.3.

They live in the tensor's own ``__dict__``: every name of the object sees them, copy and pickle carry them,
a new object over the same storage starts without. Grad mode and torch's own state are not touched here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch

_ATTRIBUTE = "_voltfix_flags"
VARIABLE = 1  # a Variable; a tensor without this is one of 0.3's plain tensors
VOLATILE = 2
PLAIN = 8  # a plain tensor for a while, whatever it is else: what ``Function.forward`` is handed
NODE = 4  # 0.3 had a node here although nothing requires grad: .volatile cannot be set


def flags_of(tensor: torch.Tensor) -> int:
    """The flags of a tensor; 0 for a plain one."""
    flags: int = tensor.__dict__.get(_ATTRIBUTE, 0)
    return flags


def add(tensor: torch.Tensor, flags: int) -> None:
    """Set these flags, keep the others."""
    tensor.__dict__[_ATTRIBUTE] = flags_of(tensor) | flags


def remove(tensor: torch.Tensor, flags: int) -> None:
    """Take these flags away, keep the others."""
    tensor.__dict__[_ATTRIBUTE] = flags_of(tensor) & ~flags


def is_variable(value: Any) -> bool:
    """Is this a Variable? Parameters are, and so is whatever autograd made without our seeing it."""
    if not isinstance(value, torch.Tensor):
        return False
    flags = value.__dict__.get(_ATTRIBUTE, 0)
    if flags & PLAIN:
        return False
    if flags or isinstance(value, torch.nn.Parameter):
        return True
    with torch._C.DisableTorchFunction():
        return bool(value.requires_grad)


@contextlib.contextmanager
def plain(tensors: Sequence[torch.Tensor]) -> Iterator[None]:
    """While the block runs these are plain tensors, without flags; the same objects, as autograd knows them."""
    kept = [(tensor, tensor.__dict__.get(_ATTRIBUTE)) for tensor in tensors]
    for tensor in tensors:
        tensor.__dict__[_ATTRIBUTE] = PLAIN
    try:
        yield
    finally:
        for tensor, flags in kept:
            tensor.__dict__.pop(_ATTRIBUTE, None)
            if flags is not None:
                tensor.__dict__[_ATTRIBUTE] = flags


def is_volatile(value: Any) -> bool:
    """Is this a volatile Variable?"""
    return isinstance(value, torch.Tensor) and bool(value.__dict__.get(_ATTRIBUTE, 0) & VOLATILE)


def has_node(tensor: torch.Tensor) -> bool:
    """Did this tensor have a ``grad_fn`` on 0.3, so that its flags could not be set?"""
    with torch._C.DisableTorchFunction():
        return tensor.grad_fn is not None or bool(flags_of(tensor) & NODE)
