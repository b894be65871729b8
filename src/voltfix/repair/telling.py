"""What came of a repair, in lines and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from voltfix.records import dataclass
from voltfix.repair.loop import Story, mended_at
from voltfix.repair.observed import Event
from voltfix.repair.symptoms.libraries import WANTED
from voltfix.sources.diffs import unified

_ENDINGS = {
    "runs": "it runs", "stops": "it stops at something unknown", "limit": "it does not run yet",
    "circle": "it stops, and the repairs turn in a circle", "time": "it was not done in time",
    "crash": "it ended without an exception that could be seen",
}  # fmt: skip


@dataclass(frozen=True)
class Whole:
    """A repair from its start: what the migration changed, and the loop's story."""

    command: tuple[str, ...]
    migrated: tuple[str, ...]
    story: Story

    @property
    def verdict(self) -> str:
        """One line."""
        runs = "1 run" if self.story.runs == 1 else f"{self.story.runs} runs"
        kept = sum(step.kept for step in self.story.steps)
        taken = len(self.story.steps) - kept
        back = f", {taken} taken back" if taken else ""
        ending = _ENDINGS[self.story.ending]
        if self.story.ending == "stops" and self.story.stop is not None and missing(self.story.stop):
            ending = "it stops, for a package is missing"
        return f"{ending} ({runs}; {kept} repair{'' if kept == 1 else 's'}{back})"


def lines(whole: Whole, *, verbose: bool = False) -> Iterator[str]:
    """The text for a terminal."""
    story = whole.story
    if whole.migrated:
        yield f"migrated and modernised: {', '.join(whole.migrated)}"
    for step in story.steps:
        mark = "" if step.kept else "taken back, it made things no better: "
        yield f"{mended_at(step.mend, step.files)}: {step.mend.code} {mark}{step.mend.told}"
        yield f"    {step.mend.seen}"
        for path, line, text in step.alike[:8] if step.kept else ():
            yield f"    suggested: {path}:{line}: {' '.join(text.split())[:80]} has the same shape; nobody saw it run"
    yield whole.verdict + (f": {story.told}" if story.told else "")
    if story.ending != "runs":
        yield from _stop(story)


def _stop(story: Story) -> Iterator[str]:
    """Where it stops, what the operands were, and what was tried."""
    event = story.stop
    if event is None:
        if story.last is not None:
            yield from (f"    | {line}" for line in story.last.tail.strip().splitlines()[-12:])
        return
    yield f"stops at: {event.head}"
    for frame in event.frames[-1:]:
        yield f"    {frame.file}:{frame.line} in {frame.function}"
        for place, value in list(frame.values.items())[:12]:
            yield f"    line {place[0]}, columns {place[1] + 1}-{place[3]}: {value.told()}"
    wanted = missing(event)
    if wanted:
        yield f"    wants {wanted}, which is not here: install it, and start voltfix repair again"
    tried = [step for step in story.steps if not step.kept and step.stop == event.head]
    for step in tried:
        yield f"    tried: {step.mend.told} ({step.mend.place})"


def missing(event: Event) -> str | None:
    """The package, and the version of it, that the code wants."""
    if event.type not in ("ModuleNotFoundError", "ImportError") or not event.name:
        return None
    first = event.name.split(".")[0]
    return WANTED.get(event.name) or WANTED.get(first) or f"the package {first}"


def page(whole: Whole) -> str:
    """One page: what was changed and why, run by run."""
    rows = "".join(_row(number, step) for number, step in enumerate(whole.story.steps, 1))
    stop = escape("\n".join(_stop(whole.story))) if whole.story.ending != "runs" else ""
    migrated = "".join(f"<li>{escape(path)}</li>" for path in whole.migrated)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>voltfix repair</title>"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        "<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
        "pre{overflow:auto;padding:.6rem;border:1px solid #8884}article{border-top:1px solid"
        " #8886;margin-top:1.5rem}</style>"
        f"<h1>voltfix repair</h1><p><code>{escape(' '.join(whole.command))}</code></p><p>{escape(whole.verdict)}</p>"
        + (f"<h2>Migrated and modernised first</h2><ul>{migrated}</ul>" if migrated else "")
        + rows
        + (f"<h2>Where it stops</h2><pre>{stop}</pre>" if stop else "")
        + "\n"
    )


def _row(number: int, step: object) -> str:
    from voltfix.repair.loop import Step

    assert isinstance(step, Step)
    diffs = b"".join(unified(path, *pair) for path, pair in sorted(step.files.items())).decode("utf-8", "replace")
    alike = "".join(f"<li>{escape(path)}:{line} <code>{escape(text)}</code></li>" for path, line, text in step.alike)
    state = "stands" if step.kept else "taken back: it made things no better"
    suggested = f"<p>Suggested, of the same shape, not written:</p><ul>{alike}</ul>" if alike and step.kept else ""
    return (
        f"<article><h2>{number}. {escape(step.mend.told)}</h2><p>{escape(step.mend.code)} at "
        f"{escape(mended_at(step.mend, step.files))}, {state}.</p>"
        f"<p>It stopped with {escape(step.stop)}. {escape(step.mend.seen)}.</p><pre>{escape(diffs)}</pre>"
        f"{suggested}</article>"
    )
