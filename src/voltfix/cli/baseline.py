"""Baselines: refusals that a team has accepted, so that a hook does not fail for ever.

A refusal is known by its file, its rule, its reason and the text of its line, so that lines may move; of
several alike as many are accepted as were written down.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any

from voltfix.cli.settings import SettingsError
from voltfix.model import SiteResult
from voltfix.report.escape import decodable

SCHEMA = 1
Fingerprint = tuple[str, str, str, str]


def fingerprint(site: SiteResult, sources: Mapping[str, bytes]) -> Fingerprint:
    """What a refusal is known by."""
    return (decodable(site.path), site.code, site.reason or "", _line(site, sources))


def _line(site: SiteResult, sources: Mapping[str, bytes]) -> str:
    if site.cell is not None:
        return f"cell {site.cell}"
    lines = sources.get(site.path, b"").splitlines()
    line = site.original_line or site.line
    return lines[line - 1].strip().decode("utf-8", "replace") if 0 < line <= len(lines) else ""


def dump(
    sites: Iterable[SiteResult], sources: Mapping[str, bytes], written: Mapping[str, tuple[bytes, bytes]]
) -> str:
    """The baseline file for the refusals among ``sites``; ``written`` are the old and new bytes of rewritten files.

    In those a refused site's line may hold a flag that was taken out, and the next run sees the line without it.
    """
    rows = []
    for site in sites:
        if site.status == "refused":
            path, code, reason, line = fingerprint(site, sources)
            if site.path in written and site.cell is None:
                line = _rewritten(site.original_line or site.line, *written[site.path])
            rows.append({"path": path, "code": code, "reason": reason, "source": line})
    return json.dumps({"schema": SCHEMA, "refusals": rows}, indent=1) + "\n"


def _rewritten(line: int, before: bytes, after: bytes) -> str:
    """What became of a line: itself, or what is most like it among the lines that stand in its place."""
    from voltfix.sources.alignment import opcodes

    old, new = ([text.strip().decode("utf-8", "replace") for text in data.splitlines()] for data in (before, after))
    for kind, start, end, new_start, new_end in opcodes(old, new):
        if start <= line - 1 < end and kind != "equal":
            place = new[new_start:new_end] or [""]
            return max(place, key=lambda text: SequenceMatcher(None, old[line - 1], text).ratio())
    return old[line - 1]


def accepted(path: str, sites: Iterable[SiteResult], sources: Mapping[str, bytes]) -> frozenset[SiteResult]:
    """The refusals that stand in the baseline at ``path``; SettingsError if it cannot be read."""
    left = Counter(_load(path))
    found = []
    for site in sites:
        if site.status == "refused" and left[mark := fingerprint(site, sources)] > 0:
            left[mark] -= 1
            found.append(site)
    return frozenset(found)


def _load(path: str) -> list[Fingerprint]:
    try:
        with open(path, "rb") as file:
            document: Any = json.load(file)
        if document["schema"] != SCHEMA:
            raise SettingsError(
                f"{path}: was written by another version of voltfix; make it again with --write-baseline"
            )
        return [(row["path"], row["code"], row["reason"], row["source"]) for row in document["refusals"]]
    except OSError as error:
        hint = "make one with --write-baseline"
        raise SettingsError(f"{path}: cannot be read ({(error.strerror or 'error').lower()}); {hint}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingsError(f"{path}: is no baseline; make one with --write-baseline") from None
