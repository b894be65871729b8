from __future__ import annotations

from alone import function, project
from voltfix.program.bindings import VARIABLE, External, ProjectFunction, Unknown


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
