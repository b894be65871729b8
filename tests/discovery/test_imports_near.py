"""Which modules of a project an import may mean, where several folders have a package of that name."""

from __future__ import annotations

import pytest

from voltfix.discovery.imports import Modules

FILES = ["/r/help/__init__.py", "/r/help/wrap.py", "/r/snail/__init__.py", "/r/snail/help/__init__.py",
         "/r/snail/help/other.py", "/r/snail/run.py"]


@pytest.mark.parametrize(("text", "found"), [
    (b"from help.wrap import wrapped\n", {"/r/help/__init__.py", "/r/help/wrap.py", "/r/snail/help/__init__.py"}),
    (b"import help.wrap\n", {"/r/help/__init__.py", "/r/help/wrap.py", "/r/snail/help/__init__.py"}),
    (b"from help.other import x\n", {"/r/snail/help/__init__.py", "/r/snail/help/other.py"}),
    (b"from help import other\n", {"/r/snail/help/__init__.py", "/r/snail/help/other.py"}),
    (b"from help import x\n", {"/r/snail/help/__init__.py"}),
    (b"from .help.wrap import wrapped\n", {"/r/snail/help/__init__.py"}),
])
def test_a_nearer_package_without_the_module_does_not_hide_the_one_that_has_it(text, found):
    assert Modules("/r", FILES).targets("/r/snail/run.py", text) == (found, set())
