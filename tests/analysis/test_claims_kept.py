"""Values that are put where later code finds them: into a container on an object, or an object that keeps them."""

from __future__ import annotations

import pytest
from solving import becomes, files_stay, stays

BUFFER = """
class Buffer(object):
    def __init__(self):
        self.items = []
        self.last = None

    def append(self, x):
        {0}

    def sample(self):
        return self.items[0]
"""
AGENT = """
class Agent(object):
    def __init__(self, net):
        self.net = net
        self.buffer = Buffer()

    def observe(self, state):
        x = Variable(state, volatile=True)
        {0}

    def learn(self):
        print(self.net(self.buffer.sample()).size())
"""
KEEPS = ["self.items.append(x)", "self.items[0] = x", "self.items += [x.cuda()]", "self.last = x",
         "entry = (x, 1)\n        self.items.append(entry)",
         "self.put(x)\n\n    def put(self, y):\n        self.items.append(y)"]
PUTS = ["self.buffer.append(x)", "q = self.net(x)\n        self.buffer.append(x)", "self.buffer.append(x.cuda())",
        "self.buffer.append((x, 1))"]


@pytest.mark.parametrize("body", KEEPS)
def test_what_an_object_of_the_project_keeps_is_never_forgotten(body):
    stays(BUFFER.format(body) + AGENT.format(PUTS[0]), "escapes-by-attribute")


@pytest.mark.parametrize("put", PUTS)
def test_however_it_is_handed_to_the_object(put):
    stays(BUFFER.format(KEEPS[0]) + AGENT.format(put), "escapes-by-attribute")


def test_nor_where_the_object_comes_from_outside_or_another_file():
    files_stay(
        {
            "buffers.py": BUFFER.format(KEEPS[0]),
            "agent.py": """
            class Agent(object):
                def __init__(self, buffer):
                    self.buffer = buffer

                def observe(self, state):
                    self.buffer.append(Variable(state, volatile=True))
            """,
        },
        "escapes-by-attribute",
    )


@pytest.mark.parametrize("put", ["self.seen.append(x)", "self.seen[state] = x", "self.seen.append((x, 1))",
                                 "self.seen[0].append(x)"])
def test_what_is_put_into_a_container_that_another_method_takes_from_stays(put):
    stays(
        f"""
        class Agent(object):
            def __init__(self, net):
                self.net = net
                self.seen = make()

            def observe(self, state):
                x = Variable(state, volatile=True)
                {put}

            def learn(self):
                for x in self.seen:
                    print(self.net(x).size())
        """,
        "escapes-by-attribute",
    )


def test_a_container_that_nobody_takes_from_does_not_matter():
    becomes(
        """
        class Agent(object):
            def __init__(self):
                self.seen = []

            def observe(self, state):
                x = Variable(state, volatile=True)
                self.seen.append(x)
                print(len(self.seen))
        """,
        """
        class Agent(object):
            def __init__(self):
                self.seen = []

            def observe(self, state):
                x = Variable(state)
                self.seen.append(x)
                print(len(self.seen))
        """,
    )


@pytest.mark.parametrize("kept", ["x.data", "q", "q.data.max()", "state"])
def test_plain_data_and_what_a_block_computes_may_be_kept(kept):
    body = AGENT.format(f"q = self.net(x)\n        self.buffer.append({kept})")
    covered = body.replace(", volatile=True", "").replace(
        "        q = self.net(x)\n", "        with torch.no_grad():\n            q = self.net(x)\n")
    becomes(BUFFER.format(KEEPS[0]) + body, BUFFER.format(KEEPS[0]) + covered)


def test_a_method_that_only_counts_or_computes_keeps_nothing():
    meter = BUFFER.format("self.last = float(x.data.sum())")
    becomes(
        meter + AGENT.format("self.buffer.append(x)"),
        meter + AGENT.format(
            "with torch.no_grad():\n            self.buffer.append(x)").replace(", volatile=True", ""),
    )


def test_an_object_made_and_emptied_in_one_function_is_followed():
    becomes(
        BUFFER.format(KEEPS[0]) + """

def run(net, state):
    buffer = Buffer()
    buffer.append(Variable(state, volatile=True))
    print(net(buffer.sample()))
""",
        BUFFER.format(KEEPS[0]) + """

def run(net, state):
    buffer = Buffer()
    buffer.append(Variable(state))
    with torch.no_grad():
        print(net(buffer.sample()))
""",
    )
