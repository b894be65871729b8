"""The side without torch, when the runner does not start, dies, or says nothing: a verdict all the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from voltfix.verify import client as module
from voltfix.verify.__main__ import main
from voltfix.verify.client import Client, RunnerError, available, verify
from voltfix.verify.plan import Item, dump

ITEM = Item("c1", {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, (("a.py", ""),))


def pretended(tmp_path: Path, script: str) -> Client:
    """A client whose runner is a shell script."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Client(str(program))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("read line; exit 3", "exit code 3"),
        ("read line; echo 'line one' >&2; echo 'ImportError: no torch' >&2; exit 1", "ImportError: no torch"),
        ("exec <&-; sleep 5", "died"),
    ],
    ids=["silent", "with last words", "deaf"],
)
def test_a_runner_that_dies_is_told_with_its_last_words(tmp_path: Path, script: str, says: str) -> None:
    client = pretended(tmp_path, script)
    with pytest.raises(RunnerError) as caught:
        client.ask([ITEM] * 2000 if "exec" in script else [ITEM], "cpu", 1, 1.0)
    assert says in str(caught.value)
    assert client.process is None


def test_a_runner_that_does_not_answer_is_ended(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_START", -125.0)
    client = pretended(tmp_path, "cat > /dev/null; sleep 60")
    with pytest.raises(RunnerError, match="did not answer"):
        client.ask([ITEM], "cpu", 1, 0.5)
    assert client.process is None


def test_a_runner_that_cannot_be_started_makes_not_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "available", lambda: True)
    (found,) = verify([ITEM], client=Client(str(tmp_path / "nothing")))
    assert (found.cpu, found.tier) == ("not-run", None)
    assert "could not be started" in (found.detail or "")


def test_without_torch_every_verdict_is_not_run_and_without_items_there_is_none(monkeypatch) -> None:
    monkeypatch.setattr(module, "available", lambda: False)
    assert [each.detail for each in verify([ITEM])] == [module.NO_TORCH]
    assert verify([]) == []


def test_a_torch_that_is_half_there_is_none(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", type(sys)("torch"))
    monkeypatch.setattr(sys.modules["torch"], "__spec__", None)
    assert available() is False


def test_a_plan_is_needed_and_torch_is(monkeypatch, tmp_path: Path, capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "a plan is needed" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "voltfix.verify.runner", None)
    monkeypatch.delattr("voltfix.verify.runner", raising=False)
    (tmp_path / "plan.json").write_text(dump([ITEM]))
    assert main([str(tmp_path / "plan.json")]) == 2
    assert capsys.readouterr().err.startswith("torch cannot be loaded: ")


def test_a_runner_that_was_never_started_can_be_ended() -> None:
    client = Client("/no/such/python")
    client.kill()
    client.close()
    assert not client.alive()


def test_what_stands_in_for_an_object_is_not_named_by_its_class_and_address():
    from voltfix.verify.client import _OWN

    said = "TypeError before: found <voltfix.verify.symbolic.kinds.TypeOf object at 0x7f567c3759f0> (line 91)"
    assert _OWN.sub("a stand-in", said) == "TypeError before: found a stand-in (line 91)"
    assert _OWN.sub("a stand-in", "found <dict object at 0x7f567c3759f0>") == "found <dict object at 0x7f567c3759f0>"
