"""``[tool.voltfix]`` of the nearest pyproject.toml that has it.

Unknown keys are errors, with a suggestion.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voltfix.cli.likeliest import likeliest
from voltfix.discovery.roots import ancestors

MAX_BYTES = 4 << 20


class SettingsError(Exception):
    """Settings that cannot be used; the message says which file, what, and what to do."""


class Settings(NamedTuple):
    """The table as it stands, and the file that it is from; relative paths in it start from the folder of that."""

    values: Mapping[str, Any]
    path: str

    @property
    def folder(self) -> str:
        """The folder that relative paths start from."""
        return os.path.dirname(self.path)


def find(paths: Sequence[str], explicit: str | None = None) -> Settings:
    """The settings for ``paths``.

    Those of ``explicit``, or of the nearest pyproject.toml above what they have in common: up to the root of the
    repository, or, outside of any, as far up as the files are this user's.
    """
    if explicit is not None:
        table = _table(explicit, required=True)
        return Settings(table or {}, os.path.abspath(explicit))
    start = _common_folder(paths)
    above = list(ancestors(start))
    root = next((at for at, folder in enumerate(above) if os.path.lexists(os.path.join(folder, ".git"))), None)
    for folder in above[: None if root is None else root + 1]:
        path = os.path.join(folder, "pyproject.toml")
        if root is None and folder != start and _is_strange(path):
            continue
        table = _table(path, required=False)
        if table is not None:
            return Settings(table, path)
    return Settings({}, os.path.join(os.getcwd(), "pyproject.toml"))


def _is_strange(path: str) -> bool:
    """Whether somebody else put this file here, as anybody can in /tmp."""
    with contextlib.suppress(OSError):
        return os.stat(path).st_uid not in (os.geteuid(), 0)
    return False


def _common_folder(paths: Sequence[str]) -> str:
    absolute = [os.path.abspath(path) for path in paths if path != "-"] or [os.getcwd()]
    common = os.path.commonpath(absolute) if len(absolute) > 1 else absolute[0]
    return common if os.path.isdir(common) else os.path.dirname(common)


def _table(path: str, required: bool) -> Mapping[str, Any] | None:
    """``[tool.voltfix]`` (in a file that is no pyproject.toml, its top level will do).

    None if there is none.
    """
    try:
        data = _read(path, required)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise SettingsError(
                f"{path}: there is no such file; give --config the path of a TOML file"
            ) from None
        return None
    except OSError as error:
        if not required and not os.path.isfile(path):
            return None  # a folder or a pipe of that name configures nothing
        raise SettingsError(f"{path}: cannot be read ({(error.strerror or 'error').lower()})") from None
    if not required and b"voltfix" not in data:
        return None
    document = _parse(path, data)
    tool = document.get("tool")
    table = tool.get("voltfix") if isinstance(tool, dict) else None
    if table is None:
        return document if required and os.path.basename(path) != "pyproject.toml" else None
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: tool.voltfix is no table; write the settings below [tool.voltfix]")
    return table


def _read(path: str, named: bool) -> bytes:
    """The bytes of a file; a pipe is read where somebody named it (``--config <(...)``), not where it lies about."""
    flags = os.O_RDONLY | os.O_CLOEXEC | (0 if named else os.O_NONBLOCK)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if not named and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "is not a regular file")
        return file.read(MAX_BYTES)


def _parse(path: str, data: bytes) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: is no valid TOML ({error})") from None


def check_keys(settings: Settings, known: Sequence[str]) -> None:
    """Refuse keys that no option has, and say which one was meant."""
    for name in settings.values:
        if name not in known:
            close = likeliest(str(name), known, 0.6)
            hint = f"did you mean {close!r}?" if close else f"known are {', '.join(sorted(known))}"
            raise SettingsError(f"{settings.path}: there is no setting {name!r}; {hint}")
