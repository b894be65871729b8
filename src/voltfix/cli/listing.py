"""``--list-sites``: where the sites are, counted without any analysis of what they do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from voltfix import __version__
from voltfix.cli.request import Request
from voltfix.cli.show import show
from voltfix.discovery.projects import Job
from voltfix.model import FileError, Options
from voltfix.pipeline.loading import load_project
from voltfix.report.escape import decodable
from voltfix.report.text import error_line, place


def list_sites(request: Request, todo: Sequence[Job], errors: list[FileError]) -> int:
    """Print the sites of the editable files; 2 if a file could not be read, else 0."""
    rows: list[dict[str, Any]] = []
    for job in todo:
        found, broken = _sites(job)
        rows += found
        errors += broken
    if request.output_format == "json":
        listed = [
            {"path": decodable(e.path), "line": e.line, "kind": e.kind, "message": e.message} for e in errors
        ]
        text = (
            json.dumps({"schema": 1, "voltfix": __version__, "sites": rows, "errors": listed}, indent=1)
            + "\n"
        )
        show(text, to_stderr=False)
    else:
        show("".join(f"{_text(row)}\n" for row in rows), to_stderr=False)
        show("".join(f"{error_line(error)}\n" for error in errors), to_stderr=True)
    return 2 if errors else 0


def _text(row: dict[str, Any]) -> str:
    return f"{place(row['path'], row['line'], row['column'], row['cell'])}: {row['code']}"


def _sites(job: Job) -> tuple[list[dict[str, Any]], list[FileError]]:
    from voltfix.flags.sites import find
    from voltfix.program.resolve import Project

    project = load_project(job.files, Options(editable=job.editable))
    rows = []
    for site in find(Project(project.modules)):
        path, (line, column, cell), (end_line, end_column, _) = project.locate(site.path, site.span)
        if path in job.shown:
            rows.append({
                "path": decodable(job.shown[path]), "line": line, "column": column, "end_line": end_line,
                "end_column": end_column, "cell": cell, "code": site.kind.value,
            })  # fmt: skip
    rows.sort(key=lambda row: (row["path"], row["cell"] or 0, row["line"], row["column"]))
    return rows, [FileError(job.shown.get(e.path, e.path), e.line, e.kind, e.message) for e in project.errors]
