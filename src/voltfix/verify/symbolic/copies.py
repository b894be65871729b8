"""``copy.deepcopy``: what it gives is nobody else's, so whoever freezes or trains that does it to nothing else."""

from __future__ import annotations

import collections
import copy
import types
from typing import Any

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.objects import Shadow, path_of
from voltfix.verify.symbolic.standin import StandIn, State, is_plain
from voltfix.verify.symbolic.world import here

_OWN = frozenset(["any", "module", "self"])  # kinds of unknowns that may hold parameters
_PARAMETER = "parameter:"


def deepcopy(thing: Any, memo: Any = None) -> Any:
    """A copy of its own; ``memo`` is what a ``__deepcopy__`` of the project hands on."""
    return (memo if isinstance(memo, _Copies) else _Copies()).of(thing)


class _Copies(dict[int, Any]):
    """One call of ``deepcopy``: what is met twice is copied once, and parts keep their names below the copy's."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: dict[str, str] = {}
        self.alive: list[Any] = []  # nobody gets the ``id`` of what was copied

    def of(self, thing: Any) -> Any:
        if id(thing) not in self:
            self.alive.append(thing)
            made = self._made(thing)
            self.setdefault(id(thing), made)
        return self[id(thing)]

    def _made(self, thing: Any) -> Any:
        if isinstance(thing, StandIn):
            return self._standin(thing)
        if isinstance(thing, Shadow):
            return self._object(thing)
        if isinstance(thing, (dict, list, collections.deque, set)):
            return self._container(thing)
        if isinstance(thing, tuple):
            parts = [self.of(each) for each in thing]
            return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)
        if isinstance(thing, types.MethodType):
            return types.MethodType(thing.__func__, self.of(thing.__self__))
        return thing

    def _container(self, thing: Any) -> Any:
        made = self[id(thing)] = copy.copy(thing)
        parts = list(thing.items()) if isinstance(thing, dict) else [self.of(each) for each in thing]
        made.clear()
        if isinstance(thing, dict):
            made.update((self.of(key), self.of(each)) for key, each in parts)
        elif isinstance(thing, set):
            made.update(parts)
        else:
            made.extend(parts)
        return made

    def _object(self, thing: Shadow) -> Any:
        own = getattr(type(thing), "__deepcopy__", None)
        if own is not None:
            return own(thing, self)
        made = self[id(thing)] = object.__new__(type(thing))
        path = self._name(path_of(thing))
        for name, held in list(vars(thing).items()):
            vars(made)[name] = self.of(held)
        vars(made)["_vf_path"] = path
        return made

    def _standin(self, thing: StandIn) -> Any:
        state = thing._vf
        if state.kind == "value":
            return self._leaf(thing)
        if state.kind not in _OWN or is_plain(state.path) or tables.reading_module(state.path.partition("(")[0]):
            return thing
        made = State(self._name(state.path), state.kind)
        copied = self[id(thing)] = StandIn(made)
        for name in State.__slots__:
            if name not in ("path", "kind", "tensor", "attrs", "items", "receiver", "moved"):
                setattr(made, name, getattr(state, name))
        made.attrs = {name: self.of(each) for name, each in state.attrs.items()}
        made.items = {name: self.of(each) for name, each in state.items.items()}
        made.receiver = None if state.receiver is None else self.get(id(state.receiver), state.receiver)
        if state.tensor is not None:
            leaf = here().leaves.get(made.path) if here().leaves.get(state.path) is state.tensor else None
            again = state.tensor.detach().clone().requires_grad_(state.tensor.requires_grad)
            made.tensor = again if leaf is None else leaf  # a leaf went along with its name
        return copied

    def _leaf(self, thing: StandIn) -> StandIn:
        """Of tensors, those that gradients are for: of the others nothing is trained or frozen."""
        state, world = thing._vf, here()
        label = next((name for name, leaf in world.leaves.items() if leaf is state.tensor), None)
        if label is None or state.tensor is None:
            return thing
        path = self._name(label)
        again = state.tensor.detach().clone().requires_grad_(state.tensor.requires_grad)
        made = self[id(thing)] = StandIn(State(path, "value", world.leaves.setdefault(path, again), state.tag))
        made._vf.name, made._vf.volatile, made._vf.raw = state.name, state.volatile, state.raw
        return made

    def _name(self, path: str) -> str:
        """What the copy is called, and with it what is known by that name or a name below it."""
        for old, new in self.roots.items():
            if _below(path, old):
                return new + path[len(old) :]
        # behind a number sign, where words that say what something is are not looked for
        new = self.roots[path] = f"{path}#copy{here().count('copy:' + path)}"
        self._take_along(path, new)
        return new

    def _take_along(self, old: str, new: str) -> None:
        world = here()
        for known in (world.used, world.unseen, world.unknowns, world.could_require):
            known.update([new + name[len(old) :] for name in known if _below(name, old)])
        world.modes.update({new + name[len(old) :]: on for name, on in world.modes.items() if _below(name, old)})
        for name, leaf in [each for each in world.leaves.items() if _below(each[0], old)]:
            world.leaves[new + name[len(old) :]] = leaf.detach().clone().requires_grad_(leaf.requires_grad)
        start = _PARAMETER + old
        for label, held in [each for each in world.globals.items() if _below(each[0], start)]:
            path = new + label[len(start) :]
            made = StandIn(State(path + ".parameter", "value", world.leaves[path]))
            made._vf.name, made._vf.volatile = held._vf.name, held._vf.volatile
            world.globals[_PARAMETER + path] = made


def _below(path: str, owner: str) -> bool:
    return path == owner or path.startswith((owner + ".", owner + "["))
