from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.judging import Judging

START = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport lib\n"


def judged(source: str, name: str = "Judge") -> bool:
    code = project(main=START + source)
    cls = next(each for each in code.classes() if each.qualname == name)
    answers = Judging(code)
    assert answers.of_definition(cls.node) == answers.is_loss(cls)
    return answers.is_loss(cls)


def of(init: str = "pass", forward: str = "return (guess - mark).abs().mean()", bases: str = "nn.Module") -> str:
    return (f"class Judge({bases}):\n    def __init__(self, scale=1.0):\n        {init}\n"
            f"    def forward(self, guess, mark):\n        {forward}\n")


@pytest.mark.parametrize("source", [
    of(),
    of(bases="nn.modules.loss._Loss"),
    of("self.inner = nn.BCELoss()", "return self.inner(F.sigmoid(guess), mark)"),
    of("self.scale = scale", "return guess * self.scale"),
    of("self.other = Other()") + "class Other(nn.Module):\n    def forward(self, x): return nn.Softmax()(x)\n",
    "class Above(nn.Module):\n    def forward(self, x): return x.sum()\n" + of(bases="Above"),
])
def test_a_class_that_computes_with_what_it_is_given_and_with_numbers_is_a_loss(source: str):
    assert judged(source)


@pytest.mark.parametrize("source", [
    of("self.inner = nn.Linear(2, 1)"),
    of("self.scale = nn.Parameter(torch.ones(1))"),
    of("self.register_parameter('scale', lib.scale)"),
    of("self.scale = torch.ones(1).requires_grad_()"),
    of("self.other = Other()") + "class Other(nn.Module):\n    def __init__(self): self.inner = nn.Linear(1, 1)\n",
    "class Above(nn.Module):\n    def __init__(self): self.inner = nn.Linear(1, 1)\n" + of(bases="Above"),
    of(bases="nn.Linear"),
    of(bases="lib.Judge"),
    of(bases="nn.Module, metaclass=lib.Kind"),
    of("self.scale = scale") + "def tune(judge): judge.scale = lib.weight\n",
    of() + "def tune(judge): judge.forward = lib.forward\n",
    of() + "def tune(judge, name): setattr(judge, name, lib.weight)\n",
    of("self.__dict__.update(lib.parts)"),
    of() + "    def __getattr__(self, name): return lib.part(name)\n",
    of("self.inner = Judge()"),
    of(bases="object"),
    of("self.seen = []"),
    of("self.seen = list()"),
    of("self.seen = lib.buffer()"),
    of("self.mean = torch.zeros(1)"),
    of("lib.register(self)"),
    of(forward="self.last = guess"),
    of(forward="self.last += 1"),
    of(forward="return lib.rate(self, guess)"),
    of(forward="self.register_buffer('last', guess)"),
    of(forward="return self.seen(guess)"),
    of(forward="yield guess"),
    of(forward="global last; last = guess"),
    of() + "    seen = []\n",
    of() + "    @property\n    def seen(self): return 1\n",
    of() + "    def __setattr__(self, name, value): lib.put(name, value)\n",
    of() + "    def rate(self, guess, seen=[]): return seen\n",
    "@lib.better\n" + of(),
])
def test_one_that_may_have_weights_or_keep_something_is_none(source: str):
    assert not judged(source)


@pytest.mark.parametrize(("call", "plain"), [
    ("Judge()", True), ("Judge(2)", True), ("Judge(scale=-1)", True), ("Judge(half)", True),
    ("Judge(lib.weight)", False), ("Judge(some)", False), ("Judge(*lib.rest)", False), ("Judge(**lib.rest)", False),
    ("Judge(scale=lib.net(1))", False),
])
def test_an_object_is_made_without_weights_where_it_is_given_numbers_alone(call: str, plain: bool):
    code = project(main=START + of() + f"half = 0.5\nsome = lib.weight\n{call}\n")
    cls = next(iter(code.classes()))
    made = next(node for node in code.nodes("main.py") if isinstance(node, ast.Call) and ast.unparse(node) == call)
    assert Judging(code).is_made("main.py", made, cls) is plain
