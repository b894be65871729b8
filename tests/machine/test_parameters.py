from __future__ import annotations

from alone import project, ran
from voltfix.machine.parameters import freezes, writes_flag

FREEZE = """
def f(net, x):
    for p in net.parameters():
        p.volatile = True
    return net(Variable(x))
"""


def test_a_volatile_parameter_makes_what_the_network_gives_volatile():
    machine = ran(FREEZE)
    (write,) = machine.writes
    assert write.kind == "weights"


def test_a_project_that_writes_no_flag_freezes_nothing():
    assert freezes(project(main=FREEZE))
    assert not freezes(project(main="def f(net):\n    return list(net.parameters())"))


def test_a_write_of_the_flag_is_told_from_a_read():
    code = project(main="p.volatile = True\nprint(p.volatile)")
    assert [writes_flag(n) for n in code.nodes("main.py") if getattr(n, "attr", "") == "volatile"] == [True, False]
