"""The command line in this process: many small runs are asked for here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from voltfix.cli import main as console
from voltfix.cli.main import ALIASES, main


@dataclass
class Done:
    """What a run left, as ``subprocess`` tells it."""

    returncode: int
    stdout: bytes
    stderr: bytes


def running_in(folder, monkeypatch) -> Callable[..., Done]:
    """Runs the main command in ``folder``, by ``check`` and ``fix`` too."""
    monkeypatch.chdir(folder)

    def run(*arguments: str, stdin: bytes = b"") -> Done:
        if arguments and arguments[0] in ALIASES:
            arguments = (*ALIASES[arguments[0]][0], *arguments[1:])
        result = CliRunner().invoke(main, arguments, input=stdin, prog_name="voltfix")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout_bytes, result.stderr_bytes)

    return run


def entered(folder, monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: bytes = b"") -> Done:
    """What the console script does in ``folder``, subcommands and all; what it runs shares one runner."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["voltfix", *arguments])
    # which are for a process that ends
    monkeypatch.setattr(console, "gc", SimpleNamespace(set_threshold=lambda *_: None, freeze=lambda: None))
    with CliRunner().isolation(input=stdin) as (out, error, *_), pytest.raises(SystemExit) as ended:
        console.entry()
    return Done(ended.value.code, out.getvalue(), error.getvalue())
