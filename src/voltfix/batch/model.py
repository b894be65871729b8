"""The values that travel between coordinator, engines and jobs: plain frozen data that pickles."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, Literal

from voltfix.records import dataclass

# `waiting` and `running` are on the way; `publishing`: the work is done and on disk, the branch may not be
# written yet
State = Literal["waiting", "running", "publishing", "migrated", "would-migrate", "nothing", "failed"]
FINAL = ("migrated", "would-migrate", "nothing", "failed")
_SAID = {"would-migrate": "would be migrated", "nothing": "with nothing to do"}


def counted_states(counts: Mapping[str, int]) -> str:
    """``84 migrated, 12 with nothing to do``: how many ended in which state."""
    return ", ".join(f"{count:,} {_SAID.get(state, state)}" for state, count in counts.items() if count)


def fixed_word(counts: Mapping[str, int]) -> str:
    """``fixed``; where nothing was written, what would be."""
    return "would be fixed" if counts.get("would-migrate") else "fixed"


# Why a repository failed. The report counts them; `detail` has the sentence.
CAUSES = {
    "not-a-repository": "there is no git repository at the source",
    "git": "a git command failed",
    "no-such-base": "the ref to start from is not there",
    "settings": "the repository's own [tool.voltfix] cannot be used",
    "time-limit": "took longer than allowed",
    "memory-limit": "used more memory than allowed",
    "disk-full": "there was no space left",
    "crash": "the process died",
    "command-broke": "the repository's own command passed before and fails after",
    "branch-exists": "the branch is there already and was not made here",
    "branch-checked-out": "the branch is checked out somewhere, so it was not moved",
    "not-clean": "the working tree has changes, so it was left alone",
    "worker-lost": "workers were lost again and again",
    "internal-error": "a mistake in voltfix",
}


class BatchError(Exception):
    """One repository cannot be migrated: ``cause`` is a key of `CAUSES`, the message is the detail."""

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


@dataclass(frozen=True)
class Repository:
    """One line of the list. ``source`` is a git URL or an absolute path; None: nothing was said."""

    name: str
    source: str
    base: str | None = None
    branch: str | None = None
    command: str | None = None


@dataclass(frozen=True)
class Settings:
    """What was asked for, as far as it decides results. Kept in the journal.

    ``arguments`` are options of the main command, ``seconds`` and ``memory`` (MiB) limits for one repository.
    """

    arguments: tuple[str, ...] = ()
    branch: str = "voltfix"
    base: str | None = None
    dry_run: bool = False
    max_changes: int | None = None
    command: str | None = None
    author: str | None = None
    sign_off: bool = False
    in_place: bool = False
    depth: int | None = None
    seconds: float = 1800.0
    memory: int = 4096

    def dump(self) -> str:
        """The settings as one line of JSON, the same for the same settings."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Known:
    """What an earlier round left: a job that finds the same base and the same wish has nothing to do."""

    base: str
    wish: str
    commit: str | None


@dataclass(frozen=True)
class Task:
    """All that a job needs.

    ``clones`` and ``scratch`` are folders (scratch None: the worker's own temporary folder).
    ``date`` is the second at which the batch began: commits carry it, so that doing one again gives the same
    commit. ``identity`` is name and address for who has none configured.
    """

    repository: Repository
    settings: Settings
    clones: str
    scratch: str | None
    date: int
    identity: tuple[str, str]
    known: Known | None = None

    @property
    def branch(self) -> str:
        """The branch to make."""
        return self.repository.branch or self.settings.branch

    @property
    def base(self) -> str | None:
        """The ref to start from; None: where the checkout stands, or the default branch of the clone."""
        return self.repository.base or self.settings.base

    @property
    def command(self) -> str | None:
        """The repository's own tests."""
        return self.repository.command or self.settings.command

    @property
    def wish(self) -> str:
        """A digest of all that decides the result beside the base commit; limits do not."""
        asked = asdict(self.settings) | {"seconds": 0, "memory": 0, "depth": None}
        text = json.dumps([asked, asdict(self.repository)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Outcome:
    """What became of a repository. ``unchanged`` says that what is known of it still holds.

    ``artifacts`` are files for its folder (name → bytes), ``diffs`` the changed files as ``{path, digest,
    text}``. ``git_dir`` is where the branch belongs, ``seconds`` the time by phase; times are no part of the
    result.
    """

    name: str
    state: State
    wish: str = ""
    unchanged: bool = False
    cause: str | None = None
    detail: str | None = None
    base: str | None = None
    commit: str | None = None
    branch: str | None = None
    git_dir: str | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, bytes] = field(default_factory=dict)
    diffs: tuple[Mapping[str, str], ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Started:
    """An engine has handed out a repository."""

    name: str


def failed(task: Task, cause: str, detail: str) -> Outcome:
    """The outcome of a task that came to nothing."""
    return Outcome(task.repository.name, "failed", wish=task.wish, cause=cause, detail=detail[:2000])
