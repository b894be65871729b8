"""The coordinator: takes in the list, hands out what is left to do, writes down what comes back."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from voltfix.batch.engines import Engine, EngineError
from voltfix.batch.git import attempt
from voltfix.batch.journal import Journal
from voltfix.batch.model import FINAL, BatchError, Outcome, Repository, Settings, Started, Task
from voltfix.batch.publish import PATCH, keep, publish
from voltfix.batch.state import StateError, enter, write_new

JOURNAL = "journal.sqlite3"


class View(Protocol):
    """What is told about a run while it goes on."""

    def begin(self, counts: dict[str, int]) -> None:
        """The run begins, with repositories by state."""

    def started(self, name: str) -> None:
        """A repository was handed out."""

    def finished(self, name: str, state: str, cause: str | None) -> None:
        """A repository has its result."""


class Batch:
    """One batch in its state folder. For one process at a time: StateError while another works on it."""

    def __init__(self, folder: str, clock: Callable[[], float] = time.time) -> None:
        self.folder = os.path.abspath(folder)
        self._clock = clock
        self._lock, token = enter(self.folder)
        try:
            write_new(os.path.join(self.folder, ".gitignore"), b"*\n")
            self.journal = Journal(os.path.join(self.folder, JOURNAL), token)
        except BaseException:
            os.close(self._lock)
            raise
        self.settings = Settings()
        self._scratch = os.path.join(self.folder, "scratch")

    def close(self) -> None:
        """Give the state folder free."""
        self.journal.close()
        os.close(self._lock)

    def repository_folder(self, name: str) -> str:
        """Where the files of a repository are."""
        return os.path.join(self.folder, "repositories", name)

    def take_in(self, repositories: Sequence[Repository], settings: Settings) -> None:
        """Begin a round, or go on with one that was not finished; StateError if that one was another.

        An empty list means that of the journal.
        """
        self.settings = settings
        journal = self.journal
        if not repositories:
            rows = list(journal.rows())
            if not rows:
                raise StateError(f"{self.folder}: there is no list here yet; name repositories, or a list")
            import json

            repositories = [Repository(**json.loads(row["asked"])) for row in rows]
        if not journal.unfinished():
            epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
            journal.begin(repositories, settings, int(epoch) if epoch.isdigit() else int(self._clock()))
        elif _lasting(settings.dump()) != _lasting(journal.settings or ""):
            raise StateError(
                f"{self.folder}: holds a batch with other settings, not finished ({journal.settings});"
                " finish it with those, or use another --state"
            )
        elif not journal.same_list(repositories):
            raise StateError(
                f"{self.folder}: holds a batch with another list, not finished; finish it, or use another --state"
            )

    def run(self, engine: Engine, view: View, local: bool) -> None:
        """Bring every repository into its final state. ``local``: jobs run below the state folder."""
        shutil.rmtree(self._scratch, ignore_errors=True)  # what a killed run left
        view.begin(self.journal.counts())
        for name in self.journal.publishing():
            self._publish(name, again=True)
            self._tell(view, name)
        events = engine(self._tasks(local))
        try:
            for event in events:
                if isinstance(event, Started):
                    self.journal.start(event.name)
                    view.started(event.name)
                else:
                    self._take(event)
                    self._tell(view, event.name)
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            shutil.rmtree(self._scratch, ignore_errors=True)
        lost = [state for state in self.journal.counts() if state not in FINAL]
        if lost:
            raise EngineError(f"the engine ended with repositories that are {' and '.join(lost)}")
        self.journal.end()

    def _tasks(self, local: bool) -> Iterator[Task]:
        identity = _identity(self.settings.author)
        date = self.journal.date
        for repository, known in self.journal.waiting():
            yield Task(
                repository=repository,
                settings=self.settings,
                clones=os.path.join(self.folder, "clones"),
                scratch=self._scratch if local else None,
                date=date,
                identity=identity,
                known=known,
            )

    def _take(self, outcome: Outcome) -> None:
        """Files first, then the row, then the branch: whatever is killed in between can be done again."""
        if not outcome.unchanged:
            try:
                keep(self.repository_folder(outcome.name), outcome.artifacts)
            except OSError as error:
                outcome = replace(
                    outcome,
                    state="failed",
                    cause="disk-full",
                    commit=None,
                    diffs=(),
                    detail=f"its files cannot be written: {error.strerror}",
                )
        patch = outcome.artifacts.get(PATCH)
        self.journal.store(outcome, None if patch is None else hashlib.sha256(patch).hexdigest())
        if outcome.state == "migrated":
            self._publish(outcome.name, again=False)

    def _publish(self, name: str, again: bool) -> None:
        try:
            row = self.journal.row(name)
            publish(row, self.repository_folder(name), self.settings.in_place, again)
        except BatchError as error:
            self.journal.fail(name, error.cause, error.detail)
        except OSError as error:
            self.journal.fail(name, "disk-full", f"the branch cannot be written: {error.strerror}")
        else:
            self.journal.published(name)

    def _tell(self, view: View, name: str) -> None:
        row = self.journal.row(name)
        view.finished(name, row["state"], row["cause"])


def _lasting(dumped: str) -> str:
    """Settings without what may change while a batch goes on: the limits."""
    import json

    values = json.loads(dumped or "{}")
    return json.dumps({key: value for key, value in values.items() if key not in ("seconds", "memory")}, sort_keys=True)


def _identity(author: str | None) -> tuple[str, str]:
    """Who commits where git knows nobody."""
    if author and " <" in author:
        name, address = author.rstrip(">").split(" <", 1)
        return name, address
    try:
        done = attempt(os.getcwd(), "var", "GIT_COMMITTER_IDENT")
    except BatchError:
        return "voltfix", "voltfix@localhost"
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode == 0 and " <" in text:
        name, address = text.rsplit(">", 1)[0].split(" <", 1)
        return name, address
    return "voltfix", "voltfix@localhost"
