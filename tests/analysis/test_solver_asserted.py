"""An assertion narrows what stands behind it. It is no end of it: ``python -O`` comes there, and who does the TODO."""

from __future__ import annotations

import pytest
from solving import becomes

NEVER = """
def label(net, rows):
    found = []
    for row in rows:
        seen = Variable(row{flag})
        {stop}
{work}
    return found
"""


@pytest.mark.parametrize("stop", [
    "assert False  # TODO",
    "assert 0, 'not yet'",
    "assert not rows and rows",
    "with open(rows) as f:\n            assert False",
])
def test_what_stands_behind_an_assertion_that_fails_wants_its_block(stop: str) -> None:
    before, after = "        found.append(net(seen).data)", (
        "        with torch.no_grad():\n            found.append(net(seen).data)")
    becomes(NEVER.format(flag=", volatile=True", stop=stop, work=before), NEVER.format(flag="", stop=stop, work=after))


def test_what_stands_behind_one_in_a_try_wants_its_block():
    becomes(
        """
        def label(net, row):
            seen = Variable(row, volatile=True)
            try:
                assert False
                return net(seen)
            except ValueError:
                return None
        """,
        """
        def label(net, row):
            seen = Variable(row)
            try:
                assert False
                with torch.no_grad():
                    return net(seen)
            except ValueError:
                return None
        """)


def test_an_arm_that_ends_in_one_binds_nothing_for_what_follows():
    becomes(
        """
        def run(net, row, kind):
            if kind == 'look':
                seen = Variable(row, volatile=True)
            elif kind == 'fit':
                seen = Variable(row)
            else:
                assert False, kind
            made = net(seen)
            if kind == 'fit':
                made.sum().backward()
            return made.data
        """,
        """
        def run(net, row, kind):
            if kind == 'look':
                seen = Variable(row)
            elif kind == 'fit':
                seen = Variable(row)
            else:
                assert False, kind
            with torch.set_grad_enabled(kind != 'look'):
                made = net(seen)
            if kind == 'fit':
                made.sum().backward()
            return made.data
        """)


def test_what_is_asserted_of_a_flag_holds_behind_it():
    becomes(
        """
        def run(net, row, quiet):
            assert quiet
            return net(Variable(row, volatile=quiet)).data
        """,
        """
        def run(net, row, quiet):
            assert quiet
            with torch.no_grad():
                return net(Variable(row)).data
        """)
