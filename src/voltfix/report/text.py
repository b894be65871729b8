"""``--output-format text``: a heading for each file, each cause once with its source line, and a summary that adds up.

The lines that other formats share (``place``, ``site_line``, ``summary_lines``) are here, too.
"""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from voltfix.model import FileError, SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.snippet import snippet

_SINGULAR = {
    "codes": "code",
    "strategies": "strategy",
    "reasons": "reason",
    "precisions": "functions",
    "budgets": "ran out",
}
_MANY = 12  # causes to fix, past which each has one line
_LISTED = 8  # lines of other sites with the same cause
_DONE = ("fixed", "would-fix")
_ALONE = ("kept", "suppressed")  # nobody has to look at the line
LABELS = {"fixed": "fixed", "would-fix": "to fix", "refused": "refused", "suppressed": "suppressed", "kept": "kept"}
_BREAKS = "(--break-api removes it)"
_UNSAFE = "--unsafe-fixes writes what is only suggested"
Cause = tuple[str, ...]


def render(report: Report) -> str:
    """The report as plain text; colours are added where it is shown (``voltfix.cli.show``)."""
    return "".join(f"{line}\n" for line in lines(report))


def lines(report: Report) -> Iterator[str]:
    """The report line by line. With ``quiet`` only errors are left."""
    if not report.quiet:
        first: dict[Cause, SiteResult] = {}
        for path, rows in _by_file(report).items():
            yield from _file(report, path, rows, first)
    yield from ending(report)


def ending(report: Report) -> Iterator[str]:
    """What comes after the sites: errors, statistics, notes, the summary, and one line of what to do next."""
    for error in report.errors:
        yield error_line(error)
    if report.quiet:
        return
    if report.statistics:
        yield from _statistics(report)
    for line in _sandbox(report):
        yield from _folded(line, report.width, "  ")
    for note in report.notes:
        yield from _folded(f"note: {printable(note)}", report.width, "  ")
    for line in (*summary_lines(report), *_arguments_left(report)):
        yield from _folded(line, report.width, "  ")
    if (following := next_step(report)) is not None:
        yield from _folded(f"Next: {following}", report.width, "  ")


def _sandbox(report: Report) -> Iterator[str]:
    """What code was run behind: all of it with ``-v``, what was missing always."""
    active = [name for name, state in report.sandbox.items() if state == "active"]
    if report.verbose and active:
        yield f"sandbox: {', '.join(active)}"
    if len(active) < len(report.sandbox):
        gone = [f"{name} ({printable(state)})" for name, state in report.sandbox.items() if state != "active"]
        yield f"sandbox without: {', '.join(gone)}"


def _by_file(report: Report) -> dict[str, list[SiteResult]]:
    """What is shown, by file: refusals that were accepted beforehand are counted, not shown."""
    rows = [row for row in (*report.sites, *report.modernized) if row not in report.known or report.verbose]
    found: dict[str, list[SiteResult]] = {}
    for row in sorted(rows, key=lambda row: (row.path, row.cell or 0, row.line, row.column)):
        found.setdefault(row.path, []).append(row)
    return found


def _file(
    report: Report, path: str, rows: Iterable[SiteResult], first: dict[Cause, SiteResult]
) -> Iterator[str]:
    groups: dict[Cause, list[SiteResult]] = {}
    for row in rows:
        alone = (str(row.cell), str(row.line), str(row.column)) if report.verbose else ()
        groups.setdefault((*_cause(row), *alone), []).append(row)
    yield f"{place(nearer(path), None)}: {_tally([row for group in groups.values() for row in group])}"
    for cause, group in groups.items():
        brief = group[0].status in _ALONE or (group[0].status in _DONE and (report.mode == "write" or _is_many(report)))
        if brief and not report.verbose:
            where = place(nearer(path), group[0].line, group[0].column, group[0].cell)
            also = f" ({_also(group)})" if len(group) > 1 else ""
            yield from _folded(f"  {where}: {_headline(group[0])}{also}", report.width, "      ")
            continue
        known = group[0] if group[0].status in _DONE else first.setdefault(cause, group[0])
        yield from _folded(f"  {_headline(group[0])}", report.width, "      ")
        if known.path != path:
            yield from _folded(f"    = {_others(group)}, as at {_place_of(known)}", report.width, "      ")
            continue
        yield from (f"  {line}" for line in snippet(report, group[0], nearer(path)))
        if len(group) > 1:
            yield from _folded(f"    = {_more(group[1:])}: {_others(group[1:])}", report.width, "      ")
        if report.verbose:
            yield from (f"    {printable(sentence)}" for sentence in group[0].evidence)
            if (why := unrun(group[0])) is not None:
                yield f"    not verified: {printable(why)}"
            if (told := ran(group[0])) is not None:
                yield f"    run: {told}"
    yield ""


def _is_many(report: Report) -> bool:
    """Are there more causes to fix than a page has room for?"""
    return len({_cause(row) for row in report.sites if row.status in _DONE}) > _MANY


def _cause(row: SiteResult) -> Cause:
    return (row.code, row.status, row.reason or "", row.message, _verdict(row))


def _headline(row: SiteResult) -> str:
    """``VF101 wrapped line 45 in torch.no_grad() [cpu identical]``."""
    said = row.status in _DONE or row.message.startswith(f"{row.status} ")
    also = "; only suggested" if row.suggested and standing_of(row) == "refused" else ""
    standing = "" if said else f"{standing_of(row)}{f' ({row.reason}{also})' if row.reason else ''}: "
    return f"{row.code} {standing}{printable(row.message)}{_verdict(row)}"


def standing_of(row: SiteResult) -> str:
    """The status in a sentence: ``suggested`` is what a VF2xx rule writes with ``--unsafe-fixes``."""
    return "suggested" if _is_suggestion(row) else row.status


def _is_suggestion(row: SiteResult) -> bool:
    return row.suggested and row.status == "refused" and row.code.startswith("VF2")


def _verdict(row: SiteResult) -> str:
    sides = (("cpu", row.verification.cpu), ("cuda", row.verification.cuda))
    said = ", ".join(f"{device} {answer}" for device, answer in sides if answer != "not-run")
    return f" [{said}]" if said else ""


def unrun(row: SiteResult) -> str | None:
    """Why a row was not run where it could have been; None where it was, and of a device that nobody asked for."""
    from voltfix.verify.plan import NOT_ASKED

    causes = (row.verification.detail or "").split("; ")
    return "; ".join(cause for cause in causes if cause and cause != f"cuda: {NOT_ASKED}") or None


def ran(row: SiteResult) -> str | None:
    """On how many ways the functions of a row's change were run, before and after; None where they were not."""
    verdict = row.verification
    if not verdict.runs or "identical" not in (verdict.cpu, verdict.cuda):
        return None
    ways = "one way" if verdict.runs == 1 else f"{verdict.runs:,} ways"
    return f"the functions that the change touches, before and after, on {ways} through them"


def _others(rows: Iterable[SiteResult]) -> str:
    """``line 8``, ``lines 8, 9 and 3 more``, in a notebook ``cell 2 line 8``."""
    cells = [f"cell {row.cell} line {row.line}" for row in rows if row.cell is not None]
    places = cells or [str(row.line) for row in rows]
    places = list(dict.fromkeys(places))
    shown, more = places[:_LISTED], len(places) - _LISTED
    noun = "" if cells else "line " if len(places) == 1 else "lines "
    return f"{noun}{', '.join(shown)}{f' and {more} further on' if more > 0 else ''}"


def _also(group: Sequence[SiteResult]) -> str:
    """``also lines 8, 9``: the others of a group, by lines that are not its first row's."""
    first, others = group[0], group[1:]
    elsewhere = [row for row in others if (row.cell, row.line) != (first.cell, first.line)]
    here = len(others) - len(elsewhere)
    told = [f"{here + 1} on this line"] if here else []
    return ", ".join([*told, *([f"also {_others(elsewhere)}"] if elsewhere else [])])


def _more(rows: Sequence[SiteResult]) -> str:
    """``3 more``; ``3 more on 2 lines`` where a line has several."""
    places = len({(row.cell, row.line) for row in rows})
    return f"{len(rows)} more" + ("" if places == len(rows) else f" on {counted(places, 'line')}")


def _tally(rows: Iterable[SiteResult]) -> str:
    """``2 fixed, 1 refused``."""
    rows = list(rows)
    counts = {name: sum(row.status == status and not _is_suggestion(row) for row in rows)
              for status, name in LABELS.items()}
    counts["only suggested"] = sum(map(_is_suggestion, rows))
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _folded(line: str, width: int | None, indent: str) -> Iterator[str]:
    """A line in as many as the width asks for."""
    if width is None or len(line) <= width:
        yield line
        return
    start = line[: len(line) - len(line.lstrip())]
    filler = textwrap.TextWrapper(width, initial_indent=start, subsequent_indent=indent, break_long_words=False,
                                  break_on_hyphens=False)  # fmt: skip
    yield from filler.wrap(line.lstrip())


def nearer(path: str) -> str:
    """A path from where one stands, where that is shorter than from the root."""
    if not os.path.isabs(path):
        return path
    from_here = os.path.relpath(path)
    return from_here if len(from_here) < len(path) else path


def _place_of(row: SiteResult) -> str:
    return place(nearer(row.path), row.line, None, row.cell)


def _arguments_left(report: Report) -> Iterator[str]:
    """What a later run cannot do: with the flag inside of a function gone, nothing marks its parameter any more."""
    if report.mode == "write" and (stays := _staying(report)):
        them = "the argument that is" if stays == 1 else f"the {stays:,} arguments that are"
        yield f"Nothing reads {them} kept. To remove {'it' if stays == 1 else 'them'}: undo this run, add --break-api."


def _staying(report: Report) -> int:
    return sum(row.status == "kept" and _BREAKS in row.message for row in report.sites)


def next_step(report: Report) -> str | None:
    """What a person may do now, if there is anything."""
    paths = " ".join(shlex.quote(printable(path)) for path in report.paths) or "PATH"
    fix = f"voltfix fix {paths}{_words(report.given)}"
    refused = [row for row in report.sites if row.status == "refused" and row not in report.known]
    if refused:  # explained first: it names lines as they are before a file is rewritten
        then = f", then {fix}" if report.mode == "check" and report.count("would-fix") else ""
        suggested = sum(row.suggested for row in refused)
        which = "one that is" if suggested == 1 else f"{suggested:,} that are"
        also = f"  (--unsafe-fixes writes the {which} only suggested)" if suggested else ""
        if suggested and "--no-verify" in report.given:
            also = f"  (leave out --no-verify: then the {which} only suggested can be run, and shown right)"
        if any(each.untried for row in refused for each in row.candidates):
            also = "  (there was no time to try all patches: --search 300 gives them more)"
        cause = next((row for row in refused if row.reason != "held"), refused[0])
        return f"{_explain(report, cause)}{then}{also}"
    if report.mode == "check" and report.count("would-fix"):
        stays = _staying(report)
        which = "is kept" if stays == 1 else "are kept"
        also = f"; add --break-api now for the {stays:,} that {which}, later runs do not see them" if stays else ""
        return f"{fix}  (writes this; with --interactive it asks first{also})"
    guessed = next(filter(_is_suggestion, report.modernized), None)
    if guessed is not None:
        return f"{_explain(report, guessed)}  ({_UNSAFE})"
    if report.mode == "check" and report.changed:
        return f"{fix}  (writes this; with --interactive it asks first)"
    if report.mode == "write" and (report.count("fixed") or report.changed) and "-" not in report.paths:
        return f"voltfix doctor {paths}  (once this is committed: what else keeps it from today's torch)"
    return None


def _explain(report: Report, row: SiteResult) -> str:
    return f"voltfix explain {shlex.quote(_place_of(row))}{_among(report, row)}{_words(report.given_explain)}"


def _words(given: Iterable[str]) -> str:
    return "".join(f" {shlex.quote(printable(word))}" for word in given)


def _among(report: Report, row: SiteResult) -> str:
    """The paths that ``explain`` needs to look at the same files: none where it finds them by itself."""
    from voltfix.discovery.roots import roots

    if report.root is None or "-" in report.paths or roots(report.paths) == roots([row.path]):
        return ""
    return "".join(f" {shlex.quote(printable(path))}" for path in report.paths)


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
    standing = f"{standing_of(site)}{f' ({how})' if how else ''}: "
    said = site.status == "kept" and site.message.startswith("kept ")
    where = place(site.path, site.line, site.column, site.cell)
    return f"{where}: {site.code} {'' if said else standing}{printable(site.message)}{_verdict(site)}"


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
        parts = [f"{figures['fixed']:,} {verb}{_run(report)}"]
        parts += [f"{figures[name]:,} {name}" for name in ("refused", "suppressed", "kept") if figures[name]]
        yield f"Found {counted(figures['sites'], 'site')} in {read}: {', '.join(parts)}."
    elif not figures["errors"]:
        yield f"No volatile site in {read}."
    if report.modernized:
        yield modernized_line(report)
        yield from _modernized_unrun(report)
    if report.changed:
        verb = "changed" if report.mode == "write" else "would change"
        yield f"{counted(len(report.changed), 'file')} {verb}."
    if report.accepted:
        yield f"{counted(report.accepted, 'refusal')} accepted by the baseline."
    if figures["errors"]:
        yield f"{counted(figures['errors'], 'error')}: see above."


def _run(report: Report) -> str:
    """`` (38 run and identical, 3 not run)``."""
    done = [row for row in report.sites if row.status in _DONE]
    ran = sum("identical" in (row.verification.cpu, row.verification.cuda) for row in done)
    if not done:
        return ""
    if ran == len(done):
        return " (run and identical)" if ran == 1 else " (all run and identical)"
    why = "" if report.verbose or not any(map(unrun, done)) else ": --verbose says why"
    return f" ({ran:,} run and identical, {len(done) - ran:,} not run{why})" if ran else f" (not run{why})"


def modernized_line(report: Report) -> str:
    """How many places the VF2xx rules rewrite; those that they refuse are named as such."""
    suggested = sum(map(_is_suggestion, report.modernized))
    refused = sum(row.status == "refused" for row in report.modernized) - suggested
    done = len(report.modernized) - refused - suggested
    rest = f"{f', {refused:,} refused' if refused else ''}{f', {suggested:,} only suggested' if suggested else ''}"
    if report.mode != "write":
        return f"{counted(done, 'more place' if report.sites else 'place')} would be modernized{rest}."
    return f"Modernized: {counted(done, 'place')}{rest}."


def _modernized_unrun(report: Report) -> Iterator[str]:
    """What was rewritten for no flag has no verdict of its own: it is run where a flag's change touches it, or not."""
    if report.mode != "write" or not any(row.status in _DONE for row in report.modernized):
        return
    if any("identical" in (row.verification.cpu, row.verification.cuda) for row in report.sites if row.status in _DONE):
        yield "Of these, only what lies in functions that were run for a site was run: read the diff of the others."
    else:
        yield "These were not run (only functions that a site's change touches are): read their diff."


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
