"""An attribute that stands for torch's makers of tensors (``self.floats = torch.FloatTensor``) makes data."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

START = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"
NET = """\
class Net(nn.Module):
    def __init__(self, args):
        super(Net, self).__init__()
        self.cell = nn.Linear(2, 2)
BIND
    def begin(self, last):
        h = self.cell(last)
        return h, Variable(self.floats(h.size()).zero_())

    def look(self, x):
        v = Variable(x, volatile=True)
        h = self.begin(v)
        return h[0].data
"""
LINE = "        h = self.begin(v)\n"
ONE = "        self.floats = torch.FloatTensor\n"


@pytest.mark.parametrize("bind", [
    ONE, "        self.floats = torch.cuda.FloatTensor if args.cuda else torch.FloatTensor\n",
    "        if args.cuda:\n            self.floats = torch.cuda.FloatTensor\n        else:\n    " + ONE,
    "        self.floats = torch.zeros\n",
])
def test_what_makes_tensors_of_numbers_is_no_code_that_may_want_a_graph(bind: str) -> None:
    before = START + NET.replace("BIND\n", bind + "\n")
    check_transformed(before, before.replace(", volatile=True", "").replace(
        LINE, "        with torch.no_grad():\n    " + LINE))


@pytest.mark.parametrize("bind", [
    "        self.floats = args.maker\n", "        self.floats = args.maker if args.maker else torch.FloatTensor\n",
    "        self.floats = nn.Embedding(2, 2)\n" + ONE.replace("torch.FloatTensor", "args.maker"),
    ONE + "        self.floats = args.maker\n", ONE + "        self.__dict__.update(args)\n",
    ONE + "        for self.floats in args.makers:\n            pass\n",
    ONE + "        self.add_module('floats', args.maker)\n",
])
def test_another_that_init_may_have_bound_is_not_known(bind: str) -> None:
    check_noop(START + NET.replace("BIND\n", bind + "\n"), reason="mixed-statement")


@pytest.mark.parametrize("more", [
    "def put(net, maker):\n    net.floats = maker\n", "def put(net, name, maker):\n    setattr(net, name, maker)\n",
    "def put(maker):\n    Net.floats = maker\n", "def put(net, maker):\n    net.add_module('floats', maker)\n",
    "def put(net, name, maker):\n    net.add_module(name, maker)\n", "torch.FloatTensor = make()\n",
    "class Own(Net):\n    def __getattribute__(self, name):\n        self.cell.weight.norm().backward()\n"
    "        return object.__getattribute__(self, name)\n",
    "class Own(Net):\n    def __init__(self, args):\n        Net.__init__(self, args)\n"
    "        self.floats = args.maker\n",
    "class Own(Net):\n    def floats(self, size):\n        return self.cell(size).sum().backward()\n",
    "class Mixin(object):\n    def floats(self, size):\n        return self.cell(size).sum().backward()\n\n\n"
    "class Own(Net, Mixin):\n    pass\n",
    "class Mixin(object):\n    def prepare(self, maker):\n        self.floats = maker\n\n\n"
    "class Own(Mixin, Net):\n    pass\n",
    "class Mixin(object):\n    def prepare(self, maker):\n        self.floats = maker\n\n\n"
    "class Own(Net, Mixin):\n    pass\n",
])
def test_nor_is_one_that_others_or_a_class_below_may_bind(more: str) -> None:
    check_noop(START + NET.replace("BIND\n", ONE + "\n") + "\n\n" + more, reason="mixed-statement")


def test_what_it_made_may_be_handed_to_code_that_wants_a_graph() -> None:
    before = NET.replace("BIND\n", ONE + "\n").replace(
        "Variable(self.floats(h.size()).zero_())", "self.other(Variable(self.floats(2)))")
    check_noop(START + before, reason="mixed-statement")


def named_as_in_torch(more: str = "") -> str:
    return START + NET.replace("BIND\n", ONE + "\n").replace("floats", "FloatTensor") + more


def test_an_object_may_have_it_under_the_name_that_torch_has_for_it() -> None:
    before = named_as_in_torch()
    check_transformed(before, before.replace(", volatile=True", "").replace(
        LINE, "        with torch.no_grad():\n    " + LINE))


@pytest.mark.parametrize("more", [
    "torch.FloatTensor = make()\n", "def put(where, maker):\n    where.FloatTensor = maker\n",
    "def put(maker):\n    library = torch\n    library.FloatTensor = maker\n",
    "def put(net, maker):\n    net.FloatTensor = maker\n\n\nput(Net(3), make())\n",
    "class Kept(object):\n    def __init__(self, maker):\n        self.torch = torch\n"
    "        self.torch.FloatTensor = maker\n",
])
def test_torch_may_have_another_under_that_name(more: str) -> None:
    check_noop(named_as_in_torch("\n\n" + more), reason="mixed-statement")
