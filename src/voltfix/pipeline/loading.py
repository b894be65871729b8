"""A project in memory: its documents, their modules, and the way from texts back to bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from voltfix.discovery.hits import is_hit
from voltfix.model import FileError, Module, Options, Span
from voltfix.pipeline.suppression import Suppressed, skips_file

if TYPE_CHECKING:
    from voltfix.sources import Document

Place = tuple[int, int, int | None]  # line, column, cell


class Project:
    """Documents by file, modules by path; ``errors`` holds the files that could not be read as Python."""

    def __init__(self, files: Mapping[str, bytes], options: Options) -> None:
        self.files = files
        self.documents: dict[str, Document] = {}
        self.modules: list[Module] = []
        self.errors: list[FileError] = []
        self._options = options
        self._owner: dict[str, tuple[str, int]] = {}

    def add(self, path: str, document: Document) -> None:
        """Take a document's modules into the project."""
        self.documents[path] = document
        for index, module in enumerate(document.modules):
            self._owner[module.path] = (path, index)
            self.modules.append(module)

    def editable(self, path: str) -> bool:
        """Whether the file may be rewritten; the others are there to be read."""
        return self._options.editable is None or path in self._options.editable

    def module(self, path: str) -> Module:
        """The module of that path."""
        file, index = self._owner[path]
        return self.documents[file].modules[index]

    def line(self, path: str, offset: int) -> str:
        """The line around an offset, without its indentation: what a place is known by after edits around it."""
        text = self.module(path).text
        end = text.find("\n", offset)
        return text[text.rfind("\n", 0, offset) + 1 : len(text) if end < 0 else end].strip()

    def file_of(self, path: str) -> str:
        """The file that a module stands in."""
        return self._owner[path][0]

    def locate(self, path: str, span: Span) -> tuple[str, Place, Place]:
        """A span of a module as file, start and end."""
        file, index = self._owner[path]
        document = self.documents[file]
        return file, document.locate(index, span.start), document.locate(index, span.end)

    def suppressed(self, path: str) -> Suppressed:
        """The sites of a module that a comment wants left alone."""
        file, index = self._owner[path]
        head = self.files[file][:4096].decode("utf-8", "replace")
        return Suppressed(self.documents[file].modules[index], whole_file=skips_file(head))

    def writable(self, path: str, text: str) -> bool:
        """Has the file's encoding all that a module's new text holds?

        An edit may spell a name as Python does (NFKC), and so with a letter that is not in Latin-1.
        """
        file, index = self._owner[path]
        try:
            self.documents[file].render({index: text})
        except UnicodeEncodeError:
            return False
        return True

    def render(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """New bytes of the files whose modules have new text, for those that really differ."""
        by_file: dict[str, dict[int, str]] = {}
        for path, text in texts.items():
            file, index = self._owner[path]
            by_file.setdefault(file, {})[index] = text
        rendered = {file: self.documents[file].render(new) for file, new in by_file.items()}
        return {file: data for file, data in rendered.items() if data != self.files[file]}


# The documents of the project that was loaded last: the pipeline loads one again and again, with a few files changed.
_latest: dict[str, tuple[bytes, Document | FileError]] = {}


def _loaded(files: Mapping[str, bytes]) -> dict[str, tuple[bytes, Document | FileError]]:
    global _latest
    from voltfix.sources import load
    from voltfix.sources.syntax import forget

    forget()  # what nobody claimed so far nobody will
    before, _latest = _latest, {}
    known = {path: before[path] for path, data in files.items() if path in before and before[path][0] == data}
    before = {}  # those of another project need not wait for the end of this one
    for path, data in files.items():
        if path not in known:
            known[path] = (data, load(path, data))
    _latest = known
    return known


def forget() -> None:
    """Let go of the documents of the last project, and of the trees that nobody claimed."""
    global _latest
    from voltfix.sources import syntax

    _latest = {}
    syntax.forget()


def load_project(files: Mapping[str, bytes], options: Options) -> Project:
    """Read every file; one that is no Python is an error if it is editable and could hold a site."""
    project = Project(files, options)
    documents = _loaded(files)
    for path, data in files.items():
        loaded = documents[path][1]
        if not isinstance(loaded, FileError):
            project.add(path, loaded)
        elif project.editable(path) and is_hit(data, path, modernize=options.modernize):
            project.errors.append(loaded)
    return project
