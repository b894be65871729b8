"""Which attributes of torch's modules take nothing but a parameter."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.registered import Registered

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, wide):
        super().__init__()
        if wide:
            self.scale = nn.Parameter(torch.ones(3))
        {made}

    def forward(self, x):
        {later}
        return x * self.scale
{more}
"""


def holds(later: str = "pass", made: str = "pass", more: str = "", base: str = "nn.Module") -> bool:
    code = project(main=NET.format(made=made, later=later, more=more).replace("(nn.Module)", f"({base})", 1))
    cls = next(each for each in code.classes() if each.node.name == "Net")
    return code.computed(Registered).holds(cls, "scale")


@pytest.mark.parametrize("later", [
    "self.scale = self.scale.cuda()",
    "self.scale = self.scale.view(3).cuda()",
    "self.scale = nn.Parameter(torch.zeros(3))",
    "self.kept = self.scale * 2",
    "self.scale, other = self.scale.cuda(), 1",
    "self.scale = other = self.scale.cuda()",
    "me = self\n        me.scale = me.scale.cuda()",
])
def test_what_stands_under_the_name_of_a_parameter_is_one_whatever_is_assigned(later: str) -> None:
    assert holds(later)


@pytest.mark.parametrize("given", [
    {"later": "self.scale = x.norm()"},  # it may be the first that is assigned
    {"later": "self.scale = self.other.cuda()"},
    {"later": "self.scale = self.kind.scale.cuda()"},
    {"later": "self.scale = x if x.dim() else self.scale.cuda()"},
    {"later": "self.scale = x or self.scale"},
    {"later": "self.scale, other = x.norm(), self.scale.cuda()"},
    {"later": "self.scale, *other = self.scale.cuda(), 1, 2"},
    {"later": "self.scale, other = self.scale.cuda()"},
    {"later": "self.scale, (other, last) = other"},
    {"later": "for self.scale in x: pass"},
    {"later": "self.scale *= 2"},
    {"later": "del self.scale"},
    {"later": "setattr(self, 'scale', x)"},
    {"later": "self.__dict__['scale'] = x"},
    {"later": "setattr(self, 'sca' + x.kind, x)"},
    {"later": "self.scale = self.scale.cuda()", "made": "self.scale = None"},
    {"later": "self.scale = self.scale.cuda()", "more": "\ndef give(net, x):\n    net.scale = x"},
    {"later": "self.scale = self.scale.cuda()", "more": "\ndef give(x):\n    Net.scale = x"},
    {"later": "self.scale = self.scale.cuda()", "more": "    scale = None"},
    {"later": "self.scale = self.scale.cuda()", "more": "    @property\n    def scale(self): return self.w * 2"},
    {"later": "self.scale = self.scale.cuda()", "more": "    def __getattr__(self, name): return self.w * 2"},
    {"later": "self.scale = self.scale.cuda()", "more": "    def __setattr__(self, name, x): self.__dict__[name] = x"},
    {"later": "self.scale = self.scale.cuda()", "more": "class Wide(Net):\n    scale = 1"},
    {"later": "self.scale = self.scale.cuda()", "more": "class Wide(Net):\n    def f(self, x): self.scale = x"},
    {"later": "self.scale = self.scale.cuda()", "more": "class Wide(Net, Other): pass"},
    {"later": "self.scale = self.scale.cuda()", "more": "\ndef give(net, k, x):\n    net.__dict__[k] = x"},
    {"later": "self.scale = self.scale.cuda()", "more": "\ndef take(net, k):\n    del net._parameters[k]"},
    {"later": "self.scale = self.scale.cuda()", "more": "\nNet.__setattr__ = object.__setattr__"},
    {"later": "self.scale = self.scale.cuda()", "more": "\ndef n(net, k):\n    nn.utils.weight_norm(net, k)"},
    {"later": "self.scale = self.scale.cuda()", "base": "object"},
    {"later": "self.scale = self.scale.cuda()", "base": "lib.Module"},
    {"later": "self.scale = self.scale.cuda()", "base": "nn.Module, Mixed"},
])
def test_what_may_have_been_something_else_first_is_not_taken_for_one(given: dict[str, str]) -> None:
    assert not holds(**given)


def test_an_object_of_another_class_has_an_attribute_of_its_own() -> None:
    other = "\nclass Other(object):\n    def __init__(self, x):\n        self.scale = x\n"
    assert holds("self.scale = self.scale.cuda()", more=other)


def test_an_attribute_that_holds_no_parameter_is_none() -> None:
    code = project(main="from torch import nn\nclass Net(nn.Module):\n    def f(self, x):\n        self.scale = x")
    cls = next(iter(code.classes()))
    assert not code.computed(Registered).holds(cls, "scale")
    assert not code.computed(Registered).holds(cls, "other")
