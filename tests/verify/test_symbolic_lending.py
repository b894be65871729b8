"""What goes to code that is not in view is no proof that a flag may go: nobody sees what is computed of it there."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch.autograd import Variable\nfrom elsewhere import Desk, note\n\n\n"
BOX = "class Box:\n    def __init__(self, inner):\n        self.inner = inner\n\n\n"


def lent(body: str, around: str = "") -> str:
    """Who got what was volatile in a method, and is not where the flag alone is taken away; "" where nobody did."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    before = f"{HEAD}{around}class Clerk:\n    def file(self, page):\n        v = Variable(page, volatile=True)\n"
    sides = Side({"a.py": before + lines}), Side({"a.py": before.replace(", volatile=True", "") + lines})
    item = explore.Item(*sides, (Unit("a.py", "Clerk.file"),))
    explore.verify(item)
    return item.reached.lent.get(Unit("a.py", "Clerk.file"), "")


@pytest.mark.parametrize(
    "body",
    [
        "print(v.data, v.size(0), v.data.cpu().numpy())",
        "self.desk.open(v.data)",
        "self.desk.open(page)",
        "self.desk.open(v.size(0))",
        "with torch.no_grad():\n    self.desk.open(v)",
        "pages = [v]\nreturn len(pages)",
        "return v",
        "self.desk.open(float(v.data[0]))",
    ],
)
def test_what_is_not_handed_over_or_makes_no_graph_there_is_lent_to_nobody(body):
    assert lent(body) == ""


@pytest.mark.parametrize(
    "body",
    [
        "self.desk.open(v)",
        "self.desk.open([v])",
        "self.desk.open(pages={'first': (v, 1)})",
        "self.desk.open(v * 2)",
        "self.desk.pages = v",
        "setattr(self.desk, 'pages', v)",
        "self.desk['first'] = v",
        "self.desk[v]",
        "self.desk.append(v)",
        "self.desk.add(v)",
        "self.sum += v",
        "self.kept = self.scale * v",
        "with self.desk.opened(v):\n    pass",
        "desk = Desk(v)",
        "note(v)",
        "self.desk.open(lambda: v)",
        "self.desk.open(each for each in [v])",
        "self.desk.open(iter([v]))",
        "self.desk.open(v for _ in range(2))",
        "self.desk.open(Box(v))",
        "self.desk.open({'box': [Box(Box(v))]})",
        "def later():\n    return v\nself.desk.open(later, 1)",
    ],
)
def test_what_something_unknown_gets_is_lent_however_it_gets_there(body):
    assert lent(body, BOX)


def test_a_base_that_is_not_in_view_is_lent_what_its_init_gets():
    text = HEAD + "class Clerk(Desk):\n    def __init__(self, page):\n"
    text += "        super().__init__(Variable(page, volatile=True))\n"
    unit = Unit("a.py", "Clerk.__init__")
    item = explore.Item(Side({"a.py": text}), Side({"a.py": text.replace(", volatile=True", "")}), (unit,))
    explore.verify(item)
    assert item.reached.lent[unit] == "Clerk"


@pytest.mark.parametrize("name", ["desk", "thing", "net", "model"])
def test_the_verdict_on_a_call_for_its_effect_hangs_on_no_name(name):
    before = f"""
    class Clerk:
        def file(self, page):
            self.{name}.open(Variable(page.unsqueeze(0), volatile=True))
            return self.answer(page)
    """
    assert judge(before, before.replace(", volatile=True", ""), "Clerk.file")[0] in ("not-run", "different")


def test_what_gets_the_numbers_alone_for_its_effect_is_the_same_without_the_flag():
    before = """
    class Clerk:
        def file(self, page):
            v = Variable(page, volatile=True)
            self.desk.open(v.data)
            return self.answer(page)
    """
    assert judge(before, before.replace(", volatile=True", ""), "Clerk.file") == ("identical", None)


ROUNDS = """
class Runs:
    def __init__(self, stages):
        self.hooks = {stage: [] for stage in stages}
    def add(self, stage, hook):
        self.hooks[stage].append(hook)
    def go(self, x, stage):
        y = self.net(Variable(x, volatile=True))
        for each in self.hooks[stage]:
            each(self, {'out': y})
        return y
"""


def blocked(before: str) -> str:
    return unflagged(before).replace("y = self.net", "with torch.no_grad(): y = self.net")


def test_an_item_of_a_container_that_is_called_for_its_effect_is_a_function_of_what_a_block_gave():
    assert judge(ROUNDS, blocked(ROUNDS), "Runs.go") == ("identical", None)
    assert judge(ROUNDS, unflagged(ROUNDS), "Runs.go")[0] == "different"


def test_a_container_that_is_written_with_empty_ones_in_it_is_filled_later():
    before = ROUNDS.replace("{stage: [] for stage in stages}", "{'start': [], 'end': list()}")
    assert judge(before, blocked(before), "Runs.go") == ("identical", None)


@pytest.mark.parametrize(("old", "new"), [
    ("{stage: [] for stage in stages}", "{'start': [], **stages}"),
    ("each(self, {'out': y})", "y = each(self, y)"),
    ("each(self, {'out': y})", "self.last = each(self, y)"),
    ("{stage: [] for stage in stages}", "[Net(stage) for stage in stages]"),
    ("{stage: [] for stage in stages}", "{'start': [Net(4)]}"),
    ("{stage: [] for stage in stages}", "nn.ModuleList(stages)"),
    ("self.hooks[stage].append(hook)", "self.hooks[stage] = [Net(stage)]"),
    ("hooks", "nets"),
])
def test_an_item_of_which_something_is_taken_or_that_the_text_tells_may_have_weights(old: str, new: str):
    assert old in ROUNDS
    before = ROUNDS.replace(old, new)
    assert judge(before, blocked(before), "Runs.go")[0] in ("not-run", "different")


def test_a_block_that_is_missing_or_too_wide_around_such_items_is_still_told():
    before = ROUNDS.replace("return y", "loss = self.net(Variable(x))\n        loss.sum().backward()\n        return y")
    after = blocked(before)
    assert judge(before, after, "Runs.go") == ("identical", None)
    wide = after.replace("loss = self.net", "with torch.no_grad(): loss = self.net")
    assert judge(before, wide, "Runs.go")[0] == "different"
    graph = before.replace("{'out': y}", "{'out': self.net(Variable(x))}")
    wide = blocked(graph).replace(
        "        for each in self.hooks[stage]:\n            each",
        "        with torch.no_grad():\n          for each in self.hooks[stage]:\n            each")
    assert judge(graph, wide, "Runs.go")[0] == "different"


@pytest.mark.parametrize("call", ["self.hook(self, {})", "step({})", "self.tools['a']({})", "self.net.follow({})"])
def test_a_graph_that_is_handed_to_what_is_called_for_its_effect_has_to_be_there(call: str):
    before = f"""
    class Runs:
        def go(self, x, rows, step):
            y = self.net(Variable(x, volatile=True))
            {call.format("self.net(Variable(rows))")}
            return y
    """
    after = blocked(before)
    assert judge(before, after, "Runs.go") == ("identical", None)
    line = call.format("self.net(Variable(rows))")
    assert judge(before, after.replace(line, f"with torch.no_grad(): {line}"), "Runs.go")[0] == "different"
