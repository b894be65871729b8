from __future__ import annotations

import pytest

from alone import forbids, needs, ran
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


@pytest.mark.parametrize("use", ["net(xs[-1])", "y = xs[0]\n    net(y)", "for _ in range(on):\n        net(xs[0])"])
@pytest.mark.parametrize("flag", ["True", "False"])
def test_what_is_asked_of_an_empty_list_on_one_path_is_asked_of_another_list_on_another(use, flag):
    text = f"def f(net, x, on):\n    xs = []\n    if on:\n        xs = [Variable(x, volatile={flag})]\n    {use}"
    machine, line = ran(text), 5 + use.count("\n")
    assert (needs(machine), forbids(machine)) == (([line], []) if flag == "True" else ([], [line]))


def test_an_item_of_a_list_that_is_empty_on_each_path_is_none():
    machine = ran("def f(net, x, on):\n    xs = []\n    net(xs[0])\n    net(Variable(x, volatile=True))")
    assert (needs(machine), forbids(machine)) == ([4], [])


def test_every_method_has_a_handler_of_its_own_name_or_kind():
    assert {"append", "extend", "update", "get", "pop", "items", "values"} <= METHODS.keys()
    machine = Machine()
    assert constant_index(machine.const(2)) == 2
    assert constant_index(machine.unknown()) is None


RECORD = """
def f(net, other, x, more):
    Pair = collections.namedtuple('Pair', 'a b')
    p = Pair(Variable(x, volatile=True), 1)
    q = p.{made}
    net({asked})
"""


@pytest.mark.parametrize(("made", "asked", "lines"), [
    ("_replace(b=other())", "q.a", [5]), ("_replace(b=other())", "q[0]", [5]), ("_replace(b=other())", "q.b", []),
    ("_replace(a=2)", "q.a", []), ("_replace(a=2)", "p.a", [5]), ("_replace(b=p.a)", "q.b", [5]),
    ("_replace(a=2)", "q", []), ("_replace(b=p.a)", "q[1]", [5]),
    # Python raises, or nobody can read what is replaced: it may be anything
    ("_replace(c=2)", "q.b", [4]), ("_replace(**more)", "q.b", [4]), ("_other(b=2)", "q.b", [4]),
])
def test_a_record_with_another_field_is_the_same_but_for_that(made, asked, lines):
    text = "import collections\n" + RECORD.format(made=made, asked=asked)
    assert [line - 2 for line in needs(ran(text))] == lines


def test_a_list_has_no_fields_to_replace():
    assert needs(ran("def f(net, x):\n    p = [Variable(x, volatile=True)]\n    net(p._replace(a=1))")) == [3]
