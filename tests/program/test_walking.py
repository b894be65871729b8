from __future__ import annotations

import ast

from voltfix.program.walking import children, of_node, walk

TREE = ast.parse("def f(a):\n    return a + g(1)")


def test_a_walk_meets_every_node_but_operators_and_contexts():
    idle = (ast.operator, ast.expr_context)
    assert {n for n in ast.walk(TREE) if not isinstance(n, idle)} == set(walk(TREE))


def test_children_are_those_of_ast():
    assert children(TREE) == list(ast.iter_child_nodes(TREE))


def test_what_was_found_of_a_node_is_kept():
    asked = []
    find = of_node(lambda node: asked.append(node) or len(asked))
    assert (find(TREE), find(TREE), len(asked)) == (1, 1, 1)
