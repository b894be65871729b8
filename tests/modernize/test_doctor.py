"""``voltfix doctor``: what keeps a project from today's torch."""

from __future__ import annotations

import json

import pytest

from helpers import Run, Tree
from voltfix.model import Options
from voltfix.modernize.obstacles import examine


def kinds(source: str, path: str = "a.py") -> list[tuple[int, str, str | None]]:
    found = examine({path: source.encode()}, Options(modernize=True))
    return [(obstacle.line, obstacle.kind, obstacle.fix) for obstacle in found]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import torch\nfrom torch.utils.ffi import create_extension\n", "removed-module"),
        ("import torch\nimport torch.legacy.nn\n", "removed-module"),
        ("import torch\nfrom scipy.misc import imresize\n", "removed-name"),
        ("import torch\nfor i in xrange(3): pass\n", "python-2"),
        ("import torch\nprint 'x'\n", "python-2"),
        ("import torch\nd.iteritems()\n", "python-2"),
        ("import torch\nx._backend.Embedding\n", "private-name"),
    ],
)
def test_names_what_no_rule_fixes(source: str, kind: str) -> None:
    assert (2, kind, None) in kinds(source)


def test_an_old_style_function_is_named_by_its_methods() -> None:
    source = (
        "import torch\nclass F(torch.autograd.Function):\n    def forward(self, x):\n        return x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g\n"
    )
    assert kinds(source) == [(3, "old-style-function", None)]


def test_names_sites_and_findings_with_the_rule_that_fixes_them() -> None:
    source = "from torch.autograd import Variable\nx = Variable(y.cuda(async=True), volatile=True)\n"
    fixes = {fix for _, _, fix in kinds(source)}
    assert {"VF101", "VF203"} <= fixes


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.zeros(2)\n",
        "import torch\nxrange = range\nxrange(3)\n",
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): pass\n",
        "import torch\nclass Function: pass\nclass F(Function):\n    def forward(self, x):\n        return x\n",
    ],
    ids=["modern", "bound by the file", "new style", "another class"],
)
def test_finds_nothing(source: str) -> None:
    assert kinds(source) == []


def test_the_command_counts_and_exits_with_1(voltfix: Run, tree: Tree) -> None:
    tree({"pkg/a.py": "import torch\nfor i in xrange(3): pass\n"})
    done = voltfix("doctor", "pkg")
    assert done.returncode == 1
    assert done.stdout.decode().startswith("pkg/a.py:2:10: python-2 [by hand]: xrange")
    data = json.loads(voltfix("doctor", "pkg", "--output-format", "json").stdout)
    assert [obstacle["line"] for obstacle in data["obstacles"]] == [2]


def test_the_command_exits_with_0_on_a_modern_project(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": "import torch\nx = torch.zeros(2)\n"})
    assert voltfix("doctor", "a.py").returncode == 0
