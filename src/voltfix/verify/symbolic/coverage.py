"""Which changed lines were reached: a verdict on a function says nothing about lines that no way came by."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator

from voltfix.sources.alignment import opcodes
from voltfix.verify.symbolic.closure import outermost
from voltfix.verify.symbolic.flags import Flag, flags_of
from voltfix.verify.symbolic.neighbours import block_line, modes_in
from voltfix.verify.symbolic.project import Mark, Side, Unit
from voltfix.verify.symbolic.walking import last_word, walk
from voltfix.verify.symbolic.work import FlagPlace, Hunk, Item
from voltfix.verify.symbolic.world import Place

# what runs when a module is loaded, or never by itself
_PASSIVE = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.Pass,
)

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def watch(item: Item) -> None:
    """Find the changed lines of what an item touches, and mark them on both sides, before anything runs; once."""
    if item.reached.hunks is not None:
        return
    units = dict.fromkeys(outermost(unit, item) for unit in item.touched)
    hunks = item.reached.hunks = tuple(hunk for unit in units for hunk in _hunks(item, unit))
    entries = item.reached.entries
    entries.update((each.unit, each) for each in _entries(item))
    marked = [*hunks, *entries.values()]
    if not item.exact:
        item.reached.statements.update(
            (unit, frozenset(mark for _, _, mark in _statements(item.before, unit))) for unit in units)
    item.before.mark({*(mark for hunk in marked for mark in hunk.before), *_all(item.reached.statements.values())})
    item.after.mark(mark for hunk in marked for mark in hunk.after)
    if not item.quick:
        item.after.fence(item.reached.watched())


def _all(marks: Iterable[frozenset[Mark]]) -> frozenset[Mark]:
    return frozenset().union(*marks)


def _entries(item: Item) -> Iterator[Hunk]:
    """The first statement of every function, as if it were changed: who comes by it has called the function."""
    for unit in item.before.units.keys() & item.after.units.keys():
        first, second = _entry(item.before, unit), _entry(item.after, unit)
        if first or second:
            line = min(line for _, line, _ in first or second)
            yield Hunk(unit, (item.before if first else item.after).where(unit.path, line), first, second)


def _entry(side: Side, unit: Unit) -> frozenset[Mark]:
    body = (node for node in side.units[unit].body if not isinstance(node, _PASSIVE) and not _is_text(node))
    return frozenset((unit.path, node.lineno, node.col_offset) for node in itertools.islice(body, 1))


def _hunks(item: Item, unit: Unit) -> Iterator[Hunk]:
    old, new = _lines(item.before, unit), _lines(item.after, unit)
    texts = [text for _, text in old], [text for _, text in new]
    first, second = _statements(item.before, unit), _statements(item.after, unit)
    for kind, a, b, c, d in opcodes(*texts):
        if kind == "equal":
            continue
        before = _at(first, (number for number, _ in old[a:b]))
        after = _at(second, (number for number, _ in new[c:d]))
        modes = _modes(item.after, unit, {number for number, _ in new[c:d]})
        if modes and not (before or after):  # a decorator: who comes by it has called the function
            after = _entry(item.after, unit)
        if before or after:
            line = min(row for _, row, _ in before or after)
            where = (item.before if before else item.after).where(unit.path, line)
            flags = _flags(item.before, unit, {number for number, _ in old[a:b]})
            yield Hunk(unit, where, before, after, flags, modes)
        for line in _training(item.after, unit, {line for _, line in modes}):
            yield Hunk(unit, item.after.where(unit.path, line), frozenset(), _at(second, [line]))


def _training(side: Side, unit: Unit, modes: set[int]) -> list[int]:
    """The lines in blocks that grad modes open here on which a backward begins: what such a block does to them shows
    only where they run, and a run that comes by the block may leave them out (``if count == 128: ...``)."""
    blocks = [node for top in _nodes(side, unit) for node in side.inside(top)
              if isinstance(node, ast.With) and block_line(node) in modes]
    training = _trains(side) if blocks else frozenset()
    return sorted({
        each.lineno for block in blocks for each in side.inside(block)
        if isinstance(each, ast.Call) and last_word(each.func) in training
    })


def _trains(side: Side) -> frozenset[str]:
    """The names of what begins a backward: that of the method itself, and of the functions that call one of those."""
    calls = {
        unit.name.rsplit(".", 1)[-1]: {last_word(each.func) for each in side.inside(node) if isinstance(each, ast.Call)}
        for unit, node in side.units.items() if unit.name
    }
    found = {"backward"}
    while more := {name for name, words in calls.items() if name not in found and words & found}:
        found |= more
    return frozenset(found)


def deciding(item: Item, unit: Unit) -> dict[tuple[str, int], int]:
    """The lines whose conditions decide whether a run comes by what no run came by yet, or how a flag is; with 0 where
    they stand around it, 1 where they may leave before it.
    """
    missing = item.reached.missing(unit)
    found = {flag.mark[:2]: 0 for hunk in item.reached.changed(unit) for flag in hunk.flags}
    for top in _nodes(item.before, unit) if found else ():
        for node in item.before.inside(top):
            for flag in flags_of(node):  # ... and the lines on which what it is called gets its value
                if (unit.path, flag.place[0]) in found and not flag.read:
                    for place, far in _giving(item.before, unit, top, flag.node):
                        found[place] = min(far, found.get(place, 1))
    for side, marks in (
        (item.before, {mark for hunk in missing for mark in hunk.before} | {*item.reached.unmet(unit)}),
        (item.after, {mark for hunk in missing for mark in hunk.after}),
    ):
        wanted = {line for _, line, _ in marks}
        for top in _nodes(side, unit) if wanted else ():
            for node in side.inside(top):
                if not isinstance(node, (ast.If, ast.While, ast.For, ast.Try)):
                    continue
                rank = _rank(side, node, wanted)
                tested = node.test if isinstance(node, (ast.If, ast.While)) else None
                end = (tested.end_lineno if tested else None) or node.lineno
                for line in range(node.lineno, end + 1) if rank is not None else ():
                    found[unit.path, line] = min(rank or 0, found.get((unit.path, line), 1))
                if rank is not None and tested is not None:
                    for place, far in _giving(side, unit, top, tested):
                        found[place] = min(max(rank, far), found.get(place, 1))
    return found


def _giving(side: Side, unit: Unit, top: ast.stmt, tested: ast.expr) -> Iterator[tuple[tuple[str, int], int]]:
    """The lines whose conditions a tested name has its value from: 0 in the function itself (``done = done or late``),
    1 in the functions by whose name it was computed (``image, done = env.step(action)``).
    """
    names = {node.id for node in walk(tested) if isinstance(node, ast.Name)}
    called: set[str] = set()
    for node in side.inside(top) if names else ():
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if names.isdisjoint(each.id for target in targets for each in walk(target) if isinstance(each, ast.Name)):
            continue
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            yield (unit.path, line), 0
        called.update(_last(each.func) for each in walk(node.value) if isinstance(each, ast.Call))
    for other, body in side.units.items() if called else ():
        if other.name.rpartition(".")[2] in called and other != unit:
            for each in walk(body):
                if isinstance(each, (ast.If, ast.IfExp, ast.BoolOp, ast.Compare)):
                    yield (other.path, each.lineno), 1


def _last(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _rank(side: Side, node: ast.stmt, wanted: set[int]) -> int | None:
    """0 where a statement holds one of these lines, 1 where it may leave before one."""
    last = node.end_lineno or node.lineno
    if any(node.lineno <= line <= last for line in wanted):
        return 0
    leaves = any(isinstance(each, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for each in side.inside(node))
    return 1 if leaves and any(last < line for line in wanted) else None


def _modes(side: Side, unit: Unit, lines: set[int]) -> tuple[Place, ...]:
    """The grad modes that are made on these lines of a function."""
    found = {line for top in _nodes(side, unit) for line in modes_in(top)}
    return tuple((unit.path, line) for line in sorted(found & lines))


def _flags(side: Side, unit: Unit, lines: set[int]) -> tuple[FlagPlace, ...]:
    """The places on these lines of a function that decide volatility."""
    tops = list(_nodes(side, unit))
    off = {id(node) for top in tops for node in _in_no_grad(top)}
    there = [
        (flag, False if _is_off(top, flag.node) else _known(top, flag))
        for top in tops
        for node in side.inside(top)
        for flag in flags_of(node)
        if flag.place[0] in lines
    ]
    given = {flag.place for flag, _ in there if not flag.read}  # ``volatile=x.volatile`` is both
    found = {
        (unit.path, *flag.place): FlagPlace(
            (unit.path, *flag.place), side.where(unit.path, flag.place[0]), flag.read, constant, flag.place in given,
            id(flag.node) in off,
        )
        for flag, constant in there
    }
    return tuple(found.values())


def _in_no_grad(top: ast.stmt) -> Iterator[ast.AST]:
    """What runs in ``with torch.no_grad():``, and nowhere else."""
    for block in walk(top):
        if isinstance(block, ast.With) and any(_turns_off(item.context_expr) for item in block.items):
            waiting: list[ast.AST] = list(block.body)
            while waiting:
                node = waiting.pop()
                if not isinstance(node, (*_SCOPES, ast.GeneratorExp)):
                    yield node
                    waiting += ast.iter_child_nodes(node)


def _turns_off(manager: ast.expr) -> bool:
    func = manager.func if isinstance(manager, ast.Call) and not manager.args and not manager.keywords else None
    return isinstance(func, ast.Attribute) and func.attr == "no_grad" and (
        isinstance(func.value, ast.Name) and func.value.id == "torch")


def _known(top: ast.stmt, flag: Flag) -> bool | None:
    """What the text says a flag is: a constant, or a name of the function's own whose one binding is to a constant."""
    name = flag.node
    if flag.read or not isinstance(name, ast.Name) or not isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return flag.constant
    own = [node for node in _in_body(top) if isinstance(node, ast.Assign)]
    values = [node.value for node in own for target in node.targets
              if isinstance(target, ast.Name) and target.id == name.id]
    bound = [node for node in walk(top) if _binds(node, name.id)]
    if len(values) == len(bound) == 1 and isinstance(values[0], ast.Constant):
        return bool(values[0].value)
    return None


def _in_body(top: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """What stands in the body of a function itself, not in functions and classes there."""
    waiting: list[ast.AST] = list(top.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _SCOPES):
            yield node
            waiting += ast.iter_child_nodes(node)


def _binds(node: ast.AST, name: str) -> bool:
    """May a node bind a name, here or in a scope of its own, or say that it is another one's?"""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    if isinstance(node, ast.alias):
        return name == (node.asname or node.name).split(".")[0] or node.name == "*"
    said = getattr(node, "arg", None) if isinstance(node, ast.arg) else (
        getattr(node, "rest", None) or getattr(node, "name", None) if not isinstance(node, ast.keyword) else None)
    return said == name


def _is_off(top: ast.stmt, flag: ast.expr) -> bool:
    """Is it the opposite of a condition that it stands under (``if self.training: ... volatile=not self.training``)?"""
    asked = flag.operand if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not) else flag
    if not isinstance(asked, (ast.Name, ast.Attribute)) or _is_bound(top, ast.unparse(asked)):
        return False
    opposite = ast.dump(_negated(flag))
    for node in walk(top):
        if not isinstance(node, ast.If):
            continue
        if any(each is flag for inner in node.body for each in walk(inner)):
            held = node.test.values if _joins(node.test, ast.And) else [node.test]  # type: ignore[attr-defined]
        elif any(each is flag for inner in node.orelse for each in walk(inner)):
            parts = node.test.values if _joins(node.test, ast.Or) else [node.test]  # type: ignore[attr-defined]
            held = [_negated(each) for each in parts]
        else:
            continue
        if opposite in map(ast.dump, held):
            return True
    return False


def _is_bound(top: ast.stmt, path: str) -> bool:
    """Does a function give a name or an attribute another value, or what it is an attribute of?"""
    found = (each for each in walk(top) if isinstance(each, (ast.Name, ast.Attribute)))
    stored = (ast.unparse(each) for each in found if isinstance(each.ctx, (ast.Store, ast.Del)))
    return any(path == each or path.startswith(each + ".") for each in stored)


def _joins(test: ast.expr, kind: type[ast.boolop]) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, kind)


def _negated(test: ast.expr) -> ast.expr:
    is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return test.operand if is_not else ast.UnaryOp(ast.Not(), test)  # type: ignore[attr-defined]


def _lines(side: Side, unit: Unit) -> list[tuple[int, str]]:
    """The lines of a function (of a module: those outside of definitions) without their indentation."""
    text = side.texts.get(unit.path, "").splitlines()
    spans = [(_start(node), node.end_lineno or node.lineno) for node in _nodes(side, unit)]
    numbers = sorted({number for start, end in spans for number in range(start, end + 1)})
    return [(number, text[number - 1].strip()) for number in numbers if number <= len(text)]


def _start(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    above: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in above)])


def _nodes(side: Side, unit: Unit) -> list[ast.stmt]:
    if unit.name:
        node = side.units.get(unit)
        return [] if node is None else [node]
    tree = side.plain_trees.get(unit.path)
    return [] if tree is None else [node for node in tree.body if not isinstance(node, _PASSIVE)]


def _statements(side: Side, unit: Unit) -> list[tuple[int, int, Mark]]:
    """(first line, last line, mark) of every statement that runs; of a compound one its header alone."""
    found = []
    for top in _nodes(side, unit):
        for node in walk(top):
            if not isinstance(node, ast.stmt) or isinstance(node, _PASSIVE) or _is_text(node):
                continue
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno or node.lineno
            found.append((node.lineno, max(last, node.lineno), (unit.path, node.lineno, node.col_offset)))
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _at(statements: list[tuple[int, int, Mark]], lines: Iterable[int]) -> frozenset[Mark]:
    wanted = set(lines)
    return frozenset(
        mark for first, last, mark in statements if not wanted.isdisjoint(range(first, last + 1))
    )
