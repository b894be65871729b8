from __future__ import annotations

import inspect

import pytest

from voltfix.torchmodel import methods, operations, tables, traits
from voltfix.torchmodel.inplace import FLAG, flag_position
from voltfix.torchmodel.losses import LOSSES


def test_no_name_has_two_rows():
    assert not operations.OPERATIONS.keys() & methods.METHODS.keys()


def test_every_trait_is_a_bit_of_its_own_and_some_row_has_it():
    bits = [value for name, value in vars(traits).items() if name.isupper()]
    assert len(set(bits)) == len(bits)
    assert [bit for bit in bits if bit.bit_count() != 1 or not tables.having(bit)] == []


@pytest.mark.parametrize(
    ("name", "argument"), [("gather", 2), ("gather_", 0), ("masked_fill_", "mask"), ("l1_loss", 1)]
)
def test_a_row_says_what_passes_volatile_on(name, argument):
    assert tables.is_contagious(name, argument) is (name == "gather_")


def test_a_loss_of_which_nothing_is_spared_is_contagious():
    assert {row.module for row in LOSSES if not row.spared} == tables.CONTAGIOUS_LOSSES
    assert tables.is_contagious("margin_ranking_loss", 1)


def test_an_index_that_comes_beside_values_is_never_volatile():
    assert [tables.volatile_result("max", at) for at in (0, 1)] == [True, False]


@pytest.mark.parametrize("name", ["dropout", "relu", "leaky_relu", "rrelu", "Dropout", "ReLU", "Threshold", "RReLU"])
def test_the_flag_to_write_in_place_stands_where_torch_has_it(name: str):
    torch = pytest.importorskip("torch")
    makes = getattr(torch.nn, name) if name[0].isupper() else getattr(torch.nn.functional, name)
    named = list(inspect.signature(makes.__init__ if name[0].isupper() else makes).parameters)
    assert named.index(FLAG) - (named[0] == "self") == flag_position(name)


def test_what_has_no_such_flag_has_none():
    assert [flag_position(name) for name in ("softmax", "Linear", "add_", "alpha_dropout")] == [None] * 4
