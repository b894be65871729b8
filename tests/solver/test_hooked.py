from __future__ import annotations

import ast

import pytest

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options, SiteKind
from voltfix.solver.hooked import answered_by, position, reached_by_hooks, runs_as_hook
from voltfix.solver.plan import Decider

HOOK = START + """
def seen(x):
    return len(x)


def note(layer, given):
    if given[0].volatile:
        seen(given)


def look(net, data):
    net.register_forward_pre_hook(note)
    x = Variable(data, volatile=True)
    return net(GIVEN).data
"""


def decided(given: str = "x", code: str = HOOK) -> tuple[Decider, str, ast.AST]:
    """A case that is decided, with the read in it."""
    there = project(main=code.replace("GIVEN", given))
    case = Decider(there, find(there), Options())
    case.plan()
    read = next(site for site in case.sites if site.kind is SiteKind.READ)
    return case, read.path, case.node_of(read)


def test_hooks_reach_what_they_call():
    case, _, _ = decided()
    assert {getattr(node, "name", "") for node in reached_by_hooks(case)} == {"note", "seen"}


def test_what_layers_run_is_what_is_registered_and_what_is_handed_about():
    assert runs_as_hook(*decided())
    assert runs_as_hook(*decided(code=HOOK.replace("(note)", "(HOOKS[0])") + "\n\nHOOKS = [note]\n"))
    assert not runs_as_hook(*decided(code=HOOK.replace("net.register_forward_pre_hook(note)", "note(net, [data])")))


def test_the_flags_whose_blocks_answer_a_hook_are_those_that_come_to_layers():
    assert {line for _, line, _ in answered_by(*decided()) or ()} == {16}


@pytest.mark.parametrize("given", ["Variable(data), x", "x, Variable(data)", "net.start(), x"])
def test_nothing_answers_a_hook_where_unknown_code_is_given_something_else_in_a_block(given: str):
    case, _, _ = decided(given)
    assert {refusal.reason for refusal in case.refusals.values()} == {"volatile-read", "forward-hook"}


@pytest.mark.parametrize(("asked", "at"), [
    ("given[0].volatile", 0), ("given[1].volatile", 1), ("layer[0].volatile", None), ("given.volatile", None),
])
def test_a_hook_asks_for_the_argument_of_a_layer_by_its_number(asked: str, at: int | None):
    assert position(*decided(code=HOOK.replace("given[0].volatile", asked))) == at
