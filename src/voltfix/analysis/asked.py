"""Which questions an interpretation asked of its setting: while the answers stay, so does its outcome.

The rounds run every root again whenever anything changed anywhere: a block planned for one function, a site refused in
another. Most roots never asked about it. The containers here look like those that the machine is handed, and write
down each question with its answer; a run is taken again when all of its questions would be answered as before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, ItemsView, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from voltfix.analysis.machine import Machine

K = TypeVar("K")
V = TypeVar("V")
_KEPT = 4  # runs of one root: the settings of two rounds, with its own blocks and without


class AskedSet(frozenset[K]):
    """A frozenset that remembers what was looked for in it."""

    asked: dict[K, bool]

    def __new__(cls, items: Iterable[K]) -> AskedSet[K]:
        """The set of ``items``, nothing asked yet."""
        made = super().__new__(cls, items)
        made.asked = {}
        return made

    def __contains__(self, item: object) -> bool:
        found = super().__contains__(item)
        self.asked[item] = found  # type: ignore[index]
        return found

    def agrees(self, other: frozenset[K]) -> bool:
        """Would ``other`` have given the same answers?"""
        return all((item in other) is found for item, found in self.asked.items())


class AskedDict(dict[K, V], Generic[K, V]):
    """A dictionary that remembers which keys were looked for; ``whole``: everything was looked at."""

    def __init__(self, items: Mapping[K, V]) -> None:
        super().__init__(items)
        self.asked: set[K] = set()
        self.whole = False

    def __contains__(self, key: object) -> bool:
        self.asked.add(key)  # type: ignore[arg-type]
        return super().__contains__(key)

    def __getitem__(self, key: K) -> V:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: K, default: Any = None) -> Any:
        """As in a dict."""
        self.asked.add(key)
        return super().get(key, default)

    def items(self) -> ItemsView[K, V]:  # type: ignore[override]
        """As in a dict."""
        self.whole = True
        return super().items()

    def agrees(self, other: Mapping[K, V]) -> bool:
        """Would ``other`` have given the same answers?"""
        if self.whole:
            return dict.items(self) == other.items()
        return all(_same(super(AskedDict, self).get(key), other.get(key)) for key in self.asked)


def _same(one: object, two: object) -> bool:
    """Are two answers the same; conditions of blocks are new trees every time, and compared by what they say."""
    if one is two:
        return True
    if one is None or two is None:
        return False
    off, other = getattr(one, "off", None), getattr(two, "off", None)
    if isinstance(off, ast.AST) and isinstance(other, ast.AST):
        return (one.first, one.last) == (two.first, two.last) and ast.dump(off) == ast.dump(other)  # type: ignore[attr-defined]
    return one == two


class Run(NamedTuple):
    """An interpretation that is over; ``machine`` is None where it was too complex."""

    machine: Any
    sets: dict[str, AskedSet[Any]]
    dicts: dict[str, AskedDict[Any, Any]]

    def agrees(self, setting: Mapping[str, Any]) -> bool:
        """Would it come out the same under ``setting`` (attribute of the machine -> value)?"""
        return all(answers.agrees(setting[name]) for name, answers in self.sets.items()) and all(
            answers.agrees(setting[name]) for name, answers in self.dicts.items()
        )


def rerun(runs: list[Run], setting: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Machine | None]) -> Any:
    """The machine of an earlier run that agrees with ``setting``, else a new one.

    ``make`` gets the setting with containers that remember, and answers with a machine that is done, or None.
    """
    for run in runs:
        if run.agrees(setting):
            return run.machine
    sets = {name: AskedSet(value) for name, value in setting.items() if isinstance(value, frozenset)}
    dicts = {name: AskedDict(value) for name, value in setting.items() if isinstance(value, dict)}
    machine = make({**sets, **dicts})
    if machine is not None:
        finished(machine)
    runs.insert(0, Run(machine, sets, dicts))
    del runs[_KEPT:]
    return machine


def finished(machine: Machine) -> None:
    """Let go of what only the run itself needed: the heap, the frames, formulas that no record holds."""
    held = [value for value in vars(machine).values() if isinstance(value, list)]
    formulas = [part for records in held for record in records for part in getattr(record, "__dict__", {}).values()]
    formulas += vars(machine).values()
    kind = type(machine.algebra.true)
    machine.algebra.keep(formula for formula in formulas if isinstance(formula, kind))
    for name in ("heap", "modules", "functions_seen", "elements", "_activations", "_alive"):
        kept = getattr(machine, name, None)
        if isinstance(kept, (dict, list, set)):
            kept.clear()
