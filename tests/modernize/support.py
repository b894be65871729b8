"""A rule alone, on one file: what it makes of it, or that it leaves it alone."""

from __future__ import annotations

from textwrap import dedent

from helpers import check_holds_up
from voltfix import core
from voltfix.model import Options, SiteResult


def modernized(source: str, code: str, **options: object) -> tuple[str, tuple[SiteResult, ...]]:
    """The text and the rows after one rule; the result compiles, is stable, and its diff applies."""
    data = dedent(source).encode()
    chosen = Options(select=(code,), **options)  # type: ignore[arg-type]
    result = core.migrate({"a.py": data}, chosen)
    assert result.errors == ()
    check_holds_up({"a.py": data}, result, chosen)
    return result.outputs.get("a.py", data).decode(), result.modernized


def becomes(source: str, expected: str, code: str, **options: object) -> None:
    text, rows = modernized(source, code, **options)
    assert text == dedent(expected)
    assert {row.code for row in rows} == {code}
    assert "fixed" in {row.status for row in rows}


def stays(source: str, code: str, **options: object) -> None:
    """Not a byte changes, and nothing is said."""
    text, rows = modernized(source, code, **options)
    assert text == dedent(source)
    assert rows == ()


def refuses(source: str, reason: str, code: str, **options: object) -> None:
    text, rows = modernized(source, code, **options)
    assert text == dedent(source)
    assert {(row.status, row.reason) for row in rows} == {("refused", reason)}
