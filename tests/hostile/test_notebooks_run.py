"""Notebooks through the command line: valid afterwards, running, and the same but for the lines that had to change."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import nbformat
import pytest

from .test_files import run

SOURCES = (
    "%matplotlib inline\n!echo $HOME\nfrom torch.autograd import Variable",
    "def evaluate(batch):\n    x = Variable(batch, volatile=True)\n    out = net(x)\n    return out.data",
    "%%bash\necho volatile=True",
    "%time y = net(Variable(t, volatile=True))",
    "v = Variable(t, volatile=True)",
    "scores = net(v)\nprint(scores)",
)


def notebook() -> nbformat.NotebookNode:
    made = nbformat.v4.new_notebook(metadata={"language_info": {"name": "python"}})
    made.cells = [nbformat.v4.new_markdown_cell("# volatile=True"), *map(nbformat.v4.new_code_cell, SOURCES)]
    made.cells[2].outputs = [nbformat.v4.new_output("stream", name="stdout", text="volatile=True\n")]
    return made


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_the_result_is_valid_and_nothing_but_lines_of_code_changed(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(json.loads(nbformat.writes(notebook())), indent=indent, sort_keys=True))
    before = nbformat.read(path, as_version=4)
    assert run(tmp_path, "a.ipynb").returncode == 0
    after = nbformat.read(path, as_version=4)
    nbformat.validate(after)
    removed = []
    for old, new in zip(before.cells, after.cells, strict=True):
        assert {**old, "source": ""} == {**new, "source": ""}, "outputs, metadata or ids changed"
        lines = list(difflib.ndiff(old.source.splitlines(), new.source.splitlines()))
        removed += [line[2:] for line in lines if line.startswith("- ")]
    assert "volatile=True" in after.cells[0].source
    assert after.cells[3] == before.cells[3]  # another language
    assert not [line for line in removed if line.startswith(("%", "!")) and "Variable" not in line]
    assert sum("volatile=True" in cell.source for cell in after.cells) < sum(
        "volatile=True" in cell.source for cell in before.cells
    )


def test_the_diff_can_be_read_cell_by_cell(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(nbformat.writes(notebook()))
    done = run(tmp_path, "--diff", "a.ipynb")
    assert done.returncode == 1
    added = [line[1:].strip() for line in done.stdout.decode().splitlines() if line.startswith("+ ")]
    assert '"    x = Variable(batch)\\n",' in added
    assert not [line for line in added if '"outputs"' in line or '"cell_type"' in line]
    # which cell a line is in stands in the report, beside it
    assert b"cell 3" in done.stderr


RUNNABLE = (
    "import torch\nfrom torch.autograd import Variable\nnet = torch.nn.Linear(2, 1)",
    "v = Variable(torch.ones(1, 2), volatile=True)",
    "out = net(v)\nprint(out.requires_grad)",
)


def test_a_notebook_runs_and_does_what_volatile_did(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("torch")
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    made.cells = list(map(nbformat.v4.new_code_cell, RUNNABLE))
    path = tmp_path / "a.ipynb"
    nbformat.write(made, path)
    assert run(tmp_path, "a.ipynb").returncode == 0
    result = nbformat.read(path, as_version=4)
    try:
        nbclient.NotebookClient(result, timeout=120, kernel_name="python3").execute()
    except nbclient.exceptions.DeadKernelError as error:
        pytest.skip(f"no kernel can be started here: {error}")
    (output,) = result.cells[2].outputs
    assert output.text == "False\n"


FIRST, SECOND, THIRD = "from torch.autograd import Variable", "x = Variable(t, volatile=True)", "y = net(x)"
DOCUMENTS = {
    "a.md": f"# T\n\n```python\n{FIRST}\n{SECOND}\n{THIRD}\n```\n\nvolatile=True\n",
    "a.rst": f"T\n=\n\n::\n\n    {FIRST}\n    {SECOND}\n    {THIRD}\n\nvolatile=True\n",
    "a.py": f'"""Doc volatile=True.\n\n>>> {FIRST}\n>>> {SECOND}\n>>> {THIRD}\n"""\n',
}


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_documentation_end_to_end(tmp_path: Path, name: str) -> None:
    text = DOCUMENTS[name]
    (tmp_path / name).write_text(text)
    done = run(tmp_path, "--diff", name)
    assert b"-" in done.stdout
    assert (tmp_path / name).read_text() == text
    assert run(tmp_path, name).returncode == 0
    after = (tmp_path / name).read_text()
    assert "Variable(t)" in after
    assert "with torch.no_grad():" in after
    assert after.count("volatile=True") == text.count("volatile=True") - 1  # prose stays
    assert run(tmp_path, name).returncode == 0
    assert (tmp_path / name).read_text() == after


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_a_skip_comment_holds_in_documentation(tmp_path: Path, name: str) -> None:
    text = DOCUMENTS[name].replace("(t, volatile=True)", "(t, volatile=True)  # voltfix: skip")
    (tmp_path / name).write_text(text)
    run(tmp_path, name)
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_exclude_holds_for_documentation(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(DOCUMENTS[name])
    assert run(tmp_path, "--exclude", name, ".").returncode == 0
    assert (tmp_path / name).read_text() == DOCUMENTS[name]
