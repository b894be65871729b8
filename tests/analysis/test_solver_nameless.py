"""What a function assigned to a name that flags alone asked goes with the last of them."""

from __future__ import annotations

import pytest

from helpers import check_transformed, migrated

HEAD = "import lib\nimport torch\nfrom torch.autograd import Variable\n\n\n"


def becomes(before: str, after: str) -> None:
    check_transformed(HEAD + before, HEAD + after)


def test_a_name_that_is_off_for_all_flags_goes_with_them() -> None:
    becomes(
        "def sample(x, y, cuda):\n    x = x.float()\n\n    off = False\n    if cuda:\n"
        "        return Variable(x, volatile=off).cuda(), Variable(y, volatile=off).cuda()\n"
        "    return Variable(x, volatile=off), Variable(y, volatile=off)\n",
        "def sample(x, y, cuda):\n    x = x.float()\n\n    if cuda:\n"
        "        return Variable(x).cuda(), Variable(y).cuda()\n"
        "    return Variable(x), Variable(y)\n",
    )


def test_a_name_that_is_on_goes_where_a_block_asks_nothing() -> None:
    becomes(
        "def evaluate(net, x):\n    volatile = True\n    v = Variable(x, volatile=volatile)\n    return net(v).data\n",
        "def evaluate(net, x):\n    v = Variable(x)\n    with torch.no_grad():\n        return net(v).data\n",
    )


def test_a_name_that_is_handed_to_a_helper_goes_with_the_parameter() -> None:
    becomes(
        "def _put(x, off=False):\n    return Variable(x, volatile=off)\n\n\n"
        "def evaluate(net, x):\n    off = True\n    return net(_put(x, off=off)).data\n",
        "def _put(x):\n    return Variable(x)\n\n\n"
        "def evaluate(net, x):\n    with torch.no_grad():\n        return net(_put(x)).data\n",
    )


def test_a_name_for_what_an_object_has_goes_where_a_block_asks_the_object_itself() -> None:
    becomes(
        "def guess(agent, x, cuda):\n    still = not agent.net.training\n"
        "    v = Variable(x.cuda(), volatile=still) if cuda else Variable(x, volatile=still)\n"
        "    return agent.net(v)\n",
        "def guess(agent, x, cuda):\n"
        "    v = Variable(x.cuda()) if cuda else Variable(x)\n"
        "    with torch.set_grad_enabled(bool(agent.net.training)):\n        return agent.net(v)\n",
    )


def test_a_name_for_a_question_about_a_word_goes_where_the_flag_decides_nothing() -> None:
    becomes(
        "def target(y, phase):\n    off = phase != 'train'\n    return Variable(y, volatile=off).data\n",
        "def target(y, phase):\n    return Variable(y).data\n",
    )


@pytest.mark.parametrize("value", [
    "self.off", "not self.off", "self.off == 'yes'", "phase < 3", "phase == x", "phase in x", "x[0].off", "x.f().off",
])
def test_a_name_stays_where_what_it_stands_for_may_run_something_or_raise(value: str) -> None:
    text = HEAD + (
        "class Asker(object):\n    @property\n    def off(self):\n        self.asked += 1\n        return True\n\n"
        f"    def target(self, x, y, phase):\n        off = {value}\n"
        "        return Variable(y, volatile=off).data\n")
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert f"        off = {value}\n" in after, after


@pytest.mark.parametrize("function", [
    "def f(net, x, train):\n    off = not train\n    train = lib.next(x)\n    v = Variable(x, volatile=off)\n"
    "    return net(v), train\n",
    "def f(net, x):\n    off = True\n    v = Variable(x, volatile=off)\n    print(off)\n    return net(v).data\n",
    "def f(net, x):\n    off = True\n    v = Variable(x, volatile=off)\n    return net(v).data, locals()\n",
    "def f(net, x):\n    off = True\n    v = Variable(x, volatile=off)\n    return net(v).data, lambda: off\n",
    "def f(net, x):\n    off = lib.start()\n    v = Variable(x, volatile=off)\n    return x\n",
    "def f(net, x):\n    off = lib.settings['off']\n    v = Variable(x, volatile=off)\n    return x\n",
    "def f(net, x):\n    global off\n    off = True\n    v = Variable(x, volatile=off)\n    return net(v).data\n",
    "off = True\n\n\ndef f(net, x):\n    v = Variable(x, volatile=off)\n    return net(v).data\n",
    "def f(net, x):\n    off = wide = True\n    v = Variable(x, volatile=off)\n    return net(v).data, wide\n",
    "def f(net, x):\n    off, wide = True, 1\n    v = Variable(x, volatile=off)\n    return net(v).data, wide\n",
    "def f(net, x):\n    if x is not None:\n        off = True\n    v = Variable(x, volatile=off)\n"
    "    return net(v).data\n",
    "class F(object):\n    off = True\n\n    def f(self, net, x):\n        v = Variable(x, volatile=self.off)\n"
    "        return net(v).data\n",
    "def f(net, x):\n    off = True\n    print(lib.make(x, volatile=off))\n"
    "    return net(Variable(x, volatile=off)).data\n",
], ids=["a block asks it", "printed", "looked at", "a closure", "a call", "an item", "global", "of the module",
        "two names", "a pair", "under a test", "of a class", "asked by one that stays"])
def test_a_name_stays_that_something_else_asks_or_that_does_more(function: str) -> None:
    text = HEAD + function
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    for line in text.splitlines():
        if line.strip().startswith("off") and "=" in line:
            assert line in after.splitlines(), after
