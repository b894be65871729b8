"""``--output-format github``: workflow commands, which GitHub shows as annotations on lines."""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.model import SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.text import summary_lines

_LEVELS = {"would-fix": "warning", "refused": "error", "fixed": "notice"}


def render(report: Report) -> str:
    """One command for each site that somebody should know of and for each error, then the summary."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for row in (*report.sites, *report.modernized):
        if row.status in _LEVELS:
            yield _annotation(row, "notice" if row in report.known else _LEVELS[row.status])
    for error in report.errors:
        yield command("error", f"{error.message}", file=error.path, line=error.line, title=f"voltfix: {error.kind}")
    if not report.quiet:
        yield from summary_lines(report)


def _annotation(row: SiteResult, level: str) -> str:
    how = row.reason or row.strategy
    title = f"voltfix {row.code} {row.status}{f' ({how})' if how else ''}"
    if row.cell is not None:  # lines count in the cell, which GitHub does not know
        message = f"cell {row.cell}, line {row.line}: {row.message}"
        return command(level, message, file=row.path, title=title)
    return command(
        level, row.message, file=row.path, line=row.line, endLine=row.end_line,
        col=row.column, endColumn=row.end_column, title=title,
    )  # fmt: skip


def command(level: str, message: str, **properties: str | int | None) -> str:
    """A workflow command; nothing in ``message`` or a property can end it or start another."""
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value is not None)
    return f"::{level} {given}::{_data(message)}"


def _data(text: str) -> str:
    text = printable(text, keep="\r\n")  # a terminal or a log shows the command as it is
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str | int) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
