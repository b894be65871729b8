"""What goes wrong says what, where, and what to do next; and it says so before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from in_process import running_in

SOURCE = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    return net(Variable(x, volatile=True)).data[0]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    return running_in(tmp_path, monkeypatch)


@pytest.fixture
def says(here, tree):
    root = tree({"a.py": SOURCE, "clean/b.py": "x = 1\n", "pyproject.toml": "[tool.other]\n"})
    (root / "empty").mkdir()
    (root / "bad.toml").write_text('exclud = ["a"]\n')
    (root / "flag.toml").write_text('verify = "yes"\n')
    (root / "choice.toml").write_text('device = "gpu"\n')
    (root / "broken.toml").write_text("[tool.voltfix\n")
    (root / "number.toml").write_text("tool.voltfix = 3\n")
    (root / "folder.toml").write_text('baseline = "/proc/self/mem"\n')
    (root / "version.toml").write_text('torch-version = "0.3"\n')

    def run(*arguments: str) -> tuple[int, str]:
        done = here(*arguments)
        assert (root / "a.py").read_text() == SOURCE
        return done.returncode, " ".join((done.stdout + done.stderr).decode().split())

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Usage: voltfix [OPTIONS] PATH..."),
        (["--config", "bad.toml", "a.py"], 2, "bad.toml: there is no setting 'exclud'; did you mean 'exclude'?"),
        (["--config", "flag.toml", "a.py"], 2, "flag.toml: setting 'verify' is 'yes'; it has to be true or false"),
        (["--config", "choice.toml", "a.py"], 2, "choice.toml: setting 'device': 'gpu' is not one of"),
        (["--config", "broken.toml", "a.py"], 2, "broken.toml: is no valid TOML (Expected"),
        (["--config", "number.toml", "a.py"], 2, "number.toml: tool.voltfix is no table; write the settings below"),
        (["--config", "folder.toml", "a.py"], 2, "mem: cannot be read (input/output error); make one"),
        (["--config", "version.toml", "a.py"], 2, "0.3' has no torch.no_grad()"),
        (["--config", "empty", "a.py"], 2, "empty"),
        (["--torch-version", "0.3", "a.py"], 2, "has no torch.no_grad(): what voltfix writes runs on 0.4 and later"),
        (["--torch-version", "2.1", "--no-verify", "--check", "a.py"], 1, "VF101 would wrap line 6 in torch.no_grad()"),
        (["--no-verify", "--check", "--write-baseline", "/dev/full", "a.py"], 2, "/dev/full: cannot be written (no sp"),
        (["clean", "--save-plan", "plan.json"], 0, "there is nothing to verify, so no plan was saved"),
        (["absent"], 2, "absent: error (unreadable): no such file or directory; seen from /"),
        (["absent", "a.py", "--check"], 2, "no such file or directory; seen from /"),
        (["/dev/null"], 2, "is neither a file nor a folder"),
        (["empty"], 0, "No Python file in the paths given."),
        (["clean"], 0, "No volatile site in 1 file."),
        (["verfy", "a", "b"], 2, "there is no file or folder 'verfy'; did you mean: voltfix verify"),
        (["--frobnicate", "a.py"], 2, "No such option '--frobnicate'"),
        (["--staistics", "a.py"], 2, "--statistics"),
        (["--select", "VF9", "a.py"], 2, "there is no rule 'VF9'; "),
        (["--select", "vf101", "a.py"], 2, "there is no rule 'vf101'; did you mean VF101?"),
        (["--select", "VF1O1", "a.py"], 2, "there is no rule 'VF1O1'; did you mean VF101?"),
        (["--fix", "a.py"], 2, "--fix is a command here: voltfix fix PATH writes, voltfix check PATH does not"),
        (["--verify=quik", "a.py"], 2, "--verify=quik: write --verify, --verify=quick or --verify=full"),
        (["a.py", "check"], 2, "'check' is no file or folder; name the command first: voltfix check PATH"),
        (["a.py:6", "--check"], 2, "'a.py:6' is a line, and only whole files are read here: voltfix explain a.py:6"),
        (["--ignore", "zzz", "a.py"], 2, "there is no rule 'zzz'; voltfix rule lists them"),
        (["--output-format", "xml", "a.py"], 2, "'xml' is not one of 'text', 'concise', 'json', 'sarif', 'github'"),
        (["--torch-version", "new", "a.py"], 2, "'new' is no version; write it as 2.1"),
        (
            ["--config", "no.toml", "a.py"],
            2,
            "no.toml: there is no such file; give --config the path of a TOML",
        ),
        (["--baseline", "no.json", "a.py"], 2, "make it with voltfix --check --write-baseline no.json a.py"),
        (["--report", "no/r.html", "a.py"], 2, "--report no/r.html: there is no folder"),
        (["--write-baseline", "empty", "a.py"], 2, "'empty' is a directory"),
        (["--report", "empty", "a.py"], 2, "'empty' is a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_message_says_what_and_what_next(says, arguments, code, message):
    ended, text = says(*arguments)
    assert message in text
    assert ended == code


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rule", "held"], 0, "it is part of something that was refused"),
        (["rule", "HELD"], 0, "# held"),
        (["rule", "integer-division"], 0, "Given by: voltfix doctor"),
        (["rule", "unseen-caller"], 2, "called unseen-caller; did you mean unseen-callers?"),
        (["rule", "integer-divison"], 2, "did you mean integer-division?"),
        (["rule", "VF1O1"], 2, "did you mean VF101?"),
        (["rule", "VF999"], 2, "voltfix rule lists them"),
        (["rule"], 0, "Words of voltfix doctor: integer-division"),
        (["explain", "a.py", "6"], 2, "write the file and the line together: voltfix explain a.py:6"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_another_command_says_what_was_meant_too(voltfix, says, arguments, code, message):
    done = voltfix(*arguments)
    assert message in " ".join((done.stdout + done.stderr).decode().split())
    assert done.returncode == code


def test_every_word_in_the_brackets_of_a_refusal_is_one_that_rule_knows():
    from voltfix.rules import REASONS
    from voltfix.rules.refusals import REFUSALS

    assert set(REFUSALS) <= set(REASONS)


def test_an_unknown_setting_names_the_file_and_the_one_that_was_meant(says):
    Path("pyproject.toml").write_text("[tool.voltfix]\nselct = ['VF101']\n")
    code, text = says("a.py")
    assert code == 2
    assert "pyproject.toml: there is no setting 'selct'; did you mean 'select'?" in text


def test_a_baseline_that_the_settings_name_can_be_made_for_the_first_time(says):
    Path("pyproject.toml").write_text("[tool.voltfix]\nbaseline = 'known.json'\n")
    assert says("a.py", "--check")[0] == 2
    assert says("a.py", "--check", "--no-verify", "--write-baseline", "known.json")[0] == 1
    assert Path("known.json").exists()


def test_help_and_messages_fit_into_eighty_columns(here):
    for line in here("--help").stdout.decode().splitlines():
        assert len(line) <= 80, line


def test_a_long_path_loses_whole_folders_and_keeps_a_long_name():
    from voltfix.rules.messages import ending

    assert ending("tutorials/02-intermediate/network/main.py:12", 30) == ".../network/main.py:12"
    assert ending("short/main.py:12", 30) == "short/main.py:12"
    assert ending("x" * 40 + ".py:12", 20) == "..." + "x" * 11 + ".py:12"


def test_what_was_taken_back_says_nothing_of_a_device_that_nobody_asked_for():
    from voltfix.modernize.messages import taken_back
    from voltfix.rules.messages import differs
    from voltfix.verify.plan import NOT_ASKED

    for told in (taken_back, differs):
        assert told(f"the result differs; cuda: {NOT_ASKED}") == "took it back: the result differs"
        assert told(f"cuda: {NOT_ASKED}") == "took it back: the results before and after differ"
        assert told("the result differs; cuda: ran out") == "took it back: the result differs; cuda: ran out"


def test_what_was_taken_back_names_a_file_only_where_it_may_be_another_and_has_room_for_what_differs():
    from voltfix.rules.messages import differs

    path = "tutorials/05_drawing_with_a_network/a_layer_for_pictures_that_is_tensor_regression.ipynb"
    said = "test: cell 16, line 31 `tools.to_tensor(...)`: requires_grad False before, True after"
    assert differs(f"{path}: {said}", [path]) == f"took it back: {said}"
    assert differs(f"{path}: {said}", ["a.py", path]).startswith("took it back: ...")
    assert "test: cell 16, line 31" in differs(f"{path}: {said}", ["a.py", path])
    assert differs(f"other.py: {said}", ["a.py"]).startswith("took it back: other.py: test: cell 16")
