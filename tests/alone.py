"""One module at a time: a project out of texts, and one function of it run on the abstract machine."""

from __future__ import annotations

import ast
import textwrap

from voltfix.machine.execute import Interpreter
from voltfix.model import Module
from voltfix.program.bindings import ProjectFunction
from voltfix.program.resolve import Project
from voltfix.solver.memo import Recorded
from voltfix.solver.roots import Body, Setting

START = "import torch\nfrom torch.autograd import Variable\n\n"
# a function with a flag; nobody is seen to take what the last one gives, so that its call is left
HELPER = """
def put(x, off=False):
    return Variable(x.cuda(), volatile=off)


def fit(net, x):
    net(put(x)).sum().backward()


def hand_out(x):
    return put(x, off=True)


"""


def project(**files: str) -> Project:
    """A project of files: ``pkg__mod="..."`` is ``pkg/mod.py``."""
    return Project([Module(f"{name.replace('__', '/')}.py", textwrap.dedent(text)) for name, text in files.items()])


def function(code: Project, name: str, path: str = "main.py") -> ProjectFunction:
    """The function of that qualified name."""
    return next(each for each in code.functions() if (each.path, each.qualname) == (path, name))


def node(code: Project, text: str, path: str = "main.py") -> ast.AST:
    """The first node of the module that is written ``text``."""
    return next(each for each in code.nodes(path) if isinstance(each, ast.expr) and ast.unparse(each) == text)


def ran(source: str, name: str = "f", **others: str) -> Interpreter:
    """The machine after it ran the function of that name; torch and Variable are imported."""
    return ran_with_root(source, name, **others)[0]


def ran_with_root(source: str, name: str = "f", **others: str) -> tuple[Interpreter, ast.AST]:
    """The machine with all that it holds, and the function that it ran; ``others``: files beside it."""
    code = project(main=START + textwrap.dedent(source), **others)
    root = function(code, name)
    setting, body = Setting(code), Body("main.py", root.node, root.qualname)
    told = {name: Recorded(view) for name, view in setting.inputs(body, own=False).items()}
    machine, _ = setting.attempt(body, told, setting.CLOSEST)
    assert machine is not None
    return machine, root.node


def needs(machine: Interpreter) -> list[int]:
    """The lines, after the imports, of what needs gradients off."""
    below = START.count("\n")
    return sorted({fact.chain[-1].lineno - below for fact in machine.facts if not fact.need.is_false})


def forbids(machine: Interpreter) -> list[int]:
    """The lines, after the imports, of what needs its graph."""
    below = START.count("\n")
    return sorted({fact.chain[-1].lineno - below for fact in machine.facts if not fact.forbid.is_false})
