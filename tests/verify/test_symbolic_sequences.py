"""What Python 2 had lists and whole numbers of runs on; what today's Python is lazy about stays lazy."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import random, itertools, collections, torch\nfrom torch.autograd import Variable\n"


def judge(before: str, after: str) -> tuple[str, str | None]:
    sides = [Side({"a.py": HEAD + textwrap.dedent(text)}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, (Unit("a.py", "f"),)))[:2]


BODY = """
def f(net, data, n, batch, table):
    {first}
    y = net(Variable(data, volatile=True))
    return y.data
"""


def with_block(text: str) -> str:
    return text.replace(", volatile=True", "").replace("    y = net", "    with torch.no_grad():\n        y = net")


@pytest.mark.parametrize(
    "first",
    [
        "kept = filter(lambda each: each, batch); data = kept[:len(kept)]",
        "pairs = map(lambda each: (each, n), batch); pairs.sort(key=len); data = pairs[0][0]",
        "data = [0] + map(int, '123')",
        "order = range(3); order[0] = n; random.shuffle(order); data = data[order[0]]",
        "data = list(range(10))[n // 2 : 7 / 2]",
        "data = list(range(7 / 2))",
        "data = {'a': 1}.keys()[0]; {'a': 1}.items().sort()",
        "states, actions, rewards, others, ends = zip(*batch); data = torch.cat(states)",
        "states, actions, rewards = zip(*random.sample(batch, n)); data = torch.cat(states)",
        "T = collections.namedtuple('T', 'state action reward'); data = torch.cat(T(*zip(*batch)).state)",
        "data = {'300': 1, '512': 2}[str(n)]",
        "data = {'a300': [1], 'a512': []}['a%s' % str(n)][0]",
        "data = {'a300': 1, 'a512': 2}['a{}'.format(n)]",
    ],
)
def test_code_of_python_2_runs(first: str):
    before = BODY.format(first=first)
    assert judge(before, with_block(before)) == ("identical", None)
    assert judge(before, before.replace(", volatile=True", ""))[0] == "different"


def test_a_name_made_of_a_number_that_is_known_by_now_is_that_number():
    before = """
def f(net, data, n):
    if n != 300:
        return None
    size = {'300': [1], '512': []}[str(n)][0]
    return net(Variable(data, volatile=True)).data
"""
    after = before.replace(", volatile=True", "").replace("    return net", "    with torch.no_grad(): return net")
    assert judge(before, after) == ("identical", None)


@pytest.mark.parametrize("lazy", ["map(net, batch)", "filter(None, map(net, batch))", "itertools.imap(net, batch)"])
def test_what_is_lazy_runs_in_the_grad_mode_of_whoever_consumes_it(lazy: str):
    before = f"""
def f(net, data):
    batch = [Variable(data, volatile=True)]
    return list({lazy})
"""
    plain = before.replace(", volatile=True", "")
    around = plain.replace("    return list", "    with torch.no_grad(): return list")
    only = plain.replace("    return list(", "    with torch.no_grad(): outs = ")
    only = only.replace("))\n", ")\n    return list(outs)\n")
    assert judge(before, around) == ("identical", None)
    assert judge(before, only)[0] == "different"
    counted = only.replace("no_grad(): outs", "no_grad():\n        outs").replace(
        "    return list(outs)", "        print(len(outs))\n    return list(outs)"
    )  # a list, so that all of it is there: on Python 2 it was
    assert judge(before, counted) == ("identical", None)


def test_a_key_that_a_dictionary_lacks_is_still_an_error():
    before = BODY.format(first="data = {'a': 1}['b']")
    verdict, detail = judge(before, with_block(before).replace("with torch.no_grad()", "if True"))
    assert (verdict, "(given what is missing here)" in (detail or "")) == ("not-run", True)
