"""A container that somebody else has may hold more than what was seen to be put in."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

NET = """
        import heapq

        net = torch.nn.Linear(3, 3)

        class Best(object):
            def __init__(self):
                self.rows = []

            def push(self, row):
                {push}

            def take(self):
                rows, self.rows = self.rows, []
                return rows
"""
PUSHES = ["heapq.heappush(self.rows, row)", "fill(self.rows, row)", "fill({'rows': self.rows}, row)"]


@pytest.mark.parametrize("push", PUSHES)
def test_a_list_that_unknown_code_was_given_is_not_taken_for_empty(push: str) -> None:
    covers(
        NET.format(push=push) + """
        def search(data, first):
            best = Best()
            best.push(first)
            for step in range(9):
                rows = best.take()
                feed = Variable(data, volatile=True)
                states = [row.state for row in rows]
                if isinstance(states[0], tuple):
                    print(step)
                out = net(feed)
                for row in rows:
                    best.push(row)
            print(out.data)
        """,
        inside=["out = net(feed)"], outside=["best = Best()"])


def test_a_loop_over_a_list_that_unknown_code_was_given_may_run() -> None:
    covers(
        """
        net = torch.nn.Linear(3, 3)

        def evaluate(data, fill):
            rows, x = [], Variable(data, volatile=True)
            fill(rows)
            for row in rows:
                print(net(x).data)
        """,
        inside=["net(x)"], outside=["fill(rows)"])


def test_an_item_of_a_comprehension_over_such_a_list_may_be_there() -> None:
    covers(
        """
        net = torch.nn.Linear(3, 3)

        def evaluate(data, fill):
            rows, x = [], Variable(data, volatile=True)
            fill(rows)
            first = [row + 1 for row in rows][0]
            print(first, net(x).data)
        """,
        inside=["net(x)"], outside=["fill(rows)"])


@pytest.mark.parametrize("put", ["heapq.heappush(rows, (step, Variable(x, volatile=True)))",
                                 "bisect.insort(rows, Variable(x, volatile=True))"])
def test_what_is_volatile_may_be_in_a_list_that_a_library_was_given_beside_it(put: str) -> None:
    covers(
        f"""
        import bisect
        import heapq

        net = torch.nn.Linear(3, 3)

        def evaluate(xs):
            rows = []
            for step, x in enumerate(xs):
                {put}
            print([net(row[1]).data for row in rows])
        """,
        inside=["net(row[1])"], outside=["rows = []"])


def finds_something(above: str, made: str, asked: str) -> None:
    """What stands below ``asked``, a question of ``kept``, runs: others may have filled it, whatever it was made as."""
    covers(
        f"""net = torch.nn.Linear(3, 3)
{above}
def evaluate(data, fill):
    {made}
    x = Variable(data, volatile=True)
    {asked}
        print(net(x).data)
""",
        inside=["net(x)"], outside=["def evaluate"])


@pytest.mark.parametrize("asked", [
    "for m in kept:", "for _, m in enumerate(kept):", "for m in list(kept):", "for m in kept + []:",
    "for m in [each for each in kept]:", "if kept:", "if len(kept) > 0:", "while kept.pop():", "for m in kept[:]:",
    "for m, _ in zip(kept, range(3)):", "for m in sorted(kept):",
])
@pytest.mark.parametrize("made", ["", "kept = []\n    fill(kept)", "kept = []\n    fill(lambda row: kept.append(row))",
                                  "kept = list()\n    fill(kept.append)"],
                         ids=["of a module", "given away", "in a closure", "its method"])
def test_whatever_asks_a_list_that_others_have_may_find_something_in_it(asked: str, made: str) -> None:
    above = "" if made else "kept = []\n\n\ndef register(row):\n    kept.append(row)\n\n\n"
    finds_something(above, made, asked)


@pytest.mark.parametrize("asked", ["for k in kept:", "for k, m in kept.items():", "for m in kept.values():",
                                   "for k in sorted(kept):", "if kept:", "if 'x' in kept:"])
@pytest.mark.parametrize("made", ["", "kept = {}\n    fill(kept)", "kept = dict()\n    fill(kept.update)"],
                         ids=["of a module", "given away", "its method"])
def test_whatever_asks_a_dictionary_that_others_have_may_find_something_in_it(asked: str, made: str) -> None:
    above = "" if made else "kept = {}\n\n\ndef register(name, row):\n    kept[name] = row\n\n\n"
    finds_something(above, made, asked)


def test_an_item_of_a_list_that_was_made_empty_and_that_nobody_else_has_ends_the_path() -> None:
    ended = """
        net = torch.nn.Linear(3, 3)

        def evaluate(data, late):
            rows, x = [], Variable(data{flag})
            if late:
                first = rows[0]
                print(net(x).data)
        """
    becomes(ended.format(flag=", volatile=True"), ended.format(flag=""))


def test_what_unknown_code_was_given_alone_is_put_into_no_other_list() -> None:
    becomes(
        """
        net = torch.nn.Linear(3, 3)

        def train(data, target, log):
            rows = []
            log(rows)
            x = Variable(data, volatile=True)
            print(x.size())
            rows.append(net(Variable(target)).sum())
            rows[0].backward()
        """,
        """
        net = torch.nn.Linear(3, 3)

        def train(data, target, log):
            rows = []
            log(rows)
            x = Variable(data)
            print(x.size())
            rows.append(net(Variable(target)).sum())
            rows[0].backward()
        """)


PUT = """
        net = torch.nn.Linear(3, 3)

        def at(rows, name):
            {put}
            {use}
            {end}
        {calls}
"""


@pytest.mark.parametrize("end", ["return rows", "pass", "return len(rows)"])
@pytest.mark.parametrize(("put", "use"), [
    ("rows['x'] = Variable(rows['x'], volatile=True)", "print(net(rows['x']).data)"),
    ("rows[0] = Variable(rows[0], volatile=True)", "print(net(rows[0]).data)"),
    ("rows.append(Variable(name, volatile=True))", "print(net(rows[-1]).data)"),
    ("for key in rows:\n                rows[key] = Variable(rows[key] / 255, volatile=True)", "print(len(rows))"),
    ("rows['x'] = Variable(rows['x'], volatile=True)", "print(len(rows))"),
])
def test_what_is_put_into_the_container_of_a_caller_whom_nobody_sees_is_his_whatever_the_function_does_with_it(
        put: str, use: str, end: str) -> None:
    stays(PUT.format(put=put, use=use, end=end, calls=""), reason="unseen-callers")


def test_what_is_put_into_the_container_of_a_caller_who_only_shows_it_is_covered_where_it_is_used() -> None:
    put = "rows['x'] = Variable(rows['x'], volatile=True)"
    covers(PUT.format(put=put, use="print(net(rows['x']).data)", end="pass",
                      calls="\n        def main():\n            at({'x': torch.zeros(3)}, 'a')\n\n        main()\n"),
           ["net(rows"], ["at({"])


def test_what_is_put_into_a_container_that_is_made_here_is_nobody_elses() -> None:
    covers(PUT.format(put="rows = {}\n            rows['x'] = Variable(name, volatile=True)",
                      use="print(net(rows['x']).data)", end="pass", calls=""), ["net(rows"], ["rows = {}"])
