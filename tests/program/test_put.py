"""Under which names something may be put on an object, where they are put together while the program runs."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.put import Put, are_of_others


@pytest.mark.parametrize("body", [
    "def f(x, n):\n    setattr(x, 'layer%d' % n, 1)\n",
    "def f(x, n):\n    object.__setattr__(x, 'layer' + n, 1)\n",
    "class A:\n    def __setattr__(self, n, v):\n        super().__setattr__('layer' + n, v)\n",
    "def f(net, n, block):\n    net.add_module('layer{}'.format(n), block)\n",
    "def f(x):\n    for name in ('layer1', 'layer2'):\n        setattr(x, name, 1)\n",
    "def f(x, name):\n    setattr(x, name, 1)\n",
    "def f(given):\n    setattr(*given)\n",
    "def f(text):\n    exec(text)\n",
])
def test_a_name_that_is_put_together_may_be_the_one_that_is_asked_for(body: str) -> None:
    assert project(main=body).computed(Put).may_be("layer1")


@pytest.mark.parametrize("body", [
    "def f(x, n):\n    return getattr(x, 'layer%d' % n)\n",
    "def f(x, name):\n    return getattr(x, name)\n",
    "def f(name):\n    return eval(name)\n",
    "def f(x, n):\n    setattr(x, 'block%d' % n, 1)\n",
    "def f(x):\n    for name in ('left', 'right'):\n        setattr(x, name, 1)\n",
    "def f(net, block):\n    net.add_module('layers', block)\n",
])
def test_who_asks_for_something_puts_nothing_there_and_other_names_are_others(body: str) -> None:
    assert not project(main=body).computed(Put).may_be("layer1")


@pytest.mark.parametrize("body", [
    "def f(net):\n    for p in net.parameters(): print(p)\n", "def f(net):\n    parameters = net.parameters()\n",
    "class Net:\n    def weights(self): return 1\n", "def f(net, n):\n    setattr(net, 'layer%d' % n, 1)\n",
])
def test_a_method_that_nothing_of_the_project_has_is_one_of_others(body: str) -> None:
    assert are_of_others(project(main=body), {"parameters": 1}) == {"parameters"}


@pytest.mark.parametrize("body", [
    "class Net:\n    def parameters(self): return 1\n", "class Net:\n    parameters = 1\n",
    "def parameters(net): return 1\n", "def f(net):\n    net.parameters = 1\n", "parameters = 1\n",
    "from lib import parameters\n", "def f(make): return make(parameters=1)\n",
    "def f(net): return {'parameters': 1}\n", "def f(net, n):\n    setattr(net, n, 1)\n",
    "def f(net, n):\n    setattr(net, n + 'parameters', 1)\n", "def f(text):\n    exec(text)\n",
    "class Net:\n    def __getattr__(self, name): return 1\n",
    "class Net:\n    def __getattribute__(self, n): return 1\n",
    "def f(parameters): return locals()\n",
])
def test_a_method_that_something_of_the_project_may_have_is_not(body: str) -> None:
    assert are_of_others(project(main=body), {"parameters": 1}) == frozenset()
