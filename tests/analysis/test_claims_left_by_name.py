"""What a body keeps of weights alone is not taken from a reader: under whatever name, by whatever way to a weight."""

from __future__ import annotations

from textwrap import indent

import pytest
from solving import covers, stays

ENCODER = """
    def roughness(table):
        return table.pow(2).mean()

    def roughness_of(part):
        return part.weight.pow(2).mean()

    class Gate(torch.nn.Module):
        def __init__(self):
            super(Gate, self).__init__()
            self.scale = torch.nn.Parameter(torch.ones(2))

        def price(self):
            return self.scale.abs().sum()

        def forward(self, h):
            return h * self.scale

    class Encoder(torch.nn.Module):
        def __init__(self, count=2):
            super(Encoder, self).__init__()
            self.top = torch.nn.Linear(2, 2)
            self.gate = Gate()
            self.words = torch.nn.Embedding(5, 2)
            self.steps = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(count)])
            self.shifts = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(2)) for _ in range(count)])
            self.loose = [torch.nn.Parameter(torch.ones(2)) for _ in range(count)]
            self.scale = torch.nn.Parameter(torch.ones(2))
            self.ids = Variable(torch.ones(2).long())
            self.price = 0
            self.prices = []
            self.calls, self.names = 0, ["price"]
            for i in range(count):
                setattr(self, 'hop%d' % i, torch.nn.Linear(2, 2))
                self.register_parameter('tilt%d' % i, torch.nn.Parameter(torch.ones(2)))

        def forward(self, x, strength=1.0, heavy=True):
{left}
            return self.top(x)

    def peek(encoder, t):
        return encoder(Variable(t, volatile=True)).data

    def learn(encoder, opt, x):
        {read}
        opt.step()
"""


def encoder(left: str, read: str) -> str:
    return ENCODER.replace("{left}", indent(left, " " * 12)).replace("{read}", read)


WAYS = [  # to a weight
    "for step in self.children():\n    self.price = self.price + step.weight.sum()",
    "total = 0\nfor part in self.modules():\n    if hasattr(part, 'weight'):\n        total += part.weight.sum()\n"
    "self.price = total",
    "self.price = self.shifts[1].sum()",
    "self.price = self.loose[0] * 2",
    "total = 0\nfor i, step in enumerate(self.steps):\n    total = total + step.bias.sum()\nself.price = total",
    "hop = getattr(self, 'hop%d' % 1).weight\nself.price = hop.abs().sum()",
    "self.price = getattr(self, 'tilt' + str(0)).sum()",
    "self.price = getattr(self.top, 'weight').sum()",
    "self.price = self._parameters['scale'].sum()",
    "self.price = self._modules['top'].bias.sum()",
    "self.price = roughness_of(self.top)",
    "self.price = roughness_of(part=self.top)",
    "self.price = self.gate.price()",
    "self.price = self.gate.scale.sum()",
    "self.price = self.words.weight[self.ids]",
    "scale = self.scale\nscale = scale / scale.sum()\nself.price = scale",
    "self.price = list(map(lambda p: p.sum(), self.parameters()))[0]",
    "total = []\nfor step in self.steps:\n    total.append(step.weight.sum())\nself.price = sum(total)",
]

TOLD = [  # of arguments that are no tensors
    "self.price = self.scale.sum() * strength",
    "self.price = self.scale.sum() if heavy else 0",
    "self.price = self.scale.sum() / len(x)",
    "self.price = self.scale.sum() if x.size(0) > 1 else 0",
]


@pytest.mark.parametrize("left", [*WAYS, *TOLD])
def test_whichever_way_leads_to_a_weight_its_graph_is_not_taken(left: str) -> None:
    stays(encoder(left, "encoder.price.sum().backward()"), "mixed-statement")


@pytest.mark.parametrize("left", [*WAYS[1:], *TOLD])
def test_nothing_stands_in_the_way_where_nobody_asks_for_it(left: str) -> None:
    covers(encoder(left, "encoder(Variable(x)).sum().backward()"), inside=["encoder(Variable(t"],
           outside=["backward()"])


NAMED = [  # under a name
    "setattr(self, 'pri' + 'ce', self.scale.sum())",
    "for name in ('price', 'other'):\n    setattr(self, name, self.scale.sum())",
    "self.__dict__['price'] = self.scale.sum()",
    "vars(self)['price'] = self.scale.sum()",
    "self.__dict__.update(price=self.scale.sum())",
    "self.__setattr__('price', self.scale.sum())",
    "object.__setattr__(self, 'price', self.scale.sum())",
    "Encoder.price = self.scale.sum()",
    "type(self).price = self.scale.sum()",
    "me = self\nme.price = self.scale.sum()",
    "self._buffers['price'] = self.scale.sum()",
]


@pytest.mark.parametrize("left", NAMED)
def test_under_whichever_name_it_is_kept(left: str) -> None:
    stays(encoder(left, "encoder.price.sum().backward()"), "mixed-statement")


BUILT = "for i in range(2):\n    setattr(self, 'price_%d' % i, getattr(self, 'hop%d' % i).weight.sum())"


@pytest.mark.parametrize("read", [
    "sum(getattr(encoder, 'price_' + str(i)) for i in range(2)).backward()",
    "(encoder.price_0 + encoder.price_1).backward()",
    "getattr(encoder, 'price_1').backward()",
    "encoder.__dict__['price_%d' % 1].backward()",
    "for name in ('price_0', 'price_1'):\n            getattr(encoder, name).backward()",
])
def test_what_is_kept_under_names_that_are_put_together_is_asked_for_by_any_that_fits(read: str) -> None:
    stays(encoder(BUILT, read), "mixed-statement")


@pytest.mark.parametrize("read", [
    "sum(getattr(encoder, 'cost_' + str(i)) for i in range(2)).backward()",
    "(encoder.cost_0 + encoder.cost_1).backward()",
    "print(encoder.price_1.data)",
    "for name in ('cost_0', 'cost_1'):\n            getattr(encoder, name).backward()",
    "getattr(encoder, 'show_' + str(x))()",
    "encoder(Variable(x))\n        (encoder.price_0 + encoder.price_1).backward()",
])
def test_other_names_ask_for_something_else(read: str) -> None:
    covers(encoder(BUILT, read), inside=["encoder(Variable(t"], outside=["opt.step()"])


DROPPING = """
    class Dropping(torch.nn.Module):
        def __init__(self, module, names):
            super(Dropping, self).__init__()
            self.module, self.names = module, names

        def forward(self, x):
            for name in self.names:
                raw = getattr(self.module, name + '_raw')
                setattr(self.module, name, torch.nn.functional.dropout(raw, 0.5))
            return self.module(x)

    def peek(net, t):
        return net(Variable(t, volatile=True)).data

    def learn(net, opt, x):
        {read}
        opt.step()
"""


@pytest.mark.parametrize("read", [
    "print(net.lr, opt.state, net.module.size)",
    "net.decoder.weight = net.encoder.weight",
    "net.top.weight.data.uniform_()",
])
def test_a_name_of_which_nothing_is_written_out_is_not_taken_for_every_name(read: str) -> None:
    covers(DROPPING.format(read=read), inside=["net(Variable(t"], outside=["opt.step()"])


def test_it_may_be_that_of_a_layer_s_weight() -> None:
    stays(DROPPING.format(read="net.module.weight.pow(2).sum().backward()"), "mixed-statement")


def test_a_sum_over_all_runs_reads_in_each_what_the_one_before_left() -> None:
    stays(encoder(WAYS[0], "encoder(Variable(x)).sum().backward()"), "mixed-statement")


@pytest.mark.parametrize("left", [
    "self.calls = self.calls + 1",
    "self.calls = self.calls + len(self.steps)",
    "self.price = sum(p.numel() for p in self.parameters())",
    "self.price = [p for p in self.parameters()]",
    "self.price = self.shifts[0]",
    "self.price = list(self._parameters.values())",
    "self.price = self.gate.price().data",
    "self.price = getattr(self, 'hop%d' % 1).weight.data.sum()",
    "self.price = self.top(x) * self.scale",
    "self.price = [step(x) for step in self.steps]",
    "self.price = roughness(x)",
    "self.price = 0\nfor step in self.steps:\n    self.price = self.price + step(x)",
])
def test_what_holds_no_graph_of_weights_alone_is_no_obstacle(left: str) -> None:
    covers(encoder(left, "print(encoder.price, encoder.calls)"), inside=["encoder(Variable(t"], outside=["opt.step()"])


def test_a_sum_that_begins_anew_in_every_run_does_not_read_what_another_one_left() -> None:
    left = "self.price = 0\nfor step in self.steps:\n    self.price = self.price + step.weight.sum()"
    covers(encoder(left, "pass"), inside=["encoder(Variable(t"], outside=["opt.step()"])
    covers(encoder(left, "(encoder(Variable(x)).sum() + encoder.price).backward()"), inside=["encoder(Variable(t"],
           outside=["opt.step()"])
