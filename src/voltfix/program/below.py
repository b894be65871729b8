"""What a method is for the objects of a class and of the classes below it: which bodies one call may run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.scopes import arguments_of
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_ANSWERS_ALL = ("__getattr__", "__getattribute__")
_MOST = 4  # classes that are told apart


class Body(NamedTuple):
    """The method that is run for an object of a class."""

    cls: ast.ClassDef
    path: str
    node: ast.FunctionDef


class Below:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[ast.AST, str], tuple[Body, ...]] = {}
        self._classes: dict[ast.AST, ProjectClass] = {each.node: each for each in project.classes()}

    def bodies(self, owner: ast.ClassDef, name: str) -> tuple[Body, ...]:
        """For each class that an object of ``owner`` may be of, the method that is run; none where not all are read.

        A class whose method does nothing but raise has none: nobody goes on after it, and it computes nothing. Nor has
        one that lacks the method where one below has it: asking its object for that raises.
        """
        key = (owner, name)
        if key not in self._known:
            self._known[key] = tuple(self._bodies(owner, name))
        return self._known[key]

    def of(self, owner: ast.ClassDef) -> ProjectClass | None:
        """The class of the project that a class statement makes."""
        return self._classes.get(owner)

    def is_doing_nothing(self, owner: ast.ClassDef, method: ast.AST) -> bool:
        """Is it a method that does nothing, and that classes below have another one of, all of them in view?

        An object of a class that has none of its own runs it: nothing is done then. In a package it stands there for
        classes of others; where no class has one of its own, nobody has seen what it is there for. A class with such
        a method, and with a base that no name tells (``class Steep(with_metaclass(Meta, Base))``), may be below, too.
        """
        cls = self.of(owner)
        if not isinstance(method, ast.FunctionDef) or not only_passes(method) or cls is None or (
                method.decorator_list or self._project.for_others):
            return False
        below = {each.node for each in self._project.hierarchy.subclasses(cls)}
        return any(self._binds(self._classes[node], method.name) for node in below) and not self._may_be_below(
            below, method.name)

    def _may_be_below(self, family: set[ast.ClassDef], name: str) -> bool:
        """May a class beside these, with a base that no name tells, be below as well, and have that method?"""
        return any(self._binds(above, name) for each in self._project.classes() if each.node not in family and not all(
            map(_is_told, self._project.mro(each))) for above in self._project.mro(each))

    def _binds(self, cls: object, name: str) -> bool:
        return isinstance(cls, ProjectClass) and name in self._project.names_in(cls.path, cls.node)

    def _bodies(self, owner: ast.ClassDef, name: str) -> list[Body]:
        cls = self.of(owner)
        family = [cls, *self._project.hierarchy.subclasses(cls)] if cls is not None else []
        if len(family) > 2 * _MOST or not all(map(self._is_read, family)):
            return []
        methods = [(each.node, method) for each in family if (method := self._project.method(each, name)) is not None
                   or not self._lacks(each)]
        if len(methods) < len(family) and self._may_be_below({each.node for each in family}, name):
            return []  # an object that runs another method was none of a class that lacks it
        found = [Body(node, method.path, method.node) for node, method in methods
                 if isinstance(method, ProjectFunction) and isinstance(method.node, ast.FunctionDef)
                 and not method.node.decorator_list]
        if len(found) < len(methods) or cls is None:
            return []
        doing = [body for body in found if not only_raises(body.node)]  # no call of another gives anything
        if len(doing) > _MOST or (len(doing) < len(family) and self._project.for_others):
            return []  # it is there for classes of others to have their own
        found = doing
        own = self._members(cls)
        only_below = {name for each in family for name in self._members(each)} - own
        return found if not any(self._asks(body, only_below) for body in found) else []

    def _lacks(self, cls: ProjectClass) -> bool:
        """Has an object of a class nothing but what is written out in classes of the project?"""
        order = self._project.mro(cls)
        return all(_is_written_out(above) or above == Builtin("object") for above in order) and not any(
            self._project.method(cls, each) is not None for each in _ANSWERS_ALL)

    def _members(self, cls: ProjectClass) -> set[str]:
        return {name for each in self._project.mro(cls) if isinstance(each, ProjectClass)
                for name in self._project.names_in(each.path, each.node)}

    def _asks(self, body: Body, names: set[str], seen: frozenset[ast.AST] = frozenset()) -> bool:
        """Does a body ask its object for one of the names, or hand the object on to who may?

        What runs it takes the object for one of the upper class. A method of a class above is handed it as well.
        """
        own = receiver_name(body.node)
        for node in walk(body.node):
            if not isinstance(node, ast.Name) or node.id != own:
                continue
            parent = self._project.parent(body.path, node)
            if isinstance(parent, ast.Attribute):
                if parent.attr in names:
                    return True
                continue
            above = self._above(body, node, parent)
            if above is None or (above.node not in seen and self._asks(above, names, seen | {body.node})):
                return True
        return False

    def _above(self, body: Body, own: ast.Name, call: ast.AST | None) -> Body | None:
        """The method of a class above that is handed the object first, as ``Base.method(self, ...)``."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args[:1] != [own]:
            return None
        of, mine = self._project.resolve(body.path, None, call.func.value), self.of(body.cls)
        method = self._project.method(of, call.func.attr) if isinstance(of, ProjectClass) else None
        if mine is None or of not in self._project.mro(mine)[1:] or not isinstance(method, ProjectFunction) or (
                not isinstance(method.node, ast.FunctionDef) or method.node.decorator_list):
            return None
        return Body(body.cls, method.path, method.node)

    def _is_read(self, cls: ProjectClass) -> bool:
        """Do no classes that nobody here can read come before one of the project's in the order of lookup?"""
        order = [isinstance(above, ProjectClass) for above in self._project.mro(cls)]
        return order == sorted(order, reverse=True) and not cls.node.keywords and not cls.node.decorator_list


def _is_written_out(above: object) -> bool:
    """Is it a class of the project that no decorator and no metaclass can have added to?"""
    return isinstance(above, ProjectClass) and not above.node.keywords and not above.node.decorator_list


def _is_told(above: object) -> bool:
    """Is it told which class stands above another one?"""
    return isinstance(above, (ProjectClass, External, Builtin))


def only_passes(body: ast.FunctionDef) -> bool:
    """Does a body do nothing at all?"""
    return all(isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
               for s in body.body)


def only_raises(body: ast.FunctionDef) -> bool:
    """Does a body do nothing but raise, with an exception that is made of words alone?"""
    does = [s for s in body.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    raised = does[0].exc if len(does) == 1 and isinstance(does[0], ast.Raise) else None
    if isinstance(raised, ast.Call):
        said = arguments_of(raised)
        return isinstance(raised.func, ast.Name) and not any(
            isinstance(node, (ast.Call, ast.Await, ast.Yield, ast.YieldFrom))
            for part in said for node in ast.walk(part))
    return isinstance(raised, ast.Name)
