"""Values as JSON data: tensors bit for bit and what gradients reach from them, containers inside out."""

from __future__ import annotations

import base64
import ctypes
import hashlib
import math
from typing import Any

import torch

Described = dict[str, Any]
KEPT_ELEMENTS = 4096  # of a tensor's values; of a larger one a digest and a sum are kept besides
_DEPTH = 8


class Describer:
    """Describes values for one run; ``leaves`` names the parameters by id."""

    def __init__(self, leaves: dict[int, str]) -> None:
        self.leaves = leaves
        self._storages: dict[int, int] = {}
        self._open: set[int] = set()
        self.devices: set[str] = set()  # where the tensors were

    def value(self, value: Any, depth: int = _DEPTH) -> Described:
        """Describe any value; tensors in it are found in containers and in the attributes of objects."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if value is None or isinstance(value, (bool, str, bytes)):
            return {"kind": "plain", "value": repr(value)}
        if isinstance(value, (int, float, complex)):
            return {"kind": "number", "value": _number(value)}
        if hasattr(value, "__array__") and hasattr(value, "dtype"):
            return self._array(value)
        if not depth or id(value) in self._open:
            return {"kind": "object", "type": type(value).__name__, "items": {}}
        self._open.add(id(value))
        try:
            return self._container(value, depth - 1)
        finally:
            self._open.discard(id(value))

    def _container(self, value: Any, depth: int) -> Described:
        if isinstance(value, dict):
            return {
                "kind": "dict",
                "items": {str(key): self.value(item, depth) for key, item in value.items()},
            }
        if isinstance(value, (list, tuple)):
            return {"kind": "list", "items": [self.value(item, depth) for item in value]}
        if isinstance(value, torch.nn.Module) or not hasattr(value, "__dict__") or isinstance(value, type):
            return {"kind": "object", "type": type(value).__name__, "items": {}}
        items = {name: self.value(item, depth) for name, item in vars(value).items()}
        return {"kind": "object", "type": type(value).__name__, "items": items}

    def tensor(self, tensor: torch.Tensor) -> Described:
        """Describe a tensor: values, dtype, shape, requires_grad, the leaves it reaches, its storage."""
        self.devices.add(tensor.device.type)
        return {
            "kind": "tensor",
            "requires_grad": bool(tensor.requires_grad),
            "reach": sorted(reach(tensor, self.leaves)),
            "storage": self._storage(tensor),
            **contents(tensor),
        }

    def _storage(self, tensor: torch.Tensor) -> int:
        try:
            address = tensor.untyped_storage().data_ptr()
        except (RuntimeError, NotImplementedError):  # sparse tensors and their kin have none
            return -1
        return self._storages.setdefault(address, len(self._storages)) if address else -1

    def _array(self, value: Any) -> Described:
        try:
            inner = contents(torch.as_tensor(value))
        except (TypeError, RuntimeError):  # an array of objects or of text
            return {"kind": "plain", "value": repr(value)}
        return {"kind": "tensor", "requires_grad": False, "reach": [], "storage": -1, **inner}


def contents(tensor: torch.Tensor) -> Described:
    """The values of a tensor: dtype, shape, digest of its bytes, and the first elements as float64."""
    plain = tensor.detach()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    flat = plain.cpu().contiguous().reshape(-1)
    data = _bytes(flat)
    kept = flat[:KEPT_ELEMENTS]
    kept = torch.view_as_real(kept).reshape(-1) if kept.is_complex() else kept
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "digest": hashlib.sha256(data).hexdigest()[:32],
        "elements": base64.b64encode(_bytes(kept.double())).decode(),
        "sum": float(flat.double().sum()) if not flat.is_complex() else 0.0,
    }


def _bytes(flat: torch.Tensor) -> bytes:
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size()) if flat.numel() else b""


def reach(tensor: torch.Tensor, leaves: dict[int, str]) -> set[str]:
    """The leaves that a gradient from this tensor arrives at; a view made without grad mode reaches none."""
    if not tensor.requires_grad:
        return set()
    if tensor.grad_fn is None:
        return {leaf_name(tensor, leaves)} if tensor.is_leaf and not tensor._is_view() else set()
    return {leaf_name(leaf, leaves) for leaf in leaves_below(tensor)}


def leaves_below(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The leaf tensors of the graph of a tensor, each once."""
    found: dict[int, torch.Tensor] = {}
    waiting: list[Any] = [tensor.grad_fn]
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if isinstance(leaf, torch.Tensor):
            found[id(leaf)] = leaf
        waiting += [below for below, _ in node.next_functions]
    return list(found.values())


def leaf_name(leaf: torch.Tensor, leaves: dict[int, str]) -> str:
    """A parameter's name, or the shape of a leaf that belongs to no module."""
    return leaves.get(id(leaf)) or f"a leaf of shape {tuple(leaf.shape)}"


def _number(value: complex) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return repr(value)
