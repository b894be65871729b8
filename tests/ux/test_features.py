"""What docs/features.md promises: each with the test that shows it, and the few that no other file shows."""

from __future__ import annotations

import ast
import inspect
import json
import re
import typing
from pathlib import Path

import pytest
from in_process import running_in

import voltfix
from voltfix.model import Options

TESTS = Path(__file__).parent.parent
HERE = "ux/test_features.py"
PROMISES = {
    "in place": ("cli/test_main_command.py", "test_files_are_rewritten_in_place"),
    "diff": ("cli/test_main_command.py", "test_the_diff_applies"),
    "check": ("cli/test_main_command.py", "test_check_writes_nothing_and_says_what_it_would_do"),
    "stdin": ("cli/test_main_command.py", "test_stdin_goes_to_stdout_and_the_report_to_stderr"),
    "json": ("cli/test_main_command.py", "test_json_owns_stdout_and_holds_the_diffs"),
    "sarif": ("report/test_sarif.py", "test_logs_are_valid"),
    "github": ("report/test_sarif.py", "test_github_shows_what_somebody_should_know_of"),
    "pyproject settings": ("cli/test_words.py", "test_settings_are_used_and_the_command_line_wins"),
    "gitignore": ("discovery/test_walk.py", "test_gitignore_is_respected"),
    "exclude": ("cli/test_main_command.py", "test_excluded_files_are_not_read"),
    "line suppression": ("core/test_migrate.py", "test_a_skip_comment_leaves_its_line_alone_and_only_that"),
    "file suppression": ("core/test_migrate.py", "test_skip_file_leaves_the_whole_file_alone"),
    "safety per edit": (HERE, "test_each_rule_says_how_safe_its_fix_is"),
    "rule texts": ("rules/test_rules.py", "test_the_command_lists_and_explains"),
    "statistics": ("cli/test_main_command.py", "test_statistics_are_shown_when_asked_for"),
    "parallel": ("cli/test_main_command.py", "test_several_processes_give_the_same_result"),
    "notebooks": (HERE, "test_a_notebook_is_migrated_in_place"),
    "Markdown": (HERE, "test_code_in_markdown_is_migrated_in_place"),
    "loud on unparsable files": (
        "cli/test_main_command.py",
        "test_a_file_that_does_not_parse_makes_two_after_all_others_were_done",
    ),
    "atomic writes": (
        "core/test_writes_under_faults.py",
        "test_a_kill_at_any_call_leaves_every_file_whole_once_the_next_run_has_looked",
    ),
    "roll back": (
        "core/test_migrate.py",
        "test_a_change_that_does_something_else_is_rolled_back_and_the_others_stay",
    ),
    "idempotence": ("cli/test_main_command.py", "test_a_second_run_has_nothing_to_do"),
    "import care": (HERE, "test_an_import_comes_where_it_is_missing_and_only_there"),
    "cross-file": (HERE, "test_a_wrapper_and_its_callers_change_together"),
    "behaviour check": (HERE, "test_what_was_rewritten_is_run_before_and_after"),
    "pre-commit": ("ux/test_precommit.py", "test_the_hook_rewrites_over_several_files_and_is_content_afterwards"),
    "LSP": ("lsp/test_server.py", "test_a_document_from_opening_to_the_fix"),
    "completion": ("ux/test_docs.py", "test_completion_knows_options_and_commands"),
    "progress": ("ux/test_progress.py", "test_it_shows_what_is_done_and_is_gone_afterwards"),
    "Python API": (HERE, "test_the_api_is_typed_and_does_what_it_says"),
    "HTML report": ("report/test_html.py", "test_the_page_says_what_the_report_says"),
    "asks": ("ux/test_interactive.py", "test_what_is_accepted_is_written_and_what_is_declined_stays"),
    "explains": ("ux/test_explain.py", "test_a_refusal_says_what_it_means_what_to_do_and_a_patch_that_was_not_applied"),
    "todo": ("ux/test_todo.py", "test_a_comment_stands_above_the_statement_and_only_once"),
    "baseline": ("ux/test_precommit.py", "test_a_refusal_fails_the_hook_until_a_baseline_accepts_it"),
}
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


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_test(promise):
    file, name = PROMISES[promise]
    tree = ast.parse((TESTS / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


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
        voltfix.rewrite(HEAD + "def (:  # volatile=True\n")
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
