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
