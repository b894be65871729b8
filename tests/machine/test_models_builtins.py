from __future__ import annotations

import pytest

from alone import needs, ran
from voltfix.machine.models.builtins import HANDLERS


@pytest.mark.parametrize("text", [
    "next(iter([v]))", "max([v], key=len)", "list((v,))[0]", "dict(a=v)['a']", "sorted([v])[0]",
    "[b for a, b in zip([1], [v])][0]", "[b for a, b in enumerate([v])][0]", "list(map(lambda a: a, [v]))[0]",
])
def test_a_volatile_value_goes_through(text):
    assert 3 in needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    net({text})"))


@pytest.mark.parametrize("text", ["len(v)", "int(v)", "isinstance(v, int)", "type(v)", "range(3)", "str(v)"])
def test_what_is_only_asked_gives_no_tensor(text):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    net({text})")) == []


def test_a_handler_answers_for_one_name():
    assert all(callable(handler) for handler in HANDLERS.values())
    assert "len" not in HANDLERS  # plain by its row
