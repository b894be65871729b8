from __future__ import annotations

import pickle

import pytest
from small_projects import listed, project, sites

from voltfix.flags.sites import find
from voltfix.model import Module, SiteKind, Span
from voltfix.program.resolve import Project

IMPORT = "from torch.autograd import Variable\nimport torch\nimport functools\n"


def torch_sites(text: str, **files: str) -> list[str]:
    """The sites of a file that imports torch, without the line numbers."""
    return [row.split(" ", 1)[1] for row in sites(IMPORT + text, **files)]


# --- arguments of Variable -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("Variable(x, volatile=True)", "volatile=True"),
        ("Variable(x, volatile=False)", "volatile=False"),
        ("Variable(x, volatile = not train)", "volatile = not train"),
        ("Variable(x, volatile=(mode == 'test'))", "volatile=(mode == 'test')"),
        ("Variable(x, False, True)", "True"),
        ("Variable(x, requires_grad=False, volatile=a.b)", "volatile=a.b"),
        ("Variable(data=x, volatile=1)", "volatile=1"),
        ("Variable(x, **{'volatile': True})", "**{'volatile': True}"),
        ("Variable(x, **dict(volatile=True))", "**dict(volatile=True)"),
        ("opts = {'volatile': y}\nVariable(x, **opts)", "**opts"),
        ("opts = {}\nopts['volatile'] = y\nVariable(x, **opts)", "**opts"),
        ("opts = dict()\nopts.update(volatile=y)\nVariable(x, **opts)", "**opts"),
        ("opts = {'requires_grad': False, **more}\nVariable(x, **opts)", "**opts"),
        ("def f(x, opts): return Variable(x, **opts)", "**opts"),
        ("opts = {}\nopts.update({'volatile': y})\nVariable(x, **opts)", "**opts"),
        ("opts = {}\nopts.update(more)\nVariable(x, **opts)", "**opts"),
        ("opts = {}\nopts.setdefault('volatile', y)\nVariable(x, **opts)", "**opts"),
        ("opts = {}\nopts[key] = y\nVariable(x, **opts)", "**opts"),
        ("Variable(x, **({'volatile': True} if test else {}))", "**({'volatile': True} if test else {})"),
        ("Variable(x, **{key: True})", "**{key: True}"),
        ("Variable(x, **options())", "**options()"),
        ("Variable(x, **(defaults or {}))", "**(defaults or {})"),
        ("Variable(x, **dict(**more))", "**dict(**more)"),
        ("def f(x, **kw): return Variable(x, **kw)\ndef g(x, **more): return f(x, **more)", "**kw"),
        ("V = functools.partial(Variable, volatile=True)", "volatile=True"),
        ("map(lambda t: Variable(t, volatile=True), xs)", "volatile=True"),
        ("[Variable(t, volatile=True) for t in xs]", "volatile=True"),
        ("def f(x=Variable(y, volatile=True)): pass", "volatile=True"),
        ("torch.autograd.Variable(x, volatile=True)", "volatile=True"),
    ],
)
def test_an_argument_of_variable_is_a_site(text, site):
    assert torch_sites(text) == [f"VF101 {site}"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Variable(x)", id="no flag"),
        pytest.param("Variable(x, volatile)", id="the second positional is requires_grad"),
        pytest.param("Variable(x, True)", id="the second positional is requires_grad, written out"),
        pytest.param("Variable(x, requires_grad=volatile)", id="another keyword"),
        pytest.param("Variable(x, **{'requires_grad': True})", id="a dictionary without it"),
        pytest.param("Variable(x, **({'requires_grad': True} if a else {}))", id="two dictionaries without it"),
        pytest.param(
            "opts = {}\nopts.update({'requires_grad': True})\nVariable(x, **opts)", id="a dictionary updated without it"
        ),
        pytest.param(
            "opts = {}\nopts.update(requires_grad=True)\nVariable(x, **opts)", id="a dictionary updated by keywords"
        ),
        pytest.param(
            "opts = {}\nopts.setdefault('requires_grad', True)\nVariable(x, **opts)", id="a default put into one"
        ),
        pytest.param(
            "def f(x, n, **kw): return f(x, n - 1, **kw) if n else Variable(x, **kw)\nf(x, 3, requires_grad=True)",
            id="what a function hands to itself",
        ),
        pytest.param(
            "def f(x, **kw): return Variable(x, **kw)\nf(x, **{'requires_grad': True})",
            id="a dictionary without it through a function",
        ),
        pytest.param(
            "opts = dict(requires_grad=True)\nVariable(x, **opts)", id="a named dictionary without it"
        ),
        pytest.param("Variable(x, *rest)", id="stars that nobody fills with a flag"),
        pytest.param("# Variable(x, volatile=True)", id="a comment"),
        pytest.param("'Variable(x, volatile=True)'", id="a string"),
        pytest.param("def f():\n    '''>>> Variable(x, volatile=True)'''", id="a docstring"),
        pytest.param("label(p, volatile=True)", id="an unknown function"),
        pytest.param("volatile = True", id="a name"),
        pytest.param("FIELDS = {'volatile': True}", id="a dictionary for something else"),
        pytest.param("torch.nn.Parameter(x, volatile=True)", id="another class of torch"),
        pytest.param("def f(x, Variable): return Variable(x, volatile=True)", id="a parameter of that name"),
        pytest.param(
            "class A:\n    def f(self): return self.Variable(x, volatile=True)", id="a method of that name"
        ),
        pytest.param(
            "def label(x, volatile=False): return 'hi'\nlabel(x, volatile=True)", id="a flag that ends there"
        ),
        pytest.param(
            "def f(volatile): return Variable(x, volatile)\nf(volatile=True)", id="a flag into requires_grad"
        ),
    ],
)
def test_it_leaves_alone(text):
    assert torch_sites(text) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("from chainer import Variable\nVariable(x, volatile='on')", id="chainer"),
        pytest.param(
            "import chainer\nv = chainer.Variable(x, volatile=True)\nv.volatile = 'off'",
            id="chainer's attribute",
        ),
        pytest.param("import chainer\ndef f(x):\n    x.volatile = 'on'\n    return g(x.data)", id="a text for a flag"),
        pytest.param("def f(x):\n    x.volatile = 'off'\n    return x.backward()", id="a text, and nothing imported"),
        pytest.param("def f(x, on):\n    x.volatile = 'on' if on else 'off'\n    return x.data", id="one of two texts"),
        pytest.param("def f(x):\n    setattr(x, 'volatile', 'on')\n    return x.data", id="a text, by setattr"),
        pytest.param("v = Variable(x, volatile='on')\ny = net(v)", id="a text for a Variable that nothing binds"),
        pytest.param(
            "import chainer\ndef f(x, train):\n    x.volatile = not train\n    return x.data", id="a flag of chainer's"
        ),
        pytest.param("import chainer as t\nt.Variable(x, False, True)", id="chainer under another name"),
        pytest.param("from tkinter import *\nVariable(x, volatile=True)", id="tkinter"),
        pytest.param("import tensorflow as tf\ntf.Variable(x, volatile=True)", id="tensorflow"),
        pytest.param("class Variable:\n    pass\nVariable(x, volatile=True)", id="a local class"),
        pytest.param("def Variable(x, volatile): pass\nVariable(x, volatile=True)", id="a local function"),
        pytest.param("import clang\nif cursor.type.volatile: pass", id="clang"),
        pytest.param("x.volatile = True", id="an attribute where nobody uses torch"),
        pytest.param(
            "import chainer\nVariable(x, volatile=True)", id="a name that nothing binds, beside chainer"
        ),
    ],
)
def test_it_leaves_other_libraries_alone(text):
    assert sites(text) == []


@pytest.mark.parametrize(
    ("text", "site"),
    [
        pytest.param("import torch\ndef f(x): x.volatile = 'on'", "2 VF104 x.volatile", id="torch is imported"),
        pytest.param(
            "import chainer, torch\ndef f(x):\n    x.volatile = 1\n    x.backward()",
            "3 VF104 x.volatile",
            id="both are",
        ),
        pytest.param("def f(x):\n    x.volatile = True\n    x.backward()", "2 VF104 x.volatile", id="no text"),
        pytest.param(
            "def f(x, on):\n    x.volatile = 'on' if on else True\n    x.backward()",
            "2 VF104 x.volatile",
            id="half a text",
        ),
        pytest.param("v = Variable(x, volatile=on)", "1 VF101 volatile=on", id="a name"),
    ],
)
def test_a_flag_that_may_be_of_torch_is_a_site_beside_those_of_chainer(text, site):
    assert sites(text) == [site]


def test_a_text_that_a_function_makes_a_flag_of_is_a_site():
    made = IMPORT + "def to_var(x, volatile=False): return Variable(x, volatile=bool(volatile))\n"
    found = sites("from made import to_var\nv = to_var(x, volatile='on')", made=made)
    assert "2 VF102 volatile='on'" in found


def test_a_tensor_of_torch_that_a_file_about_chainer_is_handed_has_a_flag_of_torch():
    other = "from main import f\nfrom torch.autograd import Variable\nf(Variable(q))\n"
    assert "2 VF104 x.volatile" in sites("import chainer\ndef f(x): x.volatile = True", other=other)


def test_a_variable_of_torch_or_chainer_is_left_alone():
    text = "try:\n    from torch.autograd import Variable\nexcept ImportError:\n    from chainer import Variable\n"
    assert sites(text + "Variable(x, volatile=True)") == []


def test_a_shadowed_import_is_left_alone():
    text = IMPORT + "class Variable:\n    pass\nVariable(x, volatile=True)"
    assert sites(text) == []


def test_local_classes_shadow_in_their_scope_alone():
    text = "def f(x):\n    class Variable: pass\n    Variable(x, volatile=True)\ndef g(x): Variable(x, volatile=True)\n"
    assert sites(IMPORT + text) == ["7 VF101 volatile=True"]


def test_a_project_file_named_chainer_is_its_own():
    code = "class Variable:\n    def __init__(self, x, volatile='off'): self.volatile = volatile\n"
    assert sites("import chainer\nv = chainer.Variable(x, volatile='on')\nv.volatile", chainer=code) == []


def test_a_star_import_that_nobody_can_read_may_bring_variable():
    text = "from fastai.imports import *\nv = Variable(x, volatile=True)\nv.volatile = False"
    assert sites(text) == ["2 VF101 volatile=True", "3 VF104 v.volatile"]


def test_a_file_that_forgot_the_import_is_not_overlooked():
    assert sites("Variable(x, volatile=True)") == ["1 VF101 volatile=True"]


def test_cells_of_a_notebook_and_snippets_leave_imports_out():
    code = Project([Module("a.ipynb", "x = Variable(t, volatile=True)", kind="notebook")])
    assert listed(code) == ["a.ipynb:1 VF101 volatile=True"]


def test_a_site_says_where_it_is():
    text = (
        "from torch.autograd import Variable\n"
        "v = 'é', Variable(x,\n  volatile=True)\nv.volatile = False\ny = v.volatile\n"
    )
    found = find(Project([Module("a.py", text)]))
    shown = [(s.kind, cut(text, s.span), cut(text, s.node)) for s in found]
    assert shown == [
        (SiteKind.ARGUMENT, "volatile=True", "Variable(x,\n  volatile=True)"),
        (SiteKind.WRITE, "v.volatile", "v.volatile = False"),
        (SiteKind.READ, "v.volatile", "v.volatile"),
    ]
    assert pickle.loads(pickle.dumps(found)) == found


def cut(text: str, span: Span) -> str:
    return text[span.start : span.end]


# --- functions that hand it on -------------------------------------------------------------------------------

TO_VAR = "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"


def inner_and(*callers: str) -> list[str]:
    return ["VF101 volatile=volatile", *(f"VF102 {caller}" for caller in callers)]


@pytest.mark.parametrize(
    ("text", "caller"),
    [
        (TO_VAR + "to_var(x, volatile=True)", "volatile=True"),
        (TO_VAR + "to_var(x, True)", "True"),
        (TO_VAR + "to_var(x, volatile=False)", "volatile=False"),
        (TO_VAR + "wrap = to_var\nwrap(x, True)", "True"),
        (TO_VAR + "to_var(x, **{'volatile': True})", "**{'volatile': True}"),
        (TO_VAR + "functools.partial(to_var, volatile=True)", "volatile=True"),
        (TO_VAR + "p = functools.partial(to_var, y)\np(True)", "True"),
        (TO_VAR + "class A:\n    w = staticmethod(to_var)\n    def f(self): self.w(x, True)", "True"),
        (TO_VAR + "def run(make): make(x, volatile=True)\nrun(to_var)", "volatile=True"),
        ("to_var = lambda x, volatile=False: Variable(x, volatile=volatile)\nto_var(x, True)", "True"),
        (
            "def f(x, volatile):\n    volatile = bool(volatile)\n    Variable(x, volatile=volatile)\nf(x, 1)",
            "1",
        ),
        (
            "class A:\n    def f(self, volatile): Variable(x, volatile=volatile)\n    def g(self): self.f(True)",
            "True",
        ),
        (
            "class A:\n    @staticmethod\n    def f(volatile): Variable(x, volatile=volatile)\nA.f(True)",
            "True",
        ),
        (
            "class A:\n    @classmethod\n    def f(cls, volatile): Variable(x, volatile=volatile)\nA.f(True)",
            "True",
        ),
        ("class A:\n    def f(self, volatile): Variable(x, volatile=volatile)\nA.f(a, True)", "True"),
        ("class A:\n    def wrap(self, volatile): Variable(x, volatile=volatile)\nb.wrap(True)", "True"),
        (
            "class A:\n    def forward(self, x, volatile): Variable(x, volatile=volatile)\nA()(x, True)",
            "True",
        ),
        (
            "class A:\n    def forward(self, x, volatile): Variable(x, volatile=volatile)\nnet(x, volatile=True)",
            "volatile=True",
        ),
    ],
)
def test_a_call_of_a_function_that_hands_it_on_is_a_site(text, caller):
    assert sorted(torch_sites(text)) == inner_and(caller)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TO_VAR + "to_var(x)", id="the default belongs to the function"),
        pytest.param(TO_VAR + "def f(to_var): to_var(x, True)", id="a parameter of that name"),
        pytest.param(TO_VAR + "to_var(x, **options)", id="a mapping that nobody can see into a wrapper"),
        pytest.param(TO_VAR + "to_var(*pair)", id="stars"),
        pytest.param(TO_VAR + "other(x, volatile=True)", id="another function"),
        pytest.param(
            TO_VAR + "class A:\n    def to_var(self, x, v): pass\nA().to_var(x, True)",
            id="a method of that name",
        ),
        pytest.param(
            "class A:\n    def get(self, volatile): Variable(x, volatile=volatile)\nd.get(True)",
            id="a common name of an unknown object",
        ),
        pytest.param(
            "class A:\n    def wrap(self, volatile): Variable(x, volatile=volatile)\n"
            "class B:\n    def wrap(self, volatile): pass\nc.wrap(True)",
            id="an unknown object that may be of a class that ends it",
        ),
        pytest.param(
            "class A:\n    def wrap(self, volatile): Variable(x, volatile=volatile)\n"
            "class B:\n    def wrap(self, volatile): pass\nB().wrap(True)",
            id="the method of another class",
        ),
    ],
)
def test_it_leaves_these_calls_alone(text):
    assert [row for row in torch_sites(text) if row != "VF101 volatile=volatile"] == []


def test_an_inverted_flag_is_decided_where_it_is_inverted():
    text = TO_VAR + "def batch(x, train): return to_var(x, volatile=not train)\nbatch(x, train=False)\n"
    assert torch_sites(text) == inner_and("volatile=not train")


def test_a_flag_of_another_name_is_followed():
    text = "def get_batch(x, evaluation=False): return Variable(x, volatile=evaluation)\nget_batch(x, evaluation=True)"
    assert torch_sites(text) == ["VF101 volatile=evaluation", "VF102 evaluation=True"]


def test_a_flag_is_followed_through_two_files_and_two_functions():
    found = sites(
        "import middle\nmiddle.batch(x, True)\n",
        middle="from tools import to_var as t\ndef batch(x, v=False):\n    return t(x, volatile=v)\n",
        tools=IMPORT + TO_VAR,
    )
    assert found == ["2 VF102 True", "middle.py:3 VF102 volatile=v", "tools.py:5 VF101 volatile=volatile"]


def test_keyword_arguments_are_followed_through_catch_alls():
    text = "def np_to_var(x, **kw): return Variable(x, **kw)\nnp_to_var(x, volatile=True)\nnp_to_var(y)\n"
    assert torch_sites(text) == ["VF101 **kw", "VF102 volatile=True"]


def test_a_catch_all_that_no_caller_puts_it_into_is_left_alone():
    assert torch_sites("def f(x, **kw): return Variable(x, **kw)\nf(x, requires_grad=True)\n") == []


def test_a_catch_all_without_known_callers_may_hold_it():
    assert torch_sites("def f(x, **kw): return Variable(x, **kw)\n") == ["VF101 **kw"]


def test_a_catch_all_cannot_hold_what_stands_beside_it():
    text = "def f(x, **kw): return Variable(x, volatile=True, **kw)\n"
    assert torch_sites(text) == ["VF101 volatile=True"]


def test_positions_are_followed_through_stars():
    text = "def V(x, *a, **k): return Variable(x, *a, **k).cuda()\nV(x, False, True)\nV(x, True)\nV(x, volatile=True)\n"
    assert torch_sites(text) == ["VF101 **k", "VF102 True", "VF102 volatile=True"]


@pytest.mark.parametrize(
    "binding",
    [
        "make = wrap",
        "make, other = wrap, 1",
        "if x:\n        make = wrap",
        "try:\n        make = wrap\n    except NameError:\n        pass",
        "print(make := wrap)",
        "make = wrap if x else wrap",
    ],
)
def test_a_function_that_a_class_body_binds_anywhere_takes_its_instance_first(binding):
    text = f"""
def wrap(self, x, flag):
    return Variable(x, volatile=flag)
class Batches:
    {binding}
    def get(self):
        return self.make(x, True)
"""
    assert torch_sites(text) == ["VF101 volatile=flag", "VF102 True"]


def test_a_flag_taken_out_of_a_catch_all_is_followed():
    text = "def f(x, **kw): return Variable(x, volatile=kw.get('volatile', False))\nf(x, volatile=True)\n"
    assert torch_sites(text) == ["VF101 volatile=kw.get('volatile', False)", "VF102 volatile=True"]


def test_a_subclass_of_variable_hands_it_on():
    text = """
class Var(torch.autograd.Variable):
    def __init__(self, data, *args, **kwargs):
        super(Var, self).__init__(data, *args, **kwargs)
class Plain(Variable):
    pass
Var(x, volatile=True)
Plain(x, False, True)
"""
    assert torch_sites(text) == ["VF101 **kwargs", "VF102 volatile=True", "VF102 True"]


def test_a_constructor_that_stores_the_flag_hands_it_on():
    text = """
class Batches:
    def __init__(self, x, volatile=False):
        self.volatile = volatile
    def get(self):
        return Variable(self.x, volatile=self.volatile)
class More(Batches):
    pass
Batches(x, True)
More(x, volatile=True)
"""
    assert torch_sites(text) == ["VF101 volatile=self.volatile", "VF102 True", "VF102 volatile=True"]


def test_a_constructor_that_stores_it_for_itself_does_not():
    text = (
        "class Cache:\n    def __init__(self, volatile): self.volatile = volatile\n"
        "Cache(volatile=True)\nVariable(x)\n"
    )
    assert torch_sites(text) == []


def test_a_base_constructor_called_by_name_is_followed():
    text = """
class A:
    def __init__(self, volatile): self.v = volatile
    def f(self): Variable(x, volatile=self.v)
class B(A):
    def __init__(self, volatile): A.__init__(self, volatile)
B(True)
"""
    assert torch_sites(text) == ["VF101 volatile=self.v", "VF102 volatile", "VF102 True"]


def test_recursion_over_containers_is_followed():
    text = """
def leaves(x, volatile=False):
    if isinstance(x, list):
        return [leaves(y, volatile=volatile) for y in x]
    return Variable(x, volatile=volatile)
leaves(x, True)
"""
    assert torch_sites(text) == ["VF102 volatile=volatile", "VF101 volatile=volatile", "VF102 True"]


def test_an_override_that_ignores_the_flag_does_not_hide_the_one_that_does_not():
    text = """
class A:
    def wrap(self, x, volatile): return Variable(x, volatile=volatile)
    def run(self): return self.wrap(x, volatile=True)
class B(A):
    def wrap(self, x, volatile): return x
"""
    assert torch_sites(text) == inner_and("volatile=True")


def test_a_flag_by_its_name_is_listed_where_one_of_two_classes_hands_it_on():
    text = """
class A:
    def wrap(self, x, volatile): return Variable(x, volatile=volatile)
class B:
    def wrap(self, x, volatile): return x
def f(m): return m.wrap(x, volatile=True)
"""
    assert torch_sites(text) == inner_and("volatile=True")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, make=None): return (make or Variable)(x, volatile=True)",
        "def f(x, make, old): return (Variable if old else make)(x, volatile=True)",
        "def f(x, make=None):\n    make = make or Variable\n    return make(x, volatile=True)",
        "def f(x, kind): return {'v': Variable}[kind](x, volatile=True)",
        "MAKERS = [Variable, torch.Tensor]\ndef f(x, kind): return MAKERS[kind](x, volatile=True)",
        "class A:\n    def __init__(self, make=None): self.make = make or Variable\n"
        "    def f(self, x): return self.make(x, volatile=True)",
        "def f(x, make): return functools.partial(make or Variable, volatile=True)(x)",
        "def f(x): return getattr(torch.autograd, 'Variable')(x, volatile=True)",
        "try:\n    from mine import Variable\nexcept ImportError:\n    class Variable: pass\n"
        "V = unknown or torch.autograd.Variable\nV(x, volatile=True)",
    ],
)
def test_a_flag_to_what_may_be_variable_is_a_site(text):
    assert torch_sites(text) == ["VF102 volatile=True"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, make): return make(x, volatile=True)",  # nothing says that it may be Variable
        "def f(x, make=None): return (make or Variable)(x, requires_grad=True)",
        "def f(x, a, b): return (a or b)(x, volatile=True)",
        "class Own: pass\ndef f(x, make): return (make or Own)(x, volatile=True)",
        "def f(x): return getattr(x, 'Variable')(x, volatile=True)",
    ],
)
def test_a_flag_to_what_nothing_says_may_be_variable_is_left_alone(text):
    assert torch_sites(text) == []


def test_a_flag_to_what_may_be_chainers_variable_is_left_alone():
    text = (
        "import torch\ntry:\n    from chainer import Variable\nexcept ImportError:\n"
        "    from torch.autograd import Variable\ndef f(x, make): return (make or Variable)(x, volatile=True)"
    )
    assert sites(text) == []


def test_a_wrapper_of_chainers_variable_is_left_alone():
    text = (
        "from chainer import Variable\n"
        "def to_var(x, volatile): return Variable(x, volatile=volatile)\nto_var(x, True)"
    )
    assert sites(text) == []


# --- reads and writes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("def f(x):\n    if not x.volatile: pass", "VF103 x.volatile"),
        ("def f(x): assert x.volatile", "VF103 x.volatile"),
        ("y = net(x)\ny.volatile = False", "VF104 y.volatile"),
        ("for p in net.parameters(): p.volatile = True", "VF104 p.volatile"),
        ("batch['x'].volatile = True", "VF104 batch['x'].volatile"),
        ("setattr(v, 'volatile', True)", "VF104 setattr(v, 'volatile', True)"),
        ("getattr(v, 'volatile', False)", "VF103 getattr(v, 'volatile', False)"),
        ("p.grad.volatile", "VF103 p.grad.volatile"),
        ("x.volatile |= y", "VF104 x.volatile"),
        ("class V(Variable):\n    def f(self): return self.volatile", "VF103 self.volatile"),
    ],
)
def test_a_read_or_write_on_a_tensor_is_a_site(text, site):
    assert torch_sites(text) == [site]


def test_two_writes_in_one_statement_are_two_sites():
    assert torch_sites("x.volatile, y.volatile = a, b") == ["VF104 x.volatile", "VF104 y.volatile"]


def test_a_copied_flag_is_an_argument_and_a_read():
    assert torch_sites("def f(x, m): return Variable(m, volatile=x.volatile)") == [
        "VF101 volatile=x.volatile",
        "VF103 x.volatile",
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("class A:\n    def f(self): self.volatile = True", id="a user's own flag on self"),
        pytest.param(
            "class A:\n    def f(self):\n        if self.volatile: pass", id="a flag on self set elsewhere"
        ),
        pytest.param(
            "class A:\n    volatile = True\na = A()\na.volatile = False", id="an instance of a class with one"
        ),
        pytest.param("args = parser.parse_args()\nif args.volatile: pass", id="command line options"),
        pytest.param("def f(opt): return opt.volatile", id="options by name"),
        pytest.param("class A:\n    def f(self): return self.opt.volatile", id="options on self"),
        pytest.param("import storage\nstorage.volatile = True", id="a module"),
        pytest.param("x.is_volatile = True", id="another attribute"),
        pytest.param("setattr(x, 'other', True)", id="another attribute by name"),
        pytest.param(
            "from collections import namedtuple\nM = namedtuple('M', 'path volatile')\ndef f(m): return m.volatile",
            id="a record with a field of that name",
        ),
        pytest.param(
            "class Mount:\n    def __init__(self): self.volatile = True\ndef f(m): return m.volatile",
            id="an unknown object where a class has such an attribute",
        ),
    ],
)
def test_it_leaves_these_attributes_alone(text):
    assert torch_sites(text) == []


def test_a_tensor_is_told_from_the_models_own_flag():
    text = """
class Model:
    def __init__(self): self.volatile = False
    def collate(self, x):
        inputs = Variable(torch.stack(x, 0))
        if self.volatile:
            inputs.volatile = True
"""
    assert torch_sites(text) == ["VF104 inputs.volatile"]


def test_a_parameter_that_callers_hand_tensors_is_one():
    text = """
class Mount:
    def __init__(self): self.volatile = True
def f(v): return v.volatile
f(Variable(x))
"""
    assert torch_sites(text) == ["VF103 v.volatile"]


# --- nothing breaks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "",
        "\x00",
        "Variable(",
        "f(" * 150 + ")" * 150,
        "x = " + "a if b else " * 500 + "c",
        "x" + ".cuda()" * 400 + ".volatile",
        "Variable(x, volatile=" + " or ".join(f"v{n}" for n in range(1000)) + ")",
        "lambda *a, **k: Variable(*a, **k)",
        "def f(*a, **k): f(*a, **k)",
        "class A(A): pass\nA(volatile=True)",
        "class A(B): pass\nclass B(A): pass\nA().f(volatile=True)",
        "self.volatile = self.volatile",
        "def f(x, volatile=f(x, volatile)): f(volatile, x)",
        "x, *y = y, x\nVariable(*x, **y)",
    ],
)
def test_odd_code_does_not_crash(text):
    assert isinstance(find(project(main=text)), list)
    assert isinstance(find(project(main=IMPORT + text)), list)
