"""The lines that evidence and refusals name are those of the document, where a reader looks for them."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from helpers import migrated
from voltfix import core
from voltfix.model import Verification
from voltfix.rules import messages

FIRST = """\
import torch
from torch import nn
from torch.autograd import Variable
net = nn.Linear(2, 1)
"""
SECOND = """\
x = Variable(torch.randn(3, 2), volatile=True)
"""
THIRD = """\
print("a line before")
y = net(x)
print(y.data)
"""
REFUSED = """\
def train():
    x = Variable(torch.randn(3, 2), volatile=True)
    net(x).sum().backward()
"""


def notebook(*sources: str) -> bytes:
    """Cells of code, with one of prose before each: cells are counted with those, as a reader does."""
    cells = []
    for source in sources:
        cells.append({"cell_type": "markdown", "metadata": {}, "source": "prose"})
        cells.append({"cell_type": "code", "metadata": {}, "outputs": [], "source": source.splitlines(keepends=True)})
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 0}, indent=1).encode()


def markdown(*sources: str) -> bytes:
    return "".join(f"# A title\n\n```python\n{source}```\n\n" for source in sources).encode()


def rst(*sources: str) -> bytes:
    blocks = (".. code-block:: python\n\n" + "".join(f"    {line}\n" for line in s.splitlines()) for s in sources)
    return "\n".join(["Title", "=====", "", *blocks]).encode()


def evidence(path: str, data: bytes) -> tuple[str, ...]:
    (site,) = core.migrate({path: data}).sites
    assert site.status == "fixed"
    return site.evidence


def test_evidence_in_a_notebook_names_the_cell_and_its_line():
    assert evidence("a.ipynb", notebook(FIRST, SECOND, THIRD)) == (
        "cell 6, line 2: runs in torch.no_grad()",
        "cell 6, line 2: would build a graph of a volatile tensor otherwise",
    )


@pytest.mark.parametrize(("path", "made"), [("a.md", markdown), ("a.rst", rst)])
def test_evidence_in_a_text_with_code_names_the_lines_of_the_text(path, made):
    data = made(FIRST, SECOND, THIRD)
    line = data.decode().splitlines().index(("" if path == "a.md" else "    ") + "y = net(x)") + 1
    assert evidence(path, data) == (
        f"line {line}: runs in torch.no_grad()", f"line {line}: would build a graph of a volatile tensor otherwise"
    )  # fmt: skip


def test_evidence_about_several_cells_names_each():
    (site,) = core.migrate({"a.ipynb": notebook(FIRST, SECOND, THIRD, "z = net(x)\nw = net(x)\n")}).sites
    assert site.evidence == (
        "cell 6, line 2: runs in torch.no_grad()",
        "cell 6, line 2: would build a graph of a volatile tensor otherwise",
        "cell 8, lines 1-2: runs in torch.no_grad()",
        "cell 8, lines 1, 2: would build a graph of a volatile tensor otherwise",
    )


def test_a_refusal_in_a_notebook_names_the_cell_and_its_line():
    (site,) = core.migrate({"a.ipynb": notebook(FIRST, REFUSED)}).sites
    assert (site.reason, site.cell, site.line) == ("gradient-demanded", 4, 2)
    assert site.message == messages.raised("cell 4, line 3")


def test_a_refusal_in_a_markdown_file_names_the_line_of_the_file():
    data = markdown(FIRST, REFUSED)
    (site,) = core.migrate({"a.md": data}).sites
    line = data.decode().splitlines().index("    net(x).sum().backward()") + 1
    assert site.message == messages.raised(f"line {line}")


def test_a_refusal_in_a_docstring_names_the_file_and_its_line():
    source = dedent('''\
        def run():
            """How to.

            >>> from torch import nn
            >>> from torch.autograd import Variable
            >>> net = nn.Linear(2, 1)
            >>> x = Variable(t, volatile=True)
            >>> net(x).sum().backward()
            """
        ''')
    (site,) = migrated(source).sites
    assert (site.path, site.line) == ("a.py", 7)
    assert site.message == messages.raised("line 8")


def test_evidence_from_another_file_names_that_file():
    files = {
        "use.py": b"import torch\nfrom make import make\nnet = torch.nn.Linear(2, 1)\n\n\ndef run(t):\n"
                  b"    return net(make(t)).data\n",
        "make.py": b"from torch.autograd import Variable\n\n\ndef make(t):\n    return Variable(t, volatile=True)\n",
    }  # fmt: skip
    (site,) = core.migrate(files).sites
    assert (site.path, site.status) == ("make.py", "fixed")
    assert site.evidence == (
        "use.py: line 7: runs in torch.no_grad()", "use.py: line 7: would build a graph of a volatile tensor otherwise"
    )  # fmt: skip


def test_a_demand_in_another_file_is_named_with_that_file():
    files = {
        "use.py": b"from torch.autograd import Variable\nfrom step import step\nimport torch\n"
                  b"net = torch.nn.Linear(2, 1)\n\n\ndef run(t):\n    step(net(Variable(t, volatile=True)))\n",
        "step.py": b"def step(y):\n    y.sum().backward()\n",
    }  # fmt: skip
    (site,) = core.migrate(files).sites
    assert site.reason == "gradient-demanded"
    assert site.message == messages.raised("step.py:2")


def asked_of_the_verifier(path: str, data: bytes):
    items = []

    def verifier(asked):
        items.extend(asked)
        return [Verification()] * len(asked)

    core.migrate({path: data}, verifier=verifier)
    (item,) = items
    return item


def test_the_verifier_is_told_where_the_lines_of_a_notebook_stand():
    item = asked_of_the_verifier("a.ipynb", notebook(FIRST, SECOND, THIRD))
    assert item.origins["before"] == {"a.ipynb": [(2, 1, 2), (8, 1, 4), (11, 1, 6)]}
    assert item.origins["after"] == item.origins["before"]


def test_the_verifier_is_told_where_the_lines_of_a_page_stand_before_and_after():
    item = asked_of_the_verifier("a.md", markdown(FIRST, SECOND + "y = net(x)\n", THIRD))
    before, after = (item.origins[side]["a.md"] for side in ("before", "after"))
    assert before == [(2, 4, None), (7, 13, None), (10, 20, None)]
    assert after == [(2, 4, None), (7, 13, None), (11, 21, None)]  # a with line came into the second block


def test_the_verifier_is_told_nothing_of_a_plain_file():
    item = asked_of_the_verifier("a.py", (FIRST + SECOND + THIRD).encode())
    assert item.origins == {}


def test_of_code_that_is_not_in_view_a_block_is_said_to_be_for_what_it_may_do():
    text = """
    from torch.autograd import Variable
    import torch.nn as nn
    import coder
    net = nn.Linear(2, 2)

    def show(rows):
        x = Variable(rows, volatile=True)
        y = net(x)
        print(coder.decode(y))
    """
    evidence = migrated(dedent(text)).sites[0].evidence
    assert "line 9: would build a graph of a volatile tensor otherwise" in evidence
    assert "line 10: may build a graph of a volatile tensor otherwise" in evidence
