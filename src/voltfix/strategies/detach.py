"""``.detach()``: a value that was volatile is cut from the graph where no block can hold what made it.

https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from __future__ import annotations

from voltfix.model import Edit, Span, WrapExpression


def result(expression: Span) -> Edit:
    """Detach the result of an expression."""
    return WrapExpression(expression, "", ".detach()")
