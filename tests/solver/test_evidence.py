from __future__ import annotations

import pytest

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options, SiteKind
from voltfix.solver.plan import Decider


def test_a_flag_that_goes_without_a_block_says_why():
    code = project(main=START + "def f(x):\n    v = Variable(x, volatile=True)\n    return v.data")
    (change,) = Decider(code, find(code), Options()).plan().changes
    (decision,) = change.decisions
    assert decision.strategy == "drop"
    assert decision.evidence


WRAPPED = """
def wrapped(x, test=False):
    if test:
        x = x + 1
        return Variable(x, volatile=True)
    return Variable(x)

def learn(net, data):
    net(wrapped(data)).sum().backward()

"""


def said_of(code: str) -> str:
    found = project(main=START + code)
    (change,) = Decider(found, find(found), Options()).plan().changes
    return next(each.message for each in change.decisions if each.site.kind is SiteKind.ARGUMENT)


def test_a_flag_that_callers_leave_off_is_no_tensor_that_nothing_computes_with():
    assert said_of(WRAPPED) == "removed volatile=True: every call leaves it off"


@pytest.mark.parametrize("line", [
    "def look(data):\n    return wrapped(data, test=True).data",
    "def look(data, test):\n    return wrapped(data, test=test).data",
])
def test_a_flag_that_a_caller_sets_is_one_that_is_asked_for(line: str):
    assert said_of(WRAPPED + line) == "removed volatile=True: nothing computes with the tensor"


def test_a_tensor_that_stays_in_its_function_hangs_on_no_caller():
    code = WRAPPED.replace("return Variable(x, volatile=True)", "return Variable(x, volatile=True).data")
    assert said_of(code) == "removed volatile=True: nothing computes with the tensor"


@pytest.mark.parametrize(("line", "named"), [
    ("w = v * 2", "operator *"), ("w = 3 - v", "operator -"), ("w = -v", "operator -"), ("w = v // 2", "operator //"),
    ("w = v > 2", "operator >"), ("w = v[0]", "indexing"), ("w = v.view(3)", "v.view"),
])
def test_what_takes_a_tensor_is_called_as_it_is_written(line: str, named: str):
    said = said_of(f"def f(x):\n    v = Variable(x, volatile=True)\n    {line}\n    return w.data")
    assert said == f"removed volatile=True: it changes nothing here, only {named} takes the tensor"


HANDED = "def batch(x, cuda):\n    v = Variable(x, volatile=True)\n    return v.cuda() if cuda else v\n\n\n"


@pytest.mark.parametrize(("caller", "named"), [
    ("def look(x):\n    print(batch(x, True).size())", "v.cuda and callers take"),
    ("def look(x):\n    return batch(x, False).data", "v.cuda and callers take"),
])
def test_who_is_handed_a_tensor_takes_it_too(caller: str, named: str):
    assert said_of(HANDED + caller) == f"removed volatile=True: it changes nothing here, only {named} the tensor"


def test_what_a_function_does_with_a_tensor_that_stays_in_it_is_all_that_is_named():
    said = said_of(HANDED.replace("return v.cuda() if cuda else v", "return v.cuda().size()"))
    assert said == "removed volatile=True: it changes nothing here, only v.cuda takes the tensor"


def test_a_flag_whose_condition_never_holds_is_said_to_be_off():
    said = said_of("def f(x):\n    off = False\n    return Variable(x, volatile=off)")
    assert said == "removed volatile=off: it is False on every path"
