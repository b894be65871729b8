"""VF202."""

from __future__ import annotations

import pytest

from modernize.support import becomes, refuses, stays

CODE = "VF202"
HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
criterion = nn.CrossEntropyLoss()
def step(net, x, y, total):
    out = net(x)
    loss = criterion(out, y)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return loss.data[0]", "return loss.item()"),
        ("return loss.data.cpu()[0]", "return loss.item()"),
        ("return loss.cpu().data[0]", "return loss.item()"),
        ("return loss.data.cpu().numpy()[0]", "return loss.item()"),
        ("return loss.data.numpy()[0] / 2", "return loss.item() / 2"),
        ("return (loss * 2).data[0]", "return (loss * 2).item()"),
        ("return (loss + out.mean()).data[0]", "return (loss + out.mean()).item()"),
        ("return F.nll_loss(out, y, size_average=False).data[0]",
         "return F.nll_loss(out, y, size_average=False).item()"),
        ("total += loss.data[0]", "total += loss.item()"),
        ("total += out.data.max(1)[1].eq(y.data).sum()",
         "total += out.data.max(1)[1].eq(y.data).sum().item()"),
        ("best = torch.multinomial(out.data.view(-1), 1)[0]\n    word = names[best]",
         "best = torch.multinomial(out.data.view(-1), 1)[0].item()\n    word = names[best]"),
        ("out.data.masked_fill_(y, torch.multinomial(out.data.view(-1), 1)[0])",
         "out.data.masked_fill_(y, torch.multinomial(out.data.view(-1), 1)[0].item())"),
        ("word = names[torch.multinomial(out.data.view(-1), 1)[0]]",
         "word = names[torch.multinomial(out.data.view(-1), 1)[0].item()]"),
    ],
)  # fmt: skip
def test_takes_the_number(line: str, expected: str) -> None:
    becomes(f"{HEAD}    {line}\n", f"{HEAD}    {expected}\n", CODE)


def test_what_backward_is_called_on_holds_one_number() -> None:
    source = """\
        import torch
        def train(net, x, y, criterion):
            loss = criterion(net(x), y)
            loss.backward()
            return loss.data[0]
        def evaluate(net, x, y, criterion):
            loss = criterion(net(x), y)
            return loss.data[0]
        """
    becomes(source, source.replace("loss.data[0]", "loss.item()"), CODE)


def test_follows_a_function_of_the_project_and_a_list_that_it_fills() -> None:
    source = """\
        import torch
        def accuracy(output, target, topk=(1,)):
            _, pred = output.topk(5, 1, True, True)
            correct = pred.t().eq(target.view(1, -1))
            res = []
            for k in topk:
                res.append(correct[:k].view(-1).float().sum(0))
            return res
        def validate(net, x, y):
            prec1, prec5 = accuracy(net(x).data, y)
            return prec1[0], prec5[0]
        """
    becomes(source, source.replace("prec1[0], prec5[0]", "prec1.item(), prec5.item()"), CODE)


def test_a_sum_that_keeps_its_dimension_still_has_one() -> None:
    stays(
        """\
        import torch
        def f(x, y):
            hits = x.topk(1, 1)[1].eq(y).float().data.view(-1).sum(0, keepdim=True)
            return hits[0]
        """,
        CODE,
    )


def test_a_name_that_means_something_else_later() -> None:
    becomes(
        f"{HEAD}    loss = loss.data[0]\n    loss = [loss]\n    return loss[0]\n",
        f"{HEAD}    loss = loss.item()\n    loss = [loss]\n    return loss[0]\n",
        CODE,
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("return out.data[0]", "unknown-shape"),
        ("return loss[0]", "may-carry-a-graph"),
        ("return (out ** 2).sum()[0]", "may-carry-a-graph"),
    ],
)
def test_refuses(line: str, reason: str) -> None:
    refuses(f"{HEAD}    {line}\n", reason, CODE)


@pytest.mark.parametrize(
    "line",
    [
        "return out.view(2, 2).data[0]",
        "return out.data[0, 0]",
        "return out.data[:1]",
        "loss.data[0] = 1",
        "return args.data[0]",
        "total += float(out.data.sum())",
        "total += out.sum()",
        "return self.data[0]",
    ],
    ids=[
        "two dimensions",
        "two indices",
        "slice",
        "store",
        "no tensor",
        "made a float",
        "has a graph",
        "an attribute",
    ],
)
def test_leaves_alone(line: str) -> None:
    stays(f"{HEAD}    {line}\n", CODE)


@pytest.mark.parametrize(
    "body",
    [
        "def f(net, criterion, x, y):\n    loss = criterion(net(x), y)\n    return loss.data[0]\n",
        "def f(net, criterion, x, y):\n    return criterion(net(x), y).data[0]\n",
        "def f(net, loss_fn, xs, total):\n    for x, y in xs:\n        total += loss_fn(net(x), y).data[0] * len(x)\n",
        "def f(net, nllLoss, x, y):\n    loss = nllLoss(net(x), y) + 0.1 * net.penalty()\n    return loss.data[0]\n",
        "class Trainer:\n    def evaluate(self, x, y):\n        loss = self.criterion(self.net(x), y)\n"
        "        return loss.data[0]\n",
        "def f(net, crit, x, y):\n    loss = 0\n    loss += crit(net(x), y)\n    return loss.data[0]\n",
    ],
    ids=["by a name", "at once", "added up", "in a sum", "of an object", "onto a name"],
)
def test_a_loss_of_a_criterion_that_nobody_sees_being_made_is_refused(body: str) -> None:
    refuses(f"import torch\n{body}", "unknown-shape", CODE)


@pytest.mark.parametrize(
    "body",
    [
        "def f(net, x):\n    out = net(x)\n    return out.data[0]\n",
        "def f(loader, x):\n    rows = loader(x)\n    return rows.data[0]\n",
        "def f(net, lossless, x):\n    return lossless(x).data[0]\n",
        "def f(criterion, x, y):\n    loss = criterion(x, y)\n    return loss[0]\n",
        "def f(criterion, x, y):\n    loss, hits = criterion(x, y)\n    return hits.data[0]\n",
        "def f(x):\n    loss = x\n    while loss:\n        loss = loss\n    return loss.data[0]\n",
    ],
    ids=["of a network", "of a loader", "another word", "no .data", "one of two", "by its own name alone"],
)
def test_what_only_might_be_a_loss_is_left_alone(body: str) -> None:
    stays(f"import torch\n{body}", CODE)


def test_a_loss_in_code_that_does_not_speak_torch_is_left_alone() -> None:
    stays("import chainer\ndef f(net, criterion, x, y):\n    return criterion(net(x), y).data[0]\n", CODE)


def test_a_loss_that_was_detached_already_is_a_number_in_a_tensor_as_well() -> None:
    source = """\
import torch
def learn(net, criterion, x, y):
    cost = criterion(net(x), y)
    cost.backward()
    return print(cost.detach()[0])
"""
    becomes(source, source.replace("cost.detach()[0]", "cost.item()"), CODE)
