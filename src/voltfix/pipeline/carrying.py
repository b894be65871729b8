"""Carrying a plan out: all edits of a module at once, from its original text.

What cannot be done is named by change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from voltfix.model import Change, Edit
from voltfix.pipeline.loading import Project
from voltfix.records import dataclass

Works = Callable[[Sequence[str]], bool]


@dataclass
class Carried:
    """New texts by module path, and the changes that failed (id → reason and message)."""

    texts: dict[str, str] = field(default_factory=dict)
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)


def carry_out(project: Project, changes: Sequence[Change]) -> Carried:
    """Edit every module that the changes touch; where that fails, find out which change is to blame."""
    from voltfix.edit import EditError

    carried = Carried()
    for path, by_change in edits_by_module(changes).items():
        blocked = [name for name in by_change if not project.editable(project.file_of(path))]
        if blocked:
            reason = ("outside-paths", f"needs an edit in {path}, which is not among the paths given")
            carried.failures.update(dict.fromkeys(blocked, reason))
            continue
        try:
            carried.texts[path] = _made(project, path, _flat(by_change))
        except EditError as error:
            reason = ("internal-error", f"the edit cannot be carried out ({error}); please report this")
            carried.failures.update(dict.fromkeys(_culprits(project, path, by_change), reason))
    return carried


def _made(project: Project, path: str, edits: Sequence[Edit]) -> str:
    """The new text of a module; EditError where it cannot be made, or not be written in the file's encoding."""
    from voltfix.edit import EditError, apply

    text = apply(project.module(path), edits)
    if not project.writable(path, text):
        raise EditError("the file's encoding lacks a character")
    return text


def _culprits(project: Project, path: str, by_change: Mapping[str, tuple[Edit, ...]]) -> list[str]:
    """The changes without which the others can be carried out."""
    from voltfix.edit import EditError

    def works(names: Sequence[str]) -> bool:
        try:
            _made(project, path, _flat({name: by_change[name] for name in names}))
        except EditError:
            return False
        return True

    return blame(works, list(by_change))


def edits_by_module(changes: Sequence[Change]) -> dict[str, dict[str, tuple[Edit, ...]]]:
    """Module path → change id → edits."""
    found: dict[str, dict[str, tuple[Edit, ...]]] = {}
    for change in changes:
        for path, edits in change.edits:
            if edits:
                found.setdefault(path, {})[change.id] = found.get(path, {}).get(change.id, ()) + tuple(edits)
    return found


def _flat(by_change: Mapping[str, Sequence[Edit]]) -> list[Edit]:
    return [edit for edits in by_change.values() for edit in edits]


def blame(works: Works, names: Sequence[str]) -> list[str]:
    """A set of ``names`` whose absence makes ``works`` answer True for the rest.

    One by one, then joined up in turn.
    """
    good: list[str] = []
    bad: list[str] = []
    for name in names:
        (good if works([*good, name]) else bad).append(name)
    return bad
