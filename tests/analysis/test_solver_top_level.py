"""What the top level of a module makes volatile, by a call or for an argument that is left off, and who has it."""

from __future__ import annotations

import pytest
from solving import lines_without_gradients, migrated_files

from voltfix import core

MAKERS = """
def held(x, quiet=False):
    return Variable(x, volatile=quiet)

def still(x):
    return Variable(x, volatile=True)

class Cup(object):
    def __init__(self, x):
        self.x = x

    def pour(self, net):
        return net(self.x)

class Jar(object):
    def __init__(self, x):
        self.x = still(x)

def bottle(x):
    def pour(net):
        return net(x)
    return pour

def both(x):
    return still(x), Variable(x)
"""
DRINK = """
def drink(net):
    poured = {use}
    return (poured * 2).data

def learn(net, x, optimizer):
    loss = net(Variable(x)).sum()
    loss.backward()
    optimizer.step()
"""
BOUND = {
    "A = held(torch.ones(3), quiet=True)": "net(A)",
    "A = held(torch.ones(3), True)\nB = A * 2\nC = {'b': B}": "net(C['b'])",
    "A = still(torch.ones(3))": "net(A)",
    "A: object = still(torch.ones(3))": "net(A)",
    "A, B = both(torch.ones(3))": "net(A)",
    "A = [still(x) for x in torch.ones(2, 3)]": "net(A[0])",
    "A = []\nA += [still(torch.ones(3))]": "net(A[0])",
    "A = []\nA.append(still(torch.ones(3)))\nB = A[0]": "net(B)",
    "with open('x') as file:\n    A = still(torch.load(file))": "net(A)",
    "for row in torch.ones(2, 3):\n    A = Variable(row, volatile=True)": "net(A)",
    "A = Cup(still(torch.ones(3)))": "A.pour(net)",
    "A = Cup(Variable(torch.ones(3), volatile=True))": "net(A.x)",
    "A = Cup(Variable(torch.ones(3), volatile=True)).pour": "A(net)",
    "A = Jar(torch.ones(3))": "net(A.x)",
    "A = bottle(Variable(torch.ones(3), volatile=True))": "A(net)",
    "@bottle\ndef A(net): pass\ndef B(net, x=still(torch.ones(3))):\n    return net(x)": "B(net)",
    "def A(net, x=Variable(torch.ones(3), volatile=True)):\n    return net(x)": "A(net)",
    "def A(net, *, x=Variable(torch.ones(3), volatile=True)):\n    return net(x)": "A(net)",
    "def make(x):\n    x = Variable(x, volatile=True)\n    return lambda net, kept=x: net(kept)\n"
    "def A(net):\n    return make(torch.ones(3))(net)": "A(net)",
}


def names(bound: str) -> list[str]:
    return ["A", *(name for name in "BC" if any(each in bound for each in (f"{name} =", f"def {name}(", f", {name}")))]


@pytest.mark.parametrize("bound", BOUND)
@pytest.mark.parametrize("apart", [False, True])
def test_a_flag_of_the_top_level_stays_or_who_computes_with_it_has_a_block(bound, apart):
    use = DRINK.format(use=BOUND[bound])
    files = {"a.py": f"{MAKERS}\n{bound}\n{use}"}
    if apart:
        files = {"cellar.py": f"{MAKERS}\n{bound}\n", "a.py": f"from cellar import {', '.join(names(bound))}\n{use}"}
    _, after = migrated_files(files)
    whole = "\n".join(after.values())
    off = [text.splitlines()[number - 1].strip() for text in after.values() for number in lines_without_gradients(text)]
    computes = [line for line in off if "poured =" in line or line.startswith("return net(") or "lambda net" in line]
    assert "volatile=True" in whole or "quiet=True" in whole or computes or "torch.no_grad()(" in whole
    assert "    loss = net(Variable(x)).sum()" in whole
    assert not any("loss" in line for line in off)


def test_a_tensor_that_a_helper_makes_at_the_top_level_has_its_block_where_it_is_used():
    _, after = migrated_files({"a.py": MAKERS + "A = held(torch.ones(3), quiet=True)\n" + DRINK.format(use="net(A)")})
    lines = after["a.py"].splitlines()
    assert [lines[n - 1].strip() for n in lines_without_gradients(after["a.py"])] == ["poured = net(A)"]


def test_what_only_some_callers_leave_off_is_no_block_for_all():
    text = """
def run(net, x=Variable(torch.ones(3), volatile=True)):
    return net(x)

def learn(net, x, optimizer):
    loss = run(net, Variable(x)).sum()
    loss.backward()
    optimizer.step()
    return run(net).data
"""
    _, after = migrated_files({"a.py": text})
    lines = after["a.py"].splitlines()
    assert not any("return net(x)" in lines[n - 1] or "loss" in lines[n - 1]
                   for n in lines_without_gradients(after["a.py"]))


WRAP = "from torch.autograd import Variable\ndef wrap(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
USES = "from {module} import wrap\ndef go(net, x):\n    return net(wrap(x, volatile=True)).data.sum()\n"


@pytest.mark.parametrize("said", ["from tools import wrap\n", "from tools import wrap as held\nwrap = held\n",
                                  "import tools\nwrap = tools.wrap\n"])
def test_a_module_that_several_folders_have_may_be_each_of_them(said):
    """Which one is found hangs on the path that the program is started with."""
    files = {"one/tools.py": WRAP, "one/train.py": USES.format(module="tools"), "two/tools.py": WRAP,
             "start/run.py": said + "def go(net, x):\n    return net(wrap(x, volatile=True)).data\n"}
    result = core.migrate({path: text.encode() for path, text in files.items()})
    # the helpers stay, and what may call either; the one call whose helper is known does without its flag
    call = "    return net(wrap(x, volatile=True)).data.sum()\n"
    alone = "    with torch.no_grad():\n        return net(wrap(x)).data.sum()\n"
    before = files["one/train.py"]
    assert {path: data.decode() for path, data in result.outputs.items()} == {
        "one/train.py": before.replace("import wrap\n", "import wrap\nimport torch\n").replace(call, alone)}
    assert {(site.path, site.reason) for site in result.sites} == {
        ("one/tools.py", "unseen-callers"), ("two/tools.py", "unseen-callers"), ("one/train.py", None)}


def test_a_module_that_has_no_such_function_is_none_of_them():
    files = {"one/tools.py": WRAP, "one/train.py": USES.format(module="tools"), "two/tools.py": "def other(): pass\n",
             "start/run.py": "from tools import other\ndef wrap(x): return other(x)\n"}
    result = core.migrate({path: text.encode() for path, text in files.items()})
    assert result.outputs.keys() == {"one/tools.py", "one/train.py"}
