from __future__ import annotations

import pytest

from alone import function, node, project
from voltfix.program.calls import CallGraph

TRAINER = """
from torch import nn
class Fitter{bases}:
    def __init__(self, model): self.model = model
    def forward(self, batch): self.model(batch).sum().backward()
def show(model, batch): return model(batch)
"""


def runs(more: str, bases: str = "") -> bool:
    """May ``model(batch)`` run the trainer's method?"""
    code = project(main=TRAINER.format(bases=bases) + more)
    graph = code.computed(CallGraph)
    found = graph.targets("main.py", node(code, "model(batch)"))[0]
    assert any(each.qualname == "Fitter.forward" for each in found) == graph.trains(function(code, "show"))
    return graph.trains(function(code, "show"))


@pytest.mark.parametrize("more", [
    "Fitter(net).forward(x)",
    "class Slow(Fitter):\n    def __init__(self, model): super(Slow, self).__init__(model)",
    "class Slow(Fitter):\n    def __init__(self, model): Fitter.__init__(self, model)",
    "def check(f): assert isinstance(f, Fitter)",
])
@pytest.mark.parametrize("bases", ["", "(object)"])
def test_calling_an_object_runs_no_forward_of_a_class_whose_objects_cannot_be_called(more: str, bases: str):
    assert not runs(more, bases)


@pytest.mark.parametrize("more", [
    "class Slow(Fitter, nn.Module): pass",
    "class Slow(Fitter):\n    def __call__(self, batch): return self.forward(batch)",
    "class Slow(Fitter):\n    def __getattr__(self, name): return self.forward",
    "class Slow(Fitter, metaclass=callables): pass",
    "@callable_too\nclass Slow(Fitter): pass",
    "from elsewhere import Base\nclass Slow(Fitter, Base): pass",
    "Made = type('Made', (Fitter, nn.Module), {})",
    "def mixed(base):\n    class Made(base, nn.Module): pass\n    return Made\nmixed(Fitter)",
    "Fitter.__call__ = Fitter.forward",
    "setattr(Fitter, '__call__', Fitter.forward)",
    "Fitter.__bases__ = (nn.Module,)",
    "def turn(net): net.__class__ = Fitter",
    "try:\n    from fast import Quick\nexcept ImportError:\n    Quick = Fitter\nclass Slow(Quick, nn.Module): pass",
])
def test_it_may_where_something_gives_the_objects_a_call(more: str):
    assert runs(more)


@pytest.mark.parametrize("bases", ["(nn.Module)", "(Unseen)"])
def test_it_may_where_the_class_has_a_base_that_is_called(bases: str):
    assert runs("", bases)


def test_a_call_of_its_own_that_trains_is_run():
    assert runs("class Slow(Fitter):\n    def __call__(self, batch): batch.sum().backward()")
