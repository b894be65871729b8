"""What the fingers of ruff's users type: check and fix, exit codes for scripts, rules left alone here and there."""

from __future__ import annotations

import json
import subprocess

import pytest

from voltfix.cli.main import ALIASES, COMMANDS

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
SITE = HEAD + "def f(net, x):\n    return net(Variable(x, volatile=True)).data\n"
LOST = "from torch.autograd import Variable\n\n\ndef g(x):\n    return Variable(x, volatile=True)\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    from in_process import running_in

    here = running_in(tmp_path, monkeypatch)

    def go(*arguments: str):
        done = here(*arguments, "--no-verify") if arguments[0] in (*ALIASES, ".", "a.py") else here(*arguments)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return go


def test_check_is_the_option_and_writes_nothing(tree, run, voltfix):
    root = tree({"a.py": SITE})
    code, out, _ = run("check", ".")
    assert code == 1
    assert (root / "a.py").read_text() == SITE
    assert out == run(".", "--check")[1]
    done = voltfix("check", "--no-verify", ".")
    assert (done.returncode, done.stdout.decode()) == (code, out)


def test_fix_is_the_plain_command(tree, run):
    root = tree({"a.py": SITE})
    assert run("fix", "a.py")[0] == 0
    assert "with torch.no_grad():" in (root / "a.py").read_text()


def test_a_folder_that_is_called_check_is_given_by_its_path(tree, run):
    root = tree({"check/a.py": SITE})
    assert run("check", "./check")[0] == 1
    assert run("fix", "check/a.py")[0] == 0
    assert (root / "check/a.py").read_text() != SITE


@pytest.mark.parametrize(("word", "meant"), [("chek", "check"), ("fixx", "fix"), ("explian", "explain")])
def test_a_mistyped_command_is_met_with_the_one_that_was_meant(tree, run, word, meant):
    root = tree({"a.py": SITE})
    code, _, err = run(word, ".")
    assert (code, f"did you mean: voltfix {meant}" in err) == (2, True)
    assert (root / "a.py").read_text() == SITE


def test_exit_zero_hides_what_is_left_and_no_error(tree, run):
    tree({"a.py": LOST})
    assert run("check", ".")[0] == 1
    assert run("check", ".", "--exit-zero")[0] == 0
    tree({"b.py": "volatile = (\n"})
    assert run("check", ".", "--exit-zero")[0] == 2


def test_a_repository_cannot_ask_for_exit_zero(tree, run):
    tree({"a.py": LOST, "pyproject.toml": "[tool.voltfix]\nexit-zero = true\n"})
    code, _, err = run("check", ".")
    assert (code, "'exit-zero' is for the command line alone" in err) == (2, True)


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("# voltfix: skip", True),
        ("# voltfix: skip[VF101]", True),
        ("# noqa  # voltfix:skip[ vf101, VF202 ]", True),
        ("# voltfix: skip[VF104]", False),
        ("# voltfix: skip[]", False),
        ("# voltfix: skip[VF101", False),
        ("# voltfix: skipped", False),
    ],
)
def test_a_comment_leaves_alone_the_rules_that_it_names(tree, run, comment, left):
    root = tree({"a.py": SITE.replace(".data\n", f".data  {comment}\n")})
    assert run("a.py")[0] == 0
    assert ("volatile=True" in (root / "a.py").read_text()) is left


@pytest.mark.parametrize("how", ["setting", "option"])
def test_a_rule_is_left_alone_in_the_files_of_a_pattern(tree, run, how):
    settings = '[tool.voltfix.per-file-ignores]\n"tests/*" = ["VF1"]\n' if how == "setting" else ""
    root = tree({"a.py": SITE, "tests/b.py": SITE, "pyproject.toml": settings})
    given = ["--per-file-ignores", "tests/*:VF1"] if how == "option" else []
    code, out, _ = run("fix", ".", *given, "--output-format", "json")
    assert code == 0
    found = {row["path"]: (row["status"], row["message"]) for row in json.loads(out)["sites"]}
    assert found["a.py"][0] == "fixed"
    assert found["tests/b.py"] == ("suppressed", "left alone, as per-file-ignores leaves VF101 out here")
    assert (root / "tests/b.py").read_text() == SITE


def test_a_rule_of_modernize_is_left_alone_in_a_file_too(tree, run):
    old = "import torch\nx = torch.ones(1).cuda(**{'async': True})\ny = torch.autograd.Variable(torch.ones(1))\n"
    root = tree({"a.py": old, "b.py": old})
    assert run("fix", ".", "--modernize", "--per-file-ignores", "b.py:VF2")[0] == 0
    assert (root / "a.py").read_text() != old
    assert (root / "b.py").read_text() == old


@pytest.mark.parametrize("value", ["tests/*", ":VF101", "tests/*:"])
def test_a_pattern_without_a_code_is_said_to_be_one(tree, run, value):
    tree({"a.py": SITE})
    code, _, err = run("check", ".", "--per-file-ignores", value)
    assert (code, "write it as 'tests/*:VF101'" in err) == (2, True)


def test_a_rule_that_is_none_is_found_out_in_a_pattern_too(tree, run):
    tree({"a.py": SITE})
    assert "there is no rule 'VF9'" in run("check", ".", "--per-file-ignores", "a.py:VF9")[2]


# --- git ------------------------------------------------------------------------------------------------------


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_changes_that_are_not_committed_are_said_once_where_files_are_rewritten(tree, run):
    root = tree({"a.py": SITE, "b.py": SITE})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "a")
    (root / "b.py").write_text("# mine\n" + SITE)
    assert "git has" not in "".join(run("check", ".")[1:])
    out = run("fix", ".")[1]
    assert out.count("note: git has no commit of b.py as it was") == 1
    assert "a.py as it was" not in out


def test_a_folder_in_no_repository_is_told_nothing_of_git(tree, run):
    tree({"a.py": SITE})
    assert "git" not in run("fix", ".")[1]


# --- completion -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "number", "offered"),
    [
        ("voltfix ", "1", {"check", "fix", *COMMANDS}),
        ("voltfix --select VF10", "2", {"VF101", "VF102", "VF103", "VF104"}),
        ("voltfix --ignore VF202,VF20", "2", {"VF202,VF201", "VF202,VF209"}),
        ("voltfix check --exit", "2", {"--exit-zero"}),
        ("voltfix verify --dri", "2", {"--drive"}),
        ("voltfix rule --out", "2", {"--output-format"}),
        ("voltfix rule VF21", "2", {"VF210", "VF211"}),
        ("voltfix doctor --exc", "2", {"--exclude"}),
    ],
)
def test_a_shell_is_offered_rules_and_the_options_of_the_command_at_hand(voltfix, monkeypatch, words, number, offered):
    monkeypatch.setenv("_VOLTFIX_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", number)
    said = {line.partition(",")[2] for line in voltfix().stdout.decode().splitlines()}
    assert offered <= said
    if "--exit" in words or "--dri" in words:
        assert said == offered


@pytest.mark.parametrize(
    ("options", "repeated"),
    [
        (["--modernize"], "--modernize --no-verify"),
        (["--break-api", "--unsafe-fixes", "-v"], "--break-api --unsafe-fixes --no-verify"),
        (["--select", "VF101", "--select", "VF102,VF203"], "--select=VF101,VF102,VF203 --no-verify"),
        (["--torch-version", "2.1", "--statistics"], "--torch-version=2.1 --no-verify"),
        (["--per-file-ignores", "x/*:VF1", "--search", "2"], "'--per-file-ignores=x/*:VF1' --no-verify --search=2"),
        (["--exclude", "x y", "--exit-zero"], "'--exclude=x y' --no-verify"),
    ],
)  # fmt: skip
def test_the_next_step_keeps_the_options_that_decide_what_is_written(tree, run, options, repeated):
    tree({"a.py": SITE})
    out = " ".join(run("check", ".", *options)[1].split())
    assert f"Next: voltfix fix . {repeated} (writes this" in out


def test_what_is_refused_is_explained_before_a_line_moves(tree, run):
    tree({"a.py": SITE, "b.py": LOST})
    out = " ".join(run("check", ".", "--keep-signatures", "--modernize")[1].split())
    following = out.rstrip().partition("Next: ")[2].partition(" (")[0]
    assert following == (
        "voltfix explain b.py:5 --keep-signatures --no-verify, "
        "then voltfix fix . --keep-signatures --modernize --no-verify"
    )


@pytest.mark.parametrize(
    "comment", ["# voltfix: skp", "# voltfix skip", "# voltfix: ignore", "# voltfix:", "# voltfix: skip["]
)
def test_a_comment_that_leaves_nothing_alone_is_said_to(tree, run, comment):
    root = tree({"a.py": SITE.replace(".data\n", f".data  {comment}\n")})
    out = run("fix", ".")[1]
    assert f"note: left no line alone for a.py:6 ({comment})" in out
    assert "torch.no_grad" in (root / "a.py").read_text()


@pytest.mark.parametrize(
    "comment",
    ["# voltfix: skip", "# voltfix: skip[VF101]", "# voltfix: skip[VF1]", "# voltfix:skip", "#voltfix: skip[VF2, VF1]"],
)
def test_a_comment_that_is_known_is_no_note(tree, run, comment):
    source = SITE.replace(".data\n", f".data  {comment}\n")
    root = tree({"a.py": source})
    out = run("fix", ".")[1]
    assert "note:" not in out
    assert "1 suppressed" in out
    assert (root / "a.py").read_text() == source


@pytest.mark.parametrize(
    "comment", ["# voltfix: check", "# see voltfix skip", "# voltfix is not asked", "# voltfix: skip[VF2]"]
)
def test_other_words_on_a_line_are_no_note_and_no_skip(tree, run, comment):
    root = tree({"a.py": SITE.replace(".data\n", f".data  {comment}\n")})
    assert "note:" not in run("fix", ".")[1]
    assert "torch.no_grad" in (root / "a.py").read_text()


def test_the_help_of_check_and_of_fix_is_their_own(voltfix):
    check, fix, main = (
        " ".join(voltfix(*words, "--help").stdout.decode().split()) for words in (["check"], ["fix"], [])
    )
    assert "write nothing" in check
    assert "--interactive" not in check
    assert "Rewrite the files at PATH in place" in fix
    assert "--interactive" in fix
    assert "Commands (as the first word)" not in check + fix
    assert "Commands (as the first word)" in main
    assert "--check" in main
    assert "Exit codes" in check
