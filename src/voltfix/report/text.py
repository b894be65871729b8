"""``--output-format text``.

A line for each site with the decision and the reason, and a summary that adds up.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.model import FileError, SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.hunks import hunks, lines_of

_SINGULAR = {"codes": "code", "strategies": "strategy", "reasons": "reason"}


def render(report: Report) -> str:
    """The report as plain text; colours are added where it is shown (``voltfix.cli.show``)."""
    return "".join(f"{line}\n" for line in lines(report))


def lines(report: Report) -> Iterator[str]:
    """The report line by line. With ``quiet`` only errors are left."""
    if not report.quiet:
        moved = _Moved(report)
        for site in (*report.sites, *report.modernized):
            yield site_line(site) + moved.note(site)
            if report.verbose:
                yield from (f"    {printable(sentence)}" for sentence in site.evidence)
                if site.verification.detail:
                    yield f"    not verified: {printable(site.verification.detail)}"
    for error in report.errors:
        yield error_line(error)
    if report.quiet:
        return
    if report.statistics:
        yield from _statistics(report)
    for note in report.notes:
        yield f"note: {printable(note)}"
    yield from summary_lines(report)


class _Moved:
    """Where a refused site stands once its file was written: what was rewritten above it may have moved it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._edits: dict[str, list[tuple[int, int, int]]] = {}  # by path: first and last line, lines in their place

    def note(self, site: SiteResult) -> str:
        """`` [now line 12]``, or nothing."""
        sources = self._report.sources.get(site.path)
        if sources is None or self._report.mode != "write" or site.status != "refused" or site.cell is not None:
            return ""
        if site.path not in self._edits:
            before, after = (data.decode("utf-8", "surrogateescape") for data in sources)
            self._edits[site.path] = [(a, b, len(lines_of(text))) for a, b, text in hunks(before, after)]
        added = sum(count - (last - first) for first, last, count in self._edits[site.path] if last < site.line)
        return f" [now line {site.line + added}]" if added else ""


def place(path: str, line: int | None, column: int | None = None, cell: int | None = None) -> str:
    """``path:line:column``, in a notebook ``path:cell 3:line:column``.

    A line that began with ``::`` would be a command to GitHub, whatever comes after: such a path begins with ``./``.
    """
    parts = [f"./{printable(path)}" if path.lstrip().startswith("::") else printable(path)]
    if cell is not None:
        parts.append(f"cell {cell}")
    parts += [str(number) for number in (line, column) if number is not None]
    return ":".join(parts)


def site_line(site: SiteResult) -> str:
    """``train.py:12:5: VF101 fixed (no_grad): why [cpu identical]``."""
    how = site.strategy or site.reason
    verdict = ", ".join(
        f"{device} {answer}"
        for device, answer in (("cpu", site.verification.cpu), ("cuda", site.verification.cuda))
        if answer != "not-run"
    )
    return (
        f"{place(site.path, site.line, site.column, site.cell)}: {site.code} {site.status}"
        f"{f' ({how})' if how else ''}: {printable(site.message)}{f' [{verdict}]' if verdict else ''}"
    )


def error_line(error: FileError) -> str:
    """``b.py:3: error (syntax): message``."""
    return f"{place(error.path, error.line)}: error ({error.kind}): {printable(error.message)}"


def _statistics(report: Report) -> Iterator[str]:
    for title, tally in report.tallies().items():
        for name, count in tally.items():
            yield f"{count:>6}  {_SINGULAR[title]}  {name}"


def summary_lines(report: Report) -> Iterator[str]:
    """The last lines: what was found and what became of it."""
    figures = report.summary()
    read = counted(report.files_scanned, "file")
    if figures["sites"]:
        verb = "fixed" if report.mode == "write" else "would be fixed"
        parts = [f"{figures['fixed']} {verb}", f"{figures['refused']} refused"]
        parts += [f"{figures['suppressed']} suppressed", f"{figures['kept']} kept"]
        yield f"Found {counted(figures['sites'], 'site')} in {read}: {', '.join(parts)}."
    elif not figures["errors"]:
        yield f"No volatile site in {read}."
    if report.modernized:
        yield modernized_line(report)
    if report.changed:
        verb = "changed" if report.mode == "write" else "would change"
        yield f"{counted(len(report.changed), 'file')} {verb}."
    if report.accepted:
        yield f"{counted(report.accepted, 'refusal')} accepted by the baseline."
    if figures["errors"]:
        yield f"{counted(figures['errors'], 'error')}: see above."


def modernized_line(report: Report) -> str:
    """How many places the VF2xx rules rewrite; those that they refuse are named as such."""
    refused = sum(row.status == "refused" for row in report.modernized)
    done = counted(len(report.modernized) - refused, "place")
    return f"Modernized: {done}{f', {refused:,} refused' if refused else ''}."


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
