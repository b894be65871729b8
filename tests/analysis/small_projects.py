"""Small projects for the tests of names and sites."""

from __future__ import annotations

import textwrap

from voltfix.flags.sites import find
from voltfix.model import Module
from voltfix.program.resolve import Project


def project(**files: str) -> Project:
    """A project of files: ``pkg__mod="..."`` is ``pkg/mod.py``; ``nb="..."`` keeps its text dedented."""
    return Project([Module(_path(name), textwrap.dedent(text)) for name, text in files.items()])


def _path(name: str) -> str:
    if name == "init":
        return "__init__.py"
    parts = name.split("__")
    if parts[-1] == "init":
        parts[-1] = "__init__"
    return "/".join(parts) + ".py"


def listed(code: Project) -> list[str]:
    """The sites of a project as ``path:line code text``."""
    rows = []
    for site in find(code):
        text = code.modules[site.path].text
        line = text.count("\n", 0, site.span.start) + 1
        shown = " ".join(text[site.span.start : site.span.end].split())
        rows.append(f"{site.path}:{line} {site.kind.value} {shown}")
    return rows


def sites(text: str, **files: str) -> list[str]:
    """The sites of ``main.py`` with other files beside it, as ``line code text``; those of the others with a path."""
    rows = listed(project(main=text, **files))
    return [row.removeprefix("main.py:") for row in rows]
