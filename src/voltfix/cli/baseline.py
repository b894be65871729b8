"""Baselines: refusals that a team has accepted, so that a hook does not fail for ever.

A refusal is known by its file, its rule, its reason and the text of its line, so that lines may move; of
several alike as many are accepted as were written down.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
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
    return lines[site.line - 1].strip().decode("utf-8", "replace") if 0 < site.line <= len(lines) else ""


def dump(sites: Iterable[SiteResult], sources: Mapping[str, bytes]) -> str:
    """The baseline file for the refusals among ``sites``."""
    rows = [
        dict(zip(("path", "code", "reason", "source"), fingerprint(site, sources), strict=True))
        for site in sites
        if site.status == "refused"
    ]
    return json.dumps({"schema": SCHEMA, "refusals": rows}, indent=1) + "\n"


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
                f"{path}: was written by another version of voltfix; make it anew with --write-baseline"
            )
        return [(row["path"], row["code"], row["reason"], row["source"]) for row in document["refusals"]]
    except OSError as error:
        hint = "make one with --write-baseline"
        raise SettingsError(f"{path}: cannot be read ({(error.strerror or 'error').lower()}); {hint}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingsError(f"{path}: is no baseline; make one with --write-baseline") from None
