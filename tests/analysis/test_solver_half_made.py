"""Who reads what an object keeps comes after the method that raised otherwise: unless somebody caught it."""

from __future__ import annotations

import pytest
from solving import covers, stays

from alone import ran

HOLDER = """
        import contextlib
        import threading

        class Holder(object):
            def __init__(self, x):
                self.kept = Variable(x)

            def feed(self, x, kind):
                if kind == 'shown':
                    self.kept = Variable(x, volatile=True)
                elif kind == 'counted':
                    self.kept = Variable(x + 1, volatile=True)
                else:
                    raise ValueError(kind)

        net = torch.nn.Linear(3, 3)

        def look(x, kind):
            holder = Holder(x)
            {feed}
            y = net(holder.kept)
            {use}
        """
SHOWN = "print(y.data)"
HANDED_BACK = "return y"


def filled(feed: str, use: str) -> str:
    """The program with lines of any depth in place."""
    return HOLDER.replace("{feed}", feed.replace("\n", "\n            ")).replace("{use}", use)


def test_what_each_path_that_goes_on_leaves_volatile_is_volatile():
    covers(filled("holder.feed(x, kind)", SHOWN), inside=["net(holder.kept)"], outside=["holder = Holder"])


@pytest.mark.parametrize("feed", [
    "try:\n    holder.feed(x, kind)\nexcept ValueError:\n    pass",
    "try:\n    print(x)\n    holder.feed(x, kind)\nexcept ValueError:\n    print(kind)",
    "with contextlib.suppress(ValueError):\n    holder.feed(x, kind)",
    "runs = threading.Thread(target=holder.feed, args=(x, kind))\nruns.start()\nruns.join()",
])
def test_what_it_kept_before_an_exception_that_is_caught_may_be_trained_on(feed: str):
    stays(filled(feed, HANDED_BACK), reason="condition-not-repeatable")


def test_what_it_kept_before_is_there_for_what_runs_in_any_case():
    feed = "try:\n    holder.feed(x, kind)\nfinally:\n    net(holder.kept).sum().backward()"
    stays(filled(feed, SHOWN), reason="escapes-by-attribute")


MAKER = """
    class Maker(object):
        def __init__(self, kind, other):
            if kind == 'l1':
                self.loss = torch.nn.L1Loss()
            elif kind == 'l2':
                self.loss = torch.nn.MSELoss()
            else:
                raise ValueError(kind)
            if other == 'l1':
                self.other = torch.nn.L1Loss()
            elif other == 'l2':
                self.other = torch.nn.MSELoss()
            else:
                raise ValueError(kind)

    def f(kind, other):
        made = Maker(kind, other)
"""


def test_what_follows_an_object_needs_no_condition_that_it_was_made():
    machine = ran(MAKER)
    assert machine.pc.is_true
    (made,) = [cell for cell in machine.heap.values() if cell.kind == "object" and cell.owner is not None]
    for name in ("loss", "other"):
        rows = made.attr(name) or ()
        assert len(rows) == 2
        assert rows[0][0] is ~rows[1][0]
        assert len(rows[0][0].support()) == 1


CAUGHT = """
        try:
            made = Maker(kind, other)
        except ValueError:
            made = None
"""


def test_where_the_exception_is_caught_the_object_may_be_half_made():
    machine = ran(MAKER.replace("        made = Maker(kind, other)\n", CAUGHT.strip("\n") + "\n"))
    (made,) = [cell for cell in machine.heap.values() if cell.kind == "object" and cell.owner is not None]
    assert len(made.attr("loss") or ()) == 3
