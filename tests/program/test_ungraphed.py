"""What the author's own ``no_grad`` makes anew: the module alone."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.ungraphed import has_no_graph_here

START = "import torch\nimport torch.nn.functional as F\n\n\ndef f(a, b, net):\n"


def without(body: str, after: str = "") -> bool:
    code = project(main=START + body + after)
    value = next(node.value for node in code.nodes("main.py")
                 if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "v")
    return has_no_graph_here(code, "main.py", value)


@pytest.mark.parametrize("body", [
    "    with torch.no_grad():\n        v = torch.mm(a, b)\n",
    "    with torch.no_grad():\n        v = F.normalize(torch.matmul(a, b), dim=0)\n",
    "    with torch.no_grad():\n        for _ in range(2):\n            v = torch.dot(a, b)\n",
])
def test_a_product_of_an_authors_own_block_has_no_graph(body: str) -> None:
    assert without(body)


@pytest.mark.parametrize("body", [
    "    v = torch.mm(a, b)\n",
    "    with torch.no_grad():\n        v = a.float()\n",
    "    with torch.no_grad():\n        v = F.dropout(a)\n",
    "    with torch.no_grad():\n        v = a + b\n",
    "    with torch.no_grad():\n        v = torch.mm(a, b, out=net)\n",
    "    with torch.no_grad():\n        v = torch.mm(*a)\n",
    "    with torch.no_grad():\n        v = net(torch.mm(a, b))\n",
    "    with torch.no_grad():\n        with net:\n            v = torch.mm(a, b)\n",
    "    with torch.no_grad(), net:\n        v = torch.mm(a, b)\n",
    "    with torch.autograd.profiler.profile():\n        v = torch.mm(a, b)\n",
    "    with torch.no_grad():\n        yield a\n        v = torch.mm(a, b)\n",
    "    with torch.no_grad():\n        def g():\n            v = torch.mm(a, b)\n            return v\n",
])
def test_what_may_have_a_graph_is_not_taken_for_one_without(body: str) -> None:
    assert not without(body)


@pytest.mark.parametrize("after", [
    "\n\ndef g(n):\n    with torch.enable_grad():\n        return n(1)\n",
    "\n\ndef g(n):\n    torch.set_grad_enabled(n)\n",
    "\n\ndef g(n):\n    return getattr(torch, 'enable_grad')\n",
    "\n\ntorch.no_grad = object\n",
])
def test_a_project_that_turns_gradients_on_is_not_believed(after: str) -> None:
    assert not without("    with torch.no_grad():\n        v = torch.mm(a, b)\n", after)
