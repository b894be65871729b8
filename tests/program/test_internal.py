"""Functions of modules that a package keeps to itself."""

from __future__ import annotations

import pytest

from alone import function
from voltfix.model import Module
from voltfix.program.internal import Internal
from voltfix.program.resolve import Project

MADE = "def made(x):\n    return x\n\n\nclass Made:\n    def __init__(self, x):\n        self.x = x\n"


def is_own(path: str = "kit/_tools.py", name: str = "made", files: dict[str, str] | None = None) -> bool:
    code = Project([Module(at, text) for at, text in {path: MADE, **(files or {})}.items()])
    return Internal(code).is_own(function(code, name, path))


@pytest.mark.parametrize("files", [
    {},
    {"kit/other.py": "from kit._tools import made\n\n\ndef use(x):\n    return made(x)\n"},
    {"kit/other.py": "from kit.rest import *\n"},
    {"kit/__init__.py": "from kit._tools import other\n"},
])
def test_a_function_of_a_module_with_an_underscore_is_the_packages_own(files):
    assert is_own(files=files)


@pytest.mark.parametrize("files", [
    {"kit/__init__.py": "from kit._tools import made\n\ndef use(x):\n    return made(x)\n"},
    {"kit/other.py": "from kit._tools import made\n"},
    {"kit/other.py": "from kit._tools import made\n__all__ = ['use']\n"},
    {"kit/_more.py": "from kit._tools import *\n"},
    {"kit/_mid.py": "from ._tools import made as make\n", "kit/__init__.py": "from ._mid import make\n"},
    {"kit/_mid.py": "from ._tools import made\nmade(1)\n", "kit/__init__.py": "from ._mid import *\n"},
    {"kit/__init__.py": "from . import _tools as tools\n"},
    {"kit/__init__.py": "import kit._tools as tools\n"},
    {"kit/api.py": "from kit._tools import made\nmade(1)\n", "kit/__init__.py": "from .api import *\n"},
    {"kit/__init__.py": "from kit._tools import made\n"},
    {"kit/__init__.py": "from ._tools import made as make\n"},
    {"kit/__init__.py": "from kit._tools import *\n"},
    {"kit/other.py": "from ._tools import *\n"},
    {"kit/other.py": "from kit._tools import made\n__all__ = ['made']\n"},
    {"kit/other.py": "from kit._tools import made as make\n__all__ = []\n__all__ += ['make']\n"},
    {"kit/__init__.py": "from kit._tools import made\n__all__ = ['made']\n\ndef use(x):\n    return made(x)\n"},
])
def test_one_that_a_public_module_hands_on_is_not(files):
    assert not is_own(files=files)


def test_one_of_a_public_module_is_not():
    assert not is_own("kit/tools.py")
    assert not is_own("kit/__init__.py")
    assert not is_own("kit/__main__.py")


def test_one_of_a_package_with_an_underscore_is():
    assert is_own("kit/_impl/tools.py")
    assert is_own("kit/_impl/__init__.py")


def test_a_method_is_not_for_its_object_may_be_handed_out():
    assert not is_own(name="Made.__init__")
