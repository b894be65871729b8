"""What a read of ``.volatile`` answered on 0.3, and what answers the same today."""

from __future__ import annotations

import ast
from collections.abc import Callable

from voltfix.machine import express
from voltfix.machine.execute import Interpreter
from voltfix.machine.facts import VolatileRead
from voltfix.machine.values import SiteKey
from voltfix.records import dataclass
from voltfix.solver.fixpoint import Outcome
from voltfix.solver.roots import Body

ORIGINS = ("param", "variable", "call", "made")  # of what the analysis knows whether 0.3 had it volatile


@dataclass(frozen=True)
class Answer:
    """``asks_mode``: ``not torch.is_grad_enabled()`` says the same; else ``text`` does."""

    asks_mode: bool
    text: str = ""


class Reads:
    """The reads that the last look recorded, by node; ``dismissed``: of runs that callers in sight do better."""

    def __init__(self, outcome: Outcome, dismissed: Callable[[Body], bool]) -> None:
        self.records: dict[int, list[tuple[Interpreter, VolatileRead]]] = {}
        self.of: dict[int, list[Body]] = {}
        every: dict[int, list[tuple[Interpreter, VolatileRead]]] = {}
        for body, machine, read in outcome.reads:
            every.setdefault(id(read.node), []).append((machine, read))
            self.of.setdefault(id(read.node), []).append(body)
            if not dismissed(body):
                self.records.setdefault(id(read.node), []).append((machine, read))
        self.records = {**every, **self.records}

    def answer(self, node: ast.AST, all_migrated: bool) -> Answer | None:
        """The same answer today; None if there is none, or if the read was never reached.

        ``all_migrated``: no site of the project was refused, so that all calls that hand in volatile values, those of
        unknown things as well, have blocks. A constant, or a condition, needs values that no caller decides.
        """
        rows = self.records.get(id(node), [])
        pc = [(m, r) for m, r in rows if not r.pc.is_false]
        if not pc:
            return None
        if any(r.left for _, r in pc):
            return None  # 0.3 saw a flag here that stays where it is, and has no effect today
        agrees = all((r.pc & ((r.vol & ~r.off) | (~r.vol & r.off))).is_false for _, r in pc)
        if any(r.origin not in ORIGINS for _, r in pc):
            return None  # of a gradient, of an attribute: what 0.3 answered is not known
        if any(not r.known for _, r in pc):
            return Answer(True) if agrees and all_migrated else None
        if all((r.pc & r.vol).is_false for _, r in pc):
            return Answer(False, "False")
        if all((r.pc & ~r.vol).is_false for _, r in pc):
            return Answer(False, "True")
        if agrees:
            return Answer(True)
        if len(pc) == 1 and not pc[0][1].elsewhere:  # a condition is said in names of the root
            machine, read = pc[0]
            text = express.enabled_text(~read.vol, machine)
            if text is not None:
                return Answer(False, text)
        return None

    def may_come_unseen(self, node: ast.AST) -> bool:
        """Is nothing volatile read in sight, and what is read not always made in view? Then others hand it over."""
        pc = [r for _, r in self.records.get(id(node), []) if not r.pc.is_false]
        return self.is_off_in_sight(node) and not all(r.known for r in pc)

    def is_off_in_sight(self, node: ast.AST) -> bool:
        """Is it read in sight, and never of something volatile?"""
        pc = [r for _, r in self.records.get(id(node), []) if not r.pc.is_false]
        return bool(pc) and all((r.pc & r.vol).is_false and not r.left for r in pc)

    def in_blocks_alone(self, node: ast.AST) -> bool:
        """Is something volatile read in sight, and never where grad mode is on?"""
        pc = [r for _, r in self.records.get(id(node), []) if not r.pc.is_false]
        return not any(r.left for r in pc) and any(not (r.pc & r.vol).is_false for r in pc) and all(
            (r.pc & r.vol & ~r.off).is_false and r.origin in ORIGINS for r in pc)

    def bodies(self, node: ast.AST) -> list[Body]:
        """The functions in whose runs it is read."""
        return list(dict.fromkeys(self.of.get(id(node), [])))

    def feeding(self, node: ast.AST) -> frozenset[SiteKey]:
        """The sites whose volatility the read sees."""
        out: frozenset[SiteKey] = frozenset()
        for _, read in self.records.get(id(node), []):
            out |= read.sites
        return out


GUARDED = frozenset({"register_hook", "backward"})


def guarded(test: ast.AST, parent: Callable[[ast.AST], ast.AST | None]) -> str | None:
    """The tensor of ``if not x.volatile:`` around what 0.3 allowed only where x requires grad; None for others.

    On 0.3 the first statement raised for any x that requires no grad, so the test asked whether it does.
    """
    above = parent(test)
    receiver = test.value if isinstance(test, ast.Attribute) else (
        test.args[0] if isinstance(test, ast.Call) and test.args else None)
    if not isinstance(receiver, ast.Name) or not (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)):
        return None
    choice = parent(above)
    if not isinstance(choice, ast.If) or choice.test is not above:
        return None
    first = choice.body[0]
    call = first.value if isinstance(first, (ast.Expr, ast.Assign)) else None
    asked = call.func if isinstance(call, ast.Call) else None
    same = isinstance(asked, ast.Attribute) and isinstance(asked.value, ast.Name) and asked.value.id == receiver.id
    return receiver.id if same and isinstance(asked, ast.Attribute) and asked.attr in GUARDED else None
