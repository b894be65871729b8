"""From the command line to the list of repositories: manifests, folders of checkouts, git URLs."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from voltfix.batch.model import Repository

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:|[\w-]+\.[\w.-]+:(?!/?/)", re.IGNORECASE)
_KEYS = ("source", "name", "base", "branch", "command")
MAX_BYTES = 64 << 20


class ManifestError(Exception):
    """A list that cannot be used; the message says where and what to do."""


def collect(sources: Iterable[str]) -> list[Repository]:
    """The repositories that ``sources`` name, each once, with names that no two share."""
    found: dict[str, Repository] = {}
    for source in sources:
        for repository in _entries(source):
            found.setdefault(repository.source, repository)
    return _named(list(found.values()))


def _entries(source: str) -> Iterator[Repository]:
    if is_url(source):
        yield Repository("", _canonical(source, "."))
    elif os.path.isdir(source):
        yield from _folder(source)
    elif os.path.isfile(source):
        yield from _manifest(source)
    else:
        raise ManifestError(f"{source}: is no list of repositories, no folder and no git URL")


def is_url(source: str) -> bool:
    """Whether git would fetch this from elsewhere (``file://`` too)."""
    return bool(_URL.match(source))


def is_repository(folder: str) -> bool:
    """Whether a checkout or a bare repository lies here."""
    return os.path.exists(os.path.join(folder, ".git")) or all(
        os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")
    )


def _folder(folder: str) -> Iterator[Repository]:
    """The folder itself if it is a repository, else every folder in it: one that is none fails by itself."""
    if is_repository(folder):
        yield Repository("", os.path.abspath(folder))
        return
    with os.scandir(folder) as entries:
        inside = sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    if not inside:
        raise ManifestError(f"{folder}: holds no repository")
    for name in inside:
        yield Repository("", os.path.abspath(os.path.join(folder, name)))


def _manifest(path: str) -> Iterator[Repository]:
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ManifestError(f"{path}: is larger than {MAX_BYTES >> 20} MiB; split it")
    try:
        text = data.decode("utf-8")
    except ValueError:
        raise ManifestError(f"{path}: is no UTF-8 text, so it is no list of repositories") from None
    if path.endswith(".toml"):
        yield from _tables(path, text)
    else:
        yield from _lines(path, text)


def _lines(path: str, text: str) -> Iterator[Repository]:
    base = os.path.dirname(path) or "."
    for line in text.splitlines():
        source = line.strip()
        if source and not source.startswith("#"):
            yield Repository("", _canonical(source, base))


def _tables(path: str, text: str) -> Iterator[Repository]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: is no valid TOML ({error})") from None
    tables = document.get("repository")
    if not isinstance(tables, list) or not tables:
        raise ManifestError(f"{path}: holds no [[repository]] table")
    for number, table in enumerate(tables, 1):
        yield _table(f"{path}: repository {number}", table, os.path.dirname(path) or ".")


def _table(where: str, table: Any, base: str) -> Repository:
    if not isinstance(table, Mapping) or "source" not in table:
        raise ManifestError(f"{where}: has no source")
    for key, value in table.items():
        if key not in _KEYS:
            raise ManifestError(f"{where}: unknown key {key!r}; known are {', '.join(_KEYS)}")
        if not isinstance(value, str):
            raise ManifestError(f"{where}: {key} has to be a string")
    values = {**table, "source": _canonical(table["source"], base)}
    return Repository(**{"name": "", **values})


def _canonical(source: str, base: str) -> str:
    """A URL as it is, a path absolute and relative to the manifest's folder."""
    if source.startswith("-"):
        raise ManifestError(f"{source}: a source cannot start with a dash")
    return source if is_url(source) else os.path.normpath(os.path.join(os.path.abspath(base), source))


def _named(repositories: list[Repository]) -> list[Repository]:
    """Names for folders: the last part of the source, with a digest of it where that is not enough."""
    wanted = [_slug(repository.name or repository.source) for repository in repositories]
    folded = [name.casefold() for name in wanted]
    taken = {name for name in folded if folded.count(name) > 1} if len(set(folded)) < len(folded) else set()
    return [
        replace(r, name=f"{name}-{_digest(r.source)}" if name.casefold() in taken else name)
        for r, name in zip(repositories, wanted, strict=True)
    ]


def _slug(text: str) -> str:
    last = re.split(r"[/:]", text.rstrip("/").removesuffix("/.git").removesuffix(".git"))[-1]
    slug = re.sub(r"[^\w.+-]+", "-", last, flags=re.ASCII).strip(".-")
    return slug[:80] or "repository"


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()[:8]
