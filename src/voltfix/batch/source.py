"""Where a repository's objects are, and the commit to start from.

A checkout is read where it lies. What lies elsewhere is cloned once into the batch's own folder and fetched
in later rounds; such a clone is a cache, and is made anew when git cannot work with it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import NamedTuple

from voltfix.batch.git import attempt, git, told
from voltfix.batch.manifest import is_repository, is_url
from voltfix.batch.model import BatchError, Task
from voltfix.batch.plain import check_checkout


class Source(NamedTuple):
    """A repository on this machine. ``fresh`` says that nothing of an earlier round can be in it."""

    folder: str
    git_dir: str
    objects: str
    object_format: str
    shallow: bool
    base: str
    fresh: bool


def locate(task: Task) -> Source:
    """Make the repository available and find its base commit; BatchError where that fails."""
    source = task.repository.source
    if is_url(source):
        folder, fresh = _clone(task, source)
        wanted = [f"refs/remotes/origin/{task.base}", task.base] if task.base else ["refs/remotes/origin/HEAD", "HEAD"]
    else:
        folder, fresh = source, False
        if not is_repository(folder):
            raise BatchError("not-a-repository", f"{folder} is no git repository")
        check_checkout(folder)
        wanted = [task.base or "HEAD"]
    for ref in wanted:
        if ref is not None and (found := _look(folder, ref, fresh)) is not None:
            return found
    raise BatchError("no-such-base", f"there is no commit {task.base or 'HEAD'} in {source}")


def _look(folder: str, ref: str, fresh: bool) -> Source | None:
    # one process for five answers; the last fails where there is no such commit
    done = attempt(
        folder,
        "rev-parse",
        "--absolute-git-dir",
        "--git-path",
        "objects",
        "--show-object-format",
        "--is-shallow-repository",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{ref}^{{commit}}",
    )
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    if len(lines) < 4:
        raise BatchError("git", f"git cannot work with {folder}: {told(done.stderr)}")
    if done.returncode or len(lines) < 5:
        return None
    git_dir, objects, object_format, shallow, base = lines[:4] + lines[-1:]
    return Source(folder, git_dir, os.path.join(folder, objects), object_format, shallow == "true", base, fresh)


def _clone(task: Task, url: str) -> tuple[str, bool]:
    """The clone of a URL, brought up to date; whether it was made just now."""
    folder = os.path.join(task.clones, task.repository.name)
    if os.path.islink(folder):
        os.unlink(folder)
    if os.path.isdir(folder):
        # what was cloned here is never bare: the settings of a folder that is are not for git to see
        bare = not os.path.isdir(os.path.join(folder, ".git"))
        known = b"" if bare else attempt(folder, "remote", "get-url", "origin").stdout.strip()
        if known == os.fsencode(url):
            fetched = attempt(folder, "fetch", "--quiet", "--prune", *_depth(task), "origin")
            if fetched.returncode == 0:
                return folder, False
            if not _is_broken(folder, fetched.stderr):
                said = fetched.stderr.decode("utf-8", "replace").strip()
                raise BatchError("git", f"git fetch ended with {fetched.returncode}: {said[-500:]}")
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(task.clones, exist_ok=True)
    draft = tempfile.mkdtemp(prefix=f".{task.repository.name}-", dir=task.clones)
    try:
        git(draft, "clone", "--quiet", "--no-checkout", *_depth(task), "--", url, draft)
        os.rename(draft, folder)
    except OSError:  # another attempt was faster
        if not os.path.isdir(folder):
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder, True


def _depth(task: Task) -> list[str]:
    return [] if task.settings.depth is None else [f"--depth={task.settings.depth}"]


def _is_broken(folder: str, said: bytes) -> bool:
    """Whether the clone is at fault (a lock that a killed fetch left, damage), not the way to upstream."""
    return b".lock" in said or b"corrupt" in said or attempt(folder, "rev-parse", "--git-dir").returncode != 0
