from __future__ import annotations

from alone import node, project
from voltfix.flags.leaves import trained_at


def trained(text: str):
    code = project(main=text)
    return trained_at(code, "main.py", node(code, "x.volatile"))


def test_a_leaf_is_cured_to_be_trained_beside_it():
    assert trained("x.volatile = False\nx.requires_grad = True") is not None


def test_a_leaf_that_is_only_cured_is_not():
    assert trained("x.volatile = False\ny.requires_grad = True") is None
