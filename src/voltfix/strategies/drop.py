"""The flag goes and nothing else: it had no effect, or a block has taken it over."""

from __future__ import annotations

from voltfix.model import DeleteStatement, DropArgument, DropParameter, Edit, Span


def argument(call: Span, span: Span) -> Edit:
    """Take an argument out of a call."""
    return DropArgument(call, span)


def parameter(function: Span, span: Span) -> Edit:
    """Take a parameter out of a signature."""
    return DropParameter(function, span)


def statement(span: Span) -> Edit:
    """Delete an assignment to ``.volatile``."""
    return DeleteStatement(span)
