"""Backward passes as on 0.3: what they refuse, and which gradients they leave volatile."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from voltfix.torchmodel import REFUSES_VOLATILE
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
    with _running(graph) as behind:
        _torch_backward(roots, grads, keep, graph, **modern)
    reached = _nodes(behind)
    for leaf in leaves:
        with torch._C.DisableTorchFunction():
            gradient = leaf.grad
        if gradient is not None and _is_behind(leaf, reached):
            gradient.detach_()
            add(gradient, VARIABLE | VOLATILE)
        elif gradient is not None:
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
    leaves = _sequence(inputs)
    with _running(graph) as behind, torch._C.DisableTorchFunction():
        found = _torch_grad(roots, leaves, grads, retain_graph, graph, allow_unused=allow_unused, **modern)
    reached = _nodes(behind)
    return tuple(
        gradient if gradient is None else _flagged(gradient, not graph or _is_behind(leaf, reached))
        for gradient, leaf in zip(found, leaves, strict=True)
    )


def _flagged(gradient: torch.Tensor, volatile: bool) -> torch.Tensor:
    if volatile and gradient.requires_grad:
        gradient = gradient.detach()
    add(gradient, VARIABLE | (VOLATILE if volatile else 0))
    return gradient


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
def _running(create_graph: bool) -> Iterator[list[Any]]:
    """A backward pass; gives the nodes that got volatile gradients although a graph was asked for."""
    before = Backward.depth, Backward.create_graph, Backward.volatile_behind if Backward.depth else []
    behind: list[Any] = []
    Backward.depth, Backward.create_graph, Backward.volatile_behind = Backward.depth + 1, create_graph, behind
    try:
        yield behind
    finally:
        before[2].extend(behind)  # torch's own function may run inside of ours, for the same pass
        Backward.depth, Backward.create_graph, Backward.volatile_behind = before


def _leaves(roots: Sequence[torch.Tensor]) -> Iterator[torch.Tensor]:
    """The leaves that the graph of these tensors reaches."""
    with torch._C.DisableTorchFunction():
        waiting = [root.grad_fn for root in roots]
        yield from (root for root in roots if root.grad_fn is None)
    for node in _nodes(waiting):
        leaf = getattr(node, "variable", None)
        if isinstance(leaf, torch.Tensor):
            yield leaf


def _nodes(waiting: Sequence[Any]) -> set[Any]:
    """These nodes, and all behind them."""
    open_, seen = list(waiting), set()
    while open_:
        node = open_.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        open_ += [next_node for next_node, _ in node.next_functions]
    return seen


def _is_behind(tensor: torch.Tensor, nodes: set[Any]) -> bool:
    """Does the gradient of this tensor come by one of these nodes?"""
    with torch._C.DisableTorchFunction():
        if tensor.grad_fn is not None:
            return tensor.grad_fn in nodes
    return any(getattr(node, "variable", None) is tensor for node in nodes)
