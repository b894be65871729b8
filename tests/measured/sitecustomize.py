"""Branch coverage where coverage does not come by itself (docs/contributing.md); on the path only when it is measured.

Processes that are started with an environment of their own are measured, too. What runs in the sandbox cannot write
a file: it leaves what was seen in memory that it shares with the process that forked it, which takes it over.
"""

from __future__ import annotations

import atexit
import mmap
import os
import pickle
import posix
import subprocess
from pathlib import Path
from typing import Any, NoReturn

SIZE = 4 << 20  # more than any child has left; memory that is not written to is not used
NAMES = ("COVERAGE_PROCESS_CONFIG",)


def inherit() -> None:
    """Let every process that this one starts be measured."""
    start = subprocess.Popen.__init__

    def started(self: Any, *arguments: Any, env: Any = None, **others: Any) -> None:
        if env is not None:
            own = {name: os.environ[name] for name in NAMES if name in os.environ}
            # last, for the path may hold a sitecustomize that has to be found
            path = [*filter(None, [env.get("PYTHONPATH")]), str(Path(__file__).parent)]
            env = {**env, **own, "PYTHONPATH": os.pathsep.join(path)}
        start(self, *arguments, env=env, **others)

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]


class Shared:
    """Memory that is made before each fork, and read when the child has had its time."""

    def __init__(self) -> None:
        self.pages: list[mmap.mmap] = []

    def before(self) -> None:
        self.pages.append(mmap.mmap(-1, SIZE))

    def child(self) -> None:
        page, leave = self.pages[-1], os._exit
        self.pages.clear()

        def left(status: int) -> NoReturn:
            if os.environ:  # not in the sandbox: coverage writes its file
                leave(status)
            seen = collector()
            if seen is not None:
                pickle.dump({name: set(arcs) for name, arcs in seen.data.items()}, page)
            posix._exit(status)

        os._exit = left  # type: ignore[assignment]

    def take(self) -> None:
        seen = collector()
        for page in self.pages:
            if page[:1] != b"\0" and seen is not None:
                page.seek(0)
                for name, arcs in pickle.load(page).items():
                    seen.data.setdefault(name, set()).update(arcs)
        self.pages.clear()


def collector() -> Any:
    from coverage import Coverage

    current = Coverage.current()
    return current._collector if current is not None else None


if "COVERAGE_PROCESS_CONFIG" in os.environ:  # coverage has begun
    inherit()
    shared = Shared()
    os.register_at_fork(before=shared.before, after_in_child=shared.child)
    atexit.register(shared.take)  # coverage saves after this: it was registered first
