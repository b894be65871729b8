"""What a script makes at its top level, and goes over there alone, runs nowhere else: no block is kept away by it."""

from __future__ import annotations

import pytest
from solving import covers, migrated_files, refusals

from voltfix.model import Options

SCRIPT = """
from torch.utils.data import DataLoader, Dataset
from common import net, switch, load, draw, turned


class Pages(Dataset):
    def __init__(self, change):
        self.pages, self.change = load(), change

    def __getitem__(self, item):
        page, mask = self.pages[item]
        return self.change(page, mask)


def together(rows):
    return torch.stack([row[0].float() for row in rows]), torch.stack([row[1].float() for row in rows])


{defines}

loader = DataLoader(Pages(turned()), 4, collate_fn=together)
batches = iter(loader)
for turn in range(9):
    page, mask = next(batches)
    page = Variable(page)
    if switch.fast:
        mask = Variable(mask.cuda(), volatile=True)
    else:
        mask = Variable(mask)
    seen = net(page, mask)
    draw(seen, turn)
{then}
"""


def script(defines: str = "", then: str = "") -> str:
    return SCRIPT.format(defines=defines, then=then)


@pytest.mark.parametrize(("defines", "then"), [
    ("", ""),
    ("", "for page, mask in loader:\n    print(page)"),
    ("def show(batches):\n    return next(batches)", ""),  # is handed what it calls so
    ("def show(page):\n    return net(page)", "print(len(loader))"),
])
def test_a_script_that_alone_goes_over_its_loader_has_its_block(defines: str, then: str):
    covers(script(defines, then), ["seen = net("], ["= next(batches)"])


@pytest.mark.parametrize(("defines", "then"), [
    ("def show():\n    return next(batches)", ""),
    ("def show(seen=lambda: next(batches)):\n    return seen()", ""),
    ("class Show(object):\n    def show(self):\n        return next(batches)", ""),
    ("def show(name):\n    return globals()[name]", ""),
    ("", "draw.batches = batches"),
    ("", "draw(loader, 1)"),
    ("", "again = [batches]"),
    ("import sys\nsys.modules['common'].rows = sys.modules[__name__]", ""),
])
def test_where_somebody_else_may_go_over_it_no_block_is_put(defines: str, then: str):
    result, texts = migrated_files({"main.py": script(defines, then)})
    assert refusals(result), texts["main.py"]


@pytest.mark.parametrize("other", [
    "from main import batches\nprint(next(batches))", "import main\nprint(next(main.batches))", "from main import *",
    "import importlib\nimportlib.import_module(name)\nrun()",
])
def test_where_another_file_may_have_it_no_block_is_put(other: str):
    result, texts = migrated_files({"main.py": script(), "other.py": other})
    assert refusals(result), texts["main.py"]


def test_another_script_that_gives_the_same_names_to_its_own_is_no_such_file():
    result, texts = migrated_files({"main.py": script(), "other.py": "batches = iter(rows)\nprint(next(batches))"})
    assert not refusals(result), texts["main.py"]


def test_of_a_package_anybody_may_have_it():
    result, texts = migrated_files({"main.py": script()}, options=Options(installable=True))
    assert refusals(result), texts["main.py"]


def test_what_trains_in_what_is_gone_over_stays_out_of_the_block():
    covers(script(then="for page, mask in loader:\n    net(page, mask).sum().backward()"), ["seen = net("],
           [".backward()"])


@pytest.mark.parametrize("found", [
    "import sys\n\ndef more():\n    return next(sys._getframe(1).f_locals['batches'])",
    "import sys\n\ndef more():\n    return next(sys._getframe(1).f_globals['batches'])",
    "import sys as system\n\ndef more():\n    return next(system.modules['__main__'].batches)",
    "import importlib\n\ndef more():\n    return next(importlib.import_module('__main__').batches)",
    "def more():\n    return next(__import__('__main__').batches)",
])
def test_where_a_module_that_it_loads_looks_at_the_names_of_the_script_no_block_is_put(found: str):
    result, texts = migrated_files({"main.py": script(defines="from helper import more"), "helper.py": found})
    assert refusals(result), texts["main.py"]


def test_a_module_that_asks_whether_it_is_the_script_does_not():
    helper = "def more():\n    return 1\n\nif __name__ == '__main__':\n    print(more())"
    result, texts = migrated_files({"main.py": script(defines="from helper import more"), "helper.py": helper})
    assert not refusals(result), texts["main.py"]
