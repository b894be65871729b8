from __future__ import annotations

from alone import START, node, project
from voltfix.solver.halves import names_in, taken_by


def test_tensors_that_go_into_one_call():
    code = project(main=START + "def f(net, x, y):\n    a = Variable(x)\n    return net(a, Variable(y))")
    scope = code.tree("main.py").body[-1]
    first, second = (taken_by(code, "main.py", node(code, text), scope) for text in ("Variable(x)", "Variable(y)"))
    assert first & second


def test_what_flags_say_unless_that_is_a_constant():
    code = project(main="f(a=flag, b=True)")
    call = node(code, "f(a=flag, b=True)")
    assert names_in(call.keywords[:1]) == "flag"
    assert names_in(call.keywords[1:]) == ""
