"""What is assumed in a round of runs, and what its runs came to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from voltfix.verify.symbolic.compare import Difference
from voltfix.verify.symbolic.project import Mark
from voltfix.verify.symbolic.run import Seen
from voltfix.verify.symbolic.work import Reached
from voltfix.verify.symbolic.world import Line

WITH_METHOD = " (given that what is called is the method of that name in this project)"
WITHOUT_METHOD = " (given that what is called is not the method of that name in this project)"
Way = tuple[tuple[Hashable, bool], ...]  # what was decided, in order


LOADED = 300  # operations of loading modules


@dataclass(frozen=True)
class Given:
    """What is assumed in a round of runs: of the parameters, and of the settings of the modules."""

    grad: bool = False
    volatile: bool = False
    open_settings: bool = False
    onward: bool = False  # whoever reads a notebook runs the cells behind one that ends at an error
    open_counts: bool = False  # what a counter waits for has come, or has not (``count == 128``)
    brief: bool = False  # loops go round as often as shows what one round leaves for the next (``World.brief``)
    long: bool = False  # a run takes more operations (``World.most``)
    short: bool = False  # loops over a known number of things go round four times
    lean: bool = False  # what modules compute while they are loaded waits until somebody asks for it (``World.lean``)
    flagged: bool = False  # parameters that the new text has no more are given what they are not by default
    open_options: bool = False
    readers: bool = False  # a parameter that is called is the one network of the project that asks for ``.volatile``
    through: bool = False  # a method of something unknown is the one of that name that was touched
    networks: bool = False  # what is taken for a function by its name has parameters of its own
    past: int = 0  # statements that runs go past (``Tally.skips``)
    filled: bool = False  # containers, modules and objects have what the code asks of them
    opaque: bool = False  # networks that cannot be followed are taken for unknown ones
    state: frozenset[str] = frozenset()  # attributes that other methods leave volatile, and no longer do
    idle: bool = False  # functions that the function defines, and nobody calls, are called at its end
    within: bool = False  # the new text is called within no_grad, as what called the old one with a flag does now

    @property
    def guessed(self) -> bool:
        """Does the text say nothing of what is assumed? Then a difference is no alarm."""
        unlike = self.open_options or self.readers or self.networks or self.through
        return unlike or self.filled or self.idle or self.onward

    def __str__(self) -> str:
        if self.idle:
            return " (given that somebody calls the functions that are defined in it)"
        if self.filled:
            return " (given what is missing here)"
        if self.grad:
            return " (given parameters that require grad)"
        if self.through:
            return WITH_METHOD
        if self.networks:
            return " (given that what is called has parameters of its own)"
        if self.readers:
            return " (given the network of this project that asks for `.volatile`)"
        if self.open_options:
            return " (given settings that are not what the module sets them to)"
        if self.flagged:
            return " (given the flag that the function no longer takes)"
        return " (given volatile parameters)" if self.volatile else ""


@dataclass
class Tally:
    """What the runs of a unit came to, all rounds together."""

    reached: Reached
    complete: int = 0
    operations: int = 0
    loaded: int = 0  # the most that loading the modules took in a run
    unloaded: bool = False  # what a module computes while it is loaded ends at an error
    raised: int = 0  # ways that end in an exception which the project raises
    surely: int = 0  # those of them that end where every way has to: nothing is asked before
    vanished: list[str] = field(default_factory=list)  # a refusal of 0.3's own before that does not come after
    volatile_errors: int = 0
    asked: dict[Hashable, set[Line | None]] = field(default_factory=dict)  # on which lines something is asked
    assumed: frozenset[Hashable] = frozenset()  # on the last way: what let a guard pass
    avoid: dict[Line | None, bool] = field(default_factory=dict)  # ``World.avoid``, while ways end at errors
    failed: bool = False  # the last way ended at an error
    failing: list[tuple[Seen, Seen]] = field(default_factory=list)  # 0.3 raised for a volatile value
    causes: list[str] = field(default_factory=list)
    # the statements that runs go past (``skipping.py``), before and after: which, and whether the function ends there
    skips: tuple[dict[Mark, tuple[int, bool]], dict[Mark, tuple[int, bool]]] = field(default_factory=lambda: ({}, {}))
    past: int = 0  # how many of them runs go past from here on: those let ways come to their end
    gone: set[str] = field(default_factory=set)  # the causes that these were
    last: str | None = None  # why the last way says nothing, if it does not
    stop: tuple[Line, Line] | None = None  # where both sides of the last way ended at the same error
    met: bool = False  # a method of something unknown may be one that was touched
    doubted: bool = False  # parameters of what is taken for a function by its name would make a difference
    mattered: bool = False  # in a run that was compared something volatile met what has a graph
    onward: bool = False  # ``Given.onward``, of all further rounds
    stuck: bool = False  # all ways ended at errors of Python's own
    tired: bool = False  # a run used up its operations before any way came to its end
    cut: bool = False  # a loop was cut short in a brief run
    whole: bool = False  # loops are cut no longer: what brief runs showed was not enough
    late: bool = False  # no time is left for another run
    ends: list[tuple[Way, str | None, Line | None]] = field(default_factory=list)  # the error that each way ends at
    latent: bool = False  # ``World.latent``
    found: list[Difference] = field(default_factory=list)
    way: tuple[tuple[str, bool], ...] = ()
    supposed: str | None = None  # a difference that rests on what is only supposed, as a sentence
    when: str = ""  # the condition of the way on which that was found

    @property
    def waits(self) -> bool:
        """Does loading take so long, or end at an error, that what modules compute waits until somebody asks for it?"""
        return self.loaded > LOADED or self.unloaded
