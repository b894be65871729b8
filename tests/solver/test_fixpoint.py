from __future__ import annotations

import ast

import pytest

from alone import START, function, node, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.program.resolve import Project
from voltfix.solver.fixpoint import Fixpoint, only_computes
from voltfix.solver.plan import Decider
from voltfix.solver.roots import Setting

SOURCE = START + """
def make(x):
    return Variable(x, volatile=True)

def evaluate(net, x):
    return net(make(x)).data
"""


def begun(code: Project) -> Fixpoint:
    return Fixpoint(code, [("main.py", node(code, "Variable(x, volatile=True)"))], frozenset(), frozenset())


def test_the_first_phase_finds_the_roots_and_refuses_nothing():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    fixpoint.discover()
    roots = {body.qualname for body in fixpoint.outcome.bodies.values()}
    assert {"make", "evaluate"} <= roots
    assert fixpoint.outcome.refused == {}


def test_the_second_phase_plans_blocks():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    planned = fixpoint.setting.planned[id(function(code, "evaluate").node)]
    assert planned.blocks or planned.wrapped or planned.whole
    assert fixpoint.outcome.planned == {}


def test_the_third_phase_looks_at_all_of_it_once_more():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    outcome = fixpoint.settle()
    assert outcome.planned is fixpoint.setting.planned
    assert outcome.refused == {}


def test_a_gradient_that_is_asked_of_a_volatile_value_is_refused_in_the_second():
    code = project(main=START + "def f(net, x):\n    net(Variable(x, volatile=True)).backward()")
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    assert [reason for reason, _ in fixpoint.outcome.refused.values()] == ["gradient-demanded"]


def test_a_caller_waits_for_the_plan_of_a_function_that_a_refusal_took_away():
    code = project(main=START + """
class Tagger(torch.nn.Module):
    def forward(self, words):
        print(self.head(Variable(words.data, volatile=True)).data)
        return self.score(words)

    def score(self, words):
        seen = self.body(Variable(words, volatile=True))
        return self.head(Variable(seen.data))
""")
    sites = [("main.py", node(code, text)) for text in ("Variable(words.data, volatile=True)",
                                                        "Variable(words, volatile=True)")]
    fixpoint = Fixpoint(code, sites, frozenset(), frozenset())
    fixpoint.discover()
    callee, call = function(code, "Tagger.score").node, node(code, "self.score(words)")
    machine = fixpoint.outcome.machines[id(function(code, "Tagger.forward").node)]
    fact = next(f for f in machine.facts if f.chain[0] is call and f.sites)
    assert fixpoint.hand_down(fact, machine) == "new"
    fixpoint.run_all()
    assert fixpoint.hand_down(fact, machine) is None  # it was asked, and this is what it plans
    fixpoint.refuse([("elsewhere.py", 1, 0)], "not-provable", "something else")
    assert id(callee) not in fixpoint.setting.planned
    assert fixpoint.hand_down(fact, machine) == "waiting"
    fixpoint.setting.plans.clear()
    fixpoint.run_all()
    assert fixpoint.hand_down(fact, machine) is None


CUT_INSIDE = """
def plain(x):
    return x.data

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.back, self.head = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        x = Variable(plain(self.back(x)))
        return self.head(x)

def look(net, other, data):
    y = net(Variable(data, volatile=True))
    return other(y)

def train(other, data):
    look(Net(), other, data).sum().backward()
"""


def test_a_graph_that_a_block_would_drop_is_that_of_the_line_that_makes_it():
    text = START + "import torch.nn as nn\n" + CUT_INSIDE
    code = project(main=text)
    (decision,) = Decider(code, find(code), Options()).plan().left
    line = 1 + text.split("\n").index("        return self.head(x)")
    assert decision.message == f"needs a block that would drop the graph that main.py:{line} makes"


@pytest.mark.parametrize("text", [
    "lambda x: x", "lambda x, y: x + y", "lambda *x, k: (x, -k, 1) if not k else [x == 2]", "lambda: None"])
def test_a_lambda_that_computes_with_its_parameters_shows_nothing_alone(text):
    assert only_computes(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize("text", [
    "lambda x: y", "lambda x: f(x)", "lambda x: x.data", "lambda x: x[0]", "lambda x=make(): x", "lambda *, k=z: k",
    "lambda x: (y := x)", "lambda x: [z for z in x]", "lambda x: lambda: x", "lambda x: (yield x)", "lambda x: f'{x}'"])
def test_a_lambda_that_does_more_is_looked_at(text):
    assert not only_computes(ast.parse(text, mode="eval").body)


def runs_for(count: int, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often something is run, of a project with a list of so many lambdas in which a module's name is a word."""
    ran: list[str] = []
    attempt = Setting.attempt
    with monkeypatch.context() as patch:
        patch.setattr(Setting, "attempt", lambda self, body, *args, **kwargs: (
            ran.append(body.qualname), attempt(self, body, *args, **kwargs))[1])
        code = project(main=SOURCE + "\nrows = make(torch.rand(2))\n",
                       other="def layers():\n    return [" + text * count + "]\n")
        begun(code).settle()
    return len(ran)


def test_lambdas_that_only_compute_are_no_roots_for_a_word(monkeypatch):
    """Each root in a function has that run around it: a table of thousands took as many runs of all of it."""
    few, many = (runs_for(count, "lambda rows: rows + 1, ", monkeypatch) for count in (2, 40))
    assert few == many
    assert runs_for(40, "lambda rows: rows.sum(), ", monkeypatch) >= many + 40


def test_a_lambda_that_something_else_asks_for_than_a_word_is_a_root():
    """Such as an operator in it, which may run a method."""
    code = project(main=SOURCE + "\nrows = make(torch.rand(2))\nadd = lambda rows, other: rows + other\n")
    fixpoint = begun(code)
    lamb = node(code, "lambda rows, other: rows + other")
    place = "main.py", node(code, "rows + other")
    assert fixpoint.add(*place, mentioned=True)
    assert not fixpoint.add(*place, mentioned=True)
    assert id(lamb) not in fixpoint.outcome.bodies
    assert fixpoint.add(*place)
    assert id(lamb) in fixpoint.outcome.bodies
    assert not fixpoint.add(*place, mentioned=True)
    assert not fixpoint.plain


HANDED_ON = START + """
def make(x):
    return Variable(x, volatile=True)

def train(net, x):
    net(make(x)).backward()
"""


def test_a_root_is_let_go_when_all_that_comes_to_it_is_refused():
    code = project(main=HANDED_ON)
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    assert [reason for reason, _ in fixpoint.outcome.refused.values()] == ["gradient-demanded"]
    assert {body.qualname for body in fixpoint.outcome.bodies.values()} == {"make"}
    assert set(fixpoint.outcome.machines) == {id(function(code, "make").node)}


def test_a_root_stays_while_something_that_comes_to_it_is_not_refused():
    code = project(main=HANDED_ON + """
def other(x):
    return Variable(x, volatile=True)

def both(net, x):
    net(other(x)).sum()
    net(make(x)).backward()
""")
    places = [call for call in ast.walk(code.tree("main.py")) if isinstance(call, ast.Call)
              and any(word.arg == "volatile" for word in call.keywords)]
    fixpoint = Fixpoint(code, [("main.py", place) for place in places], frozenset(), frozenset())
    fixpoint.discover()
    fixpoint.refine()
    assert len(fixpoint.outcome.refused) == 1
    assert {body.qualname for body in fixpoint.outcome.bodies.values()} == {"make", "other", "both"}


def test_what_has_a_site_of_its_own_stays_a_root_though_it_is_refused():
    code = project(main=START + "def train(net, x):\n    net(Variable(x, volatile=True)).backward()")
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    assert {body.qualname for body in fixpoint.outcome.bodies.values()} == {"train"}


def test_a_root_that_refused_values_led_to_comes_back_with_another_value():
    code = project(main=HANDED_ON)
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    fixpoint.reach({"make"}, {("main.py", 99, 0)})
    assert {body.qualname for body in fixpoint.outcome.bodies.values()} == {"make", "train"}


def test_roots_that_lead_to_each_other_are_run_before_all_are_run_again(monkeypatch):
    chain = "\n".join(f"def f{n}(x):\n    return f{n - 1}(x)\n" for n in range(1, 8))
    code = project(main=START + "def f0(x):\n    return Variable(x, volatile=True)\n\n" + chain)
    made = []
    attempt = Setting.attempt
    monkeypatch.setattr(Setting, "attempt", lambda self, body, *args, **kw: (
        made.append(body.qualname), attempt(self, body, *args, **kw))[1])
    begun(code).discover()
    assert made[:8] == [f"f{n}" for n in range(8)]
