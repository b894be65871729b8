"""Programs that are repaired in this process: torch is loaded once, and the observer is the one that commands get."""

from __future__ import annotations

import runpy
import sys
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

from voltfix.repair.loop import Loop, Story
from voltfix.repair.observed import Run, events_of
from voltfix.repair.running import CHILD


class Watched:
    """Runs ``main.py`` of a folder, and tells of it as a command's observer does."""

    def __init__(self, folder: Path, monkeypatch: Any) -> None:
        self.folder = folder
        monkeypatch.syspath_prepend(CHILD)
        import voltfix_meanings
        import voltfix_observer

        self.observer, self.meanings = voltfix_observer, voltfix_meanings
        self.events: list[dict[str, Any]] = []
        monkeypatch.setitem(voltfix_observer._state, "roots", (str(folder.resolve()),))
        monkeypatch.setattr(
            voltfix_observer, "_write", lambda made: self.events.append({**made, "time": len(self.events)})
        )

    def run(self, anomaly: bool = False) -> Run:
        self.events.clear()
        self.observer._state["seen"] = set()
        self.observer._trees.clear()
        known = set(sys.modules)
        code = 0
        with self._noticing(anomaly), warnings.catch_warnings():
            warnings.simplefilter("always")
            sys.path.insert(0, str(self.folder))
            try:
                runpy.run_path(str(self.folder / "main.py"), run_name="__main__")
            except Exception as error:
                code = 1
                self.observer.note(error, "ended")
            finally:
                sys.path.remove(str(self.folder))
                for name in set(sys.modules) - known:
                    if getattr(sys.modules[name], "__file__", None) and str(self.folder) in str(
                        sys.modules[name].__file__
                    ):
                        del sys.modules[name]
        found = [event for made in self.events for event in events_of(made)]
        stops = sorted((e for e in found if e.kind == "exception"), key=lambda e: e.time, reverse=True)
        return Run(code, tuple(stops), tuple(e for e in found if e.kind != "exception"))

    @contextmanager
    def _noticing(self, anomaly: bool):
        import torch

        divide, shown = torch.Tensor.__truediv__, warnings._showwarnmsg  # type: ignore[attr-defined]
        hashed, told_so = torch.Tensor.__hash__, torch.Tensor.__repr__
        resized = torch.nn.functional.interpolate
        self.meanings._patch(torch, self.observer.meaning, False)
        told = self.observer._before(lambda message: None, self.observer._warned)
        warnings._showwarnmsg = told  # type: ignore[attr-defined]
        try:
            with torch.autograd.set_detect_anomaly(anomaly, check_nan=False) if anomaly else torch.enable_grad():
                yield
        finally:
            torch.Tensor.__truediv__ = divide
            torch.nn.functional.interpolate = resized
            torch.Tensor.__hash__, torch.Tensor.__repr__ = hashed, told_so
            warnings._showwarnmsg = shown  # type: ignore[attr-defined]

    def write(self, files: Mapping[str, bytes]) -> None:
        for path, data in files.items():
            (self.folder / path).write_bytes(data)


def repaired(folder: Path, monkeypatch: Any, source: str, most: int = 8, **others: str) -> tuple[Story, str]:
    """The story of a repair, and the text of ``main.py`` behind it."""
    files = {"main.py": dedent(source).encode()}
    files |= {f"{name}.py": dedent(text).encode() for name, text in others.items()}
    watched = Watched(folder, monkeypatch)
    watched.write(files)
    story = Loop(str(folder.resolve()), files, watched.run, watched.write, most).go()
    return story, (folder / "main.py").read_text()
