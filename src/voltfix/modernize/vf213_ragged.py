"""VF213: ``np.array`` of rows of different lengths says that its elements are objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene
from voltfix.program.bindings import Builtin
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF213",
    name="arrays of ragged lists hold objects",
    what="""
        Adds `dtype=object` to `np.array` of a list of lists of words, where the lists are shown to have
        lengths of their own: words that are split off, or left after a filter.
    """,
    why="Since NumPy 1.24 rows of different lengths raise ValueError; before, they gave an array of objects.",
    before="batch = np.array([['<s>'] + line.split() for line in lines])",
    after="batch = np.array([['<s>'] + line.split() for line in lines], dtype=object)",
    safety="""
        Restores what NumPy did then. Where all rows happen to be of one length, the array has the same shape
        and elements as before, but `dtype` is object, not text. Lists of numbers are left alone, since
        those are usually rectangular; lines that are taken apart and no more may be a table, and there the edit
        is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("may-be-a-table",),
    references=("https://numpy.org/neps/nep-0034-infer-dtype-is-object.html",),
    default=False,
)
_ARRAYS = ("numpy.array", "numpy.asarray")
_WORDS = frozenset({"split", "rsplit", "splitlines", "tokenize", "word_tokenize"})


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Calls of ``np.array`` with nothing but a list of rows."""
    for call in scene.calls(path):
        if len(call.args) != 1 or call.keywords or scene.outside(path, call.func) not in _ARRAYS:
            continue
        ragged = [rows for rows in _values(scene, path, call.args[0]) if _is_ragged(scene, path, rows)]
        if ragged:
            end = scene.span(path, call.args[0]).end
            edit = scene.rewritten(path, call, [(Span(end, end), ", dtype=object")])
            table, span = all(map(_may_be_a_table, ragged)), scene.span(path, call)
            yield Finding(TEXT.code, path, span, messages.objects(), (edit,), suggested=table, doubt="may-be-a-table")


def _may_be_a_table(rows: ast.expr) -> bool:
    """Are the rows lines taken apart and nothing more? Sentences get marks at their ends, or lose words."""
    row = rows.elt if isinstance(rows, ast.ListComp) else None
    return isinstance(row, ast.Call) or (isinstance(row, ast.ListComp) and not _is_filtered(row))


def may_be_ragged(scene: Scene, path: str, call: ast.Call) -> bool:
    """Does ``np.array`` get lists of lengths of their own, of which it is not shown that they hold words?"""
    if len(call.args) != 1 or call.keywords or scene.outside(path, call.func) not in _ARRAYS:
        return False
    rows = [value for value in _values(scene, path, call.args[0]) if isinstance(value, ast.ListComp)]
    return any(_is_filtered(row.elt) and not _is_ragged(scene, path, row) for row in rows)


def _is_filtered(row: ast.expr) -> bool:
    """Is it a list of what passes a test?"""
    return isinstance(row, ast.ListComp) and any(generator.ifs for generator in row.generators)


def _values(scene: Scene, path: str, node: ast.expr) -> list[ast.expr]:
    """What a name was assigned here, if assignments are all that reaches it; else the expression itself."""
    if not isinstance(node, ast.Name):
        return [node]
    reached = scene.kinds.reaches(path, node)
    found = [reach.value for reach in reached if reach.how == "value" and not reach.path]
    return [value for value in found if value is not None] if len(found) == len(reached) else []


def _is_ragged(scene: Scene, path: str, rows: ast.expr) -> bool:
    """Is it a list of lists of words that may differ in length?"""
    if not isinstance(rows, ast.ListComp):
        return False
    return _has_own_length(rows.elt) and _holds_words(scene, path, rows.elt)


def _has_own_length(row: ast.expr) -> bool:
    if isinstance(row, ast.IfExp):
        return _has_own_length(row.body) or _has_own_length(row.orelse)
    if isinstance(row, ast.BinOp) and isinstance(row.op, ast.Add):
        return _has_own_length(row.left) or _has_own_length(row.right)
    if isinstance(row, ast.ListComp):
        return any(g.ifs or _is_splitting(g.iter) for g in row.generators)
    return _is_splitting(row)


def _is_splitting(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WORDS


def _holds_words(scene: Scene, path: str, row: ast.expr) -> bool:
    """Is every element whose kind is written out a piece of text, and one of them for sure?"""
    parts = list(_parts(row))
    if any(_is_number(scene, path, part) for part in parts):
        return False
    return any(_is_splitting(part) or _is_text(part) for part in parts)


def _parts(row: ast.expr) -> Iterator[ast.expr]:
    """The lists, or elements of lists, that a row is put together from."""
    if isinstance(row, ast.IfExp):
        yield from _parts(row.body)
        yield from _parts(row.orelse)
    elif isinstance(row, ast.BinOp):
        yield from _parts(row.left)
        yield from _parts(row.right)
    elif isinstance(row, (ast.List, ast.Tuple)):
        yield from row.elts
    elif isinstance(row, ast.ListComp):
        target, source = row.generators[0].target, row.generators[0].iter
        same = isinstance(target, ast.Name) and isinstance(row.elt, ast.Name) and target.id == row.elt.id
        yield source if same and _is_splitting(source) else row.elt
    else:
        yield row


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_number(scene: Scene, path: str, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    number = (Builtin("float"), Builtin("int"))
    return isinstance(node, ast.Call) and scene.project.resolve(path, None, node.func) in number


RULE = Rule(TEXT, find)
