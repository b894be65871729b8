"""Methods of one name that stand in for each other: of classes above and below, and of two above a third."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.program.mentions import stores

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_TO_BE_OVERRIDDEN = External("abc.abstractmethod")  # the function itself, with a mark on it


def relatives(project: Project, method: ProjectFunction) -> tuple[ProjectFunction, ...] | None:
    """The other methods that a call of ``method`` may run, over several steps; none where it is no method.

    What makes an object is asked for by its class alone, and by ``super()``. None where one of them is no plain
    ``def``, or where something else is put under that name.
    """
    cls = project.hierarchy.class_around(method.path, method.node)
    name = method.qualname.rsplit(".", 1)[-1]
    classes = [] if cls is None or name == "__init__" else _sharing(project, cls, name)
    if len(classes) < 2:
        return ()
    found = [_plain(project, each, name) for each in classes]
    if name in project.computed(stores) or None in found:
        return None
    return tuple(each for each in found if each is not None and each.node is not method.node)


def _sharing(project: Project, cls: ProjectClass, name: str) -> list[ProjectClass]:
    """``cls``, and the classes that define ``name`` and have objects in common with one that is found already."""
    found, waiting = {cls.node: cls}, [cls]
    while waiting:
        each = waiting.pop()
        below = project.hierarchy.subclasses(each)
        for near in (*project.mro(each), *below, *(above for one in below for above in project.mro(one))):
            if isinstance(near, ProjectClass) and near.node not in found and (
                    project.definitions(near.path, near.node, name)):
                found[near.node] = near
                waiting.append(near)
    return list(found.values())


def _plain(project: Project, cls: ProjectClass, name: str) -> ProjectFunction | None:
    """The method of that name, where the class binds it once, to a function that nothing decorates."""
    bound = project.definitions(cls.path, cls.node, name)
    node = bound[0].node if len(bound) == 1 else None
    if not isinstance(node, ast.FunctionDef) or node not in cls.node.body or any(
            project.resolve(cls.path, None, each) != _TO_BE_OVERRIDDEN for each in node.decorator_list):
        return None
    return project.function(cls.path, node)
