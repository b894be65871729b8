"""Commands, help, settings: what a line of words means."""

from __future__ import annotations

import os
import sys
import types
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from voltfix.cli import main as main_module
from voltfix.cli.main import COMMANDS, entry, main


def words(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["voltfix", *arguments])
    with pytest.raises(SystemExit) as ended:
        entry()
    return ended.value.code


@pytest.fixture
def verify_command(monkeypatch):
    """A stand-in for the verify subcommand that records its words."""
    seen = []

    @click.command()
    @click.argument("arguments", nargs=-1)
    def command(arguments):
        seen.append(arguments)

    monkeypatch.setitem(sys.modules, "voltfix.cli.verify", types.SimpleNamespace(command=command))
    return seen


def test_a_subcommand_is_one_as_the_first_word(monkeypatch, verify_command):
    assert words(monkeypatch, "verify", "a", "b") == 0
    assert verify_command == [("a", "b")]


def test_the_name_of_a_subcommand_further_on_is_a_path(monkeypatch, verify_command, tree):
    root = tree({"d/a.py": "", "verify/b.py": ""})
    monkeypatch.chdir(root)
    assert words(monkeypatch, "--check", "d", "verify") == 0
    assert words(monkeypatch, "d", "verify", "--diff") == 0
    assert words(monkeypatch, "./verify") == 0
    assert verify_command == []


def test_an_option_behind_the_path_is_an_option(monkeypatch, tree, capsys):
    monkeypatch.chdir(tree({"a.py": ""}))
    assert words(monkeypatch, ".", "--diff") == 0
    assert capsys.readouterr().out == ""


def test_a_subcommand_that_is_not_installed_says_so(monkeypatch, capsys):
    monkeypatch.setitem(COMMANDS, "absent", ("voltfix.cli.absent", ""))
    assert words(monkeypatch, "absent") == 2
    assert "absent" in capsys.readouterr().err


def test_a_subcommand_whose_library_is_missing_names_it(monkeypatch, capsys):
    def missing(name):
        raise ModuleNotFoundError("no", name="pygls.server")

    monkeypatch.setattr(main_module, "import_module", missing)
    assert words(monkeypatch, "lsp") == 2
    assert "needs pygls" in capsys.readouterr().err


def test_without_arguments_it_helps(monkeypatch, capsys):
    assert words(monkeypatch) == 2
    assert "Usage: voltfix" in capsys.readouterr().err


def test_a_fault_of_voltfix_makes_two_and_asks_for_a_report(monkeypatch, capsys, tmp_path):
    from voltfix.cli import session

    def crash(request):
        raise ZeroDivisionError

    monkeypatch.setattr(session, "run", crash)
    assert words(monkeypatch, str(tmp_path)) == 2
    assert "please report" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "said"), [(click.Abort(), "Aborted!"), (KeyboardInterrupt(), "interrupted")])
def test_an_interrupted_run_says_so(monkeypatch, capsys, tmp_path, error, said):
    from voltfix.cli import session

    def interrupted(request):
        raise error

    monkeypatch.setattr(session, "_run", interrupted)
    assert words(monkeypatch, str(tmp_path)) != 0
    assert said in capsys.readouterr().err


def test_help_names_the_commands_and_the_exit_codes():
    text = CliRunner().invoke(main, ["--help"]).stdout
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert "Exit codes:" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense", "."],
        ["--output-format", "xml", "."],
        ["-j", "-1", "."],
        ["--torch-version", "new", "."],
    ],
)
def test_bad_usage_makes_two(arguments):
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_an_empty_folder_says_so(tmp_path):
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert (result.exit_code, result.stdout) == (0, "No Python file in the paths given.\n")


# --- garbage ----------------------------------------------------------------------------------------------


@pytest.fixture
def thresholds():
    """Those of the garbage collector, put back at the end."""
    import gc

    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_server_looks_for_garbage_as_often_as_python_does_and_a_command_seldom(monkeypatch, tmp_path, thresholds):
    @click.command()
    def command():
        seen.append(thresholds())

    seen = []
    monkeypatch.setitem(sys.modules, "voltfix.cli.lsp", types.SimpleNamespace(command=command))
    assert words(monkeypatch, "lsp") == 0
    assert seen == [(700, 10, 10)]
    assert words(monkeypatch, str(tmp_path)) == 0
    assert thresholds()[0] > 700


def test_what_small_jobs_leave_behind_is_collected_once_it_adds_up(monkeypatch):
    from voltfix.cli import workers
    from voltfix.discovery.projects import jobs

    collections = []
    monkeypatch.setattr(workers.gc, "collect", lambda: collections.append(1))
    monkeypatch.setattr(workers, "_done", 0)
    data = b"#" * 20_000
    todo = [(job, None) for n in range(7) for job in jobs([f"/{n}/a.py"], [f"/{n}/a.py"], [(f"/{n}/a.py", data)])]
    monkeypatch.setattr(workers, "migrate", lambda files, options, verifier, search: sum(map(len, files.values())))
    assert list(workers.results(todo, None, 1)) == [20_000] * 7
    assert len(collections) == 2


# --- what is imported -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["--version"], ["clean.py"], ["clean.py", "--check"], ["clean.py", "--diff"]]
)
def test_nothing_heavy_is_imported_for_nothing(tree, arguments):
    import subprocess

    root = tree({"clean.py": "x = 1\n"})
    program = (
        "import sys\nfrom voltfix.cli.main import entry\n"
        f"sys.argv = ['voltfix', *{arguments!r}]\n"
        "try:\n    entry()\nexcept SystemExit as ended:\n    assert ended.code == 0\n"
        "heavy = {'rich', 'libcst', 'torch', 'pathspec', 'voltfix.model', 'voltfix.core', 'pathlib'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)\n"
    )
    # -S: whatever measures coverage has imports of its own
    path = os.pathsep.join(each for each in sys.path if each)
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=root, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stderr.strip().splitlines()[-1] == "set()"


# --- settings ---------------------------------------------------------------------------------------------


def check(root, *arguments):
    return CliRunner().invoke(main, ["--check", "--no-verify", str(root), *arguments])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("exclud = ['a']", "did you mean 'exclude'"),
        ("nonsense = 1", "known are"),
        ("modernize = 'yes'", "true or false"),
        ("output-format = 'xml'", "output-format"),
        ("torch-version = 'x'", "torch-version"),
        ("jobs = -1", "jobs"),
        ("paths = ['a']", "there is no setting"),
    ],
)
def test_a_setting_that_cannot_be_is_an_error_with_a_hint(tree, setting, message):
    root = tree({"pyproject.toml": f"[tool.voltfix]\n{setting}\n"})
    result = check(root)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_settings_are_used_and_the_command_line_wins(tree):
    root = tree({"pyproject.toml": "[tool.voltfix]\nstatistics = true\nquiet = true\n", "a.py": ""})
    assert check(root).stdout == ""
    (root / "pyproject.toml").write_text("[tool.voltfix]\noutput-format = 'json'\n")
    assert check(root).stdout.startswith("{")
    assert check(root, "--output-format", "text").stdout.startswith("No volatile")


def test_excluded_patterns_start_from_the_file_that_they_stand_in(tree):
    root = tree({"pyproject.toml": "[tool.voltfix]\nexclude = ['/d/a.py']\n", "d/a.py": "", "d/b.py": ""})
    assert check(root / "d").stdout == "No volatile site in 1 file.\n"


def test_the_nearest_table_wins_and_a_file_without_one_is_passed_over(tree):
    root = tree(
        {
            "pyproject.toml": "[tool.voltfix]\nquiet = true\n",
            "d/pyproject.toml": "[tool.black]\n",
            "d/a.py": "",
            "e/pyproject.toml": "[tool.voltfix]\nquiet = false\n",
            "e/a.py": "",
        }
    )
    assert check(root / "d").stdout == ""
    assert check(root / "e").stdout != ""


def test_a_pyproject_that_is_a_folder_configures_nothing(tree):
    assert check(tree({"pyproject.toml/x": "", "a.py": ""})).exit_code == 0


def test_a_pyproject_that_is_no_toml_is_an_error_only_if_it_speaks_of_voltfix(tree):
    root = tree({"pyproject.toml": "[tool.voltfix\n", "a.py": ""})
    assert check(root).exit_code == 2
    (root / "pyproject.toml").write_text("[tool.other\n")
    assert check(root).exit_code == 0


def test_a_config_file_of_any_name_can_be_given(tree):
    root = tree({"my.toml": "quiet = true\n", "a.py": ""})
    assert check(root, "--config", str(root / "my.toml")).stdout == ""
    assert check(root, "--config", str(root / "none.toml")).exit_code == 2


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_short_and_speaks_no_words_of_the_trade(name):
    command = main if not name else import_module(COMMANDS[name][0]).command
    said = [str(command.help), *(str(option.help) for option in command.params if getattr(option, "help", None))]
    for text in said:
        for word in ("near miss", "stand-in", "candidate", "symbolic", "tier", "premise"):
            assert word not in text.lower(), text
    for text in said[1:]:
        assert len(text.split("  [default")[0]) <= 110
