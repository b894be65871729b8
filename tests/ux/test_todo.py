from __future__ import annotations

import json

import pytest

from in_process import running_in

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
REASON = "# TODO(voltfix): kwargs-dictionary: takes the flag from a ** dictionary whose keys are not known"


@pytest.fixture
def here(tmp_path, monkeypatch):
    return running_in(tmp_path, monkeypatch)


@pytest.fixture
def todo(here, tree):
    def run(source: str | bytes, name: str = "a.py", *options: str) -> bytes:
        root = tree({name: source})
        done = here("--todo", "--no-verify", *options, name)
        assert done.returncode in (0, 1), done.stderr
        return (root / name).read_bytes()

    return run


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x, o):\n    return Variable(x, **o)\n",
         "def f(x, o):\n    {}\n    return Variable(x, **o)\n"),
        ("x = Variable(a, **o)\n", "{}\nx = Variable(a, **o)\n"),
        ("if a: x = Variable(a, **o)\n", "{}\nif a: x = Variable(a, **o)\n"),
        ("if a:\n\tx = (1 +\n  Variable(a, **o))\n", "if a:\n\t{}\n\tx = (1 +\n  Variable(a, **o))\n"),
        ("b = 1; x = Variable(a, **o)\n", "{}\nb = 1; x = Variable(a, **o)\n"),
        ("if a:\n    b = '''\n'''; x = Variable(a, **o)\n",
         "{}\nif a:\n    b = '''\n'''; x = Variable(a, **o)\n"),
        ("if a:\n    b\nelse: x = Variable(a, **o)\n", "if a:\n    b\n{}\nelse: x = Variable(a, **o)\n"),
        ("x = Variable(a, **o)", "{}\nx = Variable(a, **o)"),
        ("b = 1; \\\nx = Variable(a, **o)\n", "b = 1; \\\n{}\nx = Variable(a, **o)\n"),
        ("x = Variable(a, **o), Variable(b, **o)\n", "{}\nx = Variable(a, **o), Variable(b, **o)\n"),
    ],
)  # fmt: skip
def test_a_comment_stands_above_the_statement_and_only_once(todo, before, after):
    wanted = (HEAD + after.format(REASON)).encode()
    assert todo(HEAD + before) == wanted
    assert todo(wanted) == wanted


def test_what_can_be_fixed_is_fixed_in_the_same_run(todo):
    source = HEAD + "def f(net, x, o):\n    y = net(Variable(x, volatile=True))\n    return Variable(y.data, **o)\n"
    assert todo(source).decode() == HEAD + (
        "def f(net, x, o):\n    with torch.no_grad():\n        y = net(Variable(x))\n"
        f"    {REASON}\n    return Variable(y.data, **o)\n"
    )


def test_line_ends_stay(todo):
    assert todo((HEAD + "x = Variable(a, **o)\n").replace("\n", "\r\n").encode()) == (
        (HEAD + REASON + "\nx = Variable(a, **o)\n").replace("\n", "\r\n").encode()
    )


def test_what_was_suppressed_gets_no_comment(todo):
    source = (HEAD + "x = Variable(a, **o)  # voltfix: skip\n").encode()
    assert todo(source) == source


def test_what_is_not_selected_gets_no_comment(todo):
    source = (HEAD + "x = Variable(a, **o)\n").encode()
    assert todo(source, "a.py", "--ignore", "VF101") == source


def test_a_notebook_stays_a_notebook(todo):
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [],
            "source": (HEAD + "x = Variable(a, **o)\n").splitlines(True)}  # fmt: skip
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    after = json.loads(todo(json.dumps(book, indent=1) + "\n", "n.ipynb"))
    assert REASON in "".join(after["cells"][0]["source"])


def test_with_diff_the_comment_is_shown_and_not_written(here, tree):
    root = tree({"a.py": HEAD + "x = Variable(a, **o)\n"})
    done = here("--todo", "--diff", "--no-verify", "a.py")
    assert b"+" + REASON.encode() in done.stdout
    assert REASON not in (root / "a.py").read_text()


def test_the_lines_of_the_report_are_those_below_the_comments(here, tree):
    source = HEAD + "def f(net, x, o):\n    y = net(Variable(x, volatile=True))\n    return Variable(y.data, **o)\n"
    root = tree({"a.py": source})
    rows = json.loads(here("--todo", "--no-verify", "--output-format", "json", "a.py").stdout)["sites"]
    assert [(row["status"], row["line"], row["original_line"]) for row in rows] == [("fixed", 7, 6), ("refused", 9, 7)]
    assert "**o" in (root / "a.py").read_text().splitlines()[9 - 1]
    again = json.loads(here("--check", "--no-verify", "--output-format", "json", "a.py").stdout)["sites"]
    assert [row["line"] for row in again] == [9]
