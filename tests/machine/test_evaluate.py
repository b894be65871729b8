from __future__ import annotations

from alone import forbids, needs, ran


def test_an_operation_on_something_volatile_and_a_weight_needs_a_block():
    machine = ran("""
        def f(x, y):
            v = Variable(x, volatile=True)
            w = Variable(y, requires_grad=True)
            return v * w
    """)
    assert needs(machine) == [5]
    assert forbids(machine) == []


def test_an_index_of_gather_passes_nothing_on():
    machine = ran("""
        def f(x, y):
            i = Variable(x, volatile=True)
            w = Variable(y, requires_grad=True)
            return w.gather(1, i)
    """)
    assert (needs(machine), forbids(machine)) == ([], [5])


def test_a_comparison_of_a_parameter_is_one_question_each_time():
    machine = ran("""
        def f(x, flag):
            a = 1 if flag else 2
            b = 3 if flag else 4
            return a, b
    """)
    assert len([atom for atom, texts in machine.texts.items() if ("flag", False) in texts]) == 1
