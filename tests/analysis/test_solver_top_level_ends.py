"""What a name of a module holds at the end of its top level, where nothing but the top level asks for it."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

from voltfix.model import Options

SCRIPT = """import torch
from torch.autograd import Variable


class Sum(torch.nn.Module):
    def __init__(self):
        super(Sum, self).__init__()
        self.step, self.last = torch.nn.Linear(3, 3), torch.nn.Linear(3, 2)

    def forward(self, rows):
        so_far = Variable(torch.zeros(1, 3))
        for row in rows:
            so_far = self.step(row) + so_far
        return self.last(so_far)


{before}rows = torch.load("rows")
held, summing = [], Sum()
summing(Variable(rows)).sum().backward()
given = Variable(rows, volatile=True)
found = summing(given)
{after}
"""
ASKED = "def more():\n    {}.sum().backward()\n\n\n"


def fixed(after: str = "print(found.data)", before: str = "", options: Options | None = None,
          **others: str) -> bool:
    text = SCRIPT.format(before=before, after=after)
    files = {"main.py": text, **{f"{name}.py": other for name, other in others.items()}}
    result, texts = migrated_files(files, options)
    return not refusals(result) and "with torch.no_grad():\n    found = summing(given)\n" in texts["main.py"]


@pytest.mark.parametrize("after", [
    "print(found.data)", "best = found.max(1)[1]\nprint(best)", "for _ in range(3):\n    print(found.data.sum())",
    "held.append(found)\nprint(len(held))",
])
def test_what_a_sum_of_no_rows_gives_needs_no_graph_where_only_the_top_level_has_it(after):
    assert fixed(after)


@pytest.mark.parametrize(("after", "before"), [
    ("more()", ASKED.format("found")),
    ("best = found\nmore()", ASKED.format("best")),
    ("held.append(found)\nmore()", ASKED.format("held[0]")),
    ("summing.seen = found\nmore(summing)", "def more(net):\n    net.seen.sum().backward()\n\n\n"),
    ("class Kept:\n    seen = found\n\n\nmore(Kept)", "def more(kept):\n    kept.seen.sum().backward()\n\n\n"),
    ("hold(lambda it=found: it.sum().backward())", "from keeping import hold\n"),
    ("globals()['fo' + 'und'].sum().backward()", ""),
    ("hold(found)", "from keeping import hold\n"),
    ("found.sum().backward()", ""),
    ("total = found.sum()\ntotal.backward()", ""),
])
def test_it_stays_where_something_else_may_ask_for_its_graph(after, before):
    assert not fixed(after, before)


@pytest.mark.parametrize("other", [
    "import main\n\n\ndef more():\n    main.found.sum().backward()\n",
    "from main import found\n\nfound.sum().backward()\n",
    "from main import *\n\nfound.sum().backward()\n",
    "import main\n\n\ndef more():\n    getattr(main, 'found').sum().backward()\n",
])
def test_it_stays_where_another_module_asks_for_the_name(other):
    assert not fixed(other=other)


@pytest.mark.parametrize("other", [
    "import main\n\nfor each in vars(main).values():\n    each.sum().backward()\n",
    "import main\n\nfor each in main.__dict__.values():\n    each.sum().backward()\n",
    "import main\n\nfor each in dir(main):\n    getattr(main, each).sum().backward()\n",
    "import inspect\n\nimport main\n\nfor _, each in inspect.getmembers(main):\n    each.sum().backward()\n",
    "import main\n\ngetattr(main, 'fou' + 'nd').sum().backward()\n",
    "import runpy\n\nimport torch\n\nfor each in runpy.run_path('main.py').values():\n    each.sum().backward()\n",
    "import torch\n\nexec(open('main.py').read())\nfound.sum().backward()\n",
])
def test_it_stays_where_another_module_takes_up_all_names_and_says_none(other):
    assert not fixed(other=other)


def test_a_module_next_to_a_script_that_has_nothing_to_do_with_it_asks_for_none_of_its_names():
    assert fixed(other="import torch\n\nprint([each for each in vars(torch).values()])\n")


def test_it_stays_where_others_install_the_module_and_may_ask_for_any_name():
    assert not fixed(options=Options(installable=True))
