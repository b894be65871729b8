"""Whether files that are about to be rewritten can be had back from git: said once, and no reason to stop.

Files are compared with the blobs of HEAD by their hashes. ``git status`` would run the filters and monitors that the
repository's own configuration names.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from voltfix.writes import Write

_PATIENCE = 10.0  # seconds: what it would say is worth no more


def note(root: str, group: Sequence[Write]) -> list[str]:
    """The files of a project that git has no copy of as they are; none where ``root`` is in no repository."""
    if not any(os.path.exists(os.path.join(folder, ".git")) for folder in _above(root)):
        return []
    from voltfix.batch.git import attempt
    from voltfix.batch.model import BatchError

    names = [os.path.relpath(item.path, root) for item in group]
    try:
        done = attempt(root, "ls-tree", "-z", "HEAD", "--", *names, seconds=_PATIENCE)
    except BatchError:
        return []
    if done.returncode:
        return []
    known = {}
    for entry in filter(None, done.stdout.split(b"\0")):
        about, _, name = entry.partition(b"\t")
        known[os.fsdecode(name)] = about.split()[2].decode("ascii")
    return [item.path for item, name in zip(group, names, strict=True) if not _is(known.get(name), item.before)]


def _is(blob: str | None, data: bytes) -> bool:
    if blob is None:
        return False
    kind = hashlib.sha1 if len(blob) == 40 else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data).hexdigest() == blob


def _above(folder: str) -> list[str]:
    found = [folder]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found
