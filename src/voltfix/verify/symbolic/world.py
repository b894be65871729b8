"""One run of one function: which semantics holds, what was decided, what was seen, which leaves there are."""

from __future__ import annotations

import gc
import hashlib
import math
import struct
import sys
import weakref
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, cast

import torch

SIZE = 4  # numbers in the tensor of a stand-in: shapes never matter
MAX_OPERATIONS = 4000  # per run; a run that wants more is stopped
MAX_GUARDED = 8  # times that a guard is asked once more, with another answer
Line = tuple[str, int]  # path and number
_COEFFICIENTS: dict[tuple[str, str], torch.Tensor] = {}


class StandInError(Exception):
    """The stand-ins cannot go on here: the run says nothing about the project's code."""


class VolatileError(RuntimeError):
    """What 0.3 raised where a volatile value was asked for gradients."""


class Stopped(BaseException):
    """The run used up its operations."""


class LateError(Stopped):
    """The function used up its time: no further run of it is begun."""


Place = tuple[str, int]  # a line of the project, with its path


ASKED = "requires_grad"  # the sink of what the text asks for that


@dataclass
class Event:
    """Something that code outside can see, in the order of its ``sink`` (a module, a method of an unknown,
    ...).
    """

    sink: str
    seen: Any
    line: tuple[str, int] | None
    graph: tuple[bool | None, ...] = ()  # requires_grad of what a module gave, each output's; None: not known
    # only a graph that is there after and was not before counts: on 0.3 what a volatile forward made of parameters
    # alone kept a graph, and today's block takes that away; who reaches for it is seen where he does
    beside_volatile: bool = False
    tokens: tuple[Any, ...] = ()  # what lives as long as the graph of each output, while the run goes on
    wanted: tuple[bool, ...] = ()  # did anyone have the graph of each output?
    latent: tuple[bool, ...] = ()  # would it have a graph, if unknowns required grad?
    let_go: bool = False  # what the module gave is detached on the spot: its graph is out of reach


@dataclass
class World:
    """The state of one run.

    ``legacy``: volatile flags mean what they meant in 0.3; ``modern``: torch has grad modes, which always
    work.
    """

    legacy: bool
    modern: bool
    decisions: dict[Hashable, bool]
    leaves_require_grad: bool = False
    volatile_arguments: bool = False
    # may an unknown callable's second and further arguments pass volatility on? (0.3: depends on the
    # criterion)
    targets_contagious: bool = True
    device: str = "cpu"
    taken: list[tuple[Hashable, bool]] = field(default_factory=list)
    ways: dict[Hashable, bool] = field(default_factory=dict)  # the same to look up
    asked: dict[Hashable, set[Line | None]] = field(default_factory=dict)  # on which lines of the project
    equal_to: dict[str, Any] = field(default_factory=dict)
    equal_by: dict[str, Hashable] = field(default_factory=dict)  # the decisions that said so
    avoid: Mapping[Line | None, bool] = field(default_factory=dict)  # new questions on these lines are answered so
    kinds: int = 0  # times that the type of an unknown was asked for
    assumed: set[Hashable] = field(default_factory=set)  # answered so that a guard of the author's lets the run pass
    questions: int = 0  # times that the run was asked for a decision
    unheld: bool = False  # a guard of the author's did not let the run pass, for an answer that the run gave
    events: list[Event] = field(default_factory=list)
    leaves: dict[str, torch.Tensor] = field(default_factory=dict)
    modes: dict[str, bool] = field(default_factory=dict)
    globals: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    ends: dict[Hashable, int] = field(default_factory=dict)  # where ranges up to an unknown number end
    identities: dict[Hashable, tuple[int, Any]] = field(default_factory=dict)  # what ``id`` said of what
    operations: int = 0
    loaded: int = 0  # those of them that modules do while they are loaded
    unloaded: bool = False  # did what a module computes while it is loaded end at an error?
    lean: bool = False  # what modules compute while they are loaded waits until somebody asks for it
    backwards: int = 0
    mixed: bool = False  # an unknown callable was given something volatile beside a value with a graph
    uncertain: bool = False  # an unknown callable was given a volatile target beside a value with a graph
    # functions that functions define, where they stand: as they were made last, and those that somebody called
    inner: dict[tuple[str, int, int], Any] = field(default_factory=dict)
    called: set[tuple[str, int, int]] = field(default_factory=set)
    idle: bool = False  # those that nobody called are called at the end
    keyed: frozenset[str] = frozenset()  # words under which functions of the project put something into a container
    flag_readers: frozenset[Any] = frozenset()  # functions whose legacy text asks for ``.volatile``
    used: set[str] = field(default_factory=set)  # modules that were called
    reached: set[tuple[str, int, int]] = field(default_factory=set)  # changed statements that ran
    flags: list[tuple[tuple[str, int, int], Any]] = field(default_factory=list)  # what decided volatility, and where
    open_settings: bool = False  # truth values at the top of a module are unknown, and which of two numbers is larger
    # cells of a notebook go on behind one that ends at an error (``cells.py``); statements that changed, but those of
    # flags alone; those of them that ran before the cell that runs, and how many flags; the cell that nobody goes past
    onward: bool = False
    changed: frozenset[tuple[str, int, int]] = frozenset()
    before_cell: tuple[set[tuple[str, int, int]], int] = field(default_factory=lambda: (set(), 0))
    held_cell: int | None = None
    open_counts: bool = False  # ... and which two are the same
    supposes: set[str] = field(default_factory=set)  # what is said of such numbers and is not so in this run
    # near misses of a proof (``neighbours.py``): the blocks that are watched, the one that is another way in this run,
    # those that are open, what they held back, and what was made right behind them
    watched: frozenset[Place] = frozenset()
    neighbour: tuple[str, Place] | None = None
    open_blocks: list[Place] = field(default_factory=list)
    held: dict[Place, list[Any]] = field(default_factory=dict)
    behind: Place | None = None
    mode_depth: int = 0  # grad modes that are entered
    behind_in: int = 0
    matters: set[tuple[str, Place]] = field(default_factory=set)
    entered: set[Place] = field(default_factory=set)  # the watched blocks that were open at some time
    needed: set[Place] = field(default_factory=set)  # those with something in them that has a graph outside of any
    tokens: list[Any] = field(default_factory=list)  # what lives as long as the graphs that a near miss is about
    kept: bool = False  # is one of them there at the end?
    settled: bool = False
    # functions that decorators outside the project were given while modules load: what they call is not there yet
    loading: int = 0
    handed: list[tuple[str, Any]] = field(default_factory=list)
    # unknowns that legacy code makes Variables of, so that they are plain tensors: known from a run before this one,
    # and found in this one
    wrapped: frozenset[str] = frozenset()
    found: set[str] = field(default_factory=set)
    # did somebody see whether something has a graph that would have one if unknowns required grad? If nobody did, a run
    # in which they do shows nothing that this one does not; and which unknowns those are
    latent: bool = False
    could_require: set[str] = field(default_factory=set)
    unknowns: set[str] = field(default_factory=set)  # those of the leaves that are unknowns of the project's code
    main: bool = False  # the body of a module is looked at, from its first statement on
    # names that the old text asked a module for that did not have them yet; ``after``: the new text finds no others
    early: set[str] = field(default_factory=set)
    after: bool = False
    # what had no gradient before when the text asked for it, though it had one where it ran: with ``filled`` it has one
    ungraded: set[str] = field(default_factory=set)
    open_options: bool = False  # so is what an object at the top of a module holds at first
    turned: bool = False  # parameters that one side alone has are what they are not by default
    filled: bool = False  # containers, modules and objects have what the code asks of them, as they had where it ran
    # modules whose networks are taken for unknown ones (``opaque.py``), and those: whether what they give is let go of
    # inside of them, the run decides
    opaque: frozenset[str] = frozenset()
    veiled: frozenset[tuple[str, str]] = frozenset()  # definitions that are taken for unknown ones (``veiled.py``)
    unseen: set[str] = field(default_factory=set)
    # the statements that this run goes past where they end at an error (``skipping.py``): which one it is, the same on
    # both sides, and whether the function ends there
    skips: Mapping[tuple[str, int, int], tuple[int, bool]] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)  # those that it went past
    short: bool = False  # loops over a known number of things are short too
    # a brief run: loops over a known number of things go round as often as those over unknowns, and one that is come by
    # again goes round once
    brief: bool = False
    cut: bool = False  # did that make a difference?
    most: int = MAX_OPERATIONS
    flagged: frozenset[str] = frozenset()  # attributes that the classes of this side store volatile Variables in
    given: tuple[Event, Any] | None = None  # the last call of an unknown module, and what it gave
    depth: int = 0
    inside: int = 0  # depth of calls into modules of the project
    observing: bool = False
    alive: list[Any] = field(default_factory=list)  # what code outside may have kept: modules, graphs, arguments
    # what only the names of unknown callables say: which of them have no parameters (``calls.doubted``). ``functions``:
    # what the text says it of; ``networks``: in this run the others have some; and to each of those, call by call,
    # whether that would have made a graph
    functions: Container[str] = frozenset()
    unweighted: Container[str] = frozenset()  # names of objects of classes in view that have none (``unweighted.py``)
    networks: bool = False
    # what is called for its effect alone: it is taken for a function of what a block gave (``blocked``: the change has
    # one), for that has no graph; of what is volatile for its flag alone, nobody knows
    effects: frozenset[str] = frozenset()
    blocked: bool = False
    doubts: dict[str, list[bool]] = field(default_factory=dict)
    # what is called for its effect alone and is not in view, by file and line (``acting.py``; None: not looked for),
    # and whether grad mode was on at each such call
    acting: Callable[[str], Mapping[int, frozenset[str]]] | None = None
    acted: dict[str, list[bool]] = field(default_factory=dict)
    # in what grad mode something that is not in view gave what is taken from it, by path; and, where a backward comes
    # to nothing else, whether it was on for any of that
    gave: dict[str, bool] = field(default_factory=dict)
    traced: dict[str, list[bool]] = field(default_factory=dict)
    # methods of touched classes, by name: what a method of something unknown may be. ``through``: in this run it is
    # that; and those that were met
    may: dict[str, Any] = field(default_factory=dict)
    through: bool = False
    met: set[str] = field(default_factory=set)
    # of attributes of what is unknown that are objects of one class of the project (``parts.py``): what finds that
    # class; and was one of them called?
    parts: dict[str, Callable[[], Any]] = field(default_factory=dict)
    known_parts: bool = True
    cutting: frozenset[str] = frozenset()  # the names of such classes
    called_part: bool = False
    # unknowns that the old text asks for their volatile flag: Variables, so that whether they require grad is known
    variables: set[str] = field(default_factory=set)
    mattered: bool = False  # something volatile met what has a graph
    twice: bool = False  # a Variable was made of what this run had said is one: 0.3 took none for data, and raised
    # what went to code that is not in view (``lending.py``): to whom, and each time whether what is made of it there
    # may have a graph
    lent: dict[str, list[bool]] = field(default_factory=dict)
    shared: dict[int, Any] = field(default_factory=dict)  # dictionaries that such code has, by their ``id``
    exact: bool = False  # every operation is noted: whether it made a graph
    grew: dict[tuple[str, Line], int] = field(default_factory=dict)  # the operations that made one, by line
    made: dict[tuple[str, bool], int] = field(default_factory=dict)
    spelled: set[str] = field(default_factory=set)  # what unknowns were spelled as: a text that has one is unknown, too

    def decide(self, key: Hashable, default: bool = True) -> bool:
        """The way this run goes at a condition on an unknown; the same condition goes the same way
        throughout.
        """
        way = self.ways.get(key)
        if way is None:
            if self.avoid and key not in self.decisions:
                default = self.avoid.get(project_line(), default)
            way = self.ways[key] = self.decisions.get(key, default)
            self.taken.append((key, way))
        self.asks(key)
        return way

    def suppose(self, key: Hashable, said: str, known: bool) -> bool:
        """The way this run goes at a condition that is known, and may be another one some time later."""
        way = self.decide(key, known)
        if way != known:
            self.supposes.add(said if way else f"not {said}")
        return way

    def hold(self, test: Callable[[], bool], wanted: bool) -> bool:
        """Whether ``test`` holds, answered as ``wanted`` where only new decisions say otherwise: who ran the program
        came by his own ``assert`` and by ``if ...: raise``."""
        start, budget, kinds, questions = _Moment(self), [MAX_GUARDED], self.kinds, self.questions
        if self._holds(test, wanted, start, budget):
            return wanted
        start.again(self)
        held = test()
        if self.filled and self.kinds > kinds:  # what was said of a type was only supposed
            return wanted
        self.unheld = self.unheld or (held != wanted and self.questions > questions)
        return held

    def _holds(self, test: Callable[[], bool], wanted: bool, start: _Moment, budget: list[int]) -> bool:
        if test() == wanted:
            return True
        budget[0] -= 1
        new = [each for each in self.taken[start.taken :] if each[0] not in self.decisions]
        for key, way in reversed(new):
            if budget[0] <= 0:
                break
            start.again(self)
            self.decisions[key] = not way
            if self._holds(test, wanted, start, budget):
                self.assumed.add(key)
                return True
            del self.decisions[key]
        return False

    def is_there(self, name: str) -> bool:
        """Is a name there that nothing has bound yet? Where the old text asks for it, it came from somewhere."""
        if not self.after:
            self.early.add(name)
        return name in self.early

    def had_gradient(self, name: str) -> bool:
        """Has what no backward has reached a gradient all the same? The new text has to reach what the old one did."""
        if not self.after:
            self.ungraded.add(name)
        return name in self.ungraded

    def asks(self, key: Hashable) -> None:
        """Note that the line of the project that runs hangs on this decision."""
        self.questions += 1
        self.asked.setdefault(key, set()).add(project_line())

    def wrap(self, path: str, tensor: torch.Tensor) -> None:
        """Legacy code makes a Variable of ``tensor``: what it is computed from did not require grad on 0.3."""
        if not self.legacy:
            return
        self.found.add(path)
        names = sorted(self.unknowns)
        if tensor.requires_grad and tensor.grad_fn is not None and names:
            leaves = [self.leaves[name] for name in names]
            with torch.enable_grad():
                reached = torch.autograd.grad([tensor.sum()], leaves, retain_graph=True, allow_unused=True)
            self.found |= {name for name, each in zip(names, reached, strict=True) if each is not None}

    def made_of_unknown(self, text: str) -> bool:
        """Was this text put together with the name of an unknown in it?"""
        return any(each in text for each in self.spelled)

    def count(self, name: str) -> int:
        """How often ``name`` was counted before."""
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]

    def record(
        self,
        sink: str,
        seen: Any,
        made: tuple[Any, ...] = (),
        beside_volatile: bool | None = None,
    ) -> None:
        """Keep an event, unless it is the observer's own doing.

        ``made``: what a module gave (states of stand-ins), or whether that has a graph; None where it is not known.
        ``beside_volatile``: was it made beside something volatile? Where it is not said, all that runs inside a module
        of the project may be.
        """
        if not self.observing and (self.main or not self.loading):  # loading a module is no doing of a function
            beside = self.inside > 0 if beside_volatile is None else beside_volatile
            tensors = [each if each is None or isinstance(each, bool) else each.tensor for each in made]
            graph = tuple([each.requires_grad if isinstance(each, torch.Tensor) else each for each in tensors])
            tokens = tuple([_token(each) if isinstance(each, torch.Tensor) else None for each in tensors])
            latent = tuple([getattr(each, "latent", False) for each in made])
            self.events.append(Event(sink, seen, project_line(), graph, beside, tokens, latent=latent))

    def told(self) -> tuple[Any, ...]:
        """What the run came by up to here."""
        return set(self.reached), self.flags[:], set(self.entered), set(self.needed), set(self.matters), self.mattered

    def forget(self, told: tuple[Any, ...]) -> None:
        """Whatever it came by since then counts for nothing."""
        self.reached, self.flags, self.entered, self.needed, self.matters, self.mattered = told

    def want(self, tensor: torch.Tensor) -> None:
        """Somebody has ``tensor`` and can ask gradients of it: the graph of all that it was computed from lives on."""
        self.alive.append(tensor.grad_fn)

    def hand_out(self, *things: Any) -> None:
        """Code that is not at hand was given these, and may keep them."""
        self.alive.append(things)

    def settle(self) -> None:
        """The run is over: say of each event whose graphs are still there, and let go of what held them; once, and only
        where somebody asks, for to look for what is gone takes longer than all else that is done with a run.

        Nobody asks gradients of what is gone. What is left is in the modules, in the arguments and in the result, in
        what was handed out, or was asked for on the way.
        """
        if self.settled:
            return
        self.settled, self.given = True, None
        if self.tokens:
            gc.collect(1)
            self.kept = any(token is not None and token() is not None for token in self.tokens)
        if self.legacy and any(token is not None for event in self.events for token in event.tokens):
            gc.collect(1)  # stand-ins and their methods hold each other; older generations have none of this run
        for event in self.events:
            event.wanted = tuple(token is None or token() is not None for token in event.tokens)
            event.tokens = ()
        self.alive.clear()

    def give(self, out: Any) -> None:
        """What was recorded last is the call that gives ``out``."""
        if not self.observing and self.events:
            self.given = (self.events[-1], out)

    def let_go(self, thing: Any) -> None:
        """``thing`` is detached, and nobody else has it: the graph of the call that gave it is out of reach."""
        if self.given is not None and self.given[1] is thing:
            self.given[0].let_go = True

    def leave(self, begun: int) -> None:
        """A network that goes on with data alone was run, since so many events: of what was made in it and is gone by
        now, the graph is out of reach, as where that is detached on the spot."""
        made = [each for each in self.events[begun:] if any(token is not None for token in each.tokens)]
        if made and not self.observing:
            self.given = None
            gc.collect(1)
            for event in made:
                event.let_go = event.let_go or all(token is None or token() is None for token in event.tokens)

    def opens(self, place: Place) -> None:
        """A watched block begins."""
        self.open_blocks.append(place)
        self.entered.add(place)

    def grows(self, name: str, result: torch.Tensor) -> None:
        """Note that an operation of the project's code made a graph, whether or not somebody has it later."""
        if result.requires_grad and not self.observing and (self.main or not self.loading):
            line = project_line()
            if line is not None:
                self.grew[name, line] = self.grew.get((name, line), 0) + 1

    def weigh(self, result: torch.Tensor, inputs: Iterable[torch.Tensor], weights: bool = False) -> None:
        """An operation was done: does it matter to a near miss? In a block, if it would have made a graph there; right
        behind one, if it makes a graph. ``weights``: of a network, frozen or not."""
        if self.loading and not self.main:
            return  # what a module does while it is loaded is no doing of its functions
        if self.open_blocks and (weights or any(each.requires_grad for each in inputs)):
            self.needed.update(self.open_blocks)
        if self.open_blocks and not result.requires_grad and any(each.requires_grad for each in inputs):
            self.matters.add(("out", self.open_blocks[-1]))
        if self.behind is not None and result.requires_grad and self.behind_in == self.mode_depth:
            self.matters.add(("longer", self.behind))
        # what only this near miss gives a graph, or takes one from
        mine = {("out", each) for each in self.open_blocks} | {("weigh", self.behind)}
        if result.requires_grad and self.neighbour in mine:
            self.tokens.append(_token(result))

    def spend(self) -> None:
        """Count an operation; raises Stopped when there were too many."""
        self.operations += 1
        self.loaded += self.loading > 0 and not self.main
        if self.operations > self.most:
            raise Stopped(f"more than {self.most} operations")

    def parameter(self, name: str, used: bool = True) -> torch.Tensor:
        """The parameter of the unknown module ``name``: a leaf that requires grad. ``used``: the module is
        called.
        """
        if used:
            self.used.add(name)
        self.latent = self.latent or name in self.could_require
        if name not in self.leaves:
            start = coefficients("parameter:" + name, self.device).clone()
            self.leaves[name] = start.requires_grad_(True)
        return self.leaves[name]


class _Moment:
    """What was decided and seen up to here."""

    def __init__(self, world: World) -> None:
        self.taken, self.events, self.flags = len(world.taken), len(world.events), len(world.flags)
        self.equal_to, self.equal_by = dict(world.equal_to), dict(world.equal_by)
        self.counts, self.made, self.grew = dict(world.counts), dict(world.made), dict(world.grew)
        self.lent = {sink: len(times) for sink, times in world.lent.items()}

    def again(self, world: World) -> None:
        """Be there again."""
        for key, _ in world.taken[self.taken :]:
            world.ways.pop(key, None)
        del world.taken[self.taken :], world.events[self.events :], world.flags[self.flags :]
        world.equal_to, world.equal_by = dict(self.equal_to), dict(self.equal_by)
        world.counts, world.made, world.grew = dict(self.counts), dict(self.made), dict(self.grew)
        world.lent = {sink: world.lent[sink][:often] for sink, often in self.lent.items()}


_CURRENT: list[World] = []


def enter(world: World) -> None:
    """Make ``world`` the one that stand-ins live in."""
    _CURRENT[:] = [world]


def here() -> World:
    """The world of the run that is going on."""
    return _CURRENT[0]


def project_line() -> Line | None:
    """The path and the line of the project's code that runs now (None: none does)."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name[:3] == "vf:":
            return name[3:], frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def goes_round(most: int) -> bool:
    """Does the function of the project that runs now run for itself, more than ``most`` calls deep?"""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename[:3] != "vf:":
        frame = frame.f_back
    code = frame.f_code if frame is not None else None
    deep = 0
    while frame is not None and deep <= most:
        deep += frame.f_code is code
        frame = frame.f_back
    return deep > most


_packed = struct.Struct(f"{SIZE}d").pack


class _Token:
    """Lives as long as the node of torch's graph that it is hung on."""


def _token(tensor: torch.Tensor) -> weakref.ref[_Token] | None:
    if tensor.grad_fn is None:
        return None
    hung: dict[Any, Any] = cast(Any, tensor.grad_fn).metadata
    return weakref.ref(hung.setdefault("voltfix", _Token()))


def coefficients(name: str, device: str = "cpu") -> torch.Tensor:
    """Four numbers between -1 and 1 that ``name`` alone decides: uninterpreted functions are made of
    these.
    """
    key = (name, device)
    found = _COEFFICIENTS.get(key)
    if found is None:
        found = torch.tensor(_numbers(name), dtype=torch.float64, device=device)
        if len(_COEFFICIENTS) > 20000:
            _COEFFICIENTS.clear()
        _COEFFICIENTS[key] = found
    return found


def factors(names: tuple[str, ...], device: str) -> tuple[torch.Tensor, ...]:
    """The coefficients of several names, made at once."""
    return torch.tensor([_numbers(name) for name in names], dtype=torch.float64, device=device).unbind()


def _numbers(name: str) -> list[float]:
    return [part / 2**31 - 1.0 for part in struct.unpack("4I", hashlib.blake2b(name.encode(), digest_size=16).digest())]


def bits(tensor: torch.Tensor) -> bytes:
    """The exact values of a tensor: compares bit for bit."""
    numbers: list[float] = tensor.tolist()
    total = sum(numbers)
    if total != total:  # there is more than one way to spell what is no number
        numbers = [each if each == each else math.nan for each in numbers]
    return _packed(*numbers)
