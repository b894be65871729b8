"""On any valid module voltfix neither crashes nor changes what it should not (VOLTFIX_EXAMPLES for more)."""

from __future__ import annotations

import ast
import re
import warnings
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from edit.programs import module as grown

from .judging import ASKED, EXAMPLES, judged

SLOW = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
# what str.splitlines takes for the end of a line and Python does not, or in its own way
ODD_NEWLINES = re.compile(r"[\r\f\v\x1c-\x1e\x85\u2028\u2029]")
IMPORTS = "import torch\nfrom torch.autograd import Variable\n"
# the whole grammar of Python: made of it when it is asked for, and not in each process that collects this file
MODULES = st.deferred(lambda: import_module("hypothesmith").from_grammar())
PLANTS = tuple((Path(__file__).parent / "plants.txt").read_text().split("=====\n"))


def boundaries(text: str) -> list[int]:
    """Offsets where a statement may be put at module level: line starts between two statements."""
    lines = text.splitlines(keepends=True)
    body = ast.parse(text).body
    places = [0]
    for one, other in pairwise(body):
        start = min([other.lineno, *(each.lineno for each in getattr(other, "decorator_list", []))])
        if one.end_lineno is not None and one.end_lineno < start:
            places.append(sum(len(line) for line in lines[: start - 1]))
    return [*places, len(text)]


def planted(text: str, random: Random) -> str:
    """Put one to three plants, and the imports they need, into a module."""
    for _ in range(random.randint(1, 3)):
        place = random.choice(boundaries(text))
        before = text[:place]
        text = before + ("" if not before or before.endswith("\n") else "\n") + random.choice(PLANTS) + text[place:]
    return IMPORTS + text


def parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "a.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@given(MODULES, st.integers(0, 2**32))
@SLOW
def test_a_module_without_a_site_is_left_alone_and_sites_planted_into_it_are_judged(text: str, seed: int) -> None:
    """Both of one module: to make one up takes longer than all that is asked of it."""
    result = judged({"a.py": text.encode()})
    assert result.sites == ()
    assert result.outputs == {}
    assume(not ODD_NEWLINES.search(text))
    source = planted(text, Random(seed))
    assume(parses(source))
    result = judged({"a.py": source.encode()})
    assert result.sites


@given(st.integers(0, 2**40))
@settings(SLOW, max_examples=EXAMPLES if ASKED else EXAMPLES // 6)  # long modules, deep in each other
def test_sites_planted_into_code_that_looks_like_people_wrote_it(seed: int) -> None:
    random = Random(seed)
    text = grown(random).replace("\r\n", "\n").replace("\f", "")
    source = planted(text, random)
    assume(parses(source))
    if random.random() < 0.2:
        source = source.replace("\n", "\r\n")
    judged({"a.py": source.encode()}, taken_back=True)


def test_a_block_in_a_suite_on_the_line_of_its_header() -> None:
    """Found by the test above: the header's line is broken up, and a statement before the block spans lines."""
    head = ["net = torch.nn.Linear(1, 1)", "if a: b()", "else: b = f('''"]
    lines = [*head, "'''); y = net(Variable(x, volatile=True))", ""]
    result = judged({"a.py": (IMPORTS + "\n".join(lines)).encode()})
    assert [row.status for row in result.sites] == ["fixed"]
    after = ["else:", "    b = f('''", "''')", "    with torch.no_grad():", "        y = net(Variable(x))", ""]
    assert result.outputs["a.py"].decode().endswith("\n".join(after))
