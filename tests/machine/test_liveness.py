from __future__ import annotations

import ast

from alone import ran
from voltfix.machine.liveness import carried_names


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


def test_a_sample_of_what_a_network_gives_keeps_no_graph_where_only_its_data_goes_on():
    for sample, kept in (("multinomial().data", False), ("bernoulli().data", False), ("multinomial()", True)):
        facts = ran(f"def f(net, x):\n    y = net(Variable(x))\n    return y.{sample}").facts
        below = max(fact.chain[-1].lineno for fact in facts)
        assert any(not fact.missed.is_false for fact in facts if fact.chain[-1].lineno == below) is kept
