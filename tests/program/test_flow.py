from __future__ import annotations

import ast

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
    {"use": "others.append(crew)"}, {"init": "self.job = self.other = job"}, {"init": "self.jobs = [job]"},
    {"init": "others.job = job"}, {"init": "job = size or job\n        self.job = job"}, {"handed": "*[f]"},
    {"start": "others(self.job)"}, {"start": "others(self)"}, {"start": "return self.job"},
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
    ({"start": "Thread(target=self.go, args=(1, self.job, args)).start()"}, ["job(number)"]),
    ({"start": "Thread(None, self.go, 'name', [1, self.job, args]).start()"}, ["job(number)"]),
    ({"start": "multiprocessing.Process(target=self.go, args=(1, self.job, args)).start()"}, ["job(number)"]),
])
def test_what_an_object_keeps_that_nobody_is_handed_is_called_where_that_asks_for_it(way, calls):
    assert kept(**way) == calls
