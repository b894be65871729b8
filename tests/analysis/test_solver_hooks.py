"""Forward hooks: what they compute with weights has a graph, whatever the network is given."""

from __future__ import annotations

import pytest
from solving import becomes, covers, source, stays

from helpers import migrated

USE = """

        def step(net, data, target):
            seen = net(Variable(data, volatile=True)).data
            loss = F.mse_loss(net(Variable(seen)), Variable(target)) + sum(kept)
            loss.backward()
"""

KEEPING = [
    "def keep(layer, given, made):\n    kept.append(layer.weight.norm())\nLAYER.register_forward_hook(keep)",
    "LAYER.register_forward_hook(lambda layer, given, made: kept.append((layer.bias ** 2).sum()))",
    "def keep(layer, given):\n    kept.append(layer.weight.norm())\nLAYER.register_forward_pre_hook(keep)",
    "def norm(layer):\n    return layer.weight.norm()\n"
    "def keep(layer, given, made):\n    kept.append(norm(layer))\nLAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    for p in layer.parameters():\n        kept.append(p.abs().sum())\n"
    "LAYER.register_forward_hook(keep)",
    "def maker(scale):\n    def keep(layer, given, made):\n        kept.append(layer.weight.norm())\n    return keep\n"
    "LAYER.register_forward_hook(maker(2))",
    "class Keeper:\n    def __call__(self, layer, given, made):\n        kept.append(layer.weight.norm())\n"
    "LAYER.register_forward_hook(Keeper())",
    "import functools\ndef keep(layer, given, made, scale=1):\n    kept.append(layer.weight.norm() * scale)\n"
    "LAYER.register_forward_hook(functools.partial(keep, scale=2))",
    "def keep(layer, given, made):\n    kept.append(layer.weight.norm())\nLAYER.register_forward_hook(hook=keep)",
    "def keep(layer, given, made):\n    kept.append(layer._parameters['weight'].norm())\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    kept.append(0 if layer.bias is None else 2 * layer.bias.norm())\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    kept.append((layer.weight * (layer.weight > 0.5).float()).sum())\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n"
    "    kept.append((layer.bias if layer.bias is not None else layer.weight).norm())\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    size = layer.bias is not None and layer.bias.norm()\n    kept.append(size)\n"
    "LAYER.register_forward_hook(keep)",
]

LOOKING = [
    # an object that nobody here can tell is trusted, as unknown functions are
    "class Keeper:\n    def __call__(self, layer, given=None, made=None):\n        kept.append(layer.weight.norm())\n"
    "def register(keepers):\n    for keeper in keepers:\n        LAYER.register_forward_hook(keeper)",
    "def keep(layer, given, made):\n    kept.append(made.data)\nLAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    kept.append(made)\nLAYER.register_forward_hook(keep)",
    "LAYER.register_forward_hook(lambda layer, given, made: print(layer.weight.norm()))",
    "def keep(layer, given, made):\n    kept.append(layer.weight.data.norm())\nLAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    kept.append(sum(p.numel() for p in layer.parameters()))\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    if layer.bias is not None:\n        kept.append(layer.weight.size(0))\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, came, goes):\n    kept.append(layer.weight.norm())\nLAYER.register_backward_hook(keep)",
    "def keep(layer, given, made):\n"
    "    extra = 0 if layer.bias is None else 1\n    kept.append(layer.in_features + extra)\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    lean = not layer.bias\n    kept.append(lean + 1)\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    large = layer.weight > 1\n    kept.append(large + large)\n"
    "LAYER.register_forward_hook(keep)",
    "def keep(layer, given, made):\n    kept.append(layer.weight.norm())",
]


def _module(hook: str) -> str:
    code = "kept = []\nLAYER = torch.nn.Linear(2, 2)\n" + hook
    return "\n" + "\n".join(" " * 8 + line for line in code.split("\n")) + "\n"


@pytest.mark.parametrize("hook", KEEPING)
def test_a_network_is_left_alone_where_a_hook_computes_with_weights(hook: str) -> None:
    stays(_module(hook) + USE, "forward-hook")


@pytest.mark.parametrize("hook", LOOKING)
def test_a_hook_that_keeps_no_graph_of_its_own_does_not_stand_in_the_way(hook: str) -> None:
    before = _module(hook) + USE
    after = before.replace(
        "            seen = net(Variable(data, volatile=True)).data\n",
        "            with torch.no_grad():\n                seen = net(Variable(data)).data\n",
    )
    becomes(before, after)


def test_a_network_of_the_project_runs_its_hooks_when_it_is_called() -> None:
    stays(
        """
        kept = []


        class Scale(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.ones(2))

            def forward(self, x):
                return x * self.scale


        def keep(layer, given, made):
            kept.append(layer.scale.norm() + layer.weight.norm())


        def step(data, target):
            net = Scale()
            net.register_forward_hook(keep)
            seen = net(Variable(data, volatile=True)).data
            loss = F.mse_loss(net(Variable(seen)), Variable(target)) + sum(kept)
            loss.backward()
        """,
        "forward-hook",
    )


def test_what_has_no_network_in_it_gets_its_block() -> None:
    becomes(
        """
        kept = []
        torch.nn.Linear(2, 2).register_forward_hook(lambda layer, given, made: kept.append(layer.weight.norm()))


        def step(weight, data):
            weight.requires_grad = True
            return (weight * Variable(data, volatile=True)).data
        """,
        """
        kept = []
        torch.nn.Linear(2, 2).register_forward_hook(lambda layer, given, made: kept.append(layer.weight.norm()))


        def step(weight, data):
            weight.requires_grad = True
            with torch.no_grad():
                return (weight * Variable(data)).data
        """,
    )


READING = [
    "def keep(layer, given):\n    if given[0].volatile == False and layer.training:\n"
    "        kept.append(given[0].data)\nLAYER.register_forward_pre_hook(keep)",
    "def keep(layer, given, made):\n    kept.append(1 if made.volatile else 0)\nLAYER.register_forward_hook(keep)",
    "class Watcher:\n    def __init__(self, net):\n        net.register_forward_hook(self.keep)\n"
    "    def keep(self, layer, given, made):\n        if not made.volatile:\n            kept.append(made.data)\n"
    "Watcher(LAYER)",
]


LOOK = """

        def like(given, data):
            return Variable(data, volatile=given.volatile)


        def look(net, data):
            return net(Variable(data, volatile=True)).data
"""


@pytest.mark.parametrize("hook", READING)
def test_a_flag_stays_where_a_hook_reads_it_and_nothing_answers_that(hook: str) -> None:
    """``like`` may be called with anything, so that grad mode does not answer the hook; layers run it all the same."""
    result = migrated(source(_module(hook) + LOOK))
    assert not result.outputs
    assert {site.reason for site in result.sites} == {"forward-hook", "unseen-callers", "volatile-read"}


def test_a_read_that_no_layer_runs_holds_nothing_else() -> None:
    hook = READING[0].replace("LAYER.register_forward_pre_hook(keep)", "print(keep)")
    result = migrated(source(_module(hook) + LOOK))
    assert b"with torch.no_grad():\n        return net(Variable(data)).data" in result.outputs["a.py"]


def test_a_hook_that_grad_mode_answers_goes_with_its_network() -> None:
    before = _module(READING[0]) + LOOK[LOOK.index("        def look"):]
    after = before.replace("given[0].volatile == False", "torch.is_grad_enabled()")
    becomes(before, after.replace("            return net(Variable(data, volatile=True)).data",
                                  "            with torch.no_grad():\n                return net(Variable(data)).data"))


SEEN = """
def compare(student, beam):
    wide = torch.nn.Linear(3, 3)
    seen = []
    {hook}
    gap = wide(Variable(beam)) - student(Variable(beam, volatile=True))
    sum(seen).backward()
    return gap.data
"""


@pytest.mark.parametrize("hook", [
    "wide.register_forward_hook(lambda layer, given, made: seen.append(made))",
    "def keep(layer, given, made):\n        seen.append(made.norm())\n    wide.register_forward_hook(keep)",
    "wide.register_forward_hook(lambda *all: seen.append(all[2]))",
    "wide.register_forward_pre_hook(lambda layer, given: seen.append(given[0]))",
])
def test_a_graph_that_a_hook_may_keep_is_not_taken_though_the_result_is_missed_by_nobody(hook):
    text = migrated(source(SEEN.format(hook=hook))).outputs["a.py"].decode()
    assert "    gap = (wide(Variable(beam)) - torch.no_grad()(student)(Variable(beam))).detach()" in text


@pytest.mark.parametrize("hook", [
    "wide.register_forward_hook(lambda layer, given, made: print(made.size()))",
    "wide.register_forward_hook(lambda layer, given, made: seen.append(made.data))",
])
def test_one_that_keeps_data_alone_takes_no_graph(hook):
    covers(SEEN.format(hook=hook).replace("sum(seen).backward()", "print(seen)"), inside=["gap ="], outside=[])


TUNING = """
    import torch.nn as nn

    def tune(net, opt, batch):
        opt.zero_grad()
        net(batch).sum().backward()
        opt.step()

    {hook}

    def see(net, data):
        return net(Variable(data, volatile=True)).data
"""


@pytest.mark.parametrize("hook", [
    "def watch(net, opt, some):\n        net.register_forward_hook(lambda layer, given, made: tune(layer, opt, some))",
    "def tunes(layer, given):\n        tune(layer, layer.opt, given[0])\n\n"
    "    def watch(net):\n        for part in net.modules():\n            part.register_forward_pre_hook(tunes)",
    "class Watch:\n        def __init__(self, net, opt):\n            self.opt = opt\n"
    "            net.register_forward_hook(self.seen)\n\n"
    "        def seen(self, layer, given, made):\n            tune(layer, self.opt, given[0].data)",
])
def test_a_network_runs_what_its_hooks_send(hook: str) -> None:
    """On 0.3 a hook that trains did so, whatever the network was given."""
    stays(TUNING.replace("{hook}", hook), reason="forward-hook")


def test_a_hook_of_gradients_trains_in_no_forward() -> None:
    hook = ("def tunes(layer, came, goes):\n        tune(layer, layer.opt, came[0])\n\n"
            "    def watch(net):\n        net.register_backward_hook(tunes)")
    body = TUNING.replace("{hook}", hook)
    covers(body, inside=["return net("], outside=["net(batch)"])


def said(code: str) -> set[str]:
    """What is said of the flags that a program keeps."""
    return {site.message for site in migrated(source(code)).sites if site.status == "refused"}


def test_the_hook_that_a_refusal_is_for_is_named_with_the_call_that_runs_it():
    assert said("""
    def keep(layer, given, made):
        layer.cost = layer.weight.norm()

    def train(net, data):
        net.fc.register_forward_hook(keep)
        seen = net(Variable(data, volatile=True)).data
        (net(Variable(seen)).sum() + net.fc.cost).backward()
    """) == {"runs the hook at line 5, which needs a graph (line 10)"}


def test_code_that_may_train_is_not_said_to_be_given_a_graph():
    """What is given to it is volatile, and nothing else."""
    assert said("""
    class Table(object):
        def look(self, x):
            loss = self.net(x).sum() + self.head.weight.sum()
            loss.backward()
            return loss.data

    def judge(table, data):
        x = Variable(data, volatile=True)
        y = table.look(x)
        return y
    """) == {"passes a volatile tensor to code that may need a graph of its own (line 13)"}
