"""What the verifier said of candidates before: a run that comes by the same texts again does not ask again.

One file a verdict in the user's cache folder, by a hash of all that the verdict hangs on: both texts, the functions,
the device, voltfix and the version of torch. What cannot be read is asked again; what cannot be written is forgotten.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from functools import cached_property
from importlib import metadata
from typing import Any, cast

from voltfix.model import DeviceVerdict, Verification
from voltfix.verify.plan import VERDICTS, Item, places_from_json, texts_from_json
from voltfix.version import __version__

MOST = 20_000  # verdicts, some 300 bytes each; the oldest go first
_LARGEST = 100_000  # bytes of one
# what ended because the machine was busy, or was not there, is no property of the texts
_PASSING = (
    "ran longer than", "did not answer", "the runner", "its process", "no verdict came", "torch", "sandbox", "memory",
)  # fmt: skip


class Memory:
    """Verdicts by content; ``folder`` None: for the life of the process alone."""

    def __init__(self, folder: str | None, device: str = "auto") -> None:
        self.folder, self.device = folder, device
        self._known: dict[str, Verification] = {}

    @cached_property
    def _of(self) -> list[str]:
        return [__version__, _torch(), self.device]

    def name(self, item: Item) -> str:
        """What an item's verdict hangs on, as a hash."""
        row = {**item.to_json(), "id": ""}
        return hashlib.sha256(json.dumps([*self._of, row], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()

    def get(self, name: str) -> Verification | None:
        """The verdict under a name."""
        if name not in self._known and self.folder is not None:
            path = os.path.join(self.folder, name[:2], name)
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError), open(path, "rb") as file:
                self._known[name] = _read(json.loads(file.read(_LARGEST)))
        return self._known.get(name)

    def put(self, name: str, verdict: Verification) -> None:
        """Keep a verdict, unless it says more of the machine than of the texts."""
        if verdict.cpu == "not-run" and any(word in (verdict.detail or "") for word in _PASSING):
            return
        self._known[name] = verdict
        if self.folder is None:
            return
        row = {"tier": verdict.tier, "cpu": verdict.cpu, "cuda": verdict.cuda, "detail": verdict.detail,
               "runs": verdict.runs, "through": verdict.through, "fails": verdict.fails,
               "lent": verdict.lent, "alone": verdict.alone, "vacant": verdict.vacant, "dark": verdict.dark,
               "grown": verdict.grown,
               "lit": None if verdict.lit is None else [(*loses, *run) for loses, run in verdict.lit]}
        with contextlib.suppress(OSError):
            os.makedirs(os.path.join(self.folder, name[:2]), mode=0o700, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=os.path.join(self.folder, name[:2]))
            with os.fdopen(handle, "w") as file:
                json.dump(row, file)
            os.replace(draft, os.path.join(self.folder, name[:2], name))
            if name.startswith("00"):  # every two hundred and fifty-sixth time
                self._forget_oldest()

    def _forget_oldest(self) -> None:
        found = sorted(_files(self.folder or ""), reverse=True)
        for _, path in found[MOST:]:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _files(folder: str) -> Iterator[tuple[float, str]]:
    for name in os.listdir(folder):
        inner = os.path.join(folder, name)
        if len(name) == 2 and os.path.isdir(inner):
            for entry in os.scandir(inner):
                yield entry.stat(follow_symlinks=False).st_mtime, entry.path


def _read(row: Any) -> Verification:
    """A verdict as it was written. Raises for anything else."""
    tier, cpu, cuda, detail, runs = (row[name] for name in ("tier", "cpu", "cuda", "detail", "runs"))
    if tier not in ("symbolic", "concrete", None) or cpu not in VERDICTS or cuda not in VERDICTS:
        raise ValueError("no verdict")
    counts = (runs, row["through"], row["fails"])
    if not (detail is None or isinstance(detail, str)) or any(type(count) is not int for count in counts):
        raise ValueError("no verdict")
    if not isinstance(row["lent"], str) or not isinstance(row["alone"], str):
        raise ValueError("no verdict")
    if row["lit"] is not None and any(list(map(type, each)) != [str] * 4 for each in row["lit"]):
        raise ValueError("no verdict")
    devices = cast(DeviceVerdict, cpu), cast(DeviceVerdict, cuda)
    lit = None if row["lit"] is None else tuple(
        ((path, name), (other, run)) for path, name, other, run in row["lit"])
    return Verification(
        tier, *devices, detail, *counts, row["lent"], row["alone"], places_from_json(row["vacant"]), lit,
        places_from_json(row["dark"]), texts_from_json(row["grown"]))


def _torch() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def folder_of_user() -> str | None:
    """Where the user keeps what can be made again; None where that is said to be nowhere."""
    if os.environ.get("VOLTFIX_CACHE") == "":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("VOLTFIX_CACHE") or (os.path.join(base, "voltfix", "tried") if os.path.isabs(base) else None)
