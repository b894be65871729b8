"""Classes of the project that say themselves what an item of their objects is, and may compute it when it is asked for.

Where there is none that items can be put into, what takes a dictionary for an item is a container, and a look into it
computes nothing. A tensor takes none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltfix.program.bindings import Binding, Builtin, External, ProjectClass

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_ITEMS = ("__getitem__", "__setitem__", "__missing__")


def computes_items(project: Project, rebound: Rebound) -> bool:
    """Does a class of the project have a say in what comes out where something was put in under a key?"""
    return any(rebound.is_assigned(name) for name in _ITEMS) or any(_has_say(project, cls) for cls in project.classes())


def _has_say(project: Project, cls: ProjectClass) -> bool:
    own = project.names_in(cls.path, cls.node).intersection(_ITEMS)
    return bool(own) and (own != {"__getitem__"} or any(_may_take_items(project, above) for above in project.mro(cls)))


def _may_take_items(project: Project, above: Binding) -> bool:
    """May objects of a class in the order of another have items put into them?"""
    if isinstance(above, ProjectClass):
        return not project.names_in(above.path, above.node).isdisjoint(_ITEMS[1:])
    return above != Builtin("object") and not (isinstance(above, External) and above.name.startswith("torch."))
