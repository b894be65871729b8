"""Migrate a folder of checked-out repositories in memory, and count lines: what changed, and what must not have.

    python benchmarks/bytes.py FOLDER [NAME...]      a table, a row for each repository; exit code 1 if any
                                                     line changed that no edit speaks of, any second pass
                                                     found something, or a file with sites was not read

A line of the original is *identical* (its newline included), *deeper* (the same but for more indentation:
inside a new block), *edited* (an edit of the plan lies on it), or *blank* (an empty line at a deleted
statement). Anything else counts as *beyond*, and there must be none. Nothing in FOLDER is written to.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from voltfix import core
from voltfix.discovery.hits import scan
from voltfix.discovery.projects import Job, jobs
from voltfix.discovery.walk import walk
from voltfix.edit.conflicts import spans
from voltfix.edit.outline import Outline
from voltfix.model import EnsureImport, Options, Result, Span, WrapStatements
from voltfix.pipeline.loading import Project, load_project

COLUMNS = (
    "files", "sites", "rows", "errors", "changed", "lines", "identical", "deeper", "edited", "blank", "beyond",
    "again", "old", "old decided",
)  # fmt: skip
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is wrong")
    chosen = parser.parse_args()
    folders = sorted(each for each in chosen.folder.iterdir() if each.is_dir())
    total: Counter[str] = Counter()
    print("| project | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * len(COLUMNS))
    for folder in folders:
        if chosen.names and folder.name not in chosen.names:
            continue
        counts = measure(folder, chosen.verbose)
        print(row(folder.name.replace("+", "/", 1), counts), flush=True)
        total += counts
    print(row("**all**", total))
    return 1 if total["beyond"] or total["again"] or total["old"] != total["old decided"] else 0


def row(name: str, counts: Counter[str]) -> str:
    return f"| {name} | " + " | ".join(str(counts[column]) for column in COLUMNS) + " |"


def measure(folder: Path, verbose: bool) -> Counter[str]:
    """Count over one repository."""
    walked = walk([str(folder)])
    found = scan(walked.files)
    counts: Counter[str] = Counter(files=len(found.hits))
    for job in jobs([str(folder)], walked.files, found.hits):
        options = Options(editable=job.editable, installable=job.installable)
        result = core.migrate(job.files, options)
        again = core.migrate({**job.files, **result.outputs}, options)
        counts += Counter(
            rows=len(result.sites), errors=len(result.errors), changed=len(result.outputs), again=len(again.outputs)
        )
        counts += decided(job, options, result, verbose)
        for path, after in result.outputs.items():
            spoken = spoken_lines(load_project(job.files, options), result, path)
            for kind, line in compared(job.files[path], after, spoken):
                counts[kind] += 1
                counts["lines"] += 1
                if verbose and kind == "beyond":
                    print(f"beyond: {folder.name}/{path}: {line!r}", file=sys.stderr)
        if verbose:
            for name in again.outputs:
                print(f"again: {folder.name}/{name}", file=sys.stderr)
    return counts


# --- lines


def lines(data: bytes) -> list[bytes]:
    return _LINE.findall(data)


class Spoken(NamedTuple):
    """Physical lines (from 1): ``edited``, on which an edit lies, and ``wrapped``, which a block takes in."""

    edited: set[int]
    wrapped: set[int]


def compared(before: bytes, after: bytes, spoken: Spoken) -> Iterator[tuple[str, bytes]]:
    """Say what became of each line of ``before``: all that no edit speaks of have to be there, in order."""
    news = lines(after)
    at = 0
    blanks: list[bytes] = []
    for number, line in enumerate(lines(before), 1):
        if number in spoken.edited:
            yield "edited", line
            continue
        if not line.strip():
            blanks.append(line)
            continue
        deep = number in spoken.wrapped
        place = next((i for i in range(at, len(news)) if same(line, news[i], deep)), None)
        if place is None:
            yield "beyond", line
            continue
        yield from accounted(blanks, news[at:place])
        yield "identical" if line == news[place] else "deeper", line
        blanks, at = [], place + 1
    yield from accounted(blanks, news[at:])


def same(old: bytes, new: bytes, deep: bool) -> bool:
    """Is it the same line, its newline included, but for a last line that was without? Deeper, if it may be."""
    if old == new or (not old.endswith((b"\r", b"\n")) and new.rstrip(b"\r\n") == old):
        return True
    # four spaces before a tab add a level, and no column
    return deep and split(old)[1] == split(new)[1] and (split(new)[0] > split(old)[0] or len(new) > len(old))


def split(line: bytes) -> tuple[int, bytes]:
    """How far a line is indented (prompts and quotation marks count in), and the rest of it."""
    bare = line.lstrip(b" \t\f>.")
    return len(line[: len(line) - len(bare)].expandtabs(8)), bare


def accounted(blanks: list[bytes], news: list[bytes]) -> Iterator[tuple[str, bytes]]:
    """Blank lines may go with a statement that is deleted."""
    left = Counter(news)
    for line in blanks:
        yield "identical" if left[line] > 0 else "blank", line
        left[line] -= 1


def spoken_lines(project: Project, result: Result, path: str) -> Spoken:
    """The physical lines of a file that edits of the plan, or of rules that acted, speak of."""
    spoken = Spoken(set(), set())
    cells = notebook_lines(project.files[path]) if path.endswith(".ipynb") else None
    for name, edits in edits_of(result):
        if project.file_of(name) != path:
            continue
        for edit in edits:
            for into, span in (*ranges(edit), *broken_up(project.module(name).text, edit)):
                _, start, end = project.locate(name, span)
                getattr(spoken, into).update(physical(cells, start, end))
    # comments below a block that stand deeper than it belong to it
    rows = lines(project.files[path])
    for number in sorted(spoken.wrapped):
        while number < len(rows) and rows[number].strip()[:1] in (b"", b"#"):
            number += 1
            spoken.wrapped.add(number)
    # a comment about the flag goes with the statement below it, or at the head of its paragraph
    for number in sorted(spoken.edited):
        while number > 1 and rows[number - 2].strip():
            number -= 1
            if re.match(rb"\s*#.*volatile", rows[number - 1]):
                spoken.edited.add(number)
    for each in result.modernized:
        if each.path == path and each.status == "fixed":
            start, end = (each.line, each.column, each.cell), (each.end_line, each.end_column, each.cell)
            spoken.edited.update(physical(cells, start, end))
    return spoken


def edits_of(result: Result) -> Iterable[tuple[str, tuple[object, ...]]]:
    return [pair for change in result.plan.changes for pair in change.edits]


def ranges(edit: object) -> Iterator[tuple[str, Span]]:
    """What an edit speaks of; of a block only the ends, where a neighbour on the line may be cut off."""
    if isinstance(edit, WrapStatements):
        yield "edited", Span(edit.first.start, edit.first.start)
        yield "edited", Span(edit.last.end, edit.last.end)
        yield "wrapped", Span(edit.first.start, edit.last.end)
    elif not isinstance(edit, EnsureImport):
        yield from (("edited", span) for span in spans(edit))  # type: ignore[arg-type]


def broken_up(text: str, edit: object) -> Iterator[tuple[str, Span]]:
    """A block inside a suite on the line of its header (``else: a; b``): that line is broken up."""
    if isinstance(edit, WrapStatements):
        outline = Outline(text)
        suite = outline.statement(edit.first).suite
        if outline.inline(suite):
            start = suite.statements[0].start
            yield "edited", Span(start, start)


def physical(cells: dict[tuple[int, int], int] | None, start: tuple, end: tuple) -> Iterator[int]:
    for line in range(start[0], end[0] + 1):
        yield line if cells is None else cells.get((start[2] or 0, line), 0)


def notebook_lines(data: bytes) -> dict[tuple[int, int], int]:
    """Cell and line in it → line of the file; for the usual layout, one source line a line."""
    found: dict[tuple[int, int], int] = {}
    number = inner = 0
    inside = False
    for at, line in enumerate(lines(data), 1):
        bare = line.strip()
        if bare.startswith(b'"cell_type"'):
            number += 1
        if re.match(rb'"(source|input)": *(\[|")', bare):
            inside, inner = not bare.endswith((b"[]", b"[],")), 0
            if b"[" in bare[:14]:
                continue
        if inside and bare.startswith(b"]"):
            inside = False
        if inside:
            inner += 1
            found[number, inner] = at
    return found


# --- files and sites


def decided(job: Job, options: Options, result: Result, verbose: bool) -> Counter[str]:
    """Compare the sites that are there, found without any analysis, with the rows; count old syntax."""
    from voltfix.flags.sites import find
    from voltfix.program.resolve import Project as Names

    project = load_project(job.files, options)
    sites = {site for site in find(Names(project.modules)) if project.editable(project.file_of(site.path))}
    places = {(*project.locate(site.path, site.span)[:2],) for site in sites}
    rows = {(each.path, (each.line, each.column, each.cell)) for each in result.sites}
    broken = {error.path for error in result.errors}
    missing = {path for path, _ in places - rows} | broken
    old = {path for path in job.shown if is_old(path, job.files[path])}
    if verbose:
        for path, place in sorted(places - rows):
            print(f"undecided: {job.root}/{path}:{place}", file=sys.stderr)
        for error in result.errors:
            print(f"error: {job.root}/{error.path}: {error.kind}: {error.message}", file=sys.stderr)
    return Counter({"sites": len(places), "old": len(old), "old decided": len(old - missing)})


def is_old(path: str, data: bytes) -> bool:
    """Is it a Python file that today's Python does not parse?"""
    if not path.endswith(".py"):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError):
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
