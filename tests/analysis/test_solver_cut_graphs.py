"""A network that goes on with the data alone: what it gives is not volatile, whatever it was given."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed, migrated

_HEAD = """\
import torch
from torch import nn
from torch.autograd import Variable

"""
_EYE = """
class Eye(nn.Module):
    def __init__(self):
        super(Eye, self).__init__()
        self.deep = nn.Linear(2, 2)
        self.top = nn.Linear(2, 2)

    def forward(self, picture):
        {body}

"""
_BOTH = """
class Both(nn.Module):
    def __init__(self):
        super(Both, self).__init__()
        self.eye = Eye()
        self.mouth = nn.Linear(2, 2)

    def forward(self, picture):
        return self.mouth(self.eye(picture))

"""
_TELL = """
def tell(both, rows):
    told = []
    for row in rows:
        seen = both.eye(Variable(row, volatile=True))
        told.append(both.mouth(seen))
    return told
"""
_DROPPED = _TELL.replace(", volatile=True", "")
_BLOCK = """
def tell(both, rows):
    told = []
    for row in rows:
        with torch.no_grad():
            seen = both.eye(Variable(row))
            told.append(both.mouth(seen))
    return told
"""
_CUTS = "picture = Variable(self.deep(picture).data)\n        return self.top(picture)"


@pytest.mark.parametrize("body", [
    _CUTS,
    "found = self.deep(picture)\n        found = Variable(found.data)\n        found = found.view(found.size(0), -1)\n"
    "        return self.top(found)",
    "found = torch.sigmoid(self.deep(picture.view(picture.size(0), -1)))\n        print(len(picture))\n"
    "        if picture.size(0) > 1:\n            return self.top(Variable(found.data))\n"
    "        return Variable(found.data)",
    "found = Variable(picture.data)\n        for _ in range(3):\n            found = self.top(found)\n"
    "        return found",
])
def test_a_part_that_goes_on_with_the_data_gives_nothing_volatile(body: str) -> None:
    head = _HEAD + _EYE.format(body=body) + _BOTH
    check_transformed(head + _TELL, head + _DROPPED)


@pytest.mark.parametrize("body", [
    "return self.top(self.deep(picture))",
    "found = Variable(picture.data)\n        return self.top(found) + picture",
    "if self.training:\n            picture = Variable(picture.data)\n        return self.top(picture)",
    "self.last = picture\n        return self.top(Variable(self.last.data))",
    "self.keep(picture)\n        return self.top(Variable(picture.data)) + self.last\n\n"
    "    def keep(self, picture):\n        self.last = picture",
    "found = Variable(picture.data)\n        for _ in range(3):\n"
    "            found, picture = picture, Variable(found.data)\n"
    "        return self.top(found)",
    "for _ in range(3):\n            found = picture\n            if self.training:\n                break\n"
    "            found = Variable(picture.data)\n        return self.top(found)",
    "return self.top(Variable(picture.data, requires_grad=picture.requires_grad))",
    "found = Variable(picture.data)\n        same = found\n        same.add_(picture)\n        return self.top(found)",
    "found = Variable(picture.data)\n        same = found\n        same += picture\n        return self.top(found)",
    "found = []\n        same = found\n        same.append(picture)\n        return self.top(found[0])",
    "found = Variable(picture.data)\n        found[0] = picture\n        return self.top(found)",
    "return self.top(picture.detach())",
    "found = Variable(picture.data)\n        torch.add(found, picture, out=found)\n        return self.top(found)",
    "try:\n            picture = Variable(picture.data)\n        except Exception:\n            pass\n"
    "        return self.top(picture)",
    "for picture in [picture, Variable(picture.data)]:\n            pass\n        return self.top(picture)",
    "return self.top(Variable(picture.data) if self.training else picture)",
    "found = [part for part in picture]\n        return self.top(found[0])",
])
def test_what_may_hand_the_flag_on_keeps_its_block(body: str) -> None:
    head = _HEAD + _EYE.format(body=body) + _BOTH
    check_transformed(head + _TELL, head + _BLOCK)


@pytest.mark.parametrize("more", [
    "\n\ndef change(both):\n    both.eye = nn.Linear(2, 2)\n",
    "\n\ndef change(both, eye):\n    both.eye = eye\n",
    "\n\ndef change(both):\n    both.eye = nn.DataParallel(Eye())\n",
    "\n\ndef change(both, eye):\n    setattr(both, 'eye', eye)\n",
    "\n\ndef change(both, eye):\n    both.add_module('eye', eye)\n",
    "\n\ndef change(both, eye):\n    both._modules['eye'] = eye\n",
    "\n\nclass Other(nn.Module):\n    def eye(self, picture):\n        return picture\n",
    "\n\ndef change(forward):\n    Eye.forward = forward\n",
    "\n\nimport models\nprint(tell(models.both(), [torch.ones(2)]))\n",
])
def test_a_part_that_may_be_another_keeps_its_block(more: str) -> None:
    head = _HEAD + _EYE.format(body=_CUTS) + _BOTH
    check_transformed(head + _TELL + more, head + _BLOCK + more)


def test_a_network_of_a_library_has_parts_of_its_own():
    made = "\ndef tell(rows):\n    both = models.both()\n    both.eye.eval()\n"
    head = "import models\n" + _HEAD + _EYE.format(body=_CUTS) + _BOTH
    check_transformed(head + made + _TELL.partition("rows):\n")[2], head + made + _BLOCK.partition("rows):\n")[2])


@pytest.mark.parametrize("body", [
    "flat = picture.data\n        return self.top(flat)",  # of a packed sequence that is a Variable
    "self.register_buffer('last', picture)\n        return self.top(Variable(picture.data)) + self.last",
    "found = []\n        [found.append(part) for part in picture]\n        return self.top(found[0])",
    "return self.top(Variable(picture.data)) + self.memory",
])
def test_what_has_the_flag_in_another_way_keeps_its_block(body: str) -> None:
    head = _HEAD + _EYE.format(body=body) + _BOTH
    left = "\n\ndef leave(eye, row):\n    eye.memory = row\n"
    check_transformed(head + _TELL + left, head + _BLOCK + left)


def test_a_layer_that_remembers_what_it_was_shown_gives_the_flag_later():
    recall = """
class Recall(nn.Module):
    def __init__(self):
        super(Recall, self).__init__()
        self.state = None

    def forward(self, picture):
        self.state = picture
        return picture

"""
    body = "self.deep(picture)\n        return self.top(self.deep.state)"
    eye = _EYE.format(body=body).replace("self.deep = nn.Linear(2, 2)", "self.deep = Recall()")
    head = _HEAD + recall + eye + _BOTH
    check_transformed(head + _TELL, head + _BLOCK)


@pytest.mark.parametrize(("made", "given"), [
    ("def made(data):\n    return Variable(data, volatile=True)\n", "made(picture.data)"),
    ("", "Variable(picture.data, False, True)"),
])
def test_what_is_made_volatile_further_in_goes_on_outside(made: str, given: str) -> None:
    body = f"picture = {given}\n        return self.top(picture)"
    source = _HEAD + made + _EYE.format(body=body) + _BOTH + _TELL
    found = migrated(source).outputs["a.py"].decode()
    assert _BLOCK in found


@pytest.mark.parametrize("more", [
    "\n\ndef other(net, rows):\n    return tell(Nets(net, net), rows)\n",
    "\n\ndef other(net, rows):\n    return tell(argparse.Namespace(eye=net, mouth=net), rows)\n",
    "\n\ndef other(net, rows):\n    return tell(Bunch({'eye': net, 'mouth': net}), rows)\n",
    "\n\ndef other(both):\n    both.eye.__class__ = nn.Linear\n",
])
def test_a_part_that_words_name_may_be_another(more: str) -> None:
    made = "import argparse\nfrom bunch import Bunch\nfrom collections import namedtuple\n"
    made += "Nets = namedtuple('Nets', 'eye mouth')\n" if "Nets" in more else ""
    head = _HEAD + made + _EYE.format(body=_CUTS) + _BOTH
    check_transformed(head + _TELL + more, head + _BLOCK + more)


def test_layers_of_a_library_that_a_helper_loads_stay_what_they_are():
    load = "\ndef load(name):\n    assert name in ['a', 'b']\n    return models.__dict__[name](True)\n\n"
    made = "self.deep = nn.Sequential(*list(load(name).children())[:-1])"
    eye = _EYE.format(body=_CUTS).replace("self.deep = nn.Linear(2, 2)", made).replace("(self):", "(self, name):", 1)
    head = _HEAD + "from torchvision import models\n" + load + eye + _BOTH.replace("Eye()", "Eye('a')")
    check_transformed(head + _TELL, head + _DROPPED)


def test_layers_that_callers_hand_over_may_remember():
    made = "self.deep = nn.Sequential(*list(base.children())[:-1])"
    eye = _EYE.format(body=_CUTS).replace("self.deep = nn.Linear(2, 2)", made).replace("(self):", "(self, base):", 1)
    head = _HEAD + eye + _BOTH.replace("Eye()", "Eye(base)").replace("(self):", "(self, base):", 1)
    check_transformed(head + _TELL, head + _BLOCK)


_RATE = """

class Judge(nn.Module):
    def __init__(self, size):
        super(Judge, self).__init__()
        self.inner = nn.Linear(size, size)

    def forward(self, out, mark):
        return {given}


def rate(net, judge, rows):
    total = []
    for x, y in rows:
        mark = Variable(y{flag})
        out = net(Variable(x))
        total.append(judge(out, mark))
    return total


rate(nn.Linear(2, 2), Judge(2), [(torch.ones(2), torch.ones(2))])
"""


def test_a_network_that_callers_hand_over_and_takes_the_data_of_its_target_has_its_graph():
    given = "(self.inner(out) - Variable(mark.data)).sum()"
    source = _HEAD + _RATE.format(given=given, flag=", volatile=True")
    check_transformed(source, _HEAD + _RATE.format(given=given, flag=""))


def test_one_that_computes_with_its_target_is_refused_where_its_graph_might_be_wanted():
    given = "(self.inner(out) - mark).sum()"
    source = _HEAD + _RATE.format(given=given, flag=", volatile=True")
    check_noop(source, reason="unknown-callee")


def test_where_its_graph_is_trained_by_a_caller_the_flag_goes():
    source = _HEAD + _EYE.format(body=_CUTS) + """
def look(eye, other, row):
    seen = eye(Variable(row, volatile=True))
    return other(seen)


def train(other, row):
    look(Eye(), other, row).sum().backward()
"""
    check_transformed(source, source.replace(", volatile=True", ""))
