"""Verdicts are kept by content: the same question is not asked twice, another one always is."""

from __future__ import annotations

import os
from pathlib import Path

from trying import DIFFERENT, SAME, UNKNOWN, WITHIN, Told, project

from voltfix import core
from voltfix.model import Options, Verification
from voltfix.search import Budget, Memory, Search
from voltfix.search.memory import folder_of_user
from voltfix.verify.plan import Item

ITEM = Item("c1", {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, (("a.py", "f"),))


def test_a_second_run_asks_nothing_and_says_the_same(tmp_path):
    def run(verifier):
        return core.migrate(project(WITHIN), Options(), verifier, Search(Budget(60.0), Memory(str(tmp_path))))

    first, second = Told(lambda item: DIFFERENT), Told(lambda item: DIFFERENT)
    assert run(first) == run(second)
    assert first.items
    assert second.items == []


def test_a_verdict_hangs_on_both_texts_the_functions_and_the_device(tmp_path):
    memory = Memory(str(tmp_path))
    names = {memory.name(item) for item in (
        ITEM, Item("c1", {"a.py": "x = 3\n"}, ITEM.after, ITEM.touched), Item("c1", ITEM.before, {}, ITEM.touched),
        Item("c1", ITEM.before, ITEM.after, ()), Item("c1", ITEM.before, ITEM.after, ITEM.touched, "legacy"))}
    names.add(Memory(str(tmp_path), "cuda").name(ITEM))
    assert len(names) == 6
    assert memory.name(Item("other", ITEM.before, ITEM.after, ITEM.touched)) == memory.name(ITEM)


def test_what_says_more_of_the_machine_than_of_the_texts_is_not_kept(tmp_path):
    memory = Memory(str(tmp_path))
    for detail in ("the runner died: no reason given", "torch is not installed", "no sandbox here (seccomp)"):
        memory.put("0f", Verification(None, detail=detail))
        assert memory.get("0f") is None
    memory.put("0f", UNKNOWN)
    assert Memory(str(tmp_path)).get("0f") == UNKNOWN


def test_a_file_that_is_no_verdict_is_asked_again(tmp_path):
    memory = Memory(str(tmp_path))
    name = memory.name(ITEM)
    memory.put(name, SAME)
    path = Path(tmp_path, name[:2], name)
    for text in ("", "{}", "[1]", "null", '{"tier": 1, "cpu": "fine", "cuda": "", "detail": 2, "runs": "x"}'):
        path.write_text(text)
        assert Memory(str(tmp_path)).get(name) is None
    path.unlink()
    os.symlink("/dev/zero", path)
    assert Memory(str(tmp_path)).get(name) is None


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_memory(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    memory = Memory(str(file / "below"))
    memory.put("0f", SAME)
    assert memory.get("0f") == SAME


def test_the_folder_is_the_users_cache_and_can_be_switched_off(monkeypatch, tmp_path):
    monkeypatch.setenv("VOLTFIX_CACHE", "")
    assert folder_of_user() is None
    monkeypatch.delenv("VOLTFIX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder_of_user() == str(tmp_path / "voltfix" / "tried")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert folder_of_user() is None
