from __future__ import annotations

from voltfix.model import Module, Options
from voltfix.solver.solving import forget, not_reached, solve

TEXT = (
    "import torch\nfrom torch.autograd import Variable\n"
    "def f(net, x):\n    return net(Variable(x, volatile=True)).data\n"
)


def test_modules_in_and_a_plan_out():
    assert len(solve([Module("a.py", TEXT)], Options()).changes) == 1
    forget()


def test_without_time_every_site_is_named():
    (decision,) = not_reached([Module("a.py", TEXT)]).left
    assert decision.refusal.reason == "not-reached"
    forget()


def test_what_does_not_parse_holds_no_site():
    assert solve([Module("a.py", "def (:")], Options()).changes == ()
    forget()
