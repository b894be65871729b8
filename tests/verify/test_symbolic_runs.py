# ruff: noqa: E501 (rows of statements)
"""One run of a function on stand-ins: what it gives, what it decides, what code outside sees of it, how it ends."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore, standin  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402
from voltfix.verify.symbolic.run import Seen, run  # noqa: E402
from voltfix.verify.symbolic.world import StandInError, World, enter  # noqa: E402

HEAD = """from __future__ import annotations
import collections, contextlib, functools, itertools, nowhere
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
"""
TOP = """
class Box:
    def __init__(self, a, b=2):
        self.a, self.b = a, b
    def __getitem__(self, i):
        return [self.a][i]
    def m(self, a, b, k=1):
        return [a, b, k]
    @classmethod
    def c(cls):
        return super().missing(1)
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.size = nn.Linear(2, 2), 3
    def forward(self, a, b):
        return [a, b]
class More(nowhere.Base):
    def forbidden(self):
        return '{0.f_globals}'.format(super())
class Wrong(nowhere.Error, Exception):
    def say(self):
        return super().missing
class Both(Box, nowhere.Other, nowhere.Third):
    pass
class Endless:
    def __getitem__(self, i):
        return i
def two(a, b):
    return [a, b]
"""
PARAMETERS = "net, data, other, n, m, things, show"


def ran(inside: str, top: str = "", files: dict[str, str] | None = None, **given: Any) -> Seen:
    """One run of a function with these lines in it; ``given``: what the run's world is set to."""
    text = f"{HEAD}{TOP}{top}\ndef f({PARAMETERS}):\n{textwrap.indent(inside, '    ')}\n"
    world = World(**{"legacy": True, "modern": False, "decisions": {}, **given})
    return run(Side({"a.py": text, **(files or {})}), Unit("a.py", "f"), world, frozenset())


def result(expression: str, **given: Any) -> Any:
    seen = ran(f"return {expression}", **given)
    assert (seen.error, seen.stopped) == (None, None), seen.message
    return seen.result


# an expression, and what it has to be the same as
SAME = r"""
type(n)(things)                         | things
type(n)(iter([1, 2]))                   | [1, 2]
type(n)()                               | n.new
n.__class__.thing                        | n.thing
type(n).thing                           | n.thing
{type(n): 1}[type(n)]                   | 1
str(type(n))                            | repr(n.__class__)
'%s' % type(n) == f'{type(n)}'          | True
' at 0x' in str(type(n))                | False
str(type(n)) == str(type(m))            | False
str(type(nn.Linear(2, 2)))              | "<class 'Linear'>"
type(3) == int                          | True
int == int                              | True
type(3) is int                          | True
type(3) is float                        | False
{int: 'a', float: 'b'}[type(0.5)]       | 'b'
isinstance(3, (str, int))               | True
isinstance(3, float)                    | False
isinstance(Variable(n), Variable)       | True
isinstance(Variable(n), list)           | False
type(Variable(n)) == Variable           | True
torch.Tensor == Variable                | False
torch.Tensor != Variable                | True
isinstance(nn.Linear(2, 2), nn.Linear)  | True
isinstance(nn.Linear(2, 2), nn.Module)  | True
isinstance(nn.Linear(2, 2), nn.ReLU)    | False
issubclass(Both, Box)                   | True
issubclass(Box, Both)                   | False
torch.is_tensor(3)                      | False
torch.is_tensor(Variable(n))            | True
torch.Tensor[n] is torch.Tensor         | True
torch.jit.script(two)(1, 2)             | [1, 2]
Box(*things).a                          | things[0]
Box(*things).b                          | 2
(lambda box: box.m(*n))(Box(1))         | [n[0], n[1], 1]
(lambda part: part(*n))(Part())         | [n[0], n[1]]
(lambda part: part(n, *n))(Part())      | [n, n[0]]
list(Endless())                         | [0, 1]
getattr(More(), '__custom__', 3)        | 3
two(*things)                            | [things[0], things[1]]
two(1, *things)                         | [1, things[0]]
list(Box(5))                            | [5]
getattr(Box(1), 'missing', 3)           | 3
hasattr(Box(1), 'missing')              | False
hasattr(Box(1), 'a')                    | True
vars(Box(1))                            | {'a': 1, 'b': 2}
[Box(1)].copy()[0].a                    | 1
Box.c()                                 | Box.c()
str(More())                             | '<More#1>'
len(More())                             | 2
More().apply(show).anything             | More().apply(show).anything
[1, 2, 3][n]                            | 2
'%d' % n                                | '1'
range(1, n)                             | range(1, 3)
range(0, n, 5)                          | range(0, 10, 5)
range(1, n, m)                          | range(1, 3)
[range(n + 1), range(1, n + 1)]         | [[0, 1], [1]]
[range(1, n), range(n)]                 | [[1, 2], [0, 1, 2]]
[range(n), range(m), range(5, n)]       | [[0, 1], [0, 1], [5]]
list(range(n, 9))                       | [n, n + 1]
list(range(1000))                       | [0, 1, 2, 3]
min(3, 2)                               | 2
max([1, 2], key=lambda e: -e)           | 1
sum([1, 2], 3)                          | 6
reduce(lambda a, b: a * b, [2, 3], 4)   | 24
'{} {}'.format(*things)                 | 'things[0] things[1]'
'{} {} {}'.format(*things)              | '{} {} {}'
'{a}'.format(**{'b': 1})                | '{a}'
things.format(*n)                       | things.format(*n)
'a %s %s' % n                           | 'a %s %s'
5 % 3                                   | 2
'%s' % 3                                | '3'
np.float                                | float
np.array([1, n], dtype=object)          | np.array([1, n])
torch.unsqueeze(Variable(n), 0)         | Variable(n).unsqueeze(0)
torch.add(m, Variable(n))               | m + Variable(n)
Variable([1, 2]).data                   | Variable([1, 2])
{'a': 1}.has_key('a')                   | True
list({'a': 1}.iteritems())              | [('a', 1)]
iter([1, 2]).next()                     | 1
list(itertools.chain.from_iterable([[1], [2]])) | [1, 2]
list(itertools.cycle([1, 2]))           | [1, 2, 1, 2]
""".strip().split("\n")


@pytest.mark.parametrize("row", SAME, ids=str)
def test_an_expression_is_the_same_as_another(row: str) -> None:
    one, other = row.split("|")
    assert result(one.strip()) == result(other.strip())


def test_the_rows_above_are_told_apart() -> None:
    """Were everything the same, the test above would show nothing."""
    found = {repr(result(row.split("|")[1].strip())) for row in SAME}
    assert len(found) > 30


# lines, the condition that the run comes to, and what it gives when that is so and when it is not
DECIDED = [
    ("return type(n) is list", ("isinstance", "n", "list"), "True", "False"),
    ("return torch.is_tensor(n)", ("isinstance", "n", "Tensor"), "True", "False"),
    ("return hasattr(n, 'a')", ("hasattr", "n", "a"), "True", "False"),
    ("return issubclass(n, Box)", ("issubclass", "n", "<class 'a.Box'>"), "True", "False"),
    ("try:\n    return 1\nexcept ValueError:\n    return 2", ("raises", 1), "2", "1"),
    ("try:\n    return 1\nexcept (OSError, ValueError):\n    return 2", ("raises", 1), "2", "1"),
    ("try:\n    return 1\nexcept nowhere.Error:\n    return 2", ("raises", 1), "2", "1"),
    ("try:\n    return 1\nexcept (nowhere.Error, ValueError):\n    return 2", ("raises", 1), "2", "1"),
    ("try:\n    raise Wrong\nexcept Wrong:\n    try:\n        return 1\n    except nowhere.Error:\n        return 2", ("raises", 2), "2", "1"),
    ("try:\n    return 1\nexcept KeyboardInterrupt:\n    return 2", ("raises", 1), "1", "1"),
    ("try:\n    return 1\nexcept:\n    return 2", ("raises", 1), "2", "1"),
    ("if n == 'a':\n    return 1 if n == 'a' else 2\nreturn 3", ("eq", "n", "'a'"), "1", "3"),
    ("if n == 'a':\n    return 1 if n == 'b' else 2\nreturn 3", ("eq", "n", "'a'"), "2", "3"),
    ("if n == True:\n    return 1 if n else 2\nreturn 3", ("true", "n"), "1", "3"),
    ("for _ in range(2):\n    next(n)\ntry:\n    next(n)\nexcept StopIteration:\n    return 1\nreturn 2", ("exhausted", "n"), "1", "2"),
]


@pytest.mark.parametrize(("lines", "condition", "so", "otherwise"), DECIDED, ids=str)
def test_both_ways_are_gone_at_a_condition_on_an_unknown(lines: str, condition: Any, so: str, otherwise: str) -> None:
    for way, wanted in ((True, so), (False, otherwise)):
        seen = ran(lines, decisions={condition: way})
        assert (seen.result, seen.error) == (wanted, None), seen.message
        assert dict(seen.taken)[condition] is way


# lines, and the error in which they end: of the project itself (own), or one that says nothing about it
ENDS = [
    ("raise Wrong('a')", "Wrong", "a", True),
    ("assert False, 'no'", "AssertionError", "no", True),
    ("Box(1).missing", "AttributeError", "'Box' object has no attribute 'missing'", False),
    ("Wrong().say()", "AttributeError", "'super' object has no attribute 'missing'", False),
    ("super(n, things)", "StandInError", "super() of something that is no class", False),
    ("type('A', (), {})", "StandInError", "code that makes classes by type() is not run", False),
    ("type(Box)", "StandInError", "the type of a class is not given out", False),
    ("show.f_globals", "StandInError", "code that reaches for f_globals is not run", False),
    ("'{0.f_globals}'.format(n)", "StandInError", "code that reaches for f_globals is not run", False),
    ("'{0.f_globals}'.format(Box(1))", "StandInError", "code that reaches for f_globals is not run", False),
    ("'{0._vf_inner}'.format(More())", "AttributeError", "_vf_inner", False),
    ("More().forbidden()", "StandInError", "code that reaches for f_globals is not run", False),
    ("getattr(Box(1), 'missing')", "AttributeError", "'Box' object has no attribute 'missing'", False),
    ("getattr(n, '__code__')", "StandInError", "code that reaches for __code__ is not run", False),
    ("Variable(n, requires_grad=True, volatile=True)", "ValueError", "can't be volatile and require_grad", False),
    ("try:\n    raise ValueError('a')\nexcept nowhere.Error:\n    pass", "StandInError", "nowhere.Error", False),
    ("for key in things.keys():\n    net(key)", "StandInError", "called on the key of an unknown dictionary", False),
    ("Variable(n, volatile=True).register_hook(show)", "VolatileError", "cannot register a hook", None),
    ("w = Variable(n, volatile=True)\ntorch.autograd.grad(w.sum(), [w])", "VolatileError", "is volatile", None),
    ("w = Variable(n, volatile=True)\nw.sum().backward()", "VolatileError", "is volatile", None),
    ("w = Variable(n, requires_grad=True)\nw.add_(Variable(m, volatile=True))", "RuntimeError", "a leaf Variable that requires grad", True),
    ("w = Variable(n, requires_grad=True) * 2\nw.volatile = True", "RuntimeError", "volatile can only be set on leaf",
     False),
    ("w = Variable(n, requires_grad=True) * 2\nw.volatile = False", "RuntimeError", "volatile can only be set on leaf",
     False),
]


@pytest.mark.parametrize(("lines", "error", "says", "own"), ENDS, ids=str)
def test_a_run_that_raises_says_what_and_whether_the_project_meant_it(lines: str, error: str, says: str, own: Any) -> None:
    seen = ran(lines)
    assert seen.error == error
    assert says in seen.message
    assert own is None or seen.own is own
    assert seen.volatile_error is (error == "VolatileError")


STOPPED = [
    ("def g(a):\n    return g(a)\ng(n)", "recursion without end"),
    ("for _ in range(64):\n    for _ in range(64):\n        n + 1", "more than 4000 operations"),
    ("raise MemoryError", "used up its memory"),
]


@pytest.mark.parametrize(("lines", "cause"), STOPPED, ids=str)
def test_a_run_without_end_is_stopped_and_says_why(lines: str, cause: str) -> None:
    seen = ran(lines)
    assert seen.stopped == cause
    assert seen.error is None


def test_a_program_that_exits_has_come_to_an_end() -> None:
    assert ran("raise SystemExit(1)").result == "exit"


def events(lines: str, **given: Any) -> list[tuple[str, Any]]:
    seen = ran(lines, **given)
    assert (seen.error, seen.stopped) == (None, None), seen.message
    return [(each.sink, each.seen) for each in seen.events]


def test_loops_are_short_enough_to_be_run() -> None:
    assert ran("k = 0\nwhile k < 1000:\n    k += 1\nreturn k").result == "64"
    assert ran("k = 0\nwhile True:\n    k += 1\nreturn k").result == "4"
    assert ran("k = 0\nwhile n:\n    k += 1\nreturn k").result == "2"
    assert ran("k = 0\nfor _ in range(10):\n    k += 1\nreturn k").result == "10"
    assert ran("k = 0\nfor _ in range(10):\n    k += 1\nreturn k", short=True).result == "4"


def test_what_is_handed_out_is_looked_into() -> None:
    """Iterators are pulled from and functions called once, as code outside would."""
    endless = ran("def g():\n    while True:\n        yield n\nreturn g()").result
    assert endless[0] == "iterator"
    assert len(endless) == 1 + 9  # the first are as good as all
    assert ran("return Box(1).m").result == (
        "function",
        ("tuple", 2,  # a default that is a number, and something else in its place
         ("list", 3, ("unknown", "given a", False), ("unknown", "given b", False), "1"),
         ("list", 3, ("unknown", "given a", False), ("unknown", "given b", False), ("unknown", "given k", False))),
    )
    assert ran("def g(a):\n    raise ValueError\nreturn g").result == ("function", "ValueError")
    deep = repr(ran("def g():\n    return g\nreturn g").result)
    assert deep.endswith("'...')" + ")" * (deep.count("(") - 1))
    assert "..." in repr(ran("a = [n]\nfor _ in range(9):\n    a = [a]\nreturn a").result)


def test_an_object_that_holds_itself_is_described_once() -> None:
    seen = ran("box = Box(1)\nbox.b = box\nreturn box")
    assert seen.result == ("object", "Box", ("a", "1"), ("b", ("object", "Box")))


def test_parameters_of_an_object_are_those_of_its_modules() -> None:
    text = HEAD + "class Part(nn.Module):\n    def f(self):\n        self.n, self.fc = 3, nn.Linear(2, 2)\n        return list(self.{})\n"
    for method, wanted in (("parameters()", 1), ("named_parameters()", 1)):
        world = World(legacy=False, modern=True, decisions={})
        seen = run(Side({"a.py": text.format(method)}), Unit("a.py", "Part.f"), world, frozenset())
        assert seen.error is None, seen.message
        assert seen.result[:2] == ("list", wanted)
        assert "Linear#1" in repr(seen.result)


def test_gradients_that_are_set_to_none_are_gone() -> None:
    backward = "w = Variable(n, requires_grad=True)\n(w * 2).sum().backward()\n"
    assert ran(backward).gradients != ("gradients",)
    assert ran(backward + "w.grad = None").gradients == ("gradients",)
    assert ran(backward + "return w.grad").result[0] == "tensor"
    assert ran(backward + "return Variable(m).grad").result == "None"
    assert ran("return Variable(m).grad").result[0] == "unknown"


def test_an_unknown_that_is_asked_for_twice_is_one_leaf() -> None:
    once = ran("a = data.x\nreturn a + a", leaves_require_grad=True).result
    twice = ran("a = data.x\ndel data.x\nreturn a + data.x", leaves_require_grad=True).result
    assert once == twice
    assert [name for name, _ in once[4]] == ["data.x"]


def test_what_is_written_to_volatile_means_something_on_0_3_alone() -> None:
    lines = "w = Variable(n)\nw.volatile = True\nreturn net(w)"
    assert ran(lines).result[3] is False
    assert ran(lines, legacy=False, modern=True).result[3] is True
    parameter = "for p in net.parameters():\n    p.volatile = True\nreturn net(Variable(n))"
    assert ran(parameter).result[3] is False
    assert ran(parameter, legacy=False, modern=True).result[3] is True
    assert ran("w = Variable(n, volatile=True)\nw.volatile = False\nreturn net(w)").result[3] is True


def test_methods_of_imported_objects_are_those_of_modules() -> None:
    assert ran("nowhere.net.eval()\nreturn nowhere.net(Variable(n))").result != ran("return nowhere.net(Variable(n))").result
    assert ("nowhere.opt.zero_grad()", ()) in events("nowhere.opt.zero_grad()")


def test_an_imported_network_has_parameters_and_a_function_has_none() -> None:
    network = ran("return nowhere.model(Variable(n))").result
    assert [name for name, _ in network[4]] == ["nowhere.model"]
    assert ran("return nowhere.blur(Variable(n))").result[3:] == (False, ())
    assert ran("return nowhere.model(Variable(n, volatile=True))").result[3] is False
    assert ran("return nowhere.load(n, volatile=True).volatile").result == "True"
    assert ran("return nowhere.load(n, volatile=True).volatile", legacy=False, modern=True).result == "False"


def test_a_method_of_a_model_runs_it_and_that_of_anything_else_does_not() -> None:
    assert ran("return things.model.sample(Variable(n))").result[3] is True
    assert ran("return things.model.loss(Variable(n))").result[3] is False
    assert ran("return things.loader.sample(Variable(n))").result[3] is False
    assert ran("return things.loader.batch(3, volatile=True).volatile").result == "True"
    assert ran("return things.loader.batch(3, volatile=True).volatile", legacy=False, modern=True).result == "False"


def test_an_optimizers_step_calls_its_closure_and_moves_what_has_a_gradient() -> None:
    closure = "w = Variable(n, requires_grad=True)\ndef again():\n    w.sum().backward()\n    show(1)\nthings.step(again)"
    sinks = [sink for sink, _ in events(closure)]
    assert sinks == ["backward", "call show", "things.step()"]
    moved = "w = Variable(n, requires_grad=True)\nw.sum().backward()\n{}\nreturn w.data"
    assert ran(moved.format("things.step()")).result != ran(moved.format("pass")).result
    assert "call show" not in [sink for sink, _ in events("things.step(show)")]  # an unknown is not called
    # an environment's step takes an action, and is no optimizer's
    assert ran(moved.format("things.step(3)")).result == ran(moved.format("pass")).result
    assert ran(moved.format("things.step(Variable(m))")).result == ran(moved.format("pass")).result


def test_what_goes_into_an_unknown_collection_is_seen_outside() -> None:
    assert events("things.append(3)") == [("things gets", ("list", 1, "3"))]
    assert events("things[0] = 3") == [("things[0] =", "3")]
    assert events("Variable(n).append(3)") == []  # a tensor has no such method


def test_numbers_stay_numbers() -> None:
    assert ran("k = len(things)\nk += 1\nreturn k").result == ran("return len(things) + 1").result
    assert ran("k = things.mean().data.cpu().numpy()\nreturn k.copy()").result == ran("return things.mean().data.cpu().numpy()").result
    assert ran("a = np.mean(n)\nreturn a[0]").result[3:] == (False, ())


def test_an_element_of_a_volatile_leaf_that_is_written_keeps_no_graph() -> None:
    lines = "w = net(Variable(m)) * 2\nw.add_(Variable(n, volatile=True))\nreturn w"
    assert ran(lines).result[3] is False
    assert ran(lines, legacy=False, modern=True).result[3] is True


def test_functions_that_end_in_an_underscore_write_in_place() -> None:
    assert ran("w = Variable(n)\nF.relu_(w)\nreturn w").result == ran("w = Variable(n)\nw = w.relu_()\nreturn w").result
    assert ran("w = Variable(n)\nF.relu_(w)\nreturn w").result != ran("w = Variable(n)\nreturn w").result


def test_classes_are_open_where_a_base_is_not_at_hand() -> None:
    assert ran("return More().anything").result[0] == "unknown"
    assert ran("return Both(1).anything").result[0] == "unknown"
    assert ran("return Both(1).a").result == "1"
    assert ran("return More()(Variable(n))").result[3] is True  # called, it is a network
    more = "class Own(nowhere.Base):\n    def train(self, on=True):\n        self.fc = nn.Linear(2, 2)\n        super().train(on)\n        return self.fc(Variable(n))\n"
    assert ran("return Own().train(False)", top=more.replace("(n)", "(3)")).result != ran("return Own().train()", top=more.replace("(n)", "(3)")).result


FILES = {
    "pack/__init__.py": "",
    "pack/broken.py": "def (\n",
    "pack/deep/__init__.py": "",
    "pack/deep/inner.py": "def g():\n    return 7\n",
    "src/elsewhere.py": "LIMIT = 5\n",
}
IMPORTS = [
    ("import pack.deep.inner", "pack.deep.inner.g()", "7"),
    ("from pack.deep import inner", "inner.g()", "7"),
    ("from elsewhere import LIMIT", "LIMIT", "5"),
    ("from pack import missing", "missing", ("unknown", "pack.__init__.missing", False)),
    ("from pack import broken", "broken", ("unknown", "pack.__init__.broken", False)),
    ("import pack.broken", "pack.broken", ("unknown", "pack.broken", False)),
    ("from torch.nn import *", "Linear is nn.Linear", "True"),
    ("from nowhere import *", "thing", ("unknown", "thing", False)),
    ("from nowhere import *", "thing is thing", "True"),
    ("key = lambda a: a + 1", "key(1)", "2"),
    ("both = [a for a in (1, 2)]", "both", ("unknown", "both", False)),
    ("try:\n    WindowsError\nexcept NameError:\n    WindowsError = 3", "WindowsError", "3"),
]


@pytest.mark.parametrize(("top", "expression", "wanted"), IMPORTS, ids=str)
def test_names_of_other_modules_are_found_or_unknown(top: str, expression: str, wanted: Any) -> None:
    assert result(expression, top=top, files=FILES) == wanted


def test_names_of_torch_that_come_with_a_star_of_something_unknown_are_known() -> None:
    text = "from nowhere import *\ndef f(data):\n    return Variable(data, volatile=True).volatile, torch.zeros(2)\n"
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": text}), Unit("a.py", "f"), world, frozenset())
    assert seen.result[2] == "True"
    assert seen.result[3][0] == "tensor"


def test_a_context_that_goes_on_after_an_error_is_an_error_as_in_python() -> None:
    top = "@contextlib.contextmanager\ndef g():\n    while True:\n        try:\n            yield 1\n        except ValueError:\n            pass\n"
    seen = ran("with g():\n    raise ValueError", top=top)
    assert (seen.error, seen.message) == ("RuntimeError", "generator didn't stop after throw()")


def test_a_parameter_that_is_used_as_objects_of_one_class_are_is_such_an_object() -> None:
    text = "class Box:\n    def __init__(self, a):\n        self.a = a\n    def area(self):\n        return [self.a, 2]\n"
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": text + "def f(box):\n    return box.area()\n"}), Unit("a.py", "f"), world, frozenset())
    assert seen.result == ("list", 2, ("unknown", "box.a", False), "2")


def test_coroutines_are_not_run() -> None:
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": "async def f(a):\n    return a\n"}), Unit("a.py", "f"), world, frozenset())
    assert seen.message == "coroutines are not run on stand-ins"


def test_a_property_that_is_set_is_set_to_an_unknown() -> None:
    text = "class A:\n    @property\n    def f(self):\n        return 1\n    @f.setter\n    def f(self, new):\n        self.kept = new\n"
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": text}), Unit("a.py", "A.f"), world, frozenset())
    assert (seen.result, seen.error) == ("None", None)
    assert seen.objects["self"] == ("object", "A", ("kept", ("unknown", "new", False)))


def test_an_instance_is_matched_by_the_numbers_that_code_sees() -> None:
    assert ran("match 3:\n    case float():\n        return 1\n    case int():\n        return 2").result == "2"


def test_a_graph_whose_leaves_no_longer_require_grad_reaches_nothing() -> None:
    seen = ran("w = Variable(n, requires_grad=True)\ny = w * 2\nw.requires_grad = False\nreturn y")
    assert seen.result[3:] == (True, ())


def test_zero_grad_of_a_tensor_is_none_of_an_optimizer() -> None:
    backward = "w = Variable(n, requires_grad=True)\n(w * 2).sum().backward()\n"
    assert ran(backward + "w.zero_grad()").gradients == ran(backward).gradients
    assert ran(backward + "things.zero_grad()").gradients == ("gradients",)


def test_an_outcome_that_cannot_be_looked_at_says_nothing() -> None:
    text = "class A:\n    def f(self):\n        self.g = (1 / 0 for _ in 'a')\n"
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": text}), Unit("a.py", "A.f"), world, frozenset())
    assert seen.stopped == "ZeroDivisionError while looking at the outcome"


def test_what_a_decorator_outside_the_project_is_given_is_looked_into_once_the_module_is_there() -> None:
    text = "import nowhere\n@nowhere.command\ndef f():\n    return later()\ndef later():\n    return 3\nprint(1)\n"
    world = World(legacy=True, modern=False, decisions={})
    seen = run(Side({"a.py": text}), Unit("a.py", ""), world, frozenset())
    assert [(each.sink, each.seen) for each in seen.events] == [("nowhere.command()", ("function", "3"))]


def test_stand_ins_refuse_by_themselves_what_the_rewrite_refuses() -> None:
    """Two layers: code that got by the first must not get by the second."""
    enter(World(legacy=True, modern=False, decisions={}))
    thing = standin.unknown("x")
    for name in ("f_globals", "gi_frame", "mro"):
        with pytest.raises(StandInError):
            getattr(thing, name)
        with pytest.raises(StandInError):
            setattr(thing, name, 1)
    with pytest.raises(StandInError):
        thing._vf = 1


def test_a_module_that_is_the_same_on_both_sides_is_prepared_once():
    tools = "from a import g\ndef f(net, x):\n    return g(net, x)\n"
    g = "import torch\nfrom torch.autograd import Variable\ndef g(net, x):\n    {}\n"
    before = Side({"a.py": g.format("return net(Variable(x, volatile=True))"), "tools.py": tools})
    texts = {"a.py": g.format("with torch.no_grad(): return net(x)"), "tools.py": tools}
    after = Side(texts, twin=before)
    assert after.shared == {"tools.py"}
    item = explore.Item(before, after, (Unit("a.py", "g"),))
    assert explore.verify(item)[0] == "identical"
    assert after.code("tools.py", False) is before.code("tools.py", False)
    assert {each.name for each in item.reached.runs} == {"f", "g"}
