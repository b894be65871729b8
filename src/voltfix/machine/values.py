"""Abstract values: what a name can hold, and under which condition.

A :class:`Value` is a set of guarded alternatives. Everything with a state of its own (tensors, unknown objects,
instances, lists, dictionaries) is a :class:`Ref` to a :class:`Cell` of the machine's heap, so that aliases share what
happens to it: on 0.3 ``x.volatile = False`` acted on the object, whatever other names it had.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from voltfix.domains.conditions import Algebra, Formula
from voltfix.program.order import linearized
from voltfix.records import dataclass

SiteKey = tuple[str, int, int]  # (path, line, column offset) of the node that decides volatility


@dataclass(frozen=True)
class Const:
    """A Python constant of the source."""

    value: object

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const) and type(self.value) is type(other.value) and repr(self.value) == repr(other.value)
        )


@dataclass(frozen=True)
class Truth:
    """A truth value; ``exact`` where it is proved to be a real ``bool``."""

    formula: Formula
    exact: bool = True


@dataclass(frozen=True)
class Plain:
    """Data that no gradient can belong to: numbers, strings, ``x.data``, NumPy arrays, plain tensors of 0.3.

    ``key`` tells apart data that a condition may ask about (0: anonymous). ``kind`` is said of plain tensors.
    """

    key: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Ref:
    """A heap cell, by number."""

    cell: int

    def __hash__(self) -> int:
        return hash((self.cell,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and self.cell == other.cell


@dataclass(frozen=True)
class Extern:
    """Something from outside the project, by its canonical dotted name (``torch.autograd.Variable``)."""

    name: str


@dataclass(frozen=True)
class ModuleValue:
    """A module of the project, by path."""

    path: str


@dataclass(frozen=True, eq=False)
class Function:
    """A function or lambda of the project with the frame that it was defined in."""

    path: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    owner: ClassValue | None = None
    defaults: tuple[tuple[str, Value], ...] = ()


_asked: list[ClassValue] = []  # whose order is being found out


@dataclass(frozen=True, eq=False)
class ClassValue:
    """A class of the project; ``bases`` that are not the project's are :class:`Extern` or unknown."""

    path: str
    node: ast.ClassDef
    frame: Frame
    bases: tuple[Abstract, ...]
    members: dict[str, Value] = field(default_factory=dict)

    def lookup(self, name: str, after: ClassValue | None = None) -> Value | None:
        """The member of that name in Python's order; ``after``: beyond that class, as ``super()`` in it looks.

        None as well where a class that nobody here can read comes first, and may have it.
        """
        for cls in self.order if after is None else self.beyond(after):
            if not isinstance(cls, ClassValue):
                if not (isinstance(cls, Extern) and cls.name.startswith(("torch.", "builtins."))):
                    return None
            elif name in cls.members:
                return cls.members[name]
        return None

    def beyond(self, cls: ClassValue) -> list[Abstract]:
        """What comes after ``cls`` in the order of this class, that of an object in one of its methods."""
        order = self.order
        return order[order.index(cls) + 1 :] if cls in order else cls.order[1:]

    @cached_property
    def order(self) -> list[Abstract]:
        """The class and those above it as Python looks them up; each from outside the project stands for its own."""
        if self in _asked:
            return [self]  # a class that is its own base is none
        _asked.append(self)
        try:
            lines = [base.order if isinstance(base, ClassValue) else [base] for base in self.bases]
        finally:
            _asked.remove(self)
        return [self, *linearized([*lines, list(self.bases)])]

    def extern_bases(self, seen: frozenset[int] = frozenset()) -> list[str]:
        """Names of the bases from outside the project, over the whole hierarchy."""
        out: list[str] = []
        for base in self.bases:
            if isinstance(base, Extern):
                out.append(base.name)
            elif isinstance(base, ClassValue) and id(base) not in seen:
                out += base.extern_bases(seen | {id(self)})
        return out


@dataclass(frozen=True)
class Bound:
    """A method taken from a receiver: ``x.view``; for project methods ``function`` is what runs."""

    receiver: Value
    name: str
    function: Function | None = None


@dataclass(frozen=True)
class Partial:
    """``functools.partial(function, *args, **kwargs)``."""

    function: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]
    key: SiteKey | None = None  # of the call that made it, where a volatile flag is bound in it
    made: int = 0  # that call, by node id


Abstract: TypeAlias = Const | Truth | Plain | Ref | Extern | ModuleValue | Function | ClassValue | Bound | Partial
Value = tuple[tuple[Formula, Abstract], ...]


@dataclass
class Loop:
    """Where paths went that left an iteration early."""

    broke: Formula
    continued: Formula


@dataclass(eq=False)
class Frame:
    """One activation of a function, class body or module."""

    path: str
    node: ast.AST
    env: dict[str, Value] = field(default_factory=dict)
    globals: Frame | None = None
    closure: Frame | None = None
    chain: tuple[ast.AST, ...] = ()
    returns: list[tuple[Formula, Value]] = field(default_factory=list)
    paused: Formula | None = None  # paths that wait at a ``yield`` while the suite of a ``with`` runs
    yields: list[tuple[Formula, Value]] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    outer_names: set[str] = field(default_factory=set)
    owner: Abstract | None = None
    receiver: Value | None = None
    trying: int = 0  # depth of try statements with handlers
    leaving: Formula | None = None  # paths that left a body early (break, continue, an exception)
    suites: list[int] = field(default_factory=list)  # the suites, one in the other, that not all paths run, by number
    suites_begun: int = 0
    # by name, what it was bound to in a suite: the number of that, the value, and what the name holds on all paths
    bound: dict[str, tuple[int, Value, Value]] = field(default_factory=dict)
    suspended: Formula | None = None  # paths of this activation that wait to be joined: the other arm, a broken loop
    unbound: dict[str, Formula] = field(default_factory=dict)  # where a name of its own has no value, by name
    past: dict[str, Value] = field(default_factory=dict)  # what names held that it binds again, once ``made_inner``
    made_inner: bool = False  # was the function made there that it is run for?
    rounds: frozenset[str] = frozenset()  # names that are bound in rounds of the loops in which that is made
    flag: tuple[str, SiteKey] | None = None  # its parameter that takes a flag, and the call that decides it

    @property
    def suite(self) -> int:
        """The number of the innermost suite that is run."""
        return self.suites[-1] if self.suites else 0

    @property
    def is_root(self) -> bool:
        """Is this the body whose regions are being decided?"""
        return not self.chain

    def key(self, node: ast.AST) -> SiteKey:
        """The key of a node that decides volatility."""
        return self.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def around(scope: Frame, inner: Frame) -> Frame | None:
    """The frame around one whose names code in ``inner`` sees, as Python has it: no class's, but in its own body."""
    outer = scope.closure
    while outer is not None and isinstance(outer.node, ast.ClassDef) and outer.node is not inner.node:
        outer = outer.closure
    return outer


@dataclass(frozen=True)
class Cell:
    """The state of one heap object.

    ``kind``: ``tensor`` (a Variable), ``unknown`` (anything), ``object`` (an instance of a project class), ``list``
    (also tuples and sets), ``dict``, ``module`` (an ``nn`` module made here).
    ``vol``: where it is volatile. ``req``: where it may require grad. ``sites``: where its volatility was decided.
    ``assumed``: calls of unknown functions whose result is taken to be volatile because an argument was.
    """

    kind: str
    vol: Formula
    req: Formula
    sites: frozenset[SiteKey] = frozenset()
    assumed: frozenset[tuple[str, int, int]] = frozenset()
    doubt: frozenset[tuple[str, int, int]] = frozenset()  # unknown calls it comes from that were given a graph as well
    attrs: tuple[tuple[str, Value], ...] = ()
    items: tuple[tuple[Formula, Value], ...] = ()
    exact: bool = False
    owner: ClassValue | None = None
    text: str = ""
    fresh: bool = False  # a Variable as constructed, no operation on it yet
    idle: bool = False  # volatile, and nothing on its way here was computed with what requires grad
    several: bool | None = None  # a tuple of tensors, as ``chunk`` gives; None: nothing says so
    cut: Formula | None = None  # where it was read out of something unknown inside a planned block
    ran: Formula | None = None  # where it was called inside a planned block: what it left behind has no graph
    made: frozenset[int] = frozenset()  # the operations that its graph comes from (see ``liveness``)
    known: bool = False  # made in view, of nothing but what was made in view: no caller decides its volatility
    stands_for: frozenset[int] = frozenset()  # the cells of which it is one, nobody knows which
    worded: tuple[Formula, Formula] | None = None  # of something unknown: ``vol`` since, and before, words were put in
    origin: str = ""  # of something unknown: "param", "call" (what a call gave), "state" (an attribute of self)

    def attr(self, name: str) -> Value | None:
        """The value of an attribute, None if nothing is known of it."""
        for key, value in self.attrs:
            if key == name:
                return value
        return None

    def but(self, **parts: object) -> Cell:
        """As ``dataclasses.replace``, which takes three times as long."""
        made = object.__new__(Cell)
        made.__dict__.update(self.__dict__)
        made.__dict__.update(parts)
        return made


def is_worded(key: str) -> bool:
    """Is it the name under which what a word stands for is filed (``['x']``)?"""
    return key.startswith(("['", '["'))


def single(thing: Abstract, algebra: Algebra) -> Value:
    """The value that is ``thing`` under every condition."""
    return ((algebra.true, thing),)


def choose(test: Formula, then: Value, other: Value) -> Value:
    """``then`` where ``test`` holds, else ``other``; truth values are folded into one."""
    if test.is_true:
        return then
    if test.is_false:
        return other
    if then is other:
        return then
    algebra = test.algebra
    yes, no = by_thing(then), by_thing(other)
    merged = {thing: algebra.ite(test, guard, no.pop(thing, algebra.false)) for thing, guard in yes.items()}
    merged |= {thing: algebra.ite(test, algebra.false, guard) for thing, guard in no.items()}
    return fold_truths(tuple((guard, thing) for thing, guard in merged.items() if not guard.is_false))


def one_of(values: Sequence[Value], picks: Sequence[Formula]) -> Value:
    """One of the values, nobody knows which: their number is written in ``picks``, and so few conditions do.

    The first condition chooses between the halves: so each is made of what is there already.
    """
    if len(values) == 1:
        return values[0]
    half = 1 << ((len(values) - 1).bit_length() - 1)
    return choose(picks[-half.bit_length()], one_of(values[half:], picks), one_of(values[:half], picks))


def by_thing(value: Value) -> dict[Abstract, Formula]:
    """The alternatives of a value, each once, with where it is that."""
    out: dict[Abstract, Formula] = {}
    for guard, thing in value:
        out[thing] = out[thing] | guard if thing in out else guard
    return out


def on_paths(value: Value, where: Formula) -> Value:
    """The alternatives of a value that paths of ``where`` can meet."""
    if len(value) < 2 or where.is_true:
        return value
    return tuple((guard, thing) for guard, thing in value if not where.excludes(guard))


def fold_truths(value: Value) -> Value:
    """Make one Truth of alternatives that are all truth values."""
    if len(value) < 2:
        return value
    if not all(isinstance(t, Truth) or (isinstance(t, Const) and isinstance(t.value, bool)) for _, t in value):
        return value
    algebra = value[0][0].algebra
    formula, exact = algebra.false, True
    for guard, thing in value:
        if isinstance(thing, Truth):
            formula, exact = formula | (guard & thing.formula), exact and thing.exact
        elif isinstance(thing, Const) and thing.value:
            formula = formula | guard
    return ((algebra.true, Truth(formula, exact)),)


def is_switch(value: Value) -> bool:
    """Is it True or False, as it is written?"""
    return all(isinstance(t, Const) and isinstance(t.value, bool) for _, t in value)


def is_word(value: Value) -> bool:
    """Is it a number or a string, as it is written?"""
    return all(isinstance(t, Const) and isinstance(t.value, (int, float, str)) for _, t in value)


def is_constant(value: Value) -> bool:
    """Is it a switch, a number, a string or None, as it is written?"""
    return all(isinstance(t, Const) and (t.value is None or isinstance(t.value, (bool, int, float, str)))
               for _, t in value)
