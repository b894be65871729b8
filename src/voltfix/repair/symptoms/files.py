"""Files: their modes, their bytes, and arrays written in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_NEW = "https://docs.python.org/3/whatsnew/3.0.html"
_OPENS = frozenset({"open", "file", "File"})


def binary(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Bytes in a file that was opened for text, and text in one that was opened for bytes."""
    wants_text = re.search(r"not '?str'?$|should be opened in text|return strings, not bytes", match.string) is not None
    for node in _openings(place):
        mode = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
        if isinstance(mode, ast.Constant) and isinstance(mode.value, str):
            old = mode.value
            new = old.replace("b", "") if "b" in old else f"{old.replace('U', '')}b"
            if ("b" in old) == wants_text:
                told = "holds text: opened as such" if wants_text else "holds bytes: opened as such"
                yield place.mend("VF218", mode, f'"{new}"', told, seen=place.event.head)
        elif mode is None and not wants_text and not node.keywords:
            text = f'{place.text(node).rstrip()[:-1]}, "rb")'
            yield place.mend("VF218", node, text, "holds bytes: opened as such", seen=place.event.head)


def _openings(place: Place) -> Iterator[ast.Call]:
    """Where the file that the statement speaks of was opened: in it, around it, by its name, or one name further."""
    statement = place.statement
    if statement is None:
        return
    inside = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and _is_open(node)]
    yield from inside
    parents = place.scene.project.parents(place.path, statement)
    for above in [*parents]:
        for item in above.items if isinstance(above, ast.With) else ():
            if isinstance(item.context_expr, ast.Call) and _is_open(item.context_expr):
                yield item.context_expr
    todo: list[ast.expr] = [node for node in place.expressions() if isinstance(node, (ast.Name, ast.Attribute))]
    for _ in range(3):
        found: list[ast.expr] = []
        for node in todo:
            for path, value in place.made(node):
                for call in ast.walk(value) if path == place.path else ():
                    if isinstance(call, ast.Call) and _is_open(call):
                        yield call
                    elif isinstance(call, ast.Name) and isinstance(call.ctx, ast.Load):
                        found.append(call)
        todo = found


def _is_open(node: ast.Call) -> bool:
    return called(node) in ("open", "file")


def universal(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``open(name, "rU")``: what Python 3 does anyway."""
    for node in place.within():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "U" in node.value and len(node.value) < 4:
            new = node.value.replace("U", "") or "r"
            yield place.mend("VF218", node, f'"{new}"', "reads every kind of line as it is", seen=place.event.head)


def parsed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``np.fromstring`` of bytes."""
    for node in place.calls("fromstring"):
        if isinstance(node.func, ast.Attribute):
            kept = list(node.args) + [k for k in node.keywords if k.arg not in ("sep", "count")]
            inner = ", ".join(place.text(argument) for argument in kept)
            text = f"{place.text(node.func.value)}.frombuffer({inner}).copy()"
            yield place.mend("VF209", node, text, "reads bytes: frombuffer", seen=place.event.head)


def created(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``h5py.File(name)``, which opened what is there and made what is not."""
    for node in place.calls("File"):
        if len(node.args) == 1 and not any(k.arg == "mode" for k in node.keywords):
            told = 'was opened for reading and writing: mode "a"'
            yield place.mend("VF209", node, place.with_keyword(node, '"a"'), told, seen=place.event.head)


def split(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """What a process or a connection gave are bytes: they are read as text where they are taken apart."""
    for node in place.expressions():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = place.value(node.func.value)
            if value is not None and value.type == "builtins.bytes":
                text = f"{place.atom(node.func.value)}.decode()"
                yield place.mend("VF218", node.func.value, text, "is bytes: .decode()")
            elif node.func.attr == "encode":
                told = "stays text: no .encode()"
                yield place.mend("VF218", node, place.text(node.func.value), told, seen=place.event.head)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            for side in (node.left, node.right):
                value = place.value(side)
                if value is not None and value.type == "builtins.bytes":
                    yield place.mend("VF218", side, f"{place.atom(side)}.decode()", "is bytes: .decode()")


def summed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``hashlib.md5(text)``."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and len(node.args) == 1:
            yield place.mend(
                "VF218", node.args[0], f"{place.atom(node.args[0])}.encode()", "is taken as bytes: .encode()"
            )


SYMPTOMS = (
    Symptom(
        "VF218",
        "bytes-as-text",
        ("TypeError", "UnicodeDecodeError", "Error"),
        r"must be str, not bytes|bytes-like object is required|can't decode byte|return strings, not bytes",
        "files were of bytes",
        _NEW,
        binary,
    ),
    Symptom(
        "VF218",
        "bytes-taken-apart",
        ("TypeError",),
        r"a bytes-like object is required, not 'str'|can only concatenate str \(not \"bytes\"|can't concat \w+ to \w+"
        r"|must be str, not bytes",
        "text and bytes were one",
        _NEW,
        split,
    ),
    Symptom(
        "VF218",
        "text-for-bytes",
        ("TypeError",),
        r"must be encoded before hashing",
        "text and bytes were one",
        _NEW,
        summed,
    ),
    Symptom(
        "VF218",
        "mode-that-is-gone",
        ("ValueError",),
        r"invalid mode: '\w*U",
        "lines of every kind were read so",
        _NEW,
        universal,
    ),
    Symptom(
        "VF209",
        "array-of-bytes",
        ("ValueError",),
        r"binary mode of fromstring",
        "it read bytes",
        "https://numpy.org/doc/stable/release/2.3.0-notes.html",
        parsed,
    ),
    Symptom(
        "VF209",
        "file-that-was-made",
        ("FileNotFoundError", "OSError", "ValueError", "KeyError"),
        r"[Uu]nable to (synchronously )?(open|create)|no write intent",
        "a file that was not there was made",
        "https://docs.h5py.org/en/stable/whatsnew/3.0.html",
        created,
    ),
)
