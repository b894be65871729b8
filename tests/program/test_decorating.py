"""A decorator may put an object in the place of a function; it does not where all that it gives is a function."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.decorating import stays_function


def stays(decorators: str, put: str = "@logged\n") -> bool:
    code = project(main=f"{decorators}\n{put}def fit(x): x.backward()\n")
    found = next(each for each in code.nodes("main.py") if isinstance(each, ast.FunctionDef) and each.name == "fit")
    return stays_function(code, "main.py", found)


AROUND = "def logged(f):\n    def inner(*args):\n        print(f)\n        return f(*args)\n    return inner\n"


@pytest.mark.parametrize(("decorators", "put"), [
    (AROUND, "@logged\n"),
    ("import functools\n" + AROUND.replace("    def", "    @functools.wraps(f)\n    def"), "@logged\n"),
    ("def logged(f):\n    KNOWN.append(f)\n    return f\n", "@logged\n"),
    ("def logged(f):\n    if QUIET:\n        return f\n    return lambda *args: f(*args)\n", "@logged\n"),
    ("def logged(f):\n    try: f = profile(f)\n    except NameError: pass\n    return f\n", "@logged\n"),
    ("def logged(label):\n    def around(f):\n        return f\n    return around\n", "@logged('a')\n"),
    ("def logged(f):\n    return f\ndef other(f):\n    return f\n", "@logged\n@other\n"),
    ("import wrapt\n@wrapt.decorator\ndef logged(f, of, args, kwargs):\n    return f(*args, **kwargs)\n", "@logged\n"),
    ("", ""),
])
def test_a_function_stays_one_where_each_return_gives_it_or_another(decorators: str, put: str) -> None:
    assert stays(decorators, put)


@pytest.mark.parametrize(("decorators", "put"), [
    ("class logged:\n    def __init__(self, f): self.f = f\n    def __call__(self): return self.f\n", "@logged\n"),
    ("class Log:\n    def __init__(self, f): self.f = f\ndef logged(f):\n    return Log(f)\n", "@logged\n"),
    ("def logged(f):\n    if QUIET:\n        return f\n    return Log(f)\n", "@logged\n"),
    ("from tools import Log\ndef logged(f):\n    f = Log(f)\n    return f\n", "@logged\n"),
    ("def profile(f): return Log(f)\ndef logged(f):\n    f = profile(f)\n    return f\n", "@logged\n"),
    ("import builtins\nbuiltins.profile = Log\ndef logged(f):\n    f = profile(f)\n    return f\n", "@logged\n"),
    ("import builtins\nsetattr(builtins, 'profile', LOG)\ndef logged(f):\n    f = profile(f); return f\n", "@logged\n"),
    ("from tools import *\ndef logged(f):\n    f = profile(f)\n    return f\n", "@logged\n"),
    ("def logged(f, other):\n    return other\n", "@logged\n"),
    ("def logged(label):\n    def around(f):\n        return Log(f, label)\n    return around\n", "@logged('a')\n"),
    ("def logged(label):\n    def around(f):\n        return f\n    return around\n", "@logged\n@unseen\n"),
    ("@unseen\ndef logged(f):\n    return f\n", "@logged\n"),
    ("def logged(f):\n    @unseen\n    def inner(x):\n        return f(x)\n    return inner\n", "@logged\n"),
    ("def logged(f):\n    return f\n", "@logged\n@unseen\n"),
    ("import wrapt\n@wrapt.decorator\n@unseen\ndef logged(f, of, args, kwargs): pass\n", "@logged\n"),
    ("import wrapt\n@wrapt.decorator(enabled=unseen)\ndef logged(f, of, args, kwargs): pass\n", "@logged\n"),
    ("import wrapt\n@wrapt.decorator\ndef logged(f, of, args, kwargs): pass\n", "@logged(1)\n"),
    ("def logged(f):\n    yield f\n", "@logged\n"),
    ("def logged(f):\n    print(f)\n", "@logged\n"),
    ("from functools import lru_cache\n", "@lru_cache(None)\n"),
])
def test_it_may_be_an_object_where_one_of_them_gives_something_else(decorators: str, put: str) -> None:
    assert not stays(decorators, put)
