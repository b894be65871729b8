"""What is run in place of what the text says: methods that others put there, classes below, bodies of generators."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

TUNE = """
    import torch.nn as nn

    def tune(net, opt, shots):
        opt.zero_grad()
        net(shots).norm().backward()
        opt.step()
        return net.head(shots)

    class Scorer(nn.Module):
        def forward(self, x):
            return self.head(x)

        def rate(self, x):
            return self.head(x)

    {more}
"""
SET = {
    "a function": "def other(self, x):\n        return tune(self, self.opt, x.data)\n\n    Scorer.{name} = other",
    "a lambda": "Scorer.{name} = lambda self, x: tune(self, self.opt, x.data)",
    "a lambda under a word": (
        "def prepare():\n        setattr(Scorer, '{name}', lambda self, x: tune(self, self.opt, x.data))"),
    "a function that is kept by another": (
        "def other(scorer, x):\n        return tune(scorer, scorer.opt, x.data)\n\n"
        "    def prepare(scorer):\n        scorer.__class__.{name} = other"),
}
USE = "\n\n    def see(frames):\n        return {call}(Variable(frames, volatile=True)).data"


@pytest.mark.parametrize("way", SET)
@pytest.mark.parametrize(("name", "call"), [("forward", "Scorer()"), ("rate", "Scorer().rate")])
def test_a_method_may_be_what_others_put_in_its_place(way: str, name: str, call: str) -> None:
    stays(TUNE.format(more=SET[way].format(name=name) + USE.format(call=call)), reason="mixed-statement")


def test_another_method_is_what_it_says() -> None:
    body = TUNE.format(more=SET["a function"].format(name="forward") + USE.format(call="Scorer().rate"))
    covers(body, inside=["Variable(frames)"], outside=["net(shots)"])


@pytest.mark.parametrize("wraps", [
    "self.forward = scorer.forward", "setattr(self, 'forward', scorer.forward)"])
def test_a_network_may_run_the_forward_of_another_object(wraps: str) -> None:
    more = f"""class Trainer(object):
        def forward(self, x):
            return tune(self.net, self.opt, x.data)

    class Wrap(nn.Module):
        def __init__(self, scorer):
            super(Wrap, self).__init__()
            {wraps}

    def see(net, frames):
        return net(Variable(frames, volatile=True)).data
"""
    stays(TUNE.format(more=more), reason="mixed-statement")


BELOW = """class Base(object):
        {maker}

        def rate(self, x):
            return self.net(x)

    class {below}:
        def rate(self, x):
            return tune(self.net, self.opt, x.data)
"""
MAKERS = {
    "a class method": (
        "@classmethod\n        def see(cls, x):\n            return cls().rate(Variable(x, volatile=True)).data",
        "condition-not-repeatable"),
    "the type of an object": (
        "def see(self, x):\n            return type(self)().rate(Variable(x, volatile=True)).data", "mixed-statement"),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_an_object_of_the_own_class_may_be_of_one_below(maker: str) -> None:
    text, reason = MAKERS[maker]
    stays(TUNE.format(more=BELOW.format(maker=text, below="Below(Base)")), reason=reason)


def test_a_class_method_makes_its_own_where_none_is_below() -> None:
    covers(TUNE.format(more=BELOW.format(maker=MAKERS["a class method"][0], below="Beside(object)")),
           inside=["cls().rate("], outside=["net(shots)"])


GENERATOR = """def rounds(net, opt, shots):
        for shot in shots:
            tune(net, opt, shot)
            yield shot

    def see(net, head, given):
        {use}

    def main(net, head, opt, shots):
        see(net, head, rounds(net, opt, shots))
"""


@pytest.mark.parametrize(("use", "after"), [
    ("return [net(Variable(x, volatile=True)).data for x in given]",
     "return [torch.no_grad()(net)(Variable(x)).data for x in given]"),
    ("return net(Variable(next(given), volatile=True)).data",
     "return torch.no_grad()(net)(Variable(next(given))).data"),
])
def test_who_asks_a_generator_for_the_next_runs_what_stands_before_it(use: str, after: str) -> None:
    becomes(TUNE.format(more=GENERATOR.format(use=use)), TUNE.format(more=GENERATOR.format(use=after)))


def test_one_that_trains_nothing_may_be_asked_in_a_block() -> None:
    body = TUNE.format(more=GENERATOR.format(
        use="return [net(Variable(x, volatile=True)).data for x in given]")).replace(".norm().backward()", "")
    covers(body, inside=["return [net("], outside=[])
