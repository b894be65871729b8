from __future__ import annotations

from voltfix.model import Module, Options
from voltfix.solver.solving import _project, forget, not_reached, solve

TEXT = (
    "import torch\nfrom torch.autograd import Variable\n"
    "def f(net, x):\n    return net(Variable(x, volatile=True)).data\n"
)


def test_modules_in_and_a_plan_out():
    assert len(solve([Module("a.py", TEXT)], Options()).changes) == 1
    forget()


def test_without_time_every_site_is_named():
    (decision,) = not_reached([Module("a.py", TEXT)]).left
    assert decision.refusal.reason == "not-reached"
    forget()


def test_what_does_not_parse_holds_no_site():
    assert solve([Module("a.py", "def (:")], Options()).changes == ()
    forget()


def test_sites_outside_of_what_may_be_edited_are_solved_for_the_sake_of_those_inside_only():
    other = TEXT.replace("def f", "def g")
    modules = [Module("a.py", TEXT), Module("b.py", other)]
    assert solve(modules, Options(editable=frozenset({"c.py"}))).left == ()
    plan = solve(modules, Options(editable=frozenset({"a.py"})))
    assert len(plan.changes) == 1
    assert [decision.refusal.reason for decision in plan.left] == ["outside-paths"]
    forget()


def test_what_was_found_out_of_a_project_outlives_the_look_at_what_its_edits_make():
    before, after = [Module("a.py", TEXT)], [Module("a.py", TEXT.replace(", volatile=True", ""))]
    project = _project(before)
    made = _project(after)
    assert made is not project
    assert _project(before) is project
    assert _project([Module("a.py", "pass")]) is not made
    assert _project(after) is not made
    forget()
