"""Results of jobs that were solved apart and share files: a block in a function that both of them call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from voltfix.model import Result, SiteResult
from voltfix.rules import messages


def agreeing(result: Result, others: Mapping[str, bytes]) -> Result:
    """``result`` less what makes of a file something else than ``others`` do (path → its new bytes).

    The sites that go with such a file are refused; a further run, which finds the file as the others leave it, may
    come to them.
    """
    apart = {path for path, data in result.outputs.items() if others.get(path, data) != data}
    if not apart:
        return result
    grown = {path for group in result.groups if not apart.isdisjoint(group) for path in group}
    while not grown <= apart:
        apart |= grown
        grown = {path for group in result.groups if not apart.isdisjoint(group) for path in group}
    return replace(
        result,
        sites=tuple(_unwritten(site) if site.path in apart else site for site in result.sites),
        outputs={path: data for path, data in result.outputs.items() if path not in apart},
        groups=tuple(group for group in result.groups if apart.isdisjoint(group)),
    )


def _unwritten(site: SiteResult) -> SiteResult:
    if site.status != "fixed":
        return site
    return replace(site, status="refused", reason="not-written", message=messages.changed_apart())
