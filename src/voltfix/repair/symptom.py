"""A symptom is data: the exception, its message, and beside them the rule that mends the place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from voltfix.records import dataclass
from voltfix.repair.observed import Event
from voltfix.repair.place import Mend, Place


@dataclass(frozen=True)
class Symptom:
    """What it looks like today, what 0.3 (or Python, NumPy of its time) did there, and who says so.

    ``exceptions``: names of classes, of bases too; or ``meaning`` for what runs and means something else.
    ``mend`` gives what may help, the likeliest first; ``ahead``: it looks at frames further out as well.
    """

    code: str
    name: str
    exceptions: tuple[str, ...]
    message: str
    was: str
    source: str
    mend: Callable[[Place, re.Match[str]], Iterator[Mend]]
    outward: bool = False

    def matches(self, event: Event) -> re.Match[str] | None:
        """Whether an event is one of these."""
        if not any(name in (event.type, event.kind, *event.bases) for name in self.exceptions):
            return None
        return re.search(self.message, event.message, re.DOTALL)
