"""A class in view that only computes from what it is given has no weights, nor has what is given its objects."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import HEAD  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

BEFORE = """
def epoch(net, rows, hits):
    out = net(Variable(rows))
    out.sum().backward()
    return hits(Variable(out.data, volatile=True))
"""
AFTER = BEFORE.replace(", volatile=True", "")
TEXT = """
import torch
import torch.nn as nn
from a import epoch
class Hits(nn.Module):
    def __init__(self):
        super(Hits, self).__init__()
    def forward(self, given):
        best, place = torch.sort(given, dim=1)
        return torch.sum(best[:, 0]) * 100.0 / given.size(0)
def every(net, rows, hits):
    epoch(net, rows, hits)
def main(net, rows, args):
    hits = Hits()
    every(net, rows, hits)
"""


def known(text: str) -> bool:
    return "hits" in Side({"a.py": HEAD + BEFORE, "b.py": text}).unweighted


def told(text: str, before: str = BEFORE, after: str = AFTER) -> tuple[str, str | None]:
    """The verdict, and whether it is one through the callers."""
    sides = [Side({"a.py": HEAD + each, "b.py": text}) for each in (before, after)]
    unit = Unit("a.py", "epoch")
    _, _, final = explore.verify(explore.Item(*sides, (unit,)))
    return next((each.verdict, each.detail) for each in final if each.unit == unit)


def test_what_only_computes_makes_no_graph_of_what_has_none():
    assert known(TEXT)
    assert told(TEXT) == ("identical", None)
    assert known(TEXT + "opt = reader.parse_args()\nshown = vars(opt)\n")


def test_a_graph_that_is_handed_to_it_is_still_seen():
    before = BEFORE.replace("Variable(out.data, volatile=True)", "net(Variable(rows, volatile=True))")
    assert told(TEXT, before, before.replace(", volatile=True", ""))[0] == "different"


@pytest.mark.parametrize(("old", "new"), [
    ("super(Hits, self).__init__()", "super(Hits, self).__init__()\n        self.top = nn.Linear(4, 4)"),
    ("torch.sort(given, dim=1)", "torch.sort(self.top(given), dim=1)"),
    ("torch.sort(given, dim=1)", "torch.sort(W * given, dim=1)"),
    ("torch.sort(given, dim=1)", "torch.sort(given.requires_grad_(), dim=1)"),
    ("torch.sort(given, dim=1)", "torch.sort(nn.Linear(4, 4)(given), dim=1)"),
    ("forward(self, given)", "forward(self, given, by=W)"),
    ("Hits(nn.Module)", "Hits(nn.Linear)"),
    ("Hits(nn.Module)", "Hits(Above)"),
    ("class Hits", "@wraps\nclass Hits"),
    ("    def forward", "    @wraps\n    def forward"),
    ("hits = Hits()", "hits = Hits()\n    hits.forward = net.forward"),
    ("hits = Hits()", "hits = Hits()\n    setattr(hits, args.name, net.forward)"),
    ("hits = Hits()", "hits = Hits()\n    hits.register_forward_hook(args.hook)"),
    ("hits = Hits()", "hits = Hits()\n    vars(hits)[args.name] = net.forward"),
    ("hits = Hits()", "hits = Hits() if args.hits else net"),
    ("hits = Hits()", "hits = Hits()\n    for hits in args.hits: pass"),
    ("hits = Hits()", "hits = Hits()\n    hits, other = args.both"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\n    every(net, rows, net)\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\n    args.run(epoch)\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\n    epoch(*args.all)\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\n    epoch(net, rows, **args.all)\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\nclass Hits(nn.Linear):\n    pass\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\nfrom metrics import Hits\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\nHits = Other\n"),
    ("every(net, rows, hits)\n", "every(net, rows, hits)\nfrom metrics import *\n"),
])
def test_it_is_not_known_where_anything_else_may_come_in(old: str, new: str):
    assert old in TEXT
    assert not known(TEXT.replace(old, new))
    assert told(TEXT.replace(old, new)) != ("identical", None)


def test_nobody_in_sight_hands_it_over():
    assert told("import torch\n")[0] != "identical"
