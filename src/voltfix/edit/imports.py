"""Where a missing import goes."""

from __future__ import annotations

import ast

from voltfix.edit.draft import Splice
from voltfix.edit.outline import Outline, Statement
from voltfix.model import EnsureImport


def ensure(outline: Outline, edit: EnsureImport) -> list[Splice]:
    """Add ``import MODULE`` at module level unless it is bound there already."""
    statements = outline.top.statements
    early = [each for each in statements if edit.before is None or each.end <= edit.before]
    if any(_binds(each.node, edit.module) for each in early):
        return []
    line = f"import {edit.module}"
    family = [each for each in early if _imports_from(each.node, edit.module.partition(".")[0])]
    if family:
        return [_before(outline, family[0], line)]
    leading = _leading(statements)
    imports = [each for each in leading if isinstance(each.node, ast.Import | ast.ImportFrom)]
    if imports:
        return [_after(outline, imports[-1], line)]
    if leading:  # a docstring alone
        newline = outline.newline(leading[-1].start)
        return [_after(outline, leading[-1], f"{newline}{line}")]
    if not statements:
        end, newline = len(outline.text), outline.newline(0)
        return [Splice(end, end, f"{line}{newline}" if outline.line_start(end) == end else f"{newline}{line}")]
    newline = outline.newline(statements[0].start)
    return [_before(outline, statements[0], f"{line}{newline}")]


def _binds(node: ast.stmt, module: str) -> bool:
    """Say whether a statement makes ``module`` available under its full name."""
    if not isinstance(node, ast.Import):
        return False
    return any(
        (alias.asname is None and (alias.name == module or alias.name.startswith(f"{module}.")))
        or (alias.asname == alias.name == module)
        for alias in node.names
    )


def _imports_from(node: ast.stmt, package: str) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = [node.module or ""] if node.level == 0 else []
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        return False
    return any(name.partition(".")[0] == package for name in names)


def _leading(statements: list[Statement]) -> list[Statement]:
    """Return the docstring and imports that a module begins with."""
    found: list[Statement] = []
    for each in statements:
        node = each.node
        docstring = not found and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        found.append(each)
    return found


def _before(outline: Outline, statement: Statement, line: str) -> Splice:
    place = outline.leftmost(statement).start
    return Splice(place, place, line + outline.newline(place))


def _after(outline: Outline, statement: Statement, line: str) -> Splice:
    place = outline.line_end(outline.rightmost(statement).end)
    return Splice(place, place, outline.newline(place) + line)
