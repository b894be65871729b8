"""What Python calls by itself, and what a class below puts in a method's place, may need graphs, too."""

from __future__ import annotations

import pytest
from solving import source

from helpers import migrated

KEEPER = '''
class Keeper(object):
    def __init__(self, net):
        self.net = net
        self.kept = []
    def {name}(self, *args):
        self.kept.append((self.net.weight ** 2).sum())
        return 3

def main(net, data):
    keeper = Keeper(net)
    print(net(Variable(data, volatile=True)).data.sum(), {use})
    sum(keeper.kept).backward()
'''


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("__len__", "len(keeper)"),
        ("__str__", "str(keeper)"),
        ("__str__", "'%s' % keeper"),
        ("__next__", "next(keeper)"),
        ("__contains__", "3 in keeper"),
        ("__eq__", "keeper == 3"),
        ("__bool__", "1 if keeper else 2"),
        ("__add__", "keeper + 3"),
        ("__neg__", "-keeper"),
        ("__getattr__", "keeper.penalty"),
        ("__iter__", "[t for t in keeper]"),
    ],
)
def test_a_special_method_that_keeps_a_graph_runs_outside_every_block(name, use):
    result = migrated(source(KEEPER.format(name=name, use=use)).encode())
    assert not result.errors
    assert result.outputs or {site.status for site in result.sites} == {"refused"}
    for text in result.outputs.values():
        assert b"torch.no_grad():" not in (text if isinstance(text, bytes) else text.encode())


def test_a_context_manager_that_sends_backward_is_not_entered_in_a_block():
    text = source('''
class Penalty(object):
    def __init__(self, net):
        self.net = net
    def __enter__(self):
        self.loss = (self.net.weight ** 2).sum()
    def __exit__(self, *rest):
        self.loss.backward()

def main(net, data):
    with Penalty(net):
        x = Variable(data, volatile=True)
        out = net(x)
        print(out.data.sum())
''')
    result = migrated(text.encode())
    assert not result.errors
    assert result.outputs
    for out in result.outputs.values():
        after = out if isinstance(out, str) else out.decode()
        assert "    with Penalty(net):\n        x = Variable(data)\n        with torch.no_grad():\n" in after


def test_a_method_in_whose_place_a_class_below_trains_gets_no_block():
    text = source('''
class Base(object):
    def __init__(self, net):
        self.net = net
    def score(self, out):
        return out.data.sum()
    def evaluate(self, data):
        x = Variable(data, volatile=True)
        out = self.net(x)
        s = self.score(out)
        print(s)

class Trained(Base):
    def score(self, out):
        loss = (self.net.weight ** 2).sum()
        loss.backward()
        return out.data.sum()
''')
    result = migrated(text.encode())
    assert result.outputs == {}
    assert [site.status for site in result.sites] == ["refused"]
