"""Gradients asked of what is volatile on every path that comes there say that something is not what it looks like.

Where only some of the values are, that the program ran says which of them came there (``test_solver_blocks``).
"""

from __future__ import annotations

import pytest
from solving import becomes, source, stays

from helpers import migrated

DEMANDED = "gradient-demanded"


def test_two_arms_that_each_call_the_network_make_a_loss_that_is_volatile_either_way():
    stays("""
    def fit(net, batches, optimizer, checked=True):
        for a, b in batches:
            a = Variable(a, volatile=True)
            b = Variable(b, volatile=True)
            if not checked:
                losses = net(a, b, checked=False)
            else:
                losses, others = net(a, b, checked=True)
            total = losses[0].mean()
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
    """, reason=DEMANDED)


def test_arms_that_all_ask_for_gradients_of_what_is_volatile_are_no_evidence_against_each_other():
    stays("""
    def fit(net, a, checked):
        a = Variable(a, volatile=True)
        if checked:
            net(a, 1).backward()
        else:
            net(a).backward()
    """, reason=DEMANDED)


@pytest.mark.parametrize("asked", ["cost.backward()", "cost.backward(ones(2).cuda())", "torch.autograd.backward(cost)",
                                   "torch.autograd.grad(cost, net.parameters())"])
@pytest.mark.parametrize("cost", ["net(a, 1)", "torch.nn.functional.mse_loss(net(a), Variable(b))"])
def test_a_network_may_cure_what_it_is_given_where_a_switch_decides_whether_it_is_trained(cost, asked):
    result = stays(f"""
    def fit(net, a, b, training, ones):
        a = Variable(a, volatile=True)
        cost = {cost}
        if training:
            {asked}
        return cost.data
    """, reason=DEMANDED)
    assert "of what unknown code returns" in result.sites[0].message


def test_what_torch_alone_computed_of_a_volatile_value_was_volatile():
    result = stays("""
    def fit(a, w, training):
        cost = (Variable(a, volatile=True) * w).sum()
        if training:
            cost.backward()
    """, reason=DEMANDED)
    assert result.sites[0].message.endswith("PyTorch 0.3 raised there")


def test_a_loss_that_is_made_and_asked_for_under_one_switch_is_no_evidence_against_the_switch():
    stays("""
    def fit(net, a, again, checked):
        a = Variable(a, volatile=True)
        if again:
            if checked:
                cost = net(a, 1)
            else:
                cost, _ = net(a)
            cost.backward()
    """, reason=DEMANDED)


def test_where_one_of_two_values_is_volatile_the_other_is_the_one_that_is_trained():
    becomes("""
    def fit(net, data, checking, training, ones):
        if checking:
            y = net(Variable(data, volatile=True))
        else:
            y = net(Variable(data))[0]
        if training:
            y.backward(ones(2).cuda())
        return y
    """, """
    def fit(net, data, checking, training, ones):
        if checking:
            with torch.no_grad():
                y = net(Variable(data))
        else:
            y = net(Variable(data))[0]
        if training:
            y.backward(ones(2).cuda())
        return y
    """)


def test_a_flag_of_another_name_than_the_switch_that_trains_is_evidence_that_both_are_never_on():
    becomes("""
    def fit(net, data, checking, training):
        y = net(Variable(data, volatile=checking))
        if training:
            y.backward()
        return y
    """, """
    def fit(net, data, checking, training):
        with torch.set_grad_enabled(not checking):
            y = net(Variable(data))
        if training:
            y.backward()
        return y
    """)


GIVEN = """
    def rows(inputs, labels=None):
        known = labels is not None
        for i in range(4):
            if known:
                yield Variable(inputs[i], volatile=not known), Variable(labels[i], volatile=not known)
            else:
                yield Variable(inputs[i], volatile=not known)


    def fit(net, inputs, labels, optimizer):
        for x, y in rows(inputs, labels):
            cost = torch.nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            cost.backward()
            optimizer.step()


    def told(net, inputs):
        found = []
        for x in rows(inputs):
            found.append(net(x).data)
        return found
"""


def test_rounds_of_which_only_one_can_be_are_alternatives_and_the_one_that_trains_says_which():
    becomes(GIVEN, GIVEN.replace(", volatile=not known", "").replace("""
        for x in rows(inputs):
            found.append(net(x).data)
""", """
        with torch.no_grad():
            for x in rows(inputs):
                found.append(net(x).data)
"""))


def test_where_both_arms_make_what_is_volatile_no_round_is_evidence():
    assert not migrated(source(GIVEN.replace("volatile=not known", "volatile=True"))).outputs


@pytest.mark.parametrize("given", [
    "yield Variable(a, volatile=True)\n        yield Variable(b)",
    "yield Variable(a)\n        yield Variable(b, volatile=True)",
    "yield Variable(b)\n        if b:\n            yield Variable(a, volatile=True)",
    "if b:\n            yield Variable(a, volatile=True)",
])
def test_rounds_that_come_one_after_the_other_are_no_alternatives(given):
    stays(f"""
    def each(a, b):
        {given}


    def fit(net, a, b):
        for x in each(a, b):
            net(x).sum().backward()


    fit(torch.nn.Linear(2, 2), [1], [2])
    """, reason=DEMANDED)


def test_a_round_that_trains_elsewhere_is_no_evidence_for_a_line_that_only_another_comes_to():
    stays("""
    def each(a, off):
        if off:
            yield 1, Variable(a, volatile=True)
        else:
            yield 0, Variable(a)


    def fit(net, a, off):
        for kind, x in each(a, off):
            if kind:
                net(x).sum().backward()
            else:
                net(x).mean().backward()
    """, reason=DEMANDED)
