"""Objects that callers hand over, and that are called where nobody looks in: their class says what that runs."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from helpers import check_noop, check_transformed

HEAD = """\
import torch
import torch.nn as nn
from torch.autograd import Variable


class Step(nn.Module):
    def __init__(self):
        super(Step, self).__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, one, two, learn=True):
        if learn is True:
            self.fc.weight.norm().backward()
        return self.fc(one) + two


"""
MAIN = """

def main(batches, cuda):
    step = Step()
    {made}
    if cuda:
        {name} = {name}.cuda()
    for rows in batches:
        step(Variable(rows), Variable(rows))
        {more}
"""
NET = HEAD + """\
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, one, two):
        return self.fc(one) + two


def check(net, batches):
    total = 0
    for rows in batches:
        x = Variable(rows, volatile=True)
        total = total + net(x, x).data.sum()
    return total
"""


def main(text: str, *, made: str = "net = Net()", name: str = "net", more: str = "print(check(net, batches))",
         after: str = "") -> str:
    return text + MAIN.format(made=made, name=name, more=indent(dedent(more), " " * 8).strip()) + after


def blocked(text: str, line: str) -> str:
    """The text without its flag, and with that line in a block."""
    free = text.replace("(rows, volatile=True)", "(rows)")
    return free.replace(line, f"        with torch.no_grad():\n    {line}")


SUM = "        total = total + net(x, x).data.sum()\n"


def test_what_callers_hand_over_is_no_object_of_another_class_that_trains_when_it_is_called() -> None:
    text = main(NET)
    check_transformed(text, blocked(text, SUM))


@pytest.mark.parametrize(("made", "more", "after"), [
    ("net = Net()", "print(check(step, batches))", ""),
    ("net = Net() if cuda else Step()", "print(check(net, batches))", ""),
    ("net = Net()", "print(check(net, batches))",
     "\n\ndef others(found, batches):\n    return check(found[0], batches)\n"),
    ("net = Net()", "print(check(net, batches), list(map(check, [step], [batches])))", ""),
    ("net = Net()", "net.forward = step.forward\nprint(check(net, batches))", ""),
    ("net = Net()", "net.__class__ = Step\nprint(check(net, batches))", ""),
    ("net = Net()", "setattr(net, '__class__', Step)\nprint(check(net, batches))", ""),
    ("Net.forward = Step.forward\n    net = Net()", "print(check(net, batches))", ""),
    ("net = Net()", "net.register_forward_hook(lambda net, one, out: step(one[0], one[1]))\nprint(check(net, batches))",
     ""),
])
def test_it_may_be_one_where_a_caller_says_so_is_not_seen_or_makes_it_another(made: str, more: str, after: str) -> None:
    check_noop(main(NET, made=made, more=more, after=after),
               reason="forward-hook" if "hook" in more else "mixed-statement")


def test_a_class_below_trains() -> None:
    lower = "\n\nclass Lower(Net):\n    def forward(self, one, two):\n        self.fc.weight.norm().backward()\n" \
            "        return one\n"
    check_noop(main(NET + lower, made="net = Lower()"), reason="mixed-statement")


@pytest.mark.parametrize(("kept", "put"), [
    ("", "net.more = step"),
    ("self.more = Step()", "pass"),
    ("self.more = nn.Sequential(Step())", "pass"),
    ("self.more = nn.DataParallel(Step())", "pass"),
    ("self.more = nn.Sigmoid()", "net.more = step"),
    ("self.more = nn.Sigmoid()", "setattr(net, 'mo' + str(cuda), step)"),
    ("self.more = nn.Sigmoid()", "net._modules['more'] = step"),
])
def test_what_it_keeps_may_train_when_that_is_called(kept: str, put: str) -> None:
    text = NET.replace("nn.Linear(3, 3)\n\n    def forward(self, one, two):\n        return self.fc(one) + two",
                       f"nn.Linear(3, 3)\n        {kept}\n\n    def forward(self, one, two):\n"
                       "        return self.helped(one, two)\n\n    def helped(self, one, two):\n"
                       "        return self.more(one, two)")
    assert "self.helped" in text
    check_noop(main(text, more=f"{put}\nprint(check(net, batches))"), reason="mixed-statement")


RUN = HEAD + """\
def run(step, one, two, learn):
    return step(one, two, learn=learn)


def check(step, batches):
    total = 0
    for rows in batches:
        x = Variable(rows, volatile=True)
        total = total + run(step, x, x, False).data.sum()
    return total
"""
KNOWN = {"made": "pass", "name": "step", "more": "print(check(step, batches))"}


def test_an_arm_is_not_come_to_that_a_constant_of_the_caller_s_caller_rules_out() -> None:
    text = main(RUN, **KNOWN)
    check_transformed(text, blocked(text, "        total = total + run(step, x, x, False).data.sum()\n"))


@pytest.mark.parametrize(("old", "new"), [
    ("x, False)", "x, len(batches) > 3)"),
    ("    return step(one", "    learn = not learn\n    return step(one"),
    ("    return step(one", "    if one.size(0) > 3:\n        learn = True\n    return step(one"),
    ("total = 0\n", "total, learn = 0, False\n"),
    ("x, False)", "x, 1)"),
    ("        if learn is True", "        learn = self.training\n        if learn is True"),
    ("        return self.fc(one) + two", "        self.fc.bias.norm().backward()\n        return self.fc(one) + two"),
    ("        return self.fc(one) + two", "        return self.other(one) + two\n\n    def other(self, one):\n"
     "        self.fc.bias.norm().backward()\n        return one"),
    ("def run(", "class Outer(nn.Module):\n    def __init__(self, step):\n        super(Outer, self).__init__()\n"
     "        self.step = step\n\n    def forward(self, one, two, learn=False):\n"
     "        return self.step(one, two, learn=not learn)\n\n\ndef run("),
])
def test_it_may_be_come_to_where_the_constant_is_another_or_somebody_else_asks(old: str, new: str) -> None:
    text = RUN.replace(old, new).replace("learn is True", "learn" if "1)" in new else "learn is True")
    if "learn = 0" in new:
        text = text.replace("x, False).data.sum()\n", "x, learn).data.sum()\n        learn = True\n")
    more = "print(check(Outer(step), batches))" if "Outer" in new else KNOWN["more"]
    check_noop(main(text, **{**KNOWN, "more": more}), reason="unknown-callee")


@pytest.mark.parametrize("put", [
    "net.add_module('fc', step)", "net.add_module('f' + str(cuda), step)", "nn.Module.add_module(net, 'fc', step)",
    "net.register_module('fc', step)",
])
def test_a_layer_may_be_put_there_under_a_name_in_a_string(put: str) -> None:
    text = NET.replace("one, two, learn=True)", "one, two=0, learn=True)")
    check_noop(main(text, more=f"{put}\nprint(check(net, batches))"), reason="mixed-statement")


def test_one_that_is_put_under_another_name_is_not_it() -> None:
    text = NET.replace("        self.fc = nn.Linear(3, 3)\n\n    def forward(self, one, two):\n", """\
        self.fc = nn.Linear(3, 3)
        self.add_module('more', nn.Linear(3, 3))

    def forward(self, one, two):
""")
    assert text != NET
    text = main(text)
    check_transformed(text, blocked(text, SUM))


@pytest.mark.parametrize(("gives", "more"), [
    ("self.stats + self.fc(one)", "    @property\n    def stats(self):\n        self.fc.weight.norm().backward()\n"
     "        return 1\n"),
    ("self.other(one)", "    def __getattr__(self, name):\n        self.fc.weight.norm().backward()\n"
     "        return self.fc\n"),
    ("self.other(one)", "    def __getattr__(self, name):\n        return Step()\n"),
    ("sum(self) + one", "    def __iter__(self):\n        self.fc.weight.norm().backward()\n        yield 1\n"),
    ("[one + each for each in self]", "    def __iter__(self):\n        self.fc.weight.norm().backward()\n"
     "        yield 1\n"),
    ("list(map(self.more, [one]))[0]", "    def more(self, one):\n        return KEPT[0](one, one)\n"),
    ("Added() + one", "\nclass Added(object):\n    def __add__(self, other):\n        return KEPT[0](other, other)\n"),
])
def test_what_python_runs_in_it_or_is_handed_on_may_train(gives: str, more: str) -> None:
    old = "        return self.fc(one) + two\n\n\ndef check"
    assert old in NET
    text = NET.replace(old, f"        return {gives}\n\n{more}\n\nKEPT = [Step()]\n\n\ndef check")
    check_noop(main(text), reason="mixed-statement")


@pytest.mark.parametrize("hooks", ["net.fc._forward_hooks[0]", "net.fc._forward_pre_hooks[0]", "net._forward_hooks[0]"])
def test_what_is_put_among_the_hooks_by_hand_is_run(hooks: str) -> None:
    check_noop(main(NET, more=f"{hooks} = step\nprint(check(net, batches))"), reason="mixed-statement")


def test_an_object_may_be_the_hook() -> None:
    more = "net.fc.register_forward_hook(step)\nprint(check(net, batches))"
    check_noop(main(NET.replace("learn is True", "learn"), more=more), reason="forward-hook")


STACK = NET.replace("        self.fc = nn.Linear(3, 3)\n\n    def forward(self, one, two):\n"
                    "        return self.fc(one) + two\n",
                    "        self.parts = nn.ModuleList([Part() for _ in range(3)])\n\n"
                    "    def forward(self, one, two):\n        for at in range(3):\n"
                    "            one = self.parts[at](one, two)\n        return one\n").replace("class Net", '''\
class Part(nn.Module):
    def __init__(self):
        super(Part, self).__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, one, two):
        return self.fc(one) + two


class Net''')


def test_a_layer_of_a_list_is_of_a_class_that_was_put_into_it() -> None:
    assert "self.parts[at](one, two)" in STACK
    text = main(STACK)
    check_transformed(text, blocked(text, SUM))


@pytest.mark.parametrize(("old", "new", "put"), [
    ("[Part() for _ in range(3)]", "[Step() for _ in range(3)]", "pass"),
    ("[Part() for _ in range(3)]", "[Part(), Step(), Part()]", "pass"),
    ("[Part() for _ in range(3)]", "[Part() if _ else Step() for _ in range(3)]", "pass"),
    ("nn.ModuleList([Part() for _ in range(3)])", "nn.ModuleList()\n        self.parts.append(Step())", "pass"),
    ("", "", "net.parts[0] = step"),
    ("", "", "net.parts.append(step)"),
    ("", "", "net.parts = [step, step, step]"),
    ("", "", "net.parts._modules['0'] = step"),
    ("", "", "parts = net.parts\nparts[0] = step"),
    ("", "", "setattr(net, 'pa' + str(cuda), step)"),
    ("", "", "for each in net.modules():\n    each.forward = step.forward"),
    ("", "", "for each in net.children():\n    each[0] = step"),
    ("", "", "for name, each in net.named_children():\n    each.append(step)"),
    ("", "", "list(net.modules())[1][0] = step"),
    ("", "", "[each for each in net.children()][0][0] = step"),
    ("", "", "net.apply(lambda each: each.append(step))"),
    ("", "", "getattr(net, 'parts')[0] = step"),
    ("", "", "getattr(net, 'par' + 'ts')[0] = step"),
    ("", "", "net.add_module('parts', nn.ModuleList([step]))"),
])
def test_another_may_have_been_put_in(old: str, new: str, put: str) -> None:
    text = STACK.replace(old, new) if old else STACK
    check_noop(main(text, more=f"{put}\nprint(check(net, batches))"), reason="mixed-statement")


def test_who_goes_over_the_parts_to_look_at_them_puts_nothing_in() -> None:
    more = "for each in net.modules():\n    if isinstance(each, nn.Linear):\n        each.weight.data.zero_()\n" \
        "print(check(net, batches))"
    text = main(STACK, more=more)
    check_transformed(text, blocked(text, SUM))


def test_an_attribute_that_holds_a_loss_of_torch_is_no_object_of_the_project() -> None:
    text = judging()
    check_transformed(text, blocked(text, "        total = total + judge(net(x), x).data.sum()\n"))


@pytest.mark.parametrize(("old", "new"), [
    ("nn.MSELoss()", "Step()"),
    ("nn.MSELoss()", "nn.Sequential(Step())"),
    ("nn.MSELoss()", "nn.DataParallel(Step())"),
    ("nn.MSELoss()", "cuda"),
    ("    net = Lone()\n", "    net = Lone()\n    judge.rule = step\n"),
    ("    net = Lone()\n", "    net = Lone()\n    judge.add_module('rule', step)\n"),
    ("    step = Step()\n", "    nn.MSELoss = Step\n    step = Step()\n"),
    ("    net = Lone()\n", "    net = Lone()\n    setattr(judge, 'ru' + str(cuda), step)\n"),
    ("nn.L1Loss()", "Step()"),
])
def test_it_may_hold_one_that_somebody_puts_there(old: str, new: str) -> None:
    check_noop(judging().replace(old, new), reason="mixed-statement")


def judging() -> str:
    return HEAD + """\
class Judge(nn.Module):
    def __init__(self, cuda):
        super(Judge, self).__init__()
        if cuda:
            self.rule = nn.KLDivLoss()
        else:
            self.rule = nn.MSELoss()

    def forward(self, one, two):
        return self.rule(one, two)


class Lower(Judge):
    def __init__(self, cuda):
        super(Lower, self).__init__(cuda)
        self.rule = SAME


class Lone(nn.Module):
    def __init__(self):
        super(Lone, self).__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, one):
        return self.fc(one)


def check(judge, net, batches):
    total = 0
    for rows in batches:
        x = Variable(rows, volatile=True)
        total = total + judge(net(x), x).data.sum()
    return total


def main(batches, cuda):
    step = Step()
    judge = Judge(cuda)
    net = Lone()
    if cuda:
        net = net.cuda()
    for rows in batches:
        step(Variable(rows), Variable(rows))
        judge(net(Variable(rows)), Variable(rows)).backward()
        print(check(judge, net, batches))
""".replace("SAME", "nn.L1Loss()")
