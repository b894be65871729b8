"""VF201."""

from __future__ import annotations

import pytest

from modernize.support import becomes, modernized, refuses, stays

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
        ("y = Variable(torch.zeros(2).normal_().cuda(), requires_grad=True)",
         "y = torch.zeros(2).normal_().cuda().requires_grad_()"),
        ("y = Variable(torch.zeros(2).view(1, 2), requires_grad=True)",
         "y = torch.zeros(2).view(1, 2).detach().requires_grad_()"),
        ("y = Variable(FloatTensor(2), requires_grad=True)", "y = FloatTensor(2).requires_grad_()"),
        ("y = Variable(x, requires_grad=True)", "y = x.detach().requires_grad_()"),
        ("y = Variable(x, requires_grad=flag)", "y = x.detach().requires_grad_(bool(flag))"),
        ("y = Variable(x, requires_grad=not flag)", "y = x.detach().requires_grad_(not flag)"),
        ("y = Variable(x, requires_grad=flag == 'fit')", "y = x.detach().requires_grad_(flag == 'fit')"),
        ("y = Variable(Variable(x).data)", "y = x.data"),
        ("y = [Variable(x) for x in xs]", "y = [x for x in xs]"),
        ("y = isinstance(x, Variable)", "y = isinstance(x, torch.Tensor)"),
        ("y = isinstance(x, (list, Variable))", "y = isinstance(x, (list, torch.Tensor))"),
        ("if type(x) == Variable: pass", "if isinstance(x, torch.Tensor): pass"),
        ("if type(x) is not Variable: pass", "if not isinstance(x, torch.Tensor): pass"),
        ("class A:\n    x = Variable(x)", "class A:\n    x = x"),
        ("a, *b = Variable(a), Variable(b), Variable(c)", "a, *b = a, b, c"),
    ],
)  # fmt: skip
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
        f"import torch\ndef f(x, w):\n    v = x.detach()\n    {use.replace(' = True', '_()')}\n    return x, v\n",
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
        ("y = Variable(x, False, False, 1)", "unresolved-arguments"),
        ("y = Variable(x, name='x')", "unresolved-arguments"),
        ("y = x == Variable", "other-use"),
        ("y = type(x) < Variable", "other-use"),
        ("y = x in (Variable, int)", "other-use"),
        ("kinds = [Variable, int]", "other-use"),
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


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = type(x) in (Variable, int)", "y = isinstance(x, (torch.Tensor, int))"),
        ("y = type(x) not in [Variable]", "y = not isinstance(x, (torch.Tensor,))"),
        ("y = x.__class__ is Variable", "y = isinstance(x, torch.Tensor)"),
        ("def f(x: Variable) -> Variable: pass", "def f(x: torch.Tensor) -> torch.Tensor: pass"),
        ("y: Variable = x", "y: torch.Tensor = x"),
        ("def f(x: List[Variable]) -> Tuple[int, Variable]: pass",
         "def f(x: List[torch.Tensor]) -> Tuple[int, torch.Tensor]: pass"),
        ("def f(x: Variable | None): pass", "def f(x: torch.Tensor | None): pass"),
    ],
)  # fmt: skip
def test_types_asked_for_in_other_ways(line: str, expected: str) -> None:
    head = "import torch\n"
    becomes(f"{head}from torch.autograd import Variable\n{line}\n", f"{head}{expected}\n", "VF201")


@pytest.mark.parametrize(
    "callee",
    [
        "def fill(out):\n    out[0] = 3\n",
        "def fill(out):\n    out += 1\n",
        "def fill(out):\n    out.add_(1)\n",
        "class Fill(torch.nn.Module):\n    def forward(self, out):\n        out.mul_(2)\nfill = Fill()\n",
    ],
)
def test_what_a_callee_writes_into_is_detached(callee: str) -> None:
    head = f"import torch\nfrom torch.autograd import Variable\n{callee}def f(x):\n    "
    plain = f"import torch\n{callee}def f(x):\n    "
    becomes(f"{head}return fill(Variable(x))\n", f"{plain}return fill(x.detach())\n", "VF201")
    becomes(f"{head}v = Variable(x)\n    return fill(v)\n", f"{plain}v = x.detach()\n    return fill(v)\n", "VF201")


def test_a_callee_that_writes_into_what_it_makes_itself_does_not_matter() -> None:
    callee = "def fill(out):\n    out = out * 2\n    out += 1\n    return out\n"
    becomes(
        f"import torch\nfrom torch.autograd import Variable\n{callee}def f(x):\n    return fill(Variable(x))\n",
        f"import torch\n{callee}def f(x):\n    return fill(x)\n",
        "VF201",
    )


NETWORK = "import torch\nimport torch.nn as nn\nnet = nn.Linear(2, 2)\ndef freeze(net, flag, thing):\n    {}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("for p in net.parameters():\n        p.requires_grad = flag",
         "for p in net.parameters():\n        p.requires_grad_(flag)"),
        ("for p in net.parameters(): p.requires_grad = False", "for p in net.parameters(): p.requires_grad_(False)"),
        ("for name, p in net.named_parameters():\n        p.requires_grad = 'bias' in name",
         "for name, p in net.named_parameters():\n        p.requires_grad_('bias' in name)"),
        ("x = torch.zeros(2); x.requires_grad = True", "x = torch.zeros(2); x.requires_grad_()"),
        ("net.weight.requires_grad = True\n    x = torch.ones(1)\n    x.requires_grad = flag  # so it is",
         "net.weight.requires_grad = True\n    x = torch.ones(1)\n    x.requires_grad_(flag)  # so it is"),
    ],
)  # fmt: skip
def test_a_flag_of_a_tensor_is_switched_in_the_words_of_today(line: str, expected: str) -> None:
    becomes(NETWORK.format(line), NETWORK.format(expected), CODE)


@pytest.mark.parametrize(
    "line",
    [
        "net.requires_grad = False",  # a module has requires_grad_() as well, and it does more
        "thing.requires_grad = False",
        "for p in thing: p.requires_grad = False",
        "for p in net.named_parameters(): p.requires_grad = False",
        "for m in net.children(): m.requires_grad = False",
        "x = y = torch.zeros(2)\n    x.requires_grad = y.requires_grad = True",
    ],
)
def test_a_flag_of_what_may_be_no_tensor_stays(line: str) -> None:
    stays(NETWORK.format(line), CODE)


def test_parameters_of_a_class_of_its_own_may_be_anything() -> None:
    own = "import torch\nclass Options(object):\n    def parameters(self):\n        return []\n"
    stays(own + "def freeze(options):\n    for p in options.parameters():\n        p.requires_grad = False\n", CODE)


def test_a_flag_that_is_a_number_switches_as_variable_took_it() -> None:
    torch = pytest.importorskip("torch")
    source = "import torch\nfrom torch.autograd import Variable\n"
    source += "def make(train):\n    return Variable(torch.ones(1), requires_grad=train)\n"
    text, _ = modernized(source, CODE)
    assert "requires_grad_(bool(train))" in text
    space: dict[str, object] = {}
    exec(compile(text, "a.py", "exec"), space)
    make = space["make"]
    assert [make(flag).requires_grad for flag in (1, 0, torch.tensor(True))] == [True, False, True]  # type: ignore


def test_a_flag_that_only_bools_are_handed_to_needs_no_cast() -> None:
    source = "import torch\nfrom torch.autograd import Variable\n"
    source += "def make(x, train):\n    return Variable(x.clone(), requires_grad=train)\n"
    source += "make(torch.ones(1), True)\nmake(torch.ones(1), train=not 3)\n"
    text, _ = modernized(source, CODE)
    assert "requires_grad_(train)" in text
