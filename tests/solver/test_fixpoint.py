from __future__ import annotations

from alone import START, function, node, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.program.resolve import Project
from voltfix.solver.fixpoint import Fixpoint
from voltfix.solver.plan import Decider

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
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.back, self.head = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        x = Variable(self.back(x).data)
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
