"""``--output-format json``: the schema of the contract, version 1."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from voltfix import __version__
from voltfix.model import Candidate, SiteResult, Verification
from voltfix.report.data import Report
from voltfix.report.escape import decodable

SCHEMA = 1


def render(report: Report) -> str:
    """The report as one JSON object, with a newline at the end."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "voltfix": __version__,
        "summary": report.summary(),
        "sites": [site_object(site) for site in report.sites],
        "modernized": [site_object(site) for site in report.modernized],
        "diffs": {decodable(path): diff for path, diff in report.diffs.items()},
        "errors": [{**asdict(error), "path": decodable(error.path)} for error in report.errors],
    }
    document["sandbox"] = dict(report.sandbox)
    if report.statistics:
        document["statistics"] = report.tallies()
    if report.notes:
        document["notes"] = list(report.notes)
    return json.dumps(document, indent=1) + "\n"


def site_object(site: SiteResult) -> dict[str, Any]:
    """One row of ``sites``."""
    row = asdict(replace(site, candidates=()))
    row["path"] = decodable(site.path)
    row["evidence"] = list(site.evidence)
    row["safety"] = site.safety
    for inner in ("open", "suggested"):  # what the one word says
        del row[inner]
    row["verification"] = verdict_object(site.verification)
    row["candidates"] = [candidate_object(candidate) for candidate in site.candidates]
    return row


def candidate_object(candidate: Candidate) -> dict[str, Any]:
    """A patch that was tried: what it does, what running it said, and the patch."""
    return {
        "how": candidate.how,
        "strategy": candidate.strategy,
        "verification": verdict_object(candidate.verification),
        "diff": decodable(candidate.diff),
    }


def verdict_object(verdict: Verification) -> dict[str, Any]:
    """``verification`` of the contract."""
    return {"tier": verdict.tier, "cpu": verdict.cpu, "cuda": verdict.cuda, "detail": verdict.detail}
