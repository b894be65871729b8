"""A copied flag of a parameter that no call can hand anything volatile for."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider

CODE = """import torch
from torch.autograd import Variable


class Rater(torch.nn.Module):
    def rate(self, seen, move):
        before = FIRST
        odds = Variable(torch.ones(3, 1), volatile=move.volatile)
        return odds * self.by(seen)


class Twin:
    def rate(self, seen, move):
        return seen


class Other:
    def rate(self, seen):
        return seen


class Player:
    def __init__(self, rater):
        self.rater = rater
        self.kept = None

    def step(self, state, move):
        return self.rater.rate(SEEN, MOVE)

    def show(self, state):
        return self.rater.rate(Variable(state, requires_grad=True) * 2)

REST
"""
REASON = "copies the flag of a parameter that every call hands something made without one"


def goes(rest: str = "", first: str = "1", seen: str = "Variable(state.data)", move: str = "Variable(move)",
         replace: tuple[str, str] = ("", ""), *, package: bool = False) -> bool:
    """Does the copied flag go for that reason?"""
    text = CODE.replace("REST", rest).replace("FIRST", first).replace("SEEN", seen).replace("MOVE", move)
    code = project(main=text.replace(*replace))
    plan = Decider(code, find(code), Options(installable=package)).plan()
    return any(REASON in said for change in plan.changes for decision in change.decisions
               for said in decision.evidence)


@pytest.mark.parametrize("move", [
    "Variable(move)", "Variable(move, requires_grad=True)", "move=Variable(data=move)",
    "torch.autograd.Variable(move.data)", "Variable(torch.stack([move, move]))",
])
def test_a_copied_flag_goes_where_each_call_of_that_name_that_fits_hands_over_what_is_made_without_one(move):
    assert goes(move=move)


def test_what_is_handed_over_beside_it_may_be_a_constant_or_data():
    assert goes(seen="state.data")
    assert goes(seen="3")


@pytest.mark.parametrize("move", [
    "move", "Variable(move, volatile=self.quiet)", "Variable(move, False, True)", "Variable(*move)",
    "Variable(move) * state", "*[Variable(move)]", "**{'move': Variable(move)}", "Variable(move, **self.kinds)",
    "made(move)", "(x := Variable(move))", "Variable(move) if state is None else move",
])
def test_it_stays_where_a_call_may_hand_over_something_volatile(move):
    assert not goes(move=move)


@pytest.mark.parametrize("seen", ["state", "self.kept", "Variable(state, volatile=self.quiet)"])
def test_it_stays_where_something_else_may_be_volatile_that_the_function_may_write_into_it(seen):
    assert not goes(seen=seen)


@pytest.mark.parametrize("rest", [
    "def odd(rater, state, move):\n    return rater.rate(state, move)",
    "def odd(rater, state, move):\n    return Rater.rate(rater, state, move)",
    "def odd(rater, run):\n    return run(rater.rate)",
    "def odd(rater, state, move):\n    ask = rater.rate\n    return ask(state, move)",
    "def odd(rater, state, move):\n    return getattr(rater, 'rate')(state, move)",
    "def odd(rater, name, state, move):\n    return getattr(rater, name)(state, move)",
    "def odd(rater, end, state, move):\n    return getattr(rater, 'ra' + end)(state, move)",
    "from operator import methodcaller\n\n\ndef odd(rater, state, move):\n"
    "    return methodcaller('rate', state, move)(rater)",
    "from threading import Thread\n\n\ndef odd(rater, state, move):\n"
    "    Thread(target=rater.rate, args=(state, move)).start()",
    "class Below(Rater):\n    def rate(self, seen, move):\n        return super().rate(seen, move)",
    "class Below(Rater):\n    go = Rater.rate",
    "Other.rate = Rater.rate",
    "TABLE = {'rate': 1}\n\n\ndef odd(rater, state, move):\n    for key in TABLE:\n"
    "        getattr(rater, key)(state, move)",
])
def test_it_stays_where_another_way_leads_to_the_function(rest):
    assert not goes(rest)


@pytest.mark.parametrize("replace", [
    ("    def rate(self, seen, move):", "    @traced\n    def rate(self, seen, move):"),
    ("rate(self, seen, move)", "rate(self, seen, move=HELD)"),
    ("import Variable\n", "import Variable\nVariable = quiet(Variable)\n"),
    ("import Variable\n", "import Variable\nfrom mine import Variable\n"),
    ("import Variable\n", "import Variable\ntorch.autograd.Variable = quiet\n"),
    ("import Variable\n", "import Variable\n\n\ndef swap(made):\n    global Variable\n    Variable = made\n"),
    ("def rate(self, seen, move)", "def __getitem__(self, seen, move)"),
])
def test_it_stays_where_the_function_or_variable_is_not_what_it_looks_like(replace):
    assert not goes(replace=replace)


@pytest.mark.parametrize("first", [
    "move = seen", "0\n        for move in seen: pass", "0\n        move = move + self.kept",
    "0\n        with seen as move: pass",
])
def test_it_stays_where_the_name_of_the_parameter_is_bound_again(first):
    assert not goes(first=first)


WARM = "def warm(rater, x):\n    rater.cache = Variable(x, volatile=True)"


@pytest.mark.parametrize("first", [
    "move.add_(self.cache)", "0\n        move += self.cache", "0\n        move[0] = self.cache",
    "self.fill(move)", "fill(move, self)", "0\n        alias = move\n        alias.mul_(self.cache)",
    "0\n        move.volatile = True", "0\n        move.volatile = seen is None",
])
def test_it_stays_where_the_function_itself_may_make_it_volatile(first):
    fill = "    def fill(self, into):\n        into.add_(self.cache)\n\n    def rate(self, seen, move):\n        before"
    alone = "\n\n\ndef fill(into, of):\n    into.copy_(of.cache)"
    assert not goes(WARM + alone, first, replace=("    def rate(self, seen, move):\n        before", fill))


def test_what_the_function_reads_of_its_object_may_be_volatile_beside_it():
    assert goes(WARM, "self.cache * 2")


def test_it_stays_in_a_function_of_a_package_that_others_may_call():
    assert not goes(package=True)


def test_it_stays_where_nobody_calls_the_function():
    assert not goes(replace=("self.rater.rate(", "self.rater.other("))
