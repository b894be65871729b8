"""One way through a unit, before and after: how each side is run, and what the two have to say of one another."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from voltfix.verify.symbolic.acting import switched_off
from voltfix.verify.symbolic.closure import may_be
from voltfix.verify.symbolic.compare import Difference, differences, grown, has_graph
from voltfix.verify.symbolic.neighbours import Neighbour
from voltfix.verify.symbolic.opaque import out_of_sight
from voltfix.verify.symbolic.project import Unit
from voltfix.verify.symbolic.run import Seen, run
from voltfix.verify.symbolic.tally import WITHOUT_METHOD, Given, Tally, Way
from voltfix.verify.symbolic.veiled import veiled
from voltfix.verify.symbolic.work import Item, Reached
from voltfix.verify.symbolic.world import MAX_OPERATIONS, World

MAX_WRAPPED = 3  # runs until it is known which unknowns are plain tensors
LONG = 3  # so many times as many operations a run may take where none came to its end
MAX_TURNED = 3  # questions of the new text alone that are answered the other way
ACTS = " (given that it trains: nobody takes what it gives)"
TRACED = " (given that it has a graph: a backward is run)"
_NOTHING: Mapping[Hashable, bool] = {}


class Sides:
    """One way through a unit, before and after: how each side is run, and what the tally takes from it."""

    def __init__(
        self, item: Item, unit: Unit, given: Given, only_before: frozenset[str], prefix: Way, tally: Tally
    ) -> None:
        self.item, self.unit, self.given, self.only_before = item, unit, given, only_before
        self.prefix, self.tally = prefix, tally
        self.decisions: Mapping[Hashable, bool] = dict(prefix)
        self.through = given.through
        self.known_parts = True  # are parts of what is unknown objects of the class that the project puts there?
        self.ran = False  # is the program taken for one that ran on 0.3?
        self.wrapped: frozenset[str] = frozenset()  # what is taken for plain tensors

    def old(self, contagious: bool, wrapped: frozenset[str] = frozenset()) -> Seen:
        """The text before; ``contagious``: what unknown code gives for something volatile is volatile."""
        item, given = self.item, self.given
        legacy = not item.exact
        state = World(legacy, item.exact, dict(self.decisions), given.grad, given.volatile, contagious, item.device)
        state.flagged = given.state
        return run(item.before, self.unit, self._prepared(state, wrapped), self.only_before)

    def new(
        self,
        before: Seen,
        wrapped: frozenset[str] = frozenset(),
        neighbour: Neighbour | None = None,
        other: Mapping[Hashable, bool] = _NOTHING,
    ) -> Seen:
        """The text after, or a near miss of it, on the way that the text before took."""
        item, given = self.item, self.given
        legacy, joint = item.rest == "legacy", {**self.decisions, **dict(before.taken), **other}
        state = World(legacy, True, joint, given.grad, given.volatile and legacy, not self.ran, item.device)
        state.variables, state.early, state.after = set(before.variables), set(before.early), True
        state.ungraded = set(before.ungraded)
        if not item.quick:
            state.watched, state.neighbour = item.reached.watched(), neighbour
        self._prepared(state, wrapped)
        state.held_cell = before.held_cell
        state.skips = {mark: known for mark, known in state.skips.items() if known[0] in before.passed}
        return run(item.after, self.unit, state, self.only_before, grad_enabled=not given.within)

    def _prepared(self, state: World, wrapped: frozenset[str]) -> World:
        item, given = self.item, self.given
        state.open_settings, state.open_options = given.open_settings, given.open_options
        state.open_counts, state.onward = given.open_counts, given.onward
        state.changed = frozenset(
            mark for hunk in item.reached.hunks or () if hunk.modes or not hunk.flags
            for mark in hunk.before | hunk.after)
        state.flag_readers = item.before.flag_readers if given.readers else frozenset()
        state.networks, state.exact = given.networks, item.exact
        state.blocked = bool(item.reached.watched())
        state.may, state.through = dict(may_be(item, self.unit)), self.through
        state.lean, state.known_parts = given.lean, self.known_parts
        state.short, state.brief, state.wrapped, state.turned = given.short, given.brief, wrapped, given.flagged
        state.most = MAX_OPERATIONS * (LONG if given.long else 1)
        state.filled, state.avoid = given.filled, self.tally.avoid
        state.idle = given.idle
        state.keyed = item.before.keyed if given.filled else frozenset()
        state.veiled = veiled(item) if given.filled else frozenset()
        state.opaque = out_of_sight(item) if given.opaque else frozenset()
        state.skips = self.tally.skips[state.modern] if given.past else {}
        return state

    def compared(self) -> list[tuple[Hashable, bool]]:
        """What was decided on the way."""
        before, after, taken = self._run()
        if before.twice:
            return taken  # it raised on 0.3
        if before.volatile_error:
            self._note_raised(before, after, taken)
            return taken
        if before.refused and before.stopped is None and after.stopped is None and after.error is None:
            # a program that ran never came this way: what has no graph was not asked for one
            if not taken:
                self.tally.vanished.append(_vanished(before))
            return taken
        cause = self.tally.last = _incomplete(before, after)
        if cause is not None:
            self.tally.causes.append(cause)
            self.tally.tired = self.tally.tired or (not self.tally.complete and "operations" in cause)
            if not _cut(before, after):
                return taken
        found = _differences(before, after, self.given.grad)
        if not found:
            self._note_grown(before, after)
        if self.given.grad and not (found or self.tally.complete) and any(differences(before, after)):
            self.tally.causes.append("a graph is there after that was not before (given parameters that require grad)")
            return taken  # where they do not it may be one that nobody had
        if (found and before.unheld and before.error is not None) or not self._says_something(before, after, found):
            return taken  # who ran the program came by its guard: of a way that ends there, nothing is known
        if found and before.uncertain:
            other = self.old(False, self.wrapped)
            if not other.volatile_error and not _differences(other, after, self.given.grad):
                found = []
        if not found and not self.given.grad and not self.given.within:
            _try_neighbours(
                before, after, self.item.reached, lambda neighbour: self.new(before, self.wrapped, neighbour))
        if not found:
            self._note_acts(before, after)
        lent = None if found else _lent(before, after)
        if lent is not None:
            self.item.reached.lent.setdefault(self.unit, lent)
        self.tally.mattered = self.tally.mattered or before.mattered
        if cause is None:
            self.tally.complete += before.error is None
            self.tally.raised += before.error is not None
            self.tally.surely += before.error is not None and (before.refused or self._is_sure(before.line))
        if found:
            self._blame(found, before, after, taken)
        return taken

    def _note_grown(self, before: Seen, after: Seen) -> None:
        """What made a graph that was not there before. What the old text makes Variables of did not require grad."""
        lines = grown(before, after) - self.item.reached.grown
        if lines and self.given.grad:
            before, after, _ = _as_tensors(before, after, lambda plain: self.old(not self.ran, plain), self.new)
            lines = grown(before, after)
        self.item.reached.grown |= lines

    def _run(self) -> tuple[Seen, Seen, list[tuple[Hashable, bool]]]:
        """Both sides, and what was decided on them; what was come by is noted."""
        before = self.old(True)
        if before.volatile_error and (before.uncertain or before.mixed):
            self.ran = True  # a program that ran sent nothing volatile backward: what is unknown gave other things
            before = self.old(False)
        after = self.new(before)
        tally = self.tally
        if (before.called_part or after.called_part) and _incomplete(before, after) is not None:
            self.known_parts = False  # what stands there cannot be followed
            return self._run()
        asked = before.taken + after.taken  # what is taken for plain tensors is asked less
        if _differences(before, after, self.given.grad):
            tally.latent = tally.latent or before.latent or after.latent
            before, after, self.wrapped = _as_tensors(
                before, after, lambda plain: self.old(not self.ran, plain), self.new)
        tally.operations += before.operations + after.operations
        tally.loaded = max(tally.loaded, before.loaded, after.loaded)
        tally.unloaded = tally.unloaded or before.unloaded
        tally.latent = tally.latent or before.latent or after.latent
        tally.reached.entered |= after.entered
        tally.reached.needed |= after.needed
        tally.cut, tally.late = tally.cut or before.cut or after.cut, tally.late or before.late or after.late
        tally.ends.append((self.prefix, before.error, before.line))
        tally.stop = tally.last = None
        if before.stopped is None and after.stopped is None and before.error is not None and not before.volatile_error:
            same = (before.error, before.message) == (after.error, after.message)
            tally.stop = (before.line, after.line) if same and before.line and after.line else None
        tally.assumed, tally.failed = before.assumed | after.assumed, before.error is not None
        for seen in (after, before):
            for name, lines in seen.asked.items():
                tally.asked.setdefault(name, set()).update(lines)
        known: dict[Hashable, bool] = {}
        for name, way in (*before.taken, *after.taken, *asked):
            known.setdefault(name, way)
        return before, after, list(known.items())

    def _is_sure(self, line: tuple[str, int] | None) -> bool:
        """Does a ``raise`` stand there that every way through the unit comes by?"""
        side, unit = self.item.before, self.unit
        node = side.units.get(unit) or side.plain_trees.get(unit.path)
        if line is None or node is None or line[0] != unit.path:
            return False
        around = [each for each in node.body if each.lineno <= line[1] <= (each.end_lineno or each.lineno)]
        return any(isinstance(each, (ast.Raise, ast.Assert)) for each in around)

    def _note_raised(self, before: Seen, after: Seen, taken: list[tuple[Hashable, bool]]) -> None:
        """On 0.3 this way raised for something volatile, so the flag was not on there."""
        self.tally.volatile_errors += 1
        self.tally.reached.flags.setdefault(self.unit, set()).update(before.flags)
        if self.given.volatile:
            self.tally.reached.turned.setdefault(self.unit, set()).update(before.flags)
        if after.error is None and not before.uncertain and not taken:
            self.tally.vanished.append(_vanished(before))
        before.world = after.world = None  # nothing else is asked of them
        self.tally.failing.append((before, after))

    def _says_something(self, before: Seen, after: Seen, found: list[Difference]) -> bool:
        """Note what was met; False where nobody calls it so: who calls what trains has no block around it."""
        given, tally = self.given, self.tally
        if not given.within and before.doubts != after.doubts:
            tally.doubted = True
        tally.met = tally.met or bool(before.met | after.met)
        if given.volatile:
            tally.reached.turned.setdefault(self.unit, set()).update(before.flags)
        if (given.within or given.flagged) and (found if given.flagged else _trains(before)):
            return False
        if not (given.guessed or given.volatile or given.flagged or given.grad):
            for name in before.left - after.left:
                tally.reached.left.setdefault(name, self.unit)
        if not given.through:  # what may be called closes nothing
            tally.reached.note(self.unit, before.reached, after.reached, before.flags, before.error is None)
        return True

    def _note_acts(self, before: Seen, after: Seen) -> None:
        """What nothing is known of runs in a block now: whether it makes a graph, nobody sees."""
        for old, new, why in (
            (before.acted, after.acted, f"called{ACTS}"), (before.traced, after.traced, f"made{TRACED}")):
            off = None if self.given.within else switched_off(old, new)
            if off is None:
                continue
            said = f"grad mode is on before and off after where {off} is {why}"
            self.tally.supposed = self.tally.supposed or said

    def _blame(
        self, found: list[Difference], before: Seen, after: Seen, taken: list[tuple[Hashable, bool]]
    ) -> None:
        """A difference, or one that hangs on what is only supposed of things that are missing."""
        grad, tally = self.given.grad, self.tally
        supposed = _neither(taken) or _larger(before.supposes | after.supposes)
        if supposed is None and not self.through and before.met | after.met:
            self.through = True
            again = self.old(not self.ran, self.wrapped)
            if _same(again, self.new(again, self.wrapped), grad):
                supposed = WITHOUT_METHOD
            self.through = False
        supposed = supposed or _apart(
            before, after, lambda ways: self.new(before, self.wrapped, None, ways), grad)
        if supposed is not None:
            tally.supposed = tally.supposed or f"{found[0].text}{self.given}{_condition(taken)}{supposed}"
            return
        tally.found += found
        tally.when, tally.way = _condition(taken), tuple(_named(taken))


def _vanished(before: Seen) -> str:
    where = f"{before.where(before.line)}: " if before.line else ""
    return f"{where}{before.error} before, no error after"


def _neither(taken: Iterable[tuple[Hashable, bool]]) -> str | None:
    """The unknowns that are neither Variables nor tensors on this way: what else computes as they do, nobody knows."""
    said = {key[1:]: way for key, way in taken if isinstance(key, tuple) and key[0] == "isinstance"}
    for (path, kind), way in said.items():
        if kind == "Variable" and not way and said.get((path, "Tensor")) is False and isinstance(path, str):
            return f" (given that {path} is neither a Variable nor a tensor)"
    return None


def _larger(numbers: frozenset[str]) -> str | None:
    """Numbers that are larger on this way than in what was run, or the same: whether they ever are, nobody saw."""
    return f" (given numbers that are not so: {min(numbers)})" if numbers else None


def _apart(
    before: Seen, after: Seen, answered: Callable[[Mapping[Hashable, bool]], Seen], grad: bool
) -> str | None:
    """The questions that only one side each asked, where other answers to those of the new text would make both do the
    same: whether they are one question in two spellings, nobody knows here. As text; None where that is not so."""
    first, second = dict(before.taken), dict(after.taken)
    mine, other = [each for each in first if each not in second], [each for each in second if each not in first]
    if not mine or not other:
        return None
    for number in range(1, 1 << min(len(other), MAX_TURNED)):
        turned = {each: not second[each] for place, each in enumerate(other) if number >> place & 1}
        again = answered(turned)
        if _incomplete(before, again) is None and not _differences(before, again, grad):
            asked = [", ".join(_asked(keys)) or "a value" for keys in (mine, other)]
            return f" (before and after were asked different questions: {asked[0]}; {asked[1]})"
    return None


def _lent(before: Seen, after: Seen) -> str | None:
    """What is not in view and got something volatile before, and something that may have a graph after."""
    for sink, old in before.lent.items():
        if any(new and not was for was, new in zip(old, after.lent.get(sink, ()), strict=False)):
            return sink
    return None


def _try_neighbours(before: Seen, after: Seen, reached: Reached, run_as: Callable[[Neighbour], Seen]) -> None:
    """Near misses of a way that is the same on both sides: each has to be told from it somewhere."""
    for neighbour in sorted(after.matters):
        if not reached.neighbours.get(neighbour, False):
            other = run_as(neighbour)
            if other.stopped is not None or any(differences(before, other)):
                reached.neighbours[neighbour] = True
            elif (other if neighbour[0] == "out" else run_as(("weigh", neighbour[1]))).kept:
                reached.neighbours[neighbour] = False  # somebody has that graph, and nobody saw it


def _named(taken: Iterable[tuple[Hashable, bool]]) -> Iterator[tuple[str, bool]]:
    """The conditions of a way that ask for what has a name."""
    for key, way in taken:
        kind, *rest = key if isinstance(key, tuple) else (key,)
        if kind == "true" and isinstance(rest[0], str):
            yield rest[0], way
        elif kind == "eq" and isinstance(rest[0], str) and isinstance(rest[1], str):
            yield f"{rest[0]} == {rest[1]}", way


def _condition(taken: Iterable[tuple[Hashable, bool]]) -> str:
    """The condition of a way, as far as it asks for what has a name: ``, when use_cuda and not args.finetune``."""
    said = [text for key, way in taken if (text := _spelled(key, way))]
    return f", when {' and '.join(said[:4])}" if said else ""


def _asked(keys: Iterable[Hashable]) -> list[str]:
    return [text for key in keys if (text := _spelled(key, True))]


def _spelled(key: Hashable, way: bool) -> str:
    """An answer to a question about something that has a name, as the text would have it; "" for any other."""
    kind, *rest = key if isinstance(key, tuple) else (key,)
    name = rest[0] if rest else ""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return ""
    if kind == "true":
        return name if way else f"not {name}"
    if kind == "none":
        return f"{name} is {'' if way else 'not '}None"
    if kind == "isinstance" and rest[1] == "Variable":
        return f"{name} is {'' if way else 'not '}a Variable"
    if kind == "eq" and isinstance(rest[1], str) and len(rest[1]) < 30:
        return f"{name} {'==' if way else '!='} {rest[1]}"
    return ""


_NAME = re.compile(r"[A-Za-z_][\w.\[\]']*")


def _trains(before: Seen) -> bool:
    """Did a run make a graph that somebody has, or send something backward?"""
    before.settle()
    for event in before.events:
        wanted = zip(event.graph, event.wanted, strict=True)
        if event.sink == "backward" or any(made and asked for made, asked in wanted):
            return True
    return has_graph(before.result) or any(map(has_graph, before.objects.values()))


def _as_tensors(
    before: Seen,
    after: Seen,
    old: Callable[[frozenset[str]], Seen],
    new: Callable[[Seen, frozenset[str]], Seen],
) -> tuple[Seen, Seen, frozenset[str]]:
    """Both runs once more, with what the legacy code makes Variables of as plain tensors on both sides: there
    ``Variable(x)`` and ``x`` are the same; and what was so taken. The runs as they were where those come to no end."""
    wrapped: frozenset[str] = frozenset()
    again = before
    for _ in range(MAX_WRAPPED):
        if again.wrapped <= wrapped:
            break
        wrapped |= again.wrapped
        again = old(wrapped)
    if not wrapped or again.volatile_error:
        return before, after, frozenset()
    other = new(again, wrapped)
    return (again, other, wrapped) if _incomplete(again, other) is None else (before, after, frozenset())


def _cut(before: Seen, after: Seen) -> bool:
    """Do both end at the same error of Python's own? Up to there a way can be compared."""
    if before.stopped is not None or after.stopped is not None or before.error in (None, "StandInError"):
        return False
    return (before.error, before.message) == (after.error, after.message)


def _incomplete(before: Seen, after: Seen) -> str | None:
    """Why this pair of runs says nothing; None where it does."""
    for seen in (before, after):
        if seen.stopped is not None:
            return seen.stopped
    if before.error is not None and not before.own:
        return _stopped_at(before)
    if after.error == "StandInError":
        return after.message
    return None


def _same(before: Seen, after: Seen, grad: bool) -> bool:
    """Does this pair of runs say that both do the same, as far as they come?"""
    told = _incomplete(before, after) is None or _cut(before, after)
    return told and not before.volatile_error and not _differences(before, after, grad)


def _stopped_at(before: Seen) -> str:
    """Where an error that is not the author's ended a run, in words."""
    if before.error == "StandInError":
        return before.message
    where = before.where(before.line) if before.line else "its beginning"
    return f"the code stops at {where}, on stand-ins or by itself: {before.message[:120] or before.error}"


def _differences(before: Seen, after: Seen, grad: bool) -> list[Difference]:
    """With parameters that require grad only what is lost counts: whether they do is not known."""
    return [each for each in differences(before, after) if not (grad and each.kept)]
