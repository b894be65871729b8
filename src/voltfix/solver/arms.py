"""``if``/``else`` of which both arms are the same once the flag is gone: the one stays, without the choice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from voltfix.edit.conflicts import cover
from voltfix.model import DropArgument, Edit, Site, Span, WrapStatements
from voltfix.program.bindings import VARIABLE, is_one_of
from voltfix.program.effects import effectless
from voltfix.program.walking import walk
from voltfix.solver.case import Case
from voltfix.solver.regions import is_elif, suites_of
from voltfix.solver.unasked import parameters_gone
from voltfix.sources.lexer import lex
from voltfix.strategies import drop

_FLAG = re.compile(r"volatil", re.IGNORECASE)


def without_twins(case: Case, changes: list[tuple[list[Site], dict[str, dict[Edit, None]]]]) -> None:
    """Put one arm in the place of a choice, in the edits of ``changes``, where nothing else is done in it."""
    everywhere: dict[str, list[Edit]] = {}
    for _, edits in changes:
        for path, some in edits.items():
            everywhere.setdefault(path, []).extend(some)
    for group, edits in changes:
        tests: list[tuple[str, ast.expr, list[Site]]] = []
        for path, choice in choices(case, group):
            found = one_arm(case, path, choice, group, everywhere[path])
            if found is not None:
                inside = case.project.span(path, choice)
                kept = [e for e in edits[path] if not within(e, inside)]
                edits[path] = dict.fromkeys([*kept, found])
                tests.append((path, choice.test, group))
        for path, choice, rest in early_ends(case, group):
            if is_superfluous(case, path, (choice, rest), group, everywhere[path]):
                inside = case.project.span(path, choice)
                kept = [e for e in edits[path] if not within(e, inside)]
                edits[path] = dict.fromkeys([*kept, drop.statement(inside)])
                tests.append((path, choice.test, group))
        for _, at, found_there in parameters_gone(case, tests):
            edits.setdefault(at, {}).update(dict.fromkeys(found_there))


def choices(case: Case, group: Iterable[Site]) -> Iterator[tuple[str, ast.If]]:
    """The innermost choices between two arms around the sites of a change, each once."""
    seen = set()
    for site in group:
        parents = [case.node_of(site), *case.project.parents(site.path, case.node_of(site))]
        for node, above in pairwise(parents):
            if isinstance(above, (ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Lambda)):
                break
            if isinstance(above, ast.If):
                outer = case.project.parent(site.path, above)
                other = above.orelse[0] if len(above.orelse) == 1 else None
                chained = (other is not None and is_elif(other, above)) or (
                    isinstance(outer, ast.If) and is_elif(above, outer))
                if above.orelse and node is not above.test and not chained and above not in seen:
                    seen.add(above)
                    yield site.path, above
                break


def early_ends(case: Case, group: Iterable[Site]) -> Iterator[tuple[str, ast.If, list[ast.stmt]]]:
    """``if test: return ...`` around the sites of a change or above them, with all that its suite goes on with."""
    seen: set[ast.If] = set()
    for site in group:
        nodes = [case.node_of(site), *case.project.parents(site.path, case.node_of(site))]
        at = next(index for index, node in enumerate(nodes) if isinstance(node, ast.stmt))
        for node, above in pairwise(nodes[at : at + 3]):
            for suite in suites_of(above) if isinstance(above, ast.stmt) else ():
                for index, choice in enumerate(suite[: suite.index(node) + 1] if node in suite else ()):
                    if isinstance(choice, ast.If) and choice not in seen and not choice.orelse and (
                            isinstance(choice.body[-1], ast.Return)
                            and not (isinstance(above, ast.If) and is_elif(choice, above))):
                        seen.add(choice)
                        yield site.path, choice, suite[index + 1 :]


def is_superfluous(
    case: Case, path: str, ends: tuple[ast.If, list[ast.stmt]], group: list[Site], edits: Iterable[Edit]
) -> bool:
    """Does a suite go on, without the flags that go, as it does in an ``if`` that ends it early?"""
    choice, rest = ends
    if len(rest) != len(choice.body) or not effectless(case.project, path, choice.test):
        return False
    span, text = case.project.span(path, choice), case.project.modules[path].text
    end = case.project.span(path, rest[-1]).end
    whole = Span(span.start, end)
    going = {case.project.span(path, n): id(n) for s in group if s.path == path for n in case.argument_nodes(s)}
    inside = [edit for edit in edits if within(edit, whole)]
    if not all(isinstance(edit, DropArgument) and edit.argument in going for edit in inside) or any(
            isinstance(edit, WrapStatements) and span in (edit.first, edit.last) for edit in edits) or any(
            s.path == path and span.start <= s.span.start < end and s not in group for s in case.sites):
        return False
    dropped = {going[edit.argument] for edit in inside if isinstance(edit, DropArgument)}
    comments = (text[t.start : t.end] for t in lex(text, span.start) if t.kind == "comment"
                and t.start < case.project.span(path, rest[0]).start)
    return shape(choice.body, dropped) == shape(rest, dropped) and all(map(_FLAG.search, comments))


def within(edit: Edit, span: Span) -> bool:
    """Does an edit speak of something inside of a span, and not of all of it?"""
    around = cover(edit)
    return span.start <= around.start and around.end <= span.end and around != span and around.start < around.end


def one_arm(case: Case, path: str, choice: ast.If, group: list[Site], edits: Iterable[Edit]) -> Edit | None:
    """The arm that is left of a choice; None where the arms differ, or more happens in it than that flags go."""
    span, text = case.project.span(path, choice), case.project.modules[path].text
    going = {id(n): n for s in group if s.path == path for n in case.argument_nodes(s)}
    inside = [edit for edit in edits if within(edit, span)]
    gone = {case.project.span(path, node): number for number, node in going.items()}
    if not all(isinstance(edit, DropArgument) and edit.argument in gone for edit in inside):
        return None
    dropped = {gone[edit.argument] for edit in inside if isinstance(edit, DropArgument)}
    if any(s.path == path and span.start <= s.span.start < span.end and s not in group for s in case.sites):
        return None
    left = next((arm for arm in (choice.body, choice.orelse)
                 if not any(id(node) in dropped for statement in arm for node in walk(statement))), None)
    said = dropped | {id(each) for number in dropped for each in saying_nothing(case, path, going[number])}
    if left is None or not any(shape(choice.body, out) == shape(choice.orelse, out) for out in (dropped, said)):
        return None
    if not effectless(case.project, path, choice.test):
        return None
    found = written(case, path, left)
    start, end = case.project.span(path, left[0]).start, case.project.span(path, left[-1]).end
    comments = {t.start: text[t.start : t.end] for t in lex(text, span.start) if t.kind == "comment"
                and t.start < span.end and not start <= t.start < end}
    behind = next((said for at, said in comments.items() if at > end and not text[end:at].strip(" \t")), "")
    if found is None or not all(_FLAG.search(said) for said in comments.values() if said is not behind):
        return None
    return drop.twin(span, f"{found}  {behind}" if behind else found)


def saying_nothing(case: Case, path: str, flag: ast.AST) -> Iterator[ast.keyword]:
    """What a call of torch's Variable says beside its flag that is so anyway: ``requires_grad=False``."""
    call = case.project.parent(path, flag)
    if isinstance(call, ast.Call) and is_one_of(case.project.resolve(path, None, call.func), (VARIABLE,)):
        for keyword in call.keywords:
            if keyword.arg == "requires_grad" and isinstance(keyword.value, ast.Constant) and (
                    keyword.value.value is False):
                yield keyword


def shape(node: object, gone: set[int]) -> object:
    """A tree without where it stands, and without the arguments that go."""
    if isinstance(node, list):
        return tuple(shape(each, gone) for each in node if id(each) not in gone)
    if isinstance(node, ast.AST):
        return type(node), tuple(shape(value, gone) for _, value in ast.iter_fields(node))
    return repr(node)


def written(case: Case, path: str, arm: list[ast.stmt]) -> str | None:
    """The text of an arm from column 0; None where its lines cannot be moved as they are."""
    text = case.project.modules[path].text
    start, end = case.project.span(path, arm[0]).start, case.project.span(path, arm[-1]).end
    first, *others = text[start:end].splitlines(keepends=True)
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    if others and (indent.strip() or any(t.kind == "string" and "\n" in text[t.start : t.end]
                                         for t in lex(text, start) if t.start < end)):
        return None
    moved = [first]
    for line in others:
        if line.strip() and not line.startswith(indent):
            return None
        moved.append(line[len(indent) :] if line.strip() else line)
    return "".join(moved)
