"""What comes into a container after that was put on ``self``: other methods find it there."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

START = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"
HEAD = "class Bench(object):\n    def __init__(self, net, x):\n        self.net = net\n"
READS = "\n    def go(self):\n        return self.net(self.rows['x'])\n"
PUT = "        self.rows['x'] = Variable(x, volatile=True)\n"


@pytest.mark.parametrize("body", [
    "        self.rows = {}\n" + PUT,
    "        rows = {}\n        self.rows = rows\n" + PUT.replace("self.", ""),
    "        self.rows = {}\n        self.rows.update(x=Variable(x, volatile=True))\n",
    "        self.rows = {}\n        if x is not None:\n    " + PUT,
    "        self.rows = {}\n        fill(self.rows, x)\n",
])
def test_a_method_that_computes_with_it_is_not_overlooked(body: str) -> None:
    more = "\n\ndef fill(rows, x):\n    rows['x'] = Variable(x, volatile=True)\n" if "fill" in body else ""
    check_noop(START + HEAD + body + READS + more, reason="state-mixed")


@pytest.mark.parametrize("reads", [READS, READS.replace("return ", "")])
def test_nor_where_a_method_puts_it_into_what_it_put_on_self_before(reads: str) -> None:
    before = HEAD + "\n    def begin(self, x):\n        return self.fill({}, x)\n" \
        "\n    def fill(self, rows, x):\n        self.rows = rows\n        self.load(rows, x)\n        return 1\n" \
        "\n    def load(self, rows, x):\n        rows['x'] = Variable(x, volatile=True)\n" + reads
    check_noop(START + before, reason="state-mixed")


def test_what_was_in_it_before_has_its_block() -> None:
    before = START + HEAD + "        rows = {}\n" + PUT.replace("self.", "") + "        self.rows = rows\n" + READS
    line = "        return self.net(self.rows['x'])\n"
    check_transformed(before, before.replace(", volatile=True", "").replace(
        line, "        with torch.no_grad():\n    " + line))


def test_a_container_that_holds_plain_data_alone_is_as_it_was() -> None:
    line = "        self.rows['x'] = net(Variable(x, volatile=True)).data\n"
    before = START + HEAD + "        self.rows = {}\n" + line + READS
    check_transformed(before, before.replace(line, "        with torch.no_grad():\n    " + line.replace(
        ", volatile=True", "")))
