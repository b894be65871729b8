"""Objects that nobody is handed."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.sheltered import is_sheltered

TEXT = """
class Shed{bases}:
    def __init__(self, tool):
        self.tool = tool

    def work(self):
        {work}

{more}

def main(tool, yard):
    {use}
"""


def sheltered(use: str, work: str = "return self.tool()", bases: str = "", more: str = "") -> bool:
    code = project(main=TEXT.format(use=use, work=work, bases=bases, more=more))
    return is_sheltered(code, next(each for each in code.classes() if each.node.name == "Shed"))


@pytest.mark.parametrize("use", [
    "yard.shed = Shed(tool)", "yard(Shed(tool))", "return Shed(tool)", "shed = Shed(tool)\n    yard(shed)",
    "shed = Shed(tool)\n    other = shed", "shed = Shed(tool)\n    getattr(shed, yard)()", "sheds = [Shed(tool)]",
    "shed = Shed(tool)\n    shed = yard\n    shed.work()", "make = Shed\n    make(tool).work()", "yard(Shed)",
    "shed = Shed(tool)\n    vars(shed)", "Shed(tool).__dict__", "for shed in yard(Shed(tool)):\n        shed.work()",
    "tool.work()", "global shed\n    shed = Shed(tool)", "shed = Shed(tool)\n    with shed:\n        pass",
])
def test_one_that_others_may_have_is_not(use):
    assert not sheltered(use)


@pytest.mark.parametrize(("work", "bases", "more"), [
    ("return self", "", ""), ("yard.append(self)", "", ""), ("self.tool(self)", "", ""),
    ("return getattr(self, 'tool')", "", ""), ("return self.__dict__", "", ""), ("return [self]", "", ""),
    ("return self.tool()", "(yard.Base)", ""), ("return self.tool()", "", "class Barn(Shed):\n    pass"),
    ("return self.tool()", "(metaclass=Meta)", ""), ("return self.tool()", "", "shed = Shed(print)"),
    ("return self.tool()", "(Hut)", "class Hut:\n    def show(self):\n        return self"),
])
def test_one_that_shows_itself_or_may_be_another_is_not(work, bases, more):
    if "(Hut)" in bases:
        code = project(main=f"{more}\n{TEXT.format(use='Shed(tool).work()', work=work, bases=bases, more='')}")
        assert not is_sheltered(code, next(each for each in code.classes() if each.node.name == "Shed"))
    else:
        assert not sheltered("Shed(tool).work()", work, bases, more)


@pytest.mark.parametrize("use", [
    "Shed(tool).work()", "shed = Shed(tool)\n    shed.work()\n    return shed.tool",
    "shed = Shed(tool)\n    yard(shed.work)",
])
def test_one_that_is_only_asked_for_something_is(use):
    assert sheltered(use)
    assert sheltered(use, work="self.tool = self.tool or None\n        return lambda: self.tool()", bases="(object)")


def test_one_of_a_package_may_be_made_by_others():
    code = project(main=TEXT.format(use="Shed(tool).work()", work="return 1", bases="", more=""))
    code.for_others = True
    assert not is_sheltered(code, next(each for each in code.classes() if each.node.name == "Shed"))
