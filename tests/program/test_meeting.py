from __future__ import annotations

import pytest

from alone import project
from voltfix.program.imports import Index
from voltfix.program.meeting import Meeting


def meet(main: str, one: str = "main.py", other: str = "nets/small.py") -> bool:
    made = project(main=main, nets__small="x = 1", nets__large="x = 2", other="")
    return Meeting(made, Index(made.paths)).meet(one, other)


@pytest.mark.parametrize("asks", ["'nets.small'", "'nets.' + k", "'nets.%s' % k", "k", "args.net"])
def test_a_module_that_is_asked_for_by_name_meets_who_asks(asks: str) -> None:
    assert meet(f"import importlib\ndef f(k, args):\n    return importlib.import_module({asks})")


@pytest.mark.parametrize("asks", ["'nets.large'", "'other' + k"])
def test_another_module_does_not(asks: str) -> None:
    assert not meet(f"import importlib\ndef f(k):\n    return importlib.import_module({asks})")


def test_two_that_one_imports_meet_each_other() -> None:
    assert meet("import nets.small, other", "nets/small.py", "other.py")
    assert not meet("import nets.small", "nets/small.py", "other.py")
