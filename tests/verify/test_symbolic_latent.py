"""Unknowns that require grad: they are run wherever somebody could tell, and nowhere else."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import HEAD, judge, unflagged, with_block  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return x", "return x.detach()"),
        ("return x * 2", "with torch.no_grad():\n        y = x * 2\n    return y"),
        ("return x.view(4)", "return x.detach().view(4)"),
        ("return x.cuda() + 1", "return x.cuda().detach() + 1"),
        ("return x[0] + x[1] * 2", "return x[0] + (x[1] * 2).detach()"),
        ("self.kept = x * 2", "self.kept = (x * 2).detach()"),
        ("store.put(x * 2)", "store.put((x * 2).detach())"),
        ("(x * 2).sum().backward()", "(x.detach() * 2).sum().backward()"),
        ("return g(torch.exp(x))", "with torch.no_grad():\n        y = torch.exp(x)\n    return g(y)"),
        ("y = torch.zeros(2)\n    y[0] = x\n    return y", "y = torch.zeros(2)\n    y[0] = x.data\n    return y"),
    ],
)
def test_a_graph_that_only_an_unknown_has_and_that_is_lost_is_seen(before, after):
    texts = [f"from lib import g, store\ndef f(self, x):\n    {body}\n" for body in (before, after)]
    assert judge(*texts)[0] == "different"


def ways(before, after):
    item = explore.Item(*(Side({"a.py": HEAD + text}) for text in (before, after)), (Unit("a.py", "f"),))
    verdict = explore.function_verdict(item, Unit("a.py", "f"))
    assert verdict.verdict == "identical"
    return verdict.paths


def test_what_is_wrapped_at_once_is_run_one_time():
    text = "def f(net, x):\n    x = Variable(x.cuda(), volatile=True)\n    y = net(x)\n    return y.data\n"
    assert ways(text, with_block(text)) == 1


def test_what_is_handed_on_as_it_is_is_run_with_unknowns_that_require_grad_too():
    text = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n    return y.data, x * 2\n"
    assert ways(text, with_block(text)) == 2
    assert judge(text, unflagged(text))[0] in ("different", "not-run")
