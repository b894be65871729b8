"""A method of an object that nobody knows, called for one of several things that it does: what it comes to counts."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed, migrated

PROGRAM = """
import functools
import torch
from torch.autograd import Variable


class Core:
    def once(self, kind, batch, wanted=None):
        raise NotImplementedError()


class Plain(Core):
    def __init__(self, net, optimizer):
        self.net, self.optimizer, self.losses = net, optimizer, []

    def once(self, kind, batch, wanted=None):
        found = self.net.forward(*batch)
        if kind != 'show':
            loss = (found - wanted).sum()
            self.losses.append(loss.data[0])
            if kind == 'learn':
                loss.backward()
                self.optimizer.step()
        return found


class Runner:
    def __init__(self, core: Core):
        self.core = core

    def learn(self, rows):
        for batch, wanted in rows:
            self.core.once('learn', [Variable(b) for b in batch], Variable(wanted))

    def show(self, rows):
        shown = []
        for batch in rows:
            batch = [Variable(b, volatile=True) for b in batch]
            shown.append(self.core.once('show', batch).data)
        return shown
"""


def test_a_call_for_what_does_not_train_has_its_block() -> None:
    check_transformed(PROGRAM, PROGRAM.replace(", volatile=True", "").replace(
        "            shown.append(self.core.once('show', batch).data)",
        "            with torch.no_grad():\n                shown.append(self.core.once('show', batch).data)"))


AGAIN = "once = functools.partialmethod({}, 'learn')\n\n\nclass Runner:"
FIT = """
    def fitted(self, *batch):
        found = self.net.forward(*batch)
        found.sum().backward()
        return found
"""


AROUND = """class Around(Core):
    def __init__(self, core, kinds):
        self.core, self.kinds = core, kinds

    def once(self, kind, batch, wanted=None):
        return {}

    def passed(self, kind, batch):
        return self.core.once(self.kinds[kind], batch)


class Runner:"""
GOAL = """class Goal:
    def __init__(self, net):
        self.net = net

    def __call__(self, found):
        self.net.cost(found).backward()
        return found


class Core:"""


@pytest.mark.parametrize(("old", "new"), [
    ("once('show', batch)", "once('learn', batch)"),
    ("once('show', batch)", "once(rows.kind, batch)"),
    ("once('show', batch)", "once(*['show', batch])"),
    ("        if kind != 'show':", "        kind = self.kind\n        if kind != 'show':"),
    ("if kind != 'show':", "if kind != 'see':\n            self.optimizer.zero_grad()\n            found.backward()"),
    ("if kind != 'show':", "if self.learns:\n            found.backward()\n        if kind != 'show':"),
    ("    def once(self, kind, batch, wanted=None):\n        found", "    @functools.lru_cache()\n"
     "    def once(self, kind, batch, wanted=None):\n        found"),
    ("class Runner:", "Plain.once = functools.partial(Plain.once, 'learn')\n\n\nclass Runner:"),
    ("\n\nclass Runner:", f"\n    {AGAIN.format('once')}"),
    ("class Runner:", f"class Other(Plain):\n    {AGAIN.format('Plain.once')}"),
    ("net, optimizer, []", "net, optimizer, []\n        self.once = functools.partial(self.once, 'learn')"),
    ("found = self.net.forward(*batch)", "found = self.fitted(*batch)"),
    ("found = self.net.forward(*batch)", "found = self.each(self.fitted, batch)"),
    ("class Runner:", AROUND.format("self.core.once(self.kinds[kind], batch, wanted)")),
    ("class Runner:", AROUND.format("self.passed(kind, batch)")),
    ("        return found\n\n\nclass Runner:", "        return self.passed(kind, found)\n\n"
     "    def passed(self, kind, found):\n        return self.next.once('learn', found)\n\n\nclass Runner:"),
])
def test_a_call_that_may_come_to_what_trains_leaves_the_flag(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new) if "fitted" not in new else PROGRAM.replace(
        f"        {old}\n        if", f"        {new}\n        if").replace("\n\nclass R", f"{FIT}\n\nclass R")
    assert text != PROGRAM
    result = migrated(text.encode())
    assert result.outputs == {}
    assert {site.status for site in result.sites} == {"refused"}


@pytest.mark.parametrize("runs", ["map(self.goal, found)", "minimized(self.goal, found)",
                                  "self.optimizer.step(self.goal)"])
def test_so_does_one_that_hands_on_an_object_which_trains_when_it_is_called(runs: str) -> None:
    text = PROGRAM.replace("class Core:", GOAL).replace("ptimizer, []", "ptimizer, []\n        self.goal = Goal(net)")
    end = "        return found\n\n\nclass Runner:"
    text = text.replace(end, f"        {runs}\n{end}")
    assert runs in text
    check_noop(text, reason="mixed-statement")


def test_so_does_one_that_another_class_answers_otherwise() -> None:
    check_noop(PROGRAM.replace("class Runner:", (
        "class Always(Core):\n    def once(self, kind, batch, wanted=None):\n        found = self.net(*batch)\n"
        "        self.goal(found).backward()\n        return found\n\n\nclass Runner:")), reason="mixed-statement")
