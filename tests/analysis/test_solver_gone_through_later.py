"""An object of the project that ``iter`` or ``zip`` is given computes as somebody goes over what that gives."""

from __future__ import annotations

import pytest
from solving import covers

ROUNDS = """
    import torch.nn as nn
    from torch.utils.data import DataLoader

    encoder = nn.Linear(3, 3)


    class Feed(object):
        def __init__(self, rows):
            self.rows = rows

        {method}


    def learn(net, rows, show):
        {made}
        for turn in range(9):
            x = Variable(rows[turn], volatile=True)
            y = net(x)
            {row}
            z = net(x)
            show(y.data, z.data)
            row.sum().backward()
    """
METHODS = (
    "def __iter__(self):\n            for row in self.rows:\n                yield encoder(Variable(row))",
    "def __getitem__(self, index):\n            return encoder(Variable(self.rows[index]))",
    "def __iter__(self):\n            return self\n\n"
    "        def __next__(self):\n            return encoder(Variable(self.rows.pop()))",
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("made", "row"), [
    ("feed = iter(Feed(rows))", "row = next(feed)"),
    ("feed = enumerate(Feed(rows))", "number, row = next(feed)"),
    ("feed = zip(rows, Feed(rows))", "mark, row = next(feed)"),
    ("feed = map(lambda row: row * 2, Feed(rows))", "row = next(feed)"),
    ("feed = filter(None, Feed(rows))", "row = next(feed)"),
])
def test_what_an_object_computes_as_it_is_gone_over_later_is_in_no_block_between(method: str, made: str, row: str):
    covers(ROUNDS.format(method=method, made=made, row=row), ["y = net", "z = net"], [row])


def test_a_loader_gives_what_a_dataset_in_view_computes_whatever_joins_it():
    covers(ROUNDS.format(method=METHODS[1], row="row = next(feed)",
                         made="feed = iter(DataLoader(Feed(rows), 4, collate_fn=torch.stack))"),
           ["y = net", "z = net"], ["row = next"])


def test_an_object_that_computes_nothing_keeps_no_block_away():
    method = "def __iter__(self):\n            for row in self.rows:\n                yield row"
    body = ROUNDS.format(method=method, made="feed = iter(Feed(rows))", row="row = next(feed)")
    covers(body.replace("row.sum().backward()", "pass"), ["y = net", "row = next", "z = net"], [])
