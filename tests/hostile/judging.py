"""What holds of every rewrite, whatever came in: said once, used by all tests of this folder."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from voltfix import core
from voltfix.flags import sites
from voltfix.model import FileError, Options, Result
from voltfix.pipeline.loading import load_project
from voltfix.program import resolve
from voltfix.sources import load

ASKED = "VOLTFIX_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("VOLTFIX_EXAMPLES", "300"))


sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
fuzz = importlib.import_module("fuzz")
measuring = importlib.import_module("bytes")


def judged(files: dict[str, bytes], options: Options | None = None, *, taken_back: bool = False) -> Result:
    """Migrate ``files`` and check what has to hold of any result; returns it for what else is to be said.

    ``taken_back``: the guard may have taken edits back (reason ``internal-error``), as it does in nonsense.
    """
    options = options or Options()
    result = core.migrate(files, options)
    assert not [error for error in result.errors if error.kind == "internal"], result.errors
    if not taken_back:
        assert not [site for site in result.sites if site.reason == "internal-error"], result.sites
    check_rows(files, options, result)
    for path, after in result.outputs.items():
        assert not isinstance(load(path, after), FileError), "the result cannot be read"
        spoken = measuring.spoken_lines(load_project(files, options), result, path)
        beyond = [line for kind, line in measuring.compared(files[path], after, spoken) if kind == "beyond"]
        assert beyond == [], "lines changed that no edit speaks of"
    again = core.migrate({**files, **result.outputs}, options)
    assert again.outputs == {}, "a second pass found something to do"
    return result


def check_rows(files: dict[str, bytes], options: Options, result: Result) -> None:
    """Every site that is there, found without any analysis, ended in a row."""
    project = load_project(files, options)
    there = {
        project.locate(site.path, site.span)[:2]
        for site in sites.find(resolve.Project(project.modules))
        if project.editable(project.file_of(site.path))
    }
    rows = {(row.path, (row.line, row.column, row.cell)) for row in result.sites}
    assert there <= rows, there - rows
