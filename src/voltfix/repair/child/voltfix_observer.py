"""Writes down what stops a command: the exception, the frames in the project, the operands on their lines.

Runs in the command's process, and in those that it starts: the standard library alone, Python 3.8 on.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
import threading
import traceback
import warnings
from typing import Any

import voltfix_cells  # type: ignore[import-not-found]
import voltfix_values  # type: ignore[import-not-found]

_MOST = 300  # exceptions and warnings of one process
_FRAMES = 12
_state: dict[str, Any] = {"out": None, "roots": (), "count": 0, "anomaly": False, "seen": set()}
_trees: dict[str, ast.Module] = {}


def start(settings: Any) -> Any:
    """Watch this process; ``settings`` is JSON."""
    given = json.loads(settings)
    _state.update(out=given["out"], roots=tuple(given["roots"]), anomaly=given.get("anomaly", False))
    sys.excepthook = _before(sys.excepthook, lambda cls, value, trace: note(value, "ended"))
    if hasattr(threading, "excepthook"):
        threading.excepthook = _before(threading.excepthook, lambda args: note(args.exc_value, "thread"))
    made = traceback.TracebackException.__init__

    def init(self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **options: Any) -> Any:
        if isinstance(exc_value, BaseException):
            note(exc_value, "told")
        made(self, exc_type, exc_value, exc_traceback, *args, **options)

    traceback.TracebackException.__init__ = init  # type: ignore[method-assign]
    shown = getattr(warnings, "_showwarnmsg", None)
    if shown is not None:
        warnings._showwarnmsg = _before(shown, _warned)  # type: ignore[attr-defined]
    from voltfix_meanings import watch  # type: ignore[import-not-found]

    watch(meaning, _state["anomaly"])
    voltfix_cells.watch(note)


def _before(inner: Any, act: Any) -> Any:
    """``inner``, after ``act``, which may fail."""

    def outer(*args: Any, **options: Any) -> Any:
        with contextlib.suppress(Exception):
            act(*args)
        return inner(*args, **options)

    return outer


def note(error: Any, how: Any) -> Any:
    """Write an exception down, once."""
    if isinstance(error, (KeyboardInterrupt, GeneratorExit)) or getattr(error, "_voltfix_noted", False):
        return
    with contextlib.suppress(Exception):
        error._voltfix_noted = True
    chain: list[Any] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(chain) < 4:
        seen.add(id(error))
        chain.append(_exception(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    _write({"event": "exception", "how": how, "chain": chain})


def _exception(error: Any) -> Any:
    made = {
        "type": type(error).__name__,
        "bases": [cls.__name__ for cls in type(error).__mro__],
        "message": _text(error)[:2000],
        "frames": [],
        "beneath": [],
    }
    if isinstance(error, SyntaxError):
        made["syntax"] = {"file": error.filename, "line": error.lineno, "column": error.offset, "text": error.text}
        made["syntax"]["cell"] = voltfix_cells.source(error.filename or "")
    for name in ("name", "obj"):
        if isinstance(error, (NameError, AttributeError, ImportError)) and getattr(error, name, None) is not None:
            value = getattr(error, name)
            made[name] = value if isinstance(value, str) and name == "name" else voltfix_values.describe(value)
    if isinstance(error, KeyError) and error.args:
        made["key"] = voltfix_values.describe(error.args[0])
    trace, last = error.__traceback__, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if _is_ours(code.co_filename):
            made["beneath"] = []
            made["frames"].append((trace.tb_frame, trace.tb_lineno, trace.tb_lasti))
        else:
            made["beneath"].append([code.co_filename.replace(os.sep, "/").split("/site-packages/")[-1], code.co_name])
        last, trace = trace, trace.tb_next
    made["frames"] = [_frame(*given) for given in made["frames"][-_FRAMES:]]
    made["beneath"] = made["beneath"][:_FRAMES]
    if last is not None:
        made["last"] = [last.tb_frame.f_code.co_filename, last.tb_lineno]
    return made


def _text(error: Any) -> Any:
    try:
        return str(error)
    except Exception:
        return ""


def _is_ours(name: Any) -> Any:
    if voltfix_cells.source(name) is not None:
        return True
    if not name or name[0] == "<":
        return False
    path = os.path.realpath(name)  # compiled extensions have names that are relative to where they were built
    return path.startswith(_state["roots"]) and os.path.exists(path)


def _frame(frame: Any, line: Any, instruction: Any) -> Any:
    code = frame.f_code
    cell = voltfix_cells.source(code.co_filename)
    name = os.path.realpath(code.co_filename) if cell is None else code.co_filename
    made = {"file": name, "cell": cell, "line": line, "function": code.co_name, "position": None, "values": []}
    if hasattr(code, "co_positions"):
        places = list(code.co_positions())
        place = places[instruction // 2] if 0 <= instruction // 2 < len(places) else (None,) * 4
        if None not in place:
            made["position"] = [place[0], place[2], place[1], place[3]]
    with contextlib.suppress(Exception):
        statement = _statement(name, line, made["position"])
        if statement is not None:
            made["values"] = voltfix_values.described(statement, frame)
    return made


def _statement(name: Any, line: Any, place: Any) -> Any:
    """The innermost statement on a line of a file; of several there, that which holds the place."""
    if name not in _trees:
        cell = voltfix_cells.source(name)
        if cell is not None:
            _trees[name] = ast.parse(cell)
        else:
            with open(name, "rb") as file:
                _trees[name] = ast.parse(file.read())
    found: list[ast.stmt] = []
    for node in ast.walk(_trees[name]):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            found.append(node)
    if place is not None:
        start, end = (place[0], place[1]), (place[2], place[3])
        inside = [n for n in found if (n.lineno, n.col_offset) <= start and end <= (n.end_lineno, n.end_col_offset)]
        found = inside or found
        return max(found, key=lambda node: (node.lineno, node.col_offset), default=None)
    return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)


def _caller() -> Any:
    """The innermost frame of the project that is running now."""
    frame: Any = sys._getframe(1)
    while frame is not None and not _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _warned(message: Any) -> Any:
    text = str(message.message)
    frame = None
    if "Traceback of forward call" not in text:
        frame = _caller()
        if frame is None:
            return
    _notice("warning", message.category.__name__, text, frame)


def meaning(name: Any, frame: Any) -> Any:
    """Something ran that means something else today than it did on 0.3."""
    if frame is None:  # nothing by itself, but the way to what fails later
        frame = _caller()
        if frame is not None:
            _notice("trace", name, name, frame)
    elif _is_ours(frame.f_code.co_filename):
        _notice("meaning", name, name, frame)


def _notice(event: Any, kind: Any, text: Any, frame: Any) -> Any:
    key = (event, kind, text[:200], frame and frame.f_code.co_filename, frame and frame.f_lineno)
    if key in _state["seen"]:
        return
    _state["seen"].add(key)
    frames = [] if frame is None else [_frame(frame, frame.f_lineno, frame.f_lasti)]
    _write({"event": event, "type": kind, "message": text[:500] + text[500:][-9000:], "frames": frames})


def _write(made: Any) -> Any:
    _state["count"] += 1
    if _state["count"] > _MOST:
        return
    name = os.path.join(_state["out"], f"{os.getpid()}-{_state['count']:04d}.json")
    import time

    made["time"] = time.time()
    with open(name + ".part", "w") as file:
        json.dump(made, file, default=str)
    os.replace(name + ".part", name)
