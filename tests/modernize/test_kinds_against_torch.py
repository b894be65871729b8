# ruff: noqa: E501 (rows of expressions)
"""What the inference says of an expression, held against what torch makes of it: it may know less, and never else."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from voltfix.model import Module, Options
from voltfix.modernize.kinds import NUMBER, OTHER, UNKNOWN, Kind, Many, Tensor
from voltfix.modernize.kinds.values import NONE, NUMPY, Instance
from voltfix.modernize.scene import Scene

torch = pytest.importorskip("torch")

HEAD = """\
import torch, random
import numpy as np
import torch.nn as nn
import torch.nn.functional as F
x = torch.rand(2, 3)
y = torch.rand(3)
one = torch.rand(1)
cube = torch.rand(2, 3, 4)
index = torch.LongTensor([0, 1])
mask = torch.rand(2, 3) > 0.5
pair = (torch.rand(2), torch.rand(2, 2))
numbers = [1, 2, 3]
"""
EXPRESSIONS = """
x + 1 | 1 - x | x * y | x / 2 | index / 2 | index + 1 | -x | x ** 2 | x @ x.t() | x[0] * x | not x.dim() | x + None_
x > 0.5 | 0 < x | x == x | x[0] > y | x is None | 1 in numbers | x.dim() > 1 | x.sum() > 1 | numbers == [1]
x[0] | x[-1] | x[0, 0] | x[:, 0] | x[None] | x[..., 0] | x[0:1] | x[index] | x[mask] | cube[:, index] | x[x > 0.5]
x[numbers[0] - 1] | cube[0][0][0] | pair[0] | pair[1] | pair[-1] | pair[0:1] | numbers[0] | x.data[0] | np.zeros(3)[0]
x.t() | x.T | x.mT | x.shape | x.shape[0] | x.data | x.dtype | x.is_cuda | x.requires_grad | x.size(0)
x.size() | x.dim() | x.numel() | x.item | one.item() | x.tolist() | x.numpy() | x.detach().numpy().sum() | x.cpu()
x.float() | x.long() | x.byte() | x.bool() | x.double() | x.half() | x.int() | x.type(torch.LongTensor) | x.clone()
x.view(-1) | x.view(3, 2) | x.view(6) | x.view(x.size()) | x.view(x.size(0), -1) | x.view(*[3, 2]) | x.reshape(3, 2)
x.view((3, 2)) | x.view_as(x) | y.expand(2, 3) | y.expand_as(x) | y.repeat(2, 2) | x.view(1, 2, 3).squeeze(0)
x.squeeze() | one.squeeze() | x.unsqueeze(0) | x.unsqueeze(-1) | x.transpose(0, 1) | cube.permute(2, 0, 1)
x.select(0, 1) | x.narrow(0, 0, 1) | x.unfold(1, 2, 1) | x.diagonal() | x.contiguous() | x.t().contiguous()
x.split(1) | x.chunk(2) | x.unbind() | x.chunk(2)[0] | torch.split(x, 1) | torch.chunk(x, 2, 0) | torch.unbind(x)
x.sum() | x.sum(0) | x.sum(0, True) | x.sum(dim=1, keepdim=True) | x.sum(-1) | x.mean() | x.std() | x.std(0) | x.var(1)
x.std(True) | x.norm() | x.norm(2) | x.norm(2, 1) | x.norm(p=2, dim=1) | x.prod() | x.max() | x.max(1) | x.max(1)[0]
x.max(1)[1] | x.max(x) | torch.max(x, x) | torch.max(x) | torch.max(x, 1)[1] | x.min(0, True)[0] | x.median() | x.mode(1)
x.kthvalue(1) | x.topk(2) | x.topk(2)[1] | x.sort() | x.sort(0)[0] | torch.sort(x)[1] | torch.topk(x, 1)[0]
x.argmax() | x.argmax(1) | torch.argmin(x, 1) | x.any() | mask.all() | x.logsumexp(1) | x.sum((0, 1)) | cube.sum((0, 1))
x.eq(x) | x.gt(0.5) | torch.eq(x, x) | torch.isnan(x) | y.dot(y) | torch.dot(y, y) | x.mm(x.t()) | torch.mm(x, x.t())
torch.bmm(cube, cube.transpose(1, 2)) | x.mv(y) | torch.ger(y, y) | torch.matmul(x, y) | x.matmul(y)
torch.addmm(torch.zeros(2, 2), x, x.t()) | x.gather(1, index.view(2, 1)) | x.index_select(0, index) | x.masked_select(mask)
x.masked_fill(mask, 0) | x.nonzero() | x.multinomial(2) | torch.multinomial(x, 1) | x.clamp(0, 1) | x.abs() | x.exp()
torch.abs(x) | torch.exp(input=x) | torch.sum(x) | torch.sum(input=x) | torch.pow(2, x) | torch.pow(x, 2) | x.cumsum(0)
F.relu(x) | F.softmax(x, 1) | F.dropout(x) | F.log_softmax(x, dim=1) | F.linear(x, torch.rand(4, 3)) | F.normalize(x)
F.nll_loss(x, index) | F.cross_entropy(x, index) | F.mse_loss(x, x) | F.mse_loss(x, x, reduction='none')
F.mse_loss(x, x, reduction='sum') | F.mse_loss(x, x, **{}) | nn.MSELoss()(x, x) | nn.MSELoss(reduction='none')(x, x)
nn.Linear(3, 4) | nn.Linear(3, 4)(x) | nn.Linear(3, 4).weight | nn.LSTM(3, 4)(cube.view(4, 2, 3)) | nn.ReLU()(x)
nn.GRU(3, 4)(cube.view(4, 2, 3))[1] | nn.LSTMCell(3, 4)(x) | nn.LSTM(3, 4)(cube.view(4, 2, 3))[1][0]
nn.Sequential(nn.Linear(3, 4))(x) | nn.ModuleList([nn.ReLU()])[0](x) | nn.Linear(3, 4).train()(x) | nn.Softmax(1)(x)
nn.Parameter(torch.rand(2)) | nn.Embedding(4, 5)(index) | nn.Conv2d(1, 1, 1)(torch.rand(1, 1, 2, 2)) | nn.Dropout()(x)
torch.zeros(2, 3) | torch.ones(2) | torch.zeros((2, 3)) | torch.zeros(x.size()) | torch.zeros(*[2, 3]) | torch.rand(())
torch.zeros_like(x) | torch.ones_like(index) | torch.arange(3) | torch.linspace(0, 1, 3) | torch.randperm(3) | torch.eye(2)
torch.tensor(1.0) | torch.tensor([1, 2]) | torch.tensor([[1.0]]) | torch.from_numpy(np.zeros(3)) | torch.as_tensor([1])
torch.FloatTensor([1, 2]) | torch.FloatTensor(2, 3) | torch.LongTensor([[1]]) | torch.ByteTensor(3) | torch.Tensor(2, 2)
torch.Tensor([1.0]) | torch.FloatTensor([y.sum(), 1]) | torch.cat([x, x]) | torch.cat((x, x), 1) | torch.stack([y, y])
torch.cat(list(pair[:1])) | torch.is_tensor(x) | torch.cuda.is_available() | torch.is_grad_enabled() | torch.manual_seed(1)
torch.where(mask, x, x) | torch.masked_select(x, mask) | torch.diag(y) | torch.optim.SGD([y], 0.1) | torch.typename(x)
int(1.5) | float(one) | len(x) | str(x) | bool(one) | abs(-1) | abs(x) | max(1, 2) | max([one, one]) | min(numbers) | sum(numbers)
sum([one, one]) | sum(i for i in numbers) | next(iter([x])) | list(pair) | tuple([x]) | sorted(numbers) | reversed([x])
enumerate([x]) | zip([x], [y]) | range(3) | list(zip([x], [y]))[0][1] | list(enumerate([x]))[0][1] | round(1.5) | set(numbers)
isinstance(x, int) | np.zeros(3) | np.zeros(3) + 1 | np.array([1]) * 2 | np.zeros(3).sum() | np.mean(numbers)
[x, y] | (x, 1) | [*pair, x] | [x] + [y] | [x] * 3 | [t.sum() for t in pair] | {t.sum() for t in pair} | {'a': x} | (t for t in pair)
x if numbers else y | x if numbers else 1 | numbers or x | (z := x) | lambda: x | f'{x}' | 'a' | None | ... | 1.5 | True
x.type() | x.sum(*[1]) | x.max(**{'dim': 1}) | x[0].sum(*[0]) | torch.FloatTensor(x[0].tolist()) | torch.Tensor(y) | F.relu | nn.functional
pair[numbers[0] - 1] | pair[-numbers[0]] | [[t.sum() for i in numbers] for t in pair] | [[t for u in [t]] for t in pair][0][0]
x.backward | x.is_contiguous() | x.new_zeros(2) | x.fill_(1) | x.zero_() | x.add_(1) | x.t_() | x.unsqueeze_(0)
"""
PROGRAMS = {
    "while": "while x.dim() < 4:\n    x = x.unsqueeze(0)\nelse:\n    x = x\nx",
    "while that breaks": "n = 0\nwhile True:\n    n += 1\n    if n > 2:\n        y = x\n        break\n    continue\ny",
    "for with else": "for t in pair:\n    if t.dim() > 5:\n        break\nelse:\n    t = x\nt",
    "try": "try:\n    z = x.sum()\n    int('a')\nexcept ValueError as error:\n    z = x\nelse:\n    z = 1\nfinally:\n    w = z\nw",
    "try without a handler": "try:\n    z = x.sum()\nfinally:\n    pass\nz",
    "caught": "try:\n    int('a')\nexcept ValueError as error:\n    found = error\nfound",
    "with": "import contextlib\nwith contextlib.nullcontext(x) as z:\n    pass\nz",
    "match": "match numbers:\n    case [a, *rest]:\n        z = x\n    case _:\n        z = 1\nz",
    "annotated": "z: object = x.sum()\nz",
    "augmented": "total = 0\nfor t in pair:\n    total += t.sum()\ntotal",
    "unpacked": "a, (b, c) = x, (1, y)\nc",
    "starred": "a, *b = [x, y, one]\nb",
    "unpacked from a tensor": "a, b = x\na",
    "a loop over a tensor": "for row in x:\n    pass\nrow",
    "deleted": "z = x\ndel z\nz = 1\nz",
    "walrus": "if (z := x.sum()) is not None:\n    pass\nz",
    "appended": "found = []\nfor t in pair:\n    found.append(t.sum())\nfound[0]",
    "extended": "found = [1]\nfound.extend(pair)\nfound[-1]",
    "appended in a comprehension": "found = []\n[found.append(t) for t in pair]\nfound[0]",
    "popped": "found = [x, x]\nfound.pop()",
    "both ways": "if random.random() > 2:\n    z = [x, 1]\nelse:\n    z = [y, 2]\nz",
    "lists of two lengths": "if random.random() > 2:\n    z = [x, 1]\nelse:\n    z = [y]\nz",
    "modules": "if random.random() > 2:\n    loss = nn.MSELoss()\nelse:\n    loss = nn.L1Loss()\nloss(x, x)",
    "one of two modules, as it is": "if random.random() > 2:\n    loss = nn.MSELoss()\nelse:\n    loss = nn.ReLU()\nloss",
    "text or number": "z = 1 if random.random() > 2 else 'a'\nz",
    "none at first": "z = None\nfor t in pair:\n    z = t if z is None else z + t.sum()\nz",
    "a lambda": "f = lambda t: t.sum()\nf(x)",
    "a default": "def f(t=x):\n    return t\nf()",
    "decorated": "def same(f):\n    return f\n@same\ndef f(t: object = x) -> object:\n    return t.sum()\nf(x)",
    "a generator": "def f():\n    yield x\n    yield y\nnext(f())",
    "a generator in a loop": "def f():\n    yield x\nfor t in f():\n    pass\nt",
    "code behind a return": "def f():\n    return x\n    z = y\n    return z\nf()",
    "code behind two returns": "def f(n):\n    if n:\n        return x\n    else:\n        return y\n    return n\nf(1)",
    "a parameter of the function around": "def f(t):\n    def g():\n        return t.sum()\n    return g()\nf(x)",
    "a loop that goes backward": "x.requires_grad_()\nfor loss in [x.sum(), x.mean()]:\n    loss.backward()\nloss",
    "a sum that goes backward": "x.requires_grad_()\nraw = x.sum()\nloss = raw + 0.1 * x.mean()\nloss += y.sum()\nloss.backward()\nraw",
    "two returns": "def f(n):\n    if n:\n        return x.sum()\n    return 0\nf(1)",
    "raises": "def f(n):\n    if n:\n        raise ValueError\n    return x.sum()\nf(0)",
    "recursion": "def f(n):\n    return x if n == 0 else f(n - 1).sum(0)\nf(1)",
    "a global": "def f():\n    global kept\n    kept = x.sum()\nf()\nkept",
    "nested": "def f():\n    z = x\n    def g():\n        return z\n    return g()\nf()",
    "a class": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = torch.rand(2)\n"
    "    def forward(self, t):\n        self.last = t.sum()\n        return t.sum(0)\n    def score(self):\n        return self.w.mean()\n"
    "net = Net()\n",
    "a plain class": "class Box:\n    def __init__(self, t):\n        self.t = t\n    def get(self):\n        return self.t\nBox(x.sum())",
    "a callable": "class Twice:\n    def __call__(self, t):\n        return t.sum()\nTwice()(x)",
    "one that cannot be called": "class Box:\n    size = 3\nBox()",
    "async": "async def f():\n    return x\nf",
    "a dictionary": "found = {'a': x.sum()}\nfound['a']",
    "sorted by key": "sorted(pair, key=lambda t: t.dim())[0]",
    "divided for good": "t = index\nt = t / 2\nt",
    "written by another function": "def f():\n    global kept\n    kept = x.sum()\nkept = 1\nf()\nkept",
    "an item put in": "found = [1, 2]\nfound[0] = x\nfound[0]",
    "inserted": "found = [1, 2]\nfound.insert(0, x)\nfound[0]",
    "appended to what is there": "found = [1, 2]\nfound.append(x)\nfound[-1]",
    "columns": "torch.chunk(x, 3, 1)[0]",
    "deep": "x" + ".abs()" * 60,
    "iterated to nothing": "for i in range(3):\n    x = x.sum(0, keepdim=True).squeeze(0) if x.dim() > 1 else x\nx",
}  # fmt: skip
OF_THE_CLASS = ("net(x)", "net.score()", "net.w", "net.train()(x)", "net.missing if 0 else 1", "(net(x), net.last)[1]")


def said_of(text: str) -> Kind:
    scene = Scene([Module("a.py", text)], Options())
    body = ast.parse(text).body
    last = [node for node in scene.nodes("a.py") if isinstance(node, ast.Expr)]
    expression = max(last, key=lambda node: (node.lineno, node.col_offset)).value
    assert expression.lineno == body[-1].lineno
    return scene.kind("a.py", expression)


def made_by(text: str) -> object:
    *before, last = ast.parse(text).body
    names: dict[str, object] = {"None_": 0}
    exec(compile(ast.Module(before, []), "a.py", "exec"), names)
    return eval(compile(ast.Expression(last.value), "a.py", "eval"), names)


def dtype_of(value: torch.Tensor) -> str:
    if value.dtype.is_floating_point:
        return "float"
    return {torch.bool: "bool", torch.uint8: "byte"}.get(value.dtype, "long")


def check(kind: Kind, value: object) -> None:
    """``value`` is what ``kind`` says."""
    if isinstance(kind, Tensor):
        if kind.maybe and not isinstance(value, torch.Tensor):
            assert value is None or isinstance(value, (int, float))
            return
        assert isinstance(value, torch.Tensor)
        assert kind.dim in (None, value.dim())
        assert kind.dtype in (None, dtype_of(value))
        assert not kind.single or value.numel() == 1
        assert kind.strided or value.is_contiguous()
    elif isinstance(kind, Many):
        assert not isinstance(value, torch.Tensor)
        items = list(value)  # type: ignore[call-overload]
        if kind.items is not None:
            assert len(items) == len(kind.items)
        for place, item in enumerate(items):
            check(kind.item(place), item)
    elif kind == NUMBER:
        assert isinstance(value, (int, float))
    elif kind == NONE:
        assert value is None
    elif kind == NUMPY:
        assert type(value).__module__ == "numpy"
    elif isinstance(kind, Instance):
        name = kind.cls if isinstance(kind.cls, str) else kind.cls.qualname
        names = {type(value).__name__, *(base.__name__ for base in type(value).__mro__)}
        others = {each.cls if isinstance(each.cls, str) else each.cls.qualname for each in kind.others}
        assert {each.rsplit(".", 1)[-1] for each in (name, *others)} & names
    elif kind == OTHER:
        assert not isinstance(value, (torch.Tensor, torch.nn.Module))
    else:
        assert kind == UNKNOWN


@pytest.mark.parametrize("expression", [each.strip() for each in EXPRESSIONS.strip().replace("\n", " | ").split(" | ")])
@pytest.mark.parametrize("around", ["", "def f(n):\n{}\nf(1)\n"], ids=["", "in a function"])
def test_an_expression_is_what_is_said_of_it(expression: str, around: str) -> None:
    text = HEAD + (around.format(f"    return {expression}") if around else f"({expression})\n")
    check(said_of(text), made_by(text))


@pytest.mark.parametrize("program", [*PROGRAMS.values(), *(PROGRAMS["a class"] + e for e in OF_THE_CLASS)])
@pytest.mark.parametrize("inside", [False, True])
def test_a_program_ends_in_what_is_said_of_it(program: str, inside: bool) -> None:
    if program == PROGRAMS["a class"]:
        program += "net"
    *lines, last = program.split("\n")
    text = HEAD + program
    if inside:
        body = indent("\n".join([*lines, f"return {last}"]), "    ").replace("global kept", "nonlocal kept")
        text = f"def f():\n{indent(HEAD, '    ')}    kept = 1\n{body}\nf()"
    check(said_of(text), made_by(text))
