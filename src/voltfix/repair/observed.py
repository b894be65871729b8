"""What a run told: exceptions and warnings, the project's frames, and what the operands on their lines were."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from voltfix.records import dataclass

Position = tuple[int, int, int, int]  # line, column, end line, end column; columns in bytes, as ast counts them
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # torch writes some words of a message in bold


@dataclass(frozen=True)
class Value:
    """What one expression held. ``kind``: tensor, array, number, text, constant, container, module, callable, other."""

    kind: str
    type: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    grad: bool = False
    leaf: bool = True
    value: Any = None
    length: int | None = None
    items: tuple[Value, ...] = ()

    @property
    def is_tensor(self) -> bool:
        """Whether it is torch's."""
        return self.kind == "tensor"

    @property
    def is_scalar(self) -> bool:
        """Whether it is a tensor, or an array, without dimensions."""
        return self.kind in ("tensor", "array") and self.shape == ()

    @property
    def count(self) -> int | None:
        """How many elements it holds."""
        if self.shape is None:
            return None
        total = 1
        for size in self.shape:
            total *= size
        return total

    @property
    def is_whole(self) -> bool:
        """Whether its elements are whole numbers."""
        return self.dtype is not None and self.dtype.startswith(("int", "uint"))

    @property
    def is_floating(self) -> bool:
        """Whether its elements are fractions."""
        return self.dtype is not None and "float" in self.dtype

    def told(self) -> str:
        """In words, for evidence."""
        if self.kind in ("tensor", "array"):
            what = f"{self.dtype} {'tensor' if self.kind == 'tensor' else 'array'}"
            return f"a 0-dim {what}" if self.shape == () else f"a {what} of shape {list(self.shape or ())}"
        if self.kind == "number":
            return f"the number {self.value}"
        if self.kind == "container":
            return f"a {self.type.rpartition('.')[2]} of {self.length}"
        return f"a {self.type.removeprefix('builtins.')}"


@dataclass(frozen=True)
class Frame:
    """One frame in the project. ``position`` is that of the expression that failed, where Python knows it (3.11)."""

    file: str
    line: int
    function: str
    position: Position | None
    values: Mapping[Position, Value] = field(default_factory=dict)
    cell: str | None = None  # the text of the cell that it stands in, as the kernel knows it


@dataclass(frozen=True)
class Event:
    """An exception, a warning, or an operation that changed its meaning. ``frames``: the outermost first."""

    kind: str  # exception, warning, meaning, trace
    type: str
    message: str
    bases: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    beneath: tuple[tuple[str, str], ...] = ()  # file and function of what the innermost frame called
    name: str | None = None  # of NameError, AttributeError, ImportError
    owner: Value | None = None  # whose attribute it was
    key: Value | None = None  # of KeyError
    syntax: Mapping[str, Any] | None = None
    time: float = 0.0

    @property
    def head(self) -> str:
        """Type and first line of the message."""
        lines = self.message.strip().splitlines()
        return f"{self.type}: {lines[0]}" if lines else self.type


@dataclass(frozen=True)
class Run:
    """How the command ended, and what was seen on the way; ``stops`` has what is nearest to the end first."""

    code: int | None  # None: it was stopped because time was up
    stops: tuple[Event, ...] = ()
    notices: tuple[Event, ...] = ()
    seconds: float = 0.0
    tail: str = ""

    @property
    def ended_well(self) -> bool:
        """Whether the command ended as it should."""
        return self.code == 0


def value_of(made: Mapping[str, Any]) -> Value:
    """From the JSON of the observer."""
    shape = made.get("shape")
    return Value(
        kind=made["kind"], type=made["type"], shape=None if shape is None else tuple(shape), dtype=made.get("dtype"),
        grad=bool(made.get("grad")), leaf=bool(made.get("leaf", True)), value=made.get("value"),
        length=made.get("length"), items=tuple(value_of(item) for item in made.get("items", ())),
    )  # fmt: skip


def frame_of(made: Mapping[str, Any]) -> Frame:
    """From the JSON of the observer."""
    position = made.get("position")
    values = {(row[0], row[1], row[2], row[3]): value_of(row[4]) for row in made.get("values", ())}
    return Frame(made["file"], made["line"], made["function"], tuple(position) if position else None, values,
                 made.get("cell"))  # fmt: skip


def events_of(made: Mapping[str, Any]) -> list[Event]:
    """An event, and those that an exception was raised from."""
    rows = made["chain"] if made["event"] == "exception" else [made]
    return [_event(row, made["event"], made.get("time", 0.0)) for row in rows]


def _event(made: Mapping[str, Any], kind: str, time: float) -> Event:
    name = made.get("name")
    return Event(
        kind=kind, type=made["type"], message=_COLOURS.sub("", made["message"]), bases=tuple(made.get("bases", ())),
        frames=tuple(frame_of(row) for row in made["frames"]),
        beneath=tuple((row[0], row[1]) for row in made.get("beneath", ())),
        name=name if isinstance(name, str) else None,
        owner=value_of(made["obj"]) if isinstance(made.get("obj"), dict) else None,
        key=value_of(made["key"]) if isinstance(made.get("key"), dict) else None,
        syntax=made.get("syntax"), time=time,
    )  # fmt: skip
