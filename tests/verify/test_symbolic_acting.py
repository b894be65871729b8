"""What is called for its effect alone, and is not in view, may train: a block around it has no verdict."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged, with_block  # noqa: E402


def verdicts(before: str, wide: str) -> tuple[str, str]:
    """Of the block around ``y = net(...)`` alone, and of one that goes on behind it."""
    return judge(before, with_block(before))[0], judge(before, wide)[0]


SHOWN = "def f(net, x, {more}):\n    y = net(Variable(x, volatile=True))\n{called}    return y.data\n"


def longer(text: str) -> str:
    """The block goes on to what stands before the ``return``."""
    head, *body, last = with_block(text).splitlines()
    return "\n".join([head, *body[:2], *("    " + each for each in body[2:]), last]) + "\n"


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ("callback", "    callback(x, y.data)\n"),
        ("learner", "    learner.observe()\n"),
        ("learner", "    learner.observe(x)\n"),
        ("watchers", "    for each in watchers:\n        each(x)\n"),
        ("watchers", "    watchers['end'](3)\n"),
        ("callback", "    callback(\n        x,\n        kind='end')\n"),
        ("watchers", "    [each(x) for each in watchers]\n"),
        ("learner", "    x is not None and learner.observe(x)\n"),
        ("learner", "    learner.observe(x) if x is not None else None\n"),
        ("learner", "    _ = learner.observe(x)\n"),
        ("trainer, rows", "    trainer.step(rows)\n"),
        ("agent, rows", "    agent.train(rows)\n"),
        ("learner", "    loss = learner.loss(x)\n    loss.backward()\n"),
        ("learner", "    loss, seen = learner.both(x)\n    (loss * 2).backward()\n    print(seen)\n"),
    ],
)
def test_a_block_around_what_may_train_and_is_shown_nothing_volatile_has_no_verdict(more: str, called: str):
    text = SHOWN.format(more=more, called=called)
    assert verdicts(text, longer(text)) == ("identical", "not-run")


def test_it_says_what_is_supposed():
    text = SHOWN.format(more="callback", called="    callback(x)\n")
    said = "a.py: f: grad mode is on before and off after where callback is called"
    assert judge(text, longer(text)) == ("not-run", f"{said} (given that it trains: nobody takes what it gives)")


def test_what_a_class_keeps_and_is_called_so_may_train():
    text = """\
class Loop:
    def __init__(self, net, callback):
        self.net, self.callback = net, callback
    def f(self, x):
        y = self.net(Variable(x, volatile=True))
        self.callback(x)
        return y.data
"""
    lines = unflagged(text).replace("        y =", "        with torch.no_grad():\n            y =")
    assert judge(text, lines, "Loop.f")[0] == "identical"
    wide = lines.replace("        self.callback(x)", "            self.callback(x)")
    assert judge(text, wide, "Loop.f")[0] == "not-run"


def test_what_is_imported_and_called_so_may_train():
    text = SHOWN.format(more="n", called="    improve(n)\n")
    text = "from elsewhere import improve\n" + text
    wide = unflagged(text).replace("    y = net(Variable(x))\n    improve(n)\n",
                                   "    with torch.no_grad():\n        y = net(Variable(x))\n        improve(n)\n")
    assert verdicts(text, wide) == ("identical", "not-run")


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ("show", "    show(y)\n"),  # a function of what is volatile
        ("rows", "    rows.append(x)\n"),
        ("n", "    print(n)\n"),
        ("n", "    np.save('x', n)\n"),
        ("each", "    a = each(x)\n"),  # not for its effect: nobody asks what it gives for a graph
    ],
)
def test_what_makes_no_graph_may_stand_in_the_block(more: str, called: str):
    text = "import numpy as np\n" + SHOWN.format(more=more, called=called)
    wide = unflagged(text).replace("    y = net(Variable(x))\n" + called,
                                   "    with torch.no_grad():\n        y = net(Variable(x))\n    " + called)
    assert judge(text, wide)[0] == "identical"


def test_what_runs_in_a_block_of_the_authors_own_is_no_matter():
    text = "def f(net, x, callback):\n    with torch.no_grad():\n        y = net(Variable(x, volatile=True))\n" + (
        "        callback(x)\n    return y.data\n")
    assert "grad mode is on" not in str(judge(text, unflagged(text))[1])


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ("rows", "    net.train(rows.on)\n    y = net(y)\n"),
        ("rows", "    batch = rows.get(3)\n    print(batch)\n"),
        ("rows", "    seen = [each.get(3) for each in rows]\n    print(seen)\n"),
    ],
)
def test_a_block_around_what_switches_a_network_or_is_only_looked_up_is_the_same(more: str, called: str):
    text = SHOWN.format(more=more, called=called)
    wide = longer(text)
    assert judge(text, wide) == ("identical", None)


def test_what_was_looked_up_in_the_block_may_be_compared_with_what_is_trained():
    text = SHOWN.format(more="rows, rest", called="    batch = rows.get(3)\n")
    last = "    (net(Variable(rest)) - batch).sum().backward()\n    return y.data\n"
    text = text.replace("    return y.data\n", "")
    head, *body = with_block(text).splitlines()
    wide = "\n".join([head, *body[:2], *("    " + each for each in body[2:])]) + "\n"
    assert judge(text + last, wide + last) == ("identical", None)
