"""What operations leave behind: what they ask of the grad mode, and what was read, written, kept and given away."""

from __future__ import annotations

import ast
from typing import NamedTuple

from voltfix.domains.conditions import Formula
from voltfix.machine.values import SiteKey, Value
from voltfix.records import dataclass

CallKey = tuple[str, int, int]
CALLER = "the caller"  # how a value leaves that a root returns
UNASKED = "unasked"  # what Python runs of an object, though nothing calls it
BESIDE = "beside "  # before the name of an operation that takes a value as labels or as an index


class Took(NamedTuple):
    """What a function that was entered took of the budget, with all that it calls."""

    steps: int
    nodes: int

    def plus(self, steps: int, nodes: int) -> Took:
        """That and more."""
        return Took(self.steps + steps, self.nodes + nodes)


@dataclass(frozen=True)
class Fact:
    """What one operation asks of the grad mode.

    ``chain`` leads from an expression of the root's own body over the calls to the operation. ``need``: where it is
    volatile and something that requires grad goes in. ``forbid``: where it builds a graph that 0.3 built too.
    ``blocked`` names what a block would not mend. ``idle`` is known once the root's interpretation is over.
    """

    chain: tuple[ast.AST, ...]
    need: Formula
    forbid: Formula
    off: Formula
    sites: frozenset[SiteKey] = frozenset()
    assumed: frozenset[CallKey] = frozenset()
    text: str = ""
    blocked: str = ""
    lazy: int = 0  # by how many things that run later it is put off
    number: int = 0  # of an operation of which nothing but its result can matter
    idle: Formula | None = None  # where nobody can reach the graph of that result

    @property
    def missed(self) -> Formula:
        """Where a block would take a graph away that somebody can reach."""
        return self.forbid if self.idle is None else self.forbid & ~self.idle

    @property
    def stuck(self) -> bool:
        """Would a block not mend it?"""
        unreached = self.idle is not None and (self.need | self.forbid).implies(self.idle)
        return bool(self.blocked) and not (self.blocked == "unknown-callee" and unreached)


@dataclass(frozen=True)
class Conflict:
    """A volatile value that gradients are asked of: 0.3.0 raised here, or an assumption was wrong.

    ``unseen``: it is what unknown code made of a volatile value, so that 0.3 need not have raised. ``chain``: as in a
    fact, where gradients are asked of it.
    """

    path: str
    node: ast.AST
    sites: frozenset[SiteKey]
    assumed: frozenset[CallKey]
    unseen: bool = False
    chain: tuple[ast.AST, ...] = ()


@dataclass(frozen=True)
class VolatileRead:
    """A read of ``.volatile``: ``vol`` is what 0.3 answered, ``off`` whether grad mode is off there after migration."""

    path: str
    node: ast.AST
    pc: Formula
    vol: Formula
    off: Formula
    sites: frozenset[SiteKey]
    origin: str = ""
    left: frozenset[SiteKey] = frozenset()  # sites that made it volatile and were refused
    known: bool = False  # was the value made in view, whoever calls?
    elsewhere: bool = False  # does it stand in a function that the root calls, where names are others?


@dataclass(frozen=True)
class Passed:
    """A call that may run layers with their hooks: does the flag of what it is given say what grad mode says there?

    ``first``: the flag of its first argument; ``every``: that of each. ``off``: may it run where grad mode is off?
    ``bodies``: functions of the project that it runs and that were not looked into.
    """

    path: str
    node: ast.AST
    first: bool
    every: bool
    off: bool
    sites: frozenset[SiteKey] = frozenset()
    bodies: tuple[tuple[str, ast.AST], ...] = ()


@dataclass(frozen=True)
class Store:
    """A value that leaves the scope: returned from the root, stored on an attribute, a global, an unknown container."""

    how: str
    pc: Formula
    vol: Formula
    fresh: bool
    sites: frozenset[SiteKey]
    node: ast.AST
    name: str = ""
    owner: str = ""
    bundled: bool = False  # in a dictionary, beside other results
    shows: bool = False  # are both what was made and what was computed in it?
    parts: frozenset[frozenset[SiteKey]] = frozenset()  # the sites of each volatile tensor in it
    doubt: frozenset[CallKey] = frozenset()  # unknown calls it comes from that were given a graph as well
    foreign: bool = False  # was it put on an object that code which nobody has seen has, too?
    holder: int | None = None  # the cell of that object, where it is in an attribute


@dataclass(frozen=True)
class AttributeWrite:
    """An assignment to an attribute of self, in a root: what later calls of other methods find there.

    ``before``: where what was there was volatile. ``target``: where it is assigned to, with the path. ``idle``:
    is something volatile in it for which nothing asked for a block yet? ``value``: what is assigned; ``filled``: was it
    a container, or something unknown, into which something volatile came later?
    """

    owner: str
    name: str
    pc: Formula
    vol: Formula
    sites: frozenset[SiteKey]
    tensor: bool
    before: Formula | None = None
    target: tuple[str, ast.AST] | None = None
    idle: bool = False
    value: Value = ()
    filled: bool = False


class Left(NamedTuple):
    """What methods leave on an attribute of self: is it volatile whoever does, by which sites, is any of it idle?"""

    always: bool
    sites: frozenset[SiteKey]
    idle: bool = False


@dataclass(frozen=True)
class VolatileWrite:
    """A write of ``.volatile``: what the object was before, and where it came from."""

    path: str
    node: ast.AST
    pc: Formula
    before: Formula
    value: Formula
    kind: str
    origin: str
    depth: int
    left: frozenset[SiteKey] = frozenset()  # sites that made it volatile and were refused
    asked: Formula | None = None  # of parameters: where the author's own code lets them require grad
    required: Formula | None = None  # where it requires grad before it, after the migration
    cell: int = -1  # of parameters: what stands for them
    held: bool = False  # is it kept in a container or on an object, too?
    on_data: bool = False  # is it of a plain tensor, of which a Variable is made right after?

    @property
    def raised(self) -> Formula | None:
        """Where 0.3 raised if the result that is written to had a graph; None where it was volatile on some path.

        ``.volatile`` of a result that requires grad could not be set: on no path of a program that ran had it one.
        """
        if self.required is None or self.origin not in ("call", "made") or not (self.pc & self.before).is_false:
            return None
        where = self.pc & self.required
        return None if where.is_false else where
