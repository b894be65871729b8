"""Which objects a function in a class is handed to: what Python calls of them, and what no object of the class has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.arguments import argument_for, calls_of, default_of, unpacks
from voltfix.program.between import bound_just_before, still_handed
from voltfix.program.bindings import Builtin, Local, ProjectClass, ProjectFunction, Unknown
from voltfix.program.callable import is_of_the_project
from voltfix.program.calls import fits
from voltfix.program.classes import receiver_name
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import PERHAPS, Definition
from voltfix.program.walking import walk
from voltfix.torchmodel.tables import RETURNS_SELF

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_MOST = 40  # places that are gone through for one question
_ANSWERS_ALL = ("__getattr__", "__getattribute__", "__slots__")
_COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match,
             ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def takes_no_object(project: Project, rebound: Rebound, function: ProjectFunction) -> bool:
    """Is a function in a class one that never gets an object of the class first, for it would raise at once?

    It always asks its first parameter for something that no object of the class has: ``Class.f(net)`` is how it is
    called, ``obj.f()`` is not. Code that nobody has seen, and that gets the class or an object of it, may add that; so
    may whoever makes the objects, where nobody here does and nobody calls it by the class either.
    """
    owner = project.hierarchy.class_around(function.path, function.node)
    name = receiver_name(function.node)
    if owner is None or name is None or getattr(function.node, "decorator_list", None):
        return False
    if not is_of_the_project(project, owner):
        return False
    family = [cls for below in (owner, *project.hierarchy.subclasses(owner)) for cls in project.mro(below)
              if isinstance(cls, ProjectClass)]
    known = {bound for cls in family for bound in project.names_in(cls.path, cls.node)}
    if not known.isdisjoint(_ANSWERS_ALL):
        return False
    return any(not asked.startswith("__") and asked not in known and not rebound.is_set(asked)
               for asked in _always_asked(function, name)) and (
        all(_stays(project, cls) for cls in family) and (_is_called_by_class(project, function) or any(
            each.kind == "call" for cls in family for each in project.computed(References).of(cls))))


def _is_called_by_class(project: Project, function: ProjectFunction) -> bool:
    """Does the project say ``Class.f(...)``?"""
    return any(each.kind == "call" for each in project.computed(References).of(function))


def _stays(project: Project, cls: ProjectClass) -> bool:
    """Does no code that nobody has seen get a class, or an object of it by the expression or the name that makes it?"""
    for reference in project.computed(References).of(cls):
        node, path = reference.node, reference.path
        if reference.kind == "value" and not isinstance(project.parent(path, node), ast.Attribute) and not (
                is_looked_at(project, path, node)):
            return False
        above = project.parent(path, node)
        named = {t.id for t in above.targets if isinstance(t, ast.Name)} if isinstance(above, ast.Assign) else set()
        uses = [n for n in project.nodes(path) if isinstance(n, ast.Name) and n.id in named] if named else []
        if reference.kind == "call" and any(_leaves_sight(project, path, use) for use in (node, *uses)):
            return False
    return True


def is_looked_at(project: Project, path: str, node: ast.AST) -> bool:
    """Is a class named only to be asked for, as by ``isinstance`` and ``super``?"""
    above = project.parent(path, node)
    if isinstance(above, ast.Tuple):
        above = project.parent(path, above)
    return isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and (
        above.func.id in ("isinstance", "issubclass", "super"))


def _leaves_sight(project: Project, path: str, node: ast.AST) -> bool:
    """Is it handed to a call of something that is no function or class of the project?"""
    above = project.parent(path, node)
    while isinstance(above, (ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.Starred)):
        node, above = above, project.parent(path, above)
    return isinstance(above, ast.Call) and above.func is not node and not isinstance(
        project.resolve(path, None, above.func), (ProjectFunction, ProjectClass, Builtin))


class Given(NamedTuple):
    """What an expression surely is: objects of these classes, if those functions have no caller that nobody sees."""

    classes: tuple[ProjectClass, ...]
    through: tuple[ProjectFunction, ...]
    or_none: bool = False  # somebody hands over None, or it is that before anything is put there


class Handed(NamedTuple):
    """What the callers of a function hand over for a parameter of it, each with its module."""

    by: ProjectFunction
    values: list[tuple[str, ast.expr]]


def handed_for(project: Project, path: str, parameter: ast.arg) -> Handed | None:
    """What callers hand over for a parameter; None where that is not known, or the function none of the project."""
    function = project.function(path, project.scope(path, parameter))
    values = handed_over(project, function, parameter) if function is not None else None
    return Handed(function, values) if function is not None and values is not None else None


def given(project: Project, rebound: Rebound, path: str, expression: ast.expr) -> Given | None:
    """The classes of the objects that callers hand over for an expression: a parameter, or what keeps one on self."""
    classes: dict[ast.AST, ProjectClass] = {}
    through: dict[ast.AST, ProjectFunction] = {}
    waiting, seen, or_none = [(path, expression, True)], set[tuple[ast.expr, bool]](), False
    while waiting:
        at, part, counts = waiting.pop()  # whether None counts: not where it was asked for, and passed over
        if (part, counts) in seen:
            continue
        seen.add((part, counts))
        if isinstance(part, ast.Constant) and part.value is None:
            or_none = or_none or counts
            continue
        if (isinstance(part, ast.Attribute) and rebound.is_patched_at(at, part)) or (
                isinstance(part, ast.Name) and rebound.is_bound_elsewhere(at, part)):
            return None
        if isinstance(part, (ast.IfExp, ast.BoolOp)):
            waiting += [(at, arm, counts and not there) for arm, there in _arms(part)]
            continue
        just = bound_just_before(project, at, part) if isinstance(part, ast.Name) else None
        made = None if just is not None else _classes_at(project, rebound, at, part)
        if made is not None:
            classes |= {each.node: each for each in made}
            continue
        found = [(at, just)] if just is not None else _stood_for(project, rebound, at, part)
        if found is None or len(seen) > _MOST:
            return None
        if isinstance(found, Handed):
            through[found.by.node] = found.by
            found = found.values
        waiting += [(home, value, counts) for home, value in found]
    return Given(tuple(classes.values()), tuple(through.values()), or_none) if classes else None


def _classes_at(project: Project, rebound: Rebound, path: str, part: ast.expr) -> tuple[ProjectClass, ...] | None:
    """The classes that names say an expression is of, or of one of which it is made there."""
    cls = project.instance(path, part)
    if cls is not None:
        return (cls,)
    return made_by_table(project, rebound, path, part) if isinstance(part, ast.Call) else None


def _stood_for(
    project: Project, rebound: Rebound, path: str, part: ast.expr
) -> Handed | list[tuple[str, ast.expr]] | None:
    """What an expression gives by other expressions, of which it is one; None where that is open."""
    back = handed_back(project, path, part) if isinstance(part, ast.Call) else None
    if back is not None:
        return back
    bound = project.resolve(path, None, part) if isinstance(part, (ast.Name, ast.Attribute)) else None
    parameter = project.handed_as(bound) or (still_handed(project, path, part) if isinstance(part, ast.Name) else None)
    if parameter is not None:
        handed = handed_for(project, bound.path if isinstance(bound, Local) else path, parameter)
        return handed if handed is not None and handed.values else None
    if not isinstance(bound, Local):
        return None
    parts = parts_given(project, rebound, path, part) if isinstance(part, ast.Name) and not bound.complete else None
    if parts is not None:
        return parts
    return [(bound.path, value) for value in bound.values] if bound.complete and bound.values else None


def _arms(choice: ast.IfExp | ast.BoolOp) -> list[tuple[ast.expr, bool]]:
    """The values of which a choice gives one, and of each whether it is surely not None where it is given.

    ``data if data is not None else other``, ``data or other``.
    """
    if isinstance(choice, ast.BoolOp):
        passed = isinstance(choice.op, ast.Or)
        return [(each, passed and each is not choice.values[-1]) for each in choice.values]
    test, there, asked = choice.test, choice.body, choice.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)) and (
            isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None):
        asked, there = test.left, choice.orelse if isinstance(test.ops[0], ast.Is) else choice.body
    same = isinstance(asked, ast.Name) and isinstance(there, ast.Name) and asked.id == there.id
    return [(each, same and each is there) for each in (choice.body, choice.orelse)]


class Makings(NamedTuple):
    """The calls of classes that make all that an expression stands for, by the functions that hand it on."""

    calls: tuple[tuple[str, ast.Call, ProjectClass], ...]
    through: tuple[ProjectFunction, ...]


def makings(project: Project, rebound: Rebound, path: str, expression: ast.expr) -> Makings | None:
    """Where each object is made that callers hand over for an expression; None where one comes from elsewhere."""
    calls: list[tuple[str, ast.Call, ProjectClass]] = []
    through: dict[ast.AST, ProjectFunction] = {}
    waiting, seen = [(path, expression)], set[ast.expr]()
    while waiting:
        at, part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, ast.Call):
            cls = project.resolve(at, None, part.func)
            if not isinstance(cls, ProjectClass):
                return None
            calls.append((at, part, cls))
            continue
        if isinstance(part, ast.IfExp):
            waiting += [(at, part.body), (at, part.orelse)]
            continue
        if not isinstance(part, ast.Name) or rebound.is_bound_elsewhere(at, part) or len(seen) > _MOST:
            return None
        just = bound_just_before(project, at, part)
        bound = project.resolve(at, None, part)
        if just is not None:
            waiting.append((at, just))
        elif isinstance(bound, Local) and (parameter := project.handed_as(bound)) is not None:
            handed = handed_for(project, bound.path, parameter)
            if handed is None or not handed.values:
                return None
            through[handed.by.node] = handed.by
            waiting += handed.values
        elif isinstance(bound, Local) and bound.complete and bound.values:
            waiting += [(bound.path, value) for value in bound.values]
        else:
            return None
    return Makings(tuple(calls), tuple(through.values()))


def made_by_table(project: Project, rebound: Rebound, path: str, call: ast.Call) -> tuple[ProjectClass, ...] | None:
    """``KINDS[name](x)``, ``kind_of(name)(x)``: the classes in a table that is written out, and only looked up."""
    at, called = path, call.func
    back = handed_back(project, path, called) if isinstance(called, ast.Call) else None
    if back is not None and len(back) == 1:
        (at, called), = back
    table = called.value if isinstance(called, ast.Subscript) else None
    bound = project.resolve(at, None, table) if isinstance(table, ast.Name) else None
    listed = bound.values[0] if isinstance(bound, Local) and bound.complete and len(bound.values) == 1 else None
    if not isinstance(table, ast.Name) or not isinstance(bound, Local) or not isinstance(listed, ast.Dict) or (
            rebound.is_bound_elsewhere(at, table) or not _is_only_looked_up(project, table.id)):
        return None
    found = [project.resolve(bound.path, None, each) for each in listed.values]
    classes = tuple(each for each in found if isinstance(each, ProjectClass))
    plain = len(classes) == len(found) and None not in listed.keys and all(
        is_of_the_project(project, cls) and not any("__new__" in project.names_in(above.path, above.node)
                                                    for above in project.mro(cls) if isinstance(above, ProjectClass))
        for cls in classes)
    return classes if plain and classes else None


def _is_only_looked_up(project: Project, name: str) -> bool:
    """Is what a name stands for only asked for items, whether it has one, or for its keys, wherever it is named?"""
    mentions = project.computed(Mentions)
    if mentions.is_written(name) or project.for_others or mentions.bound_to(name) != {name}:
        return False
    for _, path, node in mentions.places(name):
        above = project.parent(path, node)
        asked = isinstance(above, ast.Attribute) and above.attr == "keys"
        looked_up = isinstance(above, ast.Subscript) and above.value is node and isinstance(above.ctx, ast.Load)
        if not (looked_up or asked or isinstance(node, ast.ImportFrom) or (
                isinstance(above, ast.Compare) and above.left is not node
                and all(isinstance(each, (ast.In, ast.NotIn)) for each in above.ops))):
            return False
    return not any(isinstance(node, ast.AugAssign) and last_word(node.target) == name
                   for path in project.paths for node in project.nodes(path))


def handed_back(project: Project, path: str, call: ast.Call) -> list[tuple[str, ast.expr]] | None:
    """What a call gives, by the returns of the function that it runs, or as the object that is asked; None: unknown."""
    maker = project.resolve(path, None, call.func)
    if not isinstance(maker, ProjectFunction):
        named = call.func if isinstance(maker, (Unknown, Local)) and isinstance(call.func, ast.Attribute) else None
        return [(path, named.value)] if named is not None and named.attr in RETURNS_SELF else None
    if not isinstance(maker.node, ast.FunctionDef) or maker.node.decorator_list or not isinstance(
            maker.node.body[-1], ast.Return):
        return None
    inner = [node for node in walk(maker.node) if project.scope(maker.path, node) is maker.node]
    returned = [node.value for node in inner if isinstance(node, ast.Return)]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inner) or None in returned:
        return None
    return [(maker.path, value) for value in returned if value is not None]


def parts_given(project: Project, rebound: Rebound, path: str, name: ast.Name) -> list[tuple[str, ast.expr]] | None:
    """What a name is that only ever takes a part of what functions give, each of which gives tuples written out.

    ``net, other = made()``; None where anything else binds it, in its function or in one that stands in that. A name of
    the top level is that wherever it is asked for.
    """
    places = _places_that_bind(project, path, name)
    if not places or rebound.is_bound_elsewhere(path, name) or any(
            isinstance(node, ast.Nonlocal) and name.id in node.names for node in project.nodes(path)):
        return None
    found: list[tuple[str, ast.expr]] = []
    for place in places:
        made, at = _part_taken(place.node, name.id)
        called = made.func if isinstance(made, ast.Call) else None
        if not isinstance(made, ast.Call) or (isinstance(called, ast.Name) and rebound.is_bound_elsewhere(path, called)
                ) or (isinstance(called, ast.Attribute) and (
                    rebound.is_patched_at(path, called) or rebound.is_assigned(called.attr))):
            return None
        back = handed_back(project, path, made)
        if not back or any(not isinstance(whole, ast.Tuple) or len(whole.elts) != at.of or any(
                isinstance(each, ast.Starred) for each in whole.elts) for _, whole in back):
            return None
        found += [(home, whole.elts[at.place]) for home, whole in back if isinstance(whole, ast.Tuple)]
    return found


def _places_that_bind(project: Project, path: str, name: ast.Name) -> list[Definition]:
    """Every place that binds what a name stands for: in its function, in one around that, or at the top level.

    None where a star import may bring the name to the top level, too.
    """
    table = project.table(path)
    own = at = table.owner.get(name) if table is not None else None
    while at is not None and at.parent is not None and (
            name.id not in at.definitions or (at.is_class and at is not own)):
        at = at.parent
    if at is None or (at.parent is None and project.bound_in(path, name.id) != [path]):
        return []
    return at.definitions.get(name.id, [])


class _At(NamedTuple):
    """A place among so many."""

    place: int
    of: int


def _part_taken(statement: ast.AST, name: str) -> tuple[ast.expr | None, _At]:
    """What an assignment takes apart, and at which place of it a name gets its part; None: it does something else."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    at = [place for place, each in enumerate(parts) if isinstance(each, ast.Name) and each.id == name]
    if len(at) != 1 or not isinstance(statement, ast.Assign) or not all(isinstance(each, ast.Name) for each in parts):
        return None, _At(0, 0)
    return statement.value, _At(at[0], len(parts))


def handed_over(
    project: Project, function: ProjectFunction, parameter: ast.arg, *, fitting: bool = False
) -> list[tuple[str, ast.expr]] | None:
    """What each caller that names a function hands over for a parameter; None where one does not say.

    ``fitting``: of a name alone that is called, as of a method of something unknown, only what it could be called with.
    """
    arguments = function.node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    method = project.hierarchy.class_around(function.path, function.node) is not None
    if parameter not in plain or (method and parameter.arg == receiver_name(function.node)):
        return None
    found: list[tuple[str, ast.expr]] = []
    for path, call, filled in calls_of(project, function):
        if not fits(function.node, call, filled) and (fitting or not fits(function.node, call, 0)):
            continue  # it would raise: a method of that name of something else
        if unpacks(call):
            return None
        value = argument_for(call, function.node, parameter, filled)
        default = default_of(function.node, parameter)
        if value is None and default is None:
            return None
        found.append((path, value) if value is not None else (function.path, default))  # type: ignore[arg-type]
    return found


def _always_asked(function: ProjectFunction, name: str) -> Iterator[str]:
    """The attributes of a parameter that whoever gets into the function reads before anything can end it."""
    for statement in () if isinstance(function.node, ast.Lambda) else function.node.body:
        if isinstance(statement, _COMPOUND):
            if any(isinstance(node, (ast.Return, ast.Raise)) or _binds(node, name) for node in ast.walk(statement)):
                return
            continue
        yield from _asked_in(statement, name)
        if isinstance(statement, (ast.Return, ast.Raise)) or any(_binds(node, name) for node in walk(statement)):
            return


def _asked_in(statement: ast.stmt, name: str) -> Iterator[str]:
    """The attributes read in a statement wherever that runs at all."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, PERHAPS):
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name and (
                isinstance(node.ctx, ast.Load)):
            yield node.attr
        waiting += ast.iter_child_nodes(node)


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
