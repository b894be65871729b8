"""Conditions as source text: the argument of ``torch.set_grad_enabled``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from voltfix.domains.conditions import Formula
from voltfix.machine.state import Machine

Path: TypeAlias = tuple[tuple[int, bool], ...]

_OPPOSITES = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
              ast.NotIn: ast.In, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}
_SURE = (ast.Is, ast.IsNot, ast.In, ast.NotIn)  # what is the opposite of the other whatever is compared


def enabled_text(off: Formula, machine: Machine, brief: bool = False) -> str | None:
    """An expression that is a real ``bool``, true where ``off`` does not hold; None if it cannot be written.

    ``brief``: without what words say of each other, of which formulas know nothing.
    """
    terms: list[list[str]] = []
    for path in ways(~off, machine):
        literals = [text for atom, value in path if (text := literal_text(atom, value, machine)) is not None]
        if len(literals) < len(path):
            return None
        terms.append(literals)
    if not terms:
        return "False"
    terms = shortened(terms) if brief else terms
    parts = [" and ".join(literals) for literals in terms]
    return " or ".join(f"({p})" if len(terms) > 1 and " and " in p else p for p in parts)


def shortened(terms: list[list[str]]) -> list[list[str]]:
    """``(a and b) or c``, without what says nothing beside the rest: ``mode != "val" or mode == "train"``."""
    terms = [_needed(literals, lambda one, other: says_more(other, one)) for literals in terms]
    alone = [literals[0] for literals in terms if len(literals) == 1]
    wide = _needed(alone, says_more)
    return [each for n, each in enumerate(terms) if each not in terms[:n] and (len(each) > 1 or each[0] in wide)]


def _needed(texts: list[str], spares: Callable[[str, str], bool]) -> list[str]:
    """The texts that no other one spares, each once."""
    found = list(dict.fromkeys(texts))
    for text in [*found]:
        if any(spares(text, other) for other in found if other != text):
            found.remove(text)
    return found


def says_more(one: str, other: str) -> bool:
    """Does one question about a word say all that another says of the same: ``mode == "train"``, ``mode != "val"``?"""
    first, second = _asked_words(one), _asked_words(other)
    if first is None or second is None or first.subject != second.subject:
        return False
    if first.among:
        return first.words <= second.words if second.among else not first.words & second.words
    return not second.among and second.words <= first.words


class _Words(NamedTuple):
    """What is asked: is something among words, or is it none of them?"""

    subject: str
    words: frozenset[str]
    among: bool


def _asked_words(text: str) -> _Words | None:
    """A question whether a name is a word, or among some; None: it is another one."""
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or not isinstance(tree.left, (ast.Name, ast.Attribute)):
        return None
    op, compared = tree.ops[0], tree.comparators[0]
    if isinstance(op, (ast.Eq, ast.NotEq)):
        listed = [compared]
    elif isinstance(op, (ast.In, ast.NotIn)) and isinstance(compared, (ast.List, ast.Tuple, ast.Set)):
        listed = compared.elts
    else:
        return None
    words = [each.value for each in listed if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if not words or len(words) < len(listed):
        return None
    return _Words(ast.unparse(tree.left), frozenset(words), isinstance(op, (ast.Eq, ast.In)))


def ways(of: Formula, machine: Machine) -> Iterator[Path]:
    """The ways to make a formula hold, each without what those before it have asked: ``a or (not a and b)``.

    That is ``a or b``, and not ``b or a``: where ``a`` holds, ``b`` may be none of what can be asked.
    """
    before = machine.algebra.false
    for path in sorted(of.paths(), key=len):
        left = tuple(each for each in path if not (~before).implies(every((each,), machine)))
        yield left
        before = before | every(left, machine)


def every(path: Path, machine: Machine) -> Formula:
    """Where all literals of a path hold."""
    found = machine.algebra.true
    for atom, value in path:
        found = found & (machine.algebra.atom(atom) if value else ~machine.algebra.atom(atom))
    return found


def header_text(off: Formula, machine: Machine, brief: bool = False) -> str | None:
    """As ``enabled_text``, for the head of a block: what a test of the root asks as a whole may be asked again there.

    It is evaluated at that head before anything is written: a name that is bound in between asks something else.
    """
    text = enabled_text(off, machine, brief)
    if text is not None:
        return text
    for formula in (~off, off):
        asked, exact = machine.asked_whole.get(formula, ("", False))
        if asked:
            return whole_text(asked, exact, formula is not off)
    return _partly_whole(off, machine, brief)


def _partly_whole(off: Formula, machine: Machine, brief: bool) -> str | None:
    """A condition of which one part is what a test asks as a whole, and the rest can be asked atom by atom."""
    unasked = frozenset(atom for atom in off.support() if not machine.texts.get(atom))
    for formula, (asked, exact) in machine.asked_whole.items():
        for part, holds in ((formula, True), (~formula, False)):
            joined, rest = "", off
            if off.implies(part):
                joined, rest = "or", machine.algebra.throughout(off | ~part, unasked)
            elif part.implies(off):
                joined, rest = "and", machine.algebra.exists(off & ~part, unasked)
            if not joined or off is not (rest & part if joined == "or" else rest | part):
                continue
            for atom in sorted(rest.support(), reverse=True):
                wider = rest.without({atom})
                if off is (wider & part if joined == "or" else wider | part):
                    rest = wider
            beside = enabled_text(rest, machine, brief)
            if beside is not None:
                inner = f"({beside})" if joined == "and" and " or " in beside else beside
                return f"{whole_text(asked, exact, not holds)} {joined} {inner}"
    return None


def whole_text(asked: str, exact: bool, value: bool) -> str:
    """``value`` of what a test asks as a whole, as an expression that is a real bool."""
    if value:
        return real(plainly(asked)) if exact else f"bool({asked})"
    return negated(asked)


def literal_text(atom: int, value: bool, machine: Machine) -> str | None:
    """``value`` of one atom as an expression that is a real bool."""
    texts = machine.texts.get(atom)
    if not texts:
        return None
    text, exact = texts[0]
    return whole_text(text, exact, value)


def real(text: str) -> str:
    """A condition that a test takes, as a ``bool``: what an array or a tensor says of numbers is none."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Compare) and not _gives_bool(tree):
        return f"bool({text})"
    return text


def _gives_bool(tree: ast.Compare) -> bool:
    """Does a comparison give Python's own truth, whatever its names stand for?"""
    return all(isinstance(op, _SURE) for op in tree.ops) or all(map(_is_own, (tree.left, *tree.comparators))) or any(
        isinstance(each, ast.Constant) and not isinstance(each.value, (int, float, complex))
        for each in (tree.left, *tree.comparators))


def _is_own(node: ast.expr) -> bool:
    """Is it a number of Python's own, as far as it is written out?"""
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len")


def plainly(text: str) -> str:
    """A condition that is a real bool, without the ``not`` that it does not need."""
    tree = before = ast.parse(text, mode="eval").body
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        inner = tree.operand
        if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and type(inner.ops[0]) in _SURE:
            tree = ast.Compare(inner.left, [_OPPOSITES[type(inner.ops[0])]()], inner.comparators)
        elif isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not) and isinstance(
                inner.operand, (ast.Compare, ast.UnaryOp)):
            tree = inner.operand
        else:
            break
    return text if tree is before else ast.unparse(tree)


def negated(text: str) -> str:
    """``not`` of an expression, written as one would."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        inner = ast.unparse(tree.operand)
        said = isinstance(tree.operand, ast.Compare) or (
            isinstance(tree.operand, ast.UnaryOp) and isinstance(tree.operand.op, ast.Not))
        return real(plainly(inner)) if said else f"bool({inner})"
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        opposite = _OPPOSITES[type(tree.ops[0])]()
        return real(ast.unparse(ast.Compare(tree.left, [opposite], tree.comparators)))
    return f"not {text}" if isinstance(tree, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"not ({text})"


def parse(text: str) -> ast.expr:
    """The expression as a tree, for the machine to evaluate at the head of the block."""
    return ast.parse(text, mode="eval").body
