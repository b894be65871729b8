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
