"""VF203. More is left alone than rewritten: the word async is many people's own."""

from __future__ import annotations

import pytest

from helpers import check_holds_up, migrated
from voltfix.model import Options

HEAD = "import torch\nfrom torch.autograd import Variable\n"
SITE = "v = Variable(torch.ones(1), volatile=True)\n"


def after(source: str, **options) -> tuple[str, list]:
    result = migrated(source, options=Options(**options))
    check_holds_up({"a.py": source.encode()}, result, Options(**options))
    return result.outputs.get("a.py", source.encode()).decode(), list(result.modernized)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = x.cuda(async=True)", "x = x.cuda(non_blocking=True)"),
        ("x = x.cuda(None, async = flag)", "x = x.cuda(None, non_blocking = flag)"),
        ("x = x.cuda(async=True).view(-1).cuda(async=False)", None),
        ("y.copy_(x.cuda(async=True), async=True)", "y.copy_(x.cuda(non_blocking=True), non_blocking=True)"),
    ],
)
def test_renames(line: str, expected: str | None) -> None:
    text, rows = after(f"{HEAD}{SITE}{line}\n")
    assert text.splitlines()[-1] == (expected or line.replace("async", "non_blocking"))
    assert {row.code for row in rows} == {"VF203"}
    assert {row.line for row in rows} == {4}


def test_is_off_without_a_volatile_site() -> None:
    source = f"{HEAD}x = torch.ones(1).cuda(async=True)\n"
    assert after(source) == (source, [])


def test_is_on_without_a_volatile_site_when_asked() -> None:
    source = "import torch\nx = torch.ones(1).cuda(async=True)\n"
    for options in ({"modernize": True}, {"select": ("VF203",)}, {"select": ("VF2",)}):
        assert after(source, **options)[0] == source.replace("async", "non_blocking")


def test_ignore_turns_it_off() -> None:
    source = "import torch\nx = torch.ones(1).cuda(async=True)\n"
    assert after(source, modernize=True, ignore=("VF203",))[0] == source


def test_leaves_a_suppressed_line_alone() -> None:
    source = "import torch\nx = torch.ones(1).cuda(async=True)  # voltfix: skip\n"
    assert after(source, modernize=True) == (source, [])


@pytest.mark.parametrize(
    "source",
    [
        "import cupy\nx = cupy.asarray(1).copy(async=True)\n",
        "import chainer\nx = chainer.Variable(y).to_gpu(async=True)\n",
        "import torch\nfrom jobs import submit\nsubmit(torch, async=True)\n",
        "import torch\nqueue.put(x, async=True)\n",
        "import torch\ntext = 'x.cuda(async=True)'  # x.cuda(async=True)\n",
    ],
    ids=["cupy", "chainer", "an unknown function", "another method", "strings and comments"],
)
def test_leaves_alone(source: str) -> None:
    assert after(source, modernize=True) == (source, [])


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef cuda(x, async=False):\n    return x\ncuda(torch.ones(1), async=True)\n",
        "import torch\nclass Job:\n    def cuda(self, async=False):\n        pass\nJob().cuda(async=True)\n",
        "import torch\nclass Job:\n    def cuda(self, async=False):\n        pass\ndef f(x):\n    x.cuda(async=True)\n",
    ],
    ids=["function", "method", "a method of that name is in the project"],
)
def test_refuses_a_parameter_of_the_project(source: str) -> None:
    text, rows = after(source, modernize=True)
    assert text == source
    assert [(row.status, row.reason) for row in rows] == [("refused", "own-async-parameter")]


@pytest.mark.parametrize("rival", ["tensorflow", "cupy", "jax"])
def test_beside_another_library_of_arrays_what_is_unknown_is_renamed_for_cuda_alone(rival: str) -> None:
    source = f"import {rival}\n{HEAD}{SITE}def f(x, y):\n    x.copy_(y, async=True)\n    return x.cuda(async=True)\n"
    text = migrated(source, options=Options()).outputs["a.py"].decode()
    assert "x.copy_(y, async=True)\n    return x.cuda(non_blocking=True)" in text


def test_beside_another_library_an_array_of_it_is_left_alone() -> None:
    source = f"import cupy\n{HEAD}{SITE}x = cupy.asarray(1).copy(async=True)\n"
    assert "copy(async=True)" in migrated(source, options=Options()).outputs["a.py"].decode()
