"""``[tool.voltfix]`` of the nearest pyproject.toml that has it.

Unknown keys are errors, with a suggestion.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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

    Those of ``explicit``, or of the nearest pyproject.toml above what they have in common.
    """
    if explicit is not None:
        table = _table(explicit, required=True)
        return Settings(table or {}, os.path.abspath(explicit))
    folder = _common_folder(paths)
    while True:
        path = os.path.join(folder, "pyproject.toml")
        table = _table(path, required=False)
        if table is not None:
            return Settings(table, path)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings({}, os.path.join(os.getcwd(), "pyproject.toml"))
        folder = parent


def _common_folder(paths: Sequence[str]) -> str:
    absolute = [os.path.abspath(path) for path in paths if path != "-"] or [os.getcwd()]
    common = os.path.commonpath(absolute) if len(absolute) > 1 else absolute[0]
    return common if os.path.isdir(common) else os.path.dirname(common)


def _table(path: str, required: bool) -> Mapping[str, Any] | None:
    """``[tool.voltfix]`` (in a file that is no pyproject.toml, its top level will do).

    None if there is none.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise SettingsError(
                f"{path}: there is no such file; give --config the path of a TOML file"
            ) from None
        return None
    except OSError as error:
        if os.path.isdir(path) and not required:
            return None  # a folder of that name configures nothing
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
            import difflib

            close = difflib.get_close_matches(str(name), known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"
            raise SettingsError(f"{settings.path}: unknown setting {name!r}; {hint}")
