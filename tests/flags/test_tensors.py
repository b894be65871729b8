from __future__ import annotations

import pytest

from alone import START, node, project
from voltfix.flags.propagation import Passing
from voltfix.flags.tensors import Tensors


def verdict(text: str, name: str) -> str:
    code = project(main=START + text)
    return Tensors(code, code.computed(Passing)).judge("main.py", node(code, name))


def test_what_variable_made_is_a_tensor():
    assert verdict("v = Variable(x)\nv.volatile", "v") == "tensor"


@pytest.mark.parametrize("text", ["opt.volatile", "v = Pointer()\nv.volatile\nclass Pointer: pass"])
def test_settings_and_objects_of_the_project_are_none(text):
    assert verdict(text, text.split(".")[0].split("\n")[-1]) == "other"


RECORD = "class State:\n    volatile: bool\n    grad: bool\n\n"


@pytest.mark.parametrize(
    "text",
    ["def f(v: State):\n    v.volatile", "def f(v: State):\n    v.grad\n    v.volatile",
     "class Box:\n    held: State\n\ndef f(b: Box):\n    v = b.held\n    v.volatile"],
)
def test_what_is_annotated_as_a_class_of_the_project_is_none(text):
    assert verdict(RECORD + text, "v") == "other"


def test_what_a_class_of_the_file_declares_beside_its_volatile_tells_nothing():
    assert verdict(RECORD + "def f(v):\n    v.grad\n    v.volatile", "v") == "unknown"
    assert verdict("def f(v):\n    v.grad\n    v.volatile", "v") == "tensor"
    assert verdict(RECORD + "def f(v):\n    v.backward()\n    v.volatile", "v") == "tensor"


def test_an_annotation_of_a_class_below_variable_says_tensor():
    assert verdict("class Mine(Variable): pass\n\ndef f(v: Mine):\n    v.volatile", "v") == "tensor"


HANDED = "class State:\n    pass\n\ndef f(v):\n    v.volatile\n\n"


def test_what_all_callers_hand_over_an_object_for_is_none():
    assert verdict(HANDED + "f(State())", "v") == "other"
    assert verdict(HANDED + "state = State()\nf(state)\nf(v=State())", "v") == "other"


@pytest.mark.parametrize("more", ["", "f(State())\nf(net(x))", "f(State())\nlater(f)", "f(State())\nf(*rows)"])
def test_what_somebody_may_hand_over_something_else_for_may_be_one(more):
    assert verdict(HANDED + more, "v") == "unknown"


def test_an_object_of_a_class_below_variable_that_is_handed_over_is_one():
    assert verdict(HANDED.replace("class State:", "class State(Variable):") + "f(State(x))", "v") != "other"
