"""The symbolic tier on the golden cases: no right migration is called different, the wrong ones are
caught. A third of the cases by default, all with VOLTFIX_ALL=1.
"""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("torch")

from golden import CASES, item, names, texts
from mutations import EQUIVALENT, KINDS, mutants, name_of
from symbolic_run import verdicts

from voltfix.verify import client

EVERY = 1 if os.environ.get("VOLTFIX_ALL") else 3


@pytest.fixture(scope="module")
def expert():
    return verdicts("expert", EVERY)


@pytest.fixture(scope="module")
def wrong():
    return verdicts("wrong", EVERY)


def test_no_right_migration_is_called_different(expert):
    assert {case: found for case, found in expert.items() if found[0] == "different"} == {}


def test_the_wrong_migrations_are_caught(wrong):
    missed = {case: found for case, found in wrong.items() if found[0] != "different"}
    assert len(missed) <= 0.05 * len(wrong), missed


def test_nearly_every_case_gets_a_verdict(expert, wrong):
    without = [case for case, found in [*expert.items(), *wrong.items()] if found[0] == "not-run"]
    assert len(without) <= 0.05 * (len(expert) + len(wrong)), without


def test_a_difference_says_where_and_what(wrong):
    assert all(detail and ":" in detail for found, detail in wrong.values() if found == "different")


def test_seeded_mistakes_are_caught():
    """One mistake of each kind a case, every sixth by default; ``mutations.py`` runs them all."""
    equivalent = json.loads(EQUIVALENT.read_text())
    items = []
    for case in names():
        seen: set[str] = set()
        for kind, where, changed in mutants(texts(CASES / case / "expert")):
            name = name_of(case, kind, where, changed)
            if kind in seen or equivalent.get(name):
                continue
            made = item(case, changed, name)
            if made is not None:
                seen.add(kind)
                items.append(made)
    if EVERY > 1:  # a sixth of each kind
        kinds = {kind: [each for each in items if each.id.split()[1] == kind] for kind in KINDS}
        items = [each for found in kinds.values() for each in found[::6]]
    found = client.verify(items, device="cpu", jobs=2)
    escaped = [each.id for each, verdict in zip(items, found, strict=True) if verdict.cpu != "different"]
    assert {name.split()[1] for name in (each.id for each in items)} == set(KINDS)
    assert len(escaped) <= 0.02 * len(items), escaped
