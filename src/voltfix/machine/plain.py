"""Plain tensors of 0.3: what ``x.data`` gave, and what was computed from that.

On 0.3 a plain tensor and a Variable did not go together: ``x.data * v`` raised a TypeError, whatever ``v`` computed. So
what a plain tensor is added to, or multiplied by, is a number or another one, and the result is plain. Of an item
nobody knows whether it is a tensor or a number, until it is looked into once more.
"""

from __future__ import annotations

import ast

from voltfix.machine.values import Abstract, Plain, Value
from voltfix.torchmodel import tables

TENSOR = Plain(kind="tensor")
ITEM = Plain(kind="item")  # a tensor, or a number

# in 0.3 their methods on tensors called a function that took tensors and numbers; others asked the right operand first
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def item_of(thing: Abstract, node: ast.AST) -> Plain:
    """What a subscript takes out of plain data."""
    if thing not in (TENSOR, ITEM) or not isinstance(node, ast.Subscript):
        return Plain()
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return TENSOR if any(isinstance(part, ast.Slice) for part in parts) else ITEM


def after_method(thing: Abstract, name: str) -> Plain:
    """What a method of plain data gives: of a tensor that is looked at in another way, a tensor."""
    return TENSOR if thing == TENSOR and name in tables.LOOKS else Plain()


def takes_plain_alone(op: ast.operator, left: Value) -> bool:
    """Is it an operation that raised on 0.3 if its right operand was a Variable? Its left one is a plain tensor."""
    return isinstance(op, _ARITHMETIC) and bool(left) and all(thing == TENSOR for _, thing in left)
