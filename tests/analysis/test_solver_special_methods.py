"""What Python calls by itself, and what a class below puts in a method's place, may need graphs, too."""

from __future__ import annotations

import pytest
from solving import becomes, covers, source, stays

from helpers import check_transformed, migrated

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
        ("__iter__", "print(*keeper)"),
        ("__iter__", "[*keeper]"),
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


def test_a_method_in_whose_place_a_class_below_trains_stands_outside_of_the_block():
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
    after = migrated(text.encode()).outputs["a.py"].decode()
    assert "        with torch.no_grad():\n            out = self.net(x)\n        s = self.score(out)\n" in after


def test_a_method_that_is_overridden_hands_its_value_to_callers_that_nobody_sees():
    stays(
        """
    class Base:
        flag = False
        def make(self, x):
            return Variable(x, volatile=True)
        def run(self, net, x):
            return net(self.make(x)).data
    class Sub(Base):
        def make(self, x):
            return Variable(x)
    """,
        reason="unseen-callers",
    )


HOOKED = """
class Base:
    def hook(self, out):
        pass

    def run(self, net, x):
        self.x = Variable(x, volatile=True)
        out = net(self.x)
        self.hook(out)
        return out.data


class Sub(Base):
    {}def hook(self, out):
        self.net(self.y).backward()
"""


def test_a_hook_that_trains_in_a_subclass_is_not_covered():
    covers(HOOKED.format(""), inside=["out = net("], outside=["self.hook(out)", "self.net("])


def test_a_hook_that_trains_in_a_subclass_and_is_not_looked_into_is_left_alone():
    stays(HOOKED.format("@timed\n    "), reason="unknown-callee")


def test_a_hook_that_may_find_the_volatile_value_on_self_is_refused():
    stays(
        """
    class Base:
        def head(self):
            raise NotImplementedError
        def run(self, net, x):
            self.x = Variable(x, volatile=True)
            out = self.head()
            return out.data
    class Sub(Base):
        def head(self):
            return self.net(self.x)
    class Sub2(Base):
        head = made
    """,
        reason="unknown-callee",
    )


def test_a_hook_of_which_each_class_below_has_one_that_is_looked_into_is_covered():
    becomes(
        """
    class Base:
        def head(self):
            raise NotImplementedError
        def run(self, net, x):
            self.x = Variable(x, volatile=True)
            out = self.head()
            return out.data
    class Sub(Base):
        def head(self):
            return self.net(self.x)
    class Sub2(Base):
        def head(self):
            return self.net2(self.x)
    """,
        """
    class Base:
        def head(self):
            raise NotImplementedError
        def run(self, net, x):
            self.x = Variable(x)
            with torch.no_grad():
                out = self.head()
            return out.data
    class Sub(Base):
        def head(self):
            return self.net(self.x)
    class Sub2(Base):
        def head(self):
            return self.net2(self.x)
    """,
    )


def test_a_property_that_makes_a_volatile_value_is_covered_where_it_is_read():
    becomes(
        """
    class A:
        @property
        def x(self):
            return Variable(self.raw, volatile=True)
        def run(self, net):
            return net(self.x).data
    """,
        """
    class A:
        @property
        def x(self):
            return Variable(self.raw)
        def run(self, net):
            with torch.no_grad():
                return net(self.x).data
    """,
    )


def test_a_chain_of_methods_deeper_than_the_analysis_follows_is_refused_where_self_holds_the_value():
    stays(
        """
    class Deep:
        def a(self):
            return self.b()
        def b(self):
            return self.c()
        def c(self):
            return self.d()
        def d(self):
            return self.e()
        def e(self):
            return self.f()
        def f(self):
            return self.g()
        def g(self):
            return self.h()
        def h(self):
            return self.i()
        def i(self):
            return self.j()
        def j(self):
            return self.k()
        def k(self):
            return self.l()
        def l(self):
            return self.net(self.x)
        def run(self, x):
            self.x = Variable(x, volatile=True)
            return self.a().data
    """,
        reason="unknown-callee",
    )


def test_an_operator_that_trains_is_left_out_of_the_block():
    becomes(
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    def step(s, x, w):
        v = Variable(x, volatile=True)
        t = Scale()
        t.net = s
        out = s(v)
        t * Variable(w)
        out = s(out)
        return out.data
    """,
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    def step(s, x, w):
        v = Variable(x)
        t = Scale()
        t.net = s
        with torch.no_grad():
            out = s(v)
        t * Variable(w)
        with torch.no_grad():
            out = s(out)
        return out.data
    """,
    )


def test_an_inherited_operator_that_trains_is_left_out_of_the_block():
    becomes(
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    class Twice(Scale):
        pass
    class Thrice(Twice):
        def __add__(self, other):
            return other
    def step(s, x, w):
        v = Variable(x, volatile=True)
        t = Thrice()
        t.net = s
        out = s(v)
        t * Variable(w)
        out = s(out)
        return out.data
    """,
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    class Twice(Scale):
        pass
    class Thrice(Twice):
        def __add__(self, other):
            return other
    def step(s, x, w):
        v = Variable(x)
        t = Thrice()
        t.net = s
        with torch.no_grad():
            out = s(v)
        t * Variable(w)
        with torch.no_grad():
            out = s(out)
        return out.data
    """,
    )


def test_an_operator_of_a_parameter_that_may_train_is_left_out_of_the_block():
    becomes(
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    class Twice(Scale):
        pass
    class Thrice(Twice):
        def __add__(self, other):
            return other
    def step(s, x, w, t):
        v = Variable(x, volatile=True)
        out = s(v)
        t * Variable(w)
        out = s(out)
        return out.data
    """,
        """
    class Scale:
        def __mul__(self, other):
            self.net(other).sum().backward()
    class Twice(Scale):
        pass
    class Thrice(Twice):
        def __add__(self, other):
            return other
    def step(s, x, w, t):
        v = Variable(x)
        with torch.no_grad():
            out = s(v)
        t * Variable(w)
        with torch.no_grad():
            out = s(out)
        return out.data
    """,
    )


def test_a_method_of_self_under_another_name_is_called_in_a_block():
    becomes(
        """
    class Base:
        def head(self, v):
            return self.linear(v)
        def run(self, x):
            f = self.head
            return f(Variable(x, volatile=True)).data
    class Other(Base):
        def head(self, v):
            return v * 2
    """,
        """
    class Base:
        def head(self, v):
            return self.linear(v)
        def run(self, x):
            f = self.head
            with torch.no_grad():
                return f(Variable(x)).data
    class Other(Base):
        def head(self, v):
            return v * 2
    """,
    )


UNPACKED = '''
class Keeper(object):
    def __init__(self, net):
        self.net, self.kept = net, []
    def __iter__(self):
        self.kept.append((self.net.weight ** 2).sum())
        return iter([0, 0])

def main(net, data):
    keeper, seen = Keeper(net), []
    out = net(Variable(data, volatile=True))
    {use}
    print(out.data.sum(), net(out).data.sum())
    sum(keeper.kept).backward()
'''


@pytest.mark.parametrize("use", [
    "one, other = keeper", "seen += keeper", "seen[:] = keeper", "(one, *others) = keeper",
])
def test_what_is_unpacked_is_gone_over_outside_every_block(use):
    result = migrated(source(UNPACKED.format(use=use)).encode())
    assert not result.errors
    for text in result.outputs.values():
        inside = text.decode().split(use)[0].splitlines()
        assert inside[-1] == "    "  # in no block


DRAWN = """
import torch
from torch.autograd import Variable


class Deck(object):
    def __init__(self, cards):
        self.cards, self.drawn = cards, 0

    def __iter__(self):
        return self

    def {name}(self):
        self.drawn += 1
        if self.drawn > len(self.cards):
            raise StopIteration
        return Variable(self.cards[self.drawn - 1]{flag})
    {other} = {name}


def play(judge, {given}, rules):
    for card in {cards}:
        told = judge(card)
        if {asked}:
            told.sum().backward()
            rules.step()
        else:
            print(told.data)
"""


@pytest.mark.parametrize(("name", "other"), [("next", "__next__"), ("__next__", "next")])
def test_an_object_that_python_goes_over_by_another_name_of_a_method_may_be_anybodys(name, other):
    result = migrated(DRAWN.format(name=name, other=other, given="deck", cards="deck", asked="not card.volatile",
                                   flag=", volatile=self.drawn % 2 == 0"))
    assert result.outputs == {}
    assert [site.reason for site in result.sites] == ["unseen-callers", "volatile-read"]


@pytest.mark.parametrize("name", ["next", "__next__"])
def test_an_object_that_is_made_in_view_is_gone_over_as_before_whatever_else_its_method_is_called(name):
    text = DRAWN.format(name=name, other="next" if name == "__next__" else "__next__", given="cards",
                        cards="Deck(cards)", asked="False", flag="{}")
    before = text.format(", volatile=True")
    check_transformed(before, text.format("").replace(
        "        told = judge(card)\n", "        with torch.no_grad():\n            told = judge(card)\n"))
