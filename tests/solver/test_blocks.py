from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options, WrapStatements
from voltfix.solver.plan import Decider


def test_a_region_becomes_a_block_and_is_said():
    code = project(main=START + "def f(net, x):\n    y = net(Variable(x, volatile=True))\n    return y.data")
    (change,) = Decider(code, find(code), Options()).plan().changes
    edits = [edit for _, some in change.edits for edit in some]
    assert [edit.header for edit in edits if isinstance(edit, WrapStatements)] == ["torch.no_grad()"]
    assert any("no_grad" in sentence for sentence in change.decisions[0].evidence)
