from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(("index", "surely"), [
    ("'volatile'", True), ("'vol' + 'atile'", False), ("0", False), ("key", False), ("0 if key else 'volatile'", False),
])
def test_a_word_is_asked_of_no_list(index, surely):
    machine = ran(f"""
        def f(x, y, one, key):
            options = [False, False] if one else {{'volatile': True}}
            v = Variable(x, volatile=options[{index}])
            w = Variable(y, requires_grad=True)
            return v * w
    """)
    (fact,) = machine.facts
    assert fact.need.is_true is surely


@pytest.mark.parametrize(("base", "same"), [("dict", True), ("Other", False), ("list", False), ("Other, dict", False)])
def test_what_is_read_of_a_dictionary_of_a_class_of_its_own_is_the_same_twice(base, same):
    machine = ran(f"""
        from outside import Other

        class Options({base}):
            def __missing__(self, key):
                return None

        def f(x, y):
            options = Options()
            v = Variable(x, volatile=options['test'])
            w = Variable(y, requires_grad=True)
            if options['test']:
                return v * w
    """)
    assert needs(machine) == [13]
    assert (forbids(machine) == []) is same


@pytest.mark.parametrize(("compared", "asked"), [("a == b", 0), ("a == t", 4), ("t == a", 4)])
def test_of_two_that_may_each_be_many_things_no_pair_is_a_condition_of_its_own(compared, asked):
    machine = ran(f"""
        def f(x, weight, p, q, r, s, t, u, v, w, one, two, three, four, five, six):
            a = p if one else q if two else r if three else s
            b = t if four else u if five else v if six else w
            y = Variable(x, volatile={compared})
            return y * weight
    """)
    assert len([key for key in machine.atoms if isinstance(key, tuple) and key[0] == "compare"]) == asked
    fact = machine.facts[-1]
    assert not fact.need.is_false  # it may be so or not, and nobody knows when
    assert not fact.forbid.is_false


@pytest.mark.parametrize("other", ["'test'", "'test' if four else 'try' if five else 'dry' if six else 'look'"])
def test_words_that_may_each_be_one_of_many_are_still_compared(other):
    machine = ran(f"""
        def f(x, weight, one, two, three, four, five, six):
            mode = "train" if one else "tune" if two else "fit" if three else "learn"
            other = {other}
            y = Variable(x, volatile=mode == other)
            return y * weight
    """)
    assert needs(machine) == []
