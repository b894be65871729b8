"""Reads of ``.volatile`` become a question about grad mode, or the condition that they stood for.

https://docs.pytorch.org/docs/stable/generated/torch.is_grad_enabled.html
"""

from __future__ import annotations

from voltfix.model import Edit, ReplaceExpression, Span


def asks_mode(span: Span, torch: str, negated: bool) -> Edit:
    """``x.volatile`` as ``not torch.is_grad_enabled()``; ``negated``: ``span`` is that of ``not x.volatile``."""
    return ReplaceExpression(span, f"{torch}.is_grad_enabled()" if negated else f"not {torch}.is_grad_enabled()")


def says(span: Span, text: str) -> Edit:
    """``x.volatile`` as the condition, or the constant, that it was."""
    return ReplaceExpression(span, text)
