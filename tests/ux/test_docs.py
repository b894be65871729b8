"""Every command in the README and the docs is run, in a folder that holds what they speak of.

A ``console`` block is a script, a line at a time. What needs the network, or is this test's own suite, is
not run here; each such line has to be among ``ELSEWHERE``, with why, or where it is tried.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {
    r"pip install\b.*": "needs the network; the README's first command is the continuous integration's",
    r"voltfix repair path/ .*": "runs a program of the reader's; tests/cli/test_repair.py tries the command",
    r"pip-compile .*": "needs the network; tests/rules/test_supply_chain.py holds it against the lock",
    r"python3 -m venv .*": "needs the network; the README's first command is the continuous integration's",
    r"\. \.venv/bin/activate && .*": "the README's second command is the continuous integration's",
    r"ruff check && mypy && python -m pytest.*": "the continuous integration's",
    r"COVERAGE_PROCESS_START=.*": "this very suite",
    r"export COVERAGE_FILE=.*": "where this very suite leaves what was seen",
    r"voltfix repair .*": "wants a clean repository; tests/repair",
    r"coverage .*": "what this very suite leaves",
    r"pre-commit .*": "tests/ux/test_precommit.py",
    r"mkdocs build --strict": "test_the_site_builds",
}
OLD = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    x = Variable(x, volatile=True)
    return net(x).data[0]


def refused(net, x, flags):
    # the flag may be in the dictionary
    return net(Variable(x, **flags))
"""


def blocks(page: Path, language: str) -> list[str]:
    found = re.findall(rf"(?ms)^( *)```{language}[^\n]*\n(.*?)^\1```", page.read_text())
    return [re.sub(rf"(?m)^{indent}", "", body) for indent, body in found]


def commands(page: Path) -> list[str]:
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [re.sub(r"\s+# .*", "", line) for line in lines if line.strip()]


@pytest.fixture
def folder(tmp_path):
    """What the pages speak of: a project, an old file, voltfix's own sources."""
    for name in ("project", "path", "before", "after"):
        shutil.copytree(ROOT / "examples/legacy_project", tmp_path / name)
    os.symlink(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "docs").mkdir()
    make_repository(tmp_path / "repositories/one")
    (tmp_path / "old.py").write_text(OLD)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def make_repository(folder: Path) -> None:
    shutil.copytree(ROOT / "examples/legacy_project", folder)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=folder, check=True)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)


def runs_elsewhere(line: str) -> bool:
    return any(re.fullmatch(pattern, line) for pattern in ELSEWHERE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_works(page, folder):
    if page.name != "README.md":  # once with verification is enough
        (folder / "pyproject.toml").write_text("[tool.voltfix]\nverify = false\n")
    for line in commands(page):
        if runs_elsewhere(line):
            continue
        done = run(line, folder)
        assert done.returncode in (0, 1), f"{line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, line
        if done.returncode == 1:  # voltfix found something; nothing else may say 1
            assert re.search(r"\bvoltfix (--|-|batch|check|fix|doctor|project|path|examples|old)", line), line


def test_the_pages_have_commands_at_all():
    assert len({line for page in PAGES for line in commands(page)}) > 25


@pytest.mark.parametrize("name", ["api", "contributing"])
def test_python_in_the_pages_runs_or_parses(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for block in blocks(ROOT / "docs" / f"{name}.md", "python"):
        code = compile(block, f"{name}.md", "exec")
        if "import voltfix\n" in block:
            exec(code, {})


def test_the_rule_that_the_page_writes_does_what_it_says(monkeypatch):
    from modernize import support
    from voltfix.modernize import registry
    from voltfix.rulebook import all_rules

    place: dict[str, object] = {"becomes": support.becomes, "stays": support.stays, "refuses": support.refuses}
    *rule, tests = blocks(ROOT / "docs/writing-a-rule.md", "python")
    exec("\n".join(rule) + "\nRULE = Rule(TEXT, find)", place)
    assert "VF221" not in {text.code for text in all_rules()}, "the page's number is taken: give it the next"
    monkeypatch.setattr(registry, "RULES", (*registry.RULES, place["RULE"]))
    exec(tests, place)
    named = [name for name in place if name.startswith("test_")]
    assert len(named) == 3
    for name in named:
        place[name]()


@pytest.mark.parametrize("page", [ROOT / "docs/refusals.md", ROOT / "docs/what-it-does.md"], ids=lambda page: page.name)
def test_examples_are_python(page):
    for block in blocks(page, "python"):
        if not block.startswith(("$", "voltfix")):
            made = compile(f"async def f():\n{re.sub('(?m)^', '    ', block)}", page.name, "exec")
            assert made.co_filename == page.name


def test_files_that_the_pages_name_are_there():
    elsewhere = {"features.md", "corpus-review.md", "corpus.md"}  # they name files of other projects too
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        text = page.read_text()
        for name in re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]+)`", text):
            assert page.name in elsewhere or (ROOT / name).exists(), f"{page.name}: {name}"
        for name in re.findall(r"\]\((?!\w+:)([^)#\s]+)", text):
            assert (page.parent / name).exists(), f"{page.name}: {name}"


def test_options_that_the_pages_name_are_there():
    from voltfix.cli.main import COMMANDS, main

    known = {name for option in main.params for name in (*option.opts, *option.secondary_opts)}
    for name in COMMANDS:
        done = run(f"voltfix {name} --help", ROOT)
        known |= set(re.findall(r"--[a-z][a-z-]+", done.stdout))
    for page in PAGES:
        for line in re.findall(r"(?<!run )\bvoltfix [^`\n]*", page.read_text()):
            assert set(re.findall(r" (--[a-z][a-z-]+)", line)) <= known, line


def test_the_glossary_has_five_words_at_most_and_is_the_same_everywhere():
    tables = [re.findall(r"(?m)^\| ([a-z]+) \| (.*) \|$", page.read_text().split("# Five words")[1].split("\n## ")[0])
              for page in (ROOT / "README.md", ROOT / "docs/index.md")]  # fmt: skip
    assert tables[0] == tables[1]
    assert 0 < len(tables[0]) <= 5


def test_the_settings_that_the_pages_show_are_taken(folder):
    for page in PAGES:
        for block in blocks(page, "toml"):
            (folder / "project/pyproject.toml").write_text(block)
            (folder / "project/known.json").write_text('{"schema": 1, "refusals": []}')
            done = run("voltfix --check --no-verify .", folder / "project")
            assert done.returncode in (0, 1), done.stderr


def test_completion_knows_options_and_commands(folder):
    def complete(*words: str) -> str:
        line = f"COMP_WORDS='{' '.join(words)}' COMP_CWORD={len(words) - 1} _VOLTFIX_COMPLETE=bash_complete voltfix"
        return run(line, folder).stdout

    assert "plain,--statistics" in complete("voltfix", "--sta")
    assert "plain,explain" in complete("voltfix", "exp")
    assert "plain,explain" not in complete("voltfix", "a.py", "exp")
    assert "plain,sarif" in complete("voltfix", "--output-format", "s")


def test_the_site_builds(tmp_path):
    pytest.importorskip("material")
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site/refusals/index.html").exists()


def test_the_page_of_the_rules_is_what_the_command_says():
    from voltfix.report.rulepage import page

    assert (ROOT / "docs/rules.md").read_text() == page()
