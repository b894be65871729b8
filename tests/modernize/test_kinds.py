"""What the inference says of the last expression of a text; it must rather know nothing than the wrong thing."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from voltfix.model import Module, Options
from voltfix.modernize.kinds import NUMBER, OTHER, UNKNOWN, Many, Tensor
from voltfix.modernize.kinds.reaching import Reaching, in_order
from voltfix.modernize.scene import Scene


def last(source: str, **others: str):
    text = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" + dedent(source)
    modules = [Module("a.py", text), *(Module(f"{name}.py", dedent(t)) for name, t in others.items())]
    scene = Scene(modules, Options())
    statement = [node for node in scene.nodes("a.py") if isinstance(node, (ast.Expr, ast.Return))]
    expression = max(statement, key=lambda node: node.lineno).value
    assert expression is not None
    return scene.kind("a.py", expression)


@pytest.mark.parametrize(
    ("expression", "dim"),
    [
        ("torch.zeros(2, 3)", 2),
        ("torch.zeros(2, 3).sum()", 0),
        ("torch.zeros(2, 3).sum(1)", 1),
        ("torch.zeros(2, 3).sum(1, keepdim=True)", 2),
        ("torch.zeros(2, 3).max(1)[1]", 1),
        ("torch.zeros(2, 3)[0]", 1),
        ("torch.zeros(2, 3)[:, None, 0]", 2),
        ("torch.zeros(2, 3).view(-1)", 1),
        ("torch.zeros(2, 3).unsqueeze(0).t()", 3),
        ("torch.mm(a, b)", 2),
        ("F.cross_entropy(a, b)", 0),
        ("F.cross_entropy(a, b, reduce=False)", None),
        ("nn.MSELoss()(a, b) * 2 + 1", 0),
        ("nn.MSELoss(reduction=r)(a, b)", None),
        ("torch.zeros(n.size(0), 3)", 2),
        ("torch.zeros(*sizes)", None),
        ("torch.cat([torch.zeros(2), torch.zeros(3)])", 1),
        ("torch.zeros(2) > 1", 1),
    ],
)
def test_dimensions(expression: str, dim: int | None) -> None:
    kind = last(expression)
    assert isinstance(kind, Tensor)
    assert kind.dim == dim


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    x = 1\n    x = 'a'\n    return x", OTHER),
        ("def f(c):\n    x = 1\n    if c:\n        x = unknown()\n    return x", UNKNOWN),
        ("def f():\n    t = 0\n    for i in range(3):\n        t += i\n    return t", NUMBER),
        ("def f(x):\n    return x", UNKNOWN),
        ("unknown(3)", UNKNOWN),
        ("import numpy as np\nnp.zeros(3).sum()", last("import numpy as np\nnp.zeros(3)")),
    ],
)
def test_other_values(source: str, expected: object) -> None:
    assert last(source) == expected


def test_a_value_that_shrinks_in_a_loop_has_no_known_shape() -> None:
    kind = last(
        """\
        def f(n):
            x = torch.zeros(2, 3, 4)
            for i in range(n):
                x = x.sum(0)
            return x
        """
    )
    assert isinstance(kind, Tensor)
    assert kind.dim is None


def test_a_number_or_a_tensor_may_be_either() -> None:
    kind = last("def f(a, b):\n    t = 0\n    for i in range(3):\n        t = t + F.mse_loss(a, b)\n    return t")
    assert isinstance(kind, Tensor)
    assert (kind.dim, kind.maybe) == (0, True)


def test_goes_through_modules_functions_and_parameters() -> None:
    kind = last(
        """\
        from nets import Net
        net = Net()
        def score(out):
            return out.mean()
        def f(x):
            return score(net(x))
        """,
        nets="""\
        import torch.nn as nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 2)
            def forward(self, x):
                return self.fc(x).view(1)
        """,
    )
    assert kind == Tensor(0, True, plain=False)


def test_recursion_ends() -> None:
    kind = last("def f(n, x):\n    if n:\n        return f(n - 1, x)\n    return [F.mse_loss(x, x)]\nf(3, y)")
    assert isinstance(kind, Many)
    assert kind.element == Tensor(0, True, "float", plain=False)


def test_different_callers_must_agree() -> None:
    kind = last("def f(x):\n    return x\nf(torch.zeros(2))\nf(torch.zeros(2, 2))")
    assert isinstance(kind, Tensor)
    assert kind.dim is None


@pytest.mark.parametrize(
    "source",
    [
        "def f(net, x, y, c):\n    loss = c(net(x), y)\n    loss.backward()\n    return loss",
        "def f(net, x, c):\n    raw = c(x)\n    loss = raw + 0.1 * c(net)\n    loss.backward()\n    return raw",
        "def f(net, x, c):\n    raw = c(x)\n    loss = raw\n    loss += c(net)\n    loss.backward()\n    return raw",
        "def f(net, x, c):\n    raw = c(x)\n    loss = 0\n    loss -= -raw / 2\n    loss.backward()\n    return loss",
        "def f(losses):\n    for loss in losses:\n        loss.backward()\n        return loss",
        "def f(net, o):\n    c = o.loss('a')\n    loss = c(net)\n    loss.backward()\n"
        "def g(net, options):\n    c = options.loss('a')\n    loss = c(net)\n    return loss",
        "def f(net, c):\n    loss = c(net)\n    loss.backward()\ndef g(net, c):\n    loss = c(net)\n    return loss",
    ],
    ids=["itself", "a summand", "what is added to", "what is taken off", "a loop's", "of one maker", "of one callee"],
)
def test_what_goes_backward_holds_one_element(source: str) -> None:
    kind = last(source)
    assert isinstance(kind, Tensor)
    assert kind.single


@pytest.mark.parametrize(
    "source",
    [
        "def f(net, x, g):\n    out = net(x)\n    out.backward(g)\n    return out",
        "def f(net, x):\n    out = net(x)\n    loss = out.max()\n    loss.backward()\n    return out",
        "def f(net, o):\n    c = o.loss('a')\n    loss = c(net)\n    loss.backward()\n"
        "def g(net, o):\n    c = o.loss('b')\n    loss = c(net)\n    return loss",
    ],
    ids=["with a gradient", "what was reduced", "of another maker"],
)
def test_what_else_is_near_a_backward_may_hold_many(source: str) -> None:
    kind = last(source)
    assert not (isinstance(kind, Tensor) and kind.single)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class Box:\n    size = 3\nBox()(1)", UNKNOWN),
        ("torch.cat(rows)", Tensor()),
        ("torch.zeros(2, 3).type()", OTHER),
        ("torch.zeros(2, 3).sum().backward()", OTHER),
        ("nn.Linear", OTHER),
    ],
)
def test_what_is_known_is_no_more_than_it_seems(source: str, expected: object) -> None:
    assert last(source) == expected


def test_what_is_added_to_unknown_things_has_no_known_shape() -> None:
    kind = last("torch.zeros(2, 3).add(other)")
    assert isinstance(kind, Tensor)
    assert kind.dim is None


def test_definitions_are_looked_at_in_the_order_of_the_text() -> None:
    """What is found out about one may hang on another; the order of a set would differ from run to run."""
    branches = "".join(f"    elif a == {number}:\n        x = g({number})\n" for number in range(1, 9))
    tree = ast.parse(f"def f(a):\n    if a == 0:\n        x = g(0)\n{branches}    return x\n")
    reaching = Reaching(tree.body[0])
    (found,) = [reaches for name, reaches in reaching.uses.items() if name.id == "x"]
    assert [reach.node.lineno for reach in in_order(found)] == list(range(3, 20, 2))
