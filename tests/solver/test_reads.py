from __future__ import annotations

import ast

from voltfix.solver.reads import guarded


def test_a_guard_around_what_0_3_refused_is_named_by_its_receiver():
    tree = ast.parse("if not x.volatile:\n    x.register_hook(f)\n")
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    read = next(node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "volatile")
    assert guarded(read, parents.get) == "x"
    other = ast.parse("if x.volatile:\n    y.run()\n")
    ways = {child: node for node in ast.walk(other) for child in ast.iter_child_nodes(node)}
    read = next(node for node in ast.walk(other) if isinstance(node, ast.Attribute) and node.attr == "volatile")
    assert guarded(read, ways.get) is None
