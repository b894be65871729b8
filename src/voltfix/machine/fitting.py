"""Slips of the author's at which Python raises: arguments that no parameter takes, methods that no container has.

Whoever runs the code mends it, and computes with what was handed over there. So it counts as taken by code that nobody
has seen, and what stands behind it is analysed: that nobody comes there today is no reason to take a flag away.
"""

from __future__ import annotations

import ast
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence

from voltfix.machine.values import Value
from voltfix.program.scopes import Function
from voltfix.program.walking import of_node, walk


def unplaced(node: Function, args: Sequence[Value], kwargs: Mapping[str, Value], stars: Collection[str]) -> list[Value]:
    """Arguments that go to no parameter, or to one that has another already.

    ``stars`` are the keys of what stars hand over: that may be of any length, so that a call with one of them fits.
    """
    if not kwargs.keys().isdisjoint(stars):
        return []
    takes, places = node.args, [a.arg for a in [*node.args.posonlyargs, *node.args.args]]
    words = {a.arg for a in [*takes.args, *takes.kwonlyargs]}
    filled = set(places[:len(args)])
    beyond = args[len(places):] if takes.vararg is None else ()
    return [*beyond, *(value for word, value in kwargs.items() if (
        word in filled if word in words else takes.kwarg is None))]


def is_of_container(name: str) -> bool:
    """Is it an attribute of a list, a tuple, a set or a dictionary, or of what the analysis takes for one of them?"""
    return any(hasattr(kind, name) for kind in _CONTAINERS)


_CONTAINERS = (list, tuple, set, frozenset, deque, dict, OrderedDict, defaultdict, Counter, types.GeneratorType)


@of_node
def leaves_early(node: ast.AST) -> bool:
    """May a statement end its function, or a round of the loop around it, otherwise than by raising?"""
    return any(isinstance(n, (ast.Return, ast.Break, ast.Continue)) for n in walk(node))
