"""What stands in for the bases of a class of the project."""

from __future__ import annotations

from typing import Any

from voltfix.verify.symbolic import ops, torchapi
from voltfix.verify.symbolic.objects import Shadow
from voltfix.verify.symbolic.standin import StandIn, leaves_in, signature


class Operation(Shadow):
    """The base of a project's ``torch.autograd.Function``, which 0.3 called as an object: one operation, whatever its
    forward() does with the tensors that it is handed there."""

    _vf_open = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The operation on its Variables: one volatile input makes the result volatile, as with any other."""
        held = {name: each for name, each in self.__dict__.items() if not name.startswith("_vf")}
        settings = [ops.alias(each, volatile=False) for each in leaves_in(held) if each._vf.kind == "value"]
        volatile = ops.is_volatile([args, kwargs])
        name = f"call {type(self).__name__}{signature(held)}"
        out = ops.apply(name, [*args, *settings], kwargs, volatile=volatile)
        out._vf.multiple = True
        return out

    def save_for_backward(self, *kept: Any) -> None:
        """What torch's own method does, which gives nothing back: a ``forward()`` that is called by hand comes here."""
        self.saved_tensors = self.saved_variables = kept

    def _note(self, *given: Any) -> None:
        """Torch's other methods of an operation only note something for the graph."""

    mark_dirty = mark_shared_storage = mark_non_differentiable = set_materialize_grads = _note


class Made(Shadow):
    """The base of a project's class that is derived from Variable: it makes the Variable that ``__init__`` asks for."""

    _vf_open = _vf_tensor = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """The Variable, instead of an object."""
        made = super().__new__(cls)
        made.__init__(*args, **kwargs)
        given, named = made.__dict__.get("_vf_given", ((), {}))
        return torchapi.variable(*given, **named)


def _kind(base: Any) -> type:
    """What stands in for a base: itself where it is at hand."""
    if isinstance(base, StandIn) and base._vf.kind == "torch":
        path = base._vf.path
        if path == "torch.autograd.Variable":
            return Made
        return Operation if path.startswith("torch.autograd.") and path.endswith("Function") else Shadow
    return base if isinstance(base, type) and base is not object else Shadow


def bases(*given: Any) -> tuple[type, ...]:
    """The bases of a class of the project: its real ones where they are at hand, Shadow for the rest."""
    found: list[type] = []
    for base in given:
        kind = _kind(base)
        if kind not in found:
            found.append(kind)
    if any(issubclass(kind, (BaseException, tuple, dict, list, str, int, float)) for kind in found):
        found = [kind for kind in found if kind is not Shadow]
    elif not any(issubclass(kind, Shadow) for kind in found):
        found.append(Shadow)
    elif Shadow in found and len(found) > 1:  # a project class has it already, further down
        found.remove(Shadow)
    return tuple(found) or (Shadow,)


def is_open(given: tuple[Any, ...]) -> bool:
    """Is one of these bases not at hand?"""
    return any(isinstance(base, StandIn) or getattr(base, "_vf_open", False) for base in given)
