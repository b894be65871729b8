"""What goes to code that is not in view is no proof that a flag may go: nobody sees what is computed of it there."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge  # noqa: E402

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
