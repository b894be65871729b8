"""What the verifier takes back: the one rule that makes a difference, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

from voltfix import core
from voltfix.model import Options, Verification
from voltfix.verify.plan import Item

SOURCE = dedent("""\
    import torch
    import torch.nn.functional as F
    from torch.autograd import Variable
    def f(net, x, y):
        x = Variable(x, volatile=True)
        loss = F.mse_loss(net(x), y)
        p = F.tanh(loss)
        return loss.data[0], p
    """).encode()


class Verifier:
    """Finds a difference where one of its words stands in the new text."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __call__(self, items: Sequence[Item]) -> list[Verification]:
        return [self._judge("".join(item.after.values())) for item in items]

    def _judge(self, text: str) -> Verification:
        found = [word for word in self.words if word in text]
        cpu = "different" if found else "identical"
        return Verification("symbolic", cpu, "not-run", f"{found[0]} differs" if found else None)  # type: ignore[arg-type]


def modernized(*words: str) -> tuple[str, list[tuple[str, str, str | None]], Verification]:
    result = core.migrate({"a.py": SOURCE}, Options(modernize=True), Verifier(*words))
    rows = [(row.code, row.status, row.reason) for row in result.modernized]
    return result.outputs["a.py"].decode(), rows, result.sites[0].verification


def test_everything_stands_that_makes_no_difference() -> None:
    text, rows, verdict = modernized()
    assert ".item()" in text
    assert "torch.tanh" in text
    assert {status for _, status, _ in rows} == {"fixed"}
    assert verdict.cpu == "identical"


def test_the_rule_that_makes_the_difference_is_taken_back_alone() -> None:
    text, rows, verdict = modernized("torch.tanh")
    assert "F.tanh(loss)" in text
    assert ".item()" in text
    assert ("VF206", "refused", "verification-failed") in rows
    assert ("VF202", "fixed", None) in rows
    assert verdict.cpu == "identical"


def test_where_it_is_no_single_rule_all_are_taken_back_and_the_migration_stays() -> None:
    text, rows, verdict = modernized("torch.tanh", ".item()")
    assert "with torch.no_grad():" in text
    assert "loss.data[0]" in text
    assert {status for _, status, _ in rows} == {"refused"}
    assert verdict.cpu == "identical"


def test_the_row_says_what_differed() -> None:
    result = core.migrate({"a.py": SOURCE}, Options(modernize=True), Verifier("torch.tanh"))
    (row,) = [row for row in result.modernized if row.status == "refused"]
    assert "torch.tanh differs" in row.message
    assert (row.line, row.column) == (7, 9)
