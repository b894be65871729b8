"""What the server knows of a document: its project as on disk, with open documents as the editor has them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from voltfix.core import migrate
from voltfix.discovery.hits import is_hit, scan
from voltfix.discovery.projects import jobs
from voltfix.discovery.roots import marked_root
from voltfix.discovery.walk import walk
from voltfix.model import Change, FileError, Options, Result, SiteResult
from voltfix.pipeline.suggesting import Look
from voltfix.records import dataclass


@dataclass(frozen=True)
class View:
    """One document of a migrated project; ``key`` is its path relative to ``root``."""

    root: str
    key: str
    files: Mapping[str, bytes]
    result: Result
    look: Look | None

    @property
    def rows(self) -> list[SiteResult]:
        """The document's sites."""
        return [row for row in self.result.sites if row.path == self.key]

    @property
    def errors(self) -> list[FileError]:
        """What kept the document from being looked at."""
        return [error for error in self.result.errors if error.path == self.key]

    def changed(self, changes: list[Change]) -> dict[str, tuple[str, str]]:
        """Old and new text by absolute path, with these changes carried out."""
        outputs = self.look.outputs(changes) if self.look is not None else {}
        return {
            os.path.join(self.root, path): (_text(self.files[path]), _text(data))
            for path, data in outputs.items()
        }

    def suggested(self, row: SiteResult) -> dict[str, tuple[str, str]]:
        """The same for the patch that is suggested at a refusal."""
        found = self.look.suggestion(row) if self.look is not None else None
        return {
            os.path.join(self.root, path): (_text(self.files[path]), _text(data))
            for path, data in (found.outputs if found else {}).items()
        }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def view(path: str, open_documents: Mapping[str, str]) -> View | None:
    """Look at the document at ``path``; None where it holds no site."""
    path = os.path.abspath(path)
    texts = {os.path.abspath(name): text.encode("utf-8", "replace") for name, text in open_documents.items()}
    data = texts.get(path)
    if data is None or not is_hit(data, path):
        return None
    top = marked_root(
        os.path.dirname(path)
    )  # a folder without a mark may be anybody's, and as large as a disk
    hits = dict(scan(walk([top]).files).hits) if top is not None else {}
    hits.update({name: content for name, content in texts.items() if is_hit(content, name)})
    for job in jobs([top or path], [*hits], [*hits.items()]):
        key = os.path.relpath(path, job.root)
        if key in job.files:
            files = {
                name: texts.get(os.path.join(job.root, name), content) for name, content in job.files.items()
            }
            options = Options(editable=job.editable, installable=job.installable, importable=job.importable)
            result = migrate(files, options)
            return View(job.root, key, files, result, None if result.errors else Look(files, options, result))
    return None
