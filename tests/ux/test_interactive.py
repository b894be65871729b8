from __future__ import annotations

import os
from pathlib import Path

import pytest

from in_process import running_in

FIRST, SECOND = "x = Variable(x, volatile=True)", "y = net(Variable(x, volatile=True))"
SOURCE = f"""import torch
from torch.autograd import Variable


def evaluate(net, x):
    {FIRST}
    return net(x).data[0]


def second(net, x):
    {SECOND}
    print(y.data)
"""
MODERN = "import torch\nfrom torch.autograd import Variable\n\ny = Variable(torch.ones(2))\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    return running_in(tmp_path, monkeypatch)


@pytest.fixture
def ask(here, tree):
    root = tree({"a.py": SOURCE})

    def run(answers: str, *options: str):
        done = here("--interactive", "--no-verify", *options, "a.py", stdin=answers.encode())
        return done, (root / "a.py").read_text()

    return run


@pytest.mark.parametrize(
    ("answers", "first", "second", "asked"),
    [
        ("y\ny\n", True, True, 2),
        ("n\ny\n", False, True, 2),
        ("y\nn\n", True, False, 2),
        ("n\nn\n", False, False, 2),
        ("a\n", True, True, 1),
        ("q\n", False, False, 1),
        ("y\nq\n", True, False, 2),
        ("n\na\n", False, True, 2),
        ("", False, False, 1),
        ("y\n", True, False, 2),
        ("?\nx\n\nY\nno\n", True, False, 5),
    ],
)
def test_what_is_accepted_is_written_and_what_is_declined_stays(ask, answers, first, second, asked):
    done, text = ask(answers)
    assert (FIRST not in text, SECOND not in text) == (first, second)
    assert done.stderr.decode().count("Make this change [y,n,a,q,e,?]? ") == asked
    assert done.returncode == 0  # a person has looked at what was declined
    declined = 2 - first - second
    assert (f"{declined} suppressed" in done.stdout.decode()) is (declined > 0)
    compile(text, "a.py", "exec")


def test_a_question_says_which_of_how_many_it_is(ask):
    said = ask("y\ny\n")[0].stderr.decode()
    assert "(1 of 2) Make this change" in said
    assert "(2 of 2) Make this change" in said


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vi", 'vi +7 "$VOLTFIX_COPY"'),
        ("emacs -nw", 'emacs -nw +7 "$VOLTFIX_COPY"'),
        ("code", 'code --wait --goto "$VOLTFIX_COPY":7'),
        ("/usr/bin/code --wait", '/usr/bin/code --wait --goto "$VOLTFIX_COPY":7'),
        ("codium -w -n", 'codium -w -n --goto "$VOLTFIX_COPY":7'),
        ("subl -w", 'subl -w "$VOLTFIX_COPY":7'),
    ],
)
def test_an_editor_is_opened_at_the_line_in_its_own_way(editor, command):
    from voltfix.cli.interactive import opening

    assert opening(editor, 7) == command


def test_each_question_comes_with_evidence_and_diff(ask):
    shown = ask("q\n")[0].stderr.decode()
    assert "a.py:6:21: VF101 would-fix (no_grad)" in shown
    assert "line 7: may build a graph of a volatile tensor otherwise" in shown
    assert "+    with torch.no_grad():" in shown


def test_a_question_mark_helps(ask):
    assert "q - quit; leave this change and all that follow" in ask("?\nq\n")[0].stderr.decode()


def editor(folder: Path, line: str) -> str:
    script = folder / "editor.sh"
    script.write_text(f"#!/bin/sh\n{line}\n")
    script.chmod(0o755)
    return str(script)


def test_e_opens_what_is_proposed_and_writes_what_was_saved(ask, tmp_path, monkeypatch):
    script = f'echo "$1" > {tmp_path}/at; sed -i "s/print(y.data)/print(y)/" "$2"'
    monkeypatch.setenv("EDITOR", editor(tmp_path, script))
    monkeypatch.delenv("VISUAL", raising=False)
    _, text = ask("n\ne\n")
    assert "print(y)\n" in text
    assert "with torch.no_grad():\n        y = net(Variable(x))" in text
    assert FIRST in text
    assert (tmp_path / "at").read_text() == "+11\n"


@pytest.mark.parametrize(
    ("script", "says"),
    [('echo "def (:" >> "$2"', "does not parse"), ("exit 3", "the editor ended with 3")],
)
def test_an_edit_that_went_wrong_leaves_what_was_proposed(ask, tmp_path, monkeypatch, script, says):
    monkeypatch.setenv("EDITOR", editor(tmp_path, script))
    monkeypatch.delenv("VISUAL", raising=False)
    done, text = ask("n\ne\n")
    assert says in done.stderr.decode()
    assert "with torch.no_grad():\n        y = net(Variable(x))\n    print(y.data)\n" in text


def test_with_diff_nothing_is_written(ask):
    done, text = ask("y\nn\n", "--diff")
    assert text == SOURCE
    assert b"-    x = Variable(x, volatile=True)" in done.stdout
    assert b"-    y = net" not in done.stdout


def test_stdin_cannot_hold_both_the_source_and_the_answers(here):
    done = here("--interactive", "-", stdin=SOURCE.encode())
    assert done.returncode == 2
    assert b"name the file" in b" ".join(done.stderr.split())


def test_q_holds_for_the_projects_that_follow(here, tree):
    root = tree({f"{name}/{extra}": text for name in ("p", "q") for extra, text in (("a.py", SOURCE), (".git", ""))})
    done = here("--interactive", "--no-verify", "p", "q", stdin=b"q\n")
    assert done.stderr.count(b"Make this change") == 1
    assert [(root / name / "a.py").read_text() for name in ("p", "q")] == [SOURCE, SOURCE]
    assert os.path.exists(root / "p")


def test_files_that_the_modern_rules_change_are_asked_about_too(here, tree):
    root = tree({"a.py": SOURCE, "b.py": MODERN})
    done = here("--interactive", "--no-verify", "--modernize", ".", stdin=b"y\nn\nn\ny\n")
    said = done.stderr.decode()
    assert said.count("Make this change") == 4
    assert "b.py: VF201 in 2 places" in said
    assert (root / "b.py").read_text() == "import torch\n\ny = torch.ones(2)\n"
    assert "torch.no_grad" in (root / "a.py").read_text()
    assert "import Variable" in (root / "a.py").read_text()  # VF201 was declined there
    assert SECOND in (root / "a.py").read_text()


@pytest.mark.parametrize("answers", [b"q\n", b"", b"x\n?\n\n", b"n\nn\nq\n"])
def test_after_a_q_nothing_is_written_that_was_not_shown(here, tree, answers):
    """Not by the rules that are on by default either: ``async=`` beside a flag."""
    source = SOURCE.replace("print(y.data)", "print(y.data.cuda(async=True))")
    root = tree({"a.py": source, "b.py": MODERN})
    for options in ((), ("--modernize",)):
        done = here("--interactive", "--no-verify", *options, ".", stdin=answers)
        assert (root / "a.py").read_text() == source
        assert (root / "b.py").read_text() == MODERN
        assert "changed" not in done.stdout.decode()


def test_what_edits_nothing_is_not_asked_about_and_falls_silently_with_what_it_hangs_on(here, tree):
    source = (
        "from torch.autograd import Variable\n\n\ndef grab(x, volatile=False):\n"
        "    return Variable(x, volatile=volatile)\n\n\ndef predict(net, x):\n"
        "    y = net(grab(x, volatile=True))\n    print(y.data)\n"
    )
    root = tree({"a.py": source})
    before = here("--check", "--keep-signatures", "--no-verify", "a.py").stdout.decode()
    assert "kept" in before
    done = here("--interactive", "--keep-signatures", "--no-verify", "a.py", stdin=b"q\n")
    asked = done.stderr.decode().split("Make this change")
    assert len(asked) == 2
    assert "@@" in asked[0]
    assert "refused" not in done.stdout.decode()
    assert "(held)" not in done.stdout.decode()
    assert done.returncode == 0
    assert (root / "a.py").read_text() == source
