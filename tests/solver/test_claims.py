from __future__ import annotations

from alone import START, function, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.program.calls import by_python
from voltfix.solver.plan import Decider

TEXT = START + """
def _make(x):
    return Variable(x, volatile=True)

def f(net, x):
    return net(_make(x)).data
"""


def test_a_function_whose_only_mention_is_a_call_in_view_has_no_unseen_caller():
    code = project(main=TEXT)
    case = Decider(code, find(code), Options())
    case.plan()
    assert case.callers.unseen(function(code, "_make")) is None


def test_a_function_that_is_handed_over_may_be_called_by_others():
    code = project(main=TEXT + "\nregister(_make)\n")
    case = Decider(code, find(code), Options())
    case.plan()
    assert case.callers.unseen(function(code, "_make")) is not None


def test_what_python_calls_by_itself():
    assert [by_python(name) for name in ("__iter__", "forward", "__init__", "run")] == [True, True, False, False]
