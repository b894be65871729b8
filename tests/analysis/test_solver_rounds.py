"""What a loop's names hold is forgotten where nothing reads it again, and a number that much decides is any number."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import HEAD, covers, stays

from helpers import migrated

SCORES = [f"s{number}" for number in range(10)]

# each score hangs on every condition that the loops have met
COUNTING = """
        def count(out, said, found, words, marks):
            {zeros}
            for row in range(len(said)):
                {ones}
                for place in range(len(said[row])):
                    word = words.get(said[row, place])
                    if found[row, place] == said[row, place]:
                        s0 += 1
                        if found[row, place] > 3:
                            s1 += 1
                        else:
                            t1 = 0
                    else:
                        t0 = 0
                        t1 = 0
                    if word not in marks:
                        s2 += 1
                        if found[row, place] == said[row, place]:
                            s3 += 1
                            if found[row, place] > 3:
                                s4 += 1
                            else:
                                t3 = 0
                        else:
                            t2 = 0
                            t3 = 0
                    if said[row, place] == 0:
                        s5 += 1
                        s6 += 1 if found[row, place] == 0 else 0
                s7 += t0
                s8 += t1
                s9 += t2
            return ({some}), ({others})

        def main(net, optimizer, batches, test, words, marks, epochs):
            {best}
            waiting = 0
            for epoch in range(epochs):
                net.train()
                for x, y in batches:
                    optimizer.zero_grad()
                    loss = (net(Variable(x)) - Variable(y)).pow(2).sum()
                    loss.backward()
                    optimizer.step()
                net.eval()
                {totals}
                for x, y in test:
                    out = net(Variable(x, volatile=True))
                    first, second = count(out, out.data.numpy(), y.numpy(), words, marks)
                    {some}, = first
                    {others}, = second
                    {adding}
                print({all})
                if best0 < sum0 or waiting > 3:
                    {keeping}
                    waiting = 0
                    for x, y in batches:
                        out = net(Variable(x, volatile=True))
                        first, second = count(out, out.data.numpy(), y.numpy(), words, marks)
                        {some}, = first
                        {others}, = second
                        {adding}
                else:
                    waiting += 1
"""


def test_counters_that_hang_on_all_that_nested_loops_meet_leave_the_blocks_alone():
    joined = {
        "zeros": "; ".join(f"{name} = 0." for name in SCORES),
        "ones": "; ".join(f"t{number} = 1." for number in range(4)),
        "some": ", ".join(SCORES[:5]), "others": ", ".join(SCORES[5:]),
        "best": "; ".join(f"best{number} = 0." for number in range(10)),
        "totals": "; ".join(f"sum{number} = 0." for number in range(10)),
        "adding": "; ".join(f"sum{number} += s{number}" for number in range(10)),
        "all": ", ".join(f"sum{number}, best{number}" for number in range(10)),
        "keeping": "; ".join(f"best{number} = sum{number}" for number in range(10)),
    }
    covers(COUNTING.format(**joined), ["out = net("], ["loss =", "loss.backward()", "count(out"])


BROKEN = """
        net = torch.nn.Linear(3, 3)

        def pick(xs, steps, late):
            for step in range(steps):
                best = net(Variable(xs))
                if step > 3:
                    break
            else:
                best = net(Variable(late, volatile=True))
            return {result}
"""


def test_what_a_break_leaves_with_is_not_forgotten_for_an_else_that_binds_it():
    covers(BROKEN.format(result="best.data"), ["Variable(late"], ["net(Variable(xs))"])
    after = migrated((HEAD + dedent(BROKEN.format(result="(best * 2).sum()")).strip("\n") + "\n").encode())
    assert "no_grad():\n        return" not in after.outputs.get("a.py", b"").decode()


@pytest.mark.parametrize("other", ["y.sum().backward()", "(y * 2).sum().backward()"])
def test_what_waits_in_the_other_arm_is_not_forgotten(other: str) -> None:
    body = f"""
        net = torch.nn.Linear(3, 3)

        def run(data, rounds, test):
            y = net(Variable(data))
            if test:
                for x in rounds:
                    y = net(Variable(x, volatile=True))
                    print(y.data)
                y = None
            else:
                {other}
        """
    covers(body, ["y = net(Variable(x"], ["y = net(Variable(data", "backward"])


@pytest.mark.parametrize(("loop", "asked"), [
    ("for x, fresh in rounds", "fresh"), ("for x in rounds", "x is None"), ("for i, x in enumerate(rounds)", "i == 3"),
    ("for x in [data, None, data * 2]", "x is None"), ("for phase in ['train', 'test']", "phase == 'test'"),
])
def test_what_was_asked_of_the_element_before_says_nothing_of_the_next(loop: str, asked: str) -> None:
    stays(f"""
        net, other = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def run(rounds, data, keep):
            y = other(Variable(data))
            {loop}:
                if {asked}:
                    y = Variable(data, volatile=True)
                z = net(y)
                keep.append(z)
            return keep
        """, "mixed-statement")


def test_a_round_asks_of_its_own_element():
    covers("""
        net = torch.nn.Linear(3, 3)

        def run(rounds, data, keep):
            for phase in ["train", "test"]:
                y = Variable(data, volatile=phase == "test")
                z = net(y)
                if phase == "train":
                    z.sum().backward()
        """, ["z = net("], ["backward"])
