"""git as a subprocess: no hooks, no filters, no prompts, and no way to elsewhere but where one is asked for.

The settings of a repository may name commands. What git takes on its command line or from its environment goes before
them: so what names a command is switched off there, each filter by the name that the settings give it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
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
_ELSEWHERE = ("clone", "fetch")
# these read what git itself keeps, and no setting names a command for that; the others look at files or move branches
_READING = ("check-ref-format", "ls-tree", "pack-objects", "remote", "rev-parse", "unpack-objects", "var", "worktree")
# seconds, for what takes long where there is much, and for all else
_LONG = {"checkout": 600.0, "reset": 600.0, "unpack-objects": 600.0, "update-ref": 60.0, "commit": 600.0}
_LONG |= {"pack-objects": 600.0, "format-patch": 600.0, "status": 60.0, "ls-files": 60.0}
_PATIENCE = 10.0
# what of git's own words quotes no file but by its name
_HARMLESS = re.compile(
    rb"^(?:fatal|error): (?:detected dubious ownership|Unable to create '[^'\n]*\.lock': File exists"
    rb"|unable to read (?:tree|sha1 file of|blob object)?[^\n]*\b[0-9a-f]{40}|[^\n]*No space left on device$"
    rb"|(?:update_ref failed for ref '[^'\n]*': )?cannot lock ref '[^'\n]*': "
    rb"(?:Unable to create|is at|reference already exists))[^\n]*",
    re.MULTILINE,
)
# by the first and the last part of a setting's name: what it is set to instead
_INSTEAD = {
    ("filter", "clean"): "",
    ("filter", "smudge"): "",
    ("filter", "process"): "",
    ("filter", "required"): "false",
    ("gpg", "program"): "false",
}
# hooks by name, of git 2.54 and later: what one of them is set to
_HOOK = {"event": "", "command": "true", "enabled": "false"}
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
    # a checkout that lacks a file says so, and ends with 0
    if done.returncode or (arguments[0] == "checkout" and done.stderr.startswith(b"error:")):
        raise _error(folder, arguments, done)
    return done.stdout


def attempt(
    folder: str,
    *arguments: str,
    stdin: bytes = b"",
    extra: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a git command whose failure is an answer; BatchError where it takes more than so many seconds.

    One that goes elsewhere takes as long as that does, unless ``seconds`` are given.
    """
    if seconds is None and arguments[0] not in _ELSEWHERE:
        seconds = _LONG.get(arguments[0], _PATIENCE)
    within = {} if arguments[0] in _ELSEWHERE else {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    disarmed = {} if arguments[0] in _READING else _disarmed(folder)
    return _run(folder, arguments, stdin, {**within, **disarmed, **(extra or {})}, seconds)


def _disarmed(folder: str) -> Mapping[str, str]:
    """An environment in which git runs none of the filters and hooks that the settings for ``folder`` name, included
    ones too.
    """
    asked = ("config", "--list", "--name-only", "--includes", "-z")
    listed = _run(folder, asked, b"", {"GIT_ALLOW_PROTOCOL": "none"}, _PATIENCE)
    names = sorted(set(os.fsdecode(listed.stdout).split("\0")))
    found = list(dict.fromkeys(pair for name in names for pair in _instead(name)))
    pairs = {f"GIT_CONFIG_KEY_{n}": name for n, (name, _) in enumerate(found)}
    pairs |= {f"GIT_CONFIG_VALUE_{n}": value for n, (_, value) in enumerate(found)}
    return {"GIT_CONFIG_COUNT": str(len(found)), **pairs}


def _instead(setting: str) -> Iterator[tuple[str, str]]:
    """What is set, so that ``setting`` names no command."""
    family, _, _ = setting.partition(".")
    owner, _, last = setting.rpartition(".")
    if (family, last) in _INSTEAD:
        yield setting, _INSTEAD[family, last]
    elif family == "hook" and owner != family and last in ("command", "event"):
        yield from ((f"{owner}.{key}", value) for key, value in _HOOK.items())


@cache
def _program(path: str) -> str:
    """git, as the absolute folders of PATH have it: in a relative one it would be a repository's."""
    found = shutil.which("git", path=path)
    if found is None:
        raise BatchError("git", "git is not installed here")
    return found


def _absolute(path: str) -> str:
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if os.path.isabs(entry))


def _run(
    folder: str, arguments: tuple[str, ...], stdin: bytes, extra: Mapping[str, str], seconds: float | None = None
) -> subprocess.CompletedProcess[bytes]:
    path = _absolute(os.environ.get("PATH", os.defpath))  # git looks for programs of its own there, too
    program = _program(path)
    command = [program, *(word for setting in _SETTINGS for word in ("-c", setting)), *arguments]
    variables = {**environment(), "PATH": path, **extra}
    try:
        return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, env=variables, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise BatchError("git", f"git {arguments[0]} took longer than {seconds:g} seconds in {folder}") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        if not os.path.isdir(folder):
            raise BatchError("not-a-repository", f"{folder} is no folder") from error
        raise BatchError("git", "git is not installed here") from error
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        said = f"the settings of {folder} name more commands than can be switched off; remove some of them"
        raise BatchError("git", said) from error


def told(stderr: bytes) -> str:
    """What of git's words may go into a report: it quotes files that are not what it expects them to be."""
    kept = b"\n".join(match[0] for match in _HARMLESS.finditer(stderr)).decode("utf-8", "replace")
    return kept[-1000:] or "what it said is left out, for it may quote files"


def _error(folder: str, arguments: tuple[str, ...], done: subprocess.CompletedProcess[bytes]) -> BatchError:
    # from elsewhere comes what a server says, and why it was not reached
    elsewhere = arguments[0] in _ELSEWHERE
    said = done.stderr.decode("utf-8", "replace").strip()[-1000:] if elsewhere else told(done.stderr)
    said = said.replace(folder + "/", "").replace(folder, ".")
    full = os.strerror(errno.ENOSPC).encode() in done.stderr
    return BatchError("disk-full" if full else "git", f"git {arguments[0]} ended with {done.returncode}: {said}")
