"""What a candidate leaves out of its block was run with the flag on, or it is not taken."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from trying import project, search

from voltfix import core
from voltfix.flags.sites import find
from voltfix.model import Decision, Options, Verification, WrapStatements
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project as Program
from voltfix.search.group import grouped
from voltfix.search.met import never_met, uses_of
from voltfix.search.reach import reach_of
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify

WITHIN = """
class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


def evaluate(model, batch, shown, helper):
    x = Variable(batch, volatile=True)
    {first}
    second = Probe().measure(model, x)
    return second
"""


def site_of(first: str):
    result = core.migrate(project(WITHIN.format(first=first)), Options(), verify, search())
    (site,) = result.sites
    return site, result


@pytest.mark.parametrize("first", [
    "for _ in []:\n        helper(x)",
    "while 1 > 2:\n        shown(helper(x).data)",
    "for each in ():\n        shown(each)\n        shown(helper(x) + 1)",
])
def test_a_candidate_that_leaves_out_what_no_run_comes_by_is_not_taken(first):
    site, result = site_of(first)
    assert (site.status, result.outputs) == ("refused", {})
    assert any("no way that was tried comes by line" in (each.verification.detail or "")
               for each in site.candidates if each.verification)


@pytest.mark.parametrize("first", [
    "if shown:\n        helper(x)",
    "shown(helper(x))",
    "for _ in []:\n        helper(batch)",
    "for _ in []:\n        shown(x.data.sum(), x.size())",
])
def test_one_that_leaves_out_nothing_of_that_kind_is(first):
    site, _ = site_of(first)
    assert (site.status, site.safety) == ("fixed", "verified")


HANDED = """
def made(batch):
    return Variable(batch, volatile=True)


def tested(model, helper, batch):
    x = made(batch)
    {first}
    return model(x).data
"""


@pytest.mark.parametrize("lit", [True, False])
def test_of_a_caller_that_counts_where_a_run_of_it_had_the_flag_on(lit):
    """Who never turns it on says nothing of it, and need not."""
    text = HANDED.format(first="for _ in []:\n        helper(x)")
    run = (("a.py", "made"), ("a.py", "tested"))
    verdict = Verification("symbolic", "identical", lit=(run,) if lit else (), dark=(("a.py", 12),))
    group, scenes = load(text)
    uses = uses_of(scenes, group, reach_of(scenes, group))
    left = never_met(uses, group, (), verdict)
    assert (left is not None and left.run[0].lineno == 12) if lit else left is None


def test_what_lies_in_a_block_may_be_dark():
    group, scenes = load(HANDED.format(first="helper(x)"))
    verdict = Verification("symbolic", "identical", lit=((("a.py", "made"), ("a.py", "tested")),), dark=(("a.py", 11),))
    uses = uses_of(scenes, group, reach_of(scenes, group))
    scene = scenes.of("a.py")
    inside = next(use for _, use in uses if use.run[0].lineno == 11)
    block = WrapStatements(scene.span(inside.run[0]), scene.span(inside.run[0]), "torch.no_grad()")
    assert never_met(uses, group, (), verdict) == inside
    assert never_met(uses, group, (("a.py", (block,)),), verdict) is None


def load(text: str):
    loaded = load_project(project(text), Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    (site,) = find(Program(loaded.modules))
    (group,) = grouped(scenes, [Decision(site, None, message="")])
    return group, scenes
