"""Listens to a run: calls of modules from the user's code, backward passes, and what is there at the end."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from voltfix.verify.trace.describe import Describer, contents, leaf_name, leaves_below
from voltfix.verify.trace.naming import Names
from voltfix.verify.trace.sites import site_here, site_of

Trace = dict[str, Any]
RECURRENT = (torch.nn.RNNBase, torch.nn.RNNCellBase)
MAX_CALLS = 20_000  # of modules; what comes after is counted only


class Tracer:
    """The trace of one run of code below ``folder``; ``listening`` gathers it, ``finish`` hands it out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = Names()
        self.calls: list[dict[str, Any]] = []
        self.devices: set[str] = set()
        self.backwards: list[dict[str, Any]] = []
        self.recurrent = False
        self._uncounted = 0
        self._inside = threading.local()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hook into torch while the block runs."""
        hooks = torch.nn.modules.module
        handles = [
            hooks.register_module_forward_pre_hook(self._before_call),
            hooks.register_module_forward_hook(self._after_call, always_call=True),
        ]
        undo = list(self._patch())
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            for owner, name, value in reversed(undo):
                setattr(owner, name, value)

    def _patch(self) -> Iterator[tuple[Any, str, Any]]:
        for owner, name, replace in (
            (torch.nn.Module, "__init__", self._creating),
            (torch.Tensor, "backward", self._backward),
            (torch.autograd, "backward", self._backward),
            (torch.autograd, "grad", self._grad),
        ):
            original = getattr(owner, name)
            yield owner, name, original
            setattr(owner, name, functools.wraps(original)(replace(original)))

    # --- modules --------------------------------------------------------------------------------------------

    def _creating(self, original: Callable[..., None]) -> Callable[..., None]:
        def run(module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
            self.names.key(module)
            original(module, *args, **kwargs)

        return run

    def _before_call(self, module: torch.nn.Module, args: Any) -> None:
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        self.recurrent = self.recurrent or isinstance(module, RECURRENT)

    def _after_call(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        self._inside.depth -= 1
        if self._inside.depth or output is None:
            return
        if len(self.calls) >= MAX_CALLS:
            self._uncounted += 1
            return
        with torch._C.DisableTorchFunction():
            key = self.names.see(module)
            describer = Describer(self.names.leaves())
            described = describer.value(output)
            self.devices |= describer.devices
        self.calls.append({"module": key, "site": site_here(self.folder), "output": described})

    # --- backward passes ------------------------------------------------------------------------------------

    def _backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(roots: Any, *args: Any, **kwargs: Any) -> Any:
            if getattr(self._inside, "backward", False):
                return original(roots, *args, **kwargs)
            self._inside.backward = True
            try:
                leaves = self._leaves(roots)
                result = original(roots, *args, **kwargs)
            finally:
                self._inside.backward = False
            with torch._C.DisableTorchFunction():
                rows = [[name, contents(leaf.grad)] for name, leaf in leaves if leaf.grad is not None]
            self.backwards.append({"site": site_here(self.folder), "gradients": rows})
            return result

        return run

    def _grad(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            with torch._C.DisableTorchFunction():
                described = Describer(self.names.leaves()).value(result)
            self.backwards.append({"site": site_here(self.folder), "result": described, "gradients": []})
            return result

        return run

    def _leaves(self, roots: Any) -> list[tuple[str, torch.Tensor]]:
        with torch._C.DisableTorchFunction():
            known = self.names.leaves()
            tensors = [roots] if isinstance(roots, torch.Tensor) else list(roots)
            found: dict[int, torch.Tensor] = {}
            for root in tensors:
                below = leaves_below(root) if root.grad_fn is not None else [root]
                found.update((id(leaf), leaf) for leaf in below)
            return sorted(((leaf_name(leaf, known), leaf) for leaf in found.values()), key=lambda row: row[0])

    # --- the end --------------------------------------------------------------------------------------------

    def finish(self, result: Any, error: BaseException | None) -> Trace:
        """The whole trace as JSON data, with the result of the run and the error that ended it."""
        with torch._C.DisableTorchFunction():
            describer = Describer(self.names.leaves())
            described = describer.value(result)
            return {
                "calls": self.calls,
                "devices": sorted(self.devices | describer.devices),
                "calls_left_out": self._uncounted,
                "backwards": self.backwards,
                "result": described,
                "modules": {key: _state(module) for key, module in self.names.roots()},
                "names": self.names.shown,
                "recurrent": self.recurrent,
                "error": None if error is None else self._error(error),
            }

    def _error(self, error: BaseException) -> dict[str, Any]:
        return {"type": type(error).__name__, "text": str(error)[:500], "site": site_of(error, self.folder)}


def _state(module: torch.nn.Module) -> dict[str, Any]:
    parameters = {
        name: {
            "value": contents(parameter),
            "gradient": None if parameter.grad is None else contents(parameter.grad),
            "requires_grad": parameter.requires_grad,
        }
        for name, parameter in module.named_parameters()
    }
    return {
        "parameters": parameters,
        "buffers": {name: contents(buffer) for name, buffer in module.named_buffers()},
    }
