"""Conditions as reduced ordered binary decision diagrams: equal conditions are the same object.

An *atom* stands for the truth of one condition of the analysed scope ("``flag`` is true"); which expression it comes
from is kept outside, by number. Formulas are hash-consed nodes, so ``is`` decides equivalence, and implication and
satisfiability are a walk over the diagram (Bryant 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Formula:
    """A node: ``high`` where ``atom`` holds, else ``low``. Build one with :class:`Algebra` or the operators."""

    algebra: Algebra
    number: int
    atom: int
    low: Formula | None
    high: Formula | None

    def __and__(self, other: Formula) -> Formula:
        return self.algebra.ite(self, other, self.algebra.false)

    def __or__(self, other: Formula) -> Formula:
        return self.algebra.ite(self, self.algebra.true, other)

    def __invert__(self) -> Formula:
        return self.algebra.ite(self, self.algebra.false, self.algebra.true)

    def __repr__(self) -> str:
        return f"<{' | '.join(' & '.join(('' if v else '!') + str(a) for a, v in p) or 'true' for p in self.paths()) or 'false'}>"

    @property
    def is_true(self) -> bool:
        """Does it hold everywhere?"""
        return self is self.algebra.true

    @property
    def is_false(self) -> bool:
        """Does it hold nowhere?"""
        return self is self.algebra.false

    def implies(self, other: Formula) -> bool:
        """Does ``other`` hold wherever this one does?"""
        return (self & ~other).is_false

    def support(self) -> frozenset[int]:
        """The atoms that it depends on."""
        seen: set[int] = set()
        atoms: set[int] = set()
        stack = [self]
        while stack:
            node = stack.pop()
            if node.low is None or node.high is None or node.number in seen:
                continue
            seen.add(node.number)
            atoms.add(node.atom)
            stack += [node.low, node.high]
        return frozenset(atoms)

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


class Algebra:
    """Makes and combines formulas; those of two algebras never meet."""

    LEAF = 1 << 60

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int, int], Formula] = {}
        self._ite: dict[tuple[int, int, int], Formula] = {}
        self.false = Formula(self, 0, self.LEAF, None, None)
        self.true = Formula(self, 1, self.LEAF, None, None)
        self._count = 2
        self._atoms = 0

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
        key = (atom, low.number, high.number)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Formula(self, self._count, atom, low, high)
            self._count += 1
        return node

    def ite(self, test: Formula, then: Formula, other: Formula) -> Formula:
        """``then`` where ``test`` holds, else ``other``."""
        if test is self.true or then is other:
            return then
        if test is self.false:
            return other
        if then is self.true and other is self.false:
            return test
        key = (test.number, then.number, other.number)
        known = self._ite.get(key)
        if known is None:
            atom = min(test.atom, then.atom, other.atom)
            test0, test1 = _branches(test, atom)
            then0, then1 = _branches(then, atom)
            other0, other1 = _branches(other, atom)
            known = self._node(atom, self.ite(test0, then0, other0), self.ite(test1, then1, other1))
            self._ite[key] = known
        return known

    def exists(self, formula: Formula, atoms: frozenset[int]) -> Formula:
        """Quantify ``atoms`` existentially out of ``formula``."""
        return self._map(formula, lambda node, low, high: low | high if node.atom in atoms else None)

    def _map(self, formula: Formula, change: Callable[[Formula, Formula, Formula], Formula | None]) -> Formula:
        memo: dict[int, Formula] = {}

        def walk(node: Formula) -> Formula:
            if node.low is None or node.high is None:
                return node
            out = memo.get(node.number)
            if out is None:
                low, high = walk(node.low), walk(node.high)
                out = change(node, low, high)
                if out is None:
                    out = self.ite(self.atom(node.atom), high, low)
                memo[node.number] = out
            return out

        return walk(formula)


def _branches(formula: Formula, atom: int) -> tuple[Formula, Formula]:
    """The formula where ``atom`` does not hold, and where it does."""
    if formula.atom != atom or formula.low is None or formula.high is None:
        return formula, formula
    return formula.low, formula.high
