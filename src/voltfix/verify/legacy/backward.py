"""Backward passes as on 0.3: what they refuse, and which gradients they leave volatile."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from voltfix.semantics import REFUSES_VOLATILE
from voltfix.verify.legacy.flags import VARIABLE, VOLATILE, add, flags_of, is_variable, is_volatile, remove
from voltfix.verify.legacy.mode import resumed
from voltfix.verify.legacy.variable import Backward

_torch_backward = torch.autograd.backward
_torch_grad = torch.autograd.grad


def tensor_backward(
    self: torch.Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool | None = None,
    retain_variables: bool | None = None,
) -> None:
    """``Variable.backward`` of 0.3."""
    autograd_backward([self], [gradient], retain_graph, create_graph, retain_variables)


def autograd_backward(
    variables: Any,
    grad_variables: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool | None = None,
    retain_variables: bool | None = None,
    **modern: Any,
) -> None:
    """``torch.autograd.backward`` of 0.3; raises RuntimeError for a volatile variable.

    ``modern`` takes the keyword names of today (``grad_tensors``), which code for both versions may use.
    """
    roots = _sequence(variables)
    grads = _gradients(modern.pop("grad_tensors", grad_variables), len(roots))
    _refuse_volatile(roots)
    graph = _creates_graph(create_graph, grads)
    keep = retain_graph if retain_variables is None else retain_variables
    grads = [_shaped(gradient, root) for gradient, root in zip(grads, roots, strict=True)]
    leaves = list(_leaves(roots)) if graph else []
    with _running(graph):
        _torch_backward(roots, grads, keep, graph, **modern)
    for leaf in leaves:
        with torch._C.DisableTorchFunction():
            gradient = leaf.grad
        if gradient is not None:
            add(gradient, VARIABLE)
            remove(gradient, VOLATILE)


def autograd_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool | None = None,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    **modern: Any,
) -> tuple[torch.Tensor | None, ...]:
    """``torch.autograd.grad`` of 0.3: volatile gradients, unless a graph is asked for."""
    roots = _sequence(outputs)
    _refuse_volatile(roots)
    grads = _gradients(grad_outputs, len(roots))
    graph = _creates_graph(create_graph, grads) and not any(map(is_volatile, grads))
    grads = [_shaped(gradient, root) for gradient, root in zip(grads, roots, strict=True)]
    with _running(graph), torch._C.DisableTorchFunction():
        found = _torch_grad(
            roots, _sequence(inputs), grads, retain_graph, graph, allow_unused=allow_unused, **modern
        )
    for gradient in found:
        if gradient is not None:
            add(gradient, VARIABLE | (0 if graph else VOLATILE))
    return found


def watch_gradient(hook: Callable[[torch.Tensor], Any]) -> Callable[[torch.Tensor], Any]:
    """A hook on a tensor, shown gradients as 0.3 had them."""
    inner = resumed(hook)

    def run(gradient: torch.Tensor) -> Any:
        if not flags_of(gradient) & VARIABLE:
            add(gradient, VARIABLE | (0 if Backward.create_graph else VOLATILE))
        return inner(gradient)

    return run


def _sequence(value: Any) -> tuple[torch.Tensor, ...]:
    return (value,) if isinstance(value, torch.Tensor) else tuple(value)


def _gradients(value: Any, count: int) -> list[torch.Tensor | None]:
    if value is None:
        return [None] * count
    return [value] if isinstance(value, torch.Tensor) else list(value)


def _shaped(gradient: torch.Tensor | None, root: torch.Tensor) -> torch.Tensor | None:
    """A loss had one element in one dimension: ``loss.backward(torch.ones(1))``."""
    if gradient is None or gradient.shape == root.shape or gradient.numel() != root.numel():
        return gradient
    return gradient.reshape(root.shape)


def _refuse_volatile(roots: Sequence[torch.Tensor]) -> None:
    for index, root in enumerate(roots):
        if is_volatile(root):
            raise RuntimeError(REFUSES_VOLATILE["backward"].format(index=index))
        with torch._C.DisableTorchFunction():
            if not root.requires_grad:
                raise RuntimeError(
                    f"element {index} of variables does not require grad and does not have a grad_fn"
                )


def _creates_graph(create_graph: bool | None, gradients: Sequence[torch.Tensor | None]) -> bool:
    """Left open, a gradient handed in that is a Variable and not volatile asked for a graph."""
    if create_graph is not None:
        return bool(create_graph)
    return any(is_variable(gradient) and not is_volatile(gradient) for gradient in gradients)


@contextlib.contextmanager
def _running(create_graph: bool) -> Iterator[None]:
    before = Backward.depth, Backward.create_graph
    Backward.depth, Backward.create_graph = Backward.depth + 1, create_graph
    try:
        yield
    finally:
        Backward.depth, Backward.create_graph = before


def _leaves(roots: Sequence[torch.Tensor]) -> Iterator[torch.Tensor]:
    """The leaves that the graph of these tensors reaches."""
    with torch._C.DisableTorchFunction():
        waiting = [root.grad_fn for root in roots]
        yield from (root for root in roots if root.grad_fn is None)
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if isinstance(leaf, torch.Tensor):
            yield leaf
        waiting += [next_node for next_node, _ in node.next_functions]
