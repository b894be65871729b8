"""Code that is not in view: criteria that the program hands volatile targets, and the built-ins of Python 2."""

from __future__ import annotations

import pytest
from solving import becomes, covers, files_become, stays

LOOP = """
from losses import {name}

criterion = {name}(21)


def train(net, optimizer, loader):
    for images, truth in loader:
        {target}
        loss = criterion(net(Variable(images)), {given})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("target", "given"), [
    ("boxes = Variable(truth{flag})", "boxes"),
    ("boxes = [Variable(each{flag}) for each in truth]", "boxes"),
    ("a, b = Variable(truth[0]{flag}), Variable(truth[1]{flag})", "a, b"),
])
def test_a_criterion_that_is_not_in_view_takes_volatile_targets_in_every_round_of_a_loop(target, given):
    flagged = LOOP.format(name="BoxLoss", target=target.format(flag=", volatile=True"), given=given)
    becomes(flagged, LOOP.format(name="BoxLoss", target=target.format(flag=""), given=given))


def test_two_losses_of_one_step_may_both_rest_on_criteria_that_are_not_in_view():
    body = """
    from losses import first, second


    def step(net, x, truth, optimizer):
        truth = Variable(truth{flag})
        out = net(Variable(x))
        first(out, truth).backward(retain_graph=True)
        (first(out, truth) + second(out, truth)).backward()
        optimizer.step()
    """
    becomes(body.format(flag=", volatile=True"), body.format(flag=""))


def test_a_loss_written_out_by_hand_of_a_volatile_target_raised_in_every_round():
    stays("""
    def train(net, loader, optimizer):
        for x, truth in loader:
            truth = Variable(truth, volatile=True)
            loss = ((net(Variable(x)) - truth) ** 2).sum()
            loss.backward()
    """, reason="gradient-demanded")


def test_a_criterion_that_is_not_in_view_mends_nothing_where_the_network_s_own_input_is_volatile():
    stays("""
    from losses import criterion


    def train(net, loader):
        for x, truth in loader:
            x = Variable(x, volatile=True)
            loss = criterion(net(x), Variable(truth))
            loss.backward()
            ((net(x) - 1) ** 2).sum().backward()
    """, reason="gradient-demanded")


# --- built-ins of Python 2 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loop", ["for j in xrange(0, len(batches), 4):", "for j in xrange(long(count)):"])
def test_a_loop_over_a_range_of_python_2_computes_nothing(loop):
    covers(f"""
    def decode(net, batches, count):
        found = []
        {loop}
            out = net(Variable(batches[j], volatile=True))
            found.append(out.data)
        return found
    """, inside=["net("], outside=["found = []"])


def test_what_python_2_asks_and_writes_may_stand_in_a_block():
    covers("""
    def show(net, words, path):
        x = Variable(words, volatile=True)
        first = net(x)
        name = unicode(raw_input("name? "))
        log = file(path, "a")
        log.write(name)
        second = net(x)
        return first.data, second.data
    """, inside=["first =", "second ="], outside=["x ="])


def test_a_range_of_the_project_s_own_is_what_it_says():
    files = {
        "ranges.py": """
        def xrange(net, count):
            for number in range(count):
                loss = net.penalty().sum()
                loss.backward()
                yield number
        """,
        "run.py": """
        from ranges import xrange


        def run(net, xs):
            for number in xrange(net, 4):
                x = Variable(xs[number], volatile=True)
                show(net(x).data)
        """,
    }
    after = files["run.py"].replace(", volatile=True", "").replace("net(x)", "torch.no_grad()(net)(x)")
    files_become(files, {"run.py": after})


def test_a_name_of_python_2_that_a_star_import_of_unseen_code_may_bring_stays_unknown():
    covers("""
    from helpers import *


    def run(net, xs, weights):
        for number in xrange(weights):
            x = Variable(xs[number], volatile=True)
            print(net(x).data)
    """, inside=["net("], outside=["in xrange", "x ="])


@pytest.mark.parametrize("name", ["reduce", "apply"])
def test_a_built_in_that_runs_what_it_is_handed_stays_unknown(name):
    covers(f"""
    def run(net, x, parts):
        x = Variable(x, volatile=True)
        out = net(x).data
        loss = {name}(net, parts)
        loss.sum().backward()
        return out
    """, inside=["out ="], outside=["loss ="])
