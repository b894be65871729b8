"""The main command, with a toy solver (``toy_solver``): what goes where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from click.testing import CliRunner

import toy_solver
from voltfix.cli.main import main
from voltfix.model import Verification
from voltfix.pipeline import settling

SITE = "y = Variable(x, volatile=True)\n"
FIXED = "y = Variable(x)\n"
REFUSED = "refuse = Variable(x, volatile=True)\n"
BROKEN = "volatile = (\n"


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setattr(settling, "solver", lambda: toy_solver.solve)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=b""):
        return CliRunner().invoke(main, ["--no-verify", *arguments], input=stdin, catch_exceptions=False)

    return call


def applies(diff: bytes, folder, command) -> None:
    done = subprocess.run(command, input=diff, cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


# --- in place ---------------------------------------------------------------------------------------------


def test_files_are_rewritten_in_place(tree, run):
    root = tree({"a.py": SITE, "b.py": "x = 1\n"})
    result = run(".")
    assert result.exit_code == 0
    assert (root / "a.py").read_text() == FIXED
    above, _, following = result.stdout.partition("Next:")
    assert above.splitlines() == [
        "a.py: 1 fixed",
        "  a.py:1:16: VF101 goes",
        "",
        "Found 1 site in 2 files: 1 fixed (not run).",
        "1 file changed.",
    ]
    words = "voltfix doctor . (once this is committed: what else keeps it from today's torch)"
    assert " ".join(following.split()) == words  # as wide as the terminal is


def test_a_second_run_has_nothing_to_do(tree, run):
    tree({"a.py": SITE})
    run(".")
    result = run(".")
    assert (result.exit_code, result.stdout) == (0, "No volatile site in 1 file.\n")


def test_a_refusal_makes_one(tree, run):
    root = tree({"a.py": SITE + REFUSED})
    result = run("a.py")
    assert result.exit_code == 1
    assert (root / "a.py").read_text() == FIXED + REFUSED
    assert "  VF101 refused (toy-reason): the line says so\n   --> a.py:2:22\n" in result.stdout


def test_a_file_that_does_not_parse_makes_two_after_all_others_were_done(tree, run):
    root = tree({"a.py": SITE, "b.py": BROKEN, "c.py": SITE + REFUSED})
    result = run(".")
    assert result.exit_code == 2
    assert (root / "a.py").read_text() == FIXED
    assert (root / "b.py").read_text() == BROKEN
    assert (root / "c.py").read_text() == FIXED + REFUSED
    assert "b.py:1: error (syntax):" in result.stdout


def test_a_path_that_does_not_exist_makes_two_and_is_named(tree, run):
    root = tree({"a.py": SITE})
    result = run("a.py", "nowhere.py")
    assert result.exit_code == 2
    assert (root / "a.py").read_text() == SITE  # a slip of the fingers may be meant for all of the line
    assert "nowhere.py: error (unreadable): no such file or directory" in result.stdout


def test_kept_and_suppressed_sites_are_nothing_to_do(tree, run):
    tree({"a.py": "keep = Variable(x, volatile=True)\ny = Variable(x, volatile=True)  # voltfix: skip\n"})
    assert run("a.py").exit_code == 0


def test_a_file_that_cannot_be_written_makes_two_and_its_sites_are_refused(tree, run, monkeypatch):
    from voltfix.cli import migration
    from voltfix.writes import WriteError

    def full(group, root):
        raise WriteError(group[0].path, "unreadable", "was not written: no space left on device")

    root = tree({"a.py": SITE + REFUSED})
    monkeypatch.setattr(migration, "write_together", full)
    result = run("a.py", "--output-format", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 2
    assert (root / "a.py").read_text() == SITE + REFUSED
    first, second = [site["reason"] for site in document["sites"]]
    assert first == "not-written"
    assert second not in ("not-written", None)  # it was refused before
    assert document["summary"]["files_changed"] == 0
    assert "no space" in document["errors"][0]["message"]


def test_files_outside_the_paths_given_stay_as_they_are(tree, run):
    root = tree({".git/HEAD": "", "a.py": SITE, "b.py": SITE})
    assert run("a.py").exit_code == 0
    assert (root / "b.py").read_text() == SITE


def test_a_killed_run_is_undone_before_the_next_one_begins(tree, run, tmp_path_factory, monkeypatch):
    name = ".voltfix-0123456789ab"
    root = tree({"a.py": SITE, f"{name}.old": "z = Variable(x, volatile=True)\n"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    import hashlib

    from voltfix import tokens

    entry = {"target": str(root / "a.py"), "draft": str(root / f"{name}.new")}
    entry |= {"backup": str(root / f"{name}.old"), "new": hashlib.sha256(SITE.encode()).hexdigest()}
    token = tokens.made()
    journal = json.dumps({"token": token, "files": [entry]})
    tokens.note(token, os.path.realpath(root), hashlib.sha256(journal.encode()).hexdigest())
    (root / ".voltfix-journal.json").write_text(journal)
    result = run(".")
    assert "put back" in result.stderr
    assert (root / "a.py").read_text() == "z = Variable(x)\n"
    assert sorted(os.listdir(root)) == ["a.py"]


# --- --diff and --check -----------------------------------------------------------------------------------


def test_diff_prints_the_diff_alone_to_stdout_and_writes_nothing(tree, run):
    root = tree({"a.py": SITE, "d/b.py": "x = 1\n" + SITE})
    result = run(".", "--diff")
    assert result.exit_code == 1
    assert (root / "a.py").read_text() == SITE
    assert result.stdout_bytes == (
        b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-y = Variable(x, volatile=True)\n+y = Variable(x)\n"
        b"--- a/d/b.py\n+++ b/d/b.py\n@@ -1,2 +1,2 @@\n"
        b" x = 1\n-y = Variable(x, volatile=True)\n+y = Variable(x)\n"
    )
    assert "--> a.py:1:17\n" in result.stderr


@pytest.mark.parametrize("command", [["git", "apply", "-"], ["patch", "-p1", "-s"]])
@pytest.mark.parametrize(
    "content",
    [
        SITE.encode(),
        SITE[:-1].encode(),
        b"a = 1\r\n" + SITE[:-1].encode() + b"\r\nb = 2\r\n",
        b"# \xff latin\n# -*- coding: latin-1 -*-\n" + SITE.encode() + b"s = 'end'",
        b"#\n" * 50 + SITE.encode() + b"#\x0c\n" * 50 + SITE.encode(),
    ],
)
def test_the_diff_applies(tree, run, command, content):
    if b"\xff" in content:
        content = content.replace(b"# \xff latin\n# -*-", b"# -*-").replace(b"s = ", b"# \xff\ns = ")
    root = tree({"dir/a b.py": content, "dir/c.py": content})
    result = run("dir", "--diff")
    assert result.exit_code == 1, result.output
    applies(result.stdout_bytes, root, command)
    for name in ("a b.py", "c.py"):
        assert (root / "dir" / name).read_bytes() == content.replace(b", volatile=True", b"")


@pytest.mark.parametrize(
    "name", ["gr\u00f6\u00dfe.py", 'quo"te.py', "back\\slash.py", "new\nline.py", "-dash.py"]
)
def test_the_diff_of_an_odd_name_applies(tree, run, name):
    root = tree({name: SITE})
    result = run(".", "--diff")
    applies(result.stdout_bytes, root, ["git", "apply", "-"])
    assert (root / name).read_text() == FIXED


def test_the_diff_of_files_elsewhere_applies_in_their_root(tree, run, monkeypatch):
    root = tree({"r/.git/HEAD": "", "r/d/a.py": SITE, "w/x": ""})
    monkeypatch.chdir(root / "w")
    result = run(str(root / "r" / "d"), "--diff")
    applies(result.stdout_bytes, root / "r", ["patch", "-p1", "-s"])
    assert (root / "r/d/a.py").read_text() == FIXED


def test_diff_without_anything_to_do_prints_nothing_to_stdout(tree, run):
    tree({"a.py": "x = 1\n"})
    result = run(".", "--diff")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No volatile site in 1 file.\n"


def test_check_writes_nothing_and_says_what_it_would_do(tree, run):
    root = tree({"a.py": SITE})
    result = run(".", "--check")
    assert result.exit_code == 1
    assert (root / "a.py").read_text() == SITE
    assert "--> a.py:1:17\n" in result.stdout
    assert "1 file would change." in result.stdout


def test_check_of_a_refusal_alone_makes_one(tree, run):
    tree({"a.py": REFUSED})
    assert run(".", "--check").exit_code == 1


# --- machine formats --------------------------------------------------------------------------------------


def test_json_owns_stdout_and_holds_the_diffs(tree, run):
    tree({"a.py": SITE, "b.py": BROKEN})
    result = run(".", "--diff", "--output-format", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 2
    assert document["sites"][0]["status"] == "would-fix"
    assert document["diffs"]["a.py"].startswith("--- a/a.py\n+++ b/a.py\n")
    assert [(error["path"], error["kind"]) for error in document["errors"]] == [("b.py", "syntax")]


def test_json_without_a_hit_is_as_complete(tree, run):
    tree({"a.py": ""})
    document = json.loads(run(".", "--output-format", "json").stdout)
    assert document["summary"]["files_scanned"] == 1
    assert document["sites"] == document["errors"] == []


def test_json_in_place_holds_no_diffs(tree, run):
    tree({"a.py": SITE})
    document = json.loads(run(".", "--output-format", "json").stdout)
    assert (document["sites"][0]["status"], document["diffs"]) == ("fixed", {})


# --- stdin ------------------------------------------------------------------------------------------------


def test_stdin_goes_to_stdout_and_the_report_to_stderr(run):
    result = run("-", stdin=SITE.encode())
    assert (result.exit_code, result.stdout) == (0, FIXED)
    assert "-:1:16: VF101 goes\n" in result.stderr


@pytest.mark.parametrize("source", [b"", b"x = 1\r\n", b"\xff\x00", b"x = 1"])
def test_stdin_without_a_hit_comes_out_as_it_went_in(run, source):
    result = run("-", stdin=source)
    assert (result.exit_code, result.stdout_bytes) == (0, source)


def test_stdin_that_does_not_parse_makes_two_and_prints_nothing(run):
    result = run("-", stdin=BROKEN.encode())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "-:1: error (syntax)" in result.stderr


def test_stdin_with_diff_prints_a_diff(run):
    result = run("-", "--diff", "--stdin-filename", "d/a.py", stdin=SITE.encode())
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/d/a.py\n+++ b/d/a.py\n@@ -1 +1 @@\n")


def test_stdin_is_read_as_the_file_of_its_name_among_its_project(tree, run):
    root = tree({".git/HEAD": "", "a.py": "def f(): pass  # not what the editor holds\n", "b.py": SITE})
    result = run("-", "--stdin-filename", "a.py", stdin=("def f():\n    " + SITE).encode())
    assert result.stdout == "def f():\n    " + FIXED
    assert (root / "a.py").read_text().endswith("holds\n")
    assert (root / "b.py").read_text() == SITE


def test_stdin_and_paths_cannot_be_mixed(tree, run):
    tree({"a.py": SITE})
    assert run("-", "a.py").exit_code == 2


def test_json_beside_a_source_on_stdout_goes_to_stderr(run):
    result = run("-", "--output-format", "json", stdin=SITE.encode())
    assert result.stdout == FIXED
    assert json.loads(result.stderr)["sites"][0]["path"] == "-"


# --- selection, suppression, baseline, statistics ---------------------------------------------------------


def test_ignored_codes_are_left_alone(tree, run):
    root = tree({"a.py": SITE})
    result = run(".", "--ignore", "VF103,VF1")
    assert (result.exit_code, (root / "a.py").read_text()) == (0, SITE)
    assert "1 suppressed" in result.stdout


def test_excluded_files_are_not_read(tree, run):
    root = tree({"a.py": SITE, "old/b.py": SITE, "c.py": SITE})
    run(".", "--exclude", "old,c.py")
    assert [(root / name).read_text() for name in ("a.py", "old/b.py", "c.py")] == [FIXED, SITE, SITE]


@pytest.mark.parametrize("mode", ["--check", "--diff", "--list-sites", "--quiet"])
def test_hits_that_gitignore_keeps_from_us_are_named_where_git_does_not_say_whose_they_are(tree, run, mode):
    root = tree({".gitignore": "models/\n", "models/b.py": SITE, "models/c.py": "", "a.py": "x = 1\n"})
    result = run(".", mode)
    said = "not looked at, since .gitignore names it: models/b.py; give its path, too, to have it looked at"
    out, error = (" ".join(text.split()) for text in (result.stdout, result.stderr))  # however wide a line may be
    assert (said in out, said in error) == (mode == "--check", mode in ("--diff", "--list-sites"))
    assert (result.exit_code, (root / "models/b.py").read_text()) == (0, SITE)
    run(".", "models")
    assert (root / "models/b.py").read_text() == FIXED


def test_doctor_names_what_gitignore_keeps_from_us_beside_its_list(tree, voltfix):
    tree({".gitignore": "models/\n", "models/b.py": SITE, "a.py": "x = 1\n"})
    result = voltfix("doctor", ".")
    assert b"not looked at, since .gitignore names it: models/b.py; give its path" in result.stderr
    assert b"models" not in result.stdout


def test_what_gitignore_keeps_from_us_stands_among_the_notes_of_json_and_changes_no_figure(tree, run):
    tree({".gitignore": "models/\n", "a.py": SITE, **{f"models/{name}.py": SITE for name in "bcdef"}})
    result = run(".", "--check", "--output-format", "json")
    report = json.loads(result.stdout)
    assert report["notes"][0].startswith(
        "not looked at, since .gitignore names them: models/b.py, models/c.py, models/d.py and 2 more;")
    assert (result.exit_code, report["summary"]["files_scanned"], report["summary"]["sites"]) == (1, 1, 1)


def test_a_baseline_accepts_refusals_and_no_more_than_it_holds(tree, run):
    root = tree({"a.py": REFUSED})
    assert run(".", "--write-baseline", "known.json").exit_code == 1
    assert run(".", "--baseline", "known.json").exit_code == 0
    (root / "a.py").write_text("import torch\n\n" + REFUSED)
    result = run(".", "--baseline", "known.json")
    assert result.exit_code == 0, "lines may move"
    assert "1 refusal accepted by the baseline." in result.stdout
    (root / "a.py").write_text(REFUSED + REFUSED)
    assert run(".", "--baseline", "known.json").exit_code == 1


@pytest.mark.parametrize("mode", ["--check", "--diff"])
def test_a_baseline_is_all_that_a_check_writes(tree, run, mode):
    root = tree({"a.py": SITE + REFUSED})
    run(".", mode, "--write-baseline", "known.json")
    assert sorted(path.name for path in root.iterdir()) == ["a.py", "known.json"]
    assert (root / "a.py").read_text() == SITE + REFUSED


def test_a_baseline_that_is_written_along_with_a_rewrite_holds_for_what_was_rewritten(tree, run, monkeypatch):
    monkeypatch.undo()  # the solver itself, which can fix one of two sites on a line
    head = "import torch\nfrom torch.autograd import Variable\n\n\ndef f(net, a, b, k):\n"
    line = "    y, z = net(Variable(a, volatile=True)).data, Variable(b, **k).data\n"
    root = tree({"a.py": head + line + "    return y, z\n"})
    monkeypatch.chdir(root)
    assert run(".", "--write-baseline", "known.json").exit_code == 1
    assert "y, z = net(Variable(a)).data, Variable(b, **k).data" in (root / "a.py").read_text()
    again = run(".", "--check", "--baseline", "known.json")
    assert again.exit_code == 0, again.stdout
    assert "1 refusal accepted by the baseline." in again.stdout


@pytest.mark.parametrize("content", [None, "{", "[]", '{"schema": 2}', '{"schema": 1, "refusals": [1]}'])
def test_a_baseline_that_cannot_be_used_makes_two_and_is_named(tree, run, content):
    root = tree({"a.py": SITE + REFUSED, **({} if content is None else {"known.json": content})})
    result = run(".", "--baseline", "known.json")
    assert result.exit_code == 2
    assert (root / "a.py").read_text() == SITE + REFUSED, "said before anything is written"
    assert "known.json" in result.stderr
    assert "--write-baseline" in result.stderr


def test_statistics_are_shown_when_asked_for(tree, run):
    tree({"a.py": SITE + REFUSED})
    assert "     1  reason  toy-reason" in run(".", "--statistics").stdout


def test_quiet_prints_nothing_but_errors(tree, run):
    tree({"a.py": SITE + REFUSED})
    result = run(".", "-q")
    assert (result.exit_code, result.output) == (1, "")


def test_list_sites_lists_and_changes_nothing(tree, run):
    source = "from torch.autograd import Variable\n" + SITE
    root = tree({"a.py": source})
    result = run(".", "--list-sites")
    assert (result.exit_code, result.stdout) == (0, "a.py:2:17: VF101\n")
    assert (root / "a.py").read_text() == source


def test_sites_are_listed_as_json(tree, run):
    tree({"a.py": "from torch.autograd import Variable\n" + SITE, "bad.py": BROKEN})
    result = run(".", "--list-sites", "--output-format", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 2
    assert [(site["path"], site["line"], site["code"]) for site in document["sites"]] == [("a.py", 2, "VF101")]
    assert [(error["path"], error["kind"]) for error in document["errors"]] == [("bad.py", "syntax")]


def test_the_sites_of_stdin_are_listed(run):
    source = "from torch.autograd import Variable\n" + SITE
    assert run("-", "--list-sites", stdin=source.encode()).stdout == "-:2:17: VF101\n"


def test_a_run_that_cannot_be_undone_is_an_error(tree, run, monkeypatch):
    from voltfix import writes

    def fails(root):
        raise writes.WriteError(f"{root}/a.py", "unreadable", "cannot be put back: permission denied")

    tree({"a.py": "x = 1\n", ".voltfix-journal.json": "{}"})
    monkeypatch.setattr(writes, "recover", fails)
    result = run("a.py")
    assert result.exit_code == 2
    assert "cannot be put back: permission denied" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [([], 0, "nothing was verified: torch is not installed"), (["--verify"], 2, "--verify needs torch: pip install")],
)
def test_without_torch_nothing_is_verified_and_it_says_so(tree, tmp_path, monkeypatch, arguments, code, said):
    import importlib.util

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    root = tree({"a.py": SITE})
    result = CliRunner().invoke(main, [*arguments, "a.py"])
    assert result.exit_code == code
    assert said in " ".join(result.output.split())
    assert (root / "a.py").read_text() == (SITE if code else FIXED)


# --- several processes, interruptions, plans --------------------------------------------------------------


def test_several_processes_give_the_same_result(tree, run, monkeypatch):
    from voltfix.cli import workers

    monkeypatch.setattr(workers, "_WORTH_IT", 0)
    tree({f"d{n}/m{n}.py": SITE * n + REFUSED for n in range(1, 8)} | {"bad.py": BROKEN})
    one, two = (run(".", "--check", "--output-format", "json", "-j", jobs) for jobs in ("1", "2"))
    assert one.exit_code == two.exit_code == 2
    assert json.loads(one.stdout) == json.loads(two.stdout)
    changes = [site["change"] for site in json.loads(two.stdout)["sites"] if site["change"]]
    assert len(changes) == len(set(changes)) == 28


def test_a_process_that_dies_is_an_error_and_nothing_is_changed(tree, run, monkeypatch):
    from voltfix.cli import workers

    monkeypatch.setattr(workers, "_WORTH_IT", 0)
    monkeypatch.setattr(workers, "migrate", lambda files, options: os._exit(1))
    root = tree({"a.py": SITE, "b.py": SITE})
    result = run(".", "-j", "2")
    assert result.exit_code == 2
    assert "a.py: error (internal): the process at work on it died" in result.stdout
    assert (root / "a.py").read_text() == SITE


def test_a_process_that_dies_takes_no_other_file_with_it(tree, run, monkeypatch):
    from voltfix.cli import workers

    real = workers.migrate

    def deadly(files, options):
        if any(path.endswith("b.py") for path in files):
            os._exit(1)
        return real(files, options)

    monkeypatch.setattr(workers, "_WORTH_IT", 0)
    monkeypatch.setattr(workers, "migrate", deadly)
    root = tree({"one/a.py": SITE, "two/b.py": SITE, "three/c.py": SITE})
    result = run("one", "two", "three", "-j", "2")
    assert result.exit_code == 2
    assert [line for line in result.stdout.splitlines() if "died" in line] != []
    assert (root / "two/b.py").read_text() == SITE
    assert [(root / name).read_text() for name in ("one/a.py", "three/c.py")] == [FIXED, FIXED]


def test_an_interruption_between_two_files_says_how_many_were_written(tree, run, monkeypatch):
    from voltfix.cli import migration

    real = migration.write_together

    def second_time(group, root):
        if group[0].path.endswith("b.py"):
            raise KeyboardInterrupt
        real(group, root)

    root = tree({"a.py": SITE, "b.py": SITE})
    monkeypatch.setattr(migration, "write_together", second_time)
    result = run(".")
    assert result.exit_code == 2
    assert "interrupted: 1 of 2 files are rewritten" in result.stderr
    assert [(root / name).read_text() for name in ("a.py", "b.py")] == [FIXED, SITE]


def test_an_interruption_before_the_first_write_changes_nothing(tree, run, monkeypatch):
    def interrupted(modules, options):
        raise KeyboardInterrupt

    root = tree({"a.py": SITE})
    monkeypatch.setattr(settling, "solver", lambda: interrupted)
    result = run(".")
    assert result.exit_code == 2
    assert "nothing was changed" in result.stderr
    assert (root / "a.py").read_text() == SITE


def test_sigterm_is_an_interruption_while_files_are_written():
    import signal

    from voltfix.cli.migration import terminable

    with pytest.raises(KeyboardInterrupt), terminable():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_thread_may_write_though_it_may_not_take_signals():
    import signal
    from concurrent.futures import ThreadPoolExecutor

    from voltfix.cli.migration import terminable

    def written() -> object:
        with terminable():
            return signal.getsignal(signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(written).result() is signal.SIG_DFL


def test_the_plan_can_be_saved_without_verifying(tree, run):
    from voltfix.verify.plan import load

    root = tree({"a.py": SITE, "b.py": SITE + REFUSED})
    assert run(".", "--check", "--save-plan", "plan.json").exit_code == 1
    items = load((root / "plan.json").read_text())
    assert [(item.id, item.after, item.rest) for item in items] == [
        ("c1", {"a.py": FIXED}, "today"),
        ("c2", {"b.py": FIXED + REFUSED}, "legacy"),
    ]


def test_a_gpu_that_is_asked_for_and_not_there_is_said_in_the_last_lines(tree, monkeypatch):
    from voltfix.verify import client

    pytest.importorskip("torch")
    monkeypatch.setattr(client, "devices", lambda device: {"cpu": "run", "cuda": "torch sees no CUDA device"})
    monkeypatch.setattr(client, "verify", lambda items, **kwargs: [Verification(None) for _ in items])
    monkeypatch.chdir(tree({"a.py": SITE}))
    said = {}
    for device in ("auto", "cpu", "cuda", "cpu,cuda"):
        shown = CliRunner().invoke(main, ["--check", "-j1", "--device", device, "."], catch_exceptions=False).output
        said[device] = "nothing was run on CUDA: torch sees no CUDA device" in shown
    assert said == {"auto": False, "cpu": False, "cuda": True, "cpu,cuda": True}
