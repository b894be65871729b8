"""From hits to projects: what one call of the core is handed, and how its paths are called on the outside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from voltfix.discovery.context import Part, parts
from voltfix.discovery.roots import imported_from, installable, packaged, roots


class Job(NamedTuple):
    """One project. Keys of ``files`` are relative to ``root``, which is the folder above where ``top`` is a package.

    ``shown`` maps those that may be edited to display names; ``passing`` is for ``Options.passing``.
    """

    root: str
    files: dict[str, bytes]
    shown: dict[str, str]
    installable: bool
    passing: tuple[frozenset[str], ...] = ()
    importable: frozenset[str] | None = None
    top: str = ""

    def called(self, path: str) -> str:
        """How a file of the project is called, whether it may be edited or not; what is none is called as it is."""
        return self.shown.get(path) or (display(os.path.join(self.root, path)) if path in self.files else path)

    @property
    def editable(self) -> frozenset[str]:
        """The files that may be rewritten."""
        return frozenset(self.shown)


def jobs(paths: Sequence[str], files: Iterable[str], hits: Sequence[tuple[str, bytes]]) -> list[Job]:
    """The projects that the hits lie in. ``files`` are all that were asked for.

    Only those may be rewritten.
    """
    tops = roots(paths)
    asked = {os.path.abspath(path): path for path in files}
    by_root: dict[str, dict[str, bytes]] = {}
    for path, data in hits:
        absolute = os.path.abspath(path)
        by_root.setdefault(_root_within(absolute, tops), {})[absolute] = data
    return [job for root in sorted(by_root) for job in split(root, by_root[root], asked)]


def _root_within(path: str, tops: Sequence[str]) -> str:
    """The repository of a file: that with ``.git`` nearest to it, or the root that the paths gave."""
    folder = os.path.dirname(path)
    top = next((top for top in tops if _is_within(folder, top)), folder)
    while folder != top:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return top


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def split(root: str, hits: Mapping[str, bytes], asked: Mapping[str, str]) -> list[Job]:
    """The jobs of one project: one for each set of files that imports connect."""
    found = parts(root, hits)
    built = installable(root)
    return [
        _job(root, part, asked, not found.complete or (built and any(packaged(root, hit) for hit in part.hits)))
        for part in found.parts
    ]


def _job(root: str, part: Part, asked: Mapping[str, str], unseen: bool) -> Job:
    base = imported_from(root)
    start = len(base.rstrip("/")) + 1
    everything = {**part.around, **part.hits}
    files = {path[start:]: everything[path] for path in sorted(everything)}
    shown = {path[start:]: display(asked[path]) for path in everything if path in asked}
    passing = tuple(frozenset(path[start:] for path in group) for group in part.passing)
    importable = frozenset(path[start:] for path in everything if packaged(root, path)) if unseen else None
    return Job(base, files, shown, unseen, passing, importable, root)


def display(path: str) -> str:
    """How reports call a file: relative to the working directory where it lies in it, absolute elsewhere."""
    here = os.getcwd()
    absolute = os.path.abspath(path)
    return absolute[len(here.rstrip("/")) + 1 :] if _is_within(absolute, here) and absolute != here else absolute
