from __future__ import annotations

from voltfix.program.bindings import VARIABLE, Ambiguous, External, Unknown, canonical, merge


def test_variable_has_one_name_wherever_it_is_imported_from():
    assert canonical("torch.autograd.variable.Variable") == VARIABLE
    assert canonical("torch.nn.Linear") == "torch.nn.Linear"


def test_what_is_the_same_on_all_ways_is_that():
    assert merge([External("a"), External("a")]) == External("a")


def test_what_differs_by_the_way_is_ambiguous():
    found = merge([External("a"), External("b")])
    assert isinstance(found, Ambiguous)
    assert set(found.candidates) == {External("a"), External("b")}


def test_nothing_at_all_is_unknown():
    assert merge([]) == Unknown()
