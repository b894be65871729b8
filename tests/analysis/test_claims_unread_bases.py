"""Methods of a class with a base that nobody can read: its own come before those of the base."""

from __future__ import annotations

import pytest
from solving import becomes, stays

PROGRAM = """
    {imports}

    class Pad({base}):
        def wrap(self, rows):
            return Variable(torch.stack(rows){flag})

    class Keep(object):
        def wrap(self, rows):
            return Variable(torch.stack(rows))

    class Show(object):
        def __init__(self, net):
            self.net = net
            self.pad = Pad()

        def see(self, rows):
            {see}
    {more}
"""
BEFORE = {"flag": ", volatile=True", "see": "return self.net(self.pad.wrap(rows)).data"}
AFTER = {"flag": "", "see": "with torch.no_grad():\n                return self.net(self.pad.wrap(rows)).data"}


@pytest.mark.parametrize(("imports", "base"), [
    ("from .gone import Base", "Base"), ("from gone import Base", "Base"), ("import os", "Missing"),
    ("from .gone import make", "make(object)"), ("from .gone import Base, More", "Base, More")])
def test_its_own_method_is_the_one_that_is_called(imports: str, base: str) -> None:
    said = {"imports": imports, "base": base, "more": ""}
    becomes(PROGRAM.format(**said, **BEFORE), PROGRAM.format(**said, **AFTER))


@pytest.mark.parametrize("more", [
    pytest.param("class Low(Missing, Pad):\n        pass\n\n    shown = Show(None)\n    shown.pad = Low()\n",
                 id="what nobody can read comes first in a class below"),
    pytest.param("class Low(Pad):\n        def wrap(self, rows):\n            return Variable(rows)\n\n"
                 "    shown = Show(None)\n    shown.pad = Low()\n", id="a class below has another"),
    pytest.param("def low(Base):\n        class Low(Base):\n            def wrap(self, rows):\n"
                 "                return Variable(rows)\n        return Low\n\n    shown = Show(None)\n"
                 "    shown.pad = low(Pad)()\n", id="a class is made below what is handed over"),
    pytest.param("shown = Show(None)\n    shown.pad = Keep()\n", id="another object is put there"),
    pytest.param("Pad.wrap = Keep.wrap\n", id="another method is put there"),
])
@pytest.mark.parametrize("base", ["Missing", "object"])
def test_it_is_left_alone_where_another_method_may_be_called(more: str, base: str) -> None:
    stays(PROGRAM.format(imports="", base=base, more=more, **BEFORE), "unseen-callers")
