"""LibCST for the small: one call, one function header, one expression; never a file.

LibCST is imported when the first of them is parsed. What it cannot be trusted with comes back as None, and
the caller works on the text: what it does not print as it was (mixed newlines), what nests so deeply that it
would take long or crash, what is longer than anybody writes.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from voltfix.sources.syntax import parse

if TYPE_CHECKING:
    import libcst as cst

# parsing takes 0.1 ms for a line, but 100 ms at 50 nested calls and 1.2 s at 200; 3,000 parentheses crash
MAX_CHARS = 4_000
MAX_BRACKETS = 20
MAX_DEPTH = 80
BODY = " pass\n"  # behind a header, for LibCST has no headers alone


@cache
def libcst() -> Any:
    """Return the module; importing it takes a third of a second, so only what edits does."""
    import libcst as found

    return found


def expression(text: str) -> cst.BaseExpression | None:
    """Parse one expression; None if LibCST does not give back the same text."""
    if not _modest(f"({text}\n)", text):
        return None
    found: cst.BaseExpression | None = _exact(text, libcst().parse_expression)
    return found


def function(header: str) -> cst.FunctionDef | None:
    """Parse a header from ``def`` or ``async`` to its colon; None as for ``expression``."""
    whole = header + BODY
    if not _modest(whole, header):
        return None
    found = _exact(whole, libcst().parse_statement)
    return found if isinstance(found, libcst().FunctionDef) else None


def code(node: cst.CSTNode, newline: str = "\n") -> str:
    """Print a node; ``newline`` stands for the newlines that LibCST does not spell out."""
    printed: str = libcst().Module([], default_newline=newline).code_for_node(node)
    return printed


def put(frame: str, name: str, piece: str) -> list[str]:
    """Put ``piece`` in the place of ``name`` in the expression ``frame``: as it is, and in parentheses.

    Returns what LibCST prints, without what it refuses to; nothing where it takes no part.
    """
    tree, part = expression(frame), expression(piece)
    place = _named(tree, name) if tree is not None and part is not None else None
    if tree is None or part is None or place is None:
        return []
    cst = libcst()
    printed = []
    for left, right in (((), ()), ((cst.LeftParen(),), (cst.RightParen(),))):
        lpar, rpar = [*place.lpar, *left, *part.lpar], [*part.rpar, *right, *place.rpar]
        try:
            changed = tree.deep_replace(place, part.with_changes(lpar=lpar, rpar=rpar))
        except cst.CSTValidationError:
            continue
        printed.append(code(changed, newline_of(frame + piece)))
    return printed


def _named(tree: cst.CSTNode, name: str) -> cst.Name | None:
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, libcst().Name) and node.value == name:
            return cast("cst.Name", node)
        pending += node.children
    return None


def newline_of(text: str) -> str:
    """Return the newline that LibCST takes for the default of ``text``."""
    for newline in ("\r\n", "\r", "\n"):
        if newline in text:
            return newline
    return "\n"


def _exact(text: str, parser: Any) -> Any:
    try:
        found = parser(text)
        return found if code(found, newline_of(text)) == text else None
    except (libcst().ParserSyntaxError, libcst().CSTValidationError, RecursionError, UnicodeError):
        return None


def _modest(whole: str, text: str) -> bool:
    """Say whether LibCST will be quick with ``text`` and survive it."""
    if len(text) > MAX_CHARS or _brackets(text) > MAX_BRACKETS:
        return False
    tree = parse(whole)
    return not isinstance(tree, SyntaxError) and _depth(tree) <= MAX_DEPTH


def _brackets(text: str) -> int:
    deepest = depth = 0
    for char in text:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth -= 1
    return deepest


def _depth(tree: ast.AST) -> int:
    level: list[ast.AST] = [tree]
    depth = 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth
