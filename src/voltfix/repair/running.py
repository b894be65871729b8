"""Runs the command, as the user and without a sandbox, and gathers what the observer in it wrote down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from voltfix.records import dataclass
from voltfix.repair.observed import Event, Run, events_of

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child")
_TAIL = 4000


@dataclass(frozen=True)
class Command:
    """What is run, where, and which folders are the project's."""

    words: tuple[str, ...]
    folder: str
    roots: tuple[str, ...]
    seconds: float | None = None
    quiet: bool = False

    def run(self, *, anomaly: bool = False) -> Run:
        """Run it once. ``anomaly``: autograd says where what a backward needs was made."""
        with tempfile.TemporaryDirectory(prefix="voltfix-") as folder:
            started = time.monotonic()
            code, tail = self._carried_out(_environment(folder, self.roots, anomaly=anomaly))
            events = _read(folder)
        stops = [event for event in events if event.kind == "exception"]
        notices = [event for event in events if event.kind != "exception"]
        # what a kernel raised, before what the program that drives it says of that
        stops.sort(key=lambda event: (bool(event.frames or event.syntax), event.time), reverse=True)
        return Run(code, tuple(stops), tuple(notices), time.monotonic() - started, tail)

    def _carried_out(self, environment: Mapping[str, str]) -> tuple[int | None, str]:
        with tempfile.TemporaryFile() as told:
            try:
                process = subprocess.Popen(
                    self.words, cwd=self.folder, env=environment, stdout=told, stderr=subprocess.STDOUT,
                    stdin=_input(), start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise StartError(f"{self.words[0]}: cannot be started ({error.strerror})") from None
            try:
                code: int | None = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process)
            told.seek(0, os.SEEK_END)
            told.seek(max(0, told.tell() - _TAIL))
            tail = told.read().decode("utf-8", "replace")
        if not self.quiet and code != 0:
            sys.stderr.flush()
        return code, tail


def _input() -> int | None:
    """The terminal, where there is one: programs ask how wide it is. A file or pipe could be read only once."""
    return None if os.isatty(0) else subprocess.DEVNULL


class StartError(Exception):
    """The command is not there, or may not be run."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing that the command started goes on after it was stopped."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()


def _environment(folder: str, roots: Sequence[str], *, anomaly: bool) -> dict[str, str]:
    given = dict(os.environ)
    settings = {"out": folder, "roots": list(roots), "anomaly": anomaly}
    given["VOLTFIX_OBSERVE"] = json.dumps(settings)
    given["PYTHONPATH"] = os.pathsep.join([CHILD, *filter(None, [given.get("PYTHONPATH")])])
    given["PYTEST_PLUGINS"] = ",".join(["voltfix_pytest", *filter(None, [given.get("PYTEST_PLUGINS")])])
    given["PYTHONDONTWRITEBYTECODE"] = "1"  # a file that is mended twice in a second would be taken for the old one
    return given


def _read(folder: str) -> list[Event]:
    found: list[Event] = []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            found += events_of(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, OSError):
            continue
    return found
