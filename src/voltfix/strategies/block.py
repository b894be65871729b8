"""``with torch.no_grad():`` and ``with torch.set_grad_enabled(cond):`` around statements, decorators, wrapped calls.

https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

from voltfix.model import Decorate, Edit, Span, WrapExpression, WrapStatements


def header(torch: str, enabled: str, reenters: bool = False) -> str:
    """The context manager: ``enabled`` is an expression that is a real bool, "" where grad mode is always off.

    ``reenters``: a caller may have switched grad mode off already, which this block must not undo.
    """
    if not enabled:
        return f"{torch}.no_grad()"
    if reenters:
        inner = f"({enabled})" if " or " in enabled else enabled
        return f"{torch}.set_grad_enabled({torch}.is_grad_enabled() and {inner})"
    return f"{torch}.set_grad_enabled({enabled})"


def block(first: Span, last: Span, context: str) -> Edit:
    """A block around consecutive statements."""
    return WrapStatements(first, last, context)


def decorator(function: Span, torch: str) -> Edit:
    """``@torch.no_grad()`` on a whole function; on a generator it does not leak into the consumer."""
    return Decorate(function, f"{torch}.no_grad()")


def wrapped(callee: Span, torch: str) -> Edit:
    """``torch.no_grad()(f)``: for calls that no block reaches, and for whole lambdas."""
    return WrapExpression(callee, f"{torch}.no_grad()(", ")")
