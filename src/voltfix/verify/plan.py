"""Plans and verdicts as data: what the runner takes in and gives out. Standard library only, no torch.

A plan is self-contained (the texts are in it), so that it can be carried to a machine that has a GPU and
nothing else::

    {"schema": 1, "items": [{"id": "c1", "before": {"a.py": "..."}, "after": {"a.py": "..."},
                             "touched": [["a.py", "evaluate"]], "rest": "today"}]}

``touched`` are (path, qualified name) as in ``model.Change.touched``, "" for the body of the module.
``origins`` may say where lines stand for a reader, by side and path: [[line of the text, line of the document from
there on, cell or null], ...], for texts that were taken out of a notebook or a page.
``rest`` says what volatile flags that are left in ``after`` mean: nothing ("today"), or what they meant in
0.3 ("legacy": for sites that were refused and stay behind). With ``exact`` both texts mean what today's torch makes of
them, and are different as soon as one operation makes a graph in one of them alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

SCHEMA = 1
VERDICTS = ("identical", "different", "not-run")
LONGEST = 20_000  # characters of a detail
SECONDS = 60.0  # of CPU time that an item may take
PATIENCE = 5  # an item may take so many times its CPU time by the clock: other work on the machine is no cause
THROUGH = "through its callers"  # why a function is identical that is not so by itself
FAILS = "raises as before on every way"  # a function that 0.3 did not get through: identical, and no use
NOT_ASKED = "is not asked for (with --device cuda the sandbox is looser)"
_MOST = 10_000  # functions of a change
_T = TypeVar("_T")
Origins = Mapping[str, Sequence[tuple[int, int, "int | None"]]]


class PlanError(ValueError):
    """The plan is not one: the message says what is wrong with it."""


@dataclass(frozen=True)
class Item:
    """One change to be verified."""

    id: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    touched: tuple[tuple[str, str], ...]
    rest: str = "today"
    origins: Mapping[str, Origins] = field(default_factory=dict)  # of "before" and of "after"
    exact: bool = False  # both texts are of today: does any operation make a graph in one alone?

    def to_json(self) -> dict[str, Any]:
        """As in a plan file."""
        touched = [list(each) for each in self.touched]
        row = {
            "id": self.id,
            "before": dict(self.before),
            "after": dict(self.after),
            "touched": touched,
            "rest": self.rest,
        }
        more: dict[str, Any] = {"origins": self.origins} if self.origins else {}
        return {**row, **more, "exact": True} if self.exact else {**row, **more}


@dataclass(frozen=True)
class FunctionVerdict:
    """The verdict on one function: "identical", "different" or "not-run"; ``detail``: the difference or
    the cause; ``runs``: how many ways through it were run on both sides.
    """

    path: str
    name: str
    verdict: str
    detail: str | None = None
    runs: int = 0
    way: tuple[tuple[str, bool], ...] = ()  # how the named conditions were answered where a difference was found
    lent: str = ""  # what is not in view, and got something that was volatile before and may get a graph after
    alone: str = ""  # a flag that was on in runs of the function alone, in none of who calls it
    vacant: tuple[tuple[str, int], ...] = ()  # its blocks that were entered and that nothing needed, by path and line
    lit: tuple[tuple[str, str], ...] = ()  # the functions that were run with its flags on, by path and name
    dark: tuple[tuple[str, int], ...] = ()  # its statements that no run with a flag on came by, by path and line
    grown: tuple[str, ...] = ()  # the lines of the project that made a graph after, and none before


@dataclass(frozen=True)
class Outcome:
    """The verdict on one item on one device."""

    id: str
    verdict: str
    detail: str | None = None
    functions: tuple[FunctionVerdict, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As in the runner's output."""
        functions = [
            {"path": f.path, "name": f.name, "verdict": f.verdict, "detail": f.detail, "runs": f.runs, "way": f.way,
             "lent": f.lent, "alone": f.alone, "vacant": f.vacant, "lit": f.lit, "dark": f.dark,
             "grown": f.grown}
            for f in self.functions
        ]
        return {
            "verdict": self.verdict,
            "detail": self.detail,
            "seconds": round(self.seconds, 4),
            "functions": functions,
        }


@dataclass(frozen=True)
class Report:
    """What a runner found: per device and item an outcome; ``devices``: "run", or why a device was not."""

    outcomes: Mapping[str, Mapping[str, Outcome]]
    devices: Mapping[str, str]
    layers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    torch: str | None = None

    def to_json(self, items: Sequence[Item]) -> dict[str, Any]:
        """The verdict document."""
        rows = []
        for item in items:
            row: dict[str, Any] = {"id": item.id}
            row.update({device: found[item.id].to_json() for device, found in self.outcomes.items()})
            rows.append(row)
        return {
            "schema": SCHEMA,
            "torch": self.torch,
            "devices": dict(self.devices),
            "sandbox": {device: dict(layers) for device, layers in self.layers.items()},
            "items": rows,
        }


def outcome_from_json(name: str, row: Any) -> Outcome:
    """The reverse of ``Outcome.to_json``. Raises PlanError: what a child says may be anything."""
    row = _object(row)
    functions = row.get("functions", ())
    if not isinstance(functions, (list, tuple)) or len(functions) > _MOST:
        raise PlanError("the verdicts on functions are no list, or too many")
    told = []
    for each in map(_object, functions):
        known = {"path", "name", "verdict", "detail"}
        more = {"runs", "way", "lent", "alone", "vacant", "lit", "dark", "grown"}
        if each.keys() - more != known or not isinstance(each["path"], str):
            raise PlanError("the verdict on a function has a path, a name, a verdict and a detail")
        if not isinstance(each["name"], str):
            raise PlanError("a function has a name")
        runs = each.get("runs", 0)
        if type(runs) is not int or not 0 <= runs < _MOST:
            raise PlanError("runs are counted")
        way, lent, alone = _way(each.get("way", ())), each.get("lent", ""), each.get("alone", "")
        if any(not isinstance(said, str) or len(said) > LONGEST for said in (lent, alone)):
            raise PlanError("what got something is named")
        told.append(FunctionVerdict(each["path"], each["name"], _verdict(each), _detail(each), runs, way, lent, alone,
                                    places_from_json(each.get("vacant", ())), functions_from_json(each.get("lit", ())),
                                    places_from_json(each.get("dark", ())), texts_from_json(each.get("grown", ()))))
    seconds = row.get("seconds", 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < 1e9:
        raise PlanError("seconds are a number")
    return Outcome(name, _verdict(row), _detail(row), tuple(told), float(seconds))


def texts_from_json(value: Any) -> tuple[str, ...]:
    """Lines of code. Raises PlanError."""
    if not isinstance(value, (list, tuple)) or len(value) > _MOST or any(not isinstance(each, str) for each in value):
        raise PlanError("lines are texts")
    return tuple(value)


def _way(value: Any) -> tuple[tuple[str, bool], ...]:
    return tuple(_pairs(value, bool, "a way is a list, and not too long", "a way has names and answers"))


def places_from_json(value: Any) -> tuple[tuple[str, int], ...]:
    """Lines of files. Raises PlanError for anything else."""
    return tuple(_pairs(value, int, "places are a list, and not too long", "a place has a path and a line"))


def functions_from_json(value: Any) -> tuple[tuple[str, str], ...]:
    """Functions of files. Raises PlanError for anything else."""
    return tuple(_pairs(value, str, "functions are a list, and not too long", "a function has a path and a name"))


def _pairs(value: Any, second: type[_T], no_list: str, no_pair: str) -> Iterator[tuple[str, _T]]:
    """Pairs of a text and something else. Raises PlanError with one of the messages for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) > _MOST:
        raise PlanError(no_list)
    for pair in value:
        if not isinstance(pair, (list, tuple)) or list(map(type, pair)) != [str, second]:
            raise PlanError(no_pair)
        yield pair[0], pair[1]


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PlanError("an answer is an object")
    return value


def _verdict(row: Mapping[str, Any]) -> str:
    if row.get("verdict") not in VERDICTS:
        raise PlanError(f"a verdict is one of {', '.join(VERDICTS)}")
    return str(row["verdict"])


def _detail(row: Mapping[str, Any]) -> str | None:
    detail = row.get("detail")
    if detail is None:
        return None
    if not isinstance(detail, str):
        raise PlanError("a detail is a text")
    return detail if len(detail) <= LONGEST else detail[:LONGEST] + "..."


def parsed(data: bytes) -> Any:
    """JSON that somebody else wrote. Raises PlanError, also for what is nested too deep to be read."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError, MemoryError) as error:
        raise PlanError(f"no JSON: {str(error)[:200]}") from None


@dataclass(frozen=True)
class Answer:
    """A verdict document as it was read: ``devices`` and ``layers`` as in ``Report``, outcomes by device and id."""

    devices: Mapping[str, str]
    outcomes: Mapping[str, Mapping[str, Outcome]]
    layers: Mapping[str, Mapping[str, str]]


def answer_from_json(data: bytes, ids: Sequence[str]) -> Answer:
    """The verdict document on the items of these ids, in their order. Raises PlanError for anything else."""
    document = _object(parsed(data))
    devices = _texts_of(document.get("devices"))
    layers = {str(name): _texts_of(found) for name, found in _object(document.get("sandbox", {})).items()}
    rows = document.get("items")
    if not isinstance(rows, list) or [_object(row).get("id") for row in rows] != list(ids):
        raise PlanError("the answer is not on what was asked")
    outcomes: dict[str, dict[str, Outcome]] = {device: {} for device in devices}
    for row in rows:
        for device in devices:
            if device in row:
                outcomes[device][row["id"]] = outcome_from_json(row["id"], row[device])
    return Answer(devices, outcomes, layers)


def _texts_of(value: Any) -> dict[str, str]:
    found = _object(value)
    if not all(isinstance(each, str) for each in found.values()):
        raise PlanError("an answer has texts for its devices and layers")
    return dict(found)


def dump(items: Sequence[Item]) -> str:
    """The text of a plan file."""
    return json.dumps({"schema": SCHEMA, "items": [item.to_json() for item in items]}, indent=1)


def load(text: str) -> list[Item]:
    """Read a plan file's text. Raises PlanError."""
    data = parsed(text.encode("utf-8", "surrogatepass"))
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise PlanError(f"no plan of schema {SCHEMA}")
    rows = data.get("items")
    if not isinstance(rows, list):
        raise PlanError("a plan has a list of items")
    items = [item_from_json(row) for row in rows]
    if len({item.id for item in items}) != len(items):
        raise PlanError("two items have the same id")
    return items


def item_from_json(row: Any) -> Item:
    """One item of a plan. Raises PlanError."""
    try:
        before, after = _texts(row["before"]), _texts(row["after"])
        touched = tuple((str(path), str(name)) for path, name in row["touched"])
        rest = row.get("rest", "today")
        name = str(row["id"])
        origins = {str(side): _origins(found) for side, found in row.get("origins", {}).items()}
        exact = row.get("exact", False) is True
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PlanError(f"an item is not as it should be: {error!r}") from None
    if rest not in ("today", "legacy"):
        raise PlanError(f"rest is today or legacy, not {rest!r}")
    return Item(name, before, after, touched, rest, origins, exact)


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("texts are an object of strings")
    return value


def as_rows(origins: Iterable[Any]) -> list[tuple[int, int, int | None]]:
    """The ``origins`` of a module (``voltfix.model.Origin``) as a plan has them."""
    return [(origin.line, origin.at, origin.cell) for origin in origins]


def _origins(value: Any) -> Origins:
    return {
        str(path): [(int(line), int(at), None if cell is None else int(cell)) for line, at, cell in rows]
        for path, rows in value.items()
    }
