"""VF212: what a loop adds up keeps no graphs where nobody asks for gradients of it."""

from __future__ import annotations

from textwrap import indent

import pytest

from modernize.support import becomes, refuses, stays

HEAD = "import torch\nimport numpy as np\nimport torch.nn.functional as F\n"


def loop(add: str, after: str, start: str = "total = 0", before: str = "loss.backward()") -> str:
    body = f"{start}\nfor x, y in data:\n    loss = F.mse_loss(net(x), y)\n    {before}\n    {add}\n{after}\n"
    return f"{HEAD}def f(net, data, keep):\n{indent(body, '    ')}"


@pytest.mark.parametrize(
    "after",
    [
        "print(total / len(data))",
        "print('%.3f' % (total.item() / 3))",
        "print('{}'.format(total))",
        "print(f'{total:.3f}')",
        "best = min(total, 3)\nprint(best)",
        "mean = total / len(data)\nif mean < 3:\n    print(mean)",
        "return float(total)",
        "return total.item() / len(data)",
        "return total.data.cpu().numpy()",
        "return np.sqrt(total)",
        "del total",
        "print(-total)",
        "if not total:\n    print(0)",
        "print(total if keep else 0)",
        "print(1 if total else 0)",
        "print(total or 1)",
        "print('', end=str(total))",
        "print('', end=total)",
        "print('%d: %.3f' % (3, total))",
        "all_of_it = 0\nall_of_it += total\nprint(all_of_it)",
    ],
)
def test_a_sum_that_ends_in_numbers_is_detached(after: str) -> None:
    becomes(loop("total += loss", after), loop("total += loss.detach()", after), "VF212")


@pytest.mark.parametrize("start", ["total, hits = 0, 0", "hits, total = 0, 0.0", "total = hits = 0"])
def test_a_sum_may_begin_beside_others(start: str) -> None:
    source = loop("total += loss", "print(total, hits)", start=start)
    becomes(source, source.replace("+= loss", "+= loss.detach()"), "VF212")


@pytest.mark.parametrize(
    ("add", "expected"),
    [
        ("total = total + loss", "total = total + loss.detach()"),
        ("total += loss * len(x)", "total += (loss * len(x)).detach()"),
        ("total += F.mse_loss(net(x), y)", "total += F.mse_loss(net(x), y).detach()"),
    ],
)
def test_each_way_to_add(add: str, expected: str) -> None:
    becomes(loop(add, "print(total)"), loop(expected, "print(total)"), "VF212")


@pytest.mark.parametrize(
    "after",
    [
        "print(sum(losses) / len(losses))",
        "print(np.mean(losses))",
        "print(losses[-1])",
        "for one in losses:\n    print(one)",
        "print(sum(2 * one for one in losses))",
    ],
)
def test_a_list_that_ends_in_numbers_is_detached(after: str) -> None:
    source = loop("losses.append(loss)", after, start="losses = []")
    becomes(source, source.replace("append(loss)", "append(loss.detach())"), "VF212")


@pytest.mark.parametrize(
    "source",
    [
        loop("total += loss", "total.backward()", before="pass"),
        loop("total += loss", "(total / 3).backward()", before="pass"),
        loop("total += loss", "mean = total / 3\nmean.backward()", before="pass"),
        loop("total += loss", "torch.autograd.grad(total, keep)", before="pass"),
        loop("losses.append(loss)", "sum(losses).backward()", start="losses = []", before="pass"),
        loop("losses.append(loss)", "torch.stack(losses).mean().backward()", start="losses = []", before="pass"),
        loop("total += loss", "loss = loss + 0.1 * total\nloss.backward()"),
    ],
)  # fmt: skip
def test_a_sum_that_goes_backward_stays(source: str) -> None:
    stays(source, "VF212")


@pytest.mark.parametrize(
    "source",
    [
        loop("total += loss.data", "print(total)"),
        loop("total += loss.item()", "print(total)"),
        loop("total += loss.detach() * 2", "print(total)"),
        loop("total += len(x)", "print(total)"),
        loop("total += (net(x) == y).sum()", "print(total)"),
        loop("total += keep(loss)", "print(total)"),
        loop("total += loss", "print(total)", start="total = keep"),
        loop("total += loss", "print(total)", start="total, hits = keep"),
        loop("total += loss", "print(total)", start="total, hits = *keep, 0"),
        loop("total += loss", "print(total)", start="for total in keep:\n    pass"),
        loop("keep['total'] += loss", "print(keep)"),
        f"{HEAD}total = 0\ntotal += F.mse_loss(x, y)\nprint(total)\n",
        loop("total = 0\n    total += loss", "print(total)", start="pass"),
        loop("with torch.no_grad():\n        total += F.mse_loss(net(x), y)", "print(total)"),
        f"{HEAD}def f(net, x, y):\n    total = 0\n    total += F.mse_loss(net(x), y)\n    print(total)\n",
        f"{HEAD}@torch.no_grad()\ndef f(net, data):\n    total = 0\n    for x, y in data:\n"
        "        total += F.mse_loss(net(x), y)\n    print(total)\n",
    ],
    ids=["data", "item", "detached", "a count", "a count of hits", "unknown", "unknown start", "unpacked start",
         "starred start", "a loop's start", "an entry", "no loop in a module", "anew in each round",
         "in no_grad", "no loop", "under a decorator"],
)  # fmt: skip
def test_leaves_alone(source: str) -> None:
    stays(source, "VF212")


@pytest.mark.parametrize(
    "source",
    [
        loop("total += loss", "return total"),
        loop("total += loss", "return total / len(data)"),
        loop("total += loss", "keep(total)"),
        loop("total += loss", "keep(loss=total)"),
        loop("total += loss", "keep.best += total"),
        loop("total += loss", "total.add_(1)"),
        loop("losses.append(loss)", "for a, b in losses:\n    print(a)", start="losses = []"),
        f"{HEAD}class A:\n    total = 0\n    for x, y in data:\n        total += F.mse_loss(net(x), y)\n",
        loop("total += loss", "keep.total = total"),
        loop("total += loss", "keep['total'] = total"),
        loop("total += loss", "a, b = total, 1"),
        loop("total += loss", "yield total"),
        loop("total += loss", "def g():\n    return total"),
        loop("keep.total += loss", "pass"),
        f"{HEAD}total = 0\nfor x, y in data:\n    total += F.mse_loss(x, y)\nprint(total)\n",
        loop("losses.append(loss)", "return losses", start="losses = []"),
    ],
)
def test_a_sum_that_goes_out_of_sight_is_refused(source: str) -> None:
    refuses(source, "gradient-may-be-asked", "VF212")
