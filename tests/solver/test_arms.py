from __future__ import annotations

import ast

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import DropArgument, Options, ReplaceStatement, Span
from voltfix.solver import arms
from voltfix.solver.plan import Decider

TEXT = START + """
def f(net, x, fast):
    if fast:
        x = Variable(x)
    else:
        x = Variable(x{flag}, volatile=True)
    return net(x).data
"""


def edits_of(flag: str = "") -> list[object]:
    code = project(main=TEXT.format(flag=flag))
    (change,) = Decider(code, find(code), Options()).plan().changes
    return [edit for _, some in change.edits for edit in some]


def test_one_arm_is_left_of_two_that_are_the_same():
    (found,) = [edit for edit in edits_of() if isinstance(edit, ReplaceStatement)]
    assert found.text == "x = Variable(x)"
    assert not any(isinstance(edit, DropArgument) for edit in edits_of())


def test_arms_that_differ_lose_their_flag_alone():
    assert not any(isinstance(edit, ReplaceStatement) for edit in edits_of(".cuda()"))


def test_the_shape_of_a_tree_knows_what_goes_and_not_where_it_stands():
    one, two = ast.parse("f(a, b=1)"), ast.parse("\n\nf( a )")
    call = one.body[0].value
    assert arms.shape(one.body, {id(call.keywords[0])}) == arms.shape(two.body, set())
    assert arms.shape(one.body, set()) != arms.shape(two.body, set())


def test_what_stands_around_a_choice_is_not_within_it():
    span = Span(10, 20)
    assert arms.within(DropArgument(Span(12, 18), Span(13, 14)), span)
    assert not arms.within(DropArgument(Span(8, 18), Span(13, 14)), span)
    assert not arms.within(ReplaceStatement(span, "x"), span)
