"""VF201."""

from __future__ import annotations

import pytest

from modernize.support import becomes, refuses, stays

HEAD = "import torch\nfrom torch.autograd import Variable\n"
CODE = "VF201"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = net(Variable(x))", "y = net(x)"),
        ("y = Variable(x) * 2", "y = x * 2"),
        ("y = Variable(a + b).sum()", "y = (a + b).sum()"),
        ("y = Variable(a + b)", "y = a + b"),
        ("y = Variable(data=x)", "y = x"),
        ("y = Variable(x, requires_grad=False)", "y = x"),
        ("y = Variable(x, False)", "y = x"),
        ("y = Variable(torch.zeros(2), requires_grad=True)", "y = torch.zeros(2).requires_grad_()"),
        ("y = Variable(x, requires_grad=True)", "y = x.detach().requires_grad_()"),
        ("y = Variable(x, requires_grad=flag)", "y = x.detach().requires_grad_(flag)"),
        ("y = Variable(Variable(x).data)", "y = x.data"),
        ("y = [Variable(x) for x in xs]", "y = [x for x in xs]"),
        ("y = isinstance(x, Variable)", "y = isinstance(x, torch.Tensor)"),
        ("y = isinstance(x, (list, Variable))", "y = isinstance(x, (list, torch.Tensor))"),
        ("if type(x) == Variable: pass", "if isinstance(x, torch.Tensor): pass"),
        ("if type(x) is not Variable: pass", "if not isinstance(x, torch.Tensor): pass"),
    ],
)
def test_unwraps(line: str, expected: str) -> None:
    becomes(f"{HEAD}{line}\n", f"import torch\n{expected}\n", CODE)


def test_a_rebinding_of_the_same_name_goes_as_a_whole() -> None:
    becomes(
        f"{HEAD}for x, y in loader:\n    x, y = Variable(x), Variable(y)\n    z = Variable(y)\n    net(x)\n",
        "import torch\nfor x, y in loader:\n    z = y\n    net(x)\n",
        CODE,
    )


def test_an_emptied_suite_keeps_its_place() -> None:
    becomes(
        f"{HEAD}def f(x):\n    if x:\n        x = Variable(x)\n    return x\n",
        "import torch\ndef f(x):\n    if x:\n        pass\n    return x\n",
        CODE,
    )


@pytest.mark.parametrize(
    "use",
    ["v.requires_grad = True", "v += 1", "v[0] = 1", "v.add_(w)", "v.register_hook(print)", "v.grad = None"],
)
def test_a_result_that_is_told_from_its_argument_is_detached(use: str) -> None:
    becomes(
        f"{HEAD}def f(x, w):\n    v = Variable(x)\n    {use}\n    return x, v\n",
        f"import torch\ndef f(x, w):\n    v = x.detach()\n    {use}\n    return x, v\n",
        CODE,
    )


def test_what_leaves_the_function_is_detached_where_the_project_sets_flags() -> None:
    flags = "def g(v):\n    v.requires_grad = True\n"
    becomes(
        f"{HEAD}{flags}def f(x):\n    return Variable(x)\n",
        f"import torch\n{flags}def f(x):\n    return x.detach()\n",
        CODE,
    )


def test_brings_torch_where_it_is_needed() -> None:
    becomes(
        "from torch.autograd import Variable\ny = isinstance(x, Variable)\n",
        "import torch\ny = isinstance(x, torch.Tensor)\n",
        CODE,
    )


def test_other_names_of_the_import_stay() -> None:
    becomes(
        "from torch.autograd import Function, Variable, grad as g\ny = Variable(x)\n",
        "from torch.autograd import Function, grad as g\ny = x\n",
        CODE,
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("y = Variable(*args)", "unresolved-arguments"),
        ("y = Variable(x, **options)", "unresolved-arguments"),
        ("y = list(map(Variable, xs))", "other-use"),
        ("class V(Variable): pass", "other-use"),
    ],
)
def test_refuses(line: str, reason: str) -> None:
    refuses(f"{HEAD}{line}\n", reason, CODE)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nfrom chainer import Variable\ny = Variable(x)\n",
        "import torch\nfrom mytypes import Variable\ny = Variable(x)\n",
        "import torch\nclass Variable:\n    def __init__(self, x): pass\ny = Variable(x)\n",
        "import tensorflow as tf\ny = tf.Variable(x)\n",
        "import torch\n# Variable(x)\ny = 'Variable(x)'\n",
        "import torch\nfrom torch.autograd import Variable  # noqa: F401\n",
        "import torch\nfrom torch.autograd import Variable\n__all__ = ['Variable']\n",
    ],
    ids=["chainer", "another module", "a local class", "tensorflow", "text", "kept on purpose", "exported"],
)
def test_leaves_alone(source: str) -> None:
    stays(source, CODE)
