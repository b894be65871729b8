from __future__ import annotations

import pytest

from alone import needs, ran
from voltfix.machine.models.containers import METHODS, constant_index
from voltfix.machine.state import Machine


@pytest.mark.parametrize("put", ["xs.append(v)", "xs.insert(0, v)", "xs.extend([v])", "xs += [v]", "xs = [v] + xs"])
def test_what_is_put_into_a_list_is_found_in_it(put):
    text = f"def f(net, x):\n    v = Variable(x, volatile=True)\n    xs = []\n    {put}\n    net(xs[0])"
    assert needs(ran(text)) == [5]


@pytest.mark.parametrize("take", ["d['a']", "d.get('a')", "d.pop('a')", "list(d.values())[0]", "d.copy()['a']"])
def test_what_is_put_into_a_dictionary_is_taken_out_of_it(take):
    text = f"def f(net, x):\n    d = {{'a': Variable(x, volatile=True)}}\n    net({take})"
    assert needs(ran(text)) == [3]


def test_another_key_holds_something_else():
    assert needs(ran("def f(net, x):\n    d = {'a': Variable(x, volatile=True), 'b': 1}\n    net(d['b'])")) == []


def test_every_method_has_a_handler_of_its_own_name_or_kind():
    assert {"append", "extend", "update", "get", "pop", "items", "values"} <= METHODS.keys()
    machine = Machine()
    assert constant_index(machine.const(2)) == 2
    assert constant_index(machine.unknown()) is None
