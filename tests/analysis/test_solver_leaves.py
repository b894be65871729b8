"""Writes of ``.volatile`` on results that nothing makes volatile: PyTorch 0.3 let the flag be set on leaves alone."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, stays

from helpers import check_noop, migrated

STEP = """
def step(critic, target, batch):
    state, after = Variable(batch.state), Variable(batch.after)
    {value}
    {write}
    loss = ((critic(state) - wanted) ** 2).mean()
    loss.backward()
"""


@pytest.mark.parametrize("value", [
    "wanted = target(after)",
    "wanted = target([after, state]).squeeze(1)",
    "wanted = 0.99 * target(after)",
])
def test_a_target_that_the_author_frees_of_a_flag_it_never_had_is_detached(value):
    result = becomes(STEP.format(value=value, write="wanted.volatile = False"),
                     STEP.format(value=value, write="wanted = wanted.detach()"))
    assert [(site.strategy, site.code) for site in result.sites] == [("detach", "VF104")]
    assert all(site.evidence for site in result.sites)


def test_a_target_that_a_block_made_is_detached_by_the_block():
    result = becomes("""
    def step(critic, target, batch):
        state = Variable(batch.state)
        wanted = target(Variable(batch.after, volatile=True))
        wanted.volatile = False
        loss = ((critic(state) - wanted) ** 2).mean()
        loss.backward()
    """, """
    def step(critic, target, batch):
        state = Variable(batch.state)
        with torch.no_grad():
            wanted = target(Variable(batch.after))
        loss = ((critic(state) - wanted) ** 2).mean()
        loss.backward()
    """)
    assert {site.strategy for site in result.sites} == {"no_grad", "drop"}


def test_the_caller_s_flag_counts_where_the_function_itself_sees_none():
    becomes("""
    def _value(target, state):
        wanted = target(state + 0)
        wanted.volatile = False
        return wanted

    def step(critic, target, batch):
        wanted = _value(target, Variable(batch.after, volatile=True))
        loss = ((critic(Variable(batch.state)) - wanted) ** 2).mean()
        loss.backward()
    """, """
    def _value(target, state):
        wanted = target(state + 0)
        return wanted

    def step(critic, target, batch):
        with torch.no_grad():
            wanted = _value(target, Variable(batch.after))
        loss = ((critic(Variable(batch.state)) - wanted) ** 2).mean()
        loss.backward()
    """)


def test_a_leaf_that_is_to_train_keeps_its_gradient():
    becomes("""
    def start(size, net):
        w = Variable(torch.zeros(size), requires_grad=True)
        w.volatile = False
        net(w).sum().backward()
        return w.grad
    """, """
    def start(size, net):
        w = Variable(torch.zeros(size), requires_grad=True)
        net(w).sum().backward()
        return w.grad
    """)


def test_what_needs_no_gradient_is_none_the_less_a_leaf():
    becomes("""
    def inputs(a, b):
        both = torch.cat([Variable(a), Variable(b)])
        both.volatile = False
        return both
    """, """
    def inputs(a, b):
        both = torch.cat([Variable(a), Variable(b)])
        return both
    """)


@pytest.mark.parametrize("lines", [
    # another name, a container or an object has the graph, too
    ["wanted = target(after)", "kept = wanted", "wanted.volatile = False"],
    ["wanted = target(after)", "batch.seen = wanted", "wanted.volatile = False"],
    ["seen = [target(after)]", "wanted = seen[0]", "wanted.volatile = False"],
    # nobody can say here what the name holds
    ["wanted = target(after)", "if batch.done:", "    wanted = target(state)", "wanted.volatile = False"],
])
def test_a_result_that_others_hold_is_left_with_the_reason(lines):
    stays(STEP.format(value="\n    ".join(lines[:-1]), write=lines[-1]), reason="not-a-leaf")


def test_a_result_that_requires_grad_cannot_become_volatile():
    stays("""
    def judge(encoder, decoder, batch):
        codes = encoder(Variable(batch))
        codes.volatile = True
        return decoder(codes)
    """, reason="not-a-leaf")


def test_a_flag_that_a_helper_ignores_makes_nothing_volatile():
    files_become({
        "tools.py": """
        def to_tensor(array, volatile=False):
            return Variable(torch.from_numpy(array)).float()
        """,
        "agent.py": """
        import torch
        from tools import to_tensor


        class Agent(object):
            def learn(self, batch):
                wanted = self.target(to_tensor(batch.after, volatile=True))
                wanted.volatile = False
                loss = self.criterion(self.critic(to_tensor(batch.state)), wanted)
                loss.backward()
        """,
    }, {"agent.py": """
        import torch
        from tools import to_tensor


        class Agent(object):
            def learn(self, batch):
                wanted = self.target(to_tensor(batch.after, volatile=True))
                wanted = wanted.detach()
                loss = self.criterion(self.critic(to_tensor(batch.state)), wanted)
                loss.backward()
        """})


ROWS = """
def rows(finder, table, ready):
    for words in table:
        if ready:
            near = finder.look(words)
        else:
            near = {other}
        yield near

def judge(net, finder, table, ready):
    total = 0
    for near in rows(finder, table, ready):
        {write}
        {use}
    return total
"""


def test_a_write_that_a_leaf_comes_to_as_well_got_past_whatever_came_there():
    """0.3 raised at the write if what the other path gives has a graph: it had none."""
    seen = ROWS.replace("{other}", "Variable(torch.zeros(3))")
    becomes(seen.replace("{write}", "near.volatile = True").replace("{use}", "total += net(near).data.sum()"),
            seen.replace("{write}\n        ", "").replace(
                "{use}", "with torch.no_grad():\n            total += net(near).data.sum()"))
    use = "net(near).sum().backward()"
    becomes(seen.replace("{write}", "near.volatile = False").replace("{use}", use),
            seen.replace("{write}\n        ", "").replace("{use}", use))


@pytest.mark.parametrize(("other", "write"), [
    ("finder.guess(words)", "near.volatile = True"),
    ("finder.guess(words)", "near.volatile = False"),
    ("None", "if near is not None:\n            near.volatile = True"),
    ("Variable(torch.zeros(3)) * finder.scale(words)", "near.volatile = True"),
])
def test_a_write_that_no_leaf_is_seen_to_come_to_may_always_have_raised(other, write):
    stays(ROWS.replace("{other}", other).replace("{write}", write).replace("{use}", "total += net(near).data.sum()"),
          reason="not-a-leaf")


def test_a_leaf_at_another_call_of_who_writes_says_nothing_of_this_one():
    stays("""
    def _shut(x):
        x.volatile = True

    def judge(encoder, decoder, batch):
        plain = Variable(batch)
        _shut(plain)
        codes = encoder(Variable(batch))
        _shut(codes)
        return decoder(codes).data + decoder(plain).data
    """, reason="not-a-leaf")


ON_NETWORK = """
    import torchvision
    from torch.autograd import Variable
    {lines}
"""


@pytest.mark.parametrize("lines", [
    ["net = torchvision.models.vgg16()", "net.eval()", "net.volatile = True"],
    ["net = torchvision.models.vgg16().cuda(0)", "net.volatile = False", "net.train()"],
    ["def freeze(self):", "    self.net.eval()", "    self.net.volatile = True"],
    ["def freeze(self, kept):", "    self.net = load()", "    self.net.load_state_dict(kept)",
     "    print(self.net.state_dict())", "    self.net.volatile = True"],
])
def test_a_write_on_what_is_asked_as_a_network_is_said_to_be_on_no_tensor(lines):
    result = check_noop(ON_NETWORK.format(lines="\n    ".join(lines)), reason="not-analysed")
    (site,) = result.sites
    assert site.message.startswith("writes to .volatile of what is not a tensor (line ")
    assert site.message.endswith("it does nothing")


@pytest.mark.parametrize("lines", [
    ["codes = encoder(Variable(batch))", "encoder.eval()", "codes.volatile = True"],  # another thing is asked
    ["def other(codes): codes.eval()", "def judge(batch):", "    codes = encoder(Variable(batch))",
     "    codes.volatile = True"],
    ["codes = encoder(Variable(batch))", "codes.cuda()", "codes.volatile = True"],  # tensors have that, too
    ["encoder.eval()", "encoder = encoder(Variable(batch))", "encoder.volatile = True"],  # one name for two things
])
def test_one_on_a_result_is_not(lines):
    result = migrated(ON_NETWORK.format(lines="\n    ".join(["encoder, batch = load()", *lines])))
    assert not any("what is not a tensor" in site.message for site in result.sites)


def test_a_call_to_which_nothing_comes_is_not_said_to_be_of_one_of_several():
    text = """
    from torch.autograd import Variable
    from nets import net

    def batch(rows, testing=False):
        return Variable(rows, volatile=testing)

    def train(rows):
        done = 0
        for at in range(3):
            net(batch(rows)).sum().backward()
            if done == at and done:
                done = at + 1
                print(net(batch(rows, testing=True)).data)
    """
    told = {site.line: site.reason for site in migrated(text).sites}
    assert told[14] == "not-analysed"
