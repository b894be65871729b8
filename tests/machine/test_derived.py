from __future__ import annotations

from alone import needs, ran


def test_a_class_that_derives_from_variable_makes_one():
    machine = ran("""
        class Data(Variable):
            pass
        def f(net, x):
            return net(Data(x, volatile=True))
    """)
    assert needs(machine) == [5]
