"""What docs/features.md promises: each with the test that shows it, and the few that no other file shows."""

from __future__ import annotations

import ast
import inspect
import json
import re
import typing
from pathlib import Path

import pytest

import voltfix
from in_process import running_in
from voltfix.model import Options

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "docs/features.md"
HEAD = "import torch\nfrom torch.autograd import Variable\n"
OLD = "def f(net, x):\n    print(net(Variable(x, volatile=True)).data)\n"
WRAPPER = (
    "from torch.autograd import Variable\n\n\n"
    "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
)
NEW = "def f(net, x):\n    with torch.no_grad():\n        print(net(Variable(x)).data)\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    return running_in(tmp_path, monkeypatch)

def rows(heading: str) -> dict[int, list[str]]:
    """The numbered rows of the table below a heading of the page."""
    part = PAGE.read_text().split(heading, 1)[1].split("\n## ", 1)[0]
    return {
        int(number): [cell.strip() for cell in cells.split("|")]
        for number, cells in re.findall(r"(?m)^\| (\d+) \|(.*)\|$", part)
    }


SHOWN = rows("## The test of each")


def test_every_feature_of_the_table_names_its_tests():
    assert list(rows("# Beside other tools")) == list(SHOWN) == list(range(1, 31))
    assert {row[1] for row in rows("# Beside other tools").values()} <= {"yes", "checked each time"}


@pytest.mark.parametrize("number", SHOWN)
def test_the_tests_that_the_table_names_are_there(number):
    named = re.findall(r"`tests/([\w/.]+)::(\w+)`", SHOWN[number][0])
    assert named
    for file, name in named:
        tree = ast.parse((TESTS / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name


def test_each_rule_says_how_safe_its_fix_is(here):
    codes = re.findall(r"(?m)^(VF\d+) ", here_rule())
    assert len(codes) >= 14
    for code in codes:
        assert "## Fix safety\n" in here_rule(code)


def here_rule(*arguments: str) -> str:
    from click.testing import CliRunner

    from voltfix.cli.rule import command

    return CliRunner().invoke(command, arguments).stdout


def test_a_notebook_is_migrated_in_place(here, tree):
    def cell(text: str) -> dict:
        return {
            "cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": text.splitlines(True),
        }  # fmt: skip

    book = {
        "cells": [cell("%matplotlib inline\n" + HEAD), cell(OLD)],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    root = tree({"n.ipynb": json.dumps(book, indent=1) + "\n"})
    assert here("--no-verify", "n.ipynb").returncode == 0
    after = json.loads((root / "n.ipynb").read_text())
    assert "".join(after["cells"][1]["source"]) == NEW
    assert after["cells"][0] == book["cells"][0]


def test_code_in_markdown_is_migrated_in_place(here, tree):
    page = "# Old\n\nProse about volatile=True.\n\n```python\n{}```\n\nMore.\n"
    root = tree({"README.md": page.format(HEAD + OLD)})
    assert here("--no-verify", "README.md").returncode == 0
    assert (root / "README.md").read_text() == page.format(HEAD + NEW)


def test_an_import_comes_where_it_is_missing_and_only_there(here, tree):
    only_variable = (
        '"""A docstring."""\nfrom __future__ import print_function\nfrom torch.autograd import Variable\n\n\n'
    )
    root = tree(
        {
            "a.py": only_variable + OLD,
            "b.py": HEAD + OLD,
            "c.py": "import torch as t\nfrom torch.autograd import Variable\n" + OLD,
        }
    )
    assert here("--no-verify", ".").returncode == 0
    assert (root / "a.py").read_text().count("import torch\n") == 1
    assert (root / "a.py").read_text().index("__future__") < (root / "a.py").read_text().index("import torch\n")
    assert (root / "b.py").read_text() == HEAD + NEW
    assert "import torch\n" not in (root / "c.py").read_text()
    assert "with t.no_grad():" in (root / "c.py").read_text()


def test_a_wrapper_and_its_callers_change_together(here, tree):
    root = tree({
        "utils.py": WRAPPER,
        "main.py": "from utils import to_var\n\n\ndef f(net, x):\n    print(net(to_var(x, volatile=True)).data)\n",
    })  # fmt: skip
    done = here("--no-verify", "--output-format", "json", ".")
    assert {site["change"] for site in json.loads(done.stdout)["sites"]} == {"c1"}
    assert "volatile" not in (root / "utils.py").read_text() + (root / "main.py").read_text()
    assert "no_grad" in (root / "main.py").read_text()


def test_each_edit_says_how_safe_it_is(voltfix, tree):
    pytest.importorskip("torch")
    tree({"a.py": HEAD + OLD + "\n\ndef g(net, x, o):\n    return net(Variable(x, **o))\n"})
    for option, safety in (("--verify", "proved"), ("--no-verify", "proved")):
        done = voltfix("--check", option, "--device", "cpu", "--output-format", "json", "a.py")
        assert [site["safety"] for site in json.loads(done.stdout)["sites"]] == [safety, None]
        done = voltfix("--check", option, "--device", "cpu", "--output-format", "sarif", "a.py")
        results = json.loads(done.stdout)["runs"][0]["results"]
        assert [result["properties"].get("safety") for result in results] == [safety, None]


def test_what_was_rewritten_is_run_before_and_after(voltfix, tree):
    pytest.importorskip("torch")
    tree({"a.py": HEAD + OLD})
    done = voltfix("--check", "--verify", "--device", "cpu", "--output-format", "json", "a.py")
    (site,) = json.loads(done.stdout)["sites"]
    assert site["verification"]["tier"] == "symbolic"
    assert site["verification"]["cpu"] == "identical"


def test_the_api_is_typed_and_does_what_it_says(tree):
    root = tree({"a.py": HEAD + OLD})
    assert voltfix.rewrite(HEAD + OLD) == HEAD + NEW
    assert voltfix.rewrite(HEAD + OLD, options=Options(ignore=("VF1",))) == HEAD + OLD
    with pytest.raises(ValueError, match=r"source\.py:3: "):
        voltfix.rewrite(HEAD + "def (volatile=True:\n")
    result = voltfix.migrate([root])
    assert result.outputs == {str(root / "a.py"): (HEAD + NEW).encode()}
    assert (root / "a.py").read_text() == HEAD + OLD
    for name in ("rewrite", "migrate", "compare"):
        function = getattr(voltfix, name)
        hints = typing.get_type_hints(function)
        assert set(hints) == {*inspect.signature(function).parameters, "return"}
    assert (Path(voltfix.__file__).parent / "py.typed").exists()


def test_compare_takes_paths_and_source(tmp_path):
    pytest.importorskip("torch")
    net = "net = torch.nn.Linear(2, 2)\n\n\ndef f(x):\n    {}y = net(Variable(x{}))\n    {}print(y.data)\n"
    before = HEAD + net.format("", ", volatile=True", "")
    wrong = HEAD + net.format("", "", "")
    (tmp_path / "a.py").write_text(before)
    (tmp_path / "b.py").write_text(voltfix.rewrite(before))
    assert voltfix.compare(tmp_path / "a.py", tmp_path / "b.py", device="cpu").cpu == "identical"
    assert voltfix.compare(before, wrong, device="cpu").cpu == "different"
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        voltfix.compare("absent.py", "b.py")
