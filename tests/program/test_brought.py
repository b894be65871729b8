from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.brought import brought_of_python, written_out
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound


def several(star: str, above: str = "import tools\nfrom tools import floor", **files: str) -> frozenset[str]:
    code = project(main=f"{above}\n{star}\n", tools="def floor(x):\n    return x\n", **files)
    return Rebound(code, Index(code.paths)).several("main.py")


@pytest.mark.parametrize("star", [
    "from builtins import *", "from math import *", "from typing import *", "from random import *",
    "from time import *", "from copy import *"])
def test_a_star_of_pythons_own_library_leaves_a_name_that_it_does_not_bring(star):
    assert "tools" not in several(star)


def test_a_star_of_pythons_own_library_binds_a_name_again_that_it_brings():
    assert "floor" in several("from math import *")
    assert "shuffle" in several("from random import *", "from tools import shuffle")
    assert "open" in several("from builtins import *", "from tools import open")
    assert "floor" in several("", "from math import *\nfrom tools import floor")


@pytest.mark.parametrize("star", [
    "from nowhere import *", "from numpy import *", "from fastai.imports import *", "from os.path import *",
    "from tkinter import *", "from os import *", "from .math import *"])
def test_a_star_of_what_nobody_here_can_read_may_bring_anything(star):
    assert "tools" in several(star)


def test_a_module_of_the_project_is_that_one_and_not_pythons():
    assert "tools" in several("from random import *", random="import os as tools\n")
    assert "tools" not in several("from random import *", random="import os\n")


@pytest.mark.parametrize("text", [
    "__all__ = []\n__all__ += more()", "__all__ = names()", "__all__ = ['a', *more]", "__all__ = ['a'] + more",
    "__all__ = ['a', name]", "if new:\n    __all__ = ['a']", "", "a = __all__ = ['a']",
    "__all__ = ['a']\n__all__.append('b')", "__all__ = ['a']\nextend(__all__)", "class A:\n    __all__ = ['a']",
    "__all__ = ['a']\nclass A:\n    def f(self):\n        __all__.append('b')",
    "__all__ = ['a']\nclass A:\n    __all__ = __all__ + ['b']"])
def test_a_list_that_is_not_all_that_is_said_of_it_is_none(text):
    assert written_out(ast.parse(text)) is None


def test_a_list_that_is_written_out_is_what_a_star_brings():
    assert written_out(ast.parse("__all__ = ('a', 'b')\ndef a(): pass")) == {"a", "b"}
    assert written_out(ast.parse("__all__ = ['a']\nclass io:\n    __all__ = ['b']")) == {"a"}


def test_what_does_something_on_import_is_not_imported_to_ask_it():
    assert brought_of_python("this") is None
    assert brought_of_python("antigravity") is None
    assert brought_of_python("__main__") is None
