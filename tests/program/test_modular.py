"""Do modules go about as values, so that an object whose kind nobody knows may be one of them?"""

from __future__ import annotations

import pytest

from alone import function, project
from voltfix.program.modular import modules_go_about
from voltfix.program.references import References

STEPS = "def fit(net, rows): pass\n"
MAIN = """
import argparse
import steps
from steps import fit

def main(net):
    opt = argparse.ArgumentParser().parse_args()
    fit(net, opt.fit)
    steps.fit(net, 2)
"""


def go_about(main: str, **others: str) -> bool:
    return project(main=MAIN + main, steps=STEPS, **others).computed(modules_go_about)


@pytest.mark.parametrize("main", [
    "",
    "print(steps.fit)",
    "def show(steps): print(steps)",  # a parameter of that name
    "import torch.nn as nn\ndef make(): return dict(nn=nn)",  # of others
    "def all_of(x): return vars(x)",
    "def layers(net): return list(net.modules())",
])
def test_a_module_that_is_only_asked_for_its_names_goes_nowhere(main):
    assert not go_about(main)


@pytest.mark.parametrize("main", [
    "main(steps)",
    "kinds = {'a': steps}",
    "other = steps",
    "def f(): return steps",
    "for each in (steps,): print(each)",
    "steps.__dict__",
    "print(vars(steps))",
    "import importlib\nimportlib.import_module('ste' + 'ps')",
    "from importlib import import_module as bring\nbring('steps')",
    "import sys\nsys.modules['steps']",
    "from sys import modules",  # named below
    "__import__('steps')",
    "import runpy\nrunpy.run_path('steps.py')",
    "class Bag: pass\nvars(Bag()).update(globals())",
    "exec('x = steps')",
    "class Bag: pass\nvars(Bag()).update(vars())",
    "import __main__\nmain(__main__)",
    "import steps as s\nmain(s)",
    "class Bag:\n    import steps",  # what a class binds, its objects have
    "class Bag:\n    import steps as kept",
    "import sys\ndef show(): return sys._getframe().f_globals['fit']",
    "from importlib import util\nutil.find_spec('steps').loader.load_module()",
    "from nowhere import *\nmain(other_steps)",
])
def test_a_module_that_is_handed_over_kept_or_looked_for_goes_about(main):
    more = "\nmodules['steps']" if main.startswith("from sys") else ""
    assert go_about(main + more, other_steps="")


def test_a_package_hands_over_its_parts():
    code = project(main="import pkg\ndef f(g): g(pkg.part)", pkg____init__="", pkg__part="def fit(): pass")
    assert code.computed(modules_go_about)


def test_whoever_installs_a_package_may_hand_over_what_he_likes():
    code = project(main=MAIN, steps=STEPS)
    code.for_others = True
    assert code.computed(modules_go_about)


def kinds(main: str, steps: str = STEPS) -> list[str]:
    code = project(main=MAIN + main, steps=steps)
    return sorted({each.kind for each in code.computed(References).of(function(code, "fit", "steps.py"))})


PARSED = "import argparse\nopt = argparse.ArgumentParser().parse_args()\n"


@pytest.mark.parametrize("main", ["", PARSED + "print(opt.fit, opt.a.fit)", PARSED + "again = opt\nprint(again.fit)",
                                  "import argparse\nprint(argparse.ArgumentParser().parse_args().fit)",
                                  "import torch\nnet = torch.nn.Linear(1, 1)\nnet.fit(1, 2)"])
def test_a_setting_of_the_name_of_a_function_is_not_that_function(main):
    assert kinds(main) == ["call", "import"]


@pytest.mark.parametrize("main", [
    "def put(net): net.fit = fit",
    "def put(parser): parser.set_defaults(fit=fit)",
    "def put(net): setattr(net, 'fit', fit)",
    "class Bag:\n    from steps import fit",
    "class Bag:\n    fit = fit",
    "table = dict(fit=fit)",
    "def ask(net): return getattr(net, 'fit')",
    "main(steps)",
    "def more(net): net.fit(1, 2)",  # whoever calls it may hand over a module
    "def more(net): return [net.a.fit]",
    "import lib\nlib.thing().fit(1, 2)",  # it may have loaded the module
    "import lib\nthing = lib.thing()\ndef more(): thing.parts[0].fit(1, 2)",
    "import lib\nfor thing in lib.all: thing.fit(1, 2)",
    "import steps\nsteps.inner.fit(1, 2)",  # a package may have loaded what is not in view
    "from nowhere import *\ntools.fit(1, 2)",
])
def test_it_may_be_where_somebody_could_have_put_it_there(main):
    assert {"maybe", "maybe-call"} & set(kinds(main))


def test_a_function_that_its_decorator_has_may_be_anywhere():
    assert "maybe" in kinds("", "def keep(f): return f\n@keep\n" + STEPS)


def test_a_method_may_be_what_an_object_of_unknown_kind_has():
    code = project(main="class A:\n    def fit(self): pass\ndef f(opt): opt.fit\nA().fit()")
    assert "maybe" in {each.kind for each in code.computed(References).of(function(code, "A.fit"))}
