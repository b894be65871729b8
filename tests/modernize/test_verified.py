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


APART = dedent("""\
    import torch
    from torch.autograd import Variable
    model = torch.nn.Linear(3, 4)
    def learn(net, criterion, x, y):
        cost = criterion(net(x), y)
        cost.backward()
        return print(cost.data[0])
    def draw(count):
        state = Variable(torch.zeros(1, 3), volatile=True)
        for _ in range(count):
            pick = torch.multinomial(model(state).squeeze().data.exp(), 1)[0]
            state.data.fill_(pick)
            print(model(state).mean().data[0])
""").encode()


class OfDraw(Verifier):
    """Sees no more than what stands from ``draw`` on."""

    def _judge(self, text: str) -> Verification:
        return super()._judge(text[text.index("def draw") :])


def test_a_rule_is_taken_back_in_the_function_that_differs_and_stays_in_the_others() -> None:
    result = core.migrate({"a.py": APART}, Options(modernize=True), OfDraw(".item()"))
    text = result.outputs["a.py"].decode()
    assert "print(cost.item())" in text
    assert "fill_(pick)" in text
    assert ".item()" not in text[text.index("def draw") :]
    taken = [row.line for row in result.modernized if row.code == "VF202" and row.status == "refused"]
    assert taken == [11, 13]


def test_what_was_taken_back_is_left_as_it_was_by_the_rules_that_come_later() -> None:
    result = core.migrate({"a.py": APART}, Options(modernize=True), OfDraw(".item()"))
    text = result.outputs["a.py"].decode()
    assert "model(state).mean().data[0]" in text
    assert ".detach()[0]" not in text
    assert "torch.multinomial(model(state).squeeze().data.exp(), 1)[0]" in text


def test_where_it_is_no_function_of_the_change_the_rule_is_taken_back_in_the_file() -> None:
    result = core.migrate({"a.py": APART}, Options(modernize=True), Verifier("cost.item()"))
    text = result.outputs["a.py"].decode()
    assert "cost.data[0]" in text
    assert ".item()" not in text


def test_a_rule_that_acts_in_a_file_of_its_own_is_taken_back_there() -> None:
    helper = b"import torch.nn.functional as F\ndef squash(x):\n    return F.tanh(x)\n"
    user = SOURCE.replace(b"F.tanh(loss)", b"squash(loss)") + b"from helper import squash\n"
    result = core.migrate({"a.py": user, "helper.py": helper}, Options(modernize=True), Verifier("torch.tanh"))
    assert "loss.item()" in result.outputs["a.py"].decode()
    assert "helper.py" not in result.outputs
    assert [(row.path, row.code) for row in result.modernized if row.status == "refused"] == [("helper.py", "VF206")]


def test_a_second_run_finds_nothing_more_to_do() -> None:
    first = core.migrate({"a.py": APART}, Options(modernize=True), Verifier())
    assert first.outputs["a.py"].count(b".item()") == 3
    again = core.migrate({"a.py": first.outputs["a.py"]}, Options(modernize=True), Verifier())
    assert not again.outputs
    assert not [row for row in again.modernized if row.status == "fixed"]


def test_what_is_taken_back_holds_all_that_differed_however_long_it_is() -> None:
    told = f"{'the result of net(x) and what follows ' * 8}differs"

    class Long(Verifier):
        def _judge(self, text: str) -> Verification:
            verdict = Verification("symbolic", "different", "not-run", told)
            return verdict if "torch.tanh" in text else super()._judge(text)

    result = core.migrate({"a.py": SOURCE}, Options(modernize=True), Long())
    row = next(row for row in result.modernized if row.reason == "verification-failed")
    assert row.evidence[-1] == f"what differed: {told}"
    assert row.message.endswith("...")
