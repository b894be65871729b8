from __future__ import annotations

import pytest

from alone import function, project
from voltfix.program.asking import Asking

NET = """
from torch import nn
class Net(nn.Module):
    def __init__(self, fc, layer): self.fc, self.layer = fc, layer
    def forward(self, x): {body}
    def size(self): return len(self.kept)
    def near(self, x): return x - self.kept[0]
    @property
    def first(self): return self.kept[0]
    def plain(self, x): return self.fc(x)
def look(net): return net.kept
def quiet(net): return net.fc
"""


def asks(body: str, more: str = "") -> bool:
    code = project(main=NET.format(body=body) + more)
    return code.computed(Asking).may_ask("main.py", function(code, "Net.forward").node, "kept")


@pytest.mark.parametrize("body", [
    "return self.fc(x)",
    "return self.plain(x)",
    "return super(Net, self).forward(x)",
    "self.fc.steps = self.fc.steps + 1; return self.fc(x)",
    "return quiet(x)",
    "return [self.plain(part) for part in x]",
    "return [layer(x) for layer in self.layers]",
])
def test_a_method_asks_for_what_it_names_and_what_those_name_that_it_calls(body: str):
    assert not asks(body)


@pytest.mark.parametrize("body", [
    "return x - self.kept[0]",
    "return self.near(x)",
    "return list(map(self.near, x))",
    "return x - self.first",
    "return look(self)",
    "return unseen(self)",
    "return x + self[0]",
    "return self(x)",
    "me = self; return me.fc(x)",
    "return x - getattr(self, 'kept')[0]",
    "return x - vars(self)['kept'][0]",
    "return x - self.__dict__['kept'][0]",
    "self.apply(unseen); return x",
    "return list(map(look, x))",
    "return quiet(x) - OTHER.kept[0]",
    "return (lambda y: y - self.kept[0])(x)",
    "return self.layer(x, self.plain)",
])
def test_it_may_ask_for_what_it_comes_to_or_hands_itself_on_to(body: str):
    assert asks(body, "class Layer(nn.Module):\n    def forward(self, x, f): return f.__self__.kept")


@pytest.mark.parametrize("more", [
    "def watch(net): net.register_forward_hook(look)",
    "class Low(Net):\n    def plain(self, x): return x - self.kept",
    "class Low(Net):\n    def __getattr__(self, name): return look(self)",
])
def test_what_hooks_and_classes_below_ask_for_counts(more: str):
    assert asks("return self.plain(x)", more)


@pytest.mark.parametrize("more", [
    "class Low(Net):\n    def grow(self): self.fc = lambda x: x - self.kept[0]",
    "def grow(net):\n    def far(x): return x - net.kept[0]\n    net.fc = far",
    "def far(x): return x - OTHER.kept[0]\ndef grow(net): net.fc = far",
    "class Far:\n    def of(self, x): return x - self.net.kept[0]\ndef grow(net, far): net.layers.append(far.of)",
])
def test_what_a_function_asks_for_that_is_handed_about_counts(more: str):
    assert asks("return self.fc(x)", more)


@pytest.mark.parametrize("more", [
    "class Low(Net):\n    def far(self, x): return x - self.kept[0]\ndef run(net, x): return net.far(x)",
    "net = Net(1, 2)\nprint(net.kept)",
])
def test_what_a_function_asks_for_that_is_only_called_by_its_name_does_not(more: str):
    assert not asks("return self.fc(x)", more)


FAR = "class Far:\n    def of(self, x): return x - self.net.kept[0]\n"


@pytest.mark.parametrize("more", [
    "    also = of\n", "def grow(net, far): net.fc = getattr(far, 'of')", "def grow(net): net.fc = Far().of",
    "def grow(net): net.fc = Far.of",
])
def test_a_method_is_handed_about_by_an_attribute_or_in_its_class(more: str):
    assert asks("return self.fc(x)", FAR + more)


def test_a_variable_of_the_name_of_a_method_is_another_thing():
    assert not asks("return self.fc(x)", FAR + "def grow(net, x):\n    of = x + 1\n    return of.steps, [of]")


def test_a_function_goes_about_under_another_name_too():
    assert asks("return self.fc(x)", "def far(x): return x - OTHER.kept[0]\nnear = far\ndef grow(net): net.fc = near")
