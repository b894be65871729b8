"""What a read of ``.volatile`` answered on 0.3, and what answers the same today."""

from __future__ import annotations

import ast

from voltfix.analysis import express
from voltfix.analysis.machine import VolatileRead
from voltfix.analysis.rounds import Outcome
from voltfix.analysis.statements import Interpreter
from voltfix.analysis.values import SiteKey
from voltfix.records import dataclass


@dataclass(frozen=True)
class Answer:
    """``asks_mode``: ``not torch.is_grad_enabled()`` says the same; else ``text`` does."""

    asks_mode: bool
    text: str = ""


class Reads:
    """The reads that the last look recorded, by node."""

    def __init__(self, outcome: Outcome) -> None:
        self.records: dict[int, list[tuple[Interpreter, VolatileRead]]] = {}
        for _, machine, read in outcome.reads:
            self.records.setdefault(id(read.node), []).append((machine, read))

    def answer(self, node: ast.AST, all_migrated: bool) -> Answer | None:
        """The same answer today; None if there is none, or if the read was never reached.

        ``all_migrated``: no site of the project was refused, so that callers who hand in volatile values have blocks.
        """
        rows = self.records.get(id(node), [])
        live = [(m, r) for m, r in rows if not r.live.is_false]
        if not live:
            return None
        if any(r.left for _, r in live):
            return None  # 0.3 saw a flag here that stays where it is, and has no effect today
        agrees = all((r.live & ((r.vol & ~r.off) | (~r.vol & r.off))).is_false for _, r in live)
        if any(r.origin not in ("param", "variable", "call") for _, r in live):
            return None  # of a gradient, of an attribute: what 0.3 answered is not known
        if any(r.origin == "param" for _, r in live):
            return Answer(True) if agrees and all_migrated else None
        if all((r.live & r.vol).is_false for _, r in live):
            return Answer(False, "False")
        if all((r.live & ~r.vol).is_false for _, r in live):
            return Answer(False, "True")
        if agrees:
            return Answer(True)
        if len(live) == 1:
            machine, read = live[0]
            text = express.enabled_text(~read.vol, machine)
            if text is not None:
                return Answer(False, text)
        return None

    def feeding(self, node: ast.AST) -> frozenset[SiteKey]:
        """The sites whose volatility the read sees."""
        out: frozenset[SiteKey] = frozenset()
        for _, read in self.records.get(id(node), []):
            out |= read.sites
        return out
