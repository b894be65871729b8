"""A loss that all callers in sight hand over has no parameters where none of theirs has any."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge  # noqa: E402

VALIDATE = """
def validate(net, data, loss_func, more=None):
    with torch.no_grad():
        y = net(Variable(data))
    return loss_func(y, y).data
"""
FLAGGED = "y = net(Variable(data, volatile=True))"
OLD = VALIDATE.replace("with torch.no_grad():\n        y = net(Variable(data))", FLAGGED)
KEPT = """
class Judge(object):
    def __init__(self, net, criterion, rows):
        self.net, self.rows = net, rows
        self.criterion = criterion
    def forward(self):
        {block}
        return self.criterion(y, y).data
"""
BEFORE = KEPT.format(block="y = self.net(Variable(self.rows, volatile=True))")
AFTER = KEPT.format(block="with torch.no_grad():\n            y = self.net(Variable(self.rows))")
CALLER = """
import torch
import torch.nn as nn
from a import validate, Judge
class Weighted(nn.Module):
    def __init__(self):
        super(Weighted, self).__init__()
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, x, y):
        return (x - y).sum() * self.scale
def main(net, rows, args):
    {made}
    {call}
"""
WEIGHTLESS = ["cost = nn.MSELoss()", "cost = nn.CrossEntropyLoss().cuda()",
              "cost = nn.MSELoss() if args.mse else nn.L1Loss()", "cost = nn.NLLLoss()\n    cost = cost.cuda()",
              "made = nn.MSELoss()\n    cost = made"]
WEIGHTED = ["cost = Weighted()", "cost = args.loss", "cost = nn.PReLU()", "made = cost\n    cost = made",
            "cost = nn.AdaptiveLogSoftmaxWithLoss(4, 4, [2])", "cost = nn.MSELoss()\n    cost = Weighted()"]


def told(before: str, after: str, name: str, made: str, *calls: str) -> str:
    more = {f"m{at}": CALLER.format(made=made, call=call) for at, call in enumerate(calls)}
    return judge(before, after, name, **more)[0]


@pytest.mark.parametrize("made", WEIGHTLESS)
def test_a_loss_without_parameters_is_known_by_those_who_hand_it_over(made: str):
    assert told(OLD, VALIDATE, "validate", made, "validate(net, rows, cost)") == "identical"
    assert told(OLD, VALIDATE, "validate", made, "validate(net, rows, loss_func=cost)") == "identical"
    assert told(BEFORE, AFTER, "Judge.forward", made, "Judge(net, cost, rows).forward()") == "identical"


@pytest.mark.parametrize("made", WEIGHTED)
def test_one_that_may_have_some_is_doubted(made: str):
    assert told(OLD, VALIDATE, "validate", made, "validate(net, rows, cost)") != "identical"
    assert told(BEFORE, AFTER, "Judge.forward", made, "Judge(net, cost, rows).forward()") != "identical"


@pytest.mark.parametrize("call", [
    "validate(net, rows, Weighted())", "validate(*args)", "validate(net, rows, **args)", "validate(net, rows)",
    "validate(net, rows, args.loss)",
])
def test_every_call_counts(call: str):
    made = WEIGHTLESS[0]
    assert told(OLD, VALIDATE, "validate", made, "validate(net, rows, cost)", call) != "identical"


def test_without_a_caller_nothing_is_known():
    assert judge(OLD, VALIDATE, "validate")[0] == "not-run"
    assert told(BEFORE, AFTER, "Judge.forward", "pass", "pass") == "not-run"


def test_what_is_kept_under_a_name_is_not_what_another_has_by_it():
    """Somewhere `criterion` is a loss of torch; the one that is kept comes from who knows where."""
    made = "criterion = nn.MSELoss()"
    assert told(BEFORE, AFTER, "Judge.forward", made, "criterion(net, rows)") == "not-run"
    assert told(BEFORE, AFTER, "Judge.forward", made, "Judge(net, args.loss, rows).forward()") == "not-run"
    assert told(BEFORE, AFTER, "Judge.forward", made, "Judge(net, criterion, rows).forward()") == "identical"


def padded(made: str, given: str) -> tuple[str, str]:
    before = f"def f(net, x):\n    pad = torch.nn.{made}\n    x = pad(Variable(x, volatile=True))\n    return {given}\n"
    after = before.replace(", volatile=True", "")
    return before, after.replace("    return", "    with torch.no_grad():\n        return")


@pytest.mark.parametrize("made", ["ReplicationPad2d(3)", "ConstantPad2d(1, 0.)", "Threshold(0.1, 2)", "LogSigmoid()",
                                  "LocalResponseNorm(2)"])
def test_a_layer_of_torch_whose_constructors_speak_of_no_parameter_has_none(made: str) -> None:
    assert judge(*padded(made, "net(x).data"))[0] == "identical"


@pytest.mark.parametrize("made", ["Linear(3, 3)", "PReLU()", "LayerNorm(3)", "Bilinear(3, 3, 3)", "Sequential(net)"])
def test_a_layer_of_torch_that_has_some_is_taken_to_have_them(made: str) -> None:
    assert judge(*padded(made, "net(x)"))[0] == "different"


ABOVE = """
import argparse
import torch.nn as nn
import a
from a import Judge
from a import Judge as Referee
{classes}
def main(net, rows, args):
    Judge(net, nn.MSELoss(), rows).forward()
"""


def told_above(classes: str) -> str:
    return judge(BEFORE, AFTER, "Judge.forward", m=ABOVE.format(classes=classes))[0]


@pytest.mark.parametrize("base", ["argparse.Action", "nn.Module", "object", "Own"])
def test_a_class_that_has_nothing_to_do_with_it_hands_it_nothing(base: str):
    own = "class Own(object):\n    def __init__(self, net, lots, rows): pass\n"
    made = f"class Other({base}):\n    def __init__(self, *args, **kwargs): super().__init__(*args, **kwargs)\n"
    assert told_above(own + made) == "identical"
    assert told_above(own + made.replace("(*args, **kwargs)\n", "(args.net, args.loss, args.rows)\n")) == "identical"


@pytest.mark.parametrize("classes", [
    "class Other(Judge):{}", "class Other(a.Judge):{}", "class Other(Referee):{}",
    "class Middle(Judge): pass\nclass Other(Middle):{}", "Chosen = Judge\nclass Other(Chosen):{}",
    "def chosen(): return Judge\nclass Other(chosen()):{}", "class Other(object):{}\nclass Both(Other, Judge): pass",
    "def derived(Chosen):\n  class Other(Chosen):{}\n  return Other",
    "Chosen, other = Judge, 3\nclass Other(Chosen):{}", "for Chosen in [Judge]:\n  class Other(Chosen):{}",
    "with chosen(Judge) as Chosen:\n  class Other(Chosen):{}", "print(Chosen := Judge)\nclass Other(Chosen):{}",
    "Chosen: type = Judge\nclass Other(Chosen):{}", "globals()['Chosen'] = Judge\nclass Other(Chosen):{}",
    "class Other(object):{}\nBoth = type('Both', (Other, Judge), dict())",
    "class Other(object):{}\nboth(Other, Judge)",
])
def test_one_that_is_derived_from_it_or_goes_before_it_may_hand_it_weights(classes: str):
    made = " def __init__(self, net, loss, rows): super().__init__(net, loss, rows)"
    assert told_above(classes.format("\n   " + made)) != "identical"


@pytest.mark.parametrize("call", ["Judge.__init__(given, args.net, args.loss, args.rows)",
                                  "given.__init__(args.net, args.loss, args.rows)"])
def test_so_may_who_calls_its_init_by_that_name(call: str):
    assert told_above(f"def again(given, args):\n    {call}\n") != "identical"
