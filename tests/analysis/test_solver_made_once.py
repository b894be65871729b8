"""None until it is made: a fixed input that the first round makes, carried round a loop and through calls."""

from __future__ import annotations

import pytest
from solving import covers, stays

EPOCH = """
import torch.nn as nn


net, other = nn.Linear(4, 4), nn.Linear(4, 4)
noise = Variable(torch.zeros(4))


def epoch(state):
    count, fixed = state
    for batch in loader:
        loss = other(net(noise)).sum()
        loss.backward()
        optimizer.step()
        {make}
        count += 1
        if count % options.show == 0:
            {look}
    return {result}


fixed = None
state = (0, fixed)
for number in range(options.epochs):
    state = epoch(state)
"""
MAKE = """if fixed is None:
            fixed = Variable(noise.clone().data, volatile=True)"""
LOOK = """picture = net(fixed)
            again = other(picture)
            save(picture.data, again.data)"""


@pytest.mark.parametrize("make", [
    MAKE, MAKE.replace("is None", "== None"), MAKE.replace("noise.clone().data", "torch.randn(4)"),
    MAKE.replace("if fixed is None:\n            fixed", "fixed"),
])
def test_what_is_none_until_it_is_made_is_what_was_made(make):
    covers(EPOCH.format(make=make, look=LOOK, result="count, fixed"), inside=["picture =", "again ="],
           outside=["loss =", "loss.backward", "state = epoch", "save("])


def test_what_is_carried_in_two_names_is_covered_by_one_block():
    make = MAKE + "\n            second = Variable(torch.randn(4), volatile=True)"
    body = EPOCH.replace("count, fixed = state", "count, fixed, second = state")
    body = body.replace("(0, fixed)", "(0, fixed, None)")
    look = LOOK.replace("other(picture)", "other(second)")
    result = covers(body.format(make=make, look=look, result="count, fixed, second"), inside=["picture =", "again ="],
                    outside=["loss =", "save("])
    assert result.outputs["a.py"].decode().count("no_grad") == 1


@pytest.mark.parametrize(("look", "result"), [
    # whoever is given the picture may send its graph backward
    ("picture = net(fixed)", "picture, fixed"),
    ("seen.picture = net(fixed)", "count, fixed"),
])
def test_what_the_function_hands_out_takes_no_block_for_want_of_its_callers(look, result):
    make = MAKE.replace("Variable(noise.clone().data, volatile=True)", "start(noise)")
    body = """
def start(data):
    if options.train:
        return Variable(data.data)
    return Variable(data.data, volatile=True)
""" + EPOCH
    stays(body.format(make=make, look=look, result=result), reason="condition-not-repeatable")


def test_a_condition_that_callers_do_not_ask_away_stays():
    covers("""
    def show(net, x, quick):
        x = Variable(x, volatile=quick)
        picture = net(x)
        print(picture.data)


    def main(net, x):
        show(net, x, True)
        show(net, x, False)
    """, inside=["picture ="], outside=["x = Variable"])
