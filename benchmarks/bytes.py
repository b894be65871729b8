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
from difflib import SequenceMatcher
from pathlib import Path

from voltfix import core
from voltfix.discovery.hits import scan
from voltfix.discovery.projects import Job, jobs
from voltfix.discovery.walk import walk
from voltfix.edit.conflicts import spans
from voltfix.model import EnsureImport, Options, Result
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


def compared(before: bytes, after: bytes, spoken: set[int]) -> Iterator[tuple[str, bytes]]:
    """Say what became of each line of ``before``; ``spoken``: the lines (from 1) that edits speak of."""
    olds, news = lines(before), lines(after)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, olds, news, False).get_opcodes():
        fresh = Counter(line.lstrip(b" \t") for line in news[j1:j2])
        for at in range(i1, i2):
            line = olds[at]
            if tag == "equal":
                yield "identical", line
            elif at + 1 in spoken:
                yield "edited", line
            elif fresh[line.lstrip(b" \t")] and line.strip():
                fresh[line.lstrip(b" \t")] -= 1
                yield "deeper", line
            else:
                yield "beyond" if line.strip() else "blank", line


def spoken_lines(project: Project, result: Result, path: str) -> set[int]:
    """The physical lines of a file on which edits of the plan, or rules that acted, lie."""
    found: set[int] = set()
    cells = notebook_lines(project.files[path]) if path.endswith(".ipynb") else None
    places = [(name, span) for name, edits in edits_of(result) for edit in edits for span in edges(edit)]
    for name, span in places:
        if project.file_of(name) == path:
            _, start, end = project.locate(name, span)
            found.update(physical(cells, start, end))
    for each in result.modernized:
        if each.path == path and each.status == "fixed":
            start, end = (each.line, each.column, each.cell), (each.end_line, each.end_column, each.cell)
            found.update(physical(cells, start, end))
    return found


def edits_of(result: Result) -> Iterable[tuple[str, tuple[object, ...]]]:
    return [pair for change in result.plan.changes for pair in change.edits]


def edges(edit: object) -> list[object]:
    """The spans of an edit; of a block only its first and last place: what lies between is indented alone."""
    from voltfix.model import Span, WrapStatements

    if isinstance(edit, EnsureImport):
        return []
    if isinstance(edit, WrapStatements):
        return [Span(edit.first.start, edit.first.start), Span(edit.last.end, edit.last.end)]
    return list(spans(edit))  # type: ignore[arg-type]


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
    from voltfix.analysis.names import Project as Names
    from voltfix.analysis.sites import find

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
