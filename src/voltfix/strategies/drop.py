"""The flag goes and nothing else: it had no effect, or a block has taken it over."""

from __future__ import annotations

from voltfix.model import DeleteStatement, DropArgument, DropParameter, Edit, ReplaceExpression, ReplaceStatement, Span


def argument(call: Span, span: Span) -> Edit:
    """Take an argument out of a call."""
    return DropArgument(call, span)


def choice(span: Span, text: str) -> Edit:
    """Put the one arm of a choice in its place, of which the other was the same but for the flag."""
    return ReplaceExpression(span, text)


def twin(span: Span, text: str) -> Edit:
    """Put one arm of an ``if`` in its place, of which the other was the same but for flags."""
    return ReplaceStatement(span, text)


def parameter(function: Span, span: Span) -> Edit:
    """Take a parameter out of a signature."""
    return DropParameter(function, span)


def statement(span: Span) -> Edit:
    """Delete an assignment to ``.volatile``."""
    return DeleteStatement(span)
