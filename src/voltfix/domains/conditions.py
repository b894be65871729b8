"""Conditions as reduced ordered binary decision diagrams: equal conditions are the same object.

An *atom* stands for the truth of one condition of the analysed scope ("``flag`` is true"); which expression it comes
from is kept outside, by number. Formulas are hash-consed nodes, so ``is`` decides equivalence, and implication and
satisfiability are a walk over the diagram (Bryant 1986).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator


class Formula:
    """A node: ``high`` where ``atom`` holds, else ``low``. Build one with :class:`Algebra` or the operators."""

    __slots__ = ("_support", "algebra", "atom", "high", "low", "negated", "number")

    def __init__(self, algebra: Algebra, number: int, atom: int, low: Formula | None, high: Formula | None) -> None:
        self.algebra = algebra
        self.number = number
        self.atom = atom
        self.low = low
        self.high = high
        self.negated: Formula | None = None  # once it was asked for
        self._support: frozenset[int] | None = None  # likewise

    # nearly all that is asked for has a constant on one side, or was asked before

    def __and__(self, other: Formula) -> Formula:
        if self is other or other.number == 1:
            return self
        return other if self.number == 1 else self.algebra.conjoin(self, other)

    def __or__(self, other: Formula) -> Formula:
        if self is other or other.number == 0:
            return self
        return other if self.number == 0 else self.algebra.disjoin(self, other)

    def __invert__(self) -> Formula:
        return self.negated or self.algebra.negation(self)

    def __repr__(self) -> str:
        terms = [" & ".join(("" if value else "!") + str(atom) for atom, value in path) for path in self.paths()]
        return f"<{' | '.join(term or 'true' for term in terms) or 'false'}>"

    @property
    def is_true(self) -> bool:
        """Does it hold everywhere?"""
        return self.number == 1

    @property
    def is_false(self) -> bool:
        """Does it hold nowhere?"""
        return self.number == 0

    def implies(self, other: Formula) -> bool:
        """Does ``other`` hold wherever this one does?"""
        return self.algebra.disjoint(self, ~other)

    def excludes(self, other: Formula) -> bool:
        """Do the two never hold together? Asked without making the formula of both."""
        return self.algebra.disjoint(self, other)

    def support(self) -> frozenset[int]:
        """The atoms that it depends on."""
        if self._support is not None:
            return self._support
        seen: set[int] = set()
        atoms: set[int] = set()
        stack = [self]
        while stack:
            node = stack.pop()
            if node._support is not None:
                atoms |= node._support
            elif node.low is not None and node.high is not None and node.number not in seen:
                seen.add(node.number)
                atoms.add(node.atom)
                stack += [node.low, node.high]
        self._support = frozenset(atoms)
        return self._support

    def without(self, atoms: Iterable[int]) -> Formula:
        """Where it *can* hold, whatever the ``atoms`` are (existential quantification)."""
        return self.algebra.exists(self, frozenset(atoms))

    def paths(self) -> Iterator[tuple[tuple[int, bool], ...]]:
        """Its disjoint cubes, as ((atom, value), ...)."""
        if self.is_true:
            yield ()
        elif self.low is not None and self.high is not None:
            for value, branch in ((True, self.high), (False, self.low)):
                for rest in branch.paths():
                    yield ((self.atom, value), *rest)


class OutOfBudget(Exception):  # noqa: N818 - it is no error of the program, only the end of our patience
    """The interpretation of one root took more than it may: what grew is said."""


class Outgrown(OutOfBudget):
    """It came to a function that alone took more."""


def no_more() -> int:
    """An algebra gives up at its limit."""
    return 0


class Algebra:
    """Makes and combines formulas; those of two algebras never meet.

    ``limit``: with how many nodes it gives up and raises OutOfBudget, in the middle of an operation; ``more``: what is
    allowed beyond that, once.

    After ``forget_past(most)`` no formula hangs on many more atoms than that. Of one that would, the others are
    forgotten: where it holds whatever they are, and where it does not, stays known, and in between a new atom stands
    for it. To whatever the old atoms are there is a value of the new one with which every formula is what it was, so
    what holds everywhere after that held everywhere before. What holds *somewhere* may have held nowhere.
    """

    LEAF = 1 << 60

    def __init__(self) -> None:
        # by numbers in one integer (a tuple takes twice the memory): atom, low, high; and the two operands
        self._nodes: dict[int, Formula] = {}
        self._both: dict[int, Formula] = {}
        self._either: dict[int, Formula] = {}
        self._disjoint: dict[int, bool] = {}
        self.false = Formula(self, 0, self.LEAF, None, None)
        self.true = Formula(self, 1, self.LEAF, None, None)
        self.false.negated, self.true.negated = self.true, self.false
        self._count = 2
        self._atoms = 0
        self.limit = sys.maxsize
        self.more: Callable[[], int] = no_more
        # what the operators call
        self.conjoin: Callable[[Formula, Formula], Formula] = self.both
        self.disjoin: Callable[[Formula, Formula], Formula] = self.either
        self.most = sys.maxsize
        self.matters: Callable[[int], bool] = lambda atom: False
        self.blurred: set[int] = set()  # atoms that stand for what was forgotten
        self._simpler: dict[int, Formula] = {}

    def forget_past(self, most: int, matters: Callable[[int], bool]) -> None:
        """Let no formula hang on more than ``most`` atoms, but rather on those that matter."""
        self.most, self.matters = most, matters
        both, either, simplified = self.both, self.either, self.simplified

        def conjoin(one: Formula, two: Formula) -> Formula:
            made = both(one, two)
            support = made._support
            return made if support is not None and len(support) <= most else simplified(made)

        def disjoin(one: Formula, two: Formula) -> Formula:
            made = either(one, two)
            support = made._support
            return made if support is not None and len(support) <= most else simplified(made)

        self.conjoin, self.disjoin = conjoin, disjoin

    def simplified(self, formula: Formula) -> Formula:
        """The formula itself, or with an atom in place of some of its own."""
        support = formula.support()
        if len(support) <= self.most:
            return formula
        known = self._simpler.get(formula.number)
        if known is None:
            opposite = self._opposite(formula)
            if opposite is not None and opposite.number in self._simpler:
                known = self.negation(self._simpler[opposite.number])
            else:
                kept = sorted(support, key=lambda atom: (not self.matters(atom), atom))[: self.most // 2]
                gone = support.difference(kept)
                number = self.fresh()
                self.blurred.add(number)
                known = self.ite(self.atom(number), self.exists(formula, gone), self.throughout(formula, gone))
            self._simpler[formula.number] = known
        return known

    def _opposite(self, formula: Formula) -> Formula | None:
        """Its negation, if there is one already; none is made."""
        known = formula.negated
        if known is None:
            below = self._opposite(formula.low)  # type: ignore[arg-type]
            above = self._opposite(formula.high) if below is not None else None  # type: ignore[arg-type]
            if below is not None and above is not None:
                known = self._nodes.get(formula.atom << 64 | below.number << 32 | above.number)
                if known is not None:
                    formula.negated, known.negated = known, formula
        return known

    @property
    def size(self) -> int:
        """How many nodes were made."""
        return self._count

    @property
    def atoms(self) -> int:
        """How many atoms there are; they are numbered from 1."""
        return self._atoms

    def fresh(self) -> int:
        """The number of an atom that nothing depends on yet."""
        self._atoms += 1
        return self._atoms

    def atom(self, number: int) -> Formula:
        """The formula that holds where atom ``number`` does."""
        return self._node(number, self.false, self.true)

    def constant(self, value: bool) -> Formula:
        """True or false everywhere."""
        return self.true if value else self.false

    def any(self, formulas: Iterable[Formula]) -> Formula:
        """Where at least one holds."""
        out = self.false
        for formula in formulas:
            out = out | formula
        return out

    def _node(self, atom: int, low: Formula, high: Formula) -> Formula:
        if low is high:
            return low
        name = atom << 64 | low.number << 32 | high.number
        return self._nodes.get(name) or self._made(name, atom, low, high)

    def _made(self, name: int, atom: int, low: Formula, high: Formula) -> Formula:
        node = self._nodes[name] = Formula(self, self._count, atom, low, high)
        self._count += 1
        if self._count > self.limit:
            self.limit, self.more = self.limit + self.more(), no_more
            if self._count > self.limit:
                raise OutOfBudget("too many paths")
        return node

    # One function for each operation, one Python frame for each atom: nearly all the time of a long function goes here.

    def both(self, one: Formula, two: Formula) -> Formula:
        """Where both hold."""
        if one is two:
            return one
        first, second = one.number, two.number
        if first > second:
            one, two, first, second = two, one, second, first
        if first < 2:
            return two if first else one
        if one.negated is two:
            return self.false
        key = first << 32 | second
        known = self._both.get(key)
        if known is None:
            atom = one.atom
            if atom == two.atom:
                low, high = self.both(one.low, two.low), self.both(one.high, two.high)  # type: ignore[arg-type]
            elif atom < two.atom:
                low, high = self.both(one.low, two), self.both(one.high, two)  # type: ignore[arg-type]
            else:
                atom = two.atom
                low, high = self.both(one, two.low), self.both(one, two.high)  # type: ignore[arg-type]
            if low is high:
                known = low
            else:
                name = atom << 64 | low.number << 32 | high.number
                known = self._nodes.get(name) or self._made(name, atom, low, high)
            self._both[key] = known
        return known

    def either(self, one: Formula, two: Formula) -> Formula:
        """Where at least one holds."""
        if one is two:
            return one
        first, second = one.number, two.number
        if first > second:
            one, two, first, second = two, one, second, first
        if first < 2:
            return one if first else two
        if one.negated is two:
            return self.true
        key = first << 32 | second
        known = self._either.get(key)
        if known is None:
            atom = one.atom
            if atom == two.atom:
                low, high = self.either(one.low, two.low), self.either(one.high, two.high)  # type: ignore[arg-type]
            elif atom < two.atom:
                low, high = self.either(one.low, two), self.either(one.high, two)  # type: ignore[arg-type]
            else:
                atom = two.atom
                low, high = self.either(one, two.low), self.either(one, two.high)  # type: ignore[arg-type]
            if low is high:
                known = low
            else:
                name = atom << 64 | low.number << 32 | high.number
                known = self._nodes.get(name) or self._made(name, atom, low, high)
            self._either[key] = known
        return known

    def disjoint(self, one: Formula, two: Formula) -> bool:
        """Do the two never hold together?"""
        if one is two:
            return one is self.false
        first, second = one.number, two.number
        if first > second:
            one, two, first, second = two, one, second, first
        if first < 2:
            return not first
        if one.negated is two:
            return True
        key = first << 32 | second
        both = self._both.get(key)
        if both is not None:
            return both is self.false
        known = self._disjoint.get(key)
        if known is None:
            if one.atom == two.atom:
                known = self.disjoint(one.low, two.low) and self.disjoint(one.high, two.high)  # type: ignore[arg-type]
            elif one.atom < two.atom:
                known = self.disjoint(one.low, two) and self.disjoint(one.high, two)  # type: ignore[arg-type]
            else:
                known = self.disjoint(one, two.low) and self.disjoint(one, two.high)  # type: ignore[arg-type]
            self._disjoint[key] = known
        return known

    def negation(self, formula: Formula) -> Formula:
        """Where it does not hold."""
        known = formula.negated
        if known is None:
            low, high = formula.low, formula.high
            below = low.negated or self.negation(low)  # type: ignore[union-attr, arg-type]
            above = high.negated or self.negation(high)  # type: ignore[union-attr, arg-type]
            name = formula.atom << 64 | below.number << 32 | above.number
            known = formula.negated = self._nodes.get(name) or self._made(name, formula.atom, below, above)
            known.negated = formula
        return known

    def ite(self, test: Formula, then: Formula, other: Formula) -> Formula:
        """``then`` where ``test`` holds, else ``other``."""
        if test.number < 2 or then is other:
            return then if test.number else other
        if other.number == 0:
            return self.conjoin(test, then)
        if then.number == 1:
            return self.disjoin(test, other)
        if self.most == sys.maxsize:  # what these make is asked for again and again
            return self.either(self.both(test, then), self.both(test.negated or self.negation(test), other))
        return self.simplified(self._ite(test, then, other, {}))

    def _ite(self, test: Formula, then: Formula, other: Formula, memo: dict[tuple[int, int, int], Formula]) -> Formula:
        """As ``either(both(test, then), both(negation(test), other))``, without making those."""
        if test.number < 2 or then is other:
            return then if test.number else other
        if other.number == 0 or other is test:
            return self.both(test, then)
        if then.number == 1 or then is test:
            return self.either(test, other)
        key = test.number, then.number, other.number
        known = memo.get(key)
        if known is None:
            atom = min(test.atom, then.atom, other.atom)
            no, yes = (test.low, test.high) if test.atom == atom else (test, test)
            below, above = (then.low, then.high) if then.atom == atom else (then, then)
            low, high = (other.low, other.high) if other.atom == atom else (other, other)
            known = memo[key] = self._node(atom, self._ite(no, below, low, memo), self._ite(yes, above, high, memo))  # type: ignore[arg-type]
        return known

    def where(self, formula: Formula, care: Formula) -> Formula:
        """The formula where ``care`` holds; what it says elsewhere is what it says at one place where that holds.

        To each assignment the same place belongs for all formulas (the generalised cofactor of Coudert and Madre): of
        alternatives that exclude each other one is left everywhere.
        """
        return self._where(formula, care, {}) if not care.is_false else formula

    def _where(self, formula: Formula, care: Formula, memo: dict[tuple[int, int], Formula]) -> Formula:
        if care.low is None or care.high is None or formula.low is None or formula.high is None:
            return formula
        key = formula.number, care.number
        out = memo.get(key)
        if out is None:
            atom = min(formula.atom, care.atom)
            low, high = (formula.low, formula.high) if formula.atom == atom else (formula, formula)
            no, yes = (care.low, care.high) if care.atom == atom else (care, care)
            if no.is_false or yes.is_false:
                out = self._where(high, yes, memo) if no.is_false else self._where(low, no, memo)
            else:
                out = self._node(atom, self._where(low, no, memo), self._where(high, yes, memo))
            memo[key] = out
        return out

    def keep(self, formulas: Iterable[Formula]) -> None:
        """Forget every formula but these and what they consist of; what was remembered of operations goes too."""
        nodes: dict[int, Formula] = {}
        waiting = list(formulas)
        while waiting:
            node = waiting.pop()
            if node.low is None or node.high is None:
                continue
            key = node.atom << 64 | node.low.number << 32 | node.high.number
            if key not in nodes:
                nodes[key] = node
                waiting += (node.low, node.high)
        for node in self._nodes.values():
            node.negated = None
        self._nodes = nodes
        self._simpler.clear()
        self._both.clear()
        self._either.clear()
        self._disjoint.clear()

    def rewind(self, size: int) -> None:
        """Forget the nodes that were made since there were ``size``; nobody may hold one any more."""
        if self._count == size:
            return
        self._nodes = {key: node for key, node in self._nodes.items() if node.number < size}
        for node in self._nodes.values():
            if node.negated is not None and node.negated.number >= size:
                node.negated = None
        self._simpler.clear()
        self._both.clear()
        self._either.clear()
        self._disjoint.clear()
        self._count = size

    def clear(self) -> None:
        """Forget every formula: nobody will ask for one of them again.

        They hold each other, so that only the garbage collector would find them.
        """
        for node in self._nodes.values():
            node.negated = None
        self._nodes.clear()
        self._simpler.clear()
        self._both.clear()
        self._either.clear()
        self._disjoint.clear()

    def seen(self, one: Formula, two: Formula, last: int, hidden: Callable[[int], bool],
             memo: dict[int, Formula]) -> Formula:
        """Where both can hold, whatever the atoms after ``last`` are, and those that are hidden.

        As quantifying them out of ``both``, without making that. ``memo`` is for one ``last`` alone.
        """
        if one is self.false or two is self.false or one.negated is two:
            return self.false
        if one.atom > last and two.atom > last:
            return self.constant(not self.disjoint(one, two))
        key = one.number << 32 | two.number if one.number < two.number else two.number << 32 | one.number
        known = memo.get(key)
        if known is None:
            atom = min(one.atom, two.atom)
            low = self.seen(one.low if one.atom == atom else one, two.low if two.atom == atom else two,  # type: ignore[arg-type]
                            last, hidden, memo)
            known = low
            if not (low is self.true and hidden(atom)):
                high = self.seen(one.high if one.atom == atom else one, two.high if two.atom == atom else two,  # type: ignore[arg-type]
                                 last, hidden, memo)
                known = self.either(low, high) if hidden(atom) else self._node(atom, low, high)
            memo[key] = known
        return known

    def exists(self, formula: Formula, atoms: frozenset[int]) -> Formula:
        """Quantify ``atoms`` existentially out of ``formula``."""
        if atoms.isdisjoint(formula.support()):
            return formula
        return self._exists(formula, atoms, max(atoms), {})

    def throughout(self, formula: Formula, atoms: frozenset[int]) -> Formula:
        """Where a formula holds whatever the ``atoms`` are (universal quantification)."""
        if atoms.isdisjoint(formula.support()):
            return formula
        return self._throughout(formula, atoms, max(atoms), {})

    def _throughout(self, formula: Formula, atoms: frozenset[int], last: int, memo: dict[int, Formula]) -> Formula:
        atom = formula.atom
        if atom > last:
            return formula
        out = memo.get(formula.number)
        if out is None:
            low = self._throughout(formula.low, atoms, last, memo)  # type: ignore[arg-type]
            if atom in atoms:
                out = low if low.number == 0 else self.both(low, self._throughout(formula.high, atoms, last, memo))  # type: ignore[arg-type]
            else:
                out = self._node(atom, low, self._throughout(formula.high, atoms, last, memo))  # type: ignore[arg-type]
            memo[formula.number] = out
        return out

    def _exists(self, formula: Formula, atoms: frozenset[int], last: int, memo: dict[int, Formula]) -> Formula:
        atom = formula.atom
        if atom > last:
            return formula  # nothing below hangs on one of them
        out = memo.get(formula.number)
        if out is None:
            low = self._exists(formula.low, atoms, last, memo)  # type: ignore[arg-type]
            if atom in atoms:
                out = low if low.number == 1 else self.either(low, self._exists(formula.high, atoms, last, memo))  # type: ignore[arg-type]
            else:
                out = self._node(atom, low, self._exists(formula.high, atoms, last, memo))  # type: ignore[arg-type]
            memo[formula.number] = out
        return out
