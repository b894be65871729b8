from __future__ import annotations

import ast

import pytest

from alone import node, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.training import Training

STEP = "def step(x, net): net(x).backward()\ndef show(x, net): return net(x)\n"


def may_send(source: str, call: str, **others: str) -> bool:
    code = project(main=source, **others)
    found = node(code, call)
    assert isinstance(found, ast.Call)
    index = Index(code.paths)
    return Training(code, Rebound(code, index), index).may_send("main.py", found)


@pytest.mark.parametrize("source", [
    "KINDS = {'a': step, 'b': show}\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "def h(registry):\n    registry.how = step\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "def h(pool):\n    pool.submit(step)\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "from functools import partial\nHOW = partial(step, net=1)\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "def h():\n    return [step]\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
])
def test_a_call_of_something_unknown_may_run_a_function_that_is_stored_or_handed_on(source: str) -> None:
    assert may_send(STEP + source, "kinds[k](x, net)")


@pytest.mark.parametrize("source", [
    "KINDS = {'b': show}\nstep(1, 2)\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "KINDS = {'a': step}\ndef g(kinds, k, x, net):\n    kinds[k](x, net, 1)",
    "def h(xs):\n    return list(map(step, xs))\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "import atexit\natexit.register(step, 1, 2)\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
    "def h(f, x, net):\n    f(x, net)\nh(step, 1, 2)\ndef g(kinds, k, x, net):\n    kinds[k](x, net)",
])
def test_it_runs_none_that_is_called_by_name_does_not_fit_or_is_in_the_hands_of_others(source: str) -> None:
    assert not may_send(STEP + source, source.splitlines()[-1].strip())


def test_a_function_is_run_where_the_parameter_is_called_that_it_is_handed_to() -> None:
    source = STEP + "def h(f, x, net):\n    f(x, net)\nh(step, 1, 2)\n"
    assert may_send(source, "f(x, net)")


def test_an_attribute_is_a_function_only_where_one_is_kept_under_its_name() -> None:
    source = STEP + "class A:\n    def __init__(self):\n        self.how = step\ndef g(a, x, net):\n    a.{}(x, net)"
    assert may_send(source.format("how"), "a.how(x, net)")
    assert not may_send(source.format("why"), "a.why(x, net)")


METHODS = "class A:\n    def step_one(self, x): x.backward()\n    def show(self, x): return x\ndef g(a, k, x):\n    "


def test_a_method_may_be_asked_for_by_a_built_name() -> None:
    assert may_send(METHODS + "getattr(a, 'step_' + k)(x)", "getattr(a, 'step_' + k)(x)")
    assert may_send(METHODS + "f = getattr(a, k)\n    f(x)", "f(x)")
    assert not may_send(METHODS + "getattr(a, 'sh' + k)(x)", "getattr(a, 'sh' + k)(x)")
    assert not may_send(METHODS + "getattr(a, k)(x, 1, 2)", "getattr(a, k)(x, 1, 2)")


def test_a_property_is_not_called() -> None:
    source = "class A:\n    @property\n    def step_one(self): self.x.backward()\ndef g(a, k):\n    getattr(a, k)()"
    assert not may_send(source, "getattr(a, k)()")


def test_no_file_hands_a_function_to_one_that_no_import_joins_to_it() -> None:
    source = "def g(kinds, k, x, net):\n    kinds[k](x, net)\nif __name__ == '__main__':\n    g({}, 1, 2, 3)"
    table = STEP + "KINDS = {'a': step}"
    assert not may_send(source, "kinds[k](x, net)", steps=table)
    assert may_send("import steps\n" + source, "kinds[k](x, net)", steps=table)
    both = "import main, steps\nmain.g(steps.KINDS, 'a', 1, 2)"
    assert may_send(source, "kinds[k](x, net)", steps=table, both=both)


def test_a_function_of_a_module_that_is_asked_for_by_its_name_may_train() -> None:
    main = "import importlib\ndef g(k, x, net):\n    found = importlib.import_module({})\n    found.{}(x, net)\ng(1)"
    assert may_send(main.format("'steps.' + k", "step"), "found.step(x, net)", steps__one=STEP)
    assert not may_send(main.format("'steps.' + k", "show"), "found.show(x, net)", steps__one=STEP)
    assert not may_send(main.format("'nets.' + k", "step"), "found.step(x, net)", steps__one=STEP)


def test_what_is_asked_for_by_a_built_name_is_kept_where_it_is_assigned() -> None:
    kept = """
import importlib
class Runner(object):
    def __init__(self, k):
        self.how = getattr(importlib.import_module('steps'), k)
    def run(self, x, net):
        self.how(x, net)
        self.other(x, net)
"""
    assert may_send(kept, "self.how(x, net)", steps=STEP)
    assert not may_send(kept, "self.other(x, net)", steps=STEP)


CALLED = "\ndef g(x, net):\n    net(x, 1)"


@pytest.mark.parametrize("source", [
    "def h(a, x):\n    how = step if a else show\n    how(x, 1)",
    "KINDS = {'a': step, 'b': show}\ndef h(k, x):\n    KINDS[k](x, 1)",
    "import fire\nfire.Fire({'a': step})",
    "import optuna\nstudy = optuna.create_study()\nstudy.optimize(step)",
    "from tuner import tune\ntune(over=lambda x, net: step(x, net))",
    "from functools import partial\nHOW = partial(step, 1)\nHOW(2)",
    "from sacred import Experiment\nex = Experiment()\n@ex.main\ndef run(x, net):\n    step(x, net)",
    "import ray\n@ray.remote\ndef run(x, net):\n    step(x, net)\nrun.remote(1, 2)",
    "import argparse\np = argparse.ArgumentParser()\np.set_defaults(how=step)\np.parse_args().how(1, 2)",
])
def test_a_network_is_none_of_the_functions_that_are_followed(source: str) -> None:
    assert not may_send(STEP + source + CALLED, "net(x, 1)")


@pytest.mark.parametrize("source", [
    "def h(a, x):\n    how = step if a else show\n    a.run(how)",
    "KINDS = {'a': step, 'b': show}\ndef h(k, x):\n    k.add(KINDS[k])",
    "import fire\nkinds = fire.Fire\ndef h(a):\n    a.do({'a': step})",
    "import optuna\ndef h(study):\n    study.optimize(step)",
    "import optuna\ndef h(a):\n    study = optuna.create_study() if a else a.study\n    study.optimize(step)",
    "from joblib import delayed\ndef work(how, x):\n    g(x, how)\ndelayed(work)(step, 1)",
    "import joblib\ndef work(how, x):\n    g(x, how)\npool = joblib.Parallel()\npool.apply(work, step)",
    "import queue\nwaiting = queue.Queue()\nwaiting.put(step)",
    "import torch\nnet = torch.load('net')\nnet.register_forward_hook(step)",
    "import torchvision\nnet = torchvision.models.vgg16()\nnet.register_forward_hook(step)",
    "import timm\nlayers = timm.vgg16()\nlayers.apply(step)",
    "from functools import partial\ndef h(a):\n    a.how = partial(step, 1)",
    "from torch import nn\nlayer = nn.Linear(1, 2)\n@layer.register_forward_hook\ndef run(x, net):\n    step(x, net)",
    "import argparse\np = argparse.ArgumentParser()\np.set_defaults(how=step)\na = p.parse_args()\ng(1, a.how)",
    "import argparse\np = argparse.ArgumentParser()\np.set_defaults(step)",
    "import argparse\np = argparse.ArgumentParser()\np.set_defaults(net=step)\ng(1, **vars(p.parse_args()))",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--how', default=step)",
    "import store\nkept = store.Registry()\nkept.register(step)\nnet = kept.get('a')",
    "import store\nkept = store.Registry()\nkept.register({'a': step}, g)",
])
def test_one_that_gets_out_of_sight_may_be_what_is_called(source: str) -> None:
    body = source + (CALLED if "net = kept" not in source else "\ndef h(x):\n    net(x, 1)")
    assert may_send(STEP + body, "net(x, 1)")


SET = "import argparse\np = argparse.ArgumentParser()\np.set_defaults(how=step)\nargs = p.parse_args()\n"


@pytest.mark.parametrize(("call", "sends"), [
    ("args.how(x, net)", True), ("args.why(x, net)", False), ("net(x, args)", True), ("each(x, net)", True),
    ("getattr(args, k)(x, net)", True),
])
def test_a_setting_that_is_asked_for_with_all_others_may_be_any_of_them(call: str, sends: bool) -> None:
    body = "def g(x, net, args, k):\n    for each in vars(args).values():\n        " + call
    assert may_send(STEP + SET + body, call) is sends


@pytest.mark.parametrize("source", [
    "from tqdm import tqdm\nK = {'a': step}\ndef g(x, net):\n    for _, how in tqdm(K.items()):\n        how(x, net)",
    "import six\nKINDS = {'a': step}\ndef g(x, net):\n    for how in six.itervalues(KINDS):\n        how(x, net)",
    "import numpy\ndef g(x, net):\n    how = numpy.random.choice([step])\n    how(x, net)",
    "from lib import Registry\nR = Registry()\n@R.add\ndef own(x, net): step(x, net)\ndef g(x, net):\n"
    "    how = R.get(1)\n    how(x, net)",
    "class T:\n    def __init__(self, hooks):\n        self.hooks = hooks\n"
    "        self.hooks.append(step)\ndef g(x, net, hooks):\n"
    "    for how in hooks:\n        how(x, net)",
    "HOOKS = []\nclass T:\n    def __init__(self):\n        self.hooks = HOOKS\n    def more(self):\n"
    "        self.hooks.append(step)\ndef g(x, net, held):\n    for how in held.all():\n        how(x, net)",
    "class T:\n    hooks = []\n    def more(self):\n        self.hooks.append(step)\ndef g(x, net, held):\n"
    "    how = held[0]\n    how(x, net)",
])
def test_a_container_that_others_have_too_may_give_what_is_in_it(source: str) -> None:
    assert may_send(STEP + source, "how(x, net)")


@pytest.mark.parametrize("source", [
    "import fire\ndef g(x, net, how):\n    how(x, net)\nfire.Fire({'a': step})",
    "class T:\n    def __init__(self):\n        self.hooks = []\n        self.hooks.append(step)\n    def size(self):\n"
    "        return len(self.hooks)\nT().size()\ndef g(x, net, held):\n    how = held[0]\n    how(x, net)",
])
def test_one_that_nobody_else_has_or_that_is_run_at_once_does_not(source: str) -> None:
    assert not may_send(STEP + source, "how(x, net)")


@pytest.mark.parametrize("source", [
    "import toolz\nMADE = toolz.compose(show, step)\ndef g(x, net, how):\n    how(x, net)\ng(1, 2, MADE)",
    "from joblib import Memory\nfast = Memory('.').cache(step)\ndef g(x, net, how):\n    how(x, net)\ng(1, 2, fast)",
    "from retrying import again\ndef g(x, net, how):\n    how(x, net)\ng(1, 2, again(again(step)))",
])
def test_what_code_from_outside_makes_of_a_function_may_run_it(source: str) -> None:
    assert may_send(STEP + source, "how(x, net)")


@pytest.mark.parametrize("source", [
    "from tuner import best\nfound = best(step)\nprint(found)\ndef g(x, net, how):\n    how(x, net)\ng(1, 2, show)",
    "from lib import Engine\nE = Engine(step)\nE.run()\ndef g(x, net, how):\n    how(x, net)\ng(1, 2, show)",
])
def test_what_it_gives_is_called_only_where_it_gets_to(source: str) -> None:
    assert not may_send(STEP + source, "how(x, net)")


def test_an_object_from_outside_may_keep_it_under_the_word_that_it_was_given_with() -> None:
    source = STEP + "from easydict import Easy\ndef g(x, net, cfg):\n    cfg.{}(x, net)\ng(1, 2, Easy(how=step))"
    assert may_send(source.format("how"), "cfg.how(x, net)")
    assert not may_send(source.format("why"), "cfg.why(x, net)")


def test_nobody_says_by_its_name_who_calls_what_python_asks_for() -> None:
    source = STEP + "class Lazy:\n    def __getattr__(self, name):\n        return step\ndef g(x, net, lazy):\n    "
    assert may_send(source + "lazy.any(x, net)", "lazy.any(x, net)")


KEPT = STEP + """
import torch
class A:
    def __init__(self, how, size):
        self.how = 0
{}
def hand(pool):
    pool.keep(step)
def g(a, x, net):
    a.how(x, net)
"""


@pytest.mark.parametrize("kept", [
    "        self.how += 1\n",
    "        self.how, self.size = 0, size\n",
    "        self.how = same(torch.zeros(3))\ndef same(x):\n    x += 1\n    return x\n",
    "        made = torch.zeros(3)\n        self.how = same(1, x=made)\ndef same(n, x):\n    return x\n",
])
def test_what_an_operator_gives_and_what_is_handed_back_as_it_was_given_is_no_function(kept: str) -> None:
    source = KEPT.format(kept + "class B: pass")
    assert called_in(source)


@pytest.mark.parametrize("kept", [
    "        self.how, self.size = how, size\n",
    "        self.size, self.how = how\n",
    "        self.how += 1\n    def __add__(self, other):\n        return other\n",
    "        self.how += 1\n    def __radd__(self, other):\n        return other\n",
    "        self.how = same(how)\ndef same(x):\n    return x\n",
    "        self.how = same(torch.ones(3))\ndef same(x, other=step):\n    if x:\n        return other\n    return x\n",
    "        self.how = same(torch.zeros(3))\ndef same(x):\n    x = step\n    return x\n",
    "        self.how = same(torch.zeros(3))\ndef same(x):\n    yield x\n",
])
def test_what_may_be_a_function_is_asked_for_under_the_name_that_it_is_kept_by(kept: str) -> None:
    assert not called_in(KEPT.format(kept + "class B: pass"))


def called_in(source: str) -> bool:
    """Does ``g`` come to no function that trains?"""
    code = project(main=source)
    index = Index(code.paths)
    found = next(n for n in code.nodes("main.py") if isinstance(n, ast.FunctionDef) and n.name == "g")
    return not Training(code, Rebound(code, index), index).trains("main.py", found)


TIMED = """
def timed(quiet):
    def around(f):
        def inner(x, net):
            return f(x, net)
        return inner
    return around
@timed(quiet=True)
def fit(x, net):
    net(x).backward()
"""
RUN = "def g(kinds, k, x, net):\n    kinds[k](x, net)"


def test_what_a_decorator_that_is_made_gives_goes_by_the_name_of_what_it_decorates() -> None:
    assert not may_send(TIMED + RUN, "kinds[k](x, net)")


@pytest.mark.parametrize("more", [
    "keep = timed(quiet=False)\n",
    "def h(pool):\n    pool.keep(timed(True)(fit))\n",
    "def h(pool):\n    pool.keep(timed)\n",
    "def h(pool):\n    pool.keep(fit)\n",
])
def test_it_may_go_by_another_where_it_is_made_for_something_else(more: str) -> None:
    assert may_send(TIMED + more + RUN, "kinds[k](x, net)")


PASSED_ON = """
import sys
def run(tool, k, x, net):
    getattr(sys.modules[tool], k){given}
KINDS = {{'a': run}}
def g(kinds, k, x, net):
    {call}
"""
FED = "def feed(f):\n    def inner(x): return f(x, 1)\n    return inner\n"
CALL = "kinds[k](1, 2, x, net)"


@pytest.mark.parametrize(("start", "given"), [
    (STEP, "(x, net)"),
    (STEP, "(*x)"),
    (STEP, "(x, **net)"),
    (FED + "@feed\n" + STEP, "(x)"),
    (FED + STEP + "refit = feed(step)\n", "(x)"),
    ("import functools\n" + STEP + "go = [functools.partial(f, net=1) for f in (step,)]\n", "(x)"),
    ("import click\n@click.command()\n" + STEP, "()"),
])
def test_what_calls_something_by_a_built_name_may_train_whatever_it_hands_over(start: str, given: str) -> None:
    assert may_send(start + PASSED_ON.format(given=given, call=CALL), CALL)


def test_what_a_decorator_of_the_project_made_of_a_function_may_be_called_with_less() -> None:
    table = "@feed\n" + STEP + "KINDS = {'a': step}\ndef g(kinds, k, x):\n    kinds[k](x)"
    assert may_send(FED + table, "kinds[k](x)")
    assert not may_send(FED + table.replace("@feed\n", ""), "kinds[k](x)")


@pytest.mark.parametrize(("made", "sends"), [
    ("__import__('tools.kinds', fromlist=[k])", False),
    ("__import__('tools.kinds', globals(), locals(), [k], 0)", False),
    ("importlib.import_module('.kinds', 'tools')", False),
    ("importlib.import_module('.kinds', package='tools')", False),
    ("argparse.Namespace()", False),
    ("argparse.Namespace(how=A())", True),
    ("make(k)", True),
    ("A() if k else importlib.import_module('.kinds', 'tools')", True),
])
def test_a_module_has_no_methods_however_it_is_asked_for(made: str, sends: bool) -> None:
    start = "import importlib, argparse\nclass A:\n    def step(self, x): x.backward()\n"
    body = f"def g(k, x):\n    found = {made}\n    getattr(found, k)(x)"
    assert may_send(start + body, "getattr(found, k)(x)") is sends


FORWARD = "class Net(nn.Module):\n    def forward(self, x, net): x.backward()\n"


def test_what_is_handed_over_by_name_for_a_parameter_is_no_object_that_trains() -> None:
    source = "import torch.nn as nn\n" + FORWARD + STEP + "def h(f, x, net):\n    f(x, net)\nh({}, 1, 2)\n"
    assert not may_send(source.format("show"), "f(x, net)")
    for other in ("step", "Net()", "kinds[0]"):
        assert may_send(source.format(other), "f(x, net)")
    assert may_send(source.format("show") + "h(*given)\n", "f(x, net)")


def test_a_local_name_of_a_function_is_no_attribute_unless_somebody_asks_for_all_of_them() -> None:
    source = "import torch.nn as nn\nclass Net(nn.Module):\n    def forward(self, x): x.backward()\n" \
             "def g(x):\n    mean = x.mean(0)\n    return mean\n"
    assert not may_send(source, "x.mean(0)")
    assert may_send(source + "class Kept:\n    def __init__(self, net, mean):\n"
                    "        self.__dict__.update(locals())\n", "x.mean(0)")
    assert may_send(source + "class Kept:\n    def __init__(self, net):\n        self.mean = net\n", "x.mean(0)")
    assert may_send(source + "class Kept:\n    mean = Net()\n", "x.mean(0)")
    assert may_send(source + "def f(net):\n    global mean\n    mean = net\n", "x.mean(0)")
    assert may_send(source + "def f(net):\n    return dict(mean=net)\n", "x.mean(0)")
