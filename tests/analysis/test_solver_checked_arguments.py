"""What an object keeps is kept on the paths alone that did not end in an exception before."""

from __future__ import annotations

import pytest
from solving import covers, stays

CODE = """
        class Rows(object):
            def __init__(self, inputs, targets, frozen=False):
                {check}
                self.inputs = inputs
                {also}
                self.frozen = frozen

            def get(self):
                return Variable(self.inputs, volatile=self.frozen)

        def evaluate(net, rows):
            return net(rows.get())

        def run(net, inputs, targets):
            {made}
            return evaluate(net, rows)
"""
CHECKS = ["assert len(inputs) == len(targets)", "assert inputs.size(0) > 1, inputs",
          "if not inputs: raise ValueError(inputs)", "if targets is None or len(inputs) < 2: raise TypeError(targets)"]
MADE = "rows = Rows(inputs, targets, frozen=True)"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("made", [
    MADE, "for_training = Rows(inputs, targets)\n            " + MADE,
    "for_training = Rows(inputs[2:], targets[2:])\n            " + MADE,
    "rows = Rows(inputs, targets, True)\n            others = Rows(targets, targets, frozen=True)",
])
def test_arguments_that_are_checked_first_are_no_condition_of_what_is_kept(check: str, made: str) -> None:
    covers(CODE.format(check=check, also="pass", made=made), inside=["return evaluate("], outside=["def evaluate"])


@pytest.mark.parametrize(("check", "also"), [
    ("if len(inputs) < 2: frozen = False", "pass"),
    ("if targets is None: frozen = self.train = False", "pass"),
    ("assert len(inputs) > 1", "frozen = frozen and len(targets) > 1"),
])
def test_a_check_that_ends_in_no_exception_is_a_condition(check: str, also: str) -> None:
    stays(CODE.format(check=check, also=also, made=MADE), "condition-not-repeatable")


def test_what_an_exception_hangs_on_that_is_caught_is_a_condition() -> None:
    made = "try:\n                " + MADE + "\n            except ValueError:\n                rows = Rows([1], [2])"
    stays(CODE.format(check="if len(inputs) < 2: raise ValueError(inputs)", also="pass", made=made),
          "condition-not-repeatable")
