"""What lasts: the files of a repository's folder, and the branch. Both can be done again at any point.

The branch is one atomic update of one ref, from the value that is expected. Nothing of anybody else's is
moved: a branch that is there must be one that an earlier round made and that still stands where it left it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from voltfix.batch.git import attempt, git, told
from voltfix.batch.manifest import is_url
from voltfix.batch.model import BatchError
from voltfix.batch.plain import check, common
from voltfix.batch.state import write_whole

BUNDLE = "branch.bundle"
PATCH = "changes.patch"
FILES = (PATCH, "report.json", "report.html", BUNDLE, "before.log", "after.log")


def keep(folder: str, artifacts: Mapping[str, bytes]) -> None:
    """Make the files of ``folder`` those in ``artifacts``, each written whole."""
    if os.path.islink(folder):
        os.unlink(folder)
    os.makedirs(folder, exist_ok=True)
    for name in FILES:
        path = os.path.join(folder, name)
        if name not in artifacts:
            with suppress(FileNotFoundError):
                os.unlink(path)
            continue
        write_whole(path, artifacts[name])


def publish(row: Mapping[str, Any], folder: str, in_place: bool, again: bool) -> None:
    """Write the branch of a journal's row; BatchError where somebody else's work is in the way.

    ``again`` says that an earlier attempt may have been killed in the middle. A repository that is not on
    this machine (its worker's is) keeps the bundle in ``folder`` alone.
    """
    git_dir, ref, made, previous = (
        row["git_dir"],
        f"refs/heads/{row['branch']}",
        row["commit_id"],
        row["previous"],
    )
    if not os.path.isdir(git_dir):
        return
    checkout = row["source"] if in_place and not is_url(row["source"]) else None
    check(git_dir)
    if checkout is not None:
        _check_in_place(checkout, row)
    holder = None if previous is None else _holder(git_dir, ref)
    if holder is not None and holder != checkout:
        raise BatchError("branch-checked-out", f"{row['branch']} is checked out at {holder}")
    _unpack(git_dir, folder)
    if holder is not None:
        _expect(git_dir, ref, row)
        git(holder, "reset", "--quiet", "--keep", made)
        return
    _move(git_dir, ref, row, again)
    if checkout is not None:
        git(checkout, "checkout", "--quiet", row["branch"], "--")


def _unpack(git_dir: str, folder: str) -> None:
    with open(os.path.join(folder, BUNDLE), "rb") as file:
        data = file.read()
    git(git_dir, "unpack-objects", "-q", stdin=data.split(b"\n\n", 1)[1])


def _move(git_dir: str, ref: str, row: Mapping[str, Any], again: bool) -> None:
    made = row["commit_id"]
    # git itself compares with the value that is expected, and moves the branch only then
    command = ("update-ref", "--no-deref", "-m", "voltfix batch", ref, made, row["previous"] or "0" * len(made))
    done = attempt(git_dir, *command)
    if done.returncode and again and b".lock'" in done.stderr:
        # left by the git of an attempt that was killed with everything around it
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(common(git_dir), f"{ref}.lock"))
        done = attempt(git_dir, *command)
    if done.returncode:
        current = _expect(git_dir, ref, row)
        if current is None and row["previous"]:  # somebody deleted the branch that an earlier round made
            done = attempt(git_dir, "update-ref", "--no-deref", "-m", "voltfix batch", ref, made, "0" * len(made))
        elif current == made:
            return
        if done.returncode:
            raise BatchError("git", f"git ended with {done.returncode}: {told(done.stderr)}")


def _expect(git_dir: str, ref: str, row: Mapping[str, Any]) -> str | None:
    """Where the branch stands, if that is ours to move."""
    current = attempt(git_dir, "rev-parse", "--verify", "--quiet", ref).stdout.decode().strip() or None
    if current not in (None, row["commit_id"], row["previous"]):
        said = f"the branch {row['branch']} is there already; delete it, or choose another with --branch"
        raise BatchError("branch-exists", said)
    return current


def _holder(git_dir: str, ref: str) -> str | None:
    """The working tree in which ``ref`` is checked out."""
    folder = None
    for line in os.fsdecode(git(git_dir, "worktree", "list", "--porcelain")).splitlines():
        if line.startswith("worktree "):
            folder = line.split(" ", 1)[1]
        elif line == f"branch {ref}":
            return folder
    return None


def _check_in_place(checkout: str, row: Mapping[str, Any]) -> None:
    """The user's own working tree is switched only if it is clean and stands where the work began."""
    top = os.fsdecode(git(checkout, "rev-parse", "--show-toplevel")).rstrip("\n")
    if not os.path.samefile(top, checkout):
        raise BatchError("not-clean", f"the settings of {checkout} put its files elsewhere ({top})")
    if git(checkout, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"):
        raise BatchError("not-clean", f"{checkout} has changes that are not committed")
    stands = git(checkout, "rev-parse", "HEAD").decode().strip()
    if stands not in (row["base"], row["commit_id"], row["previous"]):
        raise BatchError("not-clean", f"{checkout} does not stand on the base any more")
