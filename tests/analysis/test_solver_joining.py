"""Several values in one: what is joined costs no conditions, and nothing that happens to it is lost."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

from voltfix.domains.precision import EXACT
from voltfix.solver import roots


@pytest.fixture
def closely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked at less closely than at first, and the budget is a fraction of the usual one."""
    monkeypatch.setattr(roots, "LADDER", (EXACT,))
    monkeypatch.setattr(roots.Interpreter, "NODES", 60_000)


@pytest.mark.usefixtures("closely")
def test_lists_of_numbers_in_lists_cost_no_conditions() -> None:
    covers(
        """
        def search(net, words, width, steps, ending):
            x = Variable(words, volatile=True)
            scores = net(x)
            best = scores.data.topk(width, 1)[1]
            routes = [{'steps': [[0] for w in words], 'cost': 0} for k in range(width)]
            for s in range(steps):
                last = []
                for k, route in enumerate(routes):
                    for w in range(len(route['steps'])):
                        last.append(route['steps'][w][-1])
                following = []
                for k in range(width):
                    following.append({'steps': [], 'cost': 0})
                for w in range(len(words)):
                    for k in range(width):
                        came = best[w][k]
                        old = routes[came]['steps'][w][:]
                        old.append(last[k])
                        following[k]['steps'].append(old)
                        following[k]['cost'] = routes[came]['cost'] + 1
                routes = following
                found = []
                for w in range(len(words)):
                    longest = routes[0]['steps'][w]
                    for k in range(width):
                        if len(routes[k]['steps'][w]) > len(longest):
                            longest = routes[k]['steps'][w]
                    found.append(longest)
                if found[0].count(ending) > width:
                    found[0][-1] = ending
                    break
            return found
        """,
        inside=["scores = net(x)"],
        outside=["old.append", "found.append"],
    )


@pytest.mark.usefixtures("closely")
@pytest.mark.parametrize("given", ["x.data", "x, x.data"])
def test_results_under_numbers_that_nobody_knows_stand_beside_each_other(given: str) -> None:
    """Not refused for want of budget: what an empty dictionary gives is taken for data, and has a graph."""
    before = """
        class Wired(torch.nn.Module):
            def __init__(self, plan):
                super(Wired, self).__init__()
                self.plan = plan
                self.parts = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in plan])

            def forward(self, x):
                kept = {}
                for i, step in enumerate(self.plan):
                    if step['kind'] == 'layer':
                        x = self.parts[i](x)
                    elif step['kind'] == 'route':
                        if len(step['from']) == 1:
                            x = kept[i + step['from'][0]]
                        else:
                            x = torch.cat((kept[i + step['from'][0]], kept[i + step['from'][1]]), 1)
                    elif step['kind'] == 'add':
                        x = kept[i - 1] + kept[i + step['from'][0]]
                    kept[i] = x
                return GIVEN


        def predict(net, images):
            x = Variable(images, volatile=True)
            out = Wired(net.plan)(x)
            return out
        """.replace("GIVEN", given)
    after = before.replace(", volatile=True", "").replace(
        "out = Wired", "with torch.no_grad():\n                out = Wired")
    if given != "x.data":
        stays(before, reason="mixed-statement")
    else:
        becomes(before, after)


def test_a_graph_that_comes_into_a_list_of_numbers_is_seen_where_the_list_was_read() -> None:
    covers(
        """
        def train(net, batches, first, second):
            rows = [[0], [0], [0], [0], [0]]
            mine = rows[first]
            for batch in batches:
                v = Variable(batch, volatile=True)
                seen = net(v).data
                rows[second].append(net(Variable(batch)))
                loss = mine[-1] * 2
                loss.backward()
            return seen
        """,
        inside=["seen = net(v).data"],
        outside=["rows[second]", "loss = mine"],
    )


def test_what_is_switched_back_on_one_of_many_may_be_trained_on() -> None:
    becomes(
        """
        def tune(net, head, a, b, one, other):
            rows = [net(Variable(a, volatile=True)), net(Variable(b, volatile=True))]
            rows = [rows[0], rows[1], rows[0], rows[1]]
            rows[one].volatile = False
            loss = head(rows[other]).sum()
            loss.backward()
        """,
        """
        def tune(net, head, a, b, one, other):
            with torch.no_grad():
                rows = [net(Variable(a)), net(Variable(b))]
            rows = [rows[0], rows[1], rows[0], rows[1]]
            loss = head(rows[other]).sum()
            loss.backward()
        """,
    )


def test_one_of_many_results_is_volatile_as_all_of_them_are() -> None:
    becomes(
        """
        def look(net, a, b, c, d, which):
            rows = [net(Variable(a, volatile=True)), net(Variable(b, volatile=True)), net(Variable(c, volatile=True)),
                    net(Variable(d, volatile=True))]
            return net(rows[which]).data
        """,
        """
        def look(net, a, b, c, d, which):
            with torch.no_grad():
                rows = [net(Variable(a)), net(Variable(b)), net(Variable(c)),
                        net(Variable(d))]
                return net(rows[which]).data
        """,
    )


def test_one_of_many_results_of_which_one_trains_is_left_alone() -> None:
    stays(
        """
        def look(net, a, b, c, d, which):
            rows = [net(Variable(a, volatile=True)), net(Variable(b)), net(Variable(c)), net(Variable(d))]
            return net(rows[which])
        """,
        reason="condition-not-repeatable",
    )
