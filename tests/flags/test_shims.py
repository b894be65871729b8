from __future__ import annotations

import pytest

from alone import START, node, project
from voltfix.flags.shims import is_shim

CHOICE = """
def f(x):
    if {test}:
        {new}
    else:
        return Variable(x, volatile=True)
"""


def decided(test: str, new: str) -> bool:
    code = project(main=START + CHOICE.format(test=test, new=new))
    return is_shim(code, "main.py", node(code, "Variable(x, volatile=True)"))


def test_an_arm_for_old_versions_is_a_shim():
    assert decided("hasattr(torch, 'no_grad')", "return x")
    assert decided("torch.__version__ >= '0.4'", "return x")


def test_an_arm_beside_one_that_uses_no_grad_is_one():
    assert decided("fast", "with torch.no_grad(): return x")


def test_an_arm_of_any_other_condition_is_none():
    assert not decided("fast", "return x")


def test_what_a_version_does_not_decide_today_is_no_choice_between_versions():
    assert not decided("torch.__version__[:3] == '0.4' or fast", "return x")
    assert not decided("torch.__version__ >= '0.4' and fast", "return x")
    assert not decided("fast or (torch.__version__.startswith('0.4') or slow)", "return x")


def test_what_a_version_or_a_name_may_still_decide_is_one():
    assert decided("hasattr(torch, 'no_grad') or fast", "return x")
    assert decided("torch.__version__[:3] == known or fast", "return x")
    assert decided("torch.__version__ >= '0.4' or fast", "return x")


AFTER = """
def f(x, fast):
    if {test}:
        {new}
    x = x.cuda()
    return Variable(x, volatile=True)
"""


def left_over(test: str, new: str) -> bool:
    code = project(main=START + AFTER.format(test=test, new=new))
    return is_shim(code, "main.py", node(code, "Variable(x, volatile=True)"))


def test_what_follows_the_return_for_new_versions_is_a_shim():
    assert left_over("torch.__version__ >= '0.4'", "return Variable(x)")
    assert left_over("hasattr(torch, 'no_grad')", "return x")
    assert left_over("not torch.__version__ < '0.4'", "return x")


def test_what_follows_another_return_or_no_return_is_none():
    assert not left_over("fast", "return x")
    assert not left_over("torch.__version__ < '0.2'", "return x")
    assert not left_over("not hasattr(torch, 'no_grad')", "return x")
    assert not left_over("torch.__version__ >= '0.4'", "return")
    assert not left_over("torch.__version__ >= '0.4'", "x = x + 1")
    assert not left_over("torch.__version__ < '0.2'", "raise RuntimeError('too old')")
    assert not left_over("torch.__version__ >= '0.4'", "return x\n    else:\n        x = x + 1")


@pytest.mark.parametrize("test", [
    "torch.__version__ == '0.4.0'", "torch.__version__[:3] == '0.4'", "torch.__version__.startswith('0.4')",
    "'0.4.' in torch.__version__", "int(torch.__version__.split('.')[0]) == 0", "torch.__version__[0] == '0'",
    "torch_version.minor > 3 and torch_version.major == 0", "not torch.__version__ >= '0.4'",
    "torch_version[0] < 1 and torch_version[1] >= 4",
])
def test_an_arm_that_today_s_torch_takes_is_none_for_older_versions(test):
    """The author asked for 0.4 alone: what he has for all other versions is what runs."""
    assert not decided(test, "with torch.no_grad(): return x")
    assert not decided(test, "return x")


@pytest.mark.parametrize("test", [
    "torch.__version__ >= '0.4'", "torch.__version__ != '0.3.0'", "int(torch.__version__.split('.')[0]) > 0",
    "torch_version.minor > 3 or torch_version.major > 0", "not torch.__version__.startswith('0.3')",
    "torch_version.minor > 3", "torch_version.minor > 3 and small", "torch_version.major > 3",
    "torch.__version__.split('.')[1] == '0'", "torch.__version__ == wanted", "'0.4' in torch.__version__",
    "hasattr(torch, 'no_grad')",
])
def test_an_arm_that_today_s_torch_leaves_or_of_which_nobody_knows_is_one(test):
    assert decided(test, "with torch.no_grad(): return x")


KEPT = """
def asked():
    return torch.__version__
NEW = _torch_version.minor > 3 and _torch_version.major == 0
class Base(object):
    def __init__(self):
        self.use_no_grad = NEW
        {more}
class Runner(Base):
    def run(self, x):
        if self.use_no_grad:
            with torch.no_grad():
                return self.net(Variable(x))
        else:
            return self.net(Variable(x, volatile=True))
"""


def test_an_answer_that_is_kept_on_the_object_is_the_same_answer():
    for more, kept in (("pass", False), ("self.use_no_grad = True", True), ("self.use_no_grad = asked()", True)):
        code = project(main=START + KEPT.format(more=more))
        assert is_shim(code, "main.py", node(code, "Variable(x, volatile=True)")) is kept


NAMED = """
from torch import __version__
from numpy import __version__ as of_numpy
{outer}
def f(x, fast, given):
    {inner}
    if {test}:
        return x
    else:
        return Variable(x, volatile=True)
"""
ASKED = "int(parts[0]) > 0 or int(parts[1]) >= 4"


def named(test: str, inner: str = "pass", outer: str = "") -> bool:
    code = project(main=START + NAMED.format(outer=outer, inner=inner, test=test))
    return is_shim(code, "main.py", node(code, "Variable(x, volatile=True)"))


@pytest.mark.parametrize("bound", [
    "parts = __version__.split('.')", "parts = torch.__version__.split('.')", "parts = str(__version__).split('.')",
])
def test_a_name_that_is_made_of_the_version_asks_for_it(bound: str):
    assert named(ASKED, inner=bound)
    assert named(ASKED, outer=bound)
    assert named("__version__ >= '0.4'")
    assert named("int(first) > 0", inner=f"{bound}; first = parts[0]")
    assert not named("int(parts[0]) == 0 and int(parts[1]) >= 4", inner=bound)  # today's torch leaves that arm


@pytest.mark.parametrize("bound", [
    "parts = of_numpy.split('.')", "parts = given", "parts = given.__version__.split('.')",
    "parts = torch.__version__.split('.')\n    parts = given", "parts = [torch.__version__, of_numpy.__version__]",
    "for parts in given: pass",
])
def test_a_name_that_may_be_something_else_asks_for_nothing(bound: str):
    assert not named(ASKED, inner=bound)
