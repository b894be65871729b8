from __future__ import annotations

import ast

from alone import START, project
from voltfix.flags.options import Source, sources

KEYS = frozenset({"volatile"})


def found(body: str) -> list[Source] | None:
    text = f"def f(x):\n    options = {{'volatile': True}}\n{body}    return Variable(x, **options)\n"
    code = project(main=START + text)
    splat = next(k for n in code.nodes("main.py") for k in getattr(n, "keywords", ()) if k.arg is None)
    return sources(code, "main.py", splat, KEYS, lambda path, call: ast.unparse(call.func) == "Variable")


def test_the_entry_of_a_dictionary_under_a_name_is_its_source():
    (source,) = found("") or []
    assert source.path == "main.py"


def test_a_dictionary_that_goes_elsewhere_cannot_be_told():
    assert found("    log(options)\n") is None
