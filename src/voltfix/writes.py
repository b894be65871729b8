"""Writes that are whole or not at all: one file by a rename, several by a journal that can be rolled back.

A new file is written beside its target, flushed to the disk, and renamed over it. Where several files
belong together, a journal in the project's root says first what is going to lie where, and hard links keep the
originals until all renames are done: an error rolls back at once, a killed process is undone by the next run
(``recover``). The one moment that decides is the journal's renaming: before it the old files stand, after it the
new ones. The draft of a single file needs no journal; what a kill leaves of it is swept up by the next run that
writes beside it (``sweep``).

A journal is believed only where this user's own notes know it (``voltfix.tokens``), and only about files below its
folder: it lies in other people's repositories.

Symbolic links are followed to the file that they point to. A hard link is cut, as git does: only a new file
can be renamed into place in one step.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from voltfix import tokens
from voltfix.discovery.hits import read

JOURNAL = ".voltfix-journal.json"
DONE = ".voltfix-journal.done"  # the journal of a group that is written: only drafts and backups are left to discard
_SINGLE = ".draft"
_Entries = list[tuple[str, str, str, str]]
_DRAFT, _BACKUP, _ALONE = (re.compile(rf"\.voltfix-[0-9a-f]{{12}}\.{ending}") for ending in ("new", "old", "draft"))
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EPERM)


class Write(NamedTuple):
    """New bytes for one file, and those that it must still have."""

    path: str
    before: bytes
    after: bytes


class WriteError(Exception):
    """A write that did not happen: ``kind`` as in FileError.

    The message says in which state the files are.
    """

    def __init__(self, path: str, kind: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.kind = kind
        self.message = message


class _Staged(NamedTuple):
    target: str
    draft: str
    backup: str
    write: Write


def write_together(writes: Sequence[Write], root: str) -> None:
    """Write all files or none; WriteError says why none was written.

    ``root`` is the folder that takes the journal.
    """
    if len(writes) == 1:
        _write_one(writes[0])
    elif writes:
        root = os.path.realpath(root)
        planned = [_planned(write) for write in writes]
        for item in planned:
            if not _is_below(item.target, root):
                message = f"was not written: it leads out of {root}, and belongs to a change of several files"
                raise WriteError(item.write.path, "unreadable", message)
        _write_all(planned, os.path.join(root, JOURNAL))


def _write_one(write: Write) -> None:
    item = _planned(write)._replace(draft=_beside(os.path.realpath(write.path), _SINGLE))
    fd: int | None = None
    try:
        fd = _stage(item)
        _check_unchanged(item)
        _replace(item)
    finally:
        _discard([item.draft])
        _close(fd)


def sweep(folders: Iterable[str]) -> None:
    """Delete the drafts of single files that killed runs left in some folders; those of runs at work are locked."""
    for folder in sorted(set(folders)):
        with suppress(OSError):
            for name in os.listdir(folder):
                if _ALONE.fullmatch(name):
                    _discard_unlocked(os.path.join(folder, name))


def _discard_unlocked(path: str) -> None:
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
        finally:
            _close(fd)


def _planned(write: Write) -> _Staged:
    """What is going to lie where; nothing is written yet."""
    target = os.path.realpath(write.path)
    return _Staged(target, _beside(target, ".new"), _beside(target, ".old"), write)


def _beside(target: str, ending: str) -> str:
    """A new name in a file's folder. A name can be 255 bytes long, so the file's own name is not part of it."""
    return os.path.join(os.path.dirname(target), f".voltfix-{os.urandom(6).hex()}{ending}")


def _stage(item: _Staged) -> int:
    """Put the new bytes beside the target, with the target's mode and owner, safely on the disk.

    The descriptor returned holds a lock on the draft for as long as this process lives.
    """
    fd: int | None = None
    try:
        status = os.stat(item.target)
        if not os.access(item.target, os.W_OK):
            raise PermissionError(errno.EACCES, "is read-only")
        fd = os.open(item.draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _fill(fd, item.write.after)
        _copy_ownership(fd, status)
        _copy_attributes(fd, item.target)
        os.fsync(fd)
    except OSError as error:
        _close(fd)
        raise _failed(item.write.path, error) from None
    except BaseException:
        _close(fd)
        raise
    return fd


def _close(fd: int | None) -> None:
    """Close what is on the disk already, or is not going to be: an error has nothing more to say."""
    if fd is not None:
        with suppress(OSError):
            os.close(fd)


def _fill(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _copy_ownership(fd: int, status: os.stat_result) -> None:
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(fd, status.st_uid, status.st_gid)
    os.fchmod(fd, stat.S_IMODE(status.st_mode))


def _copy_attributes(fd: int, target: str) -> None:
    """Extended attributes, access control lists among them.

    Those that the system gives away itself, such as labels of SELinux, stay as it set them where it insists.
    """
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(target)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return
        raise
    for name in names:
        try:
            os.setxattr(fd, name, os.getxattr(target, name))
        except OSError:
            if name.startswith(("user.", "system.posix_acl")):
                raise


def _check_unchanged(item: _Staged) -> None:
    try:
        now = read(item.target)
    except OSError as error:
        raise _failed(item.write.path, error) from None
    if now != item.write.before:
        raise WriteError(
            item.write.path, "changed", "was changed by someone else meanwhile; nothing written, run again"
        )


def _replace(item: _Staged) -> None:
    try:
        os.rename(item.draft, item.target)
    except OSError as error:
        raise _failed(item.write.path, error) from None
    try:
        _sync_folder(os.path.dirname(item.target))
    except OSError as error:
        message = f"is written, but may not outlive a power cut ({_words(error)})"
        raise WriteError(item.write.path, "unreadable", message) from None


def _write_all(planned: Sequence[_Staged], journal: str) -> None:
    """Rename all, with a journal; an error, or an interruption, undoes those that were done."""
    current = planned[0].write.path
    lock: int | None = None
    token = tokens.made()
    try:
        lock = _write_journal(journal, planned, token)
        for item in planned:
            current = item.write.path
            _close(_stage(item))
        for item in planned:
            current = item.write.path
            _check_unchanged(item)
            os.link(item.target, item.backup)
        for item in planned:
            current = item.write.path
            os.rename(item.draft, item.target)
        for folder in sorted({os.path.dirname(item.target) for item in planned}):
            _sync_folder(folder)
        os.rename(journal, _done(journal))  # from here on the new files stand
    except BaseException as error:
        if _roll_back(planned, journal if lock is not None else None):
            tokens.forget(token)
        if isinstance(error, OSError):
            more = " (nor any file that belongs to the same change)"
            raise _failed(current, error, more) from None
        raise
    finally:
        _close(lock)
    _discard(item.backup for item in planned)
    _discard([_done(journal)])
    tokens.forget(token)
    with suppress(OSError):
        _sync_folder(os.path.dirname(journal))


def _done(journal: str) -> str:
    return os.path.join(os.path.dirname(journal), DONE)


def _write_journal(journal: str, staged: Sequence[_Staged], token: str) -> int:
    """Say how to go back. The descriptor returned holds a lock for as long as this process lives."""
    entries = [
        {"target": item.target, "draft": item.draft, "backup": item.backup, "new": _digest(item.write.after)}
        for item in staged
    ]
    data = json.dumps({"token": token, "files": entries}).encode()
    tokens.note(token, os.path.dirname(journal), _digest(data))
    try:
        fd = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        said = f"{journal} is in the way: another voltfix is writing here, or it is no journal of a run of yours"
        raise OSError(errno.EEXIST, said) from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _fill(fd, data)
        os.fsync(fd)
        _sync_folder(os.path.dirname(journal))
    except BaseException:
        _discard([journal])
        os.close(fd)
        raise
    return fd


def _roll_back(staged: Sequence[_Staged], journal: str | None) -> bool:
    """Put the originals back. Should that fail, backups and journal stay, and the next run tries again."""
    complete = True
    for item in staged:
        try:
            if _differ(item.backup, item.target):
                os.rename(item.backup, item.target)
        except OSError:
            complete = False
    if complete:
        _discard(path for item in staged for path in (item.draft, item.backup))
        if journal is not None:
            _discard([_done(journal), journal])
    return complete


def recover(folder: str) -> list[str]:
    """Undo what a killed run left half done in ``folder``; the files that were put back.

    Does nothing while the process that wrote the journal is at work. WriteError where it cannot be undone.
    """
    folder = os.path.realpath(folder)
    restored = _recovered(os.path.join(folder, JOURNAL), _undo)
    _recovered(os.path.join(folder, DONE), _tidy)
    return restored


def left_behind(paths: Iterable[str]) -> list[str]:
    """The folders at, above or below some paths in which runs of this user left a journal."""
    asked = [os.path.realpath(path) for path in paths]
    found = []
    for token, root in tokens.open_roots():
        if not any(os.path.lexists(os.path.join(root, name)) for name in (JOURNAL, DONE)):
            tokens.forget_old(token)  # of a run that was killed before it wrote its journal, or after it took it away
        elif any(_is_below(path, root) or _is_below(root, path) for path in asked):
            found.append(root)
    return list(dict.fromkeys(found))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _recovered(journal: str, act: Callable[[str, _Entries], list[str]]) -> list[str]:
    """What ``act`` makes of a journal that no living process holds."""
    try:
        fd = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return act(journal, _entries(journal, read(journal)))
    except BlockingIOError:
        return []
    except OSError as error:
        raise _failed(journal, error) from None
    finally:
        os.close(fd)


def _entries(journal: str, data: bytes) -> _Entries:
    """What a journal says: target, draft, backup, digest of the new bytes; nothing if it was cut short."""
    try:
        document = json.loads(data)
        files = document["files"]
        found = [(str(f["target"]), str(f["draft"]), str(f["backup"]), str(f["new"])) for f in files]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []  # cut short while it was written: nothing had been done yet
    root = os.path.dirname(journal)
    known = tokens.noted(document.get("token"), root, _digest(data))
    if not known or not all(_belongs(root, *entry[:3]) for entry in found):
        raise WriteError(journal, "unreadable", f"is no journal of a run of yours{_backups(found)}; then delete it")
    return found


def _backups(entries: _Entries) -> str:
    """What to look at before a journal that is not believed goes: it may be a copy of one that was needed."""
    there = [path for _, _, path, _ in entries if _BACKUP.fullmatch(os.path.basename(path)) and os.path.lexists(path)]
    if not there:
        return "; look at it"
    listed = ", ".join(there[:3]) + (f" and {len(there) - 3} more" if len(there) > 3 else "")
    return f"; it speaks of files that may be versions from before a killed run: look at it and at {listed}"


def _undo(journal: str, entries: _Entries) -> list[str]:
    """Put the originals back."""
    restored = [target for target, _, backup, new in entries if _put_back(target, backup, new)]
    _tidy(journal, entries)
    return restored


def _tidy(journal: str, entries: _Entries) -> list[str]:
    """Discard what is needed no more."""
    _discard(path for _, draft, backup, _ in entries for path in (draft, backup))
    token = _token(journal)
    _discard([journal])
    tokens.forget(token)
    return []


def _token(journal: str) -> object:
    with suppress(OSError, ValueError, RecursionError, AttributeError):
        return json.loads(read(journal)).get("token")
    return None


def _put_back(target: str, backup: str, new: str) -> bool:
    """Undo one rename of a killed run, unless somebody has worked on the file since."""
    try:
        if not _differ(backup, target):
            return False
        if _digest(read(target)) != new:
            message = f"was changed after a run that was killed; the version before that run is {backup}"
            raise WriteError(target, "changed", message)
        os.rename(backup, target)
    except OSError as error:
        raise _failed(target, error) from None
    return True


def _differ(backup: str, target: str) -> bool:
    """Whether there is a backup, and the target is another file by now."""
    return os.path.exists(backup) and not (os.path.exists(target) and os.path.samefile(backup, target))


def _digest(data: bytes) -> str:
    import hashlib  # only what is written is asked for this

    return hashlib.sha256(data).hexdigest()


def _belongs(root: str, target: str, draft: str, backup: str) -> bool:
    """A target below the journal's folder; beside it a draft and a backup of names that voltfix gives."""
    beside = os.path.dirname(target)
    return (
        os.path.realpath(target) == target
        and _is_below(beside, root)
        and os.path.dirname(draft) == os.path.dirname(backup) == beside
        and bool(_DRAFT.fullmatch(os.path.basename(draft)))
        and bool(_BACKUP.fullmatch(os.path.basename(backup)))
    )


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(fd)


def _discard(paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(OSError):
            os.unlink(path)


def _failed(path: str, error: OSError, more: str = "") -> WriteError:
    return WriteError(path, "unreadable", f"was not written{more}: {_words(error)}")


def _words(error: OSError) -> str:
    return (error.strerror or "error").lower()
