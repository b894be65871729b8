"""Notebooks of which a cell ends at an error: whoever reads on runs the next one."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch.autograd import Variable\nnet = torch.nn.Linear(3, 3)"
FAILS = "best = (net(rows).data * 2).max(1)\nbest.backward()"
LOOKS = "x = Variable(rows, volatile=True)\ny = net(x)\nprint(y)"
RIGHT = "x = Variable(rows)\nwith torch.no_grad():\n    y = net(x)\nprint(y)"


def side(*cells: str, notebook: bool = True) -> Side:
    text, origins = "", []
    for number, cell in enumerate(cells, start=1):
        text += f"#%% {number}\n"
        origins.append((text.count("\n") + 1, 1, number))
        text += textwrap.dedent(cell).strip("\n") + "\n"
    return Side({"a.ipynb": text}, origins={"a.ipynb": origins} if notebook else {})


def told(before: tuple[str, ...], after: tuple[str, ...], notebook: bool = True) -> str:
    sides = [side(*each, notebook=notebook) for each in (before, after)]
    return explore.verify(explore.Item(*sides, (Unit("a.ipynb", ""),)))[0]


def test_the_cells_behind_one_that_ends_at_an_error_are_run():
    assert told((HEAD, FAILS, LOOKS), (HEAD, FAILS, RIGHT)) == "identical"


@pytest.mark.parametrize("wrong", [
    LOOKS.replace(", volatile=True", ""), RIGHT.replace("print(y)", "y.sum().backward()"),
    RIGHT.replace("\nprint(y)", "\n    z = net(rows)\nprint(z)"), RIGHT.replace("no_grad", "enable_grad"),
])
def test_what_is_wrong_there_is_not_called_the_same(wrong: str):
    assert told((HEAD, FAILS, LOOKS), (HEAD, FAILS, wrong)) != "identical"


def test_a_script_ends_there():
    assert told((HEAD, FAILS, LOOKS), (HEAD, FAILS, RIGHT), notebook=False) == "not-run"


def test_a_cell_that_changed_has_to_come_to_its_end():
    before, after = (each.replace("print(y)", "y.sum().backward()") for each in (LOOKS, RIGHT))
    assert told((HEAD, FAILS, before), (HEAD, FAILS, after)) == "not-run"


def test_a_cell_that_calls_what_changed_has_to_come_to_its_end():
    before = "def rate():\n    x = Variable(rows, volatile=True)\n    y = net(x)\n    y.sum().data.backward()"
    wrong = before.replace(", volatile=True", "")
    assert told((HEAD, before, "rate()"), (HEAD, wrong, "rate()")) != "identical"


def test_an_error_on_one_side_alone_is_a_difference():
    after = (HEAD, FAILS.replace("best.backward()", "print(best)"), RIGHT)
    assert told((HEAD, FAILS, LOOKS), after) != "identical"
    after = (HEAD, FAILS.replace("best.backward()", "raise KeyError"), RIGHT)
    assert told((HEAD, FAILS, LOOKS), after) != "identical"


def test_what_a_cell_that_ends_so_would_have_set_is_not_made_up_for_the_new_text_alone():
    first = "best = (net(rows).data * 2).max(1)\nbest.backward()\nkept = rows * 2"
    assert told((HEAD, first, LOOKS), (HEAD, first, RIGHT.replace("Variable(rows)", "Variable(kept)"))) != "identical"


HELPER = "def wrap(x, volatile=False):\n    return Variable(x, volatile=volatile)"
BARE = "def wrap(x):\n    return Variable(x)"
TRIES = "best = (net(wrap(rows)).data * 2).max(1)\nbest.backward()"


def test_a_helper_that_changed_may_make_what_has_no_flag_in_a_cell_that_ends_so():
    looks = LOOKS.replace("Variable(rows, ", "wrap(rows, ")
    right = RIGHT.replace("Variable(", "wrap(")
    assert told((HEAD, HELPER, TRIES, looks), (HEAD, BARE, TRIES, right)) == "identical"
    bare = looks.replace(", volatile=True", "")
    assert told((HEAD, HELPER, TRIES, looks), (HEAD, BARE, TRIES, bare)) != "identical"


def test_a_flag_that_is_on_there_alone_was_never_seen():
    tries = "best = net(wrap(rows, volatile=True))\nbest.backward()"
    assert told((HEAD, HELPER, tries, "print(net)"), (HEAD, BARE, tries.replace(", volatile=True", ""), "print(net)")
                ) != "identical"
    tries = "best = net(wrap(rows, volatile=True)).data\nbest.backward()"
    assert told((HEAD, HELPER, tries, "print(net)"), (HEAD, BARE, tries.replace(", volatile=True", ""), "print(net)")
                ) != "identical"
