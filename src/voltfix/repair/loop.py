"""The loop: run, mend, run again, until the command ends as it should or nothing known is left."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

from voltfix.model import Edit
from voltfix.records import dataclass
from voltfix.repair.mending import Work
from voltfix.repair.observed import Event, Run
from voltfix.repair.place import Mend
from voltfix.repair.similar import places, suggested
from voltfix.sources.alignment import opcodes

Ending = Literal["runs", "stops", "limit", "circle", "time", "crash"]


@dataclass(frozen=True)
class Step:
    """One mend that was tried: whether it stands, and what it did to the files."""

    mend: Mend
    stop: str  # what the run before ended with
    kept: bool
    files: Mapping[str, tuple[bytes, bytes]]  # before, after
    alike: tuple[tuple[str, int, str], ...] = ()


def mended_at(mend: Mend, files: Mapping[str, tuple[bytes, bytes]]) -> str:
    """The line that a mend changes, and where the run stopped if that is another one: ``a.py:5 (stopped at
    a.py:9)``."""
    path, (before, after) = min(files.items(), key=lambda item: (item[0] != mend.path, item[0]))
    if path.endswith(".ipynb"):  # its lines are those of its cells
        return mend.place
    olds, news = (data.decode("utf-8", "surrogateescape").split("\n") for data in (before, after))
    changed = [part for part in opcodes(olds, news) if part[0] != "equal"]
    touched = {f"{path}:{line + 1}" for _, start, end, _, _ in changed for line in range(start, max(end, start + 1))}
    if mend.place in touched or not changed:
        return mend.place
    return f"{path}:{changed[-1][3] + 1} (stopped at {mend.place})"  # an import that it needs stands above


@dataclass
class Story:
    """What came of it."""

    ending: Ending = "stops"
    runs: int = 0
    steps: list[Step] = field(default_factory=list)
    last: Run | None = None
    stop: Event | None = None
    told: str = ""


class Loop:
    """``run(anomaly)`` runs the command on what ``write`` last wrote."""

    def __init__(
        self,
        root: str,
        files: Mapping[str, bytes],
        run: Callable[[bool], Run],
        write: Callable[[Mapping[str, bytes]], None],
        most: int = 20,
        notify: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.work = Work(root, files)
        self._run, self._write, self.most, self._notify = run, write, most, notify
        self.story = Story()
        self._seen = {_digest(files)}
        self._tried: set[tuple[str, str]] = set()

    def go(self, first: Run | None = None) -> Story:
        """Mend until nothing is left to mend. ``first``: a run of the files as they are."""
        story = self.story
        run = first if first is not None else self.once()
        while True:
            story.last = run
            if self.is_content(run):
                story.ending, story.stop = "runs", None
                return story
            if self._withdraws(run):
                if story.runs >= self.most:
                    story.ending, story.told = "limit", f"the limit of {self.most} runs was reached"
                    return story
                run = self.once()
                continue
            chosen = self._choose(run)
            if chosen is None:
                return self._ended(run)
            if story.runs >= self.most:
                story.ending = "runs" if run.ended_well else "limit"
                story.told = f"the limit of {self.most} runs was reached"
                return story
            event, mend, made = chosen
            state = _digest({**self.work.files, **made})
            if state in self._seen:
                story.ending = "runs" if run.ended_well else "circle"
                story.stop, story.told = (
                    event,
                    f"{mend.told} ({mend.place}) would undo what was mended before: two repairs turn in a circle",
                )
                return story
            run = self._tried_out(run, event, mend, made)

    def is_content(self, run: Run) -> bool:
        """Whether a run ended as it should, with nothing on the way that is a symptom."""
        return run.ended_well and not any(self._of(notice) for notice in run.notices)

    def renew(self, files: Mapping[str, bytes]) -> None:
        """Go on with files that somebody else has changed."""
        self.work = Work(self.work.root, files)
        self._seen.add(_digest(files))

    def _tried_out(self, before: Run, event: Event, mend: Mend, made: dict[str, bytes]) -> Run:
        """Run with the mend; where that is no better, the files are what they were, and so is the run."""
        old = self.work
        alike = tuple(places(old.scene, mend)) if mend.edits else ()
        changed = {path: (old.files[path], data) for path, data in made.items()}
        self._put({**old.files, **made}, made)
        self._notify(f"{mended_at(mend, changed)}: {mend.told} [{mend.code}]")
        run = self.once()
        texts = {path: (old.text_of(path), self.work.text_of(path)) for path in changed}
        kept = _is_better(before, event, run, texts, old.root)
        self._tried.add(_key(event, mend))
        self.story.steps.append(Step(mend, event.head, kept, changed, alike))
        if kept:
            self._seen.add(_digest(self.work.files))
            return run
        self._notify(f"{mended_at(mend, changed)}: taken back, it made things no better")
        self._put(old.files, {path: pair[0] for path, pair in changed.items()})
        return before

    def _withdraws(self, run: Run) -> bool:
        """Take a repair back that was kept, and at whose own operation the command stops by now: it was one for some
        of the values that come by."""
        event = run.stops[0] if run.stops and not run.ended_well else None
        if event is None or not event.frames or not _refuses(event) or self._of(event) is not None:
            return False
        path = self.work.path_of(event.frames[-1].file)
        if path is None or path.endswith(".ipynb"):
            return False
        for number, step in reversed(list(enumerate(self.story.steps))):
            if not step.kept or not step.mend.edits or path not in step.files:
                continue
            later = any(path in other.files for other in self.story.steps[number + 1 :] if other.kept)
            old = _undone(step.files[path], self.work.files[path], event, later)
            if old is None or len(step.files) != 1:
                continue
            self._put({**self.work.files, path: old}, {path: old})
            self.story.steps[number] = replace(step, kept=False)
            self._notify(f"{mended_at(step.mend, step.files)}: taken back, it stops there at other values")
            return True
        return False

    def widen(self) -> None:
        """Write the kept mends at the places of their shape, too; all of them are taken back where it runs no more."""
        for step in [step for step in self.story.steps if step.kept and step.alike]:
            edits: dict[str, list[Edit]] = {}
            for path, edit in suggested(self.work.scene, step.mend):
                edits.setdefault(path, []).append(edit)
            mend = replace(step.mend, edits=tuple((path, tuple(found)) for path, found in edits.items()), node=None,
                           told=f"{step.mend.told} (suggested: of the same shape)")  # fmt: skip
            made = self.work.carried(mend) if edits else None
            if made is None:
                continue
            old = self.work
            changed = {path: (old.files[path], data) for path, data in made.items()}
            self._put({**old.files, **made}, made)
            kept = self.once().ended_well
            self.story.steps.append(Step(mend, "the same shape", kept, changed))
            if not kept:
                self._put(old.files, {path: pair[0] for path, pair in changed.items()})

    def _put(self, files: Mapping[str, bytes], changed: Mapping[str, bytes]) -> None:
        self._write(changed)
        self.work = Work(self.work.root, files)

    def once(self) -> Run:
        """Run the command as the files are now."""
        return self._started(anomaly=False)

    def _started(self, *, anomaly: bool) -> Run:
        self.story.runs += 1
        within = f" of at most {self.most}" if self.story.runs <= self.most else ""
        self._notify(f"run {self.story.runs}{within} ...")
        return self._placed(self._run(anomaly))

    def _placed(self, run: Run) -> Run:
        from voltfix.repair.cells import placed

        return placed(run, self.work.project, self.work.root)

    def _choose(self, run: Run) -> tuple[Event, Mend, dict[str, bytes]] | None:
        events = list(run.notices) if run.ended_well else [*self._stops(run), *run.notices]
        for event in events:
            found = self._of(event)
            if found is not None:
                return event, *found
        return None

    def _stops(self, run: Run) -> Iterator[Event]:
        """Exceptions, the last first; of a tensor that was overwritten, also where it was made."""
        for event in run.stops:
            yield event
            if "tensor(" in event.message:  # the text of a tensor, which somebody made before
                for trace in run.notices:
                    if trace.type == "text-of-an-element":
                        yield replace(event, frames=trace.frames)
            if "modified by an inplace operation" in event.message and self._of(event) is None:
                for notice in self._started(anomaly=True).notices:
                    if "Traceback of forward call" in notice.message:
                        yield from _forward(notice, event, self.work)

    def _of(self, event: Event) -> tuple[Mend, dict[str, bytes]] | None:
        """The first mend of an event that was not tried and can be carried out."""
        for mend in self.work.mends(event):
            if _key(event, mend) not in self._tried:
                made = self.work.carried(mend)
                if made is not None:
                    return mend, made
        return None

    def _ended(self, run: Run) -> Story:
        story = self.story
        if run.ended_well:
            story.ending = "runs"
        elif run.code is None:
            story.ending, story.told = "time", "the time limit was reached"
        else:
            story.ending = "stops" if run.stops else "crash"
        story.stop = next(iter(run.stops), None)
        return story


def _forward(notice: Event, stop: Event, work: Work) -> Iterator[Event]:
    """The place that anomaly mode names, as a frame of the exception."""
    from voltfix.repair.observed import Frame

    for file, line, function in reversed(re.findall(r'File "([^"]+)", line (\d+), in (\S+)', notice.message)):
        if work.path_of(file) is not None:
            yield replace(stop, frames=(Frame(file, int(line), function, None),))
            return


def _key(event: Event, mend: Mend) -> tuple[str, str]:
    frame = event.frames[-1] if event.frames else None
    place = f"{frame.file}:{frame.function}" if frame is not None else ""
    return f"{event.type}{place}", f"{mend.place}{mend.code}{mend.edits}{[path for path, _ in mend.files]}"


def _is_better(before: Run, event: Event, after: Run, changed: Mapping[str, tuple[bytes, bytes]], root: str) -> bool:
    """Does the command get further? It stops neither as it did nor at what was just written."""
    if after.ended_well:
        return True
    if before.ended_well:  # a notice was mended, and now it stops
        return False
    if after.code is None:
        return before.code is None
    if not after.stops:
        return not before.stops
    new = after.stops[0]
    if event.kind != "exception":  # it stopped elsewhere before; it does not stop here now
        touched = _touched(changed, root, new.frames[-1].file) if new.frames else None
        return touched is None or new.frames[-1].line not in touched
    if event.syntax is not None:
        return not (new.syntax is not None and new.syntax.get("file") == event.syntax.get("file"))
    if not new.frames or not event.frames:
        return new.head != event.head
    here, there = new.frames[-1], event.frames[-1]
    again = _same(new, event) and here.file == there.file and here.function == there.function
    touched = _touched(changed, root, here.file)
    if touched is None:
        return not (again and here.line == there.line)
    if here.line not in touched:
        return not (again and here.line == there.line and here.position == there.position)
    start, end = touched[here.line]
    if here.position is None or here.position[0] != here.position[2]:
        return not again
    # what ends inside of what was written is what was written, or a part of it
    ours = _refuses(new) and start < here.position[3] <= end and not _stood_there(new, changed)
    overlap = here.position[1] < end and here.position[3] > start
    return not ours and not (again and overlap)


def _refuses(event: Event) -> bool:
    """Whether an operation itself does not take what it is given, rather than something that it called."""
    if event.type in ("RuntimeError", "IndexError", "ValueError"):  # a GPU tells of others' errors late
        return event.kind == "exception" and not event.beneath and "CUDA error" not in event.message
    return event.kind == "exception" and event.type in ("AttributeError", "TypeError", "NameError")


def _undone(files: tuple[bytes, bytes], now: bytes, event: Event, later: bool) -> bytes | None:
    """The text without what a repair wrote, where the event stopped inside of that; None where it did not, or where
    its lines were changed since. ``later``: others may need what it imports."""
    before, after = files
    frame = event.frames[-1]
    if frame.position is None or frame.position[0] != frame.position[2]:
        return None
    olds, news, lines = (data.splitlines(keepends=True) for data in (before, after, now))
    same = [step for step in opcodes(news, lines) if step[0] == "equal"]
    place = {j1 + n: now1 + n for _, j1, j2, now1, _ in same for n in range(j2 - j1)}
    inside = False
    for number, (start, end) in _differing(before, after).items():
        if place.get(number - 1) == frame.line - 1:
            inside = start < frame.position[3] <= end and not _stood_there(event, {"": files})
    if not inside:
        return None
    for tag, i1, i2, j1, j2 in reversed(list(opcodes(olds, news))):
        if tag == "equal" or (tag == "insert" and later):
            continue
        first = place.get(j1)
        if tag == "delete" or first is None or any(place.get(j1 + n) != first + n for n in range(j2 - j1)):
            return None
        lines[first : first + j2 - j1] = olds[i1:i2]
    return b"".join(lines)


def _stood_there(event: Event, changed: Mapping[str, tuple[bytes, bytes]]) -> bool:
    """Is it a name that is missing, and stood in the text before?"""
    name = (event.name or "").encode() if event.type == "NameError" else b""
    return bool(name) and any(name in before for before, _ in changed.values())


def _same(one: Event, other: Event) -> bool:
    """Do they say the same, numbers apart? Of a name or key it is enough that one is missing."""
    if one.type in ("KeyError", "AttributeError", "NameError"):
        return one.type == other.type
    return re.sub(r"\d+", "#", one.head) == re.sub(r"\d+", "#", other.head)


def _touched(changed: Mapping[str, tuple[bytes, bytes]], root: str, file: str) -> dict[int, tuple[int, int]] | None:
    """Lines of a file that are new, and the columns between which they differ; None where nothing was changed."""
    import os

    pair = changed.get(os.path.relpath(file, root).replace(os.sep, "/"))
    return None if pair is None else _differing(*pair)


def _differing(before: bytes, after: bytes) -> dict[int, tuple[int, int]]:
    """The lines that are new, and the columns between which they differ."""
    olds, news = before.splitlines(), after.splitlines()
    found: dict[int, tuple[int, int]] = {}
    for tag, i1, i2, j1, j2 in opcodes(olds, news):
        for offset, number in enumerate(range(j1, j2)) if tag != "equal" else ():
            new = news[number]
            old = olds[i1 + offset] if i1 + offset < i2 else b""
            start = _shared(old, new)
            tail = _shared(old[start:][::-1], new[start:][::-1])
            found[number + 1] = (start, len(new) - tail)
    return found


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes they have in common at the front."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _digest(files: Mapping[str, bytes]) -> str:
    made = hashlib.sha256()
    for path in sorted(files):
        made.update(path.encode() + b"\0" + files[path] + b"\0")
    return made.hexdigest()
