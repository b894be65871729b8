"""Modules and leaves, named so that they are the same in two runs: by class and order of creation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch

from voltfix.verify.trace.sites import user_frames


class Names:
    """Keys for modules (``Linear#2``: the second of its class) and, for reports, what the user calls them."""

    def __init__(self) -> None:
        self.modules: dict[str, torch.nn.Module] = {}
        self.shown: dict[str, str] = {}
        self._keys: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._leaves: tuple[int, dict[int, str]] = (0, {})

    def key(self, module: torch.nn.Module) -> str:
        """The key of a module; made when it is first asked for. Holds on to the module."""
        known = self._keys.get(id(module))
        if known is None:
            kind = type(module).__name__
            self._counts[kind] = self._counts.get(kind, 0) + 1
            known = f"{kind}#{self._counts[kind]}"
            self._keys[id(module)] = known
            self.modules[known] = module
        return known

    def see(self, module: torch.nn.Module) -> str:
        """The key of a module that the user's code is just calling; notes the name it is called by."""
        key = self.key(module)
        if key not in self.shown:
            name = _name_on_stack(module)
            if name:
                self.shown[key] = name
        return key

    def roots(self) -> Iterator[tuple[str, torch.nn.Module]]:
        """The modules that are part of no other module."""
        children = {id(child) for module in self.modules.values() for child in _descendants(module)}
        yield from ((key, module) for key, module in list(self.modules.items()) if id(module) not in children)

    def leaves(self) -> dict[int, str]:
        """Names of all parameters by the id of the tensor: ``Sequential#1.0.weight``."""
        if self._leaves[0] != len(self.modules):
            found: dict[int, str] = {}
            for key, module in self.roots():
                for name, parameter in module.named_parameters():
                    found.setdefault(id(parameter), f"{key}.{name}")
            self._leaves = len(self.modules), found
        return self._leaves[1]


def _descendants(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    found = module.modules()
    next(found, None)
    yield from found


def _name_on_stack(value: Any) -> str:
    """The variable or attribute of self that holds a value, in the innermost frame where one does."""
    for frame in user_frames(sys._getframe(1)):
        for name, local in list(frame.f_locals.items()):
            if local is value and name != "self":
                return name
        holder = frame.f_locals.get("self")
        attributes = {**getattr(holder, "__dict__", {}), **getattr(holder, "_modules", {})}
        for name, attribute in attributes.items():
            if attribute is value:
                return str(name)
    return ""
