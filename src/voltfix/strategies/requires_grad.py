"""``requires_grad_()``: the flag of leaves and parameters, where volatility was a matter of the tensor itself.

https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html
"""

from __future__ import annotations

from voltfix.model import Edit, ReplaceStatement, Span


def instead(statement: Span, tensor: str, enabled: str) -> Edit:
    """In the place of an assignment to a flag: ``enabled`` is an expression that is a real bool."""
    return ReplaceStatement(statement, f"{tensor}.requires_grad_({'' if enabled == 'True' else enabled})")
