"""Which attributes an object has from its making on, bound for good by one statement of ``__init__``.

Where ``__init__`` bound something else there before, nobody had the object until then. Without the attribute Python
raises.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, default_of, unpacks
from voltfix.program.bindings import Builtin, ProjectClass, ProjectFunction, is_one_of
from voltfix.program.callable import is_of_the_project
from voltfix.program.calls import CallGraph, fits
from voltfix.program.classes import receiver_name
from voltfix.program.mentions import Mentions, names_of_functions, stores
from voltfix.program.ofclass import objects_handed
from voltfix.program.receivers import handed_over, makings
from voltfix.program.scopes import parameters_of
from voltfix.program.unset import binds_again
from voltfix.program.walking import walk
from voltfix.torchmodel.library import RUNS_TEXTS

if TYPE_CHECKING:
    from voltfix.program.insight import InSight
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_ANSWERS = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
_PARSES = frozenset({"parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"})
_ONLY_LOOK = frozenset(f"builtins.{name}" for name in ("print", "str", "repr", "isinstance", "issubclass", "super"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# what runs a text (words of networks, too), and what gives the classes of a module, or one by its name
_ARE_RUN = frozenset(f"builtins.{name}" for name in RUNS_TEXTS)
_GIVE_CLASSES = frozenset({"getmembers", "getclasstree", "locate", "__subclasses__"})


class Lasting:
    """Which statements bind an attribute for good, whatever is done with the object; remembered for a whole project."""

    def __init__(self, project: Project, rebound: Rebound, in_sight: InSight) -> None:
        self._project = project
        self._rebound = rebound
        self._in_sight = in_sight
        self._known: dict[ast.AST, bool] = {}
        self._found: dict[ast.AST, ast.Constant | None] = {}
        self._constants: dict[tuple[ast.AST, str], ast.Constant | None] = {}

    def is_bound_for_good(self, path: str, target: ast.AST) -> bool:
        """Does the target of an assignment in ``__init__`` bind an attribute that nothing binds again, in any way?"""
        if target not in self._known:
            self._known[target] = isinstance(target, ast.Attribute) and self._is_bound(path, target)
        return self._known[target]

    def _is_bound(self, path: str, target: ast.Attribute) -> bool:
        cls = self._project.hierarchy.class_around(path, self._project.scope(path, target))
        return cls is not None and not self._project.for_others and is_of_the_project(self._project, cls) and (
            not self._rebound.is_said(target.attr, cls)) and not self._project.computed(makes_again) and (
            bound_for_good(self._project, cls, target.attr) is target)

    def constant(self, path: str, asked: ast.Attribute) -> ast.Constant | None:
        """What a method finds under a name of its own object, where all that make one hand over the same constant."""
        if asked not in self._found:
            self._found[asked] = self._constant_at(path, asked)
        return self._found[asked]

    def _constant_at(self, path: str, asked: ast.Attribute) -> ast.Constant | None:
        around = next((each for each in self._project.parents(path, asked) if isinstance(each, _FUNCTIONS)), None)
        own = receiver_name(around) if isinstance(around, ast.FunctionDef) and around.name != "__init__" else None
        cls = self._project.hierarchy.class_around(path, around) if around is not None else None
        if own is None or cls is None or not isinstance(asked.value, ast.Name) or asked.value.id != own or (
                not isinstance(around, ast.FunctionDef) or around.decorator_list or _is_bound_again(own, around)) or (
                _is_taken_from_its_class(self._project, around.name)):
            return None
        key = (cls.node, asked.attr)
        if key not in self._constants:
            self._constants[key] = self._find_constant(cls, asked.attr)
        return self._constants[key]

    def handed(self, path: str, asked: ast.expr, cls: ProjectClass) -> dict[str, ast.Constant]:
        """What the object has from its making on that callers hand over for an expression: the same from all of them.

        ``cls``: its class.
        """
        made = makings(self._project, self._rebound, path, asked)
        init = self._project.hierarchy.on_instance(cls, "__init__")
        if made is None or self._rebound.is_patched("__init__") or not isinstance(
                init, ProjectFunction) or not isinstance(init.node, ast.FunctionDef) or any(
                self._rebound.is_assigned(each, cls) for each in ("__init__", "__new__")) or not all(
                self._stays_in_sight(each) for each in made.through) or not all(
                map(self._project.computed(objects_handed).is_named, made.through)) or any(
                of.node is not cls.node or not fits(init.node, call, 1) or unpacks(call)
                for _, call, of in made.calls) or any(
                "__new__" in self._project.names_in(above.path, above.node)
                for above in self._project.mro(cls) if isinstance(above, ProjectClass)):
            return {}
        found: dict[str, ast.Constant] = {}
        for statement in init.node.body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
            taken = statement.value if isinstance(statement, ast.Assign) else None
            parameter = next((each for each in parameters_of(init.node) if isinstance(taken, ast.Name)
                              and each.arg == taken.id and not binds_again(init.node, each)), None)
            if parameter is None or not isinstance(target, ast.Attribute) or not (
                    self.is_bound_for_good(cls.path, target)):
                continue
            given = [argument_for(call, init.node, parameter, 1) or default_of(init.node, parameter)
                     for _, call, _ in made.calls]
            same = _same_constant(given)
            if same is not None:
                found[target.attr] = same
        return found

    def _stays_in_sight(self, function: ProjectFunction) -> bool:
        """Is it no method that somebody who has its object could call as well?"""
        around = self._project.hierarchy.class_around(function.path, function.node)
        return around is None or self._in_sight.asked(around) is not None

    def _find_constant(self, cls: ProjectClass, name: str) -> ast.Constant | None:
        project = self._project
        bound = bound_for_good(project, cls, name)
        if bound is None or not self.is_bound_for_good(cls.path, bound) or project.computed(makes_by_objects) or (
                is_asked_for_by_word(project, cls)):
            return None
        statement, init = project.parent(cls.path, bound), project.hierarchy.on_instance(cls, "__init__")
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(value, ast.Constant):
            return value
        if not isinstance(init, ProjectFunction) or not isinstance(value, ast.Name) or not project.computed(
                objects_handed).is_named(init):
            return None
        parameter = next((each for each in parameters_of(init.node) if each.arg == value.id), None)
        given = handed_over(project, init, parameter) if parameter is not None and not binds_again(
            init.node, parameter) else None
        return _same_constant([each for _, each in given or ()])


def _same_constant(given: Sequence[ast.expr | None]) -> ast.Constant | None:
    """The one constant that all hand over; None: they do not."""
    constants = [each for each in given if isinstance(each, ast.Constant)]
    same = len({(type(each.value), each.value) for each in constants}) == 1 and len(constants) == len(given)
    return constants[0] if same else None


def is_asked_for_by_word(project: Project, cls: ProjectClass) -> bool:
    """May a class, or one below it, be asked for by a string?"""
    graph, mentions = project.computed(CallGraph), project.computed(Mentions)
    names = {each.node.name for each in (cls, *project.hierarchy.subclasses(cls))}
    return any(True for name in names for _ in mentions.asked_for(name)) or any(map(mentions.is_written, names)) or any(
        built.may_be(name) for built in graph.built_names() for name in names)


def makes_by_objects(project: Project) -> bool:
    """May an object be made by the class of another, by the class that a method is handed, or by what a text says?"""
    mentions = project.computed(Mentions)
    return project.for_others or bool(mentions.of(_GIVE_CLASSES)) or any(
        not _tells_of_class(project, path, node)
        for path, node in mentions.of({"__class__", "type", "classmethod"})) or any(
        isinstance(node, ast.Name) or is_one_of(project.resolve(path, None, node), _ARE_RUN)
        for path, node in mentions.of(RUNS_TEXTS) if isinstance(node, ast.expr))


def shares_attributes(project: Project) -> bool:
    """May an object be given the attributes of another, as its own ``__dict__``? What is set on one, both have then."""
    return "__dict__" in project.computed(stores)


def _tells_of_class(project: Project, path: str, node: ast.AST) -> bool:
    """Is a class only compared, or asked for its name? Is it a word of that name on something else?"""
    if isinstance(node, ast.Attribute) and node.attr != "__class__":
        return True  # ``x.type(t)`` of a tensor
    if isinstance(node, ast.Name) and node.id == "classmethod":
        return False
    above = project.parent(path, node)
    asked = above if isinstance(node, ast.Name) and isinstance(above, ast.Call) and above.func is node else node
    if isinstance(node, ast.Name) and (asked is node or project.resolve(path, None, node) != Builtin("type")):
        return project.resolve(path, None, node) != Builtin("type")
    held = project.parent(path, asked)
    if isinstance(held, ast.Call):
        return asked in held.args and is_one_of(project.resolve(path, None, held.func), _ONLY_LOOK)
    return isinstance(held, (ast.Compare, ast.FormattedValue)) or (
        isinstance(held, ast.Attribute) and held.attr in ("__name__", "__module__"))


def makes_again(project: Project) -> bool:
    """Is ``__init__`` asked of an object that is there already, but by the ``__init__`` of a class below?"""
    for path, node in project.computed(Mentions).of({"__init__"}, attributes=True):
        call, around = project.parent(path, node), project.scope(path, node)
        own = receiver_name(around) if isinstance(around, ast.FunctionDef) and around.name == "__init__" else None
        given = call.args[0] if isinstance(call, ast.Call) and call.func is node and call.args else None
        of_above = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and (
            isinstance(node.value.func, ast.Name) and node.value.func.id == "super")
        if own is None or not (of_above or (isinstance(given, ast.Name) and given.id == own)):
            return True
    return False


def bound_for_good(project: Project, cls: ProjectClass, name: str) -> ast.Attribute | None:
    """Where ``__init__`` binds an attribute of all objects of a class, for good; None where that is not so.

    What binds attributes by names in strings is for whoever asks; here no string says this one.
    """
    init = next((each for each in cls.node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    own = receiver_name(init) if init is not None else None
    below = (cls, *project.hierarchy.subclasses(cls))
    family = {above.node: above for each in below for above in project.mro(each) if isinstance(above, ProjectClass)}
    if init is None or own is None or init.decorator_list or project.computed(Mentions).is_written(name) or (
            project.computed(fills_objects)) or any(
            name in project.names_in(each.path, each.node) for each in family.values()) or not _ANSWERS.isdisjoint(
            project.computed(names_of_functions)):
        return None
    inside = {id(node) for node in walk(init)}
    found = project.computed(stores).get(name, ())
    if any(id(node) not in inside and not _is_of_others(project, path, node, family) for path, node in found):
        return None
    binding = [at for at, statement in enumerate(init.body)
               if any(isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
                      for n in walk(statement))]
    last = init.body[binding[-1]] if binding else None
    target = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else None
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name) or target.value.id != own:
        return None
    until = init.body[: binding[-1] + 1]
    if any(isinstance(node, ast.Return) for each in until for node in walk(each)):
        return None
    given = len(binding) > 1 and _is_given_away(project, own, init.body[binding[0] : binding[-1] + 1], family)
    return None if given or _is_bound_again(own, init) else target


def _is_of_others(project: Project, path: str, node: ast.Attribute, family: Container[ast.ClassDef]) -> bool:
    """Is an attribute bound there on an object of another class?"""
    of, around = project.instance(path, node.value), project.scope(path, node)
    return of is not None and of.node not in family and not project.computed(shares_attributes) and not (
        isinstance(around, ast.FunctionDef) and isinstance(node.value, ast.Name)
        and node.value.id == receiver_name(around) and _is_taken_from_its_class(project, around.name))


def _is_taken_from_its_class(project: Project, name: str) -> bool:
    """Is ``Class.method`` asked for by that name, but to run it on the object of a method of a class below?

    Put into another class, or called, it runs on objects of others.
    """
    for path, node in project.computed(Mentions).of({name}, attributes=True):
        asked = project.resolve(path, None, node.value) if isinstance(node, ast.Attribute) else None
        if not isinstance(asked, ProjectClass):
            continue
        call, around = project.parent(path, node), project.scope(path, node)
        given = call.args[0] if isinstance(call, ast.Call) and call.func is node and call.args else None
        own = receiver_name(around) if isinstance(around, ast.FunctionDef) else None
        cls = project.hierarchy.class_around(path, around)
        if own is None or cls is None or not isinstance(given, ast.Name) or given.id != own or (
                asked not in project.mro(cls)):
            return True
    return False


def fills_objects(project: Project) -> bool:
    """Is a parser of the command line handed an object of somebody's to put its options on?"""
    for path, node in project.computed(Mentions).of(_PARSES, attributes=True):
        call = project.parent(path, node)
        if not isinstance(call, ast.Call) or call.func is not node or len(call.args) > 1 or any(
                isinstance(each, ast.Starred) for each in call.args) or any(
                keyword.arg in (None, "namespace", "values") for keyword in call.keywords):
            return True
    return False


def _is_given_away(project: Project, own: str, body: list[ast.stmt], family: Iterable[ast.ClassDef]) -> bool:
    """May anybody ask the object for the attribute while these statements run?"""
    methods = {each.name for cls in family for each in cls.body if isinstance(each, _FUNCTIONS[:2])}
    nodes = [node for statement in body for node in walk(statement)]
    asked = {id(node.value): node for node in nodes if isinstance(node, ast.Attribute)}
    return any(isinstance(node, _FUNCTIONS) or (isinstance(node, ast.Name) and (
        node.id in ("super", "locals", "vars", "eval", "exec") or (
            node.id == own and (id(node) not in asked or asked[id(node)].attr in methods)))) for node in nodes)


def _is_bound_again(own: str, method: ast.FunctionDef) -> bool:
    """Does the name of the object stand for something else somewhere in the function?"""
    return any(isinstance(node, ast.Name) and node.id == own and not isinstance(node.ctx, ast.Load)
               for node in walk(method))
