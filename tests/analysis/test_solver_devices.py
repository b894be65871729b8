"""What a network in a ``DataParallel`` makes of something volatile beside something else is what its body says."""

from __future__ import annotations

import pytest
from solving import becomes, stays

NETWORK = """
    import torch.nn as nn
    class Reader(nn.Module):
        def __init__(self, width):
            super(Reader, self).__init__()
            self.words = nn.Embedding(9, width)
            self.score = nn.Linear(width, 2)
        def forward(self, batch, way=0):
            rows = self.words(batch['ids'])
            {used}
            return self.score(rows.sum(1))
    def collate(ids, sizes):
        return {{'ids': Variable(ids), 'sizes': Variable(sizes, {flag})}}
    def main(loader):
        net = {made}
        for ids, sizes in loader:
            batch = collate(ids, sizes)
            loss = {called}
            loss.sum().backward()
"""
USED = "rows = rows[:, :max(batch['sizes'].data.tolist())]"
SHOWN = "show(loss.sum())"
HOLDERS = ["nn.DataParallel(Reader(3))", "nn.DataParallel(Reader(3).cuda(), device_ids=[0, 1]).cuda()",
           "torch.nn.DataParallel(module=Reader(3))"]


def network(used=USED, made=HOLDERS[0], called="net(batch)", given="self.score(rows.sum(1))", end="", ids="ids"):
    text = NETWORK.format(used=used, made=made, called=called, flag="volatile=True")
    text = text.replace("self.score(rows.sum(1))", given).replace("Variable(ids)", f"Variable({ids})")
    return text.replace("loss.sum().backward()", end) if end else text


@pytest.mark.parametrize("made", HOLDERS)
def test_what_only_the_numbers_of_something_volatile_go_into_is_trained(made):
    before = network(made=made)
    becomes(before, before.replace(", volatile=True", ""))


@pytest.mark.parametrize("called", ["net(batch)", "net(batch, way=1)"])
@pytest.mark.parametrize("used", [
    "rows = rows * batch['sizes'].float()",
    "rows = rows / batch['sizes'] + batch['sizes'].data.max()",
])
def test_what_something_volatile_goes_into_is_volatile(used, called):
    stays(network(used=used, called=called), reason="gradient-demanded")


@pytest.mark.parametrize("made", [
    "nn.DataParallel(somewhere.Reader(3))", "nn.DataParallel(pick([Reader(3), loader]))",
    "nn.DataParallel(nn.Sequential(Reader(3)))", "nn.DataParallel(Reader(3) if loader else loader)",
    "nn.DataParallel(Reader(3))\n        net.module = loader",
    "nn.DataParallel(Reader(3))\n        net.module.forward = loader",
    "nn.DataParallel(Reader(3))\n        net.forward = loader",
    "Reader(3)\n        net.forward = loader\n        net = nn.DataParallel(net)",
])
def test_a_network_that_is_not_in_view_may_compute_with_all_that_it_is_handed(made):
    stays(network(made=made), reason="gradient-demanded")


@pytest.mark.parametrize("switch", [
    "net = Reader(3); net.scaled = False; net = nn.DataParallel(net)", "net = nn.DataParallel(Reader(3))",
])
def test_what_the_network_inside_is_set_to_when_it_runs_nobody_knows(switch):
    used = "rows = rows * batch['sizes'].float() if self.scaled else rows; batch['sizes'].data"
    before = network(used=used, end=SHOWN).replace("net = nn.DataParallel(Reader(3))", switch)
    stays(before.replace("self.words =", "self.scaled = False; self.words ="), reason="mixed-statement")


def test_what_the_copies_write_into_what_they_are_handed_may_be_lost():
    used = "batch['ids'] = batch['sizes'] * 2; batch['sizes'].data"
    called = "net(batch); loss = nn.Linear(3, 3)(batch['ids'].float())"
    stays(network(used=used, called=called, end=SHOWN), reason="mixed-statement")


def test_what_is_volatile_and_comes_back_beside_a_loss_asks_for_a_block_that_the_loss_does_not_stand_in():
    used, given = "many = self.score(batch['sizes'].float()); batch['sizes'].data", "self.score(rows.sum(1)), many"
    before = network(used=used, given=given)
    stays(before.replace("loss = net(batch)", "loss, many = net(batch)"), reason="mixed-statement")


def test_weights_that_a_network_gives_beside_something_volatile_get_their_graph_where_the_copies_are_joined():
    given = "self.score.weight, self.score(batch['sizes'].float())"
    before = network(used="batch['sizes'].data", given=given)
    stays(before.replace("loss = net(batch)", "loss, many = net(batch)"), reason="mixed-statement")


def test_what_is_handed_nothing_but_volatile_tensors_gives_some():
    before = network(used="rows = rows[:, :batch['sizes'].data.max()]", ids="ids, volatile=True", end=SHOWN)
    becomes(before, before.replace(", volatile=True", "").replace(
        "            loss = net(batch)\n", "            with torch.no_grad():\n                loss = net(batch)\n"))
