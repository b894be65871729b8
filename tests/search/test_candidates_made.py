"""A function gives back what its flag, which is always on, made: the blocks are in who calls it."""

from __future__ import annotations

import pytest
from trying import project, search

from voltfix import core
from voltfix.flags.sites import find
from voltfix.model import Decision, Options, WrapStatements
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project
from voltfix.search.group import grouped
from voltfix.search.kinds import handed
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify

SEEK = """
def seek(net, rows, head):
    def still(a):
        return Variable(a, volatile=True)

    x = still(rows)
    y = still(rows + 1)
    print(len(rows))
    found = net(x, y)
    return head.place(found.data)
"""


def blocks(text: str) -> list[list[str]]:
    """The stretches of each draft for the first site, by their first lines."""
    loaded = load_project(project(text), Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    places = [Decision(site=site, strategy=None, message="") for site in find(Project(loaded.modules))]
    group = grouped(scenes, places)[0]
    module = scenes.of("a.py").module.text
    return [[module[edit.first.start : edit.last.end].split("\n")[0] for _, edits in draft.edits for edit in edits
             if isinstance(edit, WrapStatements)] for draft in handed.drafts(scenes, group)]


def test_what_callers_compute_on_it_lies_in_a_block():
    assert blocks(SEEK)[0] == ["found = net(x, y)"]


def test_another_function_of_that_name_makes_something_else():
    other = "\n\ndef still(a):\n    return a\n\n\ndef learn(net, rows):\n    out = net(still(rows))\n    return out\n"
    assert not any("out = " in line for draft in blocks(SEEK + other) for line in draft)


def test_who_gives_back_what_it_computes_on_it_hands_it_on():
    text = """
def still(a):
    return Variable(a, volatile=True)


def wide(a):
    return still(a).repeat(2, 1)


def seek(net, rows):
    found = net(wide(rows))
    print(found)
"""
    near, far = blocks(text)
    assert "found = net(wide(rows))" not in near
    assert "found = net(wide(rows))" in far


@pytest.mark.parametrize(("old", "new"), [
    ("volatile=True", "volatile=False"),
    ("return Variable(a, volatile=True)", "print(Variable(a, volatile=True))"),
    ("    found = net(x, y)\n", "    found = net(x, y)\n    found.sum().backward()\n    net(x).sum().backward()\n"),
])
def test_there_is_no_such_draft(old, new):
    text = SEEK.replace(old, new)
    assert text != SEEK
    drafts = blocks(text)
    assert not drafts or not any("backward" in line for draft in drafts for line in draft)


@pytest.mark.parametrize("name", ["forward", "__call__"])
def test_what_python_calls_by_no_name_is_left_to_others(name):
    assert not blocks(f"""
class Maker:
    def {name}(self, a):
        return Variable(a, volatile=True)


def seek(net, make, rows):
    found = net(make(rows))
    print(found)
""")


MIXED = """
class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


def make(probe, model, rows):
    x = Variable(rows, volatile=True)
    probe.measure(model, x)
    return x


def use(model, rows):
    out = model(make(Probe(), model, rows))
    {}
"""


def test_where_a_caller_trains_on_what_it_computes_no_block_is_put_there():
    result = core.migrate(project(MIXED.format("(out * model.weight).sum().backward()")), Options(), verify, search())
    text = result.outputs.get("a.py", b"").decode()
    assert "with torch.no_grad():\n        out = " not in text
