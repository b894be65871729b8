"""Blocks that read well: no longer than what needs them, and close to it."""

from __future__ import annotations

from solving import becomes

PLAIN = "\n".join(f"                count[{number}] += len(rows)" for number in range(9))


def test_a_long_loop_is_entered_where_one_line_of_it_asks():
    before = f"""
        def evaluate(net, loader, count):
            for rows in loader:
{PLAIN}
                x = Variable(rows, volatile=True)
                y = net(x)
                print(y.data)
"""
    after = f"""
        def evaluate(net, loader, count):
            for rows in loader:
{PLAIN}
                x = Variable(rows)
                with torch.no_grad():
                    y = net(x)
                print(y.data)
"""
    becomes(before, after)


def test_a_block_does_not_reach_over_many_lines_to_the_next_call():
    gap = "\n".join(f"            count[{number}] += len(rows)" for number in range(8))
    becomes(
        f"""
        def evaluate(net, rows, count):
            x = Variable(rows, volatile=True)
            y = net(x)
{gap}
            z = net(y)
            return z.data
        """,
        f"""
        def evaluate(net, rows, count):
            x = Variable(rows)
            with torch.no_grad():
                y = net(x)
{gap}
            with torch.no_grad():
                z = net(y)
            return z.data
        """,
    )


def test_a_few_lines_between_two_calls_stand_in_their_block():
    becomes(
        """
        def evaluate(net, rows, count):
            x = Variable(rows, volatile=True)
            y = net(x)
            print(len(rows))
            z = net(y)
            return z.data
        """,
        """
        def evaluate(net, rows, count):
            x = Variable(rows)
            with torch.no_grad():
                y = net(x)
                print(len(rows))
                z = net(y)
            return z.data
        """,
    )


def test_a_loop_that_asks_all_over_has_one_block():
    calls = "\n".join(f"                y = net(x, {number})\n                print(y.data[0])"
                      for number in range(6))
    inner = "\n".join("    " + line for line in calls.splitlines()[:-1])
    becomes(
        f"""
        def evaluate(net, loader, count):
            for rows in loader:
                x = Variable(rows, volatile=True)
{calls}
        """,
        f"""
        def evaluate(net, loader, count):
            for rows in loader:
                x = Variable(rows)
                with torch.no_grad():
{inner}
                print(y.data[0])
        """,
    )
