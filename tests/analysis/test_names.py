from __future__ import annotations

import ast

import pytest
from small_projects import project

from voltfix.model import Module, Span
from voltfix.program.references import References
from voltfix.program.resolve import (
    VARIABLE,
    Ambiguous,
    Builtin,
    External,
    Local,
    Project,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
    Unknown,
)


def resolve(text: str, name: str, **files: str):
    return project(main=text, **files).resolve("main.py", None, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from torch.autograd import Variable", "Variable"),
        ("from torch.autograd import Variable as V", "V"),
        ("from torch.autograd.variable import Variable", "Variable"),
        ("from torch import autograd", "autograd.Variable"),
        ("from torch import autograd as ag", "ag.Variable"),
        ("import torch", "torch.autograd.Variable"),
        ("import torch", "torch.autograd.variable.Variable"),
        ("import torch as t", "t.autograd.Variable"),
        ("import torch.autograd", "torch.autograd.Variable"),
        ("import torch.autograd as A", "A.Variable"),
        ("import torch.nn as nn\nimport torch", "torch.autograd.Variable"),
        ("from torch.autograd import *", "Variable"),
        ("from torch.autograd import Variable\nV = Variable", "V"),
        ("from torch import autograd\nVariable = autograd.Variable", "Variable"),
        ("import torch\nA = torch.autograd\nV = A.Variable\nW = V", "W"),
        ("from torch.autograd import Variable, Function", "Variable"),
        ("if True:\n    from torch.autograd import Variable\n", "Variable"),
        (
            "try:\n    from torch.autograd import Variable\nexcept ImportError:\n    Variable = None",
            "Variable",
        ),
        (
            "try:\n    from torch import Variable\nexcept ImportError:\n    from torch.autograd import Variable",
            "Variable",
        ),
        ("def f():\n    global V\n    from torch.autograd import Variable as V", "V"),
    ],
)
def test_every_form_of_import_leads_to_torchs_variable(text, name):
    assert resolve(text, name) == External(VARIABLE)


@pytest.mark.parametrize(
    "files",
    [
        {"common": "from torch.autograd import Variable"},
        {"common": "from torch.autograd import *"},
        {"common": "__all__ = ['Variable']\nfrom torch.autograd import Variable"},
        {"common": "__all__ = names()\nfrom torch.autograd import Variable"},
        {"common": "__all__ = ['f', name]\nfrom torch.autograd import Variable"},
        {"common": "from deeper import *", "deeper": "from torch.autograd import Variable"},
        {
            "common": "from deeper import *",
            "deeper": "from common import *\nfrom torch.autograd import Variable",
        },
    ],
)
def test_a_star_import_of_the_project_brings_variable(files):
    assert resolve("from common import *", "Variable", **files) == External(VARIABLE)


def test_a_star_import_leaves_out_what_all_does_not_list():
    found = resolve(
        "from common import *", "V", common="__all__ = ['f']\nfrom torch.autograd import Variable as V"
    )
    assert isinstance(found, Unknown)


def test_a_star_import_leaves_out_underscored_names():
    found = resolve("from common import *", "_V", common="from torch.autograd import Variable as _V")
    assert isinstance(found, Unknown)


def test_a_package_re_exports_under_another_name():
    code = project(
        pkg__init="from .common import to_input",
        pkg__common__init="from .tools import wrap as to_input",
        pkg__common__tools="def wrap(x): pass",
        pkg__head="from . import to_input\nfrom .common import to_input as again",
        run="import pkg",
    )
    for path, name in [("pkg/head.py", "to_input"), ("pkg/head.py", "again"), ("run.py", "pkg.to_input")]:
        found = code.resolve(path, None, name)
        assert isinstance(found, ProjectFunction)
        assert (found.path, found.qualname) == ("pkg/common/tools.py", "wrap")


@pytest.mark.parametrize(
    ("importer", "text", "target"),
    [
        ("a/b/c.py", "from ..d import f", "a/d.py"),
        ("a/b/c.py", "from .d import f", "a/b/d.py"),
        ("a/b/c.py", "from a.d import f", "a/d.py"),
        ("run.py", "from pkg.d import f", "src/pkg/d.py"),
        ("scripts/run.py", "from d import f", "scripts/d.py"),
        ("scripts/run.py", "from lib.d import f", "lib/d.py"),
        ("examples/deep/run.py", "from only.here import f", "code/only/here.py"),
    ],
)
def test_imports_find_the_projects_files(importer, text, target):
    code = Project([Module(importer, text), Module(target, "def f(): pass")])
    found = code.resolve(importer, None, "f")
    assert isinstance(found, ProjectFunction)
    assert found.path == target


def test_the_file_beside_the_importing_one_comes_first():
    files = {
        "helpers": "def f(): pass",
        "scripts__helpers": "def f(): pass",
        "scripts__run": "from helpers import f",
    }
    found = project(**files).resolve("scripts/run.py", None, "f")
    assert isinstance(found, ProjectFunction)
    assert found.path == "scripts/helpers.py"


def test_a_file_named_like_the_library_is_not_torch():
    code = project(main="from torch.autograd import Variable", torch="Variable = 1")
    assert code.resolve("main.py", None, "Variable") == External(VARIABLE)


def test_a_package_may_import_its_own_modules_from_itself():
    code = project(pkg__init="from . import tools, absent", pkg__tools="def f(): pass")
    assert code.resolve("pkg/__init__.py", None, "tools") == ProjectModule("pkg/tools.py")
    assert isinstance(code.resolve("pkg/__init__.py", None, "absent"), Unknown)


def test_a_global_statement_skips_the_functions_around():
    code = project(
        main="from torch.autograd import Variable as V\ndef f():\n  V = 1\n  def g():\n    global V\n    HERE"
    )
    assert at(code, "V") == External(VARIABLE)


def test_either_of_two_names_is_ambiguous():
    found = resolve("def f(): pass\ndef g(): pass\nh = f or g", "h")
    assert isinstance(found, Ambiguous)
    assert {candidate.qualname for candidate in found.candidates} == {"f", "g"}


def test_two_files_that_fit_are_not_chosen_between():
    code = project(a__run="from only import f", b__x__only="def f(): pass", c__x__only="def f(): pass")
    assert code.resolve("a/run.py", None, "f") == External("only.f")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from chainer import Variable", "Variable"),
        ("import chainer", "chainer.Variable"),
        ("from tkinter import *", "Variable"),
        ("import tensorflow as tf", "tf.Variable"),
        ("class Variable: pass", "Variable"),
        ("def Variable(x): pass", "Variable"),
        ("import torch\nVariable = 3", "Variable"),
        ("from . import Variable", "Variable"),
        ("from .absent import Variable", "Variable"),
        ("from torch.autograd import Variable\nV = make or Variable", "V"),
        ("import chainer", "Variable"),
    ],
)
def test_another_variable_is_left_alone(text, name):
    assert resolve(text, name) != External(VARIABLE)


def test_a_name_that_could_be_two_things_is_ambiguous():
    text = """
    if GPU:
        from torch.autograd import Variable
    else:
        from chainer import Variable
    """
    found = resolve(text, "Variable")
    assert isinstance(found, Ambiguous)
    assert set(found.candidates) == {External(VARIABLE), External("chainer.Variable")}


def test_a_reassigned_variable_is_ambiguous():
    found = resolve("from torch.autograd import Variable\nclass Variable: pass", "Variable")
    assert isinstance(found, Ambiguous)


@pytest.mark.parametrize("text", ["from fastai.imports import *", "import torch", ""])
def test_variable_that_nothing_binds_is_taken_for_torchs(text):
    assert resolve(text, "Variable") == External(VARIABLE)
    assert resolve(text, "torch.autograd.Variable") == External(VARIABLE)
    assert resolve(text, "t.autograd.Variable") == External(VARIABLE)
    assert isinstance(resolve(text, "to_var"), Unknown)


def test_a_text_about_chainer_is_not_guessed_at():
    code = Project([Module("a.md", "# chainer\nx = Variable(y)", kind="markdown")])
    assert isinstance(code.resolve("a.md", None, "Variable"), Unknown)


# --- scopes --------------------------------------------------------------------------------------------------


def at(code: Project, name: str, path: str = "main.py"):
    """What ``name`` means where the line ``HERE`` stands in the text."""
    tree = code.tree(path)
    mark = next(n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "HERE")
    return code.resolve(path, code.scope(path, mark), name)


def test_a_parameter_shadows_the_import():
    code = project(main="from torch.autograd import Variable\ndef f(Variable): HERE")
    found = at(code, "Variable")
    assert isinstance(found, Local)
    assert found.parameter is not None


def test_a_local_import_stays_in_its_function():
    code = project(main="def f():\n    from torch.autograd import Variable as V\n    HERE\n")
    assert at(code, "V") == External(VARIABLE)
    assert isinstance(code.resolve("main.py", None, "V"), Unknown)


def test_a_comprehension_has_names_of_its_own():
    code = project(main="from torch.autograd import Variable\nx = [HERE for Variable in y]")
    assert isinstance(at(code, "Variable"), Local)
    assert code.resolve("main.py", None, "Variable") == External(VARIABLE)


def test_methods_do_not_see_the_class_body():
    code = project(main="class A:\n    value = 1\n    def f(self): HERE")
    assert isinstance(at(code, "value"), Unknown)


def test_a_closure_sees_the_function_around():
    code = project(main="def f():\n    def g(x): pass\n    def h(): HERE")
    found = at(code, "g")
    assert isinstance(found, ProjectFunction)
    assert found.qualname == "f.<locals>.g"


def test_values_of_a_local_are_listed():
    code = project(main="def f(c):\n    x = g()\n    x = h()\n    HERE")
    found = at(code, "x")
    assert isinstance(found, Local)
    assert [ast.unparse(value) for value in found.values] == ["g()", "h()"]
    assert found.complete


def test_a_loop_target_makes_a_local_incomplete():
    found = at(project(main="def f(c):\n    x = 1\n    for x in c: HERE"), "x")
    assert isinstance(found, Local)
    assert not found.complete


def test_builtins_are_found_last():
    assert resolve("x = 1", "len") == Builtin("len")
    assert isinstance(resolve("def len(x): pass", "len"), ProjectFunction)


def test_modules_of_the_project_are_modules():
    assert resolve("import pkg.sub", "pkg.sub", pkg__init="", pkg__sub="") == ProjectModule("pkg/sub.py")
    assert resolve("import pkg.sub", "pkg.sub", pkg__sub="") == ProjectModule("pkg/sub.py")


def test_a_lambda_is_named_after_what_it_is_assigned_to():
    found = resolve("wrap = lambda x: x", "wrap")
    assert isinstance(found, ProjectFunction)
    assert found.qualname == "wrap"


@pytest.mark.parametrize("text", ["x = b\nb = x", "from other import x", "import other\nx = other.x"])
def test_circles_end_in_nothing_that_is_known(text):
    found = resolve(text, "x", other="from main import x")
    assert isinstance(found, (Unknown, Local))


def test_cyclic_imports_resolve():
    code = project(a="from b import g\ndef f(): pass", b="from a import f\ndef g(): pass")
    assert isinstance(code.resolve("a.py", None, "g"), ProjectFunction)
    assert isinstance(code.resolve("b.py", None, "f"), ProjectFunction)


def test_a_long_chain_of_aliases_does_not_crash():
    text = "x0 = 1\n" + "\n".join(f"x{n + 1} = x{n}" for n in range(2000))
    assert not isinstance(resolve(text, "x2000"), External)


def test_a_file_that_does_not_parse_has_no_tree():
    code = project(main="from broken import f", broken="def f(:")
    assert code.tree("broken.py") is None
    assert isinstance(code.resolve("broken.py", None, "f"), Unknown)
    assert isinstance(code.resolve("main.py", None, "f"), Unknown)


# --- classes -------------------------------------------------------------------------------------------------

RUNNER = """
from base import Base
class Runner(Base):
    def fit(self):
        self.to_var
        super().to_var
        HERE
"""


def test_a_method_is_found_in_a_base_class_of_another_file():
    code = project(main=RUNNER, base="class Base:\n    def to_var(self, x): pass")
    cls = code.resolve("main.py", None, "Runner")
    assert isinstance(cls, ProjectClass)
    for found in (code.method(cls, "to_var"), at(code, "self.to_var"), at(code, "super().to_var")):
        assert isinstance(found, ProjectFunction)
        assert (found.path, found.qualname) == ("base.py", "Base.to_var")
    assert at(code, "self.to_var").bound
    assert not code.resolve("main.py", None, "Runner.to_var").bound


def test_the_order_of_bases_is_pythons():
    code = project(main="class A: pass\nclass B(A): pass\nclass C(A): pass\nclass D(B, C): pass")
    cls = code.resolve("main.py", None, "D")
    assert [c.qualname for c in code.mro(cls)] == ["D", "B", "C", "A"]


def test_bases_outside_stand_in_the_order():
    code = project(main="import torch.nn as nn\nclass Net(nn.Module): pass")
    assert code.mro(code.resolve("main.py", None, "Net"))[1] == External("torch.nn.Module")


def test_self_may_mean_the_override_of_a_subclass():
    text = """
    class A:
        def run(self): HERE
        def to_var(self, x): pass
    class B(A):
        def to_var(self, x): pass
    """
    found = at(project(main=text), "self.to_var")
    assert isinstance(found, Ambiguous)
    assert [c.qualname for c in found.candidates] == ["A.to_var", "B.to_var"]


def test_two_classes_with_the_same_method_are_kept_apart():
    text = """
    class A:
        def run(self): HERE
        def wrap(self): pass
    class B:
        def wrap(self): pass
    """
    found = at(project(main=text), "self.wrap")
    assert isinstance(found, ProjectFunction)
    assert found.qualname == "A.wrap"


@pytest.mark.parametrize(
    ("decorator", "on_self", "on_class"),
    [("", True, False), ("@staticmethod", False, False), ("@classmethod", True, True)],
)
def test_what_fills_the_first_parameter(decorator, on_self, on_class):
    text = f"class A:\n    {decorator}\n    def f(x): pass\n    def g(self): HERE\n"
    code = project(main=text)
    assert at(code, "self.f").bound is on_self
    assert code.resolve("main.py", None, "A.f").bound is on_class


def test_a_function_held_by_staticmethod_stays_unbound():
    text = "def f(x): pass\nclass A:\n    h = staticmethod(f)\n    def g(self): HERE\n"
    found = at(project(main=text), "self.h")
    assert (found.qualname, found.bound) == ("f", False)


def test_an_instance_made_in_sight_has_its_class():
    text = "class A:\n    def f(self): pass\na = A()\nb = a\n"
    assert resolve(text, "b.f").qualname == "A.f"


def test_an_instance_on_self_has_its_class():
    text = "class A:\n    def f(self): pass\nclass B:\n    def __init__(self): self.a = A()\n    def g(self): HERE"
    assert at(project(main=text), "self.a.f").qualname == "A.f"


# --- references ----------------------------------------------------------------------------------------------


def mentions(code: Project, path: str, name: str) -> list[tuple[str, int, str]]:
    target = code.resolve(path, None, name)
    return [(r.path, r.node.lineno, r.kind) for r in code.computed(References).of(target)]


def test_calls_values_and_imports_are_told_apart():
    code = project(
        tools="def f(x): pass\nf(1)\n",
        main="from tools import f as g\nmap(g, [])\ng(2)\n",
        other="import tools\ntools.f(3)\n",
    )
    assert sorted(mentions(code, "tools.py", "f")) == [
        ("main.py", 1, "import"),
        ("main.py", 2, "value"),
        ("main.py", 3, "call"),
        ("other.py", 2, "call"),
        ("tools.py", 2, "call"),
    ]


def test_a_method_of_an_unknown_object_may_be_meant():
    code = project(
        main="class A:\n    def f(self): pass\ndef g(a):\n    a.f()\n    h = a.f\n    getattr(a, 'f')\n"
    )
    assert mentions(code, "main.py", "A.f") == [
        ("main.py", 4, "maybe-call"),
        ("main.py", 5, "maybe"),
        ("main.py", 6, "maybe"),
    ]


def test_a_method_of_another_class_is_no_mention():
    code = project(main="class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\nB().f()\n")
    assert mentions(code, "main.py", "A.f") == []


def test_a_shadowing_name_is_no_mention():
    code = project(main="def f(): pass\ndef g(f):\n    f()\n")
    assert mentions(code, "main.py", "f") == []


# --- offsets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_offsets_count_characters_whatever_the_newline(newline):
    text = newline.join(["é = 'ü𝔘'; f(x)", "y = 1", ""])
    code = Project([Module("a.py", text)])
    call = next(n for n in ast.walk(code.tree("a.py")) if isinstance(n, ast.Call))
    span = code.span("a.py", call)
    assert text[span.start : span.end] == "f(x)"
    assert text[code.offset("a.py", 2, 4)] == "1"


def test_the_span_of_a_def_holds_its_decorators():
    text = "x = 1\n@ a.b\n@c\ndef f(): pass\n"
    code = Project([Module("a.py", text)])
    assert code.span("a.py", code.tree("a.py").body[1]) == Span(6, len(text) - 1)
