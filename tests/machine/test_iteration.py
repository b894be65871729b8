from __future__ import annotations

from alone import needs, ran


def test_what_an_iterable_of_the_project_yields_is_followed():
    machine = ran("""
        class Batches:
            def __init__(self, xs):
                self.xs = xs
            def __iter__(self):
                for x in self.xs:
                    yield Variable(x, volatile=True)
        def f(net, xs):
            for v in Batches(xs):
                net(v)
    """)
    assert needs(machine) == [10]
