"""What is remembered of weights, by a property, a decorator or a hook: whoever asks next gets what the block made."""

from __future__ import annotations

import pytest
from solving import covers, stays

FILLED = """
    class Graph(torch.nn.Module):
        def __init__(self):
            super(Graph, self).__init__()
            self.w = torch.nn.Parameter(torch.ones(2, 2))
            self._square = None

        {decorator}
        def square(self):
            if self._square is None:
                self._square = {made}
            return self._square

        def forward(self, x):
            return x.mm(self.square{call})

    def step(graph, x, t, opt):
        seen = graph(Variable(t, volatile=True)).data
        graph(Variable(x)).sum().backward()
        opt.step()
        graph._square = None
        return seen
"""


@pytest.mark.parametrize(("decorator", "call"), [("@property", ""), ("", "()")])
def test_what_is_filled_in_once_is_read_by_the_next_who_asks(decorator: str, call: str) -> None:
    made = "self.w.mm(self.w.t())"
    stays(FILLED.format(decorator=decorator, call=call, made=made), "mixed-statement")


@pytest.mark.parametrize("made", ["self.w", "self.w.data.mm(self.w.data.t())", "torch.ones(2, 2)"])
def test_what_is_filled_in_without_a_graph_is_no_obstacle(made: str) -> None:
    covers(FILLED.format(decorator="@property", call="", made=made), inside=["graph(Variable(t"], outside=["backward"])


DECORATED = """
    import functools

    def remembered(method):
        found = {{}}
        def ask(self):
            if self not in found:
                result = method(self)
                found[self] = result
            return found[self]
        return ask

    class Remembering(object):
        def __init__(self, method):
            self.method = method
            self.last = None

        def __call__(self, *args):
            self.last = self.method(*args)
            return self.last

    def timed(method):
        times = []
        def run(self):
            begun = time.time()
            result = method(self)
            times.append(time.time() - begun)
            return result
        return run

    class Graph(torch.nn.Module):
        def __init__(self):
            super(Graph, self).__init__()
            self.w = torch.nn.Parameter(torch.ones(2, 2))

        {decorator}
        def square(self):
            return {gives}

        def forward(self, x):
            return x.mm(self.square())

    def step(graph, x, t, opt):
        seen = graph(Variable(t, volatile=True)).data
        graph(Variable(x)).sum().backward()
        opt.step()
        return seen
"""


@pytest.mark.parametrize("decorator", ["@remembered", "@functools.lru_cache()", "@Remembering", "@caching.memoize"])
def test_what_a_decorator_remembers_is_given_to_the_next_who_asks(decorator: str) -> None:
    if "caching" in decorator:
        decorator = "@memoize"
        source = DECORATED.replace("import functools", "import functools\n    from caching import memoize")
    else:
        source = DECORATED
    stays(source.format(decorator=decorator, gives="self.w.mm(self.w.t())"), "mixed-statement")


@pytest.mark.parametrize(("decorator", "gives"), [
    ("", "self.w.mm(self.w.t())"),
    ("@timed", "self.w.mm(self.w.t())"),
    ("@remembered", "self.w"),
    ("@functools.lru_cache()", "self.w.data.mm(self.w.data.t())"),
])
def test_a_decorator_that_keeps_no_graph_is_no_obstacle(decorator: str, gives: str) -> None:
    covers(DECORATED.format(decorator=decorator, gives=gives), inside=["graph(Variable(t"], outside=["backward"])


HOOKED = """
    class Dropped(object):
        def __init__(self, name):
            self.name = name

        def __call__(self, layer, given):
            raw = getattr(layer, self.name + '_raw')
            setattr(layer, self.name, {made})

    def step(x, t, opt):
        layer = torch.nn.Linear(2, 2)
        layer.register_forward_pre_hook(Dropped('weight'))
        loss = layer(Variable(x)).sum()
        seen = layer(Variable(t, volatile=True)).data
        {then}
        loss.backward()
        return seen
"""
DROPPED = "torch.nn.functional.dropout(raw, 0.5)"


def test_a_weight_that_a_hook_sets_is_not_taken_from_a_loss_that_reads_it() -> None:
    stays(HOOKED.format(made=DROPPED, then="loss = loss + layer.weight.norm()"), "forward-hook")


@pytest.mark.parametrize(("made", "then"), [
    (DROPPED, "pass"),
    (DROPPED, "print(layer.weight.data.norm())"),
    (DROPPED, "loss = layer(Variable(x)).sum() + layer.weight.norm()"),
    ("raw.data.clone()", "loss = loss + layer.weight.norm()"),
])
def test_a_hook_whose_weight_nobody_reads_but_after_a_run_of_his_own_is_no_obstacle(made: str, then: str) -> None:
    covers(HOOKED.format(made=made, then=then), inside=["layer(Variable(t"], outside=["loss.backward"])


TABLE = """
    def light(net, notes, x):
        notes.cost = {light}
        return net(x)

    def heavy(net, notes, x):
        return net(x)

    KINDS = {{'light': light, 'heavy': heavy}}

    def look(kind, net, notes, t):
        return KINDS[kind](net, notes, Variable(t, volatile=True)).data

    def learn(notes, opt):
        {read}
        opt.step()
"""


def test_what_a_function_of_a_table_keeps_on_what_it_is_given_is_not_taken() -> None:
    stays(TABLE.format(light="net.weight.norm()", read="notes.cost.backward()"), "mixed-statement")


@pytest.mark.parametrize(("light", "read"), [
    ("net.weight.data.norm()", "print(notes.cost)"),
])
def test_what_it_keeps_without_a_graph_is_no_obstacle(light: str, read: str) -> None:
    covers(TABLE.format(light=light, read=read), inside=["KINDS[kind]("], outside=["opt.step()"])
