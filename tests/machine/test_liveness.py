from __future__ import annotations

import ast

import pytest

from alone import ran
from voltfix.machine.liveness import carried_names
from voltfix.machine.loops import only_given


def idle(source: str) -> list[bool]:
    facts = ran(source).facts
    return [fact.missed.is_false for fact in facts if not fact.forbid.is_false]


def test_a_graph_that_is_only_looked_at_is_not_live():
    assert all(idle("class N:\n    pass\ndef f(w):\n    y = w * 2\n    print(y.data)"))


def test_a_graph_that_is_returned_is_live():
    assert idle("def f(w):\n    w = Variable(w, requires_grad=True)\n    return w * 2") == [False]


def test_names_that_one_round_hands_to_the_next():
    loop = ast.parse("for x in xs:\n    h = f(x, h)\n    y = g(x)").body[0]
    found = carried_names(loop)
    assert "h" in found
    assert "y" not in found


def test_names_that_only_stand_for_parts_of_what_no_round_binds():
    def given(text: str) -> frozenset[str]:
        loop = ast.parse(text).body[0]
        assert isinstance(loop, (ast.For, ast.While))
        return only_given(loop)

    assert given("for i, x in enumerate(xs):\n    y = f(x)") == {"i", "x"}
    assert given("while go:\n    for a, b in zip(xs, ys):\n        z = a + b") == {"a", "b"}
    for other in ("for x in xs:\n    x = f(x)", "for x in xs:\n    xs = f(x)", "for x in f(xs):\n    pass",
                  "for x in map(f, xs):\n    pass", "for x in self.xs:\n    self.step()",
                  "while go:\n    xs = f(xs)\n    for x in xs:\n        pass"):
        assert given(other) == frozenset(), other


def test_a_sample_of_what_a_network_gives_keeps_no_graph_where_only_its_data_goes_on():
    for sample, kept in (("multinomial().data", False), ("bernoulli().data", False), ("multinomial()", True)):
        facts = ran(f"def f(net, x):\n    y = net(Variable(x))\n    return y.{sample}").facts
        below = max(fact.chain[-1].lineno for fact in facts)
        assert any(not fact.missed.is_false for fact in facts if fact.chain[-1].lineno == below) is kept


CLOSURE = """
def f(w, keep):
    y = w * 2
    def later({given}):
        return {reads}
    keep.append({handed})
    print(y.data)
"""


@pytest.mark.parametrize(("reads", "given", "handed"), [
    ("y.sum()", "", "later"), ("locals()", "", "later"), ("eval('y')", "", "later"),
    ("[y for i in range(2)]", "", "later"),
    ("(lambda y: y)(y)", "", "later"), ("w", "w=y", "later"), ("1", "", "lambda: y"), ("1", "", "[lambda: [y]]"),
    ("lambda: y", "", "later"), ("(lambda: y)() or (lambda y: 1)", "", "later"),
])
def test_what_a_function_reads_of_the_names_around_it_lives_with_it(reads, given, handed):
    assert not all(idle(CLOSURE.format(reads=reads, given=given, handed=handed)))


@pytest.mark.parametrize(("reads", "given", "handed"), [
    ("w", "", "later"), ("1", "", "lambda: w"), ("y", "y", "later"),
])
def test_a_function_does_not_hold_on_to_a_name_that_it_does_not_read(reads, given, handed):
    found = ran(CLOSURE.format(reads=reads, given=given, handed=handed)).facts
    first = min(fact.chain[0].lineno for fact in found if not fact.forbid.is_false)
    assert all(fact.missed.is_false for fact in found if fact.chain[0].lineno == first)
