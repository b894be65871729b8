"""What a hover shows: the decision at a place, its premises, what to do, and where to read on."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from voltfix.lsp.edits import site_range, utf16
from voltfix.model import SiteResult
from voltfix.rulebook import rule
from voltfix.rules.messages import planned
from voltfix.rules.refusals import REFUSALS


def hover(rows: list[SiteResult], cell: int | None, text: str, at: types.Position) -> types.Hover | None:
    """The hover for the sites at a position; None where there is none."""
    found = [
        row for row in rows if row.cell == cell and (own := site_range(row, text)).start <= at and at <= own.end
    ]
    if not found:
        return None
    body = "\n\n---\n\n".join("\n".join(_of(row)) for row in found)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, body), site_range(found[0], text))


def _of(row: SiteResult) -> Iterator[str]:
    how = row.reason or row.strategy
    yield f"**{row.code} {'would fix' if row.status == 'fixed' else row.status}**{f' ({how})' if how else ''}: "
    yield f"{planned(row.message)}\n"
    yield from (f"- {sentence}" for sentence in row.evidence)
    text = REFUSALS.get(row.reason or "") if row.status == "refused" else None
    if text is not None:
        yield f"\n**What it means.** {text.means}\n\n**What to do.** {text.todo}"
    about = rule(row.code)
    if about is not None:
        links = "".join(f" · <{reference}>" for reference in about.references if reference.startswith("http"))
        yield f"\n{about.code}: {about.name} (`voltfix rule {about.code}`){links}"


def link(code: str) -> types.CodeDescription | None:
    """Where an editor sends those who click on a code: what PyTorch says of it."""
    about = rule(code)
    found = [reference for reference in about.references if reference.startswith("http")] if about is not None else []
    return types.CodeDescription(found[0]) if found else None


def skipping(row: SiteResult, text: str) -> types.TextEdit | None:
    """The comment that leaves a line alone; None where the line cannot end in one."""
    lines = text.split("\n")
    line = lines[row.line - 1].rstrip("\r") if 0 < row.line <= len(lines) else None
    if line is None or not _takes_comments(lines, row.line - 1):
        return None
    end = types.Position(row.line - 1, utf16(line))
    return types.TextEdit(types.Range(end, end), f"  # voltfix: skip[{row.code}]")


def _takes_comments(lines: list[str], number: int) -> bool:
    """Is the end of the line neither inside a string nor a line that goes on behind a backslash?"""
    import io
    import tokenize

    if lines[number].rstrip().endswith("\\"):
        return False
    probe = "voltfix-probe"
    marked = [*lines[:number], f"{lines[number].rstrip()}  # {probe}", *lines[number + 1 :]]
    try:
        tokens = tokenize.generate_tokens(io.StringIO("\n".join(marked)).readline)
        return any(token.type == tokenize.COMMENT and token.string.endswith(probe) for token in tokens)
    except (tokenize.TokenError, SyntaxError):
        return False
