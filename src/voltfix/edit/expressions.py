"""Replacing and wrapping expressions, with parentheses where the text would otherwise be read differently."""

from __future__ import annotations

import ast
import re

from voltfix.edit import trees
from voltfix.edit.draft import Splice
from voltfix.edit.errors import EditError
from voltfix.edit.outline import Outline
from voltfix.model import ReplaceExpression, Span, WrapExpression
from voltfix.sources.syntax import parse

_STAND_IN = "voltfix_stand_in"
# what stands without parentheses in some places alone
_NEEDS_BRACKETS = (ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom)
# what binds closest
_ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set)
_CODE = re.compile(r"\S")


def replace(outline: Outline, edit: ReplaceExpression) -> list[Splice]:
    """Put another expression in the place of one, or another ``name=value`` in the place of one."""
    if _is_keyword(edit.text) and _is_keyword(outline.text[edit.span.start : edit.span.end]):
        return [Splice(edit.span.start, edit.span.end, edit.text)]
    text = _in_context(outline, edit.span, edit.text)
    return [Splice(edit.span.start, edit.span.end, text)]


def wrap(outline: Outline, edit: WrapExpression) -> list[Splice]:
    """Put text around an expression, which becomes an operand of the whole."""
    inner = outline.text[edit.span.start : edit.span.end]
    inner = _standing(edit.before, inner, edit.after) or f"({inner})"
    whole = f"{edit.before}{inner}{edit.after}"
    opening, closing = _in_context(outline, edit.span, whole).split(inner, 1) if inner else ("", "")
    plain = outline.text[edit.span.start : edit.span.end]
    left, right = inner.split(plain, 1) if plain else ("", "")
    return [
        Splice(edit.span.start, edit.span.start, opening + left),
        Splice(edit.span.end, edit.span.end, right + closing),
    ]


def _in_context(outline: Outline, span: Span, new: str) -> str:
    """Return ``new`` as it may stand at ``span``: in parentheses if it would otherwise be torn apart."""
    tree = _parsed(new)
    if tree is None:
        raise EditError(f"{new!r} is not an expression")
    if isinstance(tree, _NEEDS_BRACKETS) and not _bracketed(new):
        new = f"({new})"
    whole = _outermost(outline, span)
    before, after = outline.text[whole.start : span.start], outline.text[span.end : whole.end]
    standing = _standing(before, new, after)
    if standing is None:
        raise EditError(f"{new!r} cannot stand there")
    return standing


def _standing(before: str, new: str, after: str) -> str | None:
    """Return ``new``, in parentheses where it needs them, as it stands between ``before`` and ``after``.

    What binds closest needs none. LibCST puts anything else into the tree and prints; the parser says whether
    that is read as the tree that was meant.
    """
    left, right = " " * _is_word(before[-1:]), " " * _is_word(after[:1])
    if left or right:  # the old text began or ended with a parenthesis: `not(x)else`
        standing = _standing(before + left, new, right + after)
        return standing and left + standing + right
    frame = f"{before}{_STAND_IN}{after}"
    if isinstance(_parsed(new), _ATOMS) and _reads_as(frame, before, new, after):
        return new
    printed = [text[len(before) : len(text) - len(after)] for text in trees.put(frame, _STAND_IN, new)]
    for piece in printed or [new, f"({new})"]:
        if _reads_as(frame, before, piece, after):
            return piece
    return None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_keyword(text: str) -> bool:
    call = _parsed(f"f({text})")
    return isinstance(call, ast.Call) and len(call.keywords) == 1 and not call.args


def _bracketed(text: str) -> bool:
    """Say whether ``text`` stands in parentheses as a whole."""
    call = _parsed(f"f({text})")
    return text.startswith("(") and isinstance(call, ast.Call) and len(call.args) == 1


def _reads_as(frame: str, before: str, piece: str, after: str) -> bool:
    """Say whether ``before piece after`` is ``frame`` with the tree of ``piece`` in the stand-in's place."""
    expected, part, actual = _parsed(frame), _parsed(piece), _parsed(f"{before}{piece}{after}")
    if expected is None or part is None or actual is None:
        return False
    try:
        return ast.dump(_Filled(part).visit(expected)) == ast.dump(actual)
    except RecursionError:
        raise EditError("the expression is nested too deeply") from None


def _parsed(text: str) -> ast.expr | None:
    tree = parse(f"({text}\n)")
    if isinstance(tree, SyntaxError) or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    return tree.body[0].value


class _Filled(ast.NodeTransformer):
    """Puts a tree in the stand-in's place, context of loading."""

    def __init__(self, part: ast.expr) -> None:
        self.part = part

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Exchange the stand-in."""
        return self.part if node.id == _STAND_IN else node


def _outermost(outline: Outline, span: Span) -> Span:
    """Return the outermost expression around ``span`` in its statement, its own parentheses not counted."""
    statement = outline.around(span)
    best = span
    for node in _expressions(statement.node):
        found = outline.span(node)
        if found.start <= span.start and span.end <= found.end:
            best = found
            break
    text = outline.text[best.start : best.end]
    if not _CODE.search(text) or _parsed(text) is None:
        raise EditError("no expression around the place of the edit")
    return best


def _expressions(node: ast.AST) -> list[ast.expr]:
    """Return the outermost expressions of a statement, those of the suites below it not."""
    found: list[ast.expr] = []
    pending = list(ast.iter_child_nodes(node))
    while pending:
        child = pending.pop()
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.stmt | ast.expr_context):
            pending += ast.iter_child_nodes(child)
    return found
