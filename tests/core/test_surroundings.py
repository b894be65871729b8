"""A trial resolves what the solver resolved: the modules that a changed module imports go with it."""

from __future__ import annotations

from importlib.util import find_spec
from textwrap import dedent

import pytest

from voltfix import core
from voltfix.model import Verification
from voltfix.pipeline import surroundings
from voltfix.verify.plan import Item

EVALUATE = """
import torch
from torch.autograd import Variable
{imports}


def evaluate(net, batches):
    found = []
    for images in batches:
        out = net(Variable(images{flag}))
        found.append({call}(out, 5))
    return found
"""
CORRECT = """
def top(out, count):
    return out.data.topk(count)[1]
"""


def items(files: dict[str, str]) -> list[Item]:
    """What a verifier is asked about a project."""
    asked: list[Item] = []

    def verifier(given):
        asked.extend(given)
        return [Verification() for _ in given]

    core.migrate({path: dedent(text).encode() for path, text in files.items()}, verifier=verifier)
    return asked


def evaluate(imports: str, call: str = "top") -> str:
    return EVALUATE.format(imports=imports, call=call, flag=", volatile=True")


@pytest.mark.parametrize(("imports", "call"), [
    ("from scores import top", "top"),
    ("from scores import *", "top"),
    ("import scores", "scores.top"),
    ("import scores as s", "s.top"),
])
def test_a_module_that_the_changed_one_imports_goes_with_it(imports, call):
    (item,) = items({"run.py": evaluate(imports, call), "scores.py": CORRECT, "other.py": "x = 1\n"})
    assert sorted(item.before) == ["run.py", "scores.py"] == sorted(item.after)
    assert item.before["scores.py"] == item.after["scores.py"]
    assert item.touched == (("run.py", "evaluate"),)


def test_what_a_package_hands_on_goes_with_it():
    (item,) = items({
        "tools/__init__.py": "from .scores import *\n", "tools/scores.py": CORRECT, "tools/unused.py": "y = 1\n",
        "run.py": evaluate("from tools import top"),
    })
    assert sorted(item.before) == ["run.py", "tools/__init__.py", "tools/scores.py"]


def test_a_submodule_that_is_imported_out_of_a_package_goes_with_it():
    (item,) = items({
        "tools/__init__.py": "", "tools/scores.py": CORRECT,
        "run.py": evaluate("from tools import scores", "scores.top"),
    })
    assert sorted(item.before) == ["run.py", "tools/__init__.py", "tools/scores.py"]


def test_modules_that_import_each_other_are_no_endless_chain():
    (item,) = items({
        "run.py": evaluate("from scores import top"), "scores.py": "import run\n" + CORRECT,
    })
    assert sorted(item.before) == ["run.py", "scores.py"]


def test_the_nearest_modules_go_first_and_what_is_too_much_stays(monkeypatch):
    monkeypatch.setattr(surroundings, "LARGEST", 1500)
    (item,) = items({
        "run.py": evaluate("from scores import top\nimport big"), "scores.py": "import far\n" + CORRECT,
        "big.py": "x = 1\n" * 400, "far.py": "y = 2\n",
    })
    assert sorted(item.before) == ["far.py", "run.py", "scores.py"]


def test_a_library_that_has_the_name_of_no_module_brings_nothing():
    (item,) = items({"run.py": evaluate("from toptools import top"), "scores.py": CORRECT})
    assert sorted(item.before) == ["run.py"]


@pytest.mark.skipif(find_spec("torch") is None, reason="the symbolic tier runs code under torch")
@pytest.mark.parametrize("imports", ["from scores import top", "from scores import *"])
def test_the_trial_then_says_the_same_of_what_the_project_s_function_makes(imports):
    from voltfix.verify.symbolic import explore
    from voltfix.verify.symbolic.project import Side, Unit

    (item,) = items({"run.py": evaluate(imports), "scores.py": CORRECT})
    assert "no_grad" in item.after["run.py"]
    units = tuple(Unit(*each) for each in item.touched)
    verdict, detail, _ = explore.verify(explore.Item(Side(item.before), Side(item.after), units))
    assert (verdict, detail) == ("identical", None)
