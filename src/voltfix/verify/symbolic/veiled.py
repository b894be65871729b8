"""Definitions of the project that reach for the interpreter's insides (``__getattribute__``, ``__func__``): no run
enters them. Where every way ends there, a further round of runs takes such a class or function for one that is not in
view, as it does what any library has.

That holds for what decides no volatility itself: the file is the same after the change, and the definition neither has
a flag nor names what has one or changed. What differs then is no alarm.
"""

from __future__ import annotations

import ast
import re

from voltfix.verify.symbolic.project import Side
from voltfix.verify.symbolic.rewrite import may_wait, reaches_inside
from voltfix.verify.symbolic.walking import last_word
from voltfix.verify.symbolic.work import Item

_FLAG = re.compile(r"\bvolatile\b")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def veiled(item: Item) -> frozenset[tuple[str, str]]:
    """The definitions, by path and name, that may be taken for unknown ones."""
    if "veiled" not in item.before.notes:
        found = {
            (path, node.name)
            for path, tree in item.before.plain_trees.items()
            if item.after.texts.get(path) == (text := item.before.texts[path]) and not may_wait(text)
            for node in tree.body
            if isinstance(node, _SCOPES) and reaches_inside(node)
        }
        deciding = _deciding(item) if found else set()
        item.before.notes["veiled"] = frozenset(
            (path, name) for path, name in found if deciding.isdisjoint(_said(item.before, path, name)))
    known: frozenset[tuple[str, str]] = item.before.notes["veiled"]
    return known


def _deciding(item: Item) -> set[str]:
    """The names of the functions and classes that have a flag on either side, or are another text after. Of what is
    called without its name (``__init__``) its class has it, too."""
    found, texts = {"volatile"}, dict[str, list[set[str]]]()
    for number, side in enumerate((item.before, item.after)):
        for path, tree in side.plain_trees.items():
            changed = item.after.texts.get(path) != item.before.texts.get(path)
            if not changed and not _FLAG.search(side.texts[path]):
                continue
            for node in (each for each in side.inside(tree) if isinstance(each, _SCOPES)):
                if "volatile" in _words(side.inside(node)):
                    found.add(node.name)
                elif changed:
                    texts.setdefault(node.name, [set(), set()])[number].add(ast.dump(node))
    found |= {name for name, (old, new) in texts.items() if old != new}
    return {name for name in found if not name.startswith("__")}


def _said(side: Side, path: str, name: str) -> set[str]:
    """What a definition names, and itself."""
    nodes = [node for node in side.plain_trees[path].body if isinstance(node, _SCOPES) and node.name == name]
    return {word for node in nodes for word in _words(side.inside(node))} | {name}


def _words(nodes: list[ast.AST]) -> set[str]:
    found = {last_word(each) for each in nodes if isinstance(each, (ast.Name, ast.Attribute))}
    found |= {each.arg for each in nodes if isinstance(each, (ast.arg, ast.keyword)) and each.arg is not None}
    return found | {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)}
