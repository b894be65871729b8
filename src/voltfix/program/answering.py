"""What calling an object runs: its own ``__call__`` and ``forward``, and no method of any other name.

So a network that a function is handed cannot be what calls a method of something else: it may only do so in its body,
where that call stands.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Binding, Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.calls import is_property
from voltfix.program.hooks import registers_hooks
from voltfix.program.receivers import Given, given

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

ANSWERS = ("__call__", "forward")


def only_itself(project: Project, rebound: Rebound, path: str, called: ast.expr) -> Given | None:
    """The classes of the objects that are called, where each runs its own body alone; None: it may be anything.

    That holds where the functions in ``through`` are called by their names alone.
    """
    if registers_hooks(project):
        return None
    if any(rebound.is_assigned(name) or rebound.is_patched(name) for name in ANSWERS):
        return None
    found = given(project, rebound, path, called) if isinstance(called, (ast.Name, ast.Attribute)) else None
    return found if found is not None and all(_runs_its_body(project, cls) for cls in found.classes) else None


def _runs_its_body(project: Project, cls: ProjectClass) -> bool:
    """Does an object of a class, or of one below it, come to nothing but methods in sight and torch's calls of them?"""
    family = (cls, *project.hierarchy.subclasses(cls))
    bodies = [project.method(each, name) for each in family for name in ANSWERS]
    return all(_is_plain(above) for each in family for above in project.mro(each)) and all(
        body is None or (isinstance(body, ProjectFunction) and not is_property(body.node)) for body in bodies)


def _is_plain(above: Binding) -> bool:
    if isinstance(above, ProjectClass):
        return not above.node.decorator_list and not above.node.keywords
    return above == Builtin("object") or (isinstance(above, External) and above.name.startswith("torch.nn."))
