"""The report over all repositories: worst first, as JSON and as an HTML page."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from voltfix import __version__
from voltfix.batch.journal import Journal
from voltfix.batch.state import write_whole

SCHEMA = 1
MAX_SHARED = 500
MAX_PLACES = 50
_FIGURES = (
    "files_scanned",
    "files_changed",
    "sites",
    "fixed",
    "refused",
    "suppressed",
    "kept",
    "modernized",
    "errors",
)
_TALLIES = ("codes", "strategies", "reasons", "verdicts")


def gather(journal: Journal) -> dict[str, Any]:
    """The report as one JSON object; see docs/batch.md for its fields."""
    rows = sorted((_entry(row) for row in journal.rows()), key=badness)
    files, distinct = journal.distinct()
    return {
        "schema": SCHEMA,
        "voltfix": __version__,
        "round": journal.round,
        "settings": json.loads(journal.settings or "{}"),
        "summary": _summary(rows) | {"files_to_review": files, "distinct_diffs": distinct},
        "repositories": rows,
        "review": [_shared(journal, *found) for found in journal.shared(MAX_SHARED)],
    }


def badness(entry: Mapping[str, Any]) -> tuple[int, int, int, str]:
    """The order of the report: failures, then files that could not be read, then refusals, most first."""
    figures = entry["summary"]
    return (
        0 if entry["state"] == "failed" else 1,
        -int(figures.get("errors", 0)),
        -int(figures.get("refused", 0)),
        str(entry["name"]),
    )


def _entry(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("name", "source", "state", "cause", "detail", "base", "branch", "patch")
    return {key: row[key] for key in kept} | {
        "commit": row["commit_id"],
        "summary": json.loads(row["summary"] or "{}"),
    }


def _summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    states: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    figures: Counter[str] = Counter(dict.fromkeys(_FIGURES, 0))
    tallies: dict[str, Counter[str]] = {name: Counter() for name in _TALLIES}
    for row in rows:
        states[row["state"]] += 1
        if row["cause"]:
            causes[row["cause"]] += 1
        figures.update({name: row["summary"].get(name, 0) for name in _FIGURES})
        for name, tally in tallies.items():
            tally.update(row["summary"].get(name, {}))
    return {
        "repositories": sum(states.values()),
        "states": dict(states.most_common()),
        "causes": dict(causes.most_common()),
        **figures,
        **{name: dict(tally.most_common()) for name, tally in tallies.items()},
    }


def _shared(journal: Journal, digest: str, text: str, count: int) -> dict[str, Any]:
    places = [list(place) for place in journal.places(digest)[:MAX_PLACES]]
    return {"digest": digest, "count": count, "places": places, "diff": text}


def save(report: Mapping[str, Any], folder: str) -> tuple[str, str]:
    """Write ``report.json`` and ``report.html`` into ``folder``; their paths."""
    from voltfix.batch.final_html import render

    made = []
    for name, text in (("report.json", json.dumps(report, indent=1) + "\n"), ("report.html", render(report))):
        path = os.path.join(folder, name)
        write_whole(path, text.encode("utf-8", "backslashreplace"))
        made.append(path)
    return made[0], made[1]


def exit_code(report: Mapping[str, Any]) -> int:
    """0: nothing is left to do. 1: something needs a person, or would change. 2: something failed."""
    summary = report["summary"]
    if summary["states"].get("failed") or summary["errors"]:
        return 2
    return 1 if summary["refused"] or summary["states"].get("would-migrate") else 0
