"""A block around what computes on the value: each statement that does, all between them, the loop, the whole body."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix.machine.express import plainly
from voltfix.model import Decorate, SiteKind, WrapStatements
from voltfix.search.cover import Cover, Run, Tracer, merged
from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group, Place, flags_of, with_calls
from voltfix.search.kinds.flag import conditions, modes, strategy_of, without_flag
from voltfix.search.scene import DEFINITIONS, FUNCTIONS, Scene, Scenes, bound, read, stored, word_of, yields


def covered(scenes: Scenes, group: Group, whole: bool = True) -> Cover:
    """What computes on the value of a group's sites in their own function; loops over something of it ``whole``."""
    place = group[0]
    scope = place.scene.scope(place.node)
    sources = frozenset(each.node for each in flags_of(group))
    names = [word_of(target.value) for each in group if each.site.kind is SiteKind.WRITE
             and isinstance(each.node, ast.Assign) and isinstance(target := each.node.targets[0], ast.Attribute)]
    return Tracer(scenes, place.scene, sources, names, whole).over(scope.body)


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """Blocks in the function of the site."""
    head = group[0]
    if head.site.kind not in (SiteKind.ARGUMENT, SiteKind.WRITE) or with_calls(group) or head.flag in ("False", "0"):
        return
    cover, closer = covered(scenes, group), covered(scenes, group, whole=False)
    if cover.mixed:
        return
    for header in modes(head, head.scene.torch or "torch"):
        runs = merged(head.scene, _under(group, closer.tight)) if not closer.mixed else []
        if closer.tight != cover.tight and runs:
            yield from _blocks(group, runs, header, "a block around what computes on it")
        under = _under(group, cover.tight)
        runs = merged(head.scene, under)
        if runs:
            yield from _blocks(group, runs, header, "a block around what computes on it")
        outside = merged(head.scene, [run for run in cover.tight if run not in under])
        tests = conditions(group)
        if outside and tests and header.endswith("no_grad()") and not _of_other_rounds(head, tests, cover.tight):
            torch = head.scene.torch or "torch"
            within = f"{torch}.set_grad_enabled({plainly('not (' + ' and '.join(tests) + ')')})"
            yield from _blocks(group, outside, within, "a block under the condition that makes it", (runs, header))
        if len(cover.tight) > 1 and (whole := _joined(head.scene, cover.tight, scenes)) is not None:
            yield from _blocks(group, [whole], header, "a block from the first use to the last")


def wider(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """Blocks around more than what computes on it."""
    head = group[0]
    decides = head.site.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) and not with_calls(group)
    if decides and head.flag not in ("False", "0"):
        yield from _wider(scenes, group, next(modes(head, head.scene.torch or "torch")))


def _under(group: Group, runs: Sequence[Run]) -> list[Run]:
    """The runs that lie under the same conditions as all of the sites.

    All of them where the sites wrap what they are bound to (``if gpu: x = Variable(x, volatile=True)``): what comes by
    on the other way is a plain tensor, and 0.3 computed on none.
    """
    head = group[0]
    if all(map(_wraps_again, group)):
        return list(runs)
    arms = [_arms(place) for place in group]
    ifs = [each for each, there in arms[0].items() if all(other.get(each) is there for other in arms)]
    if not ifs:
        return list(runs)
    return [run for run in runs if ifs[0] in list(head.scene.above(run[0]))]


def _arms(place: Place) -> dict[ast.If, bool]:
    """The choices around a place in its function, from the inside out: does it stand in the first arm?"""
    found: dict[ast.If, bool] = {}
    inner, scope = place.node, place.scene.scope(place.node)
    for each in place.scene.above(place.node):
        if each is scope:
            break
        if isinstance(each, ast.If):
            found[each] = inner in each.body
        inner = each
    return found


def _of_other_rounds(head: Place, tests: Sequence[str], runs: Sequence[Run]) -> bool:
    """May a value of an earlier round of a loop come by, where the condition was another one?

    ``if i > start: out = net(out)``: what was volatile once is it from then on, whatever ``i`` is now.
    """
    scope = head.scene.scope(head.node)
    asked = {part.id for test in tests for part in ast.walk(ast.parse(test)) if isinstance(part, ast.Name)}
    made = {name for first, last in runs for each in (first, last) for name in bound(each)}
    for loop in head.scene.above(head.node):
        if loop is scope:
            return False
        if isinstance(loop, (ast.For, ast.While)) and asked & stored(loop) and made & _carried(loop):
            return True
    return False


def _carried(loop: ast.For | ast.While) -> set[str]:
    """The names that a round of a loop may find as an earlier one left them."""
    sure = stored(loop.target) if isinstance(loop, ast.For) else set()
    carried: set[str] = set()
    for statement in loop.body:
        carried |= read(statement) - sure
        sure |= _surely_bound(statement)
    return carried


def _surely_bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.If):
        arms = [set().union(*map(_surely_bound, arm)) for arm in (statement.body, statement.orelse)]
        return arms[0] & arms[1]
    return stored(statement) if isinstance(statement, (ast.Assign, ast.AnnAssign)) else set()


def _wraps_again(head: Place) -> bool:
    """Is the value made of what stands under its name, and of that alone, on one way only?"""
    made = head.scene.statement(head.node)
    around = head.scene.parents.get(made)
    target = made.targets[0] if isinstance(made, ast.Assign) and len(made.targets) == 1 else None
    if not isinstance(around, ast.If) or not isinstance(target, ast.Name) or made not in around.body:
        return False
    others = [name for each in around.orelse for name in bound(each)]
    return target.id in read(head.node) and target.id not in others


def _blocks(
    group: Group, runs: Sequence[Run], header: str, how: str, also: tuple[Sequence[Run], str] | None = None
) -> Iterator[Draft]:
    head, sketch = group[0], Sketch()
    if not without_flag(sketch, group):
        return
    scene = head.scene
    sketch.torch(scene)
    for some, mode in [(runs, header), *([also] if also else [])]:
        for first, last in some:
            sketch.add(scene, scene.scope(first), WrapStatements(scene.span(first), scene.span(last), mode))
    yield sketch.draft(f"{how} ({_lines(scene, runs)})", strategy_of(header))


def _lines(scene: Scene, runs: Sequence[Run]) -> str:
    parts = []
    for first, last in runs:
        start = scene.line(first)
        end = start + (last.end_lineno or last.lineno) - first.lineno
        parts.append(f"{start}-{end}" if end != start else f"{start}")
    return ("line " if len(parts) == 1 and "-" not in parts[0] else "lines ") + ", ".join(parts)


def _joined(scene: Scene, runs: Sequence[Run], scenes: Scenes) -> Run | None:
    """From the first run to the last, if they stand in one suite and nothing between them trains."""
    for suite in _suites_with(scene, runs[0][0]):
        ats = [[n for n, s in enumerate(suite) if s is each or each in ast.walk(s)] for run in runs for each in run]
        if all(ats):
            between = suite[min(ats)[0] : max(ats)[0] + 1]
            if any(isinstance(s, DEFINITIONS) or yields(s) or scenes.trains(scene, s) for s in between):
                return None
            return between[0], between[-1]
    return None


def _suites_with(scene: Scene, statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    inner: ast.AST = statement
    for each in scene.above(statement):
        for name in ("body", "orelse", "finalbody"):
            suite = getattr(each, name, None)
            if isinstance(suite, list) and inner in suite:
                yield suite
        if isinstance(each, FUNCTIONS):
            return
        inner = each


def _wider(scenes: Scenes, group: Group, header: str) -> Iterator[Draft]:
    """Around the loop, around all of the function, on it."""
    head = group[0]
    scene, scope = head.scene, head.scene.scope(head.node)
    free = {n.id for n in ast.walk(ast.parse(header)) if isinstance(n, ast.Name)}
    for each in scene.above(head.node):
        if each is scope:
            break
        if isinstance(each, (ast.For, ast.While)) and not scenes.trains(scene, each) and not yields(each):
            yield from _blocks(group, [(each, each)], header, "a block around the loop")
    if isinstance(scope, (ast.Module, ast.AsyncFunctionDef)) or scenes.trains(scene, scope):
        return
    body = scope.body[1:] if ast.get_docstring(scope) is not None else scope.body
    arguments = {a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg)}
    plain = body and not yields(scope) and not any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in body)
    if plain and free - {"torch"} <= arguments:
        yield from _blocks(group, [(body[0], body[-1])], header, "a block around the body of the function")
    if header.endswith("no_grad()"):
        sketch = Sketch()
        if without_flag(sketch, group):
            sketch.torch(scene)
            sketch.add(scene, scope, Decorate(scene.span(scope), header))
            yield sketch.draft(f"@{header} on {scope.name}", "no_grad")
