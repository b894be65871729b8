"""Where in the user's code something happened: file, line, and the name that the line assigns to."""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

_TORCH = "torch"
_OWN = "voltfix.verify"


class Site(NamedTuple):
    """A line of the user's code; ``target`` is what the statement on it assigns to, or an empty string."""

    path: str
    line: int
    target: str


def user_frames(frame: FrameType | None) -> list[FrameType]:
    """The frames of a call stack that are neither torch's nor ours, innermost first."""
    found = []
    while frame is not None:
        module: str = frame.f_globals.get("__name__", "")
        if not (module == _TORCH or module.startswith((_TORCH + ".", _OWN))):
            found.append(frame)
        frame = frame.f_back
    return found


def site_here(folder: Path) -> Site | None:
    """The innermost line below ``folder`` on the present call stack."""
    for frame in user_frames(sys._getframe(1)):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(folder):
            return Site(
                path.relative_to(folder).as_posix(), frame.f_lineno, _target(str(path), frame.f_lineno)
            )
    return None


def site_of(error: BaseException, folder: Path) -> Site | None:
    """The innermost line below ``folder`` that an error passed through."""
    site = None
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(folder):
            site = Site(path.relative_to(folder).as_posix(), trace.tb_lineno, "")
        trace = trace.tb_next
    return site


def _target(path: str, line: int) -> str:
    return _targets(path).get(line, "")


@functools.lru_cache(maxsize=256)
def _targets(path: str) -> dict[int, str]:
    """For every line of a file, the target of the assignment that covers it."""
    from voltfix.verify.legacy_source import parse_legacy

    try:
        tree = parse_legacy(Path(path).read_bytes(), path)
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        targets: list[Any] = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            text = ", ".join(ast.unparse(target) for target in targets)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = text
    return found
