"""What a decorator made of a method is handed the object, though nobody looked into the decorator."""

from __future__ import annotations

import pytest
from solving import becomes, stays

PROGRAM = """
    import torch.nn.functional as F


    def stage(step):
        def whole(self, name):
            self.last = step(self, name)
            return self
        return whole


    class Chain:
        def __init__(self, picture, weights):
            self.weights = weights
            self.picture = picture

        {decorated}
        def blur(self, name):
            return F.conv2d(self.picture, self.weights[name])


    def show(picture, weights):
        chain = Chain(Variable(picture, volatile=True), weights)
        {use}
        return chain.last.data
    """

USES = [
    ("chain.blur('first')", "escapes-by-attribute"),
    ("chain.blur('first').blur('last')", "escapes-by-attribute"),
    ("Chain.blur(chain, 'first')", "escapes-by-attribute"),
    ("step = chain.blur\n        step('first')", "unknown-callee"),
    ("getattr(chain, 'blur')('first')", "unknown-callee"),
    ("list(map(chain.blur, ['first']))", "unknown-callee"),
]


@pytest.mark.parametrize(("use", "reason"), USES)
@pytest.mark.parametrize("decorated", ["@stage", "@stage\n        @stage"])
def test_a_flag_stays_where_what_it_made_may_compute_on_what_the_object_holds(use: str, reason: str, decorated: str):
    stays(PROGRAM.format(decorated=decorated, use=use), reason)


def test_a_chain_of_them_is_in_a_block_where_it_is_made():
    text = """
    import torch.nn.functional as F


    def stage(step):
        def whole(self, *args, **words):
            name = words.setdefault('name', step.__name__)
            out = step(self, self.ends[0], *args, **words)
            self.layers[name] = out
            self.take(out)
            return self
        return whole


    class Chain:
        def __init__(self, inputs, weights):
            self.weights, self.ends = weights, []
            self.layers = dict(inputs)
            self.build()

        def take(self, *given):
            self.ends = []
            for each in given:
                if isinstance(each, str):
                    each = self.layers[each]
                self.ends.append(each)
            return self

        @stage
        def blur(self, end, name):
            return F.conv2d(end, self.weights[name])


    class Short(Chain):
        def build(self):
            self.take('data').blur(name='first').blur(name='last')


    def show(picture, weights):
        def run(x):
            return Short({{'data': x}}, weights).layers['last']
        {block}out = run(Variable(picture{flag}))
        return out.size(2)
    """
    becomes(text.format(flag=", volatile=True", block=""), text.format(
        flag="", block="with torch.no_grad():\n            "))


@pytest.mark.parametrize("held", ["weights", "Variable(picture)"])
def test_an_object_that_holds_nothing_volatile_is_handed_over_as_before(held: str):
    text = PROGRAM.format(decorated="@stage", use="chain.blur('first')").replace(
        "Chain(Variable(picture, volatile=True), weights)", f"Chain({held}, weights)").replace(
        "return chain.last.data", "{block}return weights['net'](Variable(picture{flag})).data")
    becomes(text.format(flag=", volatile=True", block=""), text.format(
        flag="", block="with torch.no_grad():\n            "))
