"""What every format renders: the rows of a run, with paths as they are shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from voltfix.model import FileError, Look, SiteResult
from voltfix.records import dataclass

Mode = Literal["write", "diff", "check"]


@dataclass(frozen=True)
class Report:
    """A whole run. ``diffs`` holds unified diffs by path, ``sources`` old and new bytes of what changes.

    ``accepted`` says how many refusals were accepted beforehand; ``notes`` are sentences about the run as a
    whole.
    """

    mode: Mode = "write"
    files_scanned: int = 0
    sites: tuple[SiteResult, ...] = ()
    modernized: tuple[SiteResult, ...] = ()
    errors: tuple[FileError, ...] = ()
    changed: tuple[str, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)
    accepted: int = 0
    known: frozenset[SiteResult] = frozenset()  # the refusals that were accepted
    notes: tuple[str, ...] = ()
    originals: Mapping[str, bytes] = field(default_factory=dict)  # the files with sites, as they were read
    paths: tuple[str, ...] = ()  # as given on the command line
    given: tuple[str, ...] = ()  # options that the next command needs, too
    given_explain: tuple[str, ...] = ()  # those of them that voltfix explain knows
    root: str | None = None  # the folder that paths start from, where whoever reads the report has it
    width: int | None = None  # columns of the terminal, None where there is none
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    looked: tuple[Look, ...] = ()  # one for each function that was looked at
    sandbox: Mapping[str, str] = field(default_factory=dict)  # each layer, "active" or why not, where something was run

    def count(self, *statuses: str) -> int:
        """How many sites ended in one of the statuses."""
        return sum(site.status in statuses for site in self.sites)

    def summary(self) -> dict[str, Any]:
        """The figures of the contract; sites = fixed + refused + suppressed + kept."""
        return {
            "files_scanned": self.files_scanned,
            "files_changed": len(self.changed),
            "sites": len(self.sites),
            "fixed": self.count("fixed", "would-fix"),
            "refused": self.count("refused"),
            "suppressed": self.count("suppressed"),
            "kept": self.count("kept"),
            "modernized": len(self.modernized),
            "errors": len(self.errors),
            "verified": {
                "cpu": sum(site.verification.cpu == "identical" for site in self.sites),
                "cuda": sum(site.verification.cuda == "identical" for site in self.sites),
            },
        }

    def tallies(self) -> dict[str, dict[str, int]]:
        """What --statistics shows, most frequent first.

        Sites by code, by strategy, by reason of refusal; the functions that were looked at by how closely, and by what
        ran out of its budget where one could not be followed exactly.
        """
        rows = (*self.sites, *self.modernized)
        outgrown = [_LINE.sub("a line", look.grown) for look in self.looked if look.grown]
        return {
            "codes": dict(Counter(row.code for row in rows).most_common()),
            "strategies": dict(Counter(row.strategy for row in rows if row.strategy).most_common()),
            "reasons": dict(Counter(row.reason for row in rows if row.reason).most_common()),
            "precisions": dict(Counter(map(_closely, self.looked)).most_common()),
            "budgets": dict(Counter(outgrown).most_common()),
        }


def _closely(look: Look) -> str:
    if not look.followed:
        return "not followed"
    return f"without {look.given_up}" if look.given_up else "exact"


_LINE = re.compile(r"\bline \d+")
