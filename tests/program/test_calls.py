from __future__ import annotations

import ast

import pytest

from alone import function, node, project
from voltfix.program import calls
from voltfix.program.calls import CallGraph, attributes_of, fits, required
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound


def test_a_method_of_an_unknown_object_is_a_possible_edge():
    code = project(main="class A:\n    def run(self, x): pass\ndef g(a):\n    a.run(1)\n    a.run(1, 2)")
    graph = code.computed(CallGraph)
    found, _ = graph.targets("main.py", node(code, "a.run(1)"))
    assert [each.qualname for each in found] == ["A.run"]
    assert graph.targets("main.py", node(code, "a.run(1, 2)"))[0] == []


def test_a_function_trains_where_something_in_it_goes_backward():
    code = project(main="def step(loss): loss.backward()\ndef over(loss): step(loss)\ndef quiet(x): return x")
    graph = code.computed(CallGraph)
    assert [graph.trains(function(code, name)) for name in ("step", "over", "quiet")] == [True, True, False]


DEC = """
class Dec(Module):
    def forward(self, t, x, h): self.fc(x).sum().backward()
class Quiet(Module):
    def forward(self, x): return self.fc(x)
"""


@pytest.mark.parametrize("body", [
    "class Net(Module):\n    def __init__(self): self.dec = Dec()\n    def run(self, x): return self.dec(x, x, None)",
    "class Net:\n    def __init__(self, dec): self.dec = dec\n    def run(self, x): return self.dec(x, x, None)",
    "class Net:\n    def run(self, x):\n        dec = Dec()\n        return dec(x, x, None)",
    "class Net:\n    def run(self, dec, x): return dec(x, x, h=None)",
    "class Net:\n    def run(self, nets, x): return nets.view(x, x, 3)\ndef keep(nets): nets.view = Dec()",
    "class Net:\n    def run(self, nets, x): return nets.view(x, x, 3)\ndef keep(nets): setattr(nets, 'view', Dec())",
    "class Net:\n    def run(self, nets, x): return nets.view(x, x, 3)\nkeep(view=Dec())",
    "class Low(Dec): pass\nclass Net:\n    def __init__(self): self.n = Low()\n    def run(self, x): self.n(x, x, 1)",
])
def test_a_function_trains_where_an_object_that_it_calls_may_train_when_it_is_called(body: str):
    code = project(main=DEC + body)
    assert code.computed(CallGraph).trains(function(code, "Net.run"))


@pytest.mark.parametrize("body", [
    "class Net(Module):\n    def __init__(self): self.q = Quiet()\n    def run(self, t, x, h): return self.q(x)",
    "class Net(Module):\n    def __init__(self): self.q = Quiet()\n    def run(self, x): return self.q(x, x, None)",
    "class Net(Module):\n    def __init__(self, dec): self.dec = dec\n    def run(self, x): return self.dec(x)",
    "class Net(Module):\n    def __init__(self): self.dec = Dec()\n    def run(self, x): return self.dec.fc(x)",
    "import made\nclass Net:\n    def run(self, x): return made(x, x, None)",
    "class Net:\n    def run(self, x): return print(x, x, None)",
    "class Net:\n    def run(self, x): return x.view(x, x, 3)",
    "class Net:\n    def run(self, x): return '{}{}{}'.format(x, x, 1)\nlog(format='%d')",
    "import nn\nclass Net:\n    def __init__(self): self.n = nn.GRU(3)\n    def run(self, x): return self.n(x, x, 1)",
])
def test_it_does_not_where_the_object_is_another_or_does_not_fit(body: str):
    code = project(main=DEC + body)
    assert not code.computed(CallGraph).trains(function(code, "Net.run"))


def test_arguments_have_to_fit():
    f = function(project(main="def f(a, b, c=1): pass"), "f").node
    call = node(project(main="f(1)"), "f(1)")
    assert required(f) == 2
    assert not fits(f, call, 0)
    assert fits(f, call, 1)


@pytest.mark.parametrize(("header", "call", "filled", "able"), [
    ("a, b, c=1", "f(1, 2, b=3)", 0, False),
    ("a, b, c=1", "f(1, b=3)", 1, False),
    ("a, b, c=1", "f(2, c=3)", 1, True),
    ("a, b, **more", "f(1, 2, b=3)", 0, False),
    ("a, /, **more", "f(1, a=3)", 0, True),
    ("a, *rest, b", "f(1, 2, b=3)", 0, True),
    ("a, b", "f(*x, b=3)", 0, True),
    ("a, b", "f(1, **x)", 0, True),
])
def test_a_parameter_that_has_an_argument_takes_no_other(header: str, call: str, filled: int, able: bool):
    f = function(project(main=f"def f({header}): pass"), "f").node
    written = node(project(main=call), call)
    assert isinstance(written, ast.Call)
    assert fits(f, written, filled) is able


def attributes(source: str, called: str) -> frozenset[str] | None:
    code = project(main=source)
    found = node(code, called)
    assert isinstance(found, ast.Call)
    return attributes_of(code, Rebound(code, Index(code.paths)), "main.py", found.func)


def test_what_is_called_is_named_by_the_attributes_that_it_was_read_from():
    assert attributes("x.run(1)", "x.run(1)") == {"run"}
    assert attributes("f = x.run if y else x.walk\nf(1)", "f(1)") == {"run", "walk"}
    assert attributes("f = x.run\ng = f\ng(1)", "g(1)") == {"run"}


def test_what_is_called_can_be_anything_where_more_than_attributes_is_bound():
    assert attributes("f = x.run\nf = y[0]\nf(1)", "f(1)") is None
    assert attributes("def g(f):\n    f(1)", "f(1)") is None
    assert attributes("f = f\nf(1)", "f(1)") is None
    assert attributes("f = x.run\ndef g(main):\n    main.f = other\nf(1)", "f(1)") is None
    assert attributes("f = x.run\ndef g():\n    global f\n    f = other\nf(1)", "f(1)") is None


def test_the_names_of_a_loop_over_written_strings_are_all_that_is_asked_for():
    source = "for k in ('a', 'b'):\n    getattr(x, k)\nfor n in names:\n    getattr(x, n)"
    asked = {ast.unparse(b.node): b for b in project(main=source).computed(CallGraph).built_names()}
    assert asked["getattr(x, k)"].may_be("a")
    assert not asked["getattr(x, k)"].may_be("c")
    assert asked["getattr(x, n)"].may_be("c")


def test_what_an_unknown_object_runs_is_looked_for_once_a_shape_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not for every call of one: a project of many networks has many of both."""
    tried: list[ast.Call] = []
    fits = calls.fits
    monkeypatch.setattr(calls, "fits", lambda node, call, filled: (tried.append(call), fits(node, call, filled))[1])

    def looks(count: int) -> int:
        tried.clear()
        networks = "".join(
            f"class Net{n}:\n    def forward(self, x, y=1):\n        return self.part(x)\n" for n in range(4))
        asked = "".join(f"def f{n}(net, x):\n    net(x)\n    net(x, y=2)\n    return net(*x)\n" for n in range(count))
        code = project(main=networks + asked)
        CallGraph(code).trains(next(iter(code.functions())))
        return len(tried)

    assert looks(40) == looks(2)


@pytest.mark.parametrize("text", ["f(a)", "f(a, b)", "f(*a)", "f(a, y=1)", "f(a, z=1)", "f(a, **k)", "f()"])
def test_calls_of_one_shape_fit_the_same_functions(text: str) -> None:
    call = ast.parse(text, mode="eval").body
    other = ast.parse(text.replace("a", "other[0](1)").replace("=1", "=None"), mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(other, ast.Call)
    assert calls.shape_of(call) == calls.shape_of(other)
    for given in ("self, x", "self, x, y=0", "self, *rest", "self, x, *, y", "self, x, **more"):
        function = ast.parse(f"def f({given}): pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        assert calls.fits(function, call, 1) == calls.fits(function, other, 1)
