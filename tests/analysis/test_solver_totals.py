"""What a loop adds up: in a dictionary that begins with numbers, and divided by what torch took for a number."""

from __future__ import annotations

import pytest
from solving import covers, stays

IMPORTS = "    from collections import defaultdict\n"


@pytest.mark.parametrize("key", ["'loss'", "name"])
def test_a_total_that_begins_with_a_number_has_no_graph_of_its_own(key: str) -> None:
    covers(IMPORTS + f"""
    def look(net, rows, name):
        totals = defaultdict(float)
        for row in rows:
            totals[{key}] += net(Variable(row, volatile=True)).sum()
        return totals[{key}].data
    """, inside=[f"totals[{key}] +="], outside=["return"])


def test_what_is_put_under_a_key_comes_out_of_it_again() -> None:
    covers(IMPORTS + """
    def look(net, row, name):
        kept = defaultdict(int)
        kept[name] = Variable(row, volatile=True)
        seen = net(kept["other"])
        return seen.data
    """, inside=["seen = "], outside=["return"])


def test_what_trains_under_another_key_keeps_its_graph() -> None:
    covers(IMPORTS + """
    def turn(net, rows, more):
        totals = defaultdict(float)
        for row, other in zip(rows, more):
            totals["looked"] += net(Variable(row, volatile=True)).sum()
            totals["loss"] += net(Variable(other)).sum()
        totals["loss"].backward()
        return totals["looked"].data
    """, inside=['totals["looked"] +='], outside=['totals["loss"] +='])


BESIDE = """
    def turn(net, rows, make, start, more, opt):
        totals = MADE
        for row in rows:
            PUT
            both = (net(Variable(row, volatile=True)).data, TAKEN * 2)
            both[1].backward()
            opt.step()
"""


@pytest.mark.parametrize(("made", "put", "taken"), [
    ("defaultdict(make)", "pass", "totals['all']"),
    ("defaultdict(float, start)", "pass", "totals['all']"),
    ("defaultdict(list)", "totals['all'].append(net(Variable(more)))", "totals['all'][0]"),
    ("defaultdict(float)", "totals['all'] += net(Variable(more))", "totals['all']"),
    ("Counter()", "totals['all'] += net(Variable(more))", "totals['all']"),
    ("deque()", "totals.append(net(Variable(more)))", "totals[0]"),
    ("deque(maxlen=3)", "totals.appendleft(net(Variable(more)))", "totals.pop()"),
    ("deque()", "totals.extendleft([net(Variable(more))])", "totals.popleft()"),
    ("deque(start)", "pass", "totals[0]"),
    ("{}", "totals['all'] = net(Variable(more))", "totals['all']"),
    ("start", "pass", "totals['all']"),
])
def test_what_comes_out_of_a_container_has_the_graph_that_it_went_in_with(made: str, put: str, taken: str) -> None:
    body = BESIDE.replace("MADE", made).replace("PUT", put).replace("TAKEN", taken)
    given = "    from collections import Counter, defaultdict, deque\n"
    covers(given + body, inside=[], outside=["both = ", "backward"])


@pytest.mark.parametrize("made", ["deque()", "deque(maxlen=5)", "deque([1, 2])"])
def test_what_is_volatile_comes_out_of_a_queue_as_it_went_in(made: str) -> None:
    covers("    from collections import deque\n" + f"""
    def look(net, rows):
        queue = {made}
        for row in rows:
            queue.append(Variable(row, volatile=True))
        seen = net(queue.popleft())
        return seen.data
    """, inside=["seen = "], outside=["return"])


def test_under_a_key_that_nobody_knows_there_may_be_either() -> None:
    stays(IMPORTS + """
    def turn(net, rows, more, name):
        totals = defaultdict(float)
        for row in rows:
            totals[name] += net(Variable(row, volatile=True)).sum()
        totals["loss"] += net(Variable(more)).sum()
        return totals
    """, "mixed-statement")


SHARED = """
    def add(totals, out, goal, train, parts):
        loss = F.binary_cross_entropy_with_logits(out, goal)
        part = loss * 2 / parts
        if train:
            part.backward()
        totals["loss"] += loss.data[0] / parts
        return totals

    def turn(net, rows, goals, train, parts):
        totals = {"loss": 0.0}
        for row, goal in ROWS:
            row, goal = Variable(row, volatile=not train), Variable(goal, volatile=not train)
            out = net(row)
            totals = add(totals, out, goal, train, parts)
        return totals
"""


@pytest.mark.parametrize("rows", ["zip(rows.chunk(parts), goals.chunk(parts))", "[(rows.view(parts, -1), goals)]"])
def test_what_torch_took_for_a_number_has_no_graph(rows: str) -> None:
    covers("    import torch.nn.functional as F\n" + SHARED.replace("ROWS", rows),
           inside=["out = net"], outside=["return totals"])


@pytest.mark.parametrize("rows", ["zip(rows, goals)", "zip(rows.chop(parts), goals.chop(parts))"])
def test_what_nobody_asked_for_as_a_number_may_have_one(rows: str) -> None:
    stays("    import torch.nn.functional as F\n" + SHARED.replace("ROWS", rows), "mixed-statement")


def test_a_method_of_the_project_s_own_may_take_a_tensor() -> None:
    own = "\n    class Rows(object):\n        def chunk(self, by):\n            return self.rows\n"
    stays("    import torch.nn.functional as F\n" + own + SHARED.replace(
        "ROWS", "zip(rows.chunk(parts), goals.chunk(parts))"), "mixed-statement")
