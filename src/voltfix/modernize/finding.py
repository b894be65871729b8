"""What a rule found: a place, and edits for it or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from voltfix.model import Edit, Refusal, Span
from voltfix.records import dataclass
from voltfix.rules.text import RuleText

if TYPE_CHECKING:
    from voltfix.modernize.scene import Scene


@dataclass(frozen=True)
class Finding:
    """One place where a rule applies. Exactly one of ``edits`` and ``refusal`` is set; all edits are in
    ``path``. ``suggested``: what it rests on may be otherwise, and ``--unsafe-fixes`` writes it; ``doubt`` is the
    reason word."""

    code: str
    path: str
    span: Span
    message: str
    edits: tuple[Edit, ...] = ()
    refusal: Refusal | None = None
    suggested: bool = False
    doubt: str = "may-be-no-tensor"


@dataclass(frozen=True)
class Rule:
    """A rule: its text, and what finds its places in one module of a scene."""

    text: RuleText
    find: Callable[[Scene, str], Iterator[Finding]]

    @property
    def code(self) -> str:
        """The code of reports."""
        return self.text.code
