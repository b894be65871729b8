"""Definitions that reach for the interpreter's insides are taken for unknown ones where every way ends at them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged, with_block  # noqa: E402

TOOLS = """\
class Forwarding:
    def __init__(self, layers):
        self.layers = layers
    def __getattribute__(self, name):
        if name == "layers":
            return object.__getattribute__(self, name)
        return [getattr(each, name) for each in self.layers]
def named(function):
    def call(*given):
        return function(*given)
    call.__func__.__doc__ = function.__doc__
    return call
"""
USES = """\
from tools import Forwarding
def f(net, x, rest):
    both = Forwarding([net, net])
    net(Variable(rest) * len(both.depth)).sum().backward()
    y = net(Variable(x, volatile=True))
    return y
"""


def test_a_function_that_uses_one_is_run():
    assert judge(USES, with_block(USES), tools=TOOLS) == ("identical", None)


def test_what_is_wrong_beside_one_is_not_called_the_same():
    assert judge(USES, unflagged(USES), tools=TOOLS)[0] != "identical"
    wide = with_block(USES).replace("    net(Variable(rest)", "    with torch.no_grad():\n        net(Variable(rest)")
    assert judge(USES, wide, tools=TOOLS)[0] != "identical"


def test_a_decorator_that_is_one_gives_the_function():
    text = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n    return y.data\n"
    text = "from tools import named\n@named\n" + text
    assert judge(text, with_block(text), tools=TOOLS) == ("identical", None)
    assert judge(text, unflagged(text), tools=TOOLS)[0] != "identical"


@pytest.mark.parametrize(
    "tools",
    [
        TOOLS.replace("self.layers = layers", "self.layers = [Variable(x, volatile=True) for x in layers]"),
        TOOLS.replace("self.layers = layers", "self.layers = unweighed(layers)")
        + "def unweighed(layers):\n    return [Variable(x, volatile=True) for x in layers]\n",
        TOOLS.replace("self.layers = layers", "self.layers = [f(each) for each in layers]"),
        TOOLS.replace("self.layers = layers", "self.layers = getattr(layers, 'f')"),
    ],
    ids=["has a flag", "names what has one", "names what changed", "names it as text"],
)
def test_one_that_decides_volatility_itself_is_none_of_those(tools: str):
    verdict, told = judge(USES, with_block(USES), tools="from a import f\n" + tools)
    assert (verdict, told) == ("not-run", "a.py: f: code that reaches for __getattribute__ is not run")


def test_one_that_changes_is_none_of_those():
    text = TOOLS + USES.replace("from tools import Forwarding\n", "")
    assert judge(text, with_block(text))[0] == "not-run"


def test_that_a_class_elsewhere_with_a_flag_is_made_by_a_method_of_the_same_name_is_no_matter():
    text = USES + (
        "class Eval:\n    def __init__(self, x):\n        self.x = Variable(x, volatile=True)\n"
        "    def both(self, net):\n        y = net(self.x)\n        return y\n"
    )
    assert judge(text, with_block(text), tools=TOOLS) == ("identical", None)


def test_methods_of_pythons_own_numbers_make_an_unknown_of_one():
    text = "def f(net, x, raw):\n    n = int.from_bytes(raw.read(1), byteorder='big')\n"
    text += "    k = int.from_bytes(b'ab', 'big')\n"
    text += "    assert k == 24930\n    for _ in range(n):\n        y = net(Variable(x, volatile=True))\n    return y\n"
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"


@pytest.mark.parametrize("name", ["mro", "__subclasses__", "from_bytes.__self__"])
def test_nothing_else_of_them_is_to_be_had(name: str):
    text = f"def f(net, x):\n    int.{name}\n    y = net(Variable(x, volatile=True))\n    return y\n"
    assert judge(text, with_block(text))[0] == "not-run"
