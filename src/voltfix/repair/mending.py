"""From what a run told to what may help: symptoms are asked about each place, and their edits are tried on the text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property

from voltfix.edit import EditError, apply
from voltfix.edit.guard import check
from voltfix.model import Options
from voltfix.modernize.scene import Scene
from voltfix.pipeline.loading import load_project
from voltfix.repair.observed import Event, Frame
from voltfix.repair.place import Mend, Place
from voltfix.repair.registry import SYMPTOMS
from voltfix.repair.similar import widened
from voltfix.repair.symptoms.syntax import mended
from voltfix.sources.notebook import NotebookDocument


class Work:
    """The project's files at one moment, ``root`` is where they lie."""

    def __init__(self, root: str, files: Mapping[str, bytes]) -> None:
        self.root, self.files = root, dict(files)
        self.options = Options(modernize=True)

    @cached_property
    def project(self):  # type: ignore[no-untyped-def]
        """The documents."""
        return load_project(self.files, self.options)

    @cached_property
    def scene(self) -> Scene:
        """The modules under the eyes of rules."""
        return Scene(self.project.modules, self.options)

    def text_of(self, path: str) -> bytes:
        """The text that frames speak of: that of a file, or of a notebook's cells one after the other."""
        if path.endswith(".ipynb") and path in self.project.documents:
            return "".join(module.text for module in self.project.documents[path].modules).encode()
        return self.files[path]

    def path_of(self, file: str) -> str | None:
        """The module of a file, as reports call it; None if it is not the project's."""
        path = os.path.relpath(file, self.root).replace(os.sep, "/")
        return path if path in self.files else None

    def mends(self, event: Event) -> Iterator[Mend]:
        """Everything that may help, the likeliest first."""
        if event.syntax is not None:
            yield from self._of_syntax(event)
            return
        for symptom in SYMPTOMS:
            match = symptom.matches(event)
            if match is None:
                continue
            frames = list(reversed(event.frames))
            for frame in frames if symptom.outward else frames[:1]:
                place = self._place(frame, event)
                if place is not None:
                    for mend in symptom.mend(place, match):
                        yield widened(self.scene, mend)

    def _place(self, frame: Frame, event: Event) -> Place | None:
        path = self.path_of(frame.file)
        known = path is not None and path in self.scene.project.modules
        return Place(self.scene, path, frame, event) if known and path is not None else None

    def _of_syntax(self, event: Event) -> Iterator[Mend]:
        assert event.syntax is not None
        path = self.path_of(os.path.realpath(str(event.syntax.get("file") or "")))
        if path is None:
            return
        document = self.project.documents.get(path)
        if isinstance(document, NotebookDocument):
            yield from self._of_cells(path, document, event)
            return
        text = self.files[path].decode("utf-8", "surrogateescape")
        for code, told, made in mended(text):
            data = made.encode("utf-8", "surrogateescape")
            where = f"{path}:{event.syntax.get('line')}"
            yield Mend(code, told, event.head, where, files=((path, data),), path=path)

    def _of_cells(self, path: str, document: NotebookDocument, event: Event) -> Iterator[Mend]:
        """Every cell of a notebook in the words of Python 3."""
        made = {}
        for index, cell in enumerate(document.cells):
            for code, told, new in mended(cell.source):
                made[index] = (code, told, new)
        if made:
            data = document.written({index: new for index, (_, _, new) in made.items()})
            code, told, _ = next(iter(made.values()))
            yield Mend(code, told, event.head, path, files=((path, data),), path=path)

    def carried(self, mend: Mend) -> dict[str, bytes] | None:
        """The files that the mend makes anew; None where it cannot be carried out, or changes nothing."""
        if mend.files:
            return {path: data for path, data in mend.files if self.files[path] != data} or None
        texts: dict[str, str] = {}
        for path, edits in mend.edits:
            module = self.project.module(path)
            try:
                text = apply(module, list(dict.fromkeys(edits)))
            except EditError:
                return None
            if check(module.text, text, edits) or not self.project.writable(path, text):
                return None
            texts[path] = text
        return self.project.render(texts) or None
