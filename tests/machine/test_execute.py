from __future__ import annotations

from alone import forbids, needs, ran


def test_both_arms_of_an_if_are_followed_and_told_apart():
    machine = ran("""
        def f(net, x, train):
            if train:
                v = Variable(x)
            else:
                v = Variable(x, volatile=True)
            return net(v)
    """)
    assert needs(machine) == forbids(machine) == [7]
    (fact,) = [fact for fact in machine.facts if not fact.need.is_false]
    assert fact.need.excludes(fact.forbid)


def test_what_stands_behind_a_return_is_not_run():
    assert needs(ran("def f(net, x):\n    return 1\n    return net(Variable(x, volatile=True))")) == []


def test_an_existing_no_grad_needs_no_other():
    machine = ran("""
        def f(net, x):
            with torch.no_grad():
                return net(Variable(x, volatile=True))
    """)
    assert needs(machine) == []


def test_a_name_that_a_loop_lets_go_of_after_it_was_asked_for_none_is_no_end_of_it():
    machine = ran("""
        def f(net, x):
            y = None
            if y is None:
                while len(x):
                    for _ in []:
                        y = x
            net(Variable(x, volatile=True))
    """)
    assert needs(machine) == [8]
