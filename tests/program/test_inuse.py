from __future__ import annotations

import pytest

from alone import node, project
from voltfix.program.inuse import torch_in_use

PLACE = "act(row)"


def used(source: str, **files: str) -> str | None:
    code = project(main=source, **files)
    return torch_in_use(code, "main.py", node(code, PLACE))


@pytest.mark.parametrize("source", [
    "if a:\n    import torch\n    act(row)\nelse:\n    import torch\n    go()",
    "if a:\n    import torch\n    for row in rows:\n        with b:\n            act(row)",
    "if a:\n    import torch.nn\n    act(row)",
    "try:\n    import torch\nexcept ImportError:\n    torch = None\ndef f(row):\n    x = torch.zeros(1)\n    act(row)",
    "def f(row):\n    if a:\n        import torch\n        act(row)",
    "if a:\n    import torch\nx = torch.zeros(1)\nact(row)",
])
def test_what_runs_before_has_it(source: str):
    assert used(source) == "torch"


def test_it_may_have_another_name():
    assert used("if a:\n    import torch as t\n    act(row)") == "t"


@pytest.mark.parametrize("source", [
    "act(row)\nimport torch",
    "if a:\n    import torch\nact(row)",
    "if a:\n    import torch\nelse:\n    act(row)",
    "if a:\n    import torch\nx = a and torch.zeros(1)\nact(row)",
    "if a:\n    import torch\nx = lambda: torch.zeros(1)\nact(row)",
    "if a:\n    import torch\n    torch.zeros(1)\ndef f(row):\n    act(row)",
    "import tensors as torch\nact(row)",
    "from torch import nn\nact(row)",
    "import torch.nn as nn\nact(row)",
    "if a:\n    import torch\n    torch = torch.nn\n    act(row)",
])
def test_what_may_not_have_run_says_nothing(source: str):
    assert used(source) is None


def test_a_star_of_a_module_of_the_project_brings_it():
    common = "import torch\nimport torch.nn as nn"
    assert used("from common import *\nact(row)", common=common) == "torch"
    assert used("def f(row):\n    act(row)\nfrom common import *", common=common) == "torch"
    assert used("act(row)\nfrom common import *", common=common) is None
    assert used("from common import *\nact(row)", common=f"{common}\n__all__ = ['nn']") is None
    assert used("from common import *\nact(row)", common=f"{common}\n__all__ = ['torch']") == "torch"
    assert used("from common import *\nact(row)", common="from lower import *", lower=common) == "torch"
    assert used("from common import *\nact(row)", common="import torch.nn as nn") is None
    assert used("from elsewhere import *\nact(row)", common=common) is None
    assert used("from common import *\ndef f(torch):\n    act(torch)\n    act(row)", common=common) is None
