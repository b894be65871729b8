"""git as a subprocess: no hooks, no filters that fetch (LFS), no prompts, whatever the settings are."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Mapping
from functools import cache

from voltfix.batch.model import BatchError

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
    "commit.gpgSign=false",
    "submodule.recurse=false",
    "filter.lfs.smudge=",
    "filter.lfs.clean=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "core.quotePath=true",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "fetch.recurseSubmodules=false",
)
_PROTOCOLS = "file:git:http:https:ssh"
# git exports these to hooks and aliases: with them set, every command would work on the caller's repository
_AMBIENT = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
)


@cache
def environment() -> Mapping[str, str]:
    """The environment for git, and for the commands of a repository."""
    kept = {name: value for name, value in os.environ.items() if name not in _AMBIENT}
    return {
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_EDITOR": ":",
        "GIT_SSH_COMMAND": kept.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
        "LC_ALL": "C.UTF-8",
        "GIT_PAGER": "cat",
    }


def git(folder: str, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
    """Run a git command in ``folder`` and return its stdout; BatchError (cause ``git``) if it fails."""
    done = attempt(folder, *arguments, stdin=stdin, extra=extra)
    if done.returncode:
        raise _error(folder, arguments, done)
    return done.stdout


def attempt(
    folder: str, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a git command whose failure is an answer."""
    command = ["git", *(word for setting in _SETTINGS for word in ("-c", setting)), *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, input=stdin, capture_output=True, env={**environment(), **(extra or {})}
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        if not os.path.isdir(folder):
            raise BatchError("not-a-repository", f"{folder} is no folder") from error
        raise BatchError("git", "git is not installed here") from error


def _error(folder: str, arguments: tuple[str, ...], done: subprocess.CompletedProcess[bytes]) -> BatchError:
    said = done.stderr.decode("utf-8", "replace").strip().replace(folder + "/", "").replace(folder, ".")
    cause = "disk-full" if os.strerror(errno.ENOSPC) in said else "git"
    return BatchError(cause, f"git {arguments[0]} ended with {done.returncode}: {said[-1000:]}")
