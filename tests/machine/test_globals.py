from __future__ import annotations

from alone import ran
from voltfix.machine.globals import ModuleNames


def test_a_definition_is_carried_out_when_its_name_is_asked_for():
    machine = ran("""
        def used(x): return x
        def unused(x): return x
        def f(x): return used(x)
    """)
    names = machine.modules["main.py"].env
    assert isinstance(names, ModuleNames)
    assert names.waits("unused")
    assert not names.waits("used")


STARS = {"one": "def make(x): return x\ndef other(x): return x\n",
         "two": "def make(x): return x.data\ndef other(x): return x\n"}


def test_a_name_that_two_stars_bring_waits_and_may_still_be_what_nobody_saw():
    names = ran("from one import *\nfrom two import *\ndef f(x): return make(x)\n", **STARS).modules["main.py"].env
    assert isinstance(names, ModuleNames)
    assert names.waits("other")
    assert not names.waits("make")
    assert len(names["make"]) == len(names["other"]) == 2


def test_a_name_that_is_bound_below_a_star_is_what_it_is_bound_to():
    names = ran("from one import *\nmake = 3\nmake = 4\ndef f(x): return make\n", **STARS).modules["main.py"].env
    assert isinstance(names, ModuleNames)
    assert not names.waits("make")
