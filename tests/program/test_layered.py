"""Which attributes hold layers and are only looked through."""

from __future__ import annotations

import pytest

from alone import function, project
from voltfix.program.layered import Layered


def stays(body: str) -> bool:
    text = f"""
class Net:
    def __init__(self, made):
        self.steps = made
        self.steps.append(made)

    def use(self, x):
        {body}
"""
    made = project(main=text)
    return Layered(made).stays("steps", function(made, "Net.__init__").node)


@pytest.mark.parametrize("body", [
    "return self.steps[0](x)", "return self.steps(x)", "for step in self.steps: x = step(x)", "return len(self.steps)",
    "return [step(x) for step in self.steps]", "for i, s in enumerate(self.steps): s(x)", "self.steps.eval()",
    "run(*self.steps)", "x.steps[1:]", "return x in self.steps", "x[self.steps]", "self.steps = x",
    "setattr(self, 'other', x)",
])
def test_a_list_that_is_looked_at_stays_what_it_was_made_of(body):
    assert stays(body)


@pytest.mark.parametrize("body", [
    "self.steps.append(x)", "self.steps.add_module('x', x)", "self.steps[0] = x", "del self.steps[0]",
    "run(self.steps)", "steps = self.steps", "return self.steps", "x.steps.insert(0, x)",
    "self.steps._modules['0'] = x", "return [self.steps]", "for self.steps[0] in x: pass", "yield self.steps",
    "self.steps.weight = x", "setattr(self, x, self)",
])
def test_a_list_that_may_get_another_layer_does_not(body):
    assert not stays(body)


def left_alone(body: str) -> bool:
    return Layered(project(main=f"import torch\ndef f(net, x, y):\n    {body}\n")).is_left_alone("steps")


@pytest.mark.parametrize("body", [
    "net.steps(x)", "net.apply(lambda part: part.eval())", "net.kinds.Exp.apply(x, y, 2)",
    "for part in net.modules(): part.eval()",
])
def test_who_goes_over_the_parts_of_a_network_and_only_looks_leaves_its_lists_alone(body):
    assert left_alone(body)


@pytest.mark.parametrize("body", [
    "net.apply(x)", "net.apply(*x)", "net.apply(x, *y)", "net.apply(fn=x)", "net.apply(x, **y)",
    "torch.nn.Module.apply(net, x)", "net.Kind.apply(net, x)", "net.apply(x, y, *x)", "go = net.apply; go(x)",
    "for part in net.modules(): part.append(x)", "net.steps.append(x)",
])
def test_who_may_put_a_layer_into_the_parts_does_not(body):
    assert not left_alone(body)


def named_alone(body: str) -> bool:
    return Layered(project(main=f"import torch\ndef f(net, x, y):\n    {body}\n")).go_by_name("top")


@pytest.mark.parametrize("body", [
    "for name, part in net._modules.items(): x = part(x)", "return [part(x) for part in net.body._modules.values()]",
    "return x in net._modules", "for name in net._modules: print(name)", "return net._modules[x](y)",
    "return list(net._modules.keys())", "return net._modules.get('top')(x)", "net.add_module('side', x)",
])
def test_who_takes_layers_out_of_the_table_of_a_network_puts_none_in(body):
    assert named_alone(body)


@pytest.mark.parametrize("body", [
    "net._modules['top'] = x", "net.body._modules[x] = y", "del net._modules[x]", "net._modules.update(x)",
    "table = net._modules; table[x] = y", "x(net._modules)", "net._modules = x", "net._modules.pop(x)",
    "net._modules.setdefault(x, y)", "for net._modules[x] in y: pass", "take = net._modules.update; take(x)",
    "getattr(net, '_modules')[x] = y", "x(**net._modules)", "return net._modules", "net._modules[x], y = y, x",
    "(net._modules if x else y)[x] = y", "with x as net._modules[y]: pass", "net._modules |= x",
    "vars(net)['_modules'][x] = y", "net._forward_hooks[x] = y", "net.add_module(x, y)",
])
def test_who_has_the_table_of_a_network_may_put_any_layer_in(body):
    assert not named_alone(body)
