"""Options of the command line over settings of pyproject.toml over defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from voltfix.cli.settings import Settings, SettingsError, check_keys, find

_COMMAND_LINE_ONLY = ("paths", "config", "version", "help")
# what a repository cannot ask for: files to be written, and less of a sandbox for its own code
_NO_SETTING = {
    "exit-zero": "it hides that something is left to do",
    "report": "it names a file to write",
    "write-baseline": "it names a file to write",
    "save-plan": "it names a file to write",
    "weak-sandbox": "it lets code of the repository run with less around it",
}


def configured(
    ctx: click.Context, paths: Sequence[str], config: str | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options with settings filled in where the command line says nothing.

    Bad settings end the run with 2.
    """
    try:
        settings = find(paths, config)
        if not settings.values:
            return dict(options)
        return _merged(ctx, settings, options)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def _merged(ctx: click.Context, settings: Settings, options: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        str(parameter.name).replace("_", "-"): parameter
        for parameter in ctx.command.params
        if parameter.name not in _COMMAND_LINE_ONLY
    }
    values = {str(name).replace("_", "-"): value for name, value in settings.values.items()}
    check_keys(Settings(values, settings.path), sorted(parameters))
    merged = dict(options)
    for key, value in values.items():
        name = str(parameters[key].name)
        if (cause := _NO_SETTING.get(key) or _no_setting(key, value)) is not None:
            raise SettingsError(f"{settings.path}: {key!r} is for the command line alone, for {cause}")
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            continue
        try:
            merged[name] = _converted(ctx, parameters[key], key, value)
        except SettingsError as error:
            raise SettingsError(f"{settings.path}: {error}") from None
        if name == "baseline":
            merged[name] = os.path.join(settings.folder, merged[name])
        if name in ("exclude", "per_file_ignores"):
            merged[f"{name}_base"] = settings.folder
    return merged


def _no_setting(key: str, value: Any) -> str | None:
    if key == "device" and "cuda" in str(value):
        return "the sandbox is looser beside CUDA"
    return None


def _converted(ctx: click.Context, parameter: click.Parameter, key: str, value: Any) -> Any:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if not isinstance(value, bool):
            raise SettingsError(f"setting {key!r} is {value!r}; it has to be true or false")
        return value
    try:
        return parameter.type.convert(value, parameter, ctx)
    except click.BadParameter as error:
        raise SettingsError(f"setting {key!r}: {error.message}") from None
