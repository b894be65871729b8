"""Networks whose classes stand in the project: what they give, what runs inside them, and callers that vouch for it."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
"""
NET = """
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        return F.log_softmax(self.fc(x))
class Pair(nn.Module):
    def __init__(self):
        super(Pair, self).__init__()
        self.scale = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return x * self.scale, (self.scale ** 2).sum()
"""


def judge(before: str, after: str, *names: str) -> tuple[str, str | None]:
    sides = [Side({"a.py": HEAD + NET + textwrap.dedent(text)}) for text in (before, after)]
    touched = tuple(Unit("a.py", name) for name in names or ("f",))
    return explore.verify(explore.Item(*sides, touched))[:2]


def same(before: str, after: str, *names: str) -> None:
    assert judge(before, after, *names) == ("identical", None)


def different(before: str, after: str, says: str, *names: str) -> None:
    verdict, detail = judge(before, after, *names)
    assert verdict == "different", detail
    assert says in (detail or "")


# --- what a network gives ---------------------------------------------------------------------------------------

EVALUATED = """
    def f(model, loader):
        for x, y in loader:
            x = Variable(x, volatile=True)
            out = model(x)
            print(out.data.sum())
    def main(loader):
        net = Net()
        f(net, loader)
"""
PLAIN = EVALUATED.replace(", volatile=True", "")


def test_a_block_that_is_missing_where_a_function_is_given_the_projects_own_network_is_different():
    different(EVALUATED, PLAIN, "`call model`: requires_grad False before, True after")


@pytest.mark.parametrize(
    ("line", "covered"),
    [
        ("        out = model(x)\n", "        with torch.no_grad():\n                out = model(x)\n"),
        ("    f(net, loader)\n", "    with torch.no_grad():\n            f(net, loader)\n"),
        ("    def f(model", "    @torch.no_grad()\n    def f(model"),
    ],
    ids=["around the call", "in the caller", "decorator"],
)
def test_a_block_around_the_projects_own_network_is_the_same(line: str, covered: str):
    assert line in PLAIN
    same(EVALUATED, PLAIN.replace(line, covered), "f", "main")


def test_a_missing_block_is_seen_where_the_network_is_made_in_the_same_function():
    before = """
        def f(x):
            net = Net()
            out = net(Variable(x, volatile=True))
            print(out.data)
    """
    plain = before.replace(", volatile=True", "")
    different(before, plain, "requires_grad False before, True after")
    same(before, plain.replace("out = net(Variable(x))", "with torch.no_grad(): out = net(Variable(x))"))


@pytest.mark.parametrize("network", ["Net()", "net"])
@pytest.mark.parametrize(
    "use",
    [
        "log.keep(out)",
        "log.out = out",
        "return out",
        "return F.relu(out * 2).sum()",
        "holder.out = out",
        "F.relu(out).sum().backward()",
        "print(out.requires_grad)",
    ],
)
def test_a_graph_that_a_block_takes_from_a_network_is_different_where_somebody_has_what_it_gave(network, use):
    before = f"def f(holder, net, x, log):\n    out = {network}(Variable(x))\n    {use}\n"
    after = before.replace("    out = ", "    with torch.no_grad():\n        out = ")
    assert judge(before, after)[0] == "different"


KEEPERS = """
    import queue
    from collections import deque, namedtuple
    from dataclasses import dataclass
    from functools import partial
    from threading import Thread
    from lib import Holder
    LAST, KNOWN, RECENT, WAITING = None, {}, deque(maxlen=5), queue.Queue()
    class Slotted:
        __slots__ = ("kept",)
        def __init__(self, kept):
            self.kept = kept
    class Registry:
        last = None
    @dataclass
    class Record:
        kept: object
    class Stop(Exception):
        pass
    def f(net, x, opt, kept=[]):
        global LAST
        out = net(Variable(x))
        USE
"""


@pytest.mark.parametrize(
    "use",
    [
        "LAST = out",
        "LAST = F.relu(out)",
        "KNOWN['out'] = out",
        "KNOWN.setdefault('outs', []).append(out)",
        "RECENT.append(out)",
        "WAITING.put(out)",
        "kept.append(out)",
        "f.last = out",
        "Registry.last = out",
        "LAST = out.backward",
        "LAST = lambda: out",
        "return Slotted(out)",
        "return Record(out)",
        "return partial(F.relu, out)",
        "raise Stop(out)",
        "Thread(target=lambda: out.backward()).start()",
        "Holder(out).train()",
        "opt.backward(out)",
    ],
)
def test_a_graph_that_a_block_takes_is_different_where_something_keeps_what_the_network_gave(use):
    before = KEEPERS.replace("USE", use)
    after = before.replace("        out = ", "        with torch.no_grad(): out = ")
    different(before, after, "`call net`: requires_grad True before, False after")


@pytest.mark.parametrize("network", ["Net()", "net"])
@pytest.mark.parametrize("use", ["print(out.data)", "return out.data", "return Variable(out.data).sum()", "return 1",
                                 "return F.relu(out * 2).data", "log.keep(out.view(-1).detach())",
                                 "log.out = out.view(-1)[0].data", "np.save('out', out.data)"])  # fmt: skip
def test_a_graph_that_nobody_could_have_asked_gradients_of_may_go(network, use):
    before = f"def f(holder, net, x, log):\n    out = {network}(Variable(x))\n    {use}\n"
    same(before, before.replace("    out = ", "    with torch.no_grad():\n        out = "))


def test_a_graph_that_nobody_reaches_is_different_where_it_was_not_there_before():
    before = "def f(net, x):\n    out = net(Variable(x, volatile=True))\n    print(out.data)\n"
    different(before, before.replace(", volatile=True", ""), "`call net`: requires_grad False before, True after")


def test_what_a_volatile_forward_makes_of_parameters_alone_may_lose_the_graph_that_nobody_reaches():
    before = """
        def f(x):
            out, cost = Pair()(Variable(x, volatile=True))
            print(out.data, cost.data)
    """
    plain = before.replace(", volatile=True", "")
    block = plain.replace("out, cost = ", "with torch.no_grad(): out, cost = ")
    same(before, block)
    different(before, plain, "`call Pair#1`[0]: requires_grad False before, True after")


def test_what_a_volatile_forward_makes_of_parameters_alone_may_not_lose_the_graph_that_is_sent_backward():
    before = """
        def f(x):
            out, cost = Pair()(Variable(x, volatile=True))
            cost.backward()
            print(out.data)
    """
    after = before.replace(", volatile=True", "").replace("out, cost = ", "with torch.no_grad(): out, cost = ")
    different(before, after, "RuntimeError after: element 0 of tensors does not require grad")


def test_networks_of_one_class_may_be_called_in_another_order():
    before = """
        def f(x, y):
            one, other = Net(), Net()
            p = one(Variable(x, volatile=True))
            q = other(Variable(y))
            return p, q
    """
    after = """
        def f(x, y):
            one, other = Net(), Net()
            q = other(Variable(y))
            with torch.no_grad():
                p = one(Variable(x))
            return p, q
    """
    same(before, after)


def test_an_unknown_that_a_network_hands_on_may_be_a_variable_or_a_tensor():
    net = "class Through(nn.Module):\n    def forward(self, x):\n        return x, 1\n"
    before = net + "def f(x):\n    print(Through()(Variable(x, volatile=True)))\n"
    same(before, net + "def f(x):\n    print(Through()(x))\n")


# --- what runs inside a network ------------------------------------------------------------------------------------

NESTED = """
    class Outer(nn.Module):
        def __init__(self):
            super(Outer, self).__init__()
            self.inner, self.top = Net(), nn.Linear(2, 2)
        def forward(self, x):
            features = self.inner(Variable(x.data, volatile=True))
            return self.top(Variable(features.data))
    def f(x):
        loss = Outer()(Variable(x)).sum()
        loss.backward()
"""


def test_a_block_that_is_missing_inside_a_network_is_different_although_what_it_gives_is_the_same():
    plain = NESTED.replace(", volatile=True", "")
    different(NESTED, plain, "requires_grad False before, True after", "Outer.forward")
    block = plain.replace("features = self", "with torch.no_grad():\n                features = self")
    same(NESTED, block, "Outer.forward")


def test_a_block_over_a_volatile_forward_may_reach_over_what_is_made_of_parameters_inside():
    before = """
        class Mixed(nn.Module):
            def __init__(self):
                super(Mixed, self).__init__()
                self.fc, self.embed, self.prior = nn.Linear(3, 2), nn.Linear(2, 2), nn.Parameter(torch.ones(2))
            def forward(self, x):
                return self.fc(x) + self.embed(self.prior)
        def f(x):
            print(Mixed()(Variable(x, volatile=True)).data)
    """
    plain = before.replace(", volatile=True", "")
    same(before, plain.replace("print(Mixed", "with torch.no_grad(): print(Mixed"))
    different(before, plain, "requires_grad False before, True after")


def test_a_container_of_the_type_of_a_batch_keeps_the_flags_of_what_is_in_it():
    before = """
        def f(batch, options):
            batch = batch.cuda()
            batch = type(batch)([Variable(each, volatile=True) for each in batch])
            print(Net()(batch[0]).data)
    """
    plain = before.replace(", volatile=True", "")
    different(before, plain, "requires_grad False before, True after")
    same(before, plain.replace("print(", "with torch.no_grad(): print("))


# --- networks that torch runs --------------------------------------------------------------------------------------


def test_data_parallel_is_a_call_of_the_network():
    before = "def f(net, x):\n    y = nn.parallel.data_parallel(net, {}, range(2))\n    print(y.data)\n"
    flagged, plain = before.format("Variable(x, volatile=True)"), before.format("Variable(x)")
    different(flagged, plain, "`call net`: requires_grad False before, True after")
    same(flagged, plain.replace("    y = ", "    with torch.no_grad(): y = "))
    same(flagged, "def f(net, x):\n    with torch.no_grad():\n        y = net(Variable(x))\n    print(y.data)\n")
    several = flagged.replace("Variable(x, volatile=True)", "(Variable(x, volatile=True), x)")
    same(several, "def f(net, x):\n    with torch.no_grad():\n        y = net(Variable(x), x)\n    print(y.data)\n")


def test_a_block_of_the_authors_around_an_export_is_not_lost():
    before = "def f(net, x):\n    with torch.no_grad():\n        torch.onnx.export(net, Variable(x), 'f')\n"
    without = before.replace("with torch.no_grad()", "if True")
    different(before, without, "`torch.onnx.export()`: requires_grad False before, True after")
    same(before, before.replace("no_grad()", "set_grad_enabled(False)"))


def test_a_flag_on_what_is_exported_needs_no_block():
    before = "def f(net, x):\n    torch.onnx.export(net, Variable(x, volatile=True), 'f')\n"
    same(before, before.replace(", volatile=True", ""))
    same(before, "@torch.no_grad()\ndef f(net, x):\n    torch.onnx.export(net, Variable(x), 'f')\n")


# --- callers that vouch ---------------------------------------------------------------------------------------------

# ``main`` names f and runs to its end on one way alone, which does not come by f
VOUCHED = """
    def f(net, x):
        return net({}).data
    def main(net, x, options):
        if options.run:
            raise NotImplementedError
        {}
"""


def test_a_caller_that_never_comes_by_the_change_does_not_vouch_for_it():
    aside = "hand_over = f"
    before = VOUCHED.format("Variable(x, volatile=True)", aside)
    different(before, VOUCHED.format("Variable(x)", aside), "`call net`: requires_grad False before, True after")


def test_what_may_have_moved_to_a_caller_that_no_way_comes_by_gets_no_verdict():
    before = VOUCHED.format("Variable(x, volatile=True)", "raise KeyError\n        f(net, x)")
    after = VOUCHED.format("Variable(x)", "raise KeyError\n        with torch.no_grad():\n            f(net, x)")
    verdict, detail = judge(before, after, "f", "main")
    assert verdict == "not-run"
    assert "requires_grad False before, True after, and no way through its callers comes by line" in (detail or "")


def test_a_caller_that_never_comes_by_a_function_in_between_does_not_vouch_for_it():
    text = """
        def made(x):
            return Variable(x, volatile=True)
        def f(net, x):
            print(net(made(x)).data)
        def main(net, x):
            {}
    """
    for line, verdict in (("hand_over = f", "different"), ("return [f(net, x), made(x)]", "different")):
        before = text.format(line)
        assert judge(before, before.replace(", volatile=True", ""), "made")[0] == verdict
    after = text.format("with torch.no_grad(): f(net, x)").replace(", volatile=True", "")
    same(text.format("f(net, x)"), after, "made", "main")


@pytest.mark.parametrize("network", ["net", "Net()"])
@pytest.mark.parametrize("mode", ["mode=False", "False"])
def test_the_training_mode_may_be_given_by_name(network: str, mode: str):
    before = f"def f(net, x):\n    net = {network}\n    net.train({mode})\n    return net(Variable(x, volatile=True))\n"
    block = before.replace("    return", "    with torch.no_grad(): return").replace(", volatile=True", "")
    same(before, block)
    different(before, block.replace(mode, "True"), "training False")
