"""Old and new spellings of one thing are the same to the symbolic tier; the mistakes around them are not."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
"""


def judge(before: str, after: str):
    """The verdict on a function that returns what each of the two lines makes."""

    def side(lines: str) -> Side:
        body = textwrap.indent(f"x = Variable(a, volatile=True)\n{lines}\nreturn r", "    ")
        return Side({"a.py": f"{HEAD}def f(net, a, b, m, w, criterion):\n{body}\n"})

    def today(lines: str) -> Side:
        body = textwrap.indent(f"x = a\n{lines}\nreturn r", "    ")
        return Side({"a.py": f"{HEAD}def f(net, a, b, m, w, criterion):\n{body}\n"})

    item = explore.Item(side(before), today(after), (Unit("a.py", "f"),), "today")
    verdict, detail, _ = explore.verify(item)
    return verdict, detail


NET = "with torch.no_grad():\n    y = net(x)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r = y.data[0]", "r = y.item()"),
        ("r = y.data.cpu().numpy()[0]", "r = y.item()"),
        ("r = y.data.cpu()[0]", "r = y.cpu().item()"),
        ("r = 0\nr += y.data.eq(b).sum()", "r = 0\nr += y.data.eq(b).sum().item()"),
        ("p = y.data.eq(b).sum(0).mul_(2)\nw.update(p[0])\nr = y",
         "p = y.data.eq(b).sum(0).mul_(2)\nw.update(p.item())\nr = y"),
        ("r = F.binary_cross_entropy_with_logits(y, b, size_average=False)",
         "r = F.binary_cross_entropy_with_logits(y, b, reduction='sum')"),
        ("r = float(y.data[0])", "r = float(y)"),
        ("r = b.type(w, asynC=True)", "r = b.type(w, non_blocking=True)"),
        ("r = Variable(b)", "r = b"),
        ("r = w(Variable(b))", "r = w(b)"),
        ("r = [Variable(v) for v in b]", "r = [v for v in b]"),
        ("r = 1 - y.eq(0)", "r = ~y.eq(0)"),
        ("r = y.eq(0) + y.eq(1)", "r = y.eq(0).byte() + y.eq(1).byte()"),
        ("r = y.masked_fill(m, 0)", "r = y.masked_fill(m.bool(), 0)"),
        ("r = y.data[m.byte()]", "r = y.data[m.bool()]"),
        ("r = y.data\nr[m.byte()] = 0", "r = y.data\nr[m.bool()] = 0"),
        ("r = F.mse_loss(y, b, size_average=False)", "r = F.mse_loss(y, b, reduction='sum')"),
        ("r = F.mse_loss(y, b, reduce=False)", "r = F.mse_loss(y, b, reduction='none')"),
        ("c = nn.MSELoss()\nc.size_average = False\nr = c(y, b)", "c = nn.MSELoss()\nc.reduction = 'sum'\nr = c(y, b)"),
        ("r = F.tanh(y)", "r = torch.tanh(y)"),
        ("r = F.upsample(y, scale_factor=2, mode='bilinear')",
         "r = F.interpolate(y, scale_factor=2, mode='bilinear', align_corners=True)"),
        ("r = F.softmax(y)", "r = F.softmax(y, dim=1)"),
        ("r = torch.add(y, 2, b)", "r = torch.add(y, b, alpha=2)"),
        ("r = y.data.add_(-0.1, b)", "r = y.data.add_(b, alpha=-0.1)"),
        ("r = torch.addmm(1, y, 2, b, b)", "r = torch.addmm(y, b, b, beta=1, alpha=2)"),
        ("r = y.view(-1)", "r = y.reshape(-1)"),
        ("r = y.data.max(1)", "r = y.detach().max(1)"),
        ("r = type(y) == Variable", "r = isinstance(y, torch.Tensor)"),
        ("r = Variable(torch.zeros(2), requires_grad=True)", "r = torch.zeros(2).requires_grad_()"),
        ("r = b.data\nr[0] = y.data", "r = b.data\nr[0] = y.data.reshape_as(r[0])"),
        ("r = np.array([[v] for v in m]).astype(np.float)",
         "r = np.array([[v] for v in m], dtype=object).astype(float)"),
        ("r = F.dropout(y)", "r = F.dropout(y).clone()"),
        ("r = y.data.fill_(y.data.sort()[1])", "r = y.data.fill_(y.data.sort()[1].item())"),
        ("i = torch.multinomial(y.data, 1)[0]\nr = b.data.fill_(i)",
         "i = torch.multinomial(y.data, 1)[0].item()\nr = b.data.fill_(i)"),
        ("i = torch.multinomial(y.data, 1)[0]\nr = w[i]", "i = torch.multinomial(y.data, 1)[0].item()\nr = w[i]"),
        ("r = [torch.multinomial(y.data, 1)[0]]", "r = [torch.multinomial(y.data, 1)[0].item()]"),
        ("r = net._backend.Embedding.apply(m, b, -1, 2)", "r = F.embedding(m, b, None, 2)"),
        ("r = b.data.fill_(y.data.sum())", "r = b.data.fill_(y.data.sum().item())"),
    ],
)  # fmt: skip
def test_two_spellings_are_the_same(old: str, new: str) -> None:
    assert judge(f"y = net(x)\n{old}", f"{NET}{new}") == ("identical", None)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("r = y.data[0]", "r = w.item()", "other values"),
        ("r = w(Variable(b))", "r = w(m)", "w"),
        ("r = 1 - y.eq(0)", "r = y.eq(0)", "other values"),
        ("r = F.mse_loss(y, b, size_average=False)", "r = F.mse_loss(y, b, reduction='mean')", "other values"),
        ("r = torch.add(y, 2, b)", "r = torch.add(b, y, alpha=2)", "other values"),
        ("r = torch.addmm(1, y, 2, b, b)", "r = torch.addmm(y, b, b, beta=2, alpha=1)", "other values"),
        ("r = y.data.add_(2, b)", "r = y.data.sub_(b, alpha=2)", "other values"),
        ("r = y.masked_fill(m, 0)", "r = y.masked_fill(~m, 0)", "other values"),
        (
            "r = criterion(net(Variable(b)), m)",
            "r = criterion(net(b).detach(), m)",
            "True before, False after",
        ),
        ("r = net(Variable(b)).mean()", "r = net(b).mean().item()", ""),
        ("r = b.data.fill_(y.data[1])", "r = b.data.fill_(y.data[2].item())", "other values"),
        ("r = b.data.fill_(y.data[1])", "r = b.data.fill_(y.data[1][1].item())", "other values"),
        ("r = [y.data[1]]", "r = [y.data[2].item()]", "other values"),
        ("r = [y.data[1]]", "r = [y.data[1][1].item()]", "other values"),
        ("r = net._backend.Embedding.apply(m, b, -1, 2)", "r = F.embedding(m, w, None, 2)", "other values"),
        ("r = (m * 2).fill_(net(Variable(b))[1])", "r = (m * 2).fill_(net(b)[1].item())", ""),
    ],
)
def test_a_mistake_beside_a_spelling_is_seen(old: str, new: str, says: str) -> None:
    verdict, detail = judge(f"y = net(x)\n{old}", f"{NET}{new}")
    assert verdict == "different"
    assert says in str(detail)


MADE = "import torchvision.transforms as T\nshrink = {made}\nnet = torch.nn.Linear(3, 3)\npixels = shrink(open('p'))\n"


def _whole(made: str):
    """The verdict on a module that runs a network on what an object of its own gave."""
    head = HEAD + MADE.format(made=made)
    before = Side({"a.py": f"{head}pixels = Variable(pixels, volatile=True)\nout = net(pixels)\n"})
    after = Side({"a.py": f"{head}with torch.no_grad():\n    out = net(pixels)\n"})
    return explore.verify(explore.Item(before, after, (Unit("a.py", ""),), "today"))[:2]


def test_what_an_object_of_a_module_without_graphs_gives_is_plain_data() -> None:
    assert _whole("T.Compose([T.Resize(8), T.ToTensor()])") == ("identical", None)


def test_what_a_network_gives_is_no_plain_data() -> None:
    assert _whole("torch.nn.Linear(3, 3)")[0] == "different"


def test_a_block_that_is_missing_is_seen_where_the_variable_went() -> None:
    verdict, detail = judge("r = net(x)", "r = net(x)")
    assert verdict == "different"
    assert "requires_grad False before, True after" in str(detail)


@pytest.mark.parametrize("kind", ["str(b.__class__)", "repr(type(b))", "'%s' % type(b)", "'{}'.format(type(b))"])
def test_the_text_of_a_class_is_the_same_in_both_runs_whatever_is_cut_from_it(kind: str) -> None:
    line = f"r = [y, {kind}.split('.')[-1][:-2]]"
    assert judge(f"y = net(x)\n{line}", f"{NET}{line}") == ("identical", None)


def test_the_text_of_another_class_is_seen() -> None:
    verdict, detail = judge("y = net(x)\nr = [y, str(type(b))[:-2]]", f"{NET}r = [y, str(type(a))[:-2]]")
    assert verdict == "different", detail
