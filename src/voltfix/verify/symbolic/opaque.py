"""Networks of the project that a run cannot follow, for what they are built of is not at hand: a file of layers, or a
table of settings. A further round of runs takes them for networks that are not in view, as those of any library are.

That holds for what decides no volatility itself: neither the file that a network stands in nor any that it imports
has a flag, and all of them are the same after the change. A network may let go of what it gives (``return x.data``):
both is tried. What differs then is no alarm.
"""

from __future__ import annotations

import ast
import re

from voltfix.verify.symbolic.project import Side
from voltfix.verify.symbolic.work import Item

_FLAG = re.compile(r"\bvolatile\b")


def out_of_sight(item: Item) -> frozenset[str]:
    """The modules of the project whose networks may be taken for unknown ones, by the names that their classes tell."""
    if "out of sight" not in item.before.notes:
        side = item.before
        plain = {path for path in side.trees if _is_plain(item, path)}
        while left := {path for path in plain if not _imported(side, path) <= plain}:
            plain -= left
        names = frozenset(path.removesuffix(".py").replace("/", ".") for path in plain)
        item.before.notes["out of sight"] = names if any(_has_network(side, path) for path in plain) else frozenset()
    found: frozenset[str] = item.before.notes["out of sight"]
    return found


def _is_plain(item: Item, path: str) -> bool:
    text = item.before.texts[path]
    return item.after.texts.get(path) == text and _FLAG.search(text) is None


def _has_network(side: Side, path: str) -> bool:
    return any("forward" in each.methods for each in side.classes.values() if each.path == path)


def _imported(side: Side, path: str) -> set[str]:
    """The files of the project that a module imports."""
    asked: list[tuple[str, int]] = []
    for node in side.inside(side.plain_trees[path]):
        if isinstance(node, ast.Import):
            asked += [(each.name, 0) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            asked += [(node.module or "", node.level)]
            asked += [(f"{node.module or ''}.{each.name}", node.level) for each in node.names]
    found = {side.resolve(path, name, level) for name, level in asked}
    return {each for each in found if each is not None and each != path}
