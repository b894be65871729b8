"""A proof is tried against near misses: a block taken out, a block one statement longer."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"
KEEP = "KEPT = []\ndef keep(x):\n    KEPT.append(x)\n"


def judge(before: str, after: str, name: str = "f", *, quick: bool = False) -> tuple[str, str | None]:
    sides = (Side({"a.py": HEAD + before}), Side({"a.py": HEAD + after}))
    verdict, detail, _ = explore.verify(explore.Item(*sides, (Unit("a.py", name),), quick=quick))
    return verdict, detail


def tried(before: str, after: str) -> dict[str, bool]:
    """Which near misses mattered, and which of them were told apart."""
    item = explore.Item(Side({"a.py": HEAD + before}), Side({"a.py": HEAD + after}), (Unit("a.py", "f"),))
    explore.verify(item)
    return {f"{kind} {line}": told for (kind, (_, line)), told in item.reached.neighbours.items()}


def test_a_block_that_is_taken_out_is_told_from_the_right_one():
    before = "def f(net, x):\n    return net(Variable(x, volatile=True))\n"
    after = "def f(net, x):\n    with torch.no_grad():\n        return net(Variable(x))\n"
    assert tried(before, after) == {"out 7": True}


def test_a_block_that_is_longer_by_a_statement_that_trains_is_told_from_the_right_one():
    rest = "    net(Variable(x)).sum().backward()\n    return y\n"
    before = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n" + rest
    after = "def f(net, x):\n    with torch.no_grad():\n        y = net(Variable(x))\n" + rest
    assert tried(before, after) == {"out 7": True, "longer 7": True}
    assert judge(before, after) == ("identical", None)


def test_a_longer_block_that_the_next_statement_leaves_by_a_return_is_left_with_it():
    before = "def g(net, x):\n    y = net(Variable(x, volatile=True))\n    return net(y.data)\n"
    before += "def f(net, x):\n    y = g(net, x)\n    return y, net(x)\n"
    after = before.replace("    y = net(Variable(x, volatile=True))", "    with torch.no_grad(): y = net(Variable(x))")
    item = explore.Item(Side({"a.py": HEAD + before}), Side({"a.py": HEAD + after}), (Unit("a.py", "g"),))
    assert explore.verify(item)[0] == "identical"
    assert item.reached.neighbours[("longer", ("a.py", 7))]


def test_a_near_miss_that_looks_the_same_though_somebody_has_its_graph_makes_the_proof_worth_nothing():
    before = KEEP + "def f(w, x):\n    w.requires_grad_()\n    keep(w * Variable(x, volatile=True))\n"
    after = KEEP + "def f(w, x):\n    w.requires_grad_()\n    with torch.no_grad():\n        keep(w * Variable(x))\n"
    said = "a.py: f: with the block at line 11 taken out it would look the same"
    assert judge(before, after) == ("not-run", said)
    assert judge(before, after, quick=True) == ("identical", None)  # where near misses are not tried


def test_a_near_miss_whose_graph_nobody_has_does_not_count():
    before = "def f(w, x):\n    w.requires_grad_()\n    y = w * Variable(x, volatile=True)\n    return y.data\n"
    after = before.replace("    y = w * Variable(x, volatile=True)", "    with torch.no_grad(): y = w * Variable(x)")
    assert tried(before, after) == {}
    assert judge(before, after) == ("identical", None)


PHASES = """
def f(net, criterion, loaders):
    for phase in [{phases}]:
        for x, y in loaders[phase]:
            if phase == 'learn':
                x, y = Variable(x), Variable(y)
            else:
                x, y = Variable(x, volatile=True), Variable(y, volatile=True)
            {block}loss = criterion(net(x), y)
            if phase == 'learn':
                loss.backward()
"""


@pytest.mark.parametrize("phases", ["'judge', 'learn'", "'learn', 'judge'"])
def test_a_mode_that_switches_where_it_is_made_is_taken_out_whichever_phase_comes_last(phases):
    before = PHASES.replace("{phases}", phases)
    after = before.replace(", volatile=True", "").replace("{block}", "with torch.set_grad_enabled(phase == 'learn'): ")
    assert judge(before.replace("{block}", ""), after) == ("identical", None)
    assert tried(before.replace("{block}", ""), after) == {"out 14": True}


def test_a_mode_that_switches_where_it_is_made_is_undone_where_it_is_taken_out_of_a_decorator():
    before = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n    return y\n"
    after = before.replace(", volatile=True", "").replace("def f", "@torch.set_grad_enabled(False)\ndef f")
    assert judge(before, after) == ("identical", None)


def test_a_mode_that_switches_nothing_off_can_be_as_long_as_it_likes():
    rest = "    return y, net(Variable(x)) if on else 0\n"
    before = "def f(net, x, on):\n    y = net(Variable(x, volatile=not on))\n" + rest
    after = "def f(net, x, on):\n    with torch.set_grad_enabled(bool(on)):\n        y = net(Variable(x))\n" + rest
    assert tried(before, after) == {"out 7": True}


def test_a_statement_that_sets_the_mode_itself_does_not_make_the_block_before_it_longer():
    block = "    with torch.no_grad():\n        y = net(Variable(x))\n"
    block += "    with torch.enable_grad():\n        z = net(Variable(x))\n    return y, z\n"
    before = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n    z = net(Variable(x))\n    return y, z\n"
    assert "longer 7" not in tried(before, "def f(net, x):\n" + block)
    assert judge(before, "def f(net, x):\n" + block) == ("identical", None)


def test_a_network_of_the_project_that_is_called_in_a_mode_by_an_expression():
    net = "class Net(nn.Module):\n    def forward(self, x):\n        return self.a(x)\n"
    before = net + "def f(x):\n    n = Net()\n    return n(Variable(x, volatile=True))\n"
    after = before.replace("n(Variable(x, volatile=True))", "torch.no_grad()(n)(Variable(x))")
    assert judge(before, after) == ("identical", None)
    assert tried(before, after) == {"out 11": True}


KEEPS = """
class Canvas(object):
    def load(self, path):
        self.image = Variable(torch.load(path), volatile=True)
        self.first = self.image.clone()
        return self.first.size()
"""


def test_a_block_in_which_nothing_could_have_a_graph_proves_nothing():
    plain = KEEPS.replace(", volatile=True", "")
    after = plain.replace("        self.first = ", "        with torch.no_grad():\n            self.first = ")
    verdict, detail = judge(KEEPS, after, "Canvas.load")
    assert verdict == "not-run"
    assert "nothing in the block of line 10 could have a graph" in (detail or "")
    assert judge(KEEPS, after, "Canvas.load", quick=True)[0] == "identical"


@pytest.mark.parametrize(
    "inside",
    ["net(x).clone()", "decode(x)", "F.mse_loss(x, net.bias)", "torch.cat([x, Variable(x, requires_grad=True)])"],
)
def test_a_block_proves_something_where_an_operation_in_it_needs_it_whoever_makes_the_graph(inside):
    head = "import torch.nn.functional as F\ndef f(net, decode, x):\n    x = Variable(x{flag})\n"
    before = head.format(flag=", volatile=True") + f"    return {inside}\n"
    after = head.format(flag="") + f"    with torch.no_grad():\n        return {inside}\n"
    assert judge(before, after) == ("identical", None)


def test_weights_that_the_text_freezes_are_weights():
    head = "def f(net, x):\n    for each in net.parameters():\n        each.requires_grad = False\n"
    before = head + "    return net(Variable(x, volatile=True))\n"
    after = head + "    with torch.no_grad():\n        return net(Variable(x))\n"
    assert judge(before, after) == ("identical", None)


def test_a_decorator_on_what_builds_no_graph_proves_nothing():
    before = """
import numpy as np
from PIL import Image
def f(name):
    pixels = np.mean(np.array(Image.open(name)), axis=2)
    x = Variable(torch.from_numpy(pixels.astype(np.float32)), volatile=True)
    return x.view(1, 1, x.size(0), x.size(1))
"""
    after = before.replace(", volatile=True", "").replace("def f", "@torch.no_grad()\ndef f")
    verdict, detail = judge(before, after)
    assert (verdict, "could have a graph in what was run" in str(detail)) == ("not-run", True)


def test_a_decorator_on_what_runs_a_network_is_a_proof():
    before = "def f(net, x):\n    return net(Variable(x, volatile=True))\n"
    after = "@torch.no_grad()\ndef f(net, x):\n    return net(Variable(x))\n"
    assert judge(before, after) == ("identical", None)


SEVERAL = """
def f(net, data):
    {}
        y = net(Variable(data))
    {}
        z = y.data * 2
    {}
        shown = [z, 3]
    return z, shown
"""


def test_blocks_that_were_entered_and_that_nothing_needed_are_named():
    after = SEVERAL.format(*["with torch.no_grad():"] * 3)
    before = SEVERAL.format(*["if True:"] * 3).replace("data)", "data, volatile=True)")
    sides = [Side({"a.py": HEAD + text}) for text in (before, after)]
    unit = Unit("a.py", "f")
    item = explore.Item(*sides, (unit,))
    assert explore.verify(item)[0] == "identical"
    at = [n for n, line in enumerate((HEAD + after).splitlines(), 1) if "with torch" in line]
    assert item.reached.vacant(unit) == [("a.py", at[1]), ("a.py", at[2])]
