from __future__ import annotations

from alone import needs, ran


def test_a_partial_runs_its_function():
    machine = ran("""
        import functools
        def f(net, x):
            make = functools.partial(Variable, volatile=True)
            return net(make(x))
    """)
    assert needs(machine) == [5]


def test_a_copy_is_another_object_with_the_same_flags():
    machine = ran("""
        import copy
        def f(net, x):
            return net(copy.deepcopy(Variable(x, volatile=True)))
    """)
    assert needs(machine) == [4]


def test_fields_of_a_namedtuple():
    machine = ran("""
        import collections
        Pair = collections.namedtuple('Pair', 'a b')
        def f(net, x):
            p = Pair(Variable(x, volatile=True), 1)
            net(p.b)
            return net(p.a)
    """)
    assert needs(machine) == [7]
