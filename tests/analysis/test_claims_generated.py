"""Generated projects: what calls a flag is hidden, in one of many ways; nothing is dropped or made constant for it."""

from __future__ import annotations

import random
from textwrap import dedent

import pytest

from voltfix import core
from voltfix.model import Result

HEAD = "import functools\nimport torch\nfrom torch.autograd import Variable\n\n\n"

WORDS = ["fern", "delta", "harbor", "quartz", "ember", "north", "willow", "marsh", "cedar", "slate"]

# the helper, the caller by name, and the same call when nothing says what it calls
HELPERS = {
    "function": (
        "def {f}(t, {p}=False):\n    return Variable(t, volatile={p})\n",
        "{f}(t, {p}=True)",
    ),
    "always": ("def {f}(t):\n    return Variable(t, volatile=True)\n", "{f}(t)"),
    "reads": ("def {f}(t):\n    return t.data if t.volatile else t\n", "{f}(Variable(t, volatile=True))"),
}
HIDDEN = {
    "unresolved": ("def show(net, t, tools):\n    return net(tools.{f}({args}))\n", ""),
    "aliased": ("class Kit(object):\n    pass\n\n\ndef equip(kit):\n    kit.{g} = {f}\n\n\n"
                "def show(net, t, kit):\n    return net(kit.{g}({args}))\n", ""),
    "table": ("TABLE = {{'{g}': {f}}}\n\n\ndef pick(table, name):\n    return table[name]\n\n\n"
              "def show(net, t, tables, name):\n    return net(pick(tables, name)({args}))\n\n\n"
              "def main(net, t, run):\n    return run(show, net, t, TABLE)\n", ""),
    "by name": ("def show(net, t, name):\n    return net(globals()[name]({args}))\n\n\n"
                "def hand_out(register):\n    register({f})\n", ""),
    "callback": ("class Runner(object):\n    def __init__(self, {g}):\n        self.{g} = {g}\n\n"
                 "    def run(self, net, t):\n        return net(self.{g}({args}))\n\n\n"
                 "def build(registry):\n    registry.append(Runner({f}))\n", ""),
    "partial": ("def show(net, t, {g}):\n    return net({g}({args}))\n\n\n"
                "def hand_out(register):\n    register(functools.partial({f}))\n", ""),
    "getattr": ("class Kit(object):\n    {g} = staticmethod({f})\n\n\n"
                "def show(net, t, name):\n    return net(getattr(Kit, name)({args}))\n", ""),
}


def project(seed: int, kind: str, hidden: str | None) -> dict[str, bytes]:
    """A helper with a test that leaves the flag out, and a caller: by its name, or hidden."""
    draw = random.Random(seed)
    f, g, p = draw.sample(WORDS, 3)
    helper, call = HELPERS[kind]
    names = {"f": f, "g": g, "p": p}
    call = call.format(**names)
    given = "Variable(t)" if kind == "reads" else "t"
    test = f"def test_{f}(t):\n    assert {f}({given}) is not None\n"
    shown = f"def show(net, t):\n    return net({call})\n"
    if hidden is not None:
        shown = HIDDEN[hidden][0].format(args=call[len(f) + 1 : -1], **names)
    parts = [helper.format(**names), test, shown]
    if draw.random() < 0.5:
        return {"all.py": (HEAD + "\n\n".join(parts)).encode()}
    return {
        "helpers.py": (HEAD + parts[0]).encode(),
        "test_helpers.py": (HEAD + f"from helpers import {f}\n\n\n" + test).encode(),
        "show.py": (HEAD + f"from helpers import {f}\n\n\n" + shown).encode(),
    }


def unsafe(result: Result) -> list[str]:
    """Flags that went without a block, and reads that became constants."""
    return [
        f"{site.path}:{site.line} {site.message}" for site in result.sites
        if site.status == "fixed" and site.strategy == "drop" and site.code != "VF102"
        and not any("requires no grad" in said for said in site.evidence)
    ]


@pytest.mark.parametrize("kind", HELPERS)
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("seed", range(3))
def test_a_call_that_is_hidden_never_makes_a_drop_or_a_constant(kind, hidden, seed):
    seen, unseen = (core.migrate(project(seed, kind, how)) for how in (None, hidden))
    assert not unsafe(seen)
    assert not unsafe(unseen), dedent("\n".join(unsafe(unseen)))
    assert not seen.errors
    assert not unseen.errors
    if kind != "reads":
        assert "no_grad" in {site.strategy for site in seen.sites}
        assert "refused" in {site.status for site in unseen.sites}
