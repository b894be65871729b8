"""Classes of the project that say themselves what an item of their objects is, and may compute it when it is asked for.

Where there is none that items can be put into, what takes a dictionary for an item is a container, and a look into it
computes nothing. A tensor takes none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Binding, Builtin, External, ProjectClass
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_NUMBERS = frozenset({"int", "len", "str", "isinstance", "range"})
_ITEMS = ("__getitem__", "__setitem__", "__missing__")
_ENTRIES = frozenset({"items", "values", "keys", "iteritems", "itervalues", "iterkeys"})
_GONE_OVER = frozenset({"__getitem__", "__iter__"})


def computes_items(project: Project, rebound: Rebound) -> bool:
    """Does a class of the project have a say in what comes out where something was put in under a key?"""
    return any(rebound.is_assigned(name) for name in _ITEMS) or any(_has_say(project, cls) for cls in project.classes())


def computes_with_keys(project: Project, rebound: Rebound) -> bool:
    """May a class of the project compute with the key that an item of its object is asked for under?

    One that looks up what lies under it, or at another place that it tells, does not.
    """
    return rebound.is_assigned(_ITEMS[0]) or any(
        _ITEMS[0] in project.names_in(cls.path, cls.node) and not _only_looks(cls.node) for cls in project.classes())


def of_dictionaries(project: Project, rebound: Rebound) -> frozenset[str]:
    """The names under which dictionaries alone give out what is in them: no class of the project has them.

    A class of a library may ask the project's own methods for it (``collections.abc.Mapping``).
    """
    own: set[str] = set()
    for cls in project.classes():
        order = project.mro(cls)
        names = {name for above in order if isinstance(above, ProjectClass)
                 for name in project.names_in(above.path, above.node)}
        if not names.isdisjoint(_GONE_OVER) and any(map(_may_ask, order)):
            return frozenset()
        own |= names
    return frozenset(name for name in _ENTRIES - own if not rebound.is_set(name))


def _may_ask(above: Binding) -> bool:
    """May a class in the order of another ask its objects for their items, where these are asked for entries?"""
    return not isinstance(above, (ProjectClass, Builtin)) and not (
        isinstance(above, External) and above.name.startswith("torch"))


def _only_looks(cls: ast.ClassDef) -> bool:
    """Does the key tell places alone: in ``[...]``, in a comparison, as a number?"""
    methods = [node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == _ITEMS[0]]
    method = methods[0] if len(methods) == 1 else None
    given = parameters_of(method) if method is not None else []
    if method is None or len(given) != 2 or method.decorator_list:
        return False
    places = {inner for node in walk(method) for part in _tells(node) for inner in walk(part)}
    return all(node in places for node in walk(method) if isinstance(node, ast.Name) and node.id == given[1].arg)


def _tells(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NUMBERS
    return list(node.args) if named else []  # type: ignore[attr-defined]


def _has_say(project: Project, cls: ProjectClass) -> bool:
    own = project.names_in(cls.path, cls.node).intersection(_ITEMS)
    return bool(own) and (own != {"__getitem__"} or any(_may_take_items(project, above) for above in project.mro(cls)))


def _may_take_items(project: Project, above: Binding) -> bool:
    """May objects of a class in the order of another have items put into them?"""
    if isinstance(above, ProjectClass):
        return not project.names_in(above.path, above.node).isdisjoint(_ITEMS[1:])
    return above != Builtin("object") and not (isinstance(above, External) and above.name.startswith("torch."))
