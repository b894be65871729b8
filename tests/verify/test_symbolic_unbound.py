"""A name that nothing has bound where the new text asks for it, and the old one did not, is not there."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

FIRST = "from torch.autograd import Variable\nfrom nets import make\n"
NETS = "import torch.nn as nn\ndef make():\n    return nn.Linear(2, 2)\n"


def judge(before: str, after: str, name: str = "", **others: str) -> tuple[str, str | None]:
    more = {f"{path}.py": text for path, text in others.items()}
    old = Side({"a.py": textwrap.dedent(before), "nets.py": NETS, **more})
    sides = old, Side({"a.py": textwrap.dedent(after), "nets.py": NETS, **more}, twin=old)
    return explore.verify(explore.Item(*sides, (Unit("a.py", name),)))[:2]


CELLS = FIRST + "net = make()\n{first}\n{call}\n{last}\n"
BEFORE, AFTER = "y = net(Variable(x, volatile=True))", "with torch.no_grad(): y = net(Variable(x))"


@pytest.mark.parametrize("late", ["import torch", "if y is not None:\n    import torch", "import os, torch"])
def test_a_block_above_the_import_of_torch_ends_at_an_error(late: str):
    texts = [CELLS.format(first="", call=call, last=late) for call in (BEFORE, AFTER)]
    verdict, detail = judge(*texts)
    assert verdict == "different"
    assert "'torch'" in (detail or "")


def test_one_below_it_is_right():
    texts = [CELLS.format(first="import torch", call=call, last="import torch") for call in (BEFORE, AFTER)]
    assert judge(*texts) == ("identical", None)


def test_a_function_that_is_called_above_the_import_of_torch_ends_at_an_error():
    text = FIRST + "net = make()\ndef f(x):\n    {}\n    return y\nprint(f(3))\nimport torch\nprint(f(4))\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f")[0] == "different"


def test_a_function_that_is_called_below_it_is_right():
    text = FIRST + "net = make()\ndef f(x):\n    {}\n    return y\nimport torch\nprint(f(4))\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f") == ("identical", None)


@pytest.mark.parametrize("late", ["import torch", "if y is None:\n        import torch"])
def test_an_import_of_torch_in_a_function_is_not_there_above_it(late: str):
    text = FIRST + "def f(net, x):\n    {}\n    " + late + "\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f")[0] == "different"


def test_an_import_of_torch_in_another_function_is_none():
    text = FIRST + "def g():\n    import torch\n    return torch.ones(2)\ndef f(net, x):\n    {}\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f")[0] == "different"


def test_an_import_of_torch_in_the_same_function_is_one():
    text = FIRST + "def f(net, x):\n    import torch\n    {}\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f") == ("identical", None)


@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("from somewhere import *", {}),
        ("from tools import *", {"tools": "import torch\n"}),
        ("if __name__ == '__main__':\n    import torch", {}),
        ("def setup():\n    global torch\n    import torch", {}),
    ],
)
def test_torch_may_come_from_elsewhere(first: str, others: dict[str, str]):
    text = FIRST + first + "\ndef f(net, x):\n    {}\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f", **others) == ("identical", None)


def test_what_a_star_import_at_hand_does_not_have_is_not_there():
    text = FIRST + "from tools import *\ndef f(net, x):\n    {}\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f", tools="import os\n")[0] == "different"


def test_what_the_old_text_asks_for_early_came_from_a_cell_that_ran_before():
    texts = [CELLS.format(first="x = torch.ones(2)", call=call, last="import torch") for call in (BEFORE, AFTER)]
    assert judge(*texts) == ("identical", None)


def test_a_part_of_a_text_has_what_stands_around_it():
    text = "def f(net, x):\n    {}\n    return y\n"
    assert judge(text.format(BEFORE), text.format(AFTER), "f") == ("identical", None)
