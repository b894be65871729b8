from __future__ import annotations

import ast

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
