"""What a person sees while a batch runs: a live view on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from typing import TYPE_CHECKING

from voltfix.batch.model import FINAL, counted_states
from voltfix.report.escape import printable

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_WINDOW = 200  # results that the rate is taken over
_QUIET_SECONDS = 10.0


class Progress:
    """The figures behind both views."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.running: dict[str, float] = {}
        self.failures: deque[tuple[str, str]] = deque(maxlen=5)
        self._ends: deque[float] = deque(maxlen=_WINDOW)

    def begin(self, counts: dict[str, int]) -> None:
        """Repositories by state as the journal has them; those that a killed run left behind wait."""
        self.counts = Counter(counts)
        self.counts["waiting"] += self.counts.pop("running", 0)
        self._ends.append(time.monotonic())

    def started(self, name: str) -> None:
        """A repository was handed out."""
        self.counts["waiting"] -= 1
        self.running[name] = time.monotonic()

    def finished(self, name: str, state: str, cause: str | None) -> None:
        """A repository has its result."""
        if self.running.pop(name, None) is None:
            self.counts["publishing"] -= 1
        self.counts[state] += 1
        self._ends.append(time.monotonic())
        if state == "failed":
            self.failures.append((name, cause or ""))

    @property
    def done(self) -> int:
        """Repositories in a final state."""
        return sum(self.counts[state] for state in FINAL)

    @property
    def total(self) -> int:
        """All repositories."""
        return sum(self.counts.values()) + len(self.running)

    @property
    def per_minute(self) -> float:
        """Results a minute, over the last few."""
        span = time.monotonic() - self._ends[0] if self._ends else 0.0
        return 60.0 * (len(self._ends) - 1) / span if span > 0 and len(self._ends) > 1 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end at this rate."""
        rate = self.per_minute
        return None if not rate else 60.0 * (self.total - self.done) / rate

    def line(self) -> str:
        """All of it in a line."""
        left = "" if self.left is None else f", {duration(self.left)} left"
        return (
            f"{self.done} of {self.total} done, {len(self.running)} running, {self.counts['failed']} failed, "
            f"{self.per_minute:.1f} a minute{left}"
        )


def duration(seconds: float) -> str:
    """``3:04:05`` or ``4:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Lines:
    """The view for a log: a line at most every ten seconds, and one for each failure; ``quiet``: none."""

    def __init__(self, quiet: bool = False) -> None:
        self.progress = Progress()
        self._quiet = quiet
        self._last = time.monotonic()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._say(self.progress.line())

    def begin(self, counts: dict[str, int]) -> None:
        """See `View`."""
        self.progress.begin(counts)

    def started(self, name: str) -> None:
        """See `View`."""
        self.progress.started(name)

    def finished(self, name: str, state: str, cause: str | None) -> None:
        """See `View`."""
        self.progress.finished(name, state, cause)
        if state == "failed":
            self._say(f"{name}: failed ({cause})")
        if time.monotonic() - self._last >= _QUIET_SECONDS:
            self._last = time.monotonic()
            self._say(self.progress.line())

    def _say(self, text: str) -> None:
        if not self._quiet:
            print(f"voltfix: {printable(text)}", file=sys.stderr, flush=True)


class Screen:
    """The live view of a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self.progress = Progress()
        self._live: Live = Live(
            console=Console(stderr=True), refresh_per_second=4, get_renderable=self._table, transient=False
        )

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def begin(self, counts: dict[str, int]) -> None:
        """See `View`."""
        self.progress.begin(counts)

    def started(self, name: str) -> None:
        """See `View`."""
        self.progress.started(name)

    def finished(self, name: str, state: str, cause: str | None) -> None:
        """See `View`."""
        self.progress.finished(name, state, cause)

    def _table(self) -> Table:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress = self.progress
        table = Table.grid(padding=(0, 1))
        table.add_row(ProgressBar(total=max(1, progress.total), completed=progress.done, width=40))
        table.add_row(Text(progress.line()))
        states = counted_states({state: progress.counts[state] for state in FINAL})
        table.add_row(Text(states, style="dim"))
        now = time.monotonic()
        # a snapshot: the view is drawn by a thread of its own
        oldest = sorted(progress.running.copy().items(), key=lambda item: item[1])[:4]
        for name, since in oldest:
            table.add_row(Text(f"  {printable(name)}  {duration(now - since)}", style="cyan"))
        for name, cause in list(progress.failures):
            table.add_row(Text(printable(f"  {name}: {cause}"), style="red"))
        return table


def view(quiet: bool) -> Lines | Screen:
    """The view that fits where stderr goes."""
    return Screen() if sys.stderr.isatty() and not quiet else Lines(quiet)
