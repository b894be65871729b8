"""Which functions are run for a change: those that it touches, and whoever calls them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from voltfix.verify.symbolic.flags import flags_of
from voltfix.verify.symbolic.neighbours import block_line, modes_in
from voltfix.verify.symbolic.project import Side, Unit, defines
from voltfix.verify.symbolic.walking import walk
from voltfix.verify.symbolic.work import Item

MAX_UNITS = 24


def closure(item: Item) -> list[Unit]:
    """The touched functions that can be run, and whoever calls them, as far up as the project goes."""
    present = set(item.before.units) & set(item.after.units)
    start: list[Unit] = []
    names: set[str] = set()
    for touched in item.touched:
        unit = outermost(touched, item)
        if not unit.name:
            names |= _changed_globals(item, unit.path)
            does = _has_body(item.before, unit.path) and _has_body(item.after, unit.path)
            if does or (unit.path in item.after.plain_trees and _makes_volatile(item.before, unit.path)):
                start.append(unit)
        else:
            names.add(_mention(unit.name))
            if unit in present:
                start.append(unit)
    found = list(dict.fromkeys(start))
    for _ in range(4):
        names |= _aliases(item, names)
        more = [
            u
            for u in sorted(present, key=str)
            if u not in found and names & (_names(item.before, u) | _names(item.after, u))
        ]
        if not more:
            break
        found += more
        names = {_mention(unit.name) for unit in more} - _VAGUE
    bodies = [Unit(path, "") for path in item.before.trees if path in item.after.trees]
    bodies = [
        u
        for u in bodies
        if u not in found and _has_body(item.before, u.path) and _has_body(item.after, u.path)
    ]
    wanted = {_mention(unit.name) for unit in found if unit.name} - _VAGUE
    found += [u for u in bodies if wanted & _names(item.before, u)]
    return found[:MAX_UNITS]


def makers(item: Item, unit: Unit) -> list[Unit]:
    """Who makes objects of the class of a method that is called without its name being said, such as ``forward``: what
    they hand such an object is what the method is given. Nobody, for any other method."""
    owner, _, last = unit.name.rpartition(".")
    if not owner or last == "__init__" or not (last == "forward" or (last[:2] == last[-2:] == "__")):
        return []
    names = {owner.rpartition(".")[2]}
    while more := (_derived(item, names) | _aliases(item, names)) - names:
        names |= more
    sides = (item.before, item.after)
    bodies = [Unit(path, "") for path in item.before.trees if path in item.after.trees]
    present = [*sorted(item.before.units.keys() & item.after.units.keys(), key=str), *bodies]
    found = [each for each in present if each != unit and any(_makes(side, each, names) for side in sides)]
    return found if len(found) <= MAX_UNITS else []


def readers(item: Item, name: str, leaver: Unit) -> list[Unit]:
    """The methods that ask objects of the class of ``leaver``, or of a class below or above it, for an attribute; none
    where one of them calls it: it is no tensor then, whatever gave it."""
    family = {leaver.name.split(".")[0]}
    while more := (_derived(item, family) | _bases(item, family)) - family:
        family |= more
    present = sorted(item.before.units.keys() & item.after.units.keys(), key=str)
    methods = [each for each in present if "." in each.name and each.name.split(".")[0] in family]
    if any(_calls_own(side.inside(side.units[each]), name) for side in (item.before, item.after) for each in methods):
        return []
    return [each for each in methods if any(_asks(side, each, name) for side in (item.before, item.after))]


def _asks(side: Side, unit: Unit, name: str) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Load)
        for each in side.inside(side.units[unit])
    )


def _calls_own(nodes: list[ast.AST], name: str) -> bool:
    """``self.NAME(...)``, or ``self.NAME.forward(...)``."""
    for each in nodes:
        func = each.func if isinstance(each, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr == "forward":
            func = func.value
        if isinstance(func, ast.Attribute) and func.attr == name and isinstance(func.value, ast.Name):
            return func.value.id == "self"
    return False


def _bases(item: Item, names: set[str]) -> set[str]:
    """The classes of the project that one of ``names`` is derived from."""
    known = {**item.before.classes, **item.after.classes}
    return {base for name in names if name in known for base in known[name].base_names if base in known}


def callers_of(item: Item, unit: Unit) -> list[Unit]:
    """Who mentions a function, or makes objects of the class of a method that is called without its name."""
    present = sorted(item.before.units.keys() & item.after.units.keys(), key=str)
    bodies = [Unit(path, "") for path in item.before.trees if path in item.after.trees]
    named = [each for each in [*present, *bodies] if each != unit and calls(item, each, unit)]
    return list(dict.fromkeys([*named, *makers(item, unit)]))


def _derived(item: Item, names: set[str]) -> set[str]:
    """The classes that name one of ``names`` as a base."""
    classes = [*item.before.classes.values(), *item.after.classes.values()]
    return {info.name for info in classes if not names.isdisjoint(info.base_names)}


def _makes(side: Side, unit: Unit, names: set[str]) -> bool:
    """Does a function mention one of these classes, other than to reach for what it derives from?"""
    if names.isdisjoint(_names(side, unit)):
        return False
    node = side.units.get(unit)
    nodes = side.inside(node) if node is not None else list(_body(side, unit.path))
    supers = {
        id(argument)
        for each in nodes
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "super"
        for argument in each.args
    }
    return any(
        (each.id if isinstance(each, ast.Name) else each.attr) in names
        for each in nodes
        if isinstance(each, (ast.Name, ast.Attribute)) and id(each) not in supers
    )


def may_be(item: Item, unit: Unit) -> dict[str, Unit]:
    """The touched methods that a method of something unknown may be in a run of ``unit``: those of a name that one
    class alone has."""
    if "may be" not in item.before.notes:
        owners: dict[str, list[Unit]] = {}
        for each in item.before.units.keys() & item.after.units.keys():
            if "." in each.name:
                owners.setdefault(_mention(each.name), []).append(each)
        touched = {hunk.unit for hunk in item.reached.hunks or ()}
        item.before.notes["may be"] = {
            name: found[0]
            for name, found in owners.items()
            if len(found) == 1 and found[0] in touched and name not in _VAGUE and not name.startswith("__")
        }
    known: dict[str, Unit] = item.before.notes["may be"]
    return {name: found for name, found in known.items() if found != unit}


def _aliases(item: Item, names: set[str]) -> set[str]:
    """Other names that modules and classes give to what is called one of ``names``."""
    given = [*_given_names(item.before), *_given_names(item.after)]
    return {other for mentioned, others in given if not names.isdisjoint(mentioned) for other in others}


def _given_names(side: Side) -> list[tuple[set[str], list[str]]]:
    """What the imports, and the assignments of modules and classes, mention and what they bind to it."""
    if "given names" not in side.notes:
        old = side.shared  # what is the same on the other side gives the same names there
        trees = [tree for path, tree in side.plain_trees.items() if path not in old]
        side.notes["given names"] = [each for tree in trees for each in _given_in(side, tree)]
    given: list[tuple[set[str], list[str]]] = side.notes["given names"]
    return given


def _given_in(side: Side, tree: ast.Module) -> Iterator[tuple[set[str], list[str]]]:
    bodies = [tree.body]
    for each in side.inside(tree):
        kind = type(each)
        if kind is ast.ClassDef:
            bodies.append(each.body)  # type: ignore[attr-defined]
        elif kind is ast.Import or kind is ast.ImportFrom:
            yield from (({alias.name}, [alias.asname]) for alias in each.names if alias.asname)  # type: ignore[attr-defined]
    for statement in (statement for body in bodies for statement in body):
        if isinstance(statement, ast.Assign):
            yield _mentioned(statement.value), [each.id for each in statement.targets if isinstance(each, ast.Name)]


def _mentioned(node: ast.AST) -> set[str]:
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in walk(node)
        if isinstance(each, (ast.Name, ast.Attribute))
    }


_VAGUE = frozenset(["forward", "__call__", "__init__", "step", "run", "main"])


def _mention(name: str) -> str:
    """What code that uses this function says: its name, or that of its class."""
    *owner, last = name.split(".")
    return owner[-1] if last == "__init__" and owner else last


def outermost(unit: Unit, item: Item) -> Unit:
    """The function or method that holds ``unit`` and that can be run by itself; else the module's body."""
    before, after = item.before.units, item.after.units
    parts = unit.name.replace(".<locals>", "").split(".")
    for end in range(len(parts), 0, -1):
        shorter = Unit(unit.path, ".".join(parts[:end]))
        if shorter in before or shorter in after:
            return shorter
    return Unit(unit.path, unit.name if unit.name in ("",) else "")


def _names(side: Side, unit: Unit) -> set[str]:
    """The names that a function (or the body of a module) mentions."""
    if side.twin is not None and unit.path in side.shared:
        return _names(side.twin, unit)
    label = ("names", unit)
    if label not in side.notes:
        side.notes[label] = _names_in(side, unit)
    found: set[str] = side.notes[label]
    return found


def _names_in(side: Side, unit: Unit) -> set[str]:
    found: set[str] = set()
    nodes: Iterable[ast.AST]
    if unit.name:
        node = side.units.get(unit)
        nodes = side.inside(node) if node is not None else ()
    else:
        nodes = _body(side, unit.path)
    for each in nodes:
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
    return found


def _body(side: Side, path: str) -> Iterator[ast.AST]:
    tree = side.plain_trees.get(path)
    for statement in tree.body if tree is not None else ():
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from walk(statement)


def calls(item: Item, caller: Unit, callee: Unit) -> bool:
    """Does ``caller`` mention ``callee`` on either side?"""
    name = _mention(callee.name)
    return (
        bool(name)
        and name not in ("forward",)
        and name in _names(item.before, caller) | _names(item.after, caller)
    )


def may_hold(item: Item, roots: list[Unit], unit: Unit) -> bool:
    """May a block that these callers got hold a call of a function? It mentions it, or one of them; what is called
    without its name may be in any."""
    changed = {root: {line for hunk in item.reached.changed(root) for _, line in hunk.modes} for root in roots}
    if makers(item, unit) or unit.name.endswith("forward"):
        return any(item.reached.changed(root) for root in roots)
    names = {_mention(each.name) for each in (unit, *roots) if each.name}
    names |= _aliases(item, names)
    return any(
        not names.isdisjoint(_mentioned(held))
        for root, lines in changed.items()
        for node in _statements(item.after, root)
        for held in _held_by(node, lines)
    )


def _statements(side: Side, unit: Unit) -> list[ast.AST]:
    node = side.units.get(unit)
    return side.inside(node) if node is not None else list(_body(side, unit.path))


def _held_by(node: ast.AST, lines: set[int]) -> Iterator[ast.AST]:
    """What a grad mode that is made on one of these lines goes round, as far as one statement tells: its block, or
    itself; all of a function that one decorates."""
    if isinstance(node, ast.With):
        if block_line(node) in lines:
            yield from node.body
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if any(True for each in node.decorator_list for _ in modes_in(each)):
            yield node
    elif isinstance(node, ast.stmt) and not isinstance(getattr(node, "body", None), list):
        yield from [node] if not lines.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1)) else []


def _has_body(side: Side, path: str) -> bool:
    """Does the module do more than define things?"""
    tree = side.plain_trees.get(path)
    return tree is not None and any(
        not defines(each) and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in tree.body
    )


def _makes_volatile(side: Side, path: str) -> bool:
    """Does the module's body make a volatile Variable itself, at its top or under a condition (``__name__``)?"""
    nodes = (each for each in _body(side, path) if isinstance(each, ast.Call))
    named = [each for each in nodes if getattr(each.func, "id", getattr(each.func, "attr", "")) == "Variable"]
    return any(True for each in named for _ in flags_of(each))


def _changed_globals(item: Item, path: str) -> set[str]:
    """Names that the module's body binds differently before and after."""

    def bound(side: Side) -> dict[str, str]:
        tree = side.plain_trees.get(path)
        found = {}
        for each in tree.body if tree is not None else ():
            if isinstance(each, ast.Assign):
                for target in each.targets:
                    for name in walk(target):
                        if isinstance(name, ast.Name):
                            found[name.id] = ast.dump(each.value)
        return found

    old, new = bound(item.before), bound(item.after)
    return {name for name in set(old) | set(new) if old.get(name) != new.get(name)}
