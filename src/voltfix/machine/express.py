"""Conditions as source text: the argument of ``torch.set_grad_enabled``."""

from __future__ import annotations

import ast

from voltfix.domains.conditions import Formula
from voltfix.machine.state import Machine

_OPPOSITES = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
              ast.NotIn: ast.In, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}


def enabled_text(off: Formula, machine: Machine) -> str | None:
    """An expression that is a real ``bool``, true where ``off`` does not hold; None if it cannot be written."""
    terms = []
    for path in (~off).paths():
        literals = [literal_text(atom, value, machine) for atom, value in path]
        if any(text is None for text in literals):
            return None
        terms.append((literals, path))
    if not terms:
        return "False"
    if len(terms) == 1 and len(terms[0][0]) == 1:
        return terms[0][0][0]
    parts = [" and ".join(str(t) for t in literals) for literals, _ in terms]
    return " or ".join(f"({p})" if len(terms) > 1 and " and " in p else p for p in parts)


def literal_text(atom: int, value: bool, machine: Machine) -> str | None:
    """``value`` of one atom as an expression that is a real bool."""
    texts = machine.texts.get(atom)
    if not texts:
        return None
    text, exact = texts[0]
    if value:
        return text if exact else f"bool({text})"
    return negated(text)


def negated(text: str) -> str:
    """``not`` of an expression, written as one would."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        inner = ast.unparse(tree.operand)
        return inner if isinstance(tree.operand, ast.Compare) else f"bool({inner})"
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        opposite = _OPPOSITES[type(tree.ops[0])]()
        return ast.unparse(ast.Compare(tree.left, [opposite], tree.comparators))
    return f"not {text}" if isinstance(tree, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"not ({text})"


def parse(text: str) -> ast.expr:
    """The expression as a tree, for the machine to evaluate at the head of the block."""
    return ast.parse(text, mode="eval").body
