"""What one method leaves volatile on its object, another one finds there: a flag that is dropped counts for both."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import HEAD, unflagged  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

NEVER, LATER, PLAIN = "pass", "self.image = None", "self.image = Variable(torch.ones(2))"
VIEWER = """
class Viewer(object):
    def __init__(self, net):
        self.net = net
        {first}

    def load(self, path):
        self.image = Variable(torch.load(path), volatile=True)

    def show(self, steps):
        {block}return self.net(self.image)
"""
BLOCK = "with torch.no_grad(): "


def judge(before: str, after: str, *names: str) -> tuple[str, str | None]:
    sides = [Side({"a.py": HEAD + text}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, tuple(Unit("a.py", name) for name in names)))[:2]


def viewer(first: str, block: str = "") -> str:
    return VIEWER.format(first=first, block=block)


@pytest.mark.parametrize("first", [NEVER, LATER, PLAIN])
def test_a_flag_that_another_method_needs_is_not_dropped_unseen(first: str):
    before = viewer(first)
    verdict, detail = judge(before, unflagged(before), "Viewer.load")
    assert verdict == "different"
    assert "(`image` is volatile, as Viewer.load leaves it)" in (detail or "")


@pytest.mark.parametrize("first", [NEVER, LATER])
def test_a_block_in_the_method_that_needs_the_flag_is_right_where_it_is_always_on(first: str):
    after = unflagged(viewer(first, BLOCK))
    assert judge(viewer(first), after, "Viewer.load", "Viewer.show") == ("identical", None)


def test_a_block_in_a_method_whose_state_is_volatile_after_some_methods_alone_takes_gradients_of_the_others():
    verdict, detail = judge(viewer(PLAIN), unflagged(viewer(PLAIN, BLOCK)), "Viewer.load", "Viewer.show")
    assert verdict == "different"
    assert "requires_grad True before, False after" in (detail or "")


def test_a_state_that_is_read_for_its_numbers_alone_needs_no_block():
    before = viewer(NEVER).replace("self.net(self.image)", "self.image.data * steps")
    assert judge(before, unflagged(before), "Viewer.load") == ("identical", None)


def test_a_block_around_the_calls_of_the_method_is_seen_where_it_is_called():
    main = "def main(net, path):\n    viewer = Viewer(net)\n    viewer.load(path)\n    {}print(viewer.show(3).size())\n"
    before = viewer(NEVER) + main.format("")
    right = unflagged(viewer(NEVER)) + main.format(BLOCK)
    assert judge(before, right, "Viewer.load", "main") == ("identical", None)
    assert judge(before, unflagged(before), "Viewer.load")[0] == "different"


def test_methods_of_other_classes_are_not_asked_for_an_attribute_of_that_name():
    other = "class Other(object):\n    def show(self, net):\n        return net(self.image)\n"
    before = viewer(NEVER).partition("    def show")[0] + other
    assert judge(before, unflagged(before), "Viewer.load") == ("identical", None)


def test_a_method_of_a_derived_class_is():
    derived = "class Loud(Viewer):\n    def show(self, net):\n        return net(self.image)\n"
    before = viewer(NEVER).partition("    def show")[0] + derived
    assert judge(before, unflagged(before), "Viewer.load")[0] == "different"


@pytest.mark.parametrize("called", ["self.image(x)", "self.image.forward(x)"])
def test_what_a_method_calls_is_no_volatile_tensor_whatever_was_handed_to_what_gave_it(called: str):
    text = """
class Detector(object):
    def __init__(self, path, post):
        self.boxes = Variable(torch.load(path){flag})
        {block}self.image = post(self.boxes)

    def show(self, net, x):
        with torch.no_grad():
            x = net(x)
        return {called}.data
"""
    before = text.format(flag=", volatile=True", called=called, block="")
    after = text.format(flag="", called=called, block=BLOCK)
    assert judge(before, after, "Detector.__init__") == ("identical", None)
    asked = [each.replace(f"{called}.data", "net(self.image)") for each in (before, after)]
    assert judge(*asked, "Detector.__init__")[0] == "different"
