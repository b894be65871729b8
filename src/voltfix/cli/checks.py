"""What can be known to be wrong with a request before anything is read or written."""

from __future__ import annotations

import os
from collections.abc import Iterable

import click

from voltfix.cli.likeliest import likeliest
from voltfix.cli.request import Request


def check(request: Request, commands: Iterable[str]) -> Request:
    """The request; a usage error, with what to do instead, for what cannot be meant."""
    if request.output_format in ("text", "concise"):  # a machine is told of a missing path in its own format
        _check_first_word(request.paths[0], commands)
        _check_words(request.paths, commands)
    per_file = [code for _, codes in request.per_file_ignores for code in codes]
    if request.select or request.ignore or per_file:
        _check_codes((*request.select, *request.ignore, *per_file))
    for option in ("report", "write_baseline", "save_plan"):
        if (path := getattr(request, option)) is not None:
            _check_target(option.replace("_", "-"), path)
    if request.baseline is not None and not os.path.isfile(request.baseline):
        if request.write_baseline is not None:
            return request._replace(baseline=None)  # it is about to be made for the first time
        raise click.UsageError(
            f"--baseline {request.baseline}: there is no such file; make it with"
            f" voltfix --check --write-baseline {request.baseline} {' '.join(request.paths)}"
        )
    if request.baseline is not None:
        _check_baseline(request.baseline)
    return request


def _check_first_word(word: str, commands: Iterable[str]) -> None:
    if os.path.lexists(word) or word == "-":
        return
    meant = likeliest(word, commands, 0.75)
    if meant is not None:
        raise click.UsageError(f"there is no file or folder {word!r}; did you mean: voltfix {meant}")


def _check_words(words: Iterable[str], commands: Iterable[str]) -> None:
    """What is no file, and is written as another command wants it."""
    for at, word in enumerate(words):
        if os.path.lexists(word):
            continue
        if at and word in commands:
            raise click.UsageError(f"{word!r} is no file or folder; name the command first: voltfix {word} PATH")
        path, colon, line = word.rpartition(":")
        if colon and line.isdecimal() and os.path.isfile(path):
            raise click.UsageError(f"{word!r} is a line, and only whole files are read here: voltfix explain {word}")


def _check_codes(prefixes: Iterable[str]) -> None:
    from voltfix.rulebook import all_rules

    codes = [text.code for text in all_rules()]
    for prefix in prefixes:
        if not any(code.startswith(prefix) for code in codes):
            hint = f"did you mean {close}?" if (close := likeliest(prefix, codes)) else "voltfix rule lists them"
            raise click.UsageError(f"there is no rule {prefix!r}; {hint}")


def _check_baseline(path: str) -> None:
    """One that cannot be used is said so before a file is rewritten."""
    from voltfix.cli.baseline import accepted
    from voltfix.cli.settings import SettingsError

    try:
        accepted(path, (), {})
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def _check_target(option: str, path: str) -> None:
    """A file that is to be written: its folder has to be there now, not after the work is done."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise click.UsageError(f"--{option} {path}: there is no folder {folder}; make it first")
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise click.UsageError(f"--{option} {path}: cannot be written; name a file that can")
