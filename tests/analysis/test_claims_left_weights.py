"""What a ``forward`` leaves on its module of weights alone keeps its graph for whoever reads it afterwards."""

from __future__ import annotations

import pytest
from solving import covers, files_stay, stays

NET = """
    class Net(torch.nn.Module):
        def __init__(self, kind=torch.FloatTensor):
            super(Net, self).__init__()
            self.fc = torch.nn.Linear(2, 2)
            self.w = torch.nn.Parameter(torch.ones(2))
            self.seen = 0
            self.kind = kind

        def size_of(self, w):
            return w.norm()

        def forward(self, x):
            {left}
            return self.fc(x)

    def show(net, t):
        out = net(Variable(t, volatile=True))
        return out.data

    def train(net, opt, x):
        {read}
        opt.step()
"""

LEFT = [
    "self.kept = self.fc.weight * 2",
    "self.kept = self.w.norm()",
    "self.kept = self.size_of(self.fc.weight)",
    "self.kept = sum(p.norm() for p in self.parameters())",
    "self.kept = self.fc(Variable(torch.ones(2)))",
    "w = self.fc.weight\n            v = w.pow(2)\n            self.kept = [v.sum()]",
    "setattr(self, 'kept', torch.norm(self.w))",
    "self.kept, other = self.w + 1, 2",
    "self.kept = 0 if self.fc.bias is None else self.fc.bias.norm()",
    "size = self.w if self.seen else 1\n            self.kept = size * 2",
    "self.kept = (self.w > 0).float() * self.w",
]


@pytest.mark.parametrize("left", LEFT)
def test_a_graph_of_weights_that_is_left_for_a_loss_is_not_taken(left: str) -> None:
    stays(NET.format(left=left, read="net.kept.sum().backward()"), "mixed-statement")


@pytest.mark.parametrize("left", [
    "self.kept = self.fc(x)",  # volatile, and so not read by a loss
    "self.kept = self.fc.weight * x",
    "self.kept = self.fc.weight.data * 2",
    "self.kept = self.fc.weight.size(0) * 2",
    "self.kept = self.fc.weight",  # the weight itself
    "self.kept = list(self.parameters())",
    "self.seen = self.seen + 1",
    "self.fc.weight.data = self.fc.weight + 1",
    "self.kept = Variable(self.kind(x.size()).fill_(1), requires_grad=False)",
    "kept = self.fc.weight * 2",
    "extra = 1 if self.fc.bias is not None else 0\n            self.kept = 3 * (2 + extra)",
    "self.kept = 2 * (self.w > 0)",
    "self.kept = 1 - (not self.fc.weight.norm())",
    "self.kept = 3 - (self.w.norm() < 1 < self.fc.bias.norm())",
    "pass",
])
def test_what_has_no_graph_of_its_own_is_no_obstacle(left: str) -> None:
    covers(NET.format(left=left, read="print(net.kept, net.seen)"), inside=["net(Variable("], outside=["net.kept"])


@pytest.mark.parametrize("read", [
    "pass",
    "print(net.other)",
    "print(net.kept.data)",
    "net(x)\n        net.kept.sum().backward()",
    "(net(x).sum() + net.kept.sum()).backward()",
])
def test_what_nobody_reads_but_after_a_run_of_his_own_is_no_obstacle(read: str) -> None:
    covers(NET.format(left=LEFT[0], read=read), inside=["net(Variable("], outside=["opt.step()"])


@pytest.mark.parametrize("read", [
    "(net.kept.sum() + net(x).sum()).backward()",
    "if opt:\n            net(x)\n        net.kept.sum().backward()",
    "other(x)\n        net.kept.sum().backward()",
    "getattr(net, 'kept').sum().backward()",
])
def test_a_run_behind_the_read_or_on_some_ways_only_does_not_replace_it(read: str) -> None:
    stays(NET.format(left=LEFT[0], read=read), "mixed-statement")


@pytest.mark.parametrize("read", ["(net.w * 2).sum().backward()", "print(net.w + 1)"])
def test_a_parameter_that_is_moved_stays_one(read: str) -> None:
    left = "self.w = self.w.cuda()"
    covers(NET.format(left=left, read=read), inside=["net(Variable("], outside=["opt.step()"])
    plain = NET.replace("torch.nn.Parameter(torch.ones(2))", "Variable(torch.ones(2), requires_grad=True)")
    stays(plain.format(left=left, read=read), "mixed-statement")
    stays(NET.format(left="self.w = self.fc.weight * 2", read=read), "mixed-statement")


JUDGED = NET.replace("self.seen = 0", """self.seen = 0
            self.judge = {judge}""")


@pytest.mark.parametrize("judge", ["torch.nn.MSELoss()", "torch.nn.L1Loss() if kind else torch.nn.MSELoss()",
                                   "torch.nn.ReLU()", "torch.nn.CosineSimilarity()"])
def test_a_layer_without_weights_makes_no_graph_of_what_has_none(judge: str) -> None:
    left = "self.last = x * 2\n            self.kept = self.judge(self.last, self.seen)"
    body = JUDGED.replace("{judge}", judge).format(left=left, read="net.kept.sum().backward()")
    covers(body, inside=["net(Variable("], outside=["net.kept"])


@pytest.mark.parametrize(("judge", "left"), [
    ("torch.nn.Linear(2, 2)", "self.kept = self.judge(self.last)"),
    ("torch.nn.Bilinear(2, 2, 2)", "self.kept = self.judge(self.last, self.seen)"),
    ("torch.nn.PReLU()", "self.kept = self.judge(self.last)"),
    ("torch.nn.BatchNorm1d(2)", "self.kept = self.judge(self.last)"),
    ("torch.nn.MSELoss() if kind else torch.nn.Linear(2, 2)", "self.kept = self.judge(self.last, self.seen)"),
    ("kind", "self.kept = self.judge(self.last, self.seen)"),
    ("torch.nn.MSELoss()", "self.kept = self.judge(self.w, self.seen)"),
    ("torch.nn.MSELoss()", "self.kept = self.judge(self.fc.weight * 2, self.seen)"),
])
def test_one_with_weights_or_given_weights_leaves_a_graph_of_them(judge: str, left: str) -> None:
    stays(JUDGED.replace("{judge}", judge).format(left=left, read="net.kept.sum().backward()"), "mixed-statement")


PENALTY = NET.replace("    def show(", """
        def penalty(self):
            return self.kept.sum()

    def show(""", 1)


def test_a_method_reads_it_where_it_is_called() -> None:
    covers(PENALTY.format(left=LEFT[0], read="(net(x).sum() + net.penalty()).backward()"),
           inside=["net(Variable("], outside=["opt.step()"])
    stays(PENALTY.format(left=LEFT[0], read="(net.penalty() + net(x).sum()).backward()"), "mixed-statement")


def test_it_is_read_in_another_file() -> None:
    files_stay(
        {
            "nets.py": """
                import torch.nn as nn


                class Net(nn.Module):
                    def __init__(self):
                        super(Net, self).__init__()
                        self.fc = nn.Linear(2, 2)

                    def keep(self):
                        self.cost = self.fc.weight.norm()

                    def forward(self, x):
                        self.keep()
                        return self.fc(x)
                """,
            "main.py": """
                from torch.autograd import Variable


                def show(net, t):
                    return net(Variable(t, volatile=True)).data


                def train(net):
                    net.cost.backward()
                """,
        },
        "mixed-statement",
    )


# --- a graph of one's own, made of data beside the volatile tensor ----------------------------------------------------

LEDGER = """
    class Ledger(object):
        def __init__(self, judge):
            self.judge, self.verdicts = judge, []

        def enter(self, state):
            self.verdicts.append({what})

    class Player(object):
        def __init__(self, policy, ledger):
            self.policy, self.ledger = policy, ledger

        def move(self, v):
            self.ledger.enter(v.data)
            return self.policy(v).data.max(1)[1]

    def game(player, states):
        for state in states:
            print(player.move(Variable(state, volatile=True)))

    def learn(player, opt):
        {read}
        opt.step()
"""


def test_what_a_part_of_an_object_keeps_of_plain_data_has_its_graph() -> None:
    read = "sum(v.sum() for v in player.ledger.verdicts).backward()"
    stays(LEDGER.replace("{what}", "self.judge(Variable(state))").replace("{read}", read), "mixed-statement")


@pytest.mark.parametrize(("what", "read"), [
    ("state", "sum(v.sum() for v in player.ledger.verdicts)"),
    ("self.judge(Variable(state)).data", "sum(v.sum() for v in player.ledger.verdicts)"),
    ("self.judge(Variable(state, volatile=True))", "sum(v.sum() for v in player.ledger.verdicts)"),
    ("self.judge(Variable(state))", "print(player.ledger.others)"),
])
def test_what_it_keeps_without_a_graph_or_for_nobody_is_no_obstacle(what: str, read: str) -> None:
    covers(LEDGER.replace("{what}", what).replace("{read}", read), inside=["player.move(Var"], outside=[])


# --- what is kept in a module, and what an argument only chooses -----------------------------------------------------

COSTS = """
    COSTS = []
    LAST = None

    class Net(torch.nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.fc = torch.nn.Linear(2, 2)
            self.rows = torch.nn.Parameter(torch.ones(2, 2))

        def forward(self, x, k):
            global LAST
            {left}
            return self.fc(x)

    def show(net, t, k):
        return net(Variable(t, volatile=True), Variable(k)).data

    def train(net, opt, x):
        {read}
        opt.step()
"""


@pytest.mark.parametrize(("left", "read"), [
    ("COSTS.append(self.fc.weight.norm())", "sum(COSTS).backward()"),
    ("LAST = self.rows.norm()", "LAST.backward()"),
    ("self.kept = self.rows.index_select(0, k).sum()", "net.kept.backward()"),
    ("self.kept = torch.gather(self.rows, 0, k).sum()", "net.kept.backward()"),
])
def test_a_graph_that_is_left_in_a_module_or_chosen_by_an_index_is_not_taken(left: str, read: str) -> None:
    stays(COSTS.format(left=left, read=read), "mixed-statement")


@pytest.mark.parametrize(("left", "read"), [
    ("COSTS.append(self.fc.weight.norm())", "del COSTS[:]"),
    ("COSTS.append(self.fc.weight.norm())", "COSTS.clear()"),
    ("COSTS.append(self.fc.weight.norm().data)", "print(sum(COSTS))"),
    ("COSTS.append(self.fc(x))", "print(COSTS)"),
    ("LAST = self.rows.norm()", "print(LAST.data)"),
    ("LAST = x.size(0)", "print(LAST)"),
    ("self.kept = (self.rows * x).sum()", "print(net.kept)"),
])
def test_what_is_emptied_or_has_no_graph_is_no_obstacle(left: str, read: str) -> None:
    covers(COSTS.format(left=left, read=read), inside=["net(Variable("], outside=["opt.step()"])


GIVEN = """
    class Net(torch.nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.fc = torch.nn.Linear(2, 2)

        def forward(self, x, {other}):
            {left}
            return torch.nn.functional.linear(x, self.kept)

    def train(net, opt, t):
        net(Variable(t, volatile=True))
        loss = net(Variable(t), net.kept).sum()
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize("left", [
    "w = self.fc.weight if other is None else other\n            self.kept = w - 0.1 * w.norm()",
    "self.kept = (self.fc.weight if other is None else other) * 2",
    "self.kept = 2 * (other or self.fc.weight)",
    "if other is None:\n                other = self.fc.weight\n            self.kept = other - 1",
    "if other is None:\n                other = list(self.fc.parameters())[0]\n            half = other / 2\n"
    "            self.kept = half.abs()",
])
def test_what_the_body_has_for_an_argument_that_is_left_off_is_made_of_weights(left: str) -> None:
    stays(GIVEN.format(other="other=None", left=left), "unknown-callee")


@pytest.mark.parametrize(("other", "left"), [
    ("other", "w = x.t() if other is None else other + x\n            self.kept = w * self.fc.weight"),
    ("other=None", "if other is None:\n                other = x.t()\n            self.kept = self.fc.weight * other"),
    ("other=None", "self.kept = self.fc.weight * (x if other is None else x + other)"),
])
def test_it_is_made_of_the_arguments_where_every_choice_holds_one(other: str, left: str) -> None:
    """What is volatile was kept, so on 0.3 no loss was made of it."""
    body = GIVEN.format(other=other, left=left).replace("net(Variable(t), net.kept)", "net(Variable(t), Variable(t))")
    covers(body, inside=["net(Variable(t))\n"], outside=["loss ="])
