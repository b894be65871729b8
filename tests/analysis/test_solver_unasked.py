"""A parameter of which flags alone asked something goes with the last of them, where all who call are in sight."""

from __future__ import annotations

import pytest

from helpers import check_transformed, migrated

HEAD = "import lib\nimport torch\nfrom torch.autograd import Variable\n\n\n"


def becomes(before: str, after: str) -> None:
    check_transformed(HEAD + before, HEAD + after)


def test_a_parameter_goes_that_flags_asked_the_other_way_round() -> None:
    becomes(
        "class Judge(object):\n    def _rows(self, data, learning):\n        for x, y in data:\n"
        "            yield Variable(x, volatile=not learning), Variable(y, volatile=not learning)\n\n"
        "    def learn(self, data):\n        for x, y in self._rows(data, True):\n"
        "            self.loss(self.net(x), y).backward()\n\n"
        "    def judge(self, data):\n        return [self.net(x).data for x, y in self._rows(data, False)]\n",
        "class Judge(object):\n    def _rows(self, data):\n        for x, y in data:\n"
        "            yield Variable(x), Variable(y)\n\n"
        "    def learn(self, data):\n        for x, y in self._rows(data):\n"
        "            self.loss(self.net(x), y).backward()\n\n"
        "    def judge(self, data):\n        with torch.no_grad():\n"
        "            return [self.net(x).data for x, y in self._rows(data)]\n",
    )


def test_a_parameter_goes_of_which_flags_asked_what_word_it_is() -> None:
    becomes(
        "def _put(x, phase):\n    return Variable(x, volatile=phase == 'val')\n\n\n"
        "def look(x):\n    return _put(x, 'val').data\n\n\n"
        "def learn(net, x):\n    net(_put(x, phase='train')).backward()\n",
        "def _put(x):\n    return Variable(x)\n\n\n"
        "def look(x):\n    return _put(x).data\n\n\n"
        "def learn(net, x):\n    net(_put(x)).backward()\n",
    )


PUT = "def _put(x, learning):\n    return Variable(x, volatile=not learning)\n\n\n"


@pytest.mark.parametrize("code", [
    PUT + "def look(x):\n    return _put(x, lib.begin()).data\n",
    PUT + "def look(x):\n    return _put(x, False).data\n\n\nlib.register(_put)\n",
    PUT + "def look(x):\n    return _put(*lib.both(x)).data\n",
    "@lib.known\n" + PUT + "def look(x):\n    return _put(x, False).data\n",
    "def _put(x, learning):\n    print(learning)\n    return Variable(x, volatile=not learning)\n\n\n"
    "def look(x):\n    return _put(x, False).data\n",
    "def _put(x, learning):\n    learning = learning or lib.on\n    return Variable(x, volatile=not learning)\n\n\n"
    "def look(x):\n    return _put(x, False).data\n",
    "def _put(x, learning):\n    return Variable(x, volatile=not learning), lib.make(x, volatile=not learning)\n\n\n"
    "def look(x):\n    return _put(x, False)[0].data\n",
    "def _put(x, learning):\n    return Variable(x, volatile=not learning), locals()\n\n\n"
    "def look(x):\n    return _put(x, False)[0].data\n",
    "def _put(net, x, learning):\n    return net(Variable(x, volatile=not learning))\n\n\n"
    "def look(net, x):\n    return _put(net, x, False).data\n\n\n"
    "def learn(net, x):\n    _put(net, x, True).backward()\n",
    "class Base(object):\n    def _put(self, x, learning):\n        return Variable(x, volatile=not learning)\n\n"
    "    def look(self, x):\n        return self._put(x, False).data\n\n\n"
    "class Other(Base):\n    def _put(self, x, learning):\n        print(learning)\n        return Variable(x)\n",
], ids=["a call is handed over", "handed to others", "stars", "decorated", "asked otherwise", "bound again",
        "asked by one that stays", "all names are asked", "a block asks it", "overridden"])
def test_a_parameter_stays_that_something_else_asks_or_that_others_give(code: str) -> None:
    text = HEAD + code
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert ", learning):" in after, after


def test_a_method_keeps_the_object_of_which_a_flag_asked_something() -> None:
    becomes(
        "class Maker(object):\n    def __init__(self, training):\n        self.training = training\n\n"
        "    def _make(self, x, settings):\n"
        "        return Variable(x, volatile=not self.training), Variable(x, volatile=not settings.on)\n\n"
        "    def look(self, x):\n        return [each.data for each in self._make(x, lib.settings)]\n",
        "class Maker(object):\n    def __init__(self, training):\n        self.training = training\n\n"
        "    def _make(self, x, settings):\n        return Variable(x), Variable(x)\n\n"
        "    def look(self, x):\n        return [each.data for each in self._make(x, lib.settings)]\n",
    )


def test_a_method_keeps_its_object_though_a_flag_asked_whether_it_counts_as_true() -> None:
    becomes(
        "class Maker(object):\n    def _make(self, x):\n        return Variable(x, volatile=not self)\n\n"
        "    def look(self, x):\n        return self._make(x).data\n",
        "class Maker(object):\n    def _make(self, x):\n        return Variable(x)\n\n"
        "    def look(self, x):\n        return self._make(x).data\n",
    )
