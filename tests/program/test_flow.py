from __future__ import annotations

import ast
import textwrap

import pytest

from alone import function, project
from voltfix.program.flow import Followed, called_at
from voltfix.program.resolve import Project


def calls_of_f(code: Project) -> Followed | None:
    use = next(n for n in code.nodes("main.py") if getattr(n, "id", "") == "f")
    return called_at(code, "main.py", use)


def test_a_function_under_another_name_is_called_there():
    code = project(main="def f(): pass\ndef g():\n    h = f\n    h()")
    found = calls_of_f(code)
    assert found is not None
    assert len(found.calls) == 1
    assert found.handed_back_by == []
    assert function(code, "g")


def test_a_function_that_goes_out_of_sight_is_not_followed():
    code = project(main="def f(): pass\nunknown(f)")
    assert calls_of_f(code) is None


def test_a_function_that_is_handed_back_is_called_where_its_maker_is_called():
    code = project(main="def made():\n    def f(): pass\n    return f\ndef g():\n    made()()\n    h = made()\n    h()")
    found = calls_of_f(code)
    assert found is not None
    assert len(found.calls) == 2
    assert [each.qualname for each in found.handed_back_by] == ["made"]


def test_one_of_two_is_not_only_tested():
    code = project(main="def f(): pass\ndef g(h, keep):\n    keep.it = h or f\n")
    assert calls_of_f(code) is None


KEPT = """
import multiprocessing
from threading import Thread

def f(x): pass

class Crew(object):
    def __init__(self, size, job):
        {init}

    def start(self, args):
        {start}

    def go(self, number, job, args):
        {go}

def main(args, others):
    crew = Crew(3, {handed})
    {use}
"""


def kept(init="self.job = job", start="self.job(args)", go="job(number)", handed="f", use="crew.start(args)"):
    code = project(main=KEPT.format(init=init, start=start, go=go, handed=handed, use=use))
    found = calls_of_f(code)
    return None if found is None else [ast.unparse(call) for _, call in found.calls]


@pytest.mark.parametrize("way", [
    {"use": "others.append(crew)"}, {"init": "self.job = others.job = job"},
    {"init": "self.jobs = others([job])"}, {"init": "self.jobs = size\n        self.jobs['x'] = job"},
    {"init": "self.jobs = size or []\n        self.jobs.append(job)"},
    {"init": "self.jobs = []\n        self.jobs = size\n        self.jobs.append(job)"},
    {"init": "others.job = job"}, {"init": "others.job = job = size or job\n        self.job = job"},
    {"handed": "*[f]"}, {"start": "others(self.job)"}, {"start": "others(self)"},
    {"start": "return self.job", "use": "others(crew.start(args))"},
    {"start": "Thread(target=self.job).start()"}, {"start": "Thread(target=others, args=(1, self.job)).start()"},
    {"start": "Thread(target=self.go, args=(*args, self.job)).start()"},
    {"start": "Thread(target=self.go, args=others(1, self.job, args)).start()"},
    {"start": "Thread(target=self.go, args=[1, [self.job], args]).start()"},
    {"start": "others(target=self.go, args=(1, self.job, args)).start()"},
    {"start": "Thread(target=self.go, args=(1, self.job, args), **args).start()"},
    {"start": "Thread(target=self.go, args=(1, self.job, args)).start()", "go": "others(job)"},
    {"start": "Thread(target=self.go, name=(1, self.job, args)).start()"},
])
def test_what_is_handed_to_who_may_keep_it_elsewhere_is_out_of_sight(way):
    assert kept(**way) is None


@pytest.mark.parametrize(("way", "calls"), [
    ({}, ["self.job(args)"]), ({"handed": "job=f"}, ["self.job(args)"]),
    ({"use": "crew.job(args)", "start": "return 1"}, ["crew.job(args)"]),
    ({"init": "self.job = self.other = job"}, ["self.job(args)"]),
    ({"init": "job = size or job\n        self.job = job"}, ["self.job(args)"]), ({"start": "return self.job"}, []),
    ({"init": "self.jobs = [job]", "start": "self.jobs[0](args)"}, ["self.jobs[0](args)"]),
    ({"init": "self.jobs = []\n        self.jobs.append(job)", "start": "self.jobs[0](args)"}, ["self.jobs[0](args)"]),
    ({"init": "self.jobs = {}\n        self.jobs['x'] = job", "start": "self.jobs.get(args)(1)"},
     ["self.jobs.get(args)(1)"]),
    ({"start": "Thread(target=self.go, args=(1, self.job, args)).start()"}, ["job(number)"]),
    ({"start": "Thread(None, self.go, 'name', [1, self.job, args]).start()"}, ["job(number)"]),
    ({"start": "multiprocessing.Process(target=self.go, args=(1, self.job, args)).start()"}, ["job(number)"]),
])
def test_what_an_object_keeps_that_nobody_is_handed_is_called_where_that_asks_for_it(way, calls):
    assert kept(**way) == calls


def calls(source, **others):
    """What may run ``f``, as it is written; None where it gets out of sight."""
    found = calls_of_f(project(main="def f(x): pass\n" + textwrap.dedent(source), **others))
    return None if found is None else sorted(ast.unparse(call) for _, call in found.calls)


@pytest.mark.parametrize(("source", "found"), [
    ("def g(a, b):\n    run = f if a else b\n    run(a)", ["run(a)"]),
    ("def g(a, b):\n    (b or f)(a)", ["(b or f)(a)"]),
    ("def g(a):\n    {'x': f, 'y': 1}[a](2)", ["{'x': f, 'y': 1}[a](2)"]),
    ("KINDS = {'x': f}\ndef g(a):\n    KINDS[a](2)\n    KINDS.get(a, print)(3)",
     ["KINDS.get(a, print)(3)", "KINDS[a](2)"]),
    ("KINDS = {'x': f}\ndef g(a):\n    for name in KINDS:\n        a.add(name)", []),
    ("KINDS = {'x': f}\ndef g(a):\n    for name, each in KINDS.items():\n        each(a)", ["each(a)"]),
    ("KINDS = {'x': f}\ndef g(a):\n    [each(a) for each in KINDS.values()]\n    list(KINDS)", ["each(a)"]),
    ("for each in (f, 1):\n    each(2)\n", ["each(2)"]),
    ("def g(a):\n    kinds = []\n    kinds.append(f)\n    a.name = len(kinds)\n    kinds[0](a)", ["kinds[0](a)"]),
    ("KINDS = dict(x=1)\ndef put(how):\n    KINDS[how.__name__] = how\nput(f)\nKINDS['f'](3)", ["KINDS['f'](3)"]),
    ("def g(a):\n    kinds = []\n    kinds.extend([f, 1])\n    kinds[0](a)", ["kinds[0](a)"]),
    ("def g(a):\n    kinds = {}\n    kinds.setdefault('x', f)(1)\n    kinds['y'](2)",
     ["kinds.setdefault('x', f)(1)", "kinds['y'](2)"]),
    ("def g(a):\n    first, second = f, 1\n    first(a)", ["first(a)"]),
    ("def run(kinds, a):\n    kinds[a](1)\nrun({'x': f}, 2)", ["kinds[a](1)"]),
    ("def g(a):\n    kinds = [[f], []]\n    kinds[0][a](1)\n    for kind in kinds:\n        kind[0](2)",
     ["kind[0](2)", "kinds[0][a](1)"]),
])
def test_a_function_in_a_container_is_called_where_its_items_are(source, found):
    assert calls(source) == found


@pytest.mark.parametrize("source", [
    "KINDS = {'x': f}", "KINDS = {}\nKINDS['x'] = f", "KINDS = {'x': f}\nothers(KINDS)", "KINDS = {f: 1}\nKINDS[1](2)",
    "KINDS = {'x': f}\ndef g(a):\n    return a(KINDS['x'])", "KINDS = {'x': f}\ndef g(a):\n    a.kinds = KINDS",
    "KINDS = {'x': f}\nKINDS['x'](1)\ndef g(a):\n    return getattr(a, 'KINDS')",
    "KINDS = {'x': f}\nKINDS['x'](1)\ndef g(a, b):\n    return getattr(a, b)",
    "KINDS = {'x': f}\ndef g(a):\n    a.update(KINDS)", "KINDS = {'x': f}\ndef g(a):\n    a(*KINDS.values())",
    "KINDS = {'x': f}\ndef g(a):\n    for each in KINDS.values():\n        a(each)",
    "KINDS = {'x': f}\ndef g(a):\n    yield KINDS",
    "def g(kinds):\n    kinds['x'] = f",
    "def g(kinds):\n    kinds.append(f)",
    "def g(a):\n    kinds = a.kinds\n    kinds['x'] = f",
    "def g(a):\n    kinds = []\n    kinds.append(f)\n    a.all = kinds",
    "def g(a):\n    kinds = [f]\n    return kinds", "def g(a):\n    a((f, 1))", "def g(a):\n    a.x, b = f, 1",
    "def g(a):\n    return [[[[f]]]]", "KINDS = {'x': f}\nMORE = {**KINDS}\nMORE['x'](1)",
    "KINDS = {'x': f}\ndef g(a):\n    KINDS.items()[0](a)",
    "def g(a):\n    kinds = []\n    kinds += [f]\n    kinds[0](a)",
    "def g(a):\n    (b := f)(a)", "class A:\n    kinds = [f]", "def g(a):\n    kinds = [f]\n    kinds.__add__(a)",
    "def g(a):\n    global kinds\n    kinds = [f]", "def g(a):\n    kinds = [f]\n    kinds = a\n    kinds[0](1)",
])
def test_what_is_in_a_container_that_goes_out_of_sight_is_not_followed(source):
    assert calls(source) is None


ARGUMENTS = """
import argparse

def g():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers()
    first = sub.add_parser('first')
    first.set_defaults(how=f)
    args = parser.parse_args()
    {use}
"""


@pytest.mark.parametrize(("use", "found"), [
    ("args.how(args)", ["args.how(args)"]), ("run = args.how\n    run(1)", ["run(1)"]),
    ("if hasattr(args, 'how'): args.how(1)", ["args.how(1)"]),
    ("getattr(args, 'how')(2)", ["getattr(args, 'how')(2)"]),
    ("args.why(args)", []),
    ("print(args.how)", []),
])
def test_argparse_keeps_a_function_under_the_name_that_it_is_given(use, found):
    assert calls(ARGUMENTS.format(use=use)) == found


@pytest.mark.parametrize("use", [
    "others(args.how)", "others(**vars(args))", "for k, v in vars(args).items(): print(k, v)",
    "others(getattr(args, args.name))",
    "for v in vars(args).values(): others(v)",
    "return args.how", "others(args.__dict__)",
    "others(vars(args)['how'])", "others(how=args.how)", "others.kept = args.how",
])
def test_what_argparse_keeps_may_be_asked_for_in_other_ways(use):
    assert calls(ARGUMENTS.format(use=use) + "others(g())") is None


def test_a_parser_of_somebody_else_s_may_do_anything_with_it():
    assert calls(ARGUMENTS.replace("argparse.ArgumentParser()", "others()").format(use="args.how(args)")) is None


WRAPPED = """
import functools, inspect, operator, others
from functools import wraps
def timed(g):
    @wraps(g)
    def inner(*a):
        return g(*a)
    return inner
@timed
def f(x): pass
f(1)
def look(h, name, names):
    {look}
"""
WRAPT = """
import inspect, wrapt, others
@wrapt.decorator
def timed(wrapped, instance, args, kwargs):
    print(wrapped.__qualname__)
    return wrapped(*args, **kwargs)
@timed
def f(x): pass
f(1)
def look(h, name, names):
    {look}
"""


def decorated(text: str) -> list[str] | None:
    code = project(main=text)
    use = next(each.decorator_list[0] for each in code.nodes("main.py") if getattr(each, "name", "") == "f")
    found = called_at(code, "main.py", use)
    return None if found is None else [ast.unparse(call) for _, call in found.calls]


@pytest.mark.parametrize(("source", "found"), [
    ("def g(a):\n    run = f\n    run(a)\n    run = a.run\n    run(2)", ["run(2)", "run(a)"]),
    ("def g(run):\n    run = run or f\n    run(1)", ["run(1)"]),
    ("def g(a):\n    getattr(f, a)(1)", ["getattr(f, a)(1)"]),
    ("def g(a):\n    run = f\n    run = getattr(run, a)\n    print(hasattr(run, 'x'))", []),
])
def test_a_name_that_is_bound_to_something_else_besides_may_be_the_function_wherever_it_is_read(source, found):
    assert calls(source) == found


@pytest.mark.parametrize("source", [
    "def g(a):\n    run = f\n    run(1)\n    run = a.run\n    a.keep(run)",
    "def g(a):\n    run = f\n    def put():\n        nonlocal run\n        run = a\n    run(1)",
    "def g(a):\n    run = f\n    run = a\n    return vars(run)", "def g(a):\n    a.keep(getattr(f, a.name))",
    "def g(a):\n    getattr(f, '__get__')(1)", "def g(a):\n    getattr(f, '__get__', a)(1)",
    "def g(a):\n    getattr(f, a, a.other)\n    dir(a)",
    "def g(a):\n    getattr(f, '__' + a)(1)", "def g(a):\n    getattr(a, a.name, f)",
])
def test_one_that_is_handed_on_or_bound_by_others_is_out_of_sight(source):
    assert calls(source) is None


LOOKS = [
    "return hasattr(h, '__wrapped__')", "return getattr(h, name)", "return getattr(others.models, '__' + name)",
    "return getattr(others, name), dir(others)",
]


@pytest.mark.parametrize("look", LOOKS)
def test_what_another_function_is_told_to_stand_for_is_kept_behind_that_alone(look: str):
    assert decorated(WRAPPED.format(look=look)) == ["g(*a)"]
    assert decorated(WRAPPED.replace("@wraps(g)", "@functools.wraps(g, updated=())").format(look=look)) == ["g(*a)"]
    assert decorated(WRAPT.format(look=look)) == ["wrapped(*args, **kwargs)"]


@pytest.mark.parametrize("look", [
    "return h.__wrapped__", "return getattr(h, '__wrapped__')", "return operator.attrgetter('__wrapped__')(h)",
    "return inspect.unwrap(h)", "return getattr(h, '__' + name)", "return [getattr(h, each) for each in dir(h)]",
    "return [getattr(h, each) for each in ('__doc__', '__wrapped__')]", "return vars(h)['__wrapped__']",
    "return [each for _, each in inspect.getmembers(h)], getattr(h, name)",
])
def test_where_it_is_looked_for_there_it_is_out_of_sight(look: str):
    assert decorated(WRAPPED.format(look=look)) is None
    assert decorated(WRAPT.format(look=look)) is None


@pytest.mark.parametrize(("before", "after"), [
    ("    @wraps(g)\n", "    others.keep(wraps(g))\n"),
    ("    @wraps(g)\n", "    keep = wraps(g)\n"),
    ("    @wraps(g)\n", "    @others.wraps(g)\n"),
    ("    @wraps(g)\n", "    @wraps(g)\n    @others.seen(wraps(g))\n"),
    ("    @wraps(g)\n", "    KEPT[0] = g\n    @wraps(g)\n"),
])
def test_one_that_something_else_is_given_besides_is_out_of_sight(before: str, after: str):
    assert decorated(WRAPPED.replace(before, after).format(look="pass")) is None


@pytest.mark.parametrize(("before", "after"), [
    ("    print(wrapped.__qualname__)\n", "    KEPT[0] = wrapped\n"),
    ("    print(wrapped.__qualname__)\n", "    print(wrapped.tool)\n"),
    ("    print(wrapped.__qualname__)\n", "    wrapped = others.seen(wrapped)\n"),
    ("@wrapt.decorator\n", "@wrapt.decorator\n@others.seen\n"),
    ("@wrapt.decorator\n", "@wrapt.decorator(adapter=others.seen)\n"),
    ("@wrapt.decorator\n", "@others.decorator\n"),
])
def test_a_decorator_that_does_something_else_with_it_or_that_others_make_keeps_it_out_of_sight(before, after):
    assert before in WRAPT
    assert decorated(WRAPT.replace(before, after).format(look="pass")) is None


def test_a_decorator_of_the_project_runs_the_function_where_it_calls_its_parameter():
    made = "def timed(g):\n    def inner(*a):\n        return g(*a)\n    return inner\n@timed\ndef f(x): pass\nf(1)\n"
    code = project(main=made)
    use = next(each.decorator_list[0] for each in code.nodes("main.py") if getattr(each, "name", "") == "f")
    found = called_at(code, "main.py", use)
    assert found is not None
    assert [ast.unparse(call) for _, call in found.calls] == ["g(*a)"]
