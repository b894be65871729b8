from __future__ import annotations

import pytest

from alone import START, function, node, project
from voltfix.flags.handed import Handed
from voltfix.flags.propagation import Passing

TO_VAR = START + "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n\n"
RUN = "def run(make, x):\n    return make(x, volatile=True)\n\n"


def handed(text: str, name: str = "run") -> bool:
    code = project(main=TO_VAR + RUN + text)
    found = Handed(code, Passing(code).fills_arguments)
    found.add([function(code, "to_var")])
    return found.to(function(code, name))


@pytest.mark.parametrize(
    "text",
    ["run(to_var, x)", "run(make=to_var, x=1)", "run(Variable, x)", "h = to_var\nrun(h, x)", "go = run\ngo(to_var, x)",
     "run(a or to_var, x)", "import torch.autograd as ag\nrun(ag.Variable, x)",
     "from functools import partial\nh = partial(to_var, volatile=True)\nrun(h, x)",
     "class Mine(Variable): pass\nrun(Mine, x)"],
)
def test_what_takes_a_flag_is_handed_over(text):
    assert handed(text)


@pytest.mark.parametrize(
    "text",
    ["run(other, x)", "run(to_var(x), x) if False else other(x)", "other(to_var)\nrun(net, x)", "to_var(x)\nrun(1, x)",
     "h = to_var(x)\nrun(h, x)"],
)
def test_a_call_that_hands_over_nothing_of_the_kind_is_not_asked(text):
    assert handed(text) is ("run(to_var(x)" in text)  # the name stands in an argument: that is not looked into


@pytest.mark.parametrize(
    "text",
    ["run(to_var, 1)", "h = to_var\nrun(h, 1)", "from functools import partial\nh = partial(to_var, x=1)\nrun(h, 1)",
     "run(lambda x, volatile: Variable(x, volatile=volatile), 1)", "class Make:\n    def __call__(self, x, volatile):\n"
     "        return Variable(x, volatile=volatile)\nm = Make()\nrun(m, 1)"],
)
def test_flags_come_through_parameters_that_are_called(text):
    code = project(main=TO_VAR + RUN + text)
    call = node(code, "make(x, volatile=True)")
    assert "volatile" in code.computed(Passing).of_call("main.py", call)[0].keywords  # type: ignore[arg-type]


def test_a_default_is_handed_over_by_nobody():
    code = project(main=START + "def run(x, make=Variable):\n    return make(x, volatile=True)\n\nrun(1)")
    call = node(code, "make(x, volatile=True)")
    assert "volatile" in code.computed(Passing).of_call("main.py", call)[0].keywords  # type: ignore[arg-type]
