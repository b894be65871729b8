"""The HTML page over all repositories: one file, no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from voltfix.batch.model import CAUSES, counted_states, fixed_word
from voltfix.report.escape import printable

MAX_ROWS = 2000
MAX_NEEDS = 20
MAX_DIFFS = 100
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.15rem; margin: 1rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; } th, td
{ text-align: left; padding: .25rem .6rem; vertical-align: top; }
tr { border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.failed { color: #c22; font-weight: 600; } .tallies { display: flex; flex-wrap: wrap; gap: 2rem; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; font-size: 13px; }
.a { color: #197a32; } .d { color: #b3261e; } small, .dim { opacity: .7; } summary { cursor: pointer; }
td { overflow-wrap: anywhere; } td.n { white-space: nowrap; }
@media (max-width: 46rem) {
  th, td { padding: .2rem; font-size: .8rem; } td { min-width: 4.5rem; } td.n { min-width: 0; }
  .tallies { gap: 0 1.5rem; } }
@media (prefers-color-scheme: dark) { .a { color: #6cc983; } .d, .failed { color: #ff8a80; } }
"""


def render(report: Mapping[str, Any]) -> str:
    """The page for a report of `voltfix.batch.final.gather`."""
    return "".join(_page(report))


def text(value: Any) -> str:
    """Other people's text, harmless in HTML."""
    return escape(printable(str(value), keep="\n\t"))


def _page(report: Mapping[str, Any]) -> Iterator[str]:
    summary = report["summary"]
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>voltfix batch</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body>\n<h1>{summary['repositories']:,} repositories</h1>\n"
    yield f"<p>{_headline(summary)}</p>\n"
    yield from _tallies(summary)
    yield from _repositories(report["repositories"])
    yield from _review(report["review"], summary)
    yield f"<p><small>voltfix {text(report['voltfix'])}, round {report['round']}</small></p></body></html>\n"


def _headline(summary: Mapping[str, Any]) -> str:
    return (
        f"{text(counted_states(summary['states']))}. {summary['sites']:,} sites: {summary['fixed']:,} "
        f"{fixed_word(summary['states'])}, "
        f"{summary['refused']:,} need a person, {summary['suppressed']:,} suppressed, {summary['kept']:,} kept. "
        f"{summary['errors']:,} files could not be read."
    )


def _tallies(summary: Mapping[str, Any]) -> Iterator[str]:
    titles = {
        "causes": "Why repositories failed",
        "reasons": "Why sites need a person",
        "strategies": "Strategies",
        "verdicts": "Verdicts on what was fixed",
        "codes": "Rules",
    }
    yield '<div class="tallies">\n'
    for key, title in titles.items():
        if summary[key]:
            yield f"<div><h2>{title}</h2><table>"
            for name, count in summary[key].items():
                yield f'<tr><td title="{text(CAUSES.get(name, ""))}">{text(name)}</td>'
                yield f'<td class="n">{count:,}</td></tr>'
            yield "</table></div>\n"
    yield "</div>\n"


def _repositories(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield '<h2 id="repositories">Repositories, worst first</h2>\n<table><thead><tr>'
    yield '<th>repository</th><th>state</th><th class="n">sites</th><th class="n">fixed</th>'
    yield '<th class="n">needs a person</th><th>files</th></tr></thead><tbody>\n'
    for row in rows[:MAX_ROWS]:
        yield _repository(row)
    yield "</tbody></table>\n"
    if len(rows) > MAX_ROWS:
        yield f"<p>{len(rows) - MAX_ROWS:,} more are in report.json.</p>\n"


def _repository(row: Mapping[str, Any]) -> str:
    figures = row["summary"]
    state = text(row["state"])
    if row["cause"]:
        state = f'<span class="failed">{state}: {text(row["cause"])}</span>'
        state += f"<br><small>{text(row['detail'] or '')}</small>"
    cells = "".join(f'<td class="n">{figures.get(key, 0):,}</td>' for key in ("sites", "fixed", "refused"))
    return (
        f"<tr><td>{text(row['name'])}<br><small>{text(row['source'])}</small>{_needs(figures)}</td><td>{state}</td>{cells}"
        f"<td>{_links(row)}</td></tr>\n"
    )


def _needs(figures: Mapping[str, Any]) -> str:
    places = [
        f"{place}:{f'cell {cell}:' if cell is not None else ''}{line} {code} {reason}"
        for place, cell, line, code, reason in figures.get("needs", [])
    ]
    places += [f"{path}:{line or ''} could not be read ({kind})" for path, line, kind in figures.get("unread", [])]
    if not places:
        return ""
    more = f"<li>and {len(places) - MAX_NEEDS} more</li>" if len(places) > MAX_NEEDS else ""
    items = "".join(f"<li>{text(place)}</li>" for place in places[:MAX_NEEDS])
    return f"<details><summary>{len(places)} to look at</summary><ul>{items}{more}</ul></details>"


def _links(row: Mapping[str, Any]) -> str:
    if not row["summary"]:
        return ""
    folder = f"repositories/{quote(row['name'])}"
    names = ["report.html", "report.json", *(["changes.patch"] if row["patch"] else [])]
    return " ".join(f'<a href="{folder}/{name}">{name}</a>' for name in names)


def _review(shared: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h2 id="review">To review: {summary["distinct_diffs"]:,} different diffs in '
    yield f"{summary['files_to_review']:,} files</h2>\n"
    yield "<p>A file that many repositories share stands here once.</p>\n"
    for entry in shared[:MAX_DIFFS]:
        places = "".join(f"<li>{text(name)}: {text(path)}</li>" for name, path in entry["places"])
        more = (
            f"<li>and {entry['count'] - len(entry['places'])} more</li>"
            if entry["count"] > len(entry["places"])
            else ""
        )
        name, path = entry["places"][0]
        title = f"{entry['count']} places, such as " if entry["count"] > 1 else ""
        yield f"<details><summary>{title}{text(name)}: {text(path)}</summary><ul>{places}{more}</ul>"
        yield f"<pre>{_coloured(entry['diff'])}</pre></details>\n"
    if summary["distinct_diffs"] > MAX_DIFFS:
        yield f"<p>{summary['distinct_diffs'] - MAX_DIFFS:,} more are in report.json and the patches.</p>\n"


def _coloured(diff: str) -> str:
    kinds = {"+": "a", "-": "d"}
    return "\n".join(
        f'<span class="{kinds[line[0]]}">{text(line)}</span>' if line[:1] in kinds else text(line)
        for line in diff.split("\n")
    )
