from __future__ import annotations

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
