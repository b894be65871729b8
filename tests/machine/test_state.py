from __future__ import annotations

import pytest

from alone import ran_with_root
from voltfix.domains.conditions import OutOfBudget
from voltfix.machine.state import Machine
from voltfix.machine.values import Ref


def test_an_update_holds_on_the_path_alone():
    machine = Machine()
    value = machine.new("tensor")
    ref = value[0][1]
    assert isinstance(ref, Ref)
    path = machine.unknown_truth()
    with machine.narrowed(path):
        machine.update(ref, machine.algebra.true, vol=machine.algebra.true)
    assert machine.volatility(value) is path
    assert machine.pc.is_true


def test_an_operation_with_a_volatile_input_needs_a_block_where_something_requires_grad():
    machine = Machine()
    volatile = machine.new("tensor", vol=machine.algebra.true)
    weight = machine.new("tensor", req=machine.algebra.true)
    frame = None
    import ast

    from voltfix.machine.values import Frame

    frame = Frame("a.py", ast.parse(""))
    node = ast.parse("a + b", mode="eval").body
    out = machine.operate(node, frame, [volatile, weight])
    assert machine.volatility(out).is_true
    (fact,) = machine.facts
    assert fact.need.is_true
    assert fact.forbid.is_false


def test_steps_have_a_budget():
    machine = Machine()
    machine.steps = machine.BUDGET
    with pytest.raises(OutOfBudget):
        machine.step()


def test_what_was_recorded_can_be_forgotten():
    machine = Machine()
    known = machine.noted()
    machine.conflicts.append(object())
    machine.forget_since(known)
    assert machine.conflicts == []


def test_what_is_volatile_in_containers_and_objects_is_what_their_leaves_say():
    source = """class Kept:
    def __init__(self, x):
        self.kept = x


def f(a, b, x, y):
    loose, fixed = Variable(x, volatile=a), Variable(y)
    kept = Kept(loose)
    rows = [fixed, {"k": loose}, [kept]]
    if b:
        rows.append(fixed)
    out = rows if b else loose
    return out, kept, fixed
"""
    machine, root = ran_with_root(source)
    frame = next(each for each in machine._alive if each.node is root)
    assert {"loose", "fixed", "kept", "rows", "out"} <= frame.env.keys()
    for name in ("loose", "fixed", "kept", "rows", "out"):
        value = frame.env[name]
        assert machine.volatility(value) is machine.volatility_among(machine.leaves([value]))
    assert not machine.volatility(frame.env["out"]).is_false
    assert machine.volatility(frame.env["fixed"]).is_false


def test_what_is_asked_of_a_thing_is_found_by_the_thing():
    machine = Machine()
    one, other = Ref(1), Ref(2)
    machine.atom(("is a", one, frozenset({"list"})))
    machine.atom((one, "<", other))
    machine.atom(("is a", one, frozenset({"list"})))  # asked again, it is the same question
    machine.atom((one, "is", one))
    machine.atom(("size", (other,)))  # of what stands deeper in a question nobody asks
    machine.atom("flag")
    assert set(machine.asked_of) == {one, other}
    for thing, found in machine.asked_of.items():
        assert set(found) == {n for key, n in machine.atoms.items() if isinstance(key, tuple) and thing in key}
