"""Leaves that are cured, inputs that carry no gradient, and values of either device: each in several shapes."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

# --- a leaf whose flag is cured --------------------------------------------------------------------------------------

CURED = """
def attack(net, image, label):
    {made}
    part.volatile = False
    part.requires_grad = True
    net(part).sub(label).pow(2).sum().backward()
    return part.grad.data
"""


@pytest.mark.parametrize(("made", "left"), [
    ("part = Variable(image, volatile=True)\n    print(net(part))",
     "part = Variable(image)\n    with torch.no_grad():\n        print(net(part))"),
    ("part = net(Variable(image, volatile=True))",
     "with torch.no_grad():\n        part = net(Variable(image))"),
    ("part = Variable(image, volatile=True)[0]", "part = Variable(image)[0]"),
    ("start = Variable(image, volatile=True)\n    part = start.view(2, 2)\n    print(net(start))",
     "start = Variable(image)\n    part = start.view(2, 2)\n    with torch.no_grad():\n        print(net(start))"),
])  # fmt: skip
def test_what_is_freed_and_is_to_train_requires_grad(made, left):
    before = CURED.format(made=made)
    after = CURED.format(made=left).replace("    part.volatile = False\n", "")
    result = becomes(before, after.replace("part.requires_grad = True", "part.requires_grad_()"))
    assert "requires_grad_" in {site.strategy for site in result.sites}


def test_a_leaf_that_is_optimised_stands_beside_volatile_targets():
    becomes("""
    def transfer(net, content, style):
        goals = [Variable(f.data) for f in net(Variable(style, volatile=True))]
        image = Variable(content, requires_grad=True)
        steps = torch.optim.Adam([image])
        loss = sum((f - g).pow(2).sum() for f, g in zip(net(image), goals))
        loss.backward()
        steps.step()
    """, """
    def transfer(net, content, style):
        with torch.no_grad():
            goals = [Variable(f.data) for f in net(Variable(style))]
        image = Variable(content, requires_grad=True)
        steps = torch.optim.Adam([image])
        loss = sum((f - g).pow(2).sum() for f, g in zip(net(image), goals))
        loss.backward()
        steps.step()
    """)


def test_both_flags_of_one_variable():
    becomes("""
    def run(net, rows, train):
        x = Variable(rows, requires_grad=train, volatile=not train)
        y = net(x)
        if train:
            y.sum().backward()
        return y
    """, """
    def run(net, rows, train):
        x = Variable(rows, requires_grad=train)
        with torch.set_grad_enabled(bool(train)):
            y = net(x)
        if train:
            y.sum().backward()
        return y
    """)


def test_a_parameter_that_is_freed_on_a_condition_is_left_alone():
    stays("""
    def refine(net, h, adapt):
        if adapt:
            h.volatile = False
            h.requires_grad = True
        net(h).sum().backward()
        return h.grad
    """, reason="unseen-callers")


def test_a_weight_that_needs_its_gradient_is_not_frozen():
    stays("""
    def step(body, head, x):
        for p in body.parameters():
            p.volatile = True
        head(body(Variable(x))).sum().backward()
    """, reason="gradient-demanded")


# --- inputs that must not carry gradients into a network that trains -------------------------------------------------


@pytest.mark.parametrize("cure", ["fake = Variable(fake.data)", "fake.volatile = False"])
@pytest.mark.parametrize("made", ["fake = maker(Variable(noise, volatile=True))",
                                  "fake = maker(Variable(noise, volatile=True)).detach()"])
def test_an_input_without_gradients_has_a_block_and_the_network_behind_it_none(made, cure):
    covers(f"""
    def step(maker, judge, noise):
        {made}
        {cure}
        loss = judge(fake).mean()
        loss.backward()
    """, inside=["maker("], outside=["judge(", "backward"])


def test_an_input_that_carries_its_flag_into_what_trains_is_left_alone():
    stays("""
    def step(maker, judge, noise):
        fake = maker(Variable(noise, volatile=True))
        judge(fake).mean().backward()
    """, reason="gradient-demanded")


# --- one way or another ----------------------------------------------------------------------------------------------


def test_a_variable_on_the_way_of_a_device_and_a_plain_tensor_on_the_other():
    becomes("""
    def evaluate(net, x, gpu):
        if gpu:
            x = Variable(x.cuda(), volatile=True)
        else:
            x = Variable(x, volatile=True)
        return net(x).data
    """, """
    def evaluate(net, x, gpu):
        if gpu:
            x = Variable(x.cuda())
        else:
            x = Variable(x)
        with torch.no_grad():
            return net(x).data
    """)


def test_a_plain_tensor_where_nothing_could_be_made_is_not_computed_on():
    becomes("""
    def load(t):
        try:
            v = Variable(t, volatile=True)
        except TypeError:
            v = t
        return v

    def evaluate(net, t):
        return net(load(t)).data
    """, """
    def load(t):
        try:
            v = Variable(t)
        except TypeError:
            v = t
        return v

    def evaluate(net, t):
        with torch.no_grad():
            return net(load(t)).data
    """)


def test_a_condition_that_is_asked_again_by_a_call_is_left_alone():
    stays("""
    def evaluate(net, x, y, use):
        if use():
            x = Variable(x, volatile=True)
        out = net(x, y)
        if y is not None:
            out.sum().backward()
        return out
    """, reason="condition-not-repeatable")


# --- who calls is known ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("made", "used"), [
    ("def wrap(t):\n        return Variable(t, volatile=True)", "[net(x).data for x in map(wrap, ts)]"),
    ("wrap = lambda t: Variable(t, volatile=True)", "[net(x).data for x in map(wrap, ts)]"),
    ("def wrap(t):\n        return Variable(t, volatile=True)", "net(torch.cat(list(map(wrap, ts)), 0)).data"),
])  # fmt: skip
def test_what_map_calls_gets_its_block_where_map_is_called(made, used):
    covers(f"""
    {made}

    def evaluate(net, ts):
        return {used}
    """, inside=[used], outside=[])


def test_a_generator_that_nobody_goes_through_is_left_alone():
    stays("""
    def rows(ts):
        for t in ts:
            yield Variable(t, volatile=True)
    """, reason="unseen-callers")
