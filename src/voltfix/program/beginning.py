"""What an object has when its ``__init__`` begins: Python has just made it, where nobody runs that a second time.

What an ``__init__`` runs itself may put something on the object before it is asked for. Where that is a method that
a class below has, too, a property, or anything else that the object is handed to, nobody knows what is there then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.program.bindings import External, ProjectClass
from voltfix.program.mentions import Mentions
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk
from voltfix.torchmodel.library import EMPTY_BASES

_INIT = "__init__"
_LOOKS = frozenset({"isinstance", "hasattr"})
_ON_ATTRIBUTES = ("__setattr__", "__getattr__", "__getattribute__")


class Beginning:
    """In which classes ``__init__`` is handed an object on which nothing was put yet."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._before = None if project.for_others or _makes_otherwise(project) else _put_before(project)
        self._classes = {cls.node: cls for cls in project.classes()}
        self._in_sight: dict[ast.ClassDef, bool] = {}

    def is_new(self, node: ast.ClassDef, name: str) -> bool:
        """Has an object of a class, or of one below, nothing under a name when ``__init__`` of the class begins?"""
        cls = self._classes.get(node)
        if self._before is None or name in self._before or cls is None:
            return False
        everyone = [above for each in (cls, *self._project.hierarchy.subclasses(cls))
                    for above in self._project.mro(each)]
        if not all(isinstance(above, ProjectClass) or _keeps_to_itself(above) for above in everyone):
            return False
        if node not in self._in_sight:
            self._in_sight[node] = _runs_in_sight(
                self._project, list(dict.fromkeys(each for each in everyone if isinstance(each, ProjectClass))))
        return self._in_sight[node]


def _runs_in_sight(project: Project, classes: list[ProjectClass]) -> bool:
    """Does what an ``__init__`` of these classes does with its object run nothing but what the text names?"""
    if any(project.definitions(cls.path, cls.node, name) for cls in classes for name in _ON_ATTRIBUTES):
        return False
    waiting = [(cls.path, found.node) for cls in classes for found in project.definitions(cls.path, cls.node, _INIT)]
    for path, method in waiting:
        if not isinstance(method, ast.FunctionDef) or method.decorator_list or not method.args.args:
            return False
        for name in walk(method):
            if not isinstance(name, ast.Name) or name.id not in (method.args.args[0].arg, "super"):
                continue
            inner = next(each for each in project.parents(path, name) if isinstance(each, FUNCTIONS))
            run = _run_by(project, classes, path, name) if inner is method else None
            if run is None:
                return False
            waiting += [each for each in run if each not in waiting]
    return True


def _run_by(
    project: Project, classes: list[ProjectClass], path: str, name: ast.Name
) -> list[tuple[str, ast.AST]] | None:
    """The method that a mention of the object, or of ``super``, runs, if any; None: nobody knows."""
    above = project.parent(path, name)
    further = project.parent(path, above) if above is not None else None
    if isinstance(above, ast.Attribute):
        found = [(cls.path, each) for cls in classes for each in project.definitions(cls.path, cls.node, above.attr)]
        if all(isinstance(each.value, ast.Constant) for _, each in found):
            return []
        called = isinstance(further, ast.Call) and further.func is above
        return [(at, each.node) for at, each in found] if called and len(found) == 1 else None
    if not isinstance(above, ast.Call):
        return None
    if above.func is name or isinstance(above.func, ast.Attribute):  # ``super().__init__()``, ``Base.__init__(self)``
        asked = further if above.func is name else above.func
        return [] if isinstance(asked, ast.Attribute) and asked.attr == _INIT else None
    return [] if isinstance(above.func, ast.Name) and above.func.id in ("super", *_LOOKS) else None


def _keeps_to_itself(above: object) -> bool:
    return isinstance(above, External) and above.name.startswith(EMPTY_BASES)


def _makes_otherwise(project: Project) -> bool:
    """May a class of the project give an object that was there before, or make one in a way of its own?"""
    return any(cls.node.keywords or "__new__" in project.names_in(cls.path, cls.node) or (
        "__metaclass__" in project.names_in(cls.path, cls.node)) for cls in project.classes())


def _put_before(project: Project) -> frozenset[str] | None:
    """What any ``__init__`` puts on its object before it runs that of a class above; None: it is run elsewhere, too."""
    found: set[str] = set()
    for path in project.paths:
        if any(f"{quote}{_INIT}{quote}" in project.modules[path].text for quote in ("'", '"')):
            return None
    for path, mention in project.computed(Mentions).of({_INIT}, attributes=True):
        names = _first_of_all(project, path, mention)
        if names is None:
            return None
        found |= names
    return frozenset(found)


def _first_of_all(project: Project, path: str, mention: ast.AST) -> set[str] | None:
    """What ``super().__init__()``, ``Base.__init__(self)`` has before it; None: more than attributes that are bound."""
    call = project.parent(path, mention)
    statement = project.parent(path, call) if isinstance(call, ast.Call) and call.func is mention else None
    method = project.parent(path, statement) if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(mention, ast.Attribute) or not isinstance(
            method, ast.FunctionDef) or method.name != _INIT or not method.args.args:
        return None
    own, above = method.args.args[0].arg, mention.value
    if isinstance(above, ast.Call):
        asked = isinstance(above.func, ast.Name) and above.func.id == "super"
        given = call.args
    else:
        asked = isinstance(above, ast.Name) and bool(call.args) and (
            isinstance(call.args[0], ast.Name) and call.args[0].id == own)
        given = call.args[1:]
    if not asked or any(_speaks_of(each, own) for each in (*given, *call.keywords)):
        return None
    names: set[str] = set()
    for before in method.body[: method.body.index(statement)] if isinstance(statement, ast.stmt) else ():
        bound = list(_binds_on(before, own))
        if not bound and _speaks_of(before, own):
            return None
        names.update(bound)
    return names


def _speaks_of(node: ast.AST, own: str) -> bool:
    """Is the object named, or whatever names there are?"""
    return any((isinstance(each, ast.Name) and each.id in (own, "super", "locals", "vars")) or (
        isinstance(each, FUNCTIONS)) for each in walk(node))


def _binds_on(statement: ast.stmt, own: str) -> Iterator[str]:
    """``self.name = value``, where the value does not name the object."""
    if isinstance(statement, ast.Assign) and not _speaks_of(statement.value, own) and all(
            isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own
            for target in statement.targets):
        yield from (target.attr for target in statement.targets if isinstance(target, ast.Attribute))
