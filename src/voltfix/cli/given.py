"""The options of a command line that the next command has to be given, too, to do what this one showed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
from click.core import ParameterSource

# those that decide what is written; the others say where it goes, how it looks, or how fast it is there
_DECIDE = (
    "break_api", "keep_signatures", "modernize", "unsafe_fixes", "todo", "select", "ignore", "per_file_ignores",
    "exclude", "torch_version", "verify", "device", "weak_sandbox", "search", "baseline", "config",
)  # fmt: skip
OF_EXPLAIN = ("--break-api", "--keep-signatures", "--verify", "--no-verify", "--device", "--weak-sandbox")


def given(ctx: click.Context, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words, one an option: ``--modernize``, ``--select=VF101,VF102``."""
    return tuple(word for name in _DECIDE for word in _word(ctx, name, values.get(name, ctx.params.get(name))))


def _word(ctx: click.Context, name: str, value: Any) -> Iterator[str]:
    if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE or value is None:
        return
    option = f"--{name.replace('_', '-')}"
    if name == "verify" and ctx.params.get("verify_quick"):
        yield "--verify=quick"
    elif isinstance(value, bool):
        yield option if value else option.replace("--", "--no-", 1)
    elif name == "per_file_ignores":
        yield f"{option}={','.join(f'{pattern}:{code}' for pattern, codes in value for code in codes)}"
    elif isinstance(value, tuple):
        yield f"{option}={('.' if name == 'torch_version' else ',').join(map(str, value))}"
    else:
        yield f"{option}={value:g}" if isinstance(value, float) else f"{option}={value}"


def of_explain(words: tuple[str, ...]) -> tuple[str, ...]:
    """Those of them that ``voltfix explain`` knows."""
    return tuple(word for word in words if word != "--verify=quick" and word.partition("=")[0] in OF_EXPLAIN)
