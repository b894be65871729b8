from __future__ import annotations

import pytest

from alone import function, project
from voltfix.model import Module
from voltfix.program.bindings import VARIABLE, Builtin, External, ProjectFunction, ProjectModule, Unknown
from voltfix.program.resolve import Project


def test_a_name_means_what_its_import_brings():
    code = project(main="from torch.autograd import Variable as V\nV(x)")
    assert code.resolve("main.py", None, "V") == External(VARIABLE)


def test_a_name_of_another_file_is_followed():
    code = project(main="from helpers import f\nf()", helpers="def f(): pass")
    found = code.resolve("main.py", None, "f")
    assert isinstance(found, ProjectFunction)
    assert found.path == "helpers.py"


def test_a_name_that_nothing_binds_is_unknown():
    assert isinstance(project(main="x = nothing").resolve("main.py", None, "nothing"), Unknown)


def test_what_is_computed_from_a_project_is_computed_once():
    made = []
    code = project(main="def f(): pass")

    def names(of):
        made.append(of)
        return sorted(each.qualname for each in of.functions())

    assert code.computed(names) is code.computed(names)
    assert made == [code]
    assert function(code, "f").qualname == "f"


@pytest.mark.parametrize(("init", "use", "found"), [
    ("", "from pkg import input", ProjectModule("pkg/input.py")),
    ("", "import pkg.input\ninput = pkg.input", ProjectModule("pkg/input.py")),
    ("from builtins import print as put", "from pkg import put as input", External("builtins.print")),
    ("input = print", "from pkg import input", Builtin("print")),
])
def test_a_module_with_the_name_of_a_builtin_is_a_member_of_its_package_all_the_same(init, use, found):
    code = Project([Module("pkg/__init__.py", init), Module("pkg/input.py", "def f(): pass"), Module("main.py", use)])
    assert code.resolve("main.py", None, "input") == found


def test_what_python_has_is_no_member_of_a_package():
    code = Project([Module("pkg/__init__.py", ""), Module("main.py", "from pkg import input")])
    assert isinstance(code.resolve("main.py", None, "input"), Unknown)
