"""Patches that are suggested where a site was refused: nothing is proved, and they parse."""

from __future__ import annotations

import ast

import pytest

from voltfix import core
from voltfix.model import Options
from voltfix.pipeline.suggesting import Look
from voltfix.rules.refusals import REFUSALS

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def suggested(source: str, **others: str):
    files = {"a.py": (HEAD + source).encode(), **{f"{name}.py": text.encode() for name, text in others.items()}}
    options = Options(editable=frozenset({"a.py"}))
    result = core.migrate(files, options)
    look = Look(files, options, result)
    refused = [row for row in result.sites if row.status == "refused"]
    assert refused, result.sites
    return look.suggestion(refused[0]), look, refused[0]


def text_of(source: str, **others: str) -> str:
    found, _, _ = suggested(source, **others)
    assert found is not None
    text = found.outputs["a.py"].decode()
    ast.parse(text)
    return text


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(items):\n    items[0].volatile = False\n", "    items[0] = items[0].detach()\n"),
        ("def f(x):\n    x.inner.volatile = True\n    return x\n", "def f(x):\n    return x\n"),
        ("def f(net, x, k):\n    y = net(Variable(x, **k))\n    return y\n", "        y = net(Variable(x, **k))\n"),
        ("def f(net, xs, k):\n    for x in xs:\n        yield net(Variable(x, **k))\n", "@torch.no_grad()\ndef f("),
        ("def f(x):\n    return Variable(x, volatile=True)\n", "    return Variable(x)\n"),
        ("def f(net, x):\n    net(Variable(x, volatile=True)).sum().backward()\n",
         "    net(Variable(x)).sum().backward()\n"),
        ("kept = []\nif a:\n    b = 1\nelif kept.append(Variable(a, volatile=True)):\n    b = 2\n\n\n"
         "def f(net):\n    return net(kept[0])\n",
         "elif kept.append(Variable(a)):\n"),
        ("kept = Variable(a, volatile=k)\n\n\ndef f(net):\n    return net(kept)\n",
         "\nkept = Variable(a)\n"),
    ],
    ids=["False is written", "True is written", "a block", "a generator", "unseen callers",
         "code that trains",
         "where no block can stand", "where nothing but the making is in sight"],
)  # fmt: skip
def test_what_is_suggested_has_the_shape_of_an_answer(source: str, line: str) -> None:
    assert line in text_of(source)


def test_what_a_check_took_back_is_what_was_planned() -> None:
    from voltfix.model import Verification

    files = {"a.py": (HEAD + "def f(net, x):\n    return net(Variable(x, volatile=True))\n").encode()}

    def verifier(items):
        return [Verification("symbolic", "different", "not-run", "it differs") for _ in items]

    result = core.migrate(files, Options(), verifier)
    (row,) = result.sites
    assert (row.status, row.reason) == ("refused", "verification-failed")
    found = Look(files, Options(), result).suggestion(row)
    assert found is not None
    assert "before a check took it back" in found.origin
    assert b"with torch.no_grad():" in found.outputs["a.py"]


def test_a_row_of_another_result_has_no_decision() -> None:
    from dataclasses import replace

    _, look, row = suggested("def f(net, x, flags):\n    return net(Variable(x, **flags))\n")
    assert look.suggestion(replace(row, line=99)) is None
    assert look.suggestion(replace(row, code="VF999")) is None


@pytest.mark.parametrize(
    ("reason", "source"),
    [
        ("mixed-statement", REFUSALS["mixed-statement"].example),
        ("write-into-graph", REFUSALS["write-into-graph"].example),
        ("volatile-read", "def f(batch, show):\n    show(batch.inputs[0].volatile)\n"),
        ("state-mixed", REFUSALS["state-mixed"].example),
        ("unseen-callers", "def f(x, **flags):\n    return Variable(x, **flags)\n"),
    ],
)
def test_no_patch_is_suggested_that_does_what_the_advice_warns_of(reason: str, source: str) -> None:
    found, _, row = suggested(source)
    assert (row.reason, found) == (reason, None)


@pytest.mark.parametrize("reason", ["unseen-callers", "escapes-by-attribute", "escapes-by-global", "gradient-demanded"])
def test_no_block_is_suggested_where_the_advice_puts_it_elsewhere(reason: str) -> None:
    """The example of each of these refusals, as the page shows it: its flag goes, and nothing else."""
    example = "net = torch.nn.Linear(2, 1)\n" + REFUSALS[reason].example + "\n"
    found, _, row = suggested(example)
    assert found is not None
    assert row.reason == reason
    assert found.outputs["a.py"].decode() == HEAD + example.replace(", volatile=True", "")


MAIN = """
def main():
    train(net, xs)


def train(net, xs):
    net(Variable(xs)).sum().backward()


{made}
main()
"""


@pytest.mark.parametrize("made", [
    "x = Variable(a, **flags)\ny = net(x)", "x = Variable(a, **flags)\nfor k in range(3):\n    y = net(x) * k",
])
def test_a_block_that_is_suggested_ends_with_what_computes_on_the_value(made: str) -> None:
    text = text_of(MAIN.format(made=made))
    assert "with torch.no_grad():\n    x = Variable(a, **flags)\n" in text
    assert text.endswith("\nmain()\n")


@pytest.mark.parametrize("after", ["main()", "loss = net(x).sum()\nloss.backward()\nz = x * 2"])
def test_no_block_is_suggested_around_what_trains(after: str) -> None:
    found, _, _ = suggested(MAIN.replace("main()\n\"", "").format(made=f"x = Variable(a, **flags)\n{after}"))
    text = found.outputs["a.py"].decode() if found is not None else ""
    blocks = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.With)]
    assert not any("backward" in block or "main" in block for block in blocks)


@pytest.mark.parametrize("source", [
    "class Kept(Other):\n    def __init__(self, *args, **flags):\n        self.made = Variable(*args, **flags)\n",
    "def f(x, flags):\n    x = Variable(x, **flags).cuda()\n",
])
def test_no_block_is_suggested_around_nothing_but_the_making(source: str) -> None:
    found, _, _ = suggested(source)
    assert found is None


@pytest.mark.parametrize("source", [
    "def f(items):\n    for item in items:\n        item.volatile = False\n",
    "def f(items):\n    for n, item in enumerate(items):\n        if n:\n            item.volatile = False\n",
])
def test_the_name_of_a_loop_is_not_bound_to_something_else(source: str) -> None:
    found, _, _ = suggested(source)
    assert found is None


def test_what_nobody_reads_below_is_not_detached() -> None:
    assert text_of("def f(make):\n    x = make()\n    x.volatile = False\n").endswith("    x = make()\n")
