"""Where a layer of the sandbox is missing nothing was run: whoever asked for a run is told so, and how to have one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from in_process import running_in
from voltfix import api
from voltfix.cli.explain import command as explain
from voltfix.cli.verify import command as verify
from voltfix.model import Verification
from voltfix.verify import client, pairs

LAYERS = {"seccomp": "active", "Landlock": "active", "user namespace": "Operation not permitted"}
SITE = "from torch.autograd import Variable\ndef f(net, t):\n    return net(Variable(t, volatile=True)).data\n"
AFTER = "import torch\ndef f(net, t):\n    with torch.no_grad():\n        return net(t).data\n"
CAUSE = "no sandbox here (user namespace)"


@pytest.fixture
def asked(monkeypatch) -> list[bool]:
    """A system without user namespaces; whether each question allowed less."""
    found: list[bool] = []

    def answer(items, *, weak=False, **_):
        found.append(weak)
        client.shared().layers["cpu"] = LAYERS
        if weak:
            return [Verification("symbolic", "identical", "not-run") for _ in items]
        return [Verification(None, "not-run", "not-run", CAUSE) for _ in items]

    pytest.importorskip("torch")
    monkeypatch.setattr(client.shared(), "layers", {})
    for module in (client, pairs):
        monkeypatch.setattr(module, "verify", answer)
    return found


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "a.py").write_text(SITE)
    (tmp_path / "b.py").write_text(AFTER)
    return tmp_path


@pytest.mark.parametrize("mode", [[], ["--check"], ["--diff"], ["--output-format", "json"]], ids=str)
def test_a_run_that_was_asked_for_and_could_not_be_ends_with_2_and_writes_nothing(asked, folder, monkeypatch, mode):
    done = running_in(folder, monkeypatch)("--verify", *mode, "a.py")
    said = " ".join(done.stderr.decode().split())
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"--verify could run nothing: {CAUSE}; nothing was written; --weak-sandbox" in said
    assert (folder / "a.py").read_text() == SITE


def test_the_same_holds_for_what_comes_from_stdin(asked, folder, monkeypatch):
    done = running_in(folder, monkeypatch)("--verify", "-", stdin=SITE.encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--weak-sandbox" in done.stderr


def test_where_nobody_asked_the_report_says_what_was_not_run_and_how_it_would_be(asked, folder, monkeypatch):
    done = running_in(folder, monkeypatch)("a.py")
    assert done.returncode == 0
    said = " ".join((done.stdout + done.stderr).decode().split())
    assert f"nothing was verified: {CAUSE}; --weak-sandbox runs it with less around it" in said
    assert "no_grad" in (folder / "a.py").read_text()


def test_less_of_a_sandbox_that_was_allowed_needs_no_note(asked, folder, monkeypatch):
    done = running_in(folder, monkeypatch)("--verify", "--weak-sandbox", "--output-format", "json", "a.py")
    assert (done.returncode, set(asked)) == (0, {True})
    assert json.loads(done.stdout)["sandbox"]["user namespace"] != "active"
    assert b"--weak-sandbox" not in done.stderr


def test_without_verification_nothing_is_said_of_a_sandbox(asked, folder, monkeypatch):
    client.shared().layers["cpu"] = LAYERS
    done = running_in(folder, monkeypatch)("--no-verify", "a.py")
    assert done.returncode == 0
    assert b"--weak-sandbox" not in done.stdout + done.stderr


@pytest.mark.parametrize("weak", [[], ["--weak-sandbox"]], ids=["whole", "weak"])
def test_the_other_ways_to_a_run_take_the_option_too(asked, folder, monkeypatch, weak):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(explain, ["--verify", *weak, "a.py:3"])
    assert (done.exit_code, asked.pop()) == (0 if weak else 2, bool(weak)), done.output
    done = CliRunner().invoke(verify, [*weak, "a.py", "b.py"])
    assert (done.exit_code, asked.pop()) == (0 if weak else 2, bool(weak)), done.output
    assert ("--weak-sandbox runs it" in done.output) is not bool(weak)
    found = api.compare("a.py", "b.py", weak_sandbox=bool(weak))
    assert (found.cpu, asked.pop()) == ("identical" if weak else "not-run", bool(weak))


def test_a_command_of_ones_own_has_no_sandbox_that_could_be_weak(folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(verify, ["--weak-sandbox", "--drive", "a.py", "a.py", "b.py"])
    assert (done.exit_code, "do not go with --drive or with a command" in done.output) == (2, True)
