"""The journal: what is known of each repository, in SQLite (WAL).

`repository` holds results, and nothing that depends on when or how often something ran; that is in
`attempt`. A round begins when the list is taken in, and ends when every repository is in a final state;
killed in between, it goes on.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from voltfix.batch.model import Known, Outcome, Repository, Settings
from voltfix.batch.state import FOREIGN

SCHEMA = 1
_BATCH = "CREATE TABLE IF NOT EXISTS batch (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_TABLES = """
CREATE TABLE IF NOT EXISTS repository (
    name TEXT PRIMARY KEY, source TEXT NOT NULL, position INTEGER, asked TEXT NOT NULL, state TEXT NOT NULL,
    wish TEXT, cause TEXT, detail TEXT, base TEXT, commit_id TEXT, branch TEXT, git_dir TEXT, summary TEXT,
    patch TEXT, previous TEXT ) WITHOUT ROWID; CREATE INDEX IF NOT EXISTS by_state ON repository (state,
    position); CREATE TABLE IF NOT EXISTS diff ( repository TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT
    NULL, PRIMARY KEY (repository, path) ) WITHOUT ROWID; CREATE INDEX IF NOT EXISTS by_digest ON diff
    (digest); CREATE TABLE IF NOT EXISTS text (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS attempt ( id INTEGER PRIMARY KEY, repository TEXT NOT NULL, round INTEGER NOT
    NULL, began REAL NOT NULL, ended REAL, seconds TEXT );
"""
# `previous` is the last commit that is known to be ours, so that its branch may be moved; it outlives
# failures
_RESULT = ("wish", "cause", "detail", "base", "commit_id", "branch", "git_dir", "summary", "patch")


class JournalError(Exception):
    """A journal that cannot be used; the message says what to do."""


class Journal:
    """The journal at ``path``, made where there is none. For one thread.

    ``token`` is that of the state folder: a journal without it was put there by somebody else.
    """

    def __init__(self, path: str, token: str | None = None) -> None:
        if os.path.islink(path):
            raise JournalError(f"{path}: {FOREIGN}")
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA trusted_schema=OFF")
            self._check_token(path, token or "")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_TABLES)
            self._check_schema(path)
        except sqlite3.DatabaseError as error:
            raise JournalError(f"{path}: cannot be used ({error})") from None
        self._db.row_factory = sqlite3.Row
        self._attempts: dict[str, int] = {}

    def _check_token(self, path: str, token: str) -> None:
        """Nothing is written to a journal before it is known as ours; a new one has the token from the beginning."""
        with self._transaction():
            if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._db.execute(_BATCH)
                self._set("token", token)
        found = self._db.execute("SELECT type FROM sqlite_master WHERE name = 'batch'").fetchone()
        if found != ("table",) or self._get("token") != token:
            raise JournalError(f"{path}: {FOREIGN}")

    def _check_schema(self, path: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO batch VALUES ('schema', ?)", (str(SCHEMA),))
        if self._get("schema") != str(SCHEMA):
            raise JournalError(f"{path}: was written by another version of voltfix; use another --state")

    def close(self) -> None:
        """Close the database; the journal is whole without this too."""
        self._db.close()

    def _get(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM batch WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _set(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO batch VALUES (?, ?)", (key, value))

    # --- rounds -----------------------------------------------------------------------------------

    @property
    def round(self) -> int:
        """The number of the round; 0 before the first."""
        return int(self._get("round") or 0)

    @property
    def date(self) -> int:
        """The second at which the round began; commits carry it."""
        return int(self._get("date") or 0)

    @property
    def settings(self) -> str | None:
        """The settings of the round, as `Settings.dump` gives them."""
        return self._get("settings")

    def unfinished(self) -> bool:
        """Whether a round was begun and not ended."""
        return self.round > 0 and self._get("ended") != str(self.round)

    def begin(self, repositories: Sequence[Repository], settings: Settings, date: int) -> None:
        """Begin a round: every repository waits, and what is known of it from earlier rounds stays."""
        with self._transaction():
            self._set("round", str(self.round + 1))
            self._set("date", str(date))
            self._set("settings", settings.dump())
            self._db.execute("UPDATE repository SET position = NULL")
            self._db.executemany(
                "INSERT INTO repository (name, source, position, asked, state) VALUES (?, ?, ?, ?, 'waiting')"
                " ON CONFLICT (name) DO UPDATE SET source = excluded.source, position = excluded.position,"
                " asked = excluded.asked, state = 'waiting'",
                [(r.name, r.source, index, _asked(r)) for index, r in enumerate(repositories)],
            )
            self._db.execute("DELETE FROM repository WHERE position IS NULL")
            self._db.execute("DELETE FROM diff WHERE repository NOT IN (SELECT name FROM repository)")

    def same_list(self, repositories: Sequence[Repository]) -> bool:
        """Whether these are the repositories of the round."""
        rows = self._db.execute("SELECT name, asked FROM repository ORDER BY position")
        return [tuple(row) for row in rows] == [(r.name, _asked(r)) for r in repositories]

    def end(self) -> None:
        """End the round."""
        self._set("ended", str(self.round))

    # --- repositories -----------------------------------------------------------------------------

    def waiting(self) -> Iterator[tuple[Repository, Known | None]]:
        """The repositories without a result in this round, in the order of the list."""
        rows = self._db.execute(
            "SELECT * FROM repository WHERE state IN ('waiting', 'running') ORDER BY position"
        ).fetchall()
        for row in rows:
            known = None
            if row["base"] and row["wish"] and not row["cause"]:
                known = Known(row["base"], row["wish"], row["commit_id"])
            yield Repository(**json.loads(row["asked"])), known

    def publishing(self) -> list[str]:
        """Repositories whose result is on disk and whose branch may not be written."""
        rows = self._db.execute("SELECT name FROM repository WHERE state = 'publishing' ORDER BY position")
        return [row["name"] for row in rows]

    def row(self, name: str) -> Mapping[str, Any]:
        """All that is known of a repository."""
        row = self._db.execute("SELECT * FROM repository WHERE name = ?", (name,)).fetchone()
        return dict(row)

    def start(self, name: str) -> None:
        """A repository was handed out."""
        with self._transaction():
            self._db.execute("UPDATE repository SET state = 'running' WHERE name = ?", (name,))
            made = self._db.execute(
                "INSERT INTO attempt (repository, round, began) VALUES (?, ?, ?)",
                (name, self.round, time.time()),
            )
            self._attempts[name] = int(made.lastrowid or 0)

    def store(self, outcome: Outcome, patch: str | None) -> None:
        """The result of a repository, whole: its row, its diffs, its attempt."""
        with self._transaction():
            if outcome.unchanged:
                row = self.row(outcome.name)
                self._db.execute("UPDATE repository SET state = ? WHERE name = ?", (_was(row), outcome.name))
            else:
                self._store(outcome, patch)
            self._db.execute(
                "UPDATE attempt SET ended = ?, seconds = ? WHERE id = ?",
                (time.time(), json.dumps(outcome.seconds), self._attempts.pop(outcome.name, 0)),
            )

    def _store(self, outcome: Outcome, patch: str | None) -> None:
        state = "publishing" if outcome.state == "migrated" else outcome.state
        values = (
            outcome.wish,
            outcome.cause,
            outcome.detail,
            outcome.base,
            outcome.commit,
            outcome.branch,
            outcome.git_dir,
            json.dumps(outcome.summary, sort_keys=True),
            patch,
        )
        columns = ", ".join(f"{name} = ?" for name in _RESULT)
        self._db.execute(f"UPDATE repository SET state = ?, {columns} WHERE name = ?", (state, *values, outcome.name))
        self._db.execute("DELETE FROM diff WHERE repository = ?", (outcome.name,))
        for diff in outcome.diffs:
            self._db.execute("INSERT OR IGNORE INTO text VALUES (?, ?)", (diff["digest"], diff["text"]))
            self._db.execute("INSERT INTO diff VALUES (?, ?, ?)", (outcome.name, diff["path"], diff["digest"]))

    def published(self, name: str) -> None:
        """The branch is written."""
        self._db.execute("UPDATE repository SET state = 'migrated', previous = commit_id WHERE name = ?", (name,))

    def fail(self, name: str, cause: str, detail: str) -> None:
        """A repository failed after its job was done; the commit is not known as ours."""
        self._db.execute(
            "UPDATE repository SET state = 'failed', cause = ?, detail = ?, commit_id = NULL WHERE name = ?",
            (cause, detail[:2000], name),
        )

    # --- reading ----------------------------------------------------------------------------------

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Every repository of the list, in its order."""
        for row in self._db.execute("SELECT * FROM repository ORDER BY position"):
            yield dict(row)

    def counts(self) -> dict[str, int]:
        """Repositories by state."""
        return {row[0]: row[1] for row in self._db.execute("SELECT state, count(*) FROM repository GROUP BY state")}

    def shared(self, limit: int) -> Iterator[tuple[str, str, int]]:
        """Digest, text and number of places of each distinct diff, most frequent first."""
        yield from (
            (row[0], row[1], row[2])
            for row in self._db.execute(
                "SELECT digest, text, count(*) AS places FROM diff JOIN text USING (digest)"
                " GROUP BY digest ORDER BY places DESC, digest LIMIT ?",
                (limit,),
            )
        )

    def distinct(self) -> tuple[int, int]:
        """How many files change, and how many distinct diffs there are to review."""
        row = self._db.execute("SELECT count(*), count(DISTINCT digest) FROM diff").fetchone()
        return int(row[0]), int(row[1])

    def places(self, digest: str) -> list[tuple[str, str]]:
        """The repositories and paths of a diff."""
        rows = self._db.execute("SELECT repository, path FROM diff WHERE digest = ? ORDER BY 1, 2", (digest,))
        return [(row[0], row[1]) for row in rows]

    def times(self) -> Iterator[Mapping[str, float]]:
        """The seconds by phase of every attempt that came to an end in this round."""
        query = "SELECT seconds FROM attempt WHERE round = ? AND seconds IS NOT NULL"
        for row in self._db.execute(query, (self.round,)):
            yield json.loads(row[0])

    def _transaction(self) -> _Transaction:
        return _Transaction(self._db)


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _asked(repository: Repository) -> str:
    return json.dumps(asdict(repository), sort_keys=True)


def _was(row: Mapping[str, Any]) -> str:
    """The final state of a repository of which all that was known still holds."""
    if row["commit_id"]:
        return "migrated"
    return "would-migrate" if row["patch"] else "nothing"
