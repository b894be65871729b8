"""What a module computes while it is loaded waits until it is asked for, where that takes long or ends at an error."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged, with_block  # noqa: E402

GRIND = "def grind(rows):\n    total = rows\n" + "    total = total + rows\n" * 400 + "    return total\n"
COMPUTES = [GRIND + "fitted = grind(torch.ones(2))\n", GRIND + "fitted, rest = grind(torch.ones(2)), 3\n",
            GRIND + "fitted = torch.ones(2)\nfitted = grind(fitted)\n",
            "best = None\nfitted = best.noise(3)\n", "best, fitted = None, 3\nfitted = grown = best[fitted]\n"]
HANDS_ON = """
def wrapped(rows, on_gpu=True, volatile=False):
    made = []
    for row in rows:
        if isinstance(row, np.ndarray):
            row = torch.from_numpy(row).type(torch.FloatTensor)
        if not row.is_cuda and on_gpu:
            row = row.cuda()
        if not isinstance(row, Variable):
            row = Variable(row, volatile=volatile)
        made.append(row)
    return made
class Fitted(torch.nn.Module):
    def __init__(self):
        super(Fitted, self).__init__()
        self.layer = torch.nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)
def fit(net, rows):
    x, y = wrapped((rows, rows))
    return (net(x) - y).sum()
"""
DROPPED = HANDS_ON.replace(", volatile=False", "").replace(", volatile=volatile", "")


@pytest.mark.parametrize("top", COMPUTES)
def test_it_does_not_keep_the_ways_of_a_function_from_being_run(top: str):
    assert judge(HANDS_ON + top, DROPPED + top, "wrapped") == ("identical", None)


@pytest.mark.parametrize("top", COMPUTES)
def test_a_flag_that_somebody_gave_is_still_missed(top: str):
    given = HANDS_ON + "def look(net, rows):\n    x, y = wrapped((rows, rows), volatile=True)\n    return net(x)\n"
    after = DROPPED + given[len(HANDS_ON) :].replace(", volatile=True", "")
    assert judge(given + top, after + top, "wrapped")[0] == "different"


DEEP = """
def f(net, x, args):
    if not args.quiet:
        print(args)
    if args.wide and not args.tall:
        x = x.view(2, 1)
    if args.seen:
        y = net(Variable(x, volatile=True))
        return y
    return net(Variable(x))
"""


@pytest.mark.parametrize("top", COMPUTES)
def test_a_block_is_missed_and_one_that_is_too_wide_is_told(top: str):
    assert judge(top + DEEP, top + with_block(DEEP), "f") == ("identical", None)
    assert judge(top + DEEP, top + unflagged(DEEP), "f")[0] == "different"
    wide = unflagged(DEEP).replace("    if args.seen", "    torch.set_grad_enabled(False)\n    if args.seen")
    assert judge(top + DEEP, top + wide, "f")[0] == "different"


USES = "def f(net):\n    y = net({})\n    return y\n"


@pytest.mark.parametrize(("top", "asked"), [
    (GRIND + "kept = grind(Variable(torch.ones(2), volatile=True))\n", "kept"),
    (GRIND + "kept = Variable(torch.ones(2), volatile=True)\nkept = grind(kept)\n", "kept"),
    (GRIND + "kept, more = grind(Variable(torch.ones(2), volatile=True)), 3\n", "kept"),
    (GRIND + "kept = Variable(torch.ones(2), volatile=True)\nmore = grind(kept)\n", "more"),
])
def test_what_is_asked_for_is_what_was_computed(top: str, asked: str):
    before = top + USES.format(asked)
    assert judge(before, with_block(before), "f") == ("identical", None)
    assert judge(before, unflagged(before), "f")[0] == "different"


def test_one_that_is_asked_for_and_ends_at_an_error_ends_the_run():
    top = "best = None\nkept = best.noise(3)\ndef g(net, x):\n    y = net(Variable(x, volatile=True))\n"
    before = top + "    return y * kept\n"
    assert judge(before, unflagged(before), "g")[0] != "identical"


KEEPS = """
def f(net, x, train):
    y = net(Variable(x, volatile=not train and not {kept}))
    return y
"""
WIDE = """
def f(net, x, train):
    with torch.set_grad_enabled(train):
        y = net(Variable(x))
    return y
"""
FILL = "def fill(kept):\n    kept['on'] = True\n    return 3\n"
LOADS = "class Kept(object):\n    def __init__(self): self.on = False\n    def load(self):\n        self.on = True\n"


@pytest.mark.parametrize(("changing", "kept"), [
    ("KEPT = {}\ndone = KEPT.update(on=True)\n", "KEPT.get('on')"),
    (FILL + "KEPT = {}\ndone = fill(KEPT)\n", "KEPT.get('on')"),
    (LOADS + "KEPT = Kept()\ndone = KEPT.load()\n", "KEPT.on"),
    ("def start():\n    KEPT['on'] = True\nKEPT = {}\ndone = start()\n", "KEPT.get('on')"),
    ("def inner():\n    KEPT.append(3)\ndef start():\n    inner()\nKEPT = []\ndone = start()\n", "KEPT"),
    ("def start():\n    global KEPT\n    KEPT = 1\nKEPT = 0\ndone = start()\n", "KEPT"),
])
@pytest.mark.parametrize("top", COMPUTES)
def test_what_is_asked_for_is_what_was_made_of_it_since(top: str, changing: str, kept: str):
    before = KEEPS.format(kept=kept)
    assert judge(top + changing + before, top + changing + WIDE, "f")[0] == "different"


def test_what_is_changed_by_nobody_is_computed_alone():
    top = "best = None\nrows = [1]\nfitted = best.noise(rows[0])\n"
    before = top + "def f(net, x):\n    y = net(Variable(x * rows[0], volatile=True))\n    return y\n"
    assert judge(before, with_block(before), "f") == ("identical", None)
