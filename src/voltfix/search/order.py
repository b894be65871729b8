"""A migration changes grad mode, flags and leaves, never the order in which things happen: that is seen in the text.

Running it may not show it: statements that share a storage, or the weights of a network, in ways that no stand-in has
can change places unnoticed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from voltfix.program.walking import walk
from voltfix.search.scene import suites
from voltfix.verify.plan import Item


def in_order(item: Item) -> bool:
    """Do the statements that both texts have stand in one order?"""
    return all(_agree(text, item.after.get(path, text)) for path, text in item.before.items())


def _agree(old: str, new: str) -> bool:
    if old == new:
        return True
    first, second = list(_statements(ast.parse(old))), list(_statements(ast.parse(new)))
    once = {each for each, count in Counter(first).items() if count == 1}
    once &= {each for each, count in Counter(second).items() if count == 1}
    return [each for each in first if each in once] == [each for each in second if each in once]


def _statements(tree: ast.Module) -> Iterator[str]:
    """Function by function, each statement that holds no others."""
    for scope in walk(tree):
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            name = getattr(scope, "name", "")
            yield from (f"{name}: {ast.dump(each)}" for each in _plain(scope.body))


def _plain(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    for each in suite:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        inner = list(suites(each))
        if not inner:
            yield each
        for part in inner:
            yield from _plain(part)
