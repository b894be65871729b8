"""The page that ``--report FILE.html`` writes: one file, no network, readable on a phone and in the dark.

What comes out of other people's repositories goes through ``escape`` and nowhere else. The page forbids every
script but its own (a content security policy with its hash), so that a slip there would still run nothing.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from html import escape as _escape
from importlib.resources import files
from urllib.parse import quote

from voltfix import __version__
from voltfix.model import SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.html.sidebyside import side_by_side
from voltfix.report.snippet import source_line
from voltfix.report.text import LABELS, counted, place, unrun
from voltfix.rules.refusals import REFUSALS

_TITLES = {"write": "What was done", "diff": "What would be done", "check": "What would be done"}
_DONE = ("fixed", "would-fix")
_VERDICTS = {"identical": "the same", "different": "different", "not-run": "not run"}


def render(report: Report) -> str:
    """The report as a page of its own."""
    style, script, page = (_text(name) for name in ("style.css", "script.js", "page.html"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "@TITLE@": _title(report),
        "@VERSION@": __version__,
        "@SCRIPT_HASH@": digest,
        "@STYLE@": style,
        "@SCRIPT@": script,
        "@TILES@": "".join(_tiles(report)),
        "@FILTERS@": "".join(_filters(report)),
        "@NOTES@": "".join(_notes(report)),
        "@FILES@": "".join(_files(report)),
    }
    # in one pass, so that nothing that comes in can pose as a mark of the template
    return re.sub("@[A-Z_]+@", lambda mark: parts[mark[0]], page)


def _title(report: Report) -> str:
    """``What would be done in legacy_project``."""
    given = [path for path in report.paths if path != "-" and report.root is not None]
    names = [os.path.basename(os.path.normpath(os.path.join(report.root or "", path))) for path in given]
    return f"{_TITLES[report.mode]}{f' in {escape(names[0])}' if len(names) == 1 and names[0] else ''}"


def _text(name: str) -> str:
    return files("voltfix.report.html").joinpath(name).read_text(encoding="utf-8")


def escape(text: str) -> str:
    """Foreign text for HTML: control characters written out, markup made harmless."""
    return _escape(printable(text, keep="\n\t"), quote=True)


def _tiles(report: Report) -> Iterator[str]:
    figures = report.summary()
    verb = "fixed" if report.mode == "write" else "would be fixed"
    modernized = "modernized" if report.mode == "write" else "would be modernized"
    tiles = [
        ("sites", figures["sites"], "sites found", ""),
        ("fixed", figures["fixed"], verb, "good"),
        ("refused", figures["refused"], "need a person", "bad" if figures["refused"] else ""),
        ("suppressed", figures["suppressed"], "suppressed", ""),
        ("kept", figures["kept"], "kept as they are", ""),
        ("modernized", sum(row.status in _DONE for row in report.modernized), f"more places {modernized}", "good"),
        ("errors", figures["errors"], "errors", "bad" if figures["errors"] else ""),
        ("cpu", _ran(report, "cpu"), f"{verb}, run and the same, CPU", ""),
        ("cuda", _ran(report, "cuda"), f"{verb}, run and the same, CUDA", ""),
    ]
    for name, number, label, tone in (tile for tile in tiles if tile[1] or tile[0] in ("sites", "fixed", "refused")):
        yield f'<div class="tile {tone}" id="n-{name}"><b>{number:,}</b><span>{label}</span></div>'
    changed = "changed" if report.mode == "write" else "would change"
    read = f"{counted(figures['files_scanned'], 'file')} read, {figures['files_changed']:,} {changed}"
    yield f'<p class="read">{read}</p>'


def _ran(report: Report, device: str) -> int:
    """Of the sites that are fixed, how many were run on a device and did the same."""
    return sum(row.status in _DONE and getattr(row.verification, device) == "identical" for row in report.sites)


def _filters(report: Report) -> Iterator[str]:
    rows = (*report.sites, *report.modernized)
    for status in LABELS:
        if count := sum(row.status == status for row in rows):
            yield (
                f'<button type="button" class="chip {status}" data-status="{status}" aria-pressed="false" '
                f'title="show these alone">{LABELS[status]} <i>{count}</i></button>'
            )
    yield _select("strategy", "all strategies", sorted({row.strategy or row.reason or "" for row in rows} - {""}))
    yield _select("file", "all files", sorted({row.path for row in rows}))
    yield '<input type="search" id="search" placeholder="search" aria-label="search in the sites">'


def _select(name: str, everything: str, values: Iterable[str]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
    return f'<select id="{name}" aria-label="{name}"><option value="">{everything}</option>{options}</select>'


def _notes(report: Report) -> Iterator[str]:
    for note in report.notes:
        yield f'<p class="note">{escape(note)}</p>'
    if report.accepted:
        yield f'<p class="note">{counted(report.accepted, "refusal")} accepted by the baseline</p>'
    for error in report.errors:
        where = escape(place(error.path, error.line))
        yield f'<p class="error"><code>{where}</code> {escape(error.kind)}: {escape(error.message)}</p>'


def _files(report: Report) -> Iterator[str]:
    by_path: dict[str, list[SiteResult]] = {path: [] for path in report.changed}
    for row in (*report.sites, *report.modernized):
        by_path.setdefault(row.path, []).append(row)
    if not by_path and not report.errors:
        yield '<p class="empty">There is no volatile site in these files: nothing is left to do.</p>'
    for number, path in enumerate(sorted(by_path)):
        yield from _file(report, path, by_path[path], f"f{number}")


def _file(report: Report, path: str, rows: list[SiteResult], anchor: str) -> Iterator[str]:
    link = _editor(report.root, path, min((row.line for row in rows if row.cell is None), default=1))
    yield f'<section class="file" data-file="{escape(path)}"><h2>{escape(path)} {link}</h2><ol class="sites">'
    diff = ""
    if path in report.sources:
        before, after = (data.decode("utf-8", "replace") for data in report.sources[path])
        diff = "".join(side_by_side(before, after, anchor, escape))
    for row in rows:
        shown = row.cell is None and f'id="{anchor}-{_before(row)}"' in diff
        yield from _site(report, row, anchor if shown else None)
    yield "</ol>"
    reasons = dict.fromkeys(row.reason or "" for row in rows if row.status == "refused" and row not in report.known)
    for text in filter(None, map(REFUSALS.get, reasons)):
        yield f'<p class="todo"><b>{escape(text.reason)}</b>: what to do: {_code(escape(text.todo))}</p>'
    if diff:
        yield f'<details class="diff" open><summary>before and after</summary>{diff}</details>'
    yield "</section>"


def _editor(root: str | None, path: str, line: int) -> str:
    """A link that opens a line in VS Code, and in editors that took over its addresses."""
    if path == "-" or root is None:
        return ""
    absolute = os.path.normpath(os.path.join(root, path))
    address = f"vscode://file{quote(absolute.encode('utf-8', 'surrogateescape'))}:{line}"
    return f'<a class="open" href="{escape(address)}" title="open this line in VS Code">open in VS Code</a>'


def _site(report: Report, row: SiteResult, anchor: str | None) -> Iterator[str]:
    how = row.strategy or row.reason or ""
    where = f"cell {row.cell}, line {row.line}" if row.cell is not None else f"line {row.line}"
    yield f'<li class="site {row.status}" data-status="{row.status}" data-how="{escape(how)}">'
    yield f'<a href="#{anchor}-{_before(row)}">{where}</a> ' if anchor else f"<span class='where'>{where}</span> "
    yield f'<code>{escape(row.code)}</code> <span class="badge {row.status}">{row.status}</span> '
    yield f'<span class="how">{escape(how)}</span>' if how else ""
    yield '<span class="badge">accepted by the baseline</span>' if row in report.known else ""
    yield _editor(report.root, row.path, row.line) if row.cell is None else ""
    yield f'<p class="message">{escape(row.message)}</p>'
    told = row.status == "refused" or (row.status not in _DONE and anchor is None)
    if told and (line := source_line(report, row)) is not None:
        yield f'<pre class="source"><code>{_marked(line, row)}</code></pre>'
    if row.evidence:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in row.evidence)
        yield f'<ul class="evidence">{items}</ul>'
    yield from _verdict(row)
    yield "</li>"


def _marked(line: str, row: SiteResult) -> str:
    """A source line with what the row points at marked."""
    start = row.column - 1
    end = row.end_column - 1 if row.end_line == row.line else len(line)
    return f"{escape(line[:start])}<mark>{escape(line[start:end])}</mark>{escape(line[end:])}"


def _code(escaped: str) -> str:
    """Backticks as HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escaped)


def _verdict(row: SiteResult) -> Iterator[str]:
    from voltfix.verify.plan import NOT_ASKED

    verdict = row.verification
    idle = verdict.cpu == verdict.cuda == "not-run"
    if idle and (row.status not in _DONE or row.code.startswith("VF2")):
        return  # what a VF2xx rule writes is run with the flags of its file, not by itself
    cells = "".join(
        f'<span class="verdict {answer}">{device} {_VERDICTS[answer]}</span>'
        for device, answer in (("CPU", verdict.cpu), ("CUDA", verdict.cuda))
        if device == "CPU" or answer != "not-run" or NOT_ASKED not in (verdict.detail or "")
    )
    detail = f' <span class="detail">{escape(why)}</span>' if (why := unrun(row)) is not None else ""
    yield f'<p class="verdicts">run before and after: {cells}{detail}</p>'


def _before(row: SiteResult) -> int:
    """The line of a row in the text that was read."""
    return row.original_line or row.line
