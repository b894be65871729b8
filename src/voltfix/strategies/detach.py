"""``.detach()``: a value that was volatile is cut from the graph where no block can hold what made it.

https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from __future__ import annotations

from voltfix.model import Edit, ReplaceStatement, Span, WrapExpression


def result(expression: Span) -> Edit:
    """Detach the result of an expression."""
    return WrapExpression(expression, "", ".detach()")


def instead(statement: Span, name: str, trained: bool = False) -> Edit:
    """In the place of ``NAME.volatile = False``: the result is cut from its graph; ``trained``: to be a leaf itself."""
    return ReplaceStatement(statement, f"{name} = {name}.detach()" + (".requires_grad_()" if trained else ""))
