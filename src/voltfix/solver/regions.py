"""From what operations ask to the blocks that answer it: never too wide, as complete as can be proved.

The statements of a suite are looked at in order. A block may hold neighbours when one condition serves them all: grad
mode off wherever one of them needs it, on wherever one of them forbids that. A compound statement that does not qualify
as a whole is entered.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeGuard

from voltfix.domains.conditions import Formula
from voltfix.machine import express
from voltfix.machine.facts import Fact
from voltfix.machine.state import Machine
from voltfix.machine.values import SiteKey
from voltfix.program.walking import children, is_read, walk
from voltfix.records import dataclass
from voltfix.solver import single
from voltfix.solver.consuming import Consumers

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
CALLED = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)  # what may stand for it in ``torch.no_grad()(...)(x)``
INWARD = "not-provable"  # the reason of what is left to functions that are called, and that they have no block for
LONG, SAVED = 12, 8  # lines of a statement that is entered in any case, and that have to stay out of its blocks
FEW = 2  # blocks in it at most
SPARED = 2  # lines of code that have to stay out of the block in a shorter one
ASKED = 16  # atoms of a condition that it is tried to do without, one by one
BETWEEN = 6  # lines that a block takes in for the sake of what follows
UNSEEN = ("call", "callback")  # the facts of calls that run what nobody has seen
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Ask:
    """What some operations ask together; ``missed``: where a block would take a graph away that somebody reaches."""

    need: Formula
    forbid: Formula
    missed: Formula
    facts: list[Fact] = field(default_factory=list)


@dataclass(frozen=True)
class Region:
    """Statements ``first`` to ``last`` of one suite run with grad mode off where ``off`` holds."""

    first: ast.stmt
    last: ast.stmt
    off: Formula
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Wrap:
    """An expression of its own: a call under ``torch.no_grad()(...)``, or a result that is detached."""

    node: ast.expr
    how: str  # "call" or "detach"
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Inside:
    """What blocks in a compound statement would be like: how many, and the lines in them, of code and at all."""

    blocks: int = 0  # none: what it asks is not answered by blocks in it
    lines: int = 0
    code: int = 0


@dataclass
class Layout:
    """What was decided for one root."""

    regions: list[Region] = field(default_factory=list)
    wraps: list[Wrap] = field(default_factory=list)
    whole: tuple[Fact, ...] | None = None  # a decorator, or a wrapped lambda
    uncovered: list[tuple[Fact, str]] = field(default_factory=list)  # with the reason word
    beside: dict[int, Fact] = field(default_factory=dict)  # of those, by id: a call in the statement that may train
    declined: set[int] = field(default_factory=set)  # expressions that callers want a block around and cannot have


class Planner:
    """Lays out the regions of one root (a function, lambda or module body) from the facts of its interpretation."""

    def __init__(self, machine: Machine, root: ast.AST, breaks: frozenset[int] = frozenset(),
                 for_callers: Mapping[int, frozenset[SiteKey]] = MappingProxyType({}), apart: bool = False,
                 own: bool = True, inward: bool = False, python2: bool = False) -> None:
        """``breaks``: ids of statements that must not share a block with those before them (cells of a notebook).

        ``for_callers``: expressions that get something volatile from callers who cannot have a block for it, by node
        id, with the sites that it comes from. ``apart``: a block holds nothing but statements that ask for one.
        ``own``: nobody else finds what its names stand for. ``inward``: no block goes around a statement for what
        the functions need that it calls. ``python2``: only Python 2 reads the module, whose ``functools.wraps`` raises
        for an object, and so does ``torch.no_grad()(net)``.
        """
        self.for_callers = for_callers
        self.apart = apart
        self.inward = inward
        self.python2 = python2
        self.machine = machine
        self.root = root
        self.breaks = breaks
        false = machine.algebra.false
        self.headers: dict[int, Ask] = {}
        self.home: dict[int, ast.AST] = {}
        self.layout = Layout()
        self.inner: dict[int, Inside] = {}  # how compound statements are if they are entered, by id
        self.coded: list[int] = []  # the numbers of the lines that have code in them
        body = root.body if not isinstance(root, ast.Lambda) else []  # type: ignore[attr-defined]
        self.body: list[ast.stmt] = list(body)
        self.elifs: set[int] = set()  # ids of statements that are none of their own in the text
        for statement in walk_statements(self.body):
            self.elifs |= {id(other) for other in getattr(statement, "orelse", []) if is_elif(other, statement)}
            for node in header_nodes(statement):
                self.home[id(node)] = statement
        for fact in machine.facts:
            if not fact.chain or (isinstance(fact.chain[0], ast.Module) and fact.chain[0] is not root):
                continue
            home = self.home.get(id(fact.chain[0]))
            if isinstance(root, ast.Lambda):
                home = root
            if home is None:
                continue
            ask = self.headers.setdefault(id(home), Ask(false, false, false))
            self.add(ask, fact)
        # what runs lazily may run in any block of this root, unless it is known which statements run it
        self.later = Ask(false, false, false)
        self.later_in: dict[int, Ask] = {}
        self.consumers = Consumers(machine, root, self.home, own)
        for fact in machine.facts:
            places = self.consumers.of(fact.chain[0]) if fact.lazy == 1 and fact.chain else None
            if fact.lazy and places is None:
                self.put_off(self.later, fact)
            for place in places or ():
                self.put_off(self.later_in.setdefault(place, Ask(false, false, false)), fact)

    def put_off(self, ask: Ask, fact: Fact) -> None:
        """Count in what a fact forbids where it is run; what it needs is asked for where it is put off."""
        ask.forbid = ask.forbid | fact.forbid
        ask.missed = ask.missed | fact.missed

    def add(self, ask: Ask, fact: Fact) -> None:
        """Count a fact in, less what is off already."""
        ask.need = ask.need | (fact.need & ~fact.off)
        ask.forbid = ask.forbid | fact.forbid
        ask.missed = ask.missed | fact.missed
        ask.facts.append(fact)

    # --- what a statement asks ---------------------------------------------------------------------------------------

    def ask_of(self, statement: ast.stmt) -> Ask:
        """What a statement and all that stands in it ask."""
        false = self.machine.algebra.false
        total = Ask(false, false, false)
        for inner in walk_statements([statement]):
            for ask in (self.headers.get(id(inner)), self.later_in.get(id(inner))):
                if ask is not None:
                    total = joined(total, ask)
        return total if total.need.is_false else joined(total, self.later)

    def ask_of_all(self, suite: list[ast.stmt]) -> Ask:
        """What the statements of a suite ask together."""
        false = self.machine.algebra.false
        total = Ask(false, false, false)
        for statement in suite:
            total = joined(total, self.ask_of(statement))
        return total

    def hidden(self, *formulas: Formula) -> frozenset[int]:
        """The atoms that no expression of the root repeats."""
        support: frozenset[int] = frozenset()
        for formula in formulas:
            support |= formula.support()
        return frozenset(a for a in support if a in self.machine.opaque or a not in self.machine.texts)

    def condition(self, need: Formula, forbid: Formula) -> Formula | None:
        """The simplest condition that holds wherever there is need and nowhere that grad mode is wanted; None: none.

        Runs that raised on 0.3 (a volatile value went into backward) are left out of account where that decides.
        """
        found = self.separation(need, forbid)
        raised = self.machine.raised
        if found is None and not raised.is_false:
            found = self.separation(need & ~raised, forbid & ~raised)
        return self.asked_as_whole(need, forbid) if found is None else found

    def asked_as_whole(self, need: Formula, forbid: Formula) -> Formula | None:
        """The condition between need and forbid that a test of the root asks, though no part of it can be asked alone.

        Or such a test together with what can be asked atom by atom.
        """
        asked = [either for formula in self.machine.asked_whole for either in (formula, ~formula)]
        for either in asked:
            if need.implies(either) and either.excludes(forbid):
                return either
        for either in asked:
            if need.implies(either):
                rest = self.separation(need, forbid & either)
                if rest is not None:
                    return either & rest
            elif either.excludes(forbid):
                rest = self.separation(need & ~either, forbid)
                if rest is not None:
                    return either | rest
        return None

    def condition_of(self, ask: Ask) -> Formula | None:
        """The condition of a block on what asks ``ask``; where none serves, graphs that nobody reaches may go."""
        found = self.condition(ask.need, ask.forbid)
        if found is None and self.condition(ask.need, ask.missed) is not None:
            if ask.forbid.implies(ask.need) and ask.missed.is_false:
                return self.machine.algebra.true  # whoever comes here needs it, as far as there is any graph
            # no wider than the need: callers may reach what nobody reaches from here
            found = ask.need.without(self.hidden(ask.need))
            if ask.missed.is_false and ask.forbid.without(self.hidden(ask.forbid)).implies(found):
                return self.machine.algebra.true  # where it does not hold, nothing here asks for anything
            if not (found & ask.missed.without(self.hidden(ask.missed))).is_false:
                found = self.condition(ask.need, ask.missed)
        return found

    def separation(self, need: Formula, forbid: Formula) -> Formula | None:
        """The simplest condition between need and forbid; None: none."""
        hidden = self.hidden(need, forbid)
        need, forbid = need.without(hidden), forbid.without(hidden)
        algebra = self.machine.algebra
        if forbid.is_false:
            return algebra.true
        if not need.excludes(forbid):
            return None
        for atom in sorted(need.support() | forbid.support()):
            for literal in (algebra.atom(atom), ~algebra.atom(atom)):
                if need.implies(literal) and literal.excludes(forbid):
                    return literal
        asked = sorted(need.support(), reverse=True)
        for atom in asked if len(asked) <= ASKED else ():  # what led here need not be asked again
            wider = need.without({atom})
            if wider.excludes(forbid):
                need = wider
        return need

    # --- layout ------------------------------------------------------------------------------------------------------

    def plan(self) -> Layout:
        """Lay out the whole root."""
        if isinstance(self.root, ast.Lambda):
            self.plan_lambda(self.root)
        else:
            self.suite(self.body)
            self.rescue_generator()
            self.cover_for_callers()
        return self.layout

    def cover_for_callers(self) -> None:
        """Blocks around what callers hand something volatile: where nobody reaches a graph of it, whoever calls."""
        wanted: dict[int, frozenset[SiteKey]] = {}
        self.widen_for_callers()
        covered = self.covered()
        for node, sites in self.for_callers.items():
            home = self.home.get(node)
            ask = self.headers.get(id(home))
            if covered.get(id(home), self.machine.algebra.false).is_true:
                continue
            fits = isinstance(home, ast.stmt) and ask is not None and self.may_lose_graphs(home, ask)
            if fits and id(home) not in covered:
                wanted[id(home)] = wanted.get(id(home), frozenset()) | sites
            elif id(home) in covered or ask is None or not self.cover_alone(node, ask, sites):
                self.layout.declined.add(node)
        for suite in self.suites():
            self.blocks_for_callers(suite, wanted)

    def cover_alone(self, call: int, ask: Ask, sites: frozenset[SiteKey]) -> bool:
        """Cover a call for callers on its own, where the rest of its statement needs graphs; False where it does, too.

        ``net(prepared(x))``: what is handed over is made before, with gradients as they are.
        """
        facts = [fact for fact in ask.facts if id(fact.chain[0]) == call]
        node = facts[0].chain[0] if facts else None
        if not isinstance(node, ast.Call) or not isinstance(node.func, CALLED) or any(
                fact.lazy or fact.stuck or not fact.missed.is_false for fact in facts):
            return False
        self.layout.wraps.append(Wrap(node, "call", tuple(replace(fact, sites=sites) for fact in facts)))
        return True

    def widen_for_callers(self) -> None:
        """A block that has a condition for want of callers needs none where they ask for it and nobody is the loser."""
        asked = {id(self.home.get(node)): sites for node, sites in self.for_callers.items()}
        for number, region in enumerate(self.layout.regions):
            inside = self.statements_of(region)
            if region.off.is_true or asked.keys().isdisjoint(map(id, inside)):
                continue
            asks = [(s, self.headers[id(s)]) for s in inside if id(s) in self.headers]
            if all(self.may_lose_graphs(statement, ask) for statement, ask in asks):
                more = [replace(f, sites=asked[id(s)]) for s, ask in asks if id(s) in asked for f in ask.facts]
                off = self.machine.algebra.true
                self.layout.regions[number] = replace(region, off=off, facts=(*region.facts, *more))

    def statements_of(self, region: Region) -> list[ast.stmt]:
        """The statements in a block, those in suites of theirs included."""
        for suite in self.suites():
            places = [index for index, s in enumerate(suite) if s in (region.first, region.last)]
            if places:
                return list(walk_statements(suite[places[0] : places[-1] + 1]))
        return []

    def covered(self) -> dict[int, Formula]:
        """Where grad mode is off already in the statements of blocks, by node id."""
        out: dict[int, Formula] = {}
        for region in self.layout.regions:
            out |= dict.fromkeys(map(id, self.statements_of(region)), region.off)
        if self.layout.whole is not None:
            out |= dict.fromkeys((id(s) for s in walk_statements(self.body)), self.machine.algebra.true)
        return out

    def suites(self) -> list[list[ast.stmt]]:
        """All suites of the root."""
        return [self.body, *(suite for statement in walk_statements(self.body) for suite in suites_of(statement))]

    def may_lose_graphs(self, statement: ast.stmt, ask: Ask) -> bool:
        """Is it a simple statement whose graphs nobody reaches, whatever its function is given?"""
        if any(True for _ in suites_of(statement)) or isinstance(statement, DEFINITIONS) or suspends(statement):
            return False
        return ask.missed.is_false and not any(fact.stuck or fact.lazy for fact in ask.facts)

    def blocks_for_callers(self, suite: list[ast.stmt], wanted: dict[int, frozenset[SiteKey]]) -> None:
        """One block for each run of neighbours in a suite."""
        run: list[ast.stmt] = []
        for statement in [*suite, None]:
            if statement is not None and id(statement) in wanted:
                run.append(statement)
            elif run:
                facts = [replace(f, sites=wanted[id(s)]) for s in run for f in self.headers[id(s)].facts]
                self.layout.regions.append(Region(run[0], run[-1], self.machine.algebra.true, tuple(facts)))
                run = []

    def plan_lambda(self, root: ast.Lambda) -> None:
        """Cover a lambda as a whole, or expressions in it."""
        ask = self.headers.get(id(root))
        if ask is None or ask.need.is_false:
            return
        condition = self.condition_of(ask)
        if condition is not None and condition.is_true:
            self.layout.whole = tuple(needing(ask.facts))
        else:
            self.expressions(ask.facts, "mixed-statement")

    def rescue_generator(self) -> None:
        """Cover by a decorator what no block could because of a ``yield``, where the whole function qualifies."""
        stuck = [fact for fact, reason in self.layout.uncovered if reason == "yield-in-region"]
        if not stuck:
            return
        total = [self.ask_of(s) for s in self.body]
        algebra = self.machine.algebra
        if algebra.any(a.forbid for a in total).is_false and isinstance(self.root, ast.FunctionDef):
            facts = [f for a in total for f in needing(a.facts)]
            self.layout = Layout(whole=tuple(facts))
            return
        self.layout.uncovered = [(f, r) for f, r in self.layout.uncovered if r != "yield-in-region"]
        self.expressions(stuck, "yield-in-region")

    def suite(self, body: list[ast.stmt]) -> None:
        """Cover one suite with blocks."""
        index = 0
        while index < len(body):
            ask = self.ask_of(body[index])
            if ask.need.implies(self.machine.raised):
                index += 1
            elif self.fits(body[index], ask) and not self.better_inside(body[index], ask) and (
                    not self.reads_better_inside(body[index])) and not self.taken_apart(body[index]):
                end, best = self.grow(body, index)
                if end == index and self.spared(body[index]):
                    self.enter(body[index], ask)  # nothing else wants the block that would go around all of it
                else:
                    self.place(body[index], body[end], best)
                index = end + 1
            else:
                self.enter(body[index], ask)
                index += 1

    def better_inside(self, statement: ast.stmt, ask: Ask) -> bool:
        """Is it a choice whose own test says where the need is? Then the block goes into the arm.

        Arms that ask for the same block, whatever the test says, share one around the choice.
        """
        header = self.headers.get(id(statement))
        if not isinstance(statement, ast.If) or (header is not None and not header.need.is_false):
            return False
        if self.asked_by_elif(statement):
            return False
        needy = [suite for suite in suites_of(statement) if any(not self.ask_of(s).need.is_false for s in suite)]
        if len(needy) == 1:
            return True
        condition = self.condition_of(ask)
        return condition is not None and not condition.is_true and any(
            self.condition_of(self.ask_of_all(suite)) != condition for suite in needy)

    def taken_apart(self, statement: ast.stmt) -> bool:
        """Is it a statement whose suites alone ask, in a layout where a block holds nothing else?"""
        header = self.headers.get(id(statement))
        return self.apart and any(True for _ in suites_of(statement)) and not self.asked_by_elif_of(statement) and (
            header is None or header.need.is_false)

    def reads_better_inside(self, statement: ast.stmt) -> bool:
        """Is it a long statement of which little needs a block? Then the block goes in, and the rest stays as it is."""
        inside, lines = self.inside(statement), lines_of(statement)
        long = lines >= LONG and inside.lines + SAVED <= lines and 2 * inside.lines <= lines
        return self.spared(statement) > BETWEEN or (long and inside.blocks > 0)

    def spared(self, statement: ast.stmt) -> int:
        """How many lines below its header stay out of the one block in a statement, if most do; 0: not worth it."""
        inside = self.inside(statement)
        left = self.code_between(statement, statement) - inside.code - 1
        return left if inside.blocks == 1 and left >= SPARED and left >= inside.code else 0

    def inside(self, statement: ast.stmt) -> Inside:
        """How a statement is if blocks go into it; without blocks where they would not answer all that it asks."""
        if id(statement) not in self.inner:
            self.inner[id(statement)] = self.laid_out_inside(statement)
        return self.inner[id(statement)]

    def laid_out_inside(self, statement: ast.stmt) -> Inside:
        """Lay out the suites of a statement, to see what becomes of it."""
        header = self.headers.get(id(statement))
        if not list(suites_of(statement)) or isinstance(statement, DEFINITIONS) or (
                header is not None and not header.need.is_false) or self.asked_by_elif_of(statement):
            return Inside()
        layout, self.layout = self.layout, Layout()
        for suite in suites_of(statement):
            self.suite(suite)
        inside, self.layout = self.layout, layout
        regions = inside.regions
        if inside.uncovered or inside.wraps or not 0 < len(regions) <= FEW:
            return Inside()
        if any(not r.off.is_true and express.header_text(r.off, self.machine) is None for r in regions):
            return Inside()
        return Inside(len(regions), sum(lines_of(r.first, r.last) for r in regions),
                      sum(self.code_between(r.first, r.last) for r in regions))

    def code_between(self, first: ast.stmt, last: ast.stmt) -> int:
        """How many lines from ``first`` to ``last`` have code in them."""
        if not self.coded:
            self.coded = sorted({number for s in walk_statements(self.body) for number in own_lines(s)})
        return bisect_right(self.coded, last.end_lineno or last.lineno) - bisect_left(self.coded, first.lineno)

    def asked_by_elif_of(self, statement: ast.stmt) -> bool:
        """Does the test of an ``elif`` of a choice ask?"""
        return isinstance(statement, ast.If) and self.asked_by_elif(statement)

    def asked_by_elif(self, statement: ast.If) -> bool:
        """Does the test of an ``elif`` of this chain ask? No block fits around that alone."""
        for other in statement.orelse:
            if is_elif(other, statement):
                header = self.headers.get(id(other))
                return (header is not None and not header.need.is_false) or self.asked_by_elif(other)
        return False

    def fits(self, statement: ast.stmt, ask: Ask) -> bool:
        """Can the statement stand in a block as a whole?"""
        if isinstance(statement, DEFINITIONS) or id(statement) in self.elifs or suspends(statement):
            return False
        if any(fact.lazy for fact in needing(ask.facts)):
            return False
        if any(fact.stuck for fact in needing(ask.facts)) or self.turned_inward(ask):
            return False
        return self.condition_of(ask) is not None

    def turned_inward(self, ask: Ask) -> bool:
        """Is all that a statement needs a matter of the functions that it calls, in a layout that leaves it to them?"""
        return self.inward and is_inward(ask.facts)

    def grow(self, body: list[ast.stmt], start: int) -> tuple[int, Ask]:
        """How far a block that starts at ``start`` goes: the index of its last statement, and what those ask."""
        total = self.ask_of(body[start])
        end, best = start, total
        wanted = self.condition(total.need, total.forbid) is not None  # else graphs go that nobody reaches
        between = 0  # lines that ask for nothing
        for index in range(start + 1, len(body)):
            following = body[index]
            ask = self.ask_of(following)
            if id(following) in self.breaks or isinstance(following, (*DEFINITIONS, ast.Import, ast.ImportFrom)):
                break
            if suspends(following) or any(f.stuck or f.lazy for f in needing(ask.facts)) or self.turned_inward(ask):
                break
            if following.lineno - (body[index - 1].end_lineno or following.lineno) - 1 > BETWEEN:
                break  # code that was commented out, or a whole page of words
            needs = not (ask.need & ~self.machine.raised).is_false
            between = 0 if needs else between + lines_of(following)
            if between > (0 if self.apart else BETWEEN) or (needs and self.reads_better_inside(following)):
                break
            if needs and self.taken_apart(following):
                break
            total = joined(total, ask)
            if self.condition(total.need, total.forbid) is None:
                if ask.need.is_false and self.condition(total.need, ask.forbid) is None and not (
                        self.is_for_what_follows(body, index)):
                    break  # its own graph would go, for the sake of what follows
                wanted = False
            if not wanted and self.condition(total.need, total.missed) is None:
                break
            if not ask.need.is_false:
                end, best = index, total
        return self.rounded_off(body, start, end, best)

    def rounded_off(self, body: list[ast.stmt], start: int, end: int, best: Ask) -> tuple[int, Ask]:
        """A block that takes in what is done with one result, for the sake of the next, takes in the same of that one.

        What follows is the same line by line, and asks for no graph: a person who wraps both wraps all of it.
        """
        needy = [index for index in range(start, end + 1) if not self.ask_of(body[index]).need.is_false]
        between = body[needy[-2] + 1 : needy[-1]] if len(needy) > 1 else []
        rest = body[end + 1 : end + 1 + len(between)]
        asks = [self.ask_of(each) for each in rest]
        if len(between) < 2 or list(map(shape_of, rest)) != list(map(shape_of, between)) or any(
                not ask.need.is_false or not ask.forbid.is_false or not ask.missed.is_false for ask in asks):
            return end, best
        if any(id(each) in self.breaks for each in rest) or rest[0].lineno - (body[end].end_lineno or 0) - 1 > BETWEEN:
            return end, best
        for ask in asks:
            best = joined(best, ask)
        return end + len(rest), best

    def is_for_what_follows(self, body: list[ast.stmt], index: int) -> bool:
        """Does a statement give something to names alone, and does nobody read those after the next that needs a block?

        Then its graph is one of what the block computes, as it would be if it stood in one statement with that.
        """
        statement = body[index]
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if not targets or isinstance(self.root, ast.Module) or not all(isinstance(each, ast.Name) for each in targets):
            return False
        names = {each.id for each in targets if isinstance(each, ast.Name)}
        needy = next((n for n in range(index + 1, len(body)) if not self.ask_of(body[n]).need.is_false), index)
        inside = {id(node) for each in body[index : needy + 1] for node in walk(each)}
        return not any(
            (isinstance(node, (ast.Global, ast.Nonlocal)) and not names.isdisjoint(node.names))
            or (is_read(node, names) and id(node) not in inside) for node in walk(self.root))

    def place(self, first: ast.stmt, last: ast.stmt, ask: Ask) -> None:
        """Put a block around statements of a suite that ask ``ask``."""
        condition = self.condition_of(ask)
        assert condition is not None
        self.layout.regions.append(Region(first, last, condition, tuple(needing(ask.facts))))

    def enter(self, statement: ast.stmt, ask: Ask) -> None:
        """Cover the parts of a statement that does not qualify as a whole."""
        suites = list(suites_of(statement))
        header = self.headers.get(id(statement))
        if header is not None and self.turned_inward(header):
            self.layout.uncovered += [(fact, INWARD) for fact in needing(header.facts)]
        elif header is not None and not header.need.implies(self.machine.raised):
            if self.is_one_call(statement, header):
                self.place(statement, statement, header)
            else:
                self.expressions(header.facts, self.why(statement, header))
                self.note_beside(header)
        if isinstance(statement, DEFINITIONS):
            return
        for suite in suites:
            self.suite(suite)

    def is_one_call(self, statement: ast.stmt, ask: Ask) -> bool:
        """Would a block around a statement run no more without gradients than the one call that ``expressions`` would?

        Then it is not what runs later that speaks against the block: that runs in the call, or elsewhere.
        """
        wanted = needing(ask.facts)
        node = wanted[0].chain[0] if wanted else None
        if not isinstance(node, ast.Call) or any(fact.chain[0] is not node or fact.lazy for fact in wanted):
            return False
        return not suspends(statement) and id(statement) not in self.later_in and (
            self.expression_form(node, ask.facts) == "call" and single.is_all(statement, node, self.consumers.run_by))

    def why(self, statement: ast.stmt, ask: Ask) -> str:
        """The reason word for a statement whose own operations no block can cover."""
        facts = needing(ask.facts)
        if any(f.stuck and f.blocked == "unknown-callee" for f in facts):
            return "unknown-callee"
        for reason in ("unseen-callers", "other-thread", "forward-hook", "escapes-by-attribute"):
            if any(f.blocked == reason for f in facts):
                return reason
        if any(f.stuck for f in facts):
            return "write-into-graph"
        if any(f.lazy for f in facts):
            return "lazy-evaluation"
        if suspends(statement):
            return "yield-in-region"
        if ask.need.support() & self.machine.state_atoms:
            return "state-mixed"
        hidden = self.hidden(ask.need, ask.forbid)
        if ask.need.excludes(ask.forbid) and hidden:
            return "condition-not-repeatable"
        return "mixed-statement"

    def note_beside(self, ask: Ask) -> None:
        """Remember which call of something unknown keeps a statement out of a block, if one does."""
        calls = [fact for fact in ask.facts if fact.text in UNSEEN and fact.need.is_false and not fact.number
                 and not fact.missed.excludes(ask.need)]
        for fact in needing(ask.facts) if calls else ():
            own = (other for other in calls if other.chain == fact.chain)
            self.layout.beside[id(fact)] = next(own, calls[0])

    def expressions(self, facts: list[Fact], reason: str) -> None:
        """Cover single expressions: calls run under ``torch.no_grad()(f)(x)``, results are detached."""
        by_node: dict[int, list[Fact]] = {}
        for fact in facts:
            by_node.setdefault(id(fact.chain[0]), []).append(fact)
        for group in by_node.values():
            wanted = needing(group)
            if not wanted:
                continue
            node = wanted[0].chain[0]
            how = self.expression_form(node, group)
            if how is None or (how == "call" and self.python2):
                self.layout.uncovered += [(fact, reason) for fact in wanted]
            else:
                assert isinstance(node, ast.expr)
                self.layout.wraps.append(Wrap(node, how, tuple(wanted)))

    def expression_form(self, node: ast.AST, facts: list[Fact]) -> str | None:
        """How an expression can be covered on its own; None if not."""
        false = self.machine.algebra.false
        ask = Ask(false, false, false)
        for fact in facts:
            self.add(ask, fact)
        condition = self.condition_of(ask)
        if condition is None or not condition.is_true or any(f.stuck for f in facts):
            return None
        if isinstance(node, ast.Call):  # what comes back need not be one tensor, or be what the call wrote to
            return "call" if isinstance(node.func, CALLED) else None
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Subscript)) and all(len(f.chain) == 1 for f in facts):
            return "detach" if not isinstance(getattr(node, "ctx", None), ast.Store) else None
        return None


def shape_of(statement: ast.stmt) -> list[tuple[object, ...]]:
    """What a statement does, whatever it does it with: the names and numbers in it left out, what it calls not."""
    called = {id(node.func) for node in walk(statement) if isinstance(node, ast.Call)}
    return [(type(node).__name__, getattr(node, "attr", getattr(node, "arg", None)),
             node.id if isinstance(node, ast.Name) and id(node) in called else None) for node in walk(statement)]


def lines_of(first: ast.stmt, last: ast.stmt | None = None) -> int:
    """How many lines the statements from ``first`` to ``last`` stand on."""
    return ((last or first).end_lineno or first.lineno) - first.lineno + 1


def own_lines(statement: ast.stmt) -> Iterator[int]:
    """The numbers of the lines that a statement stands on, without its suites."""
    first = next((suite[0] for suite in suites_of(statement)), None)
    ends = [node.end_lineno or 0 for node in children(statement) if isinstance(node, ast.expr)]
    last = statement.end_lineno if first is None else max([statement.lineno, *(e for e in ends if e < first.lineno)])
    yield from range(statement.lineno, (last or statement.lineno) + 1)


def joined(one: Ask, two: Ask) -> Ask:
    """What both ask."""
    return Ask(one.need | two.need, one.forbid | two.forbid, one.missed | two.missed, one.facts + two.facts)


def is_inward(facts: Sequence[Fact]) -> bool:
    """Does all that facts need lie in functions that are called?"""
    needy = needing(facts)
    return bool(needy) and all(len(fact.chain) > 1 and not fact.lazy for fact in needy)


def needing(facts: Sequence[Fact]) -> list[Fact]:
    """The facts that still ask for grad mode off."""
    return [fact for fact in facts if not fact.need.implies(fact.off)]


def suites_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The suites of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(statement, name, None)
        if isinstance(suite, list) and suite and isinstance(suite[0], ast.stmt):
            yield suite
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def walk_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a suite and of the suites in it, but not those of nested functions and classes."""
    for statement in body:
        yield statement
        if not isinstance(statement, DEFINITIONS):
            for suite in suites_of(statement):
                yield from walk_statements(suite)


def header_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to itself, not to a statement in one of its suites."""
    yield statement
    stack: list[ast.AST] = []
    for child in children(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            stack.append(child)
    if isinstance(statement, DEFINITIONS):
        stack = [*statement.decorator_list]
    while stack:
        node = stack.pop()
        yield node
        stack += children(node)


def is_elif(other: ast.stmt, statement: ast.stmt) -> TypeGuard[ast.If]:
    """Is ``other``, out of the ``else`` of ``statement``, an ``elif``? Only that starts in the column of the ``if``."""
    return isinstance(statement, ast.If) and isinstance(other, ast.If) and other.col_offset == statement.col_offset


def suspends(statement: ast.stmt) -> bool:
    """Does the statement yield or await (in this function, not in a nested one)?"""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return True
        if node is statement or not isinstance(node, SCOPES):
            stack += children(node)
    return False
