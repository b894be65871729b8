"""What voltfix does where it fails itself: nothing is written, and each site says so."""

from __future__ import annotations

import pytest

from voltfix import core
from voltfix.model import Decision, Options, Plan
from voltfix.pipeline import settling
from voltfix.solver import plan

SOURCE = b"""import torch
from torch.autograd import Variable


def evaluate(net, x, flags):
    y = net(Variable(x, volatile=True))
    return y.data, Variable(x, **flags)
"""


def test_an_analysis_that_fails_refuses_every_site(monkeypatch):
    def fails(*arguments):
        raise LookupError("odd")

    monkeypatch.setattr(plan, "Decider", fails)
    result = core.migrate({"a.py": SOURCE})
    assert result.outputs == {}
    assert [(row.line, row.status, row.reason) for row in result.sites] == [
        (6, "refused", "internal-error"), (7, "refused", "internal-error")
    ]  # fmt: skip
    assert "LookupError: odd" in result.sites[0].message


def test_a_plan_that_never_passes_its_checks_is_given_up(monkeypatch):
    monkeypatch.setattr(settling, "MAX_ROUNDS", 0)
    result = core.migrate({"a.py": SOURCE})
    assert result.outputs == {}
    assert [(row.line, row.reason) for row in result.sites] == [(6, "internal-error"), (7, "kwargs-dictionary")]
    assert "no plan passes its own checks" in result.sites[0].message


def test_a_site_that_is_decided_without_an_edit_is_not_called_fixed(monkeypatch):
    from voltfix.flags.sites import find
    from voltfix.program.resolve import Project

    def undecided(modules, options: Options) -> Plan:
        return Plan(left=tuple(Decision(site, "drop", "goes") for site in find(Project(modules))))

    monkeypatch.setattr(settling, "solver", lambda: undecided)
    result = core.migrate({"a.py": SOURCE})
    assert result.outputs == {}
    assert {(row.status, row.reason) for row in result.sites} == {("refused", "internal-error")}


@pytest.mark.parametrize("data", [b"\xff" + SOURCE, SOURCE + b"def (:\n", SOURCE + b"\0"])
def test_a_file_that_cannot_be_read_has_an_error_and_no_site(data):
    result = core.migrate({"a.py": data})
    assert (result.outputs, result.sites) == ({}, ())
    assert [error.path for error in result.errors] == ["a.py"]
