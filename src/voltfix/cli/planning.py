"""``--save-plan``: the verifier's work as a file, for ``python -m voltfix.verify PLAN`` elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from voltfix.model import Verification
from voltfix.pipeline.verifying import Verifier
from voltfix.verify.plan import Item


class Recorder:
    """A verifier that writes down what it is asked, and passes it on to another one if there is one."""

    def __init__(self, verifier: Verifier | None) -> None:
        self._verifier = verifier
        self._items: list[Item] = []

    def __call__(self, items: Sequence[Item]) -> Sequence[Verification]:
        """Answer as the other verifier does; without one nothing was verified."""
        self._items = list(items)
        return [Verification() for _ in items] if self._verifier is None else self._verifier(items)

    def take(self, names: Mapping[str, str]) -> list[Item]:
        """The items of the plan that stood in the end (the last that was asked about), under new names."""
        taken, self._items = self._items, []
        return [replace(item, id=names[item.id]) for item in taken if item.id in names]
