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
