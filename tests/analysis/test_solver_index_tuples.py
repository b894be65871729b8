"""A volatile index alone makes what it takes, and what it writes into, volatile; one among several parts does not.

Held against what was recorded on 0.3.0 (16.01, 16.06): ``x[i]``, ``x[i, :]``, ``x[[i]]``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import check_noop, check_transformed, migrated

RECORDED = {probe["id"][:5]: probe["obs"] for probe in json.loads(
    (Path(__file__).parents[1] / "fixtures" / "observations-own-0.3.0.json").read_text())["probes"]}
TRAINED = """

def train(net, optimizer, batches):
    for batch in batches:
        loss = net(Variable(batch)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
PAIRS = """\
import torch
from torch import nn
from torch.autograd import Variable


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)

    def forward(self, x):
        {name} = Variable(torch.arange(0, 2).long(), volatile=True)
        features = self.base(x)
        other = features[{index}]
        return features[:2] - other
""" + TRAINED
# what 0.3 took, by the one volatile index in it
TAKEN = [(label[2:-1], found["volatile"]) for label, found in RECORDED["16.01"]
         if "raises" not in found and label not in ("x[vm]", "x[vi.data, :]", "x[[vi, vj]]", "x[vi, vj]")]


def only(index: str) -> str:
    """The name of the volatile index in what is between brackets."""
    return next(name for name in ("vi", "vj", "vs") if name in index)


@pytest.mark.parametrize(("index", "volatile"), TAKEN)
def test_what_an_index_takes_is_volatile_as_it_was_on_0_3(index, volatile):
    plain = "".join(f"        {name} = torch.LongTensor([0, 1])\n" for name in ("i", "j") if name in index.split(", "))
    source = PAIRS.format(name=only(index), index=index).replace("        features = ", f"{plain}        features = ")
    expected = source.replace(", volatile=True", "")
    if volatile:
        first, second = f"        other = features[{index}]\n", "        return features[:2] - other\n"
        expected = expected.replace(first + second, f"        with torch.no_grad():\n    {first}    {second}")
    check_transformed(source, expected)


@pytest.mark.parametrize("index", ["picked, :", ":, picked", "[picked, picked]", "..., picked",
                                   "tuple([picked, rows])"])
def test_a_flag_of_an_index_among_others_goes_alone(index):
    source = PAIRS.format(name="picked", index=index).replace("forward(self, x)", "forward(self, x, rows=None)")
    check_transformed(source, source.replace(", volatile=True", ""))


@pytest.mark.parametrize("index", ["picked.chunk(2)", "torch.split(picked, 1)", "torch.unbind(picked)"])
def test_several_tensors_that_an_operation_gave_are_several_parts(index):
    source = PAIRS.format(name="picked", index=index)
    check_transformed(source, source.replace(", volatile=True", ""))


@pytest.mark.parametrize(("before", "index"), [
    ("first, second = picked.chunk(2)", "first"), ("first = picked.chunk(2)[0]", "first"),
    ("first = torch.stack(picked.split(1))", "first"), ("first = next(iter(picked))", "first")])
def test_one_of_them_is_an_index_alone(before, index):
    source = PAIRS.format(name="picked", index=index).replace(
        "        features = ", f"        {before}\n        features = ")
    first, second = f"        other = features[{index}]\n", "        return features[:2] - other\n"
    check_transformed(source, source.replace(", volatile=True", "").replace(
        first + second, f"        with torch.no_grad():\n    {first}    {second}"))


@pytest.mark.parametrize("take", ["features.__getitem__((picked, picked))", "operator.getitem(features, [picked])"])
def test_several_parts_are_that_in_calls_too(take):
    source = "import operator\n" + PAIRS.format(name="picked", index="0").replace("features[0]", take)
    check_transformed(source, source.replace(", volatile=True", ""))


def test_what_is_added_to_a_tuple_is_one():
    source = PAIRS.format(name="picked", index="(picked,) + rows")
    source = source.replace("forward(self, x)", "forward(self, x, rows=None)")
    check_transformed(source, source.replace(", volatile=True", ""))


@pytest.mark.parametrize("index", ["rows.of(picked)", "unseen(picked)"])
def test_what_may_be_several_parts_or_one_is_left_alone(index):
    source = PAIRS.format(name="picked", index=index).replace("forward(self, x)", "forward(self, x, rows=None)")
    check_noop(source, reason="too-complex")


def test_where_the_tensor_is_volatile_itself_its_parts_are_whatever_they_are_taken_by():
    check_transformed("""\
import torch
from torch.autograd import Variable


def show(net, x):
    out = net(Variable(x, volatile=True))
    picked = Variable(torch.arange(0, 2).long(), volatile=True)
    print((out[picked, :] * 2).data)
""", """\
import torch
from torch.autograd import Variable


def show(net, x):
    with torch.no_grad():
        out = net(Variable(x))
    picked = Variable(torch.arange(0, 2).long())
    print((out[picked, :] * 2).data)
""")


@pytest.mark.parametrize("table", ["self.rows", "rows.of(x)"])
def test_what_may_be_no_tensor_may_make_something_of_the_parts(table):
    source = PAIRS.format(name="picked", index="picked, :").replace("self.base(x)\n", f"{table}\n").replace(
        "forward(self, x)", "forward(self, x, rows=None)")
    assert "no_grad" not in str(migrated(source).outputs)


def test_an_object_of_the_project_gets_the_parts_themselves():
    source = """\
import torch
from torch import nn
from torch.autograd import Variable


class Rows(object):
    def __init__(self):
        self.net = nn.Linear(4, 4)

    def __getitem__(self, parts):
        return self.net(parts[0])


def show(rows, x):
    picked = Variable(x, volatile=True)
    out = Rows()[picked, 1]
    return out.data
"""
    check_transformed(source, source.replace("(x, volatile=True)", "(x)").replace(
        "    out = Rows()[picked, 1]\n", "    with torch.no_grad():\n        out = Rows()[picked, 1]\n"))


# --- writes ----------------------------------------------------------------------------------------------------------

WRITTEN = """\
import torch
from torch import nn
from torch.autograd import Variable


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)

    def forward(self, x):
        picked = Variable(torch.arange(0, 2).long(), volatile=True)
        mask = Variable(torch.zeros(4, 4))
        mask[{index}] = 1.0
        return self.base(x) * mask
"""


@pytest.mark.parametrize("index", ["picked, :", ":, picked", "[picked, picked]", "(picked,)"])
def test_what_is_written_by_several_parts_is_not_volatile(index):
    source = WRITTEN.format(index=index) + TRAINED
    check_transformed(source, source.replace(", volatile=True", ""))


def test_what_is_written_by_several_tensors_that_an_operation_gave_is_not_volatile():
    source = WRITTEN.format(index="picked.chunk(2)") + TRAINED
    check_transformed(source, source.replace(", volatile=True", ""))


def test_what_is_written_by_what_may_be_several_parts_or_one_is_left_alone():
    check_noop(WRITTEN.format(index="unseen(picked)"), reason="too-complex")


def test_what_is_written_by_an_index_alone_is_volatile():
    source = WRITTEN.format(index="picked")
    check_transformed(source, source.replace(", volatile=True", "").replace(
        "        return self.base(x) * mask\n",
        "        with torch.no_grad():\n            return self.base(x) * mask\n"))


def test_a_graph_that_such_a_write_took_away_keeps_its_flag():
    source = WRITTEN.format(index="picked").replace("Variable(torch.zeros(4, 4))", "self.base(x)")
    check_noop(source, reason="write-into-graph")


ADDED = """\
import torch
from torch.autograd import Variable


def show(net, x, rows):
    v = Variable(rows, volatile=True)
    mask = Variable(torch.zeros(4, 4))
    mask[{index}] {op} {given}
    out = net(x) * mask
    return out.data
"""


@pytest.mark.parametrize(("index", "given"), [("v", "1"), ("0", "v[0]"), (":, 1:", "v")])
@pytest.mark.parametrize("op", ["+=", "*="])
def test_what_is_computed_in_place_with_a_part_is_put_back_there(index, given, op):
    source = ADDED.format(index=index, given=given, op=op)
    check_transformed(source, source.replace(", volatile=True", "").replace(
        "net(x) * mask", "(net(x) * mask).detach()"))


@pytest.mark.parametrize(("index", "given"), [("v, :", "1"), ("0", "1"), ("v.data", "1")])
def test_what_is_not_volatile_is_put_back_as_it_was(index, given):
    source = ADDED.format(index=index, given=given, op="+=")
    check_transformed(source, source.replace(", volatile=True", ""))


def test_a_graph_that_goes_where_a_volatile_part_is_put_back_keeps_its_flag():
    source = ADDED.format(index="0", given="v[0]", op="+=").replace(
        "Variable(torch.zeros(4, 4))", "torch.nn.Linear(4, 4)(Variable(x))")
    check_noop(source, reason="write-into-graph")


def test_what_callers_hand_over_to_be_written_into_may_be_a_tensor():
    source = ADDED.format(index="v", op="=", given="1").replace("x, rows", "x, rows, mask").replace(
        "    mask = Variable(torch.zeros(4, 4))\n", "")
    check_transformed(source, source.replace(", volatile=True", "").replace(
        "net(x) * mask", "(net(x) * mask).detach()"))
