"""A repository that wants something of whoever looks at it: nothing of it runs, nothing is written unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forked import forked
from voltfix.batch.git import _disarmed, attempt
from voltfix.batch.model import BatchError
from voltfix.cli import uncommitted
from voltfix.writes import Write

GOOD = "import torch\nfrom torch.autograd import Variable\nx = Variable(t, volatile=True)\nprint(net(x))\n"


def voltfix(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """One run of the command; ``VOLTFIX_GIT``: the folder of another git than that which is installed."""
    if newer := os.environ.get("VOLTFIX_GIT"):
        env = {**os.environ, "PATH": f"{newer}:{os.environ['PATH']}", **(env or {})}
    done = forked(*arguments, cwd=folder, env=env, timeout=60)
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


def installed(folder: Path, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """One run of the command as it is installed, from the start of Python on."""
    command = [str(Path(sys.executable).parent / "voltfix"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, **more)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with ``.git`` and one file to rewrite."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.py").write_text(GOOD)
    return folder


# -- settings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["report", "save-plan", "write-baseline", "write_baseline"])
@pytest.mark.parametrize("arguments", [["--check"], []], ids=["check", "write"])
def test_a_setting_overwrites_no_file(repository: Path, name: str, arguments: list[str]) -> None:
    victim = repository.parent / "victim"
    victim.write_text("mine\n")
    (repository / "pyproject.toml").write_text(f"[tool.voltfix]\n{name} = '{victim}'\n")
    done = voltfix(repository, "--no-verify", *arguments, ".")
    assert victim.read_text() == "mine\n"
    assert (done.returncode, (repository / "a.py").read_text()) == (2, GOOD)
    assert f"'{name.replace('_', '-')}' is for the command line alone" in done.stderr


@pytest.mark.parametrize("setting", ["weak-sandbox = true", 'device = "cuda"', 'device = "cpu,cuda"'])
def test_a_repository_cannot_loosen_its_sandbox(repository: Path, setting: str) -> None:
    (repository / "pyproject.toml").write_text(f"[tool.voltfix]\n{setting}\n")
    done = voltfix(repository, "--check", ".")
    assert done.returncode == 2
    assert "is for the command line alone" in done.stderr


def test_the_search_for_settings_ends_at_the_root_of_the_repository(repository: Path) -> None:
    (repository.parent / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['a.py']\n")
    (repository / "sub").mkdir()
    (repository / "sub" / "b.py").write_text(GOOD)
    assert "a.py:3" in voltfix(repository, "--no-verify", "--check", ".").stdout
    assert "b.py:3" in voltfix(repository / "sub", "--no-verify", "--check", ".").stdout
    (repository / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['b.py']\n")
    assert "No Python file" in voltfix(repository / "sub", "--no-verify", "--check", ".").stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_outside_of_a_repository_settings_that_another_user_put_above_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['a.py']\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.py").write_text(GOOD)
    assert "No Python file" in voltfix(tmp_path / "mine", "--no-verify", "--check", ".").stdout
    os.chown(tmp_path / "pyproject.toml", 12345, 12345)
    assert "a.py:3" in voltfix(tmp_path / "mine", "--no-verify", "--check", ".").stdout


# -- names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.py", "setup.cfg"])
def test_a_pipe_in_the_place_of_a_build_file_is_not_waited_for(repository: Path, name: str) -> None:
    os.mkfifo(repository / name)
    began = time.monotonic()
    done = voltfix(repository, "--no-verify", "--check", "a.py")
    assert (done.returncode, "a.py:3" in done.stdout) == (1, True), done.stderr
    assert time.monotonic() - began < 30


def test_settings_from_a_pipe_that_the_user_named_are_read(repository: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"ignore = ['VF1']\n")
    os.close(writing)
    done = voltfix(repository, "--no-verify", "--config", f"/dev/fd/{reading}", "--check", ".")
    assert "0 would be fixed" in done.stdout
    os.close(reading)


@pytest.mark.parametrize("arguments", [["--check"], ["--list-sites"], ["doctor"]], ids=lambda each: each[0])
def test_the_name_of_a_file_is_no_command_to_github(repository: Path, arguments: list[str]) -> None:
    names = ["::error file=a.py::w.py", " ::warning ::x.py", "##[error]y.py", "a##[group]z.py"]
    for name in names:
        (repository / name).write_text(GOOD)
        (repository / ("broken " + name)).write_text("volatile = (\n")
        (repository / (name + "i")).write_text("volatile = (\n")
    done = voltfix(repository, *arguments, ".")
    said = (done.stdout + done.stderr).splitlines()
    assert all(any(name[-4:] in line for line in said) for name in names)
    assert not [line for line in said if line.lstrip().startswith("::") or "##[" in line]


# -- paths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["chek", "chekc.py", "no/such/folder", "gone"])
@pytest.mark.parametrize("mode", [[], ["--check"], ["--diff"], ["--output-format", "json"]], ids=str)
def test_a_path_that_is_not_there_ends_the_run_before_anything_is_written(
    repository: Path, word: str, mode: list[str]
) -> None:
    (repository / "gone").symlink_to("nowhere")
    done = voltfix(repository, "--no-verify", *mode, word, ".", "--write-baseline", "b.json", "--report", "r.html")
    assert done.returncode == 2
    assert word in done.stdout + done.stderr
    assert (repository / "a.py").read_text() == GOOD
    assert sorted(os.listdir(repository)) == [".git", "a.py", "gone"]
    if "json" in mode:
        assert [row["path"] for row in json.loads(done.stdout)["errors"]] == [word]


# -- imports -----------------------------------------------------------------------------------------------------

OURS = ("click", "rich", "libcst", "pathspec", "tomli", "torch", "json", "pickle", "ctypes", "typing", "ast", "sqlite3")


def trap(folder: Path, *names: str) -> Path:
    """Modules that leave a trace when they are imported; the trace."""
    trace = folder.parent / "executed"
    for name in names:
        (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write({name!r} + ' ')\n")
    (folder / "voltfix").mkdir()
    (folder / "voltfix" / "__init__.py").write_text(f"open({str(trace)!r}, 'a').write('voltfix ')\n")
    return trace


def committed(folder: Path) -> None:
    """Make a repository of what lies in the folder."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    (folder / ".git").rmdir()
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("options", [["--no-verify"], ["--device", "cpu"]], ids=["alone", "verified"])
def test_a_batch_that_is_started_in_a_repository_imports_nothing_of_it(repository: Path, options: list[str]) -> None:
    trace = trap(repository, *OURS)
    committed(repository)
    done = installed(repository, "batch", "--state", str(repository.parent / "state"), "-j", "1", *options, ".")
    assert not trace.exists(), trace.read_text()
    assert "1 repository: 1 migrated" in done.stdout, done.stdout + done.stderr


def test_python_m_voltfix_imports_nothing_of_the_folder(repository: Path) -> None:
    trace = trap(repository, *OURS)
    (repository / "voltfix" / "__init__.py").unlink()  # which Python itself would run, for it was asked to
    (repository / "voltfix").rmdir()
    command = [sys.executable, "-m", "voltfix", "--check", "--device", "cpu", "a.py"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    assert not trace.exists(), trace.read_text()
    assert "a.py:3" in done.stdout


@pytest.mark.parametrize("entries", [["", "/nowhere"], ["."], ["", "relative"], ["relative"]], ids=":".join)
@pytest.mark.parametrize("words", [["--check", "--no-verify"], ["--check", "--device", "cpu"]], ids=len)
def test_an_empty_or_relative_entry_of_pythonpath_lends_no_module(
    repository: Path, entries: list[str], words: list[str]
) -> None:
    trace = trap(repository, *OURS)
    if "relative" in entries:
        (repository / "relative").mkdir()
        for name in OURS:
            (repository / f"{name}.py").rename(repository / "relative" / f"{name}.py")
    (repository / "voltfix" / "__init__.py").unlink()  # which Python finds before anything of ours is asked
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entries)}
    done = installed(repository, *words, "a.py", env=environment)
    assert not trace.exists(), trace.read_text()
    assert "a.py:3" in done.stdout, done.stderr


def test_what_runs_a_drive_imports_voltfix_from_where_it_is_installed(repository: Path) -> None:
    trace = trap(repository, "click")
    (repository / "old.py").write_text("def f(x):\n    return x * 2\n")
    (repository / "drive.py").write_text("import torch\ndef drive():\n    return torch.ones(2)\n")
    command = ["verify", "old.py", "old.py", "--drive", "drive.py", "--device", "cpu"]
    done = installed(repository, *command)
    assert not trace.exists(), trace.read_text()
    assert "cpu: identical" in done.stdout, done.stderr


# -- git ---------------------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def batch(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    state = str(folder.parent / "state")
    return voltfix(folder.parent, "batch", "--state", state, "-j", "1", "--no-verify", *options, folder.name)


def test_the_filters_of_a_checkout_do_not_run(repository: Path) -> None:
    trace = repository.parent / "executed"
    (repository / ".gitattributes").write_text("* filter=mine=odd\n*.txt filter=included diff=mine\n")
    (repository / "a.txt").write_text("x\n")
    committed(repository)
    (repository.parent / "included").write_text(f"[filter \"included\"]\n\tclean = echo included >> {trace}; cat\n")
    for way in ("clean", "smudge", "process"):
        git(repository, "config", f"filter.mine=odd.{way}", f"echo {way} >> {trace}; cat")
    git(repository, "config", "filter.mine=odd.required", "true")
    git(repository, "config", "include.path", str(repository.parent / "included"))
    git(repository, "config", "core.fsmonitor", f"echo fsmonitor >> {trace}; false")
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "pre-commit", "post-index-change", "post-commit"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {trace}\n")
        (hooks / name).chmod(0o755)
    os.utime(repository / "a.py")
    os.utime(repository / "a.txt")  # so that git looks at the content, through the filter
    done = batch(repository, "--in-place")
    assert not trace.exists(), trace.read_text()
    assert "1 migrated" in done.stdout, done.stdout + done.stderr
    assert git(repository, "branch", "--show-current") == "voltfix"
    assert "no_grad" in (repository / "a.py").read_text()


EVENTS = ("post-checkout", "reference-transaction", "pre-commit", "post-index-change", "post-commit", "commit-msg")


@pytest.mark.parametrize("words", [("--in-place",), (), ("--in-place", "--dry-run")], ids=str)
def test_hooks_that_settings_name_do_not_run(repository: Path, words: tuple[str, ...]) -> None:
    """Git runs these from 2.54 on; VOLTFIX_GIT names the folder of such a git."""
    trace = repository.parent / "executed"
    committed(repository)
    included = repository.parent / "included"
    for name, events in (("mine", EVENTS), ("odd.name=x y", EVENTS)):
        for event in events:
            git(repository, "config", "--add", f"hook.{name}.event", event)
        git(repository, "config", f"hook.{name}.command", f"echo {name} >> {trace}")
        git(repository, "config", f"hook.{name}.enabled", "true")
    included.write_text(f"[hook \"included\"]\n\tcommand = echo >> {trace}\n\tevent = reference-transaction\n")
    git(repository, "config", "include.path", str(included))
    done = batch(repository, *words)
    assert not trace.exists(), trace.read_text()
    assert "1 failed" not in done.stdout, done.stdout + done.stderr


def test_hooks_that_settings_name_are_switched_off_by_their_names(repository: Path) -> None:
    committed(repository)
    git(repository, "config", "hook.a.b=c.command", "false")
    git(repository, "config", "hook.pre-commit.enabled", "false")  # of the user, perhaps: this is no name
    given = _disarmed(str(repository))
    said = {given[f"GIT_CONFIG_KEY_{n}"]: given[f"GIT_CONFIG_VALUE_{n}"] for n in range(int(given["GIT_CONFIG_COUNT"]))}
    hooks = {name: value for name, value in said.items() if name.startswith("hook.")}
    assert hooks == {"hook.a.b=c.event": "", "hook.a.b=c.command": "true", "hook.a.b=c.enabled": "false"}


def test_a_filter_whose_name_is_no_text_of_this_locale_does_not_run(repository: Path) -> None:
    trace = repository.parent / "executed"
    (repository / ".gitattributes").write_bytes("* filter=\u00e9\n".encode())
    committed(repository)
    for way in ("clean", "smudge"):
        git(repository, "config", f"filter.\u00e9.{way}", f"echo {way} >> {trace}; cat")
    os.utime(repository / "a.py")
    plain = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    words = ["--state", str(repository.parent / "state"), "-j", "1", "--no-verify", "--in-place", repository.name]
    done = installed(repository.parent, "batch", *words, env=plain)
    assert not trace.exists(), trace.read_text()
    assert "1 migrated" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("sizes", [[200_000], [60_000] * 60], ids=["long", "many"])
def test_settings_that_name_more_than_can_be_switched_off_are_an_error_with_a_sentence(
    repository: Path, sizes: list[int]
) -> None:
    committed(repository)
    sections = (f'[filter "{n}{"x" * size}"]\n\tclean = false\n' for n, size in enumerate(sizes))
    with (repository / ".git" / "config").open("a") as file:
        file.writelines(sections)
    with pytest.raises(BatchError, match="more commands than can be switched off"):
        attempt(str(repository), "status")
    said = voltfix(repository, "repair", ".", "--", "true").stderr
    assert "Traceback" not in said


def test_the_settings_of_a_submodule_name_no_command_either(repository: Path) -> None:
    """git asks a submodule for changes of its own in a process that has the settings of the submodule."""
    trace = repository.parent / "executed"
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "b.py").write_text(GOOD)
    (inner / ".gitattributes").write_text("* filter=mine\n")
    committed(inner)
    committed(repository)
    assert git(repository, "ls-files", "--stage", "inner").startswith("160000")
    git(inner, "config", "core.fsmonitor", f"echo fsmonitor >> {trace}; false")
    git(inner, "config", "filter.mine.clean", f"echo clean >> {trace}; cat")
    os.utime(inner / "b.py")
    done = voltfix(repository, "repair", ".", "--", "true")
    assert not trace.exists(), trace.read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    (inner / "b.py").write_text("changed = True\n")
    done = voltfix(repository, "repair", ".", "--", "true")
    assert (done.returncode, "has changes that git does not know" in " ".join(done.stderr.split())) == (2, True)
    assert not trace.exists(), trace.read_text()


LINKS = ("logs/HEAD", "logs/refs/heads/voltfix", "logs", "refs/heads", "objects", "objects/00", "index")


@pytest.mark.parametrize("name", LINKS)
def test_git_writes_nothing_through_a_link_that_came_with_a_repository(repository: Path, name: str) -> None:
    """Git appends to its log of a branch whatever the settings call the user, and follows links there."""
    committed(repository)
    git(repository, "config", "user.name", "a;touch executed;b")
    place, victim = repository / ".git" / name, repository.parent / "victim"
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(victim)
    elif name == "objects/00":
        victim.mkdir()
    else:
        victim.write_text("# mine\n")
    place.symlink_to(victim)
    before = {path: path.read_bytes() if path.is_file() else b"" for path in [victim, *victim.rglob("*")]}
    done = batch(repository, "--in-place")
    assert before == {path: path.read_bytes() if path.is_file() else b"" for path in [victim, *victim.rglob("*")]}
    assert "1 failed" in done.stdout, done.stdout + done.stderr


OTHERS = {
    "a branch that names another": ("refs/heads/voltfix", "ref: refs/heads/evil\n", "logs/refs/heads/evil", []),
    "the log of what stood before": (None, "", "logs/ORIG_HEAD", ["--in-place"]),
    "a branch checked out and not there": ("HEAD", "ref: refs/heads/voltfix\n", "logs/HEAD", ["--base", "kept"]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_git_appends_to_no_log_of_another_name_through_a_link(repository: Path, name: str) -> None:
    planted, content, log, options = OTHERS[name]
    committed(repository)
    git(repository, "branch", "kept")
    git(repository, "config", "user.name", "a;touch executed;b")
    victim = repository.parent / "victim"
    victim.write_text("# mine\n")
    if planted is not None:
        (repository / ".git" / planted).write_text(content)
    place = repository / ".git" / log
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(victim)
    done = batch(repository, *options)
    assert victim.read_text() == "# mine\n"
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    assert "is a link or pipe" in (repository.parent / "state" / "report.json").read_text()


def test_a_branch_that_names_another_moves_no_other(repository: Path) -> None:
    committed(repository)
    (repository / ".git" / "refs" / "heads" / "voltfix").write_text("ref: refs/heads/other\n")
    batch(repository)
    assert git(repository, "branch", "--list", "other") == ""


PIPES = ("config", "index", "refs/heads/voltfix", "logs/refs/heads/voltfix", "info/attributes", "worktrees/a/HEAD")


@pytest.mark.parametrize("name", PIPES)
def test_a_pipe_in_a_git_folder_is_named_and_not_waited_for(repository: Path, name: str) -> None:
    committed(repository)
    place = repository / ".git" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    began = time.monotonic()
    done = batch(repository)
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    assert "is a link or pipe" in (repository.parent / "state" / "report.json").read_text()
    assert time.monotonic() - began < 60


def test_git_itself_is_waited_for_no_longer_than_it_needs(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed(repository)
    (repository / ".git" / "config").unlink()
    os.mkfifo(repository / ".git" / "config")
    monkeypatch.setattr("voltfix.batch.git._PATIENCE", 0.5)
    for command in ("var", "checkout"):
        with pytest.raises(BatchError, match="took longer than"):
            attempt(str(repository), command, "GIT_COMMITTER_IDENT")


@pytest.mark.parametrize("name", ["shallow", "objects/info/alternates", "refs/heads", "packed-refs", "HEAD"])
def test_a_file_outside_is_not_quoted_in_a_report(repository: Path, name: str) -> None:
    committed(repository)
    secret = repository.parent / "secret"
    secret.write_text("SECRET=swordfish\n")
    place = repository / ".git" / name
    if place.is_dir():
        place.rename(repository / "away")
    place.unlink(missing_ok=True)
    place.symlink_to(secret)
    done = batch(repository)
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    files = [path for path in (repository.parent / "state").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"swordfish" in path.read_bytes()]


def test_of_what_git_says_nothing_is_kept_that_quotes_a_file(repository: Path) -> None:
    committed(repository)
    (repository / ".git" / "shallow").write_text("SECRET=swordfish\n")
    done = batch(repository)
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    report = (repository.parent / "state" / "report.json").read_text()
    assert "swordfish" not in report
    assert "what it said is left out" in report


def test_plain_files_in_a_git_folder_of_a_linked_working_tree_are_no_obstacle(repository: Path) -> None:
    committed(repository)
    tree = repository.parent / "tree"
    git(repository, "worktree", "add", "-q", str(tree))
    done = batch(tree)
    assert "1 migrated" in done.stdout, done.stdout + done.stderr


def test_a_pipe_in_the_place_of_what_git_reads_is_not_waited_for(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(repository)
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    monkeypatch.setattr(uncommitted, "_PATIENCE", 0.5)
    assert uncommitted.note(str(repository), [Write(str(repository / "a.py"), b"", b"")]) == []


def test_a_checkout_that_lacks_objects_fetches_none_with_a_command_of_its_own(repository: Path) -> None:
    trace = repository.parent / "executed"
    committed(repository)
    program = repository.parent / "upload-pack"
    program.write_text(f"#!/bin/sh\necho promisor >> {trace}\n")
    program.chmod(0o755)
    lost = git(repository, "rev-parse", "HEAD:a.py")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    git(repository, "config", "core.repositoryformatversion", "1")
    for name, value in (
        ("url", str(repository)), ("promisor", "true"), ("partialclonefilter", "blob:none"),
        ("uploadpack", str(program)),
    ):  # fmt: skip
        git(repository, "config", f"remote.evil.{name}", value)
    git(repository, "config", "extensions.partialClone", "evil")
    for options in ([], ["--in-place", "--branch", "other"]):
        done = batch(repository, *options)
        assert "1 failed" in done.stdout
    assert not trace.exists(), trace.read_text()


def test_a_lost_commit_is_not_fetched_either(repository: Path) -> None:
    """``git rev-parse`` itself asks the promisor where the commit is not there."""
    trace = repository.parent / "executed"
    committed(repository)
    git(repository, "config", "core.repositoryformatversion", "1")
    git(repository, "config", "extensions.partialClone", "evil")
    git(repository, "config", "remote.evil.url", str(repository))
    git(repository, "config", "remote.evil.promisor", "true")
    git(repository, "config", "remote.evil.uploadpack", f"echo promisor >> {trace}; false")
    lost = git(repository, "rev-parse", "HEAD")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    done = batch(repository)
    assert "1 failed" in done.stdout
    assert not trace.exists(), trace.read_text()


def test_settings_that_put_the_files_elsewhere_are_not_followed(repository: Path) -> None:
    committed(repository)
    elsewhere = repository.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text(GOOD)
    git(repository, "config", "core.worktree", str(elsewhere))
    done = batch(repository, "--in-place")
    assert "1 failed" in done.stdout
    assert (elsewhere / "a.py").read_text() == GOOD


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_repository_of_another_user_is_refused_as_git_does(repository: Path) -> None:
    committed(repository)
    for path in (repository, *repository.rglob("*")):
        os.lchown(path, 12345, 12345)
    done = batch(repository)
    assert "1 failed" in done.stdout
    assert "dubious ownership" in (repository.parent / "state" / "report.json").read_text()


def test_a_relative_entry_of_path_lends_no_git(repository: Path) -> None:
    committed(repository)
    trace = repository.parent / "executed"
    program = repository / "git"
    program.write_text(f"#!/bin/sh\necho git >> {trace}\n")
    program.chmod(0o755)
    state = str(repository.parent / "state")
    environment = {**os.environ, "PATH": f".:{os.environ['PATH']}"}
    done = voltfix(repository, "batch", "--state", state, "-j", "1", "--no-verify", ".", env=environment)
    assert "1 migrated" in done.stdout, done.stdout + done.stderr
    assert not trace.exists()


def test_where_no_git_is_installed_that_of_a_repository_is_not_taken(repository: Path) -> None:
    trace = repository.parent / "executed"
    program = repository / "git"
    program.write_text(f"#!/bin/sh\necho git >> {trace}\n")
    program.chmod(0o755)
    empty = repository.parent / "empty"
    empty.mkdir()
    done = voltfix(repository, "--no-verify", ".", env={**os.environ, "PATH": f"{empty}:"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "volatile" not in (repository / "a.py").read_text()
    assert not trace.exists()


def test_a_file_that_only_looks_like_a_draft_of_ours_stays(repository: Path) -> None:
    theirs = repository / ".voltfix-notes.draft"
    theirs.write_text("notes")
    assert voltfix(repository, "--no-verify", ".").returncode == 0
    assert theirs.read_text() == "notes"
