"""Notebooks: read as one module, written back with only the changed source lines new."""

from __future__ import annotations

import difflib
import json

import pytest

from voltfix.model import FileError
from voltfix.sources import load

from .helpers import exchanged, loaded, refused

NOTEBOOK = r"""{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# volatile \u00e9"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {"collapsed": false},
   "outputs": [{"name": "stdout", "output_type": "stream", "text": ["volatile=True\n"]}],
   "source": [
    "%matplotlib inline\n",
    "!pip install \"torch\"  # it's\n",
    "from torch.autograd import Variable\n",
    "x = Variable(t, volatile=True)  # \u00e9 \/ \u003c"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": "%%time\ny = net(x)\nnet?"
  },
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%%bash\n", "echo \"it's volatile\""]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": []}
 ],
 "nbformat_minor": 2, "nbformat": 4,
 "metadata": {"language_info": {"name": "python"}}
}
"""


def notebook(*sources: str | list[str], language: str = "python") -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": each} for each in sources]
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": language}}, "nbformat": 4})


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in list(lines)[3:] if line[0] in "+-"]


def test_all_code_cells_are_one_module_with_barriers_between() -> None:
    (module,) = loaded(NOTEBOOK, "a.ipynb").modules
    assert module.kind == "notebook"
    assert "Variable(t, volatile=True)  # é / <\n" in module.text
    assert "y = net(x)" in module.text
    assert "echo" not in module.text
    first, second = module.barriers
    assert module.text.index("volatile=True") < first < module.text.index("y = net") < second


def test_places_are_cell_line_and_column() -> None:
    document = loaded(NOTEBOOK, "a.ipynb")
    text = document.modules[0].text
    assert document.locate(0, text.index("volatile")) == (4, 17, 2)
    assert document.locate(0, text.index("y = net")) == (2, 1, 3)


def test_only_the_changed_line_changes() -> None:
    new = exchanged(NOTEBOOK, ("(t, volatile=True)", "(t)"), path="a.ipynb")
    assert changed_lines(NOTEBOOK, new) == [
        r'-    "x = Variable(t, volatile=True)  # \u00e9 \/ \u003c"',
        r'+    "x = Variable(t)  # \u00e9 \/ \u003c"',
    ]


def test_new_lines_take_the_layout_of_their_list() -> None:
    new = exchanged(NOTEBOOK, ("x = Variable(t, volatile=True)", "with g():\n    x = Variable(t)"), path="a.ipynb")
    assert changed_lines(NOTEBOOK, new) == [
        r'-    "x = Variable(t, volatile=True)  # \u00e9 \/ \u003c"',
        r'+    "with g():\n",',
        r'+    "    x = Variable(t)  # \u00e9 \/ \u003c"',
    ]
    assert json.loads(new)["cells"][1]["source"][-2:] == ["with g():\n", "    x = Variable(t)  # é / <"]


def test_a_source_that_is_one_string_stays_one() -> None:
    new = exchanged(NOTEBOOK, ("y = net(x)", "with g():\n    y = net(x)"), path="a.ipynb")
    assert json.loads(new)["cells"][2]["source"] == "%%time\nwith g():\n    y = net(x)\nnet?"
    assert len(changed_lines(NOTEBOOK, new)) == 2


def test_magics_come_back_wherever_they_are_moved() -> None:
    data = notebook(["if a:\n", "    !ls \\\n", "    -l\n", "    x = %timeit -o f()\n", "y = 1"])
    new = exchanged(data, ("if a:", "if not a:"), path="a.ipynb")
    assert json.loads(new)["cells"][0]["source"][1:] == json.loads(data)["cells"][0]["source"][1:]


@pytest.mark.parametrize(
    "line",
    [
        "%time x = 1",
        '!echo "it\'s"',
        "?x",
        "x?",
        "x.y??",
        "%load_ext a",
        "!!ls",
        "files = !ls *.py",
        "!",
        "%cd ..",
        "!a \\\n  -b \\\n  cd",
    ],
)
def test_magics_are_shielded(line: str) -> None:
    document = loaded(notebook(["a = 1\n", line + "\n", "b = 2"]), "a.ipynb")
    assert "a = 1\n" in document.modules[0].text
    assert "b = 2\n" in document.modules[0].text


def test_python_2_in_a_cell() -> None:
    data = notebook("x = y.cuda(async=True)\nprint x", "asynC = 1")
    new = exchanged(data, ("x = y", "x = z"), path="a.ipynb")
    assert json.loads(new)["cells"][0]["source"] == "x = z.cuda(async=True)\nprint x"


def test_format_3_with_worksheets() -> None:
    cell = {"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python", "outputs": []}
    data = json.dumps({"worksheets": [{"cells": [cell]}], "metadata": {}, "nbformat": 3}, indent=1)
    assert exchanged(data, ("x = 1", "x = 3"), path="a.ipynb") == data.replace("x = 1", "x = 3")


def test_an_emptied_cell() -> None:
    new = exchanged(notebook(["x = 1"], ["y = 2"]), ("x = 1\n", ""), path="a.ipynb")
    assert [cell["source"] for cell in json.loads(new)["cells"]] == [[], ["y = 2"]]


def test_a_notebook_of_another_language_has_no_module() -> None:
    assert loaded(notebook("volatile = 1", language="julia"), "a.ipynb").modules == ()


def test_a_cell_that_is_no_python_is_left_out() -> None:
    text = loaded(notebook("x = = 1", "y = 2"), "a.ipynb").modules[0].text
    assert "x = = 1" not in text
    assert "y = 2" in text


def test_a_broken_cell_with_volatile_is_named() -> None:
    error = refused(notebook("y = 2", "x = f(volatile=True\nz").encode(), "a.ipynb")
    assert error.kind == "syntax"
    assert "cell 2" in error.message


@pytest.mark.parametrize("data", [b"", b"[1]", b'{"a": 1}', b'{"cells": [', b"{'cells': 1}", b"[" * 100_000])
def test_what_is_no_notebook_is_an_error(data: bytes) -> None:
    assert isinstance(load("a.ipynb", data), FileError)
