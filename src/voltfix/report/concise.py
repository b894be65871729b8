"""``--output-format concise``: one line for each site, for grep and for editors that jump to ``file:line:column``."""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.text import ending, site_line, unrun


def render(report: Report) -> str:
    """The report as plain text, a line a site; with ``quiet`` only errors are left."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    if not report.quiet:
        for site in (*report.sites, *report.modernized):
            if site in report.known and not report.verbose:
                continue
            yield site_line(site)
            if report.verbose:
                yield from (f"    {printable(sentence)}" for sentence in site.evidence)
                if (cause := unrun(site)) is not None:
                    yield f"    not verified: {printable(cause)}"
    yield from ending(report)
