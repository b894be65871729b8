"""What rests on code of others that calls a function of the project is suggested, never written."""

from __future__ import annotations

import pytest
from trying import SAME, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.model import Options
from voltfix.pipeline.loading import load_project
from voltfix.program.resolve import Project
from voltfix.search.outside import Outside
from voltfix.verify.client import verify

MAKES = """import feeder
from functools import partial


def pack(rows, off=False):
    return Variable(rows, volatile=off)


"""


def handed(text):
    """Does what ``pack`` gives get to code of others?"""
    loaded = load_project(project(MAKES + text), Options())
    program = Project(loaded.modules)
    line = next(f.node.lineno for f in program.functions() if f.qualname == "pack")
    return Outside(program).handed([("a.py", line)])


@pytest.mark.parametrize("use", [
    "feed = feeder.Feed(rows, pack=pack)",
    "feed = feeder.Feed(rows, pack=partial(pack, off=True))",
    "feed = feeder.Feed(rows, pack=lambda r: pack(r, off=True))",
    "feed = feeder.Feed(rows, lambda r: (r[0], pack(r[1])))",
    "feed = feeder.Feed(rows, *[pack])",
    "feed = feeder.Feed(rows, {'pack': pack})",
    "made = partial(pack, off=True)\nfeed = feeder.Feed(rows, made)",
    "table = {'a': pack}\nfeed = feeder.Feed(rows, table['a'])",
    "for way in (pack, len):\n    feeder.run(rows, way)",
    "feeder.HOOKS['pack'] = pack\nfeeder.run(feeder.HOOKS, pack)",
    "def feed(rows, how):\n    return feeder.Feed(rows, how)\n\nfeed(rows, how=pack)",
    "def chosen():\n    return pack\n\nfeeder.Feed(rows, chosen())",
    "class Feed:\n    def __init__(self, how):\n        self.how = how\n\n    def go(self, rows):\n"
    "        return feeder.run(rows, self.how)\n\nFeed(pack).go(rows)",
    "def feed(rows, how=pack):\n    return feeder.Feed(rows, how)",
    "rows.apply(pack)",
])  # fmt: skip
def test_a_function_that_code_of_others_is_given_is_called_out_of_sight(use):
    assert handed(use + "\n")


@pytest.mark.parametrize("use", [
    "model(pack(rows, off=True))",
    "made = partial(pack, off=True)\nmodel(made(rows))",
    "table = {'a': pack}\nmodel(table['a'](rows))",
    "xs = [model(x) for x in map(pack, rows)]",
    "for way in (pack, len):\n    model(way(rows))",
    "def feed(rows, how):\n    return model(how(rows))\n\nfeed(rows, how=pack)",
    "def chosen():\n    return pack\n\nmodel(chosen()(rows))",
    "class Feed:\n    def __init__(self, how):\n        self.how = how\n\n    def go(self, rows):\n"
    "        return model(self.how(rows))\n\nFeed(pack).go(rows)",
    "feeder.run(pack(rows))",
    "print(pack)",
    "assert callable(pack)",
])  # fmt: skip
def test_a_function_that_is_only_called_in_the_project_stays_in_sight(use):
    assert not handed(use + "\n")


ROWS = """import feeder


class Rows(list):
    def __getitem__(self, n):
        return Variable(self.rows[n], volatile=self.off)


"""


@pytest.mark.parametrize(("use", "outside"), [
    ("rows = Rows(data)\nfor x in feeder.Feed(rows, workers=2):\n    net(x)", True),
    ("for x in feeder.Feed(dataset=Rows(data)):\n    net(x)", True),
    ("class Half(Rows):\n    pass\n\nfeeder.Feed(Half(data))", True),
    ("rows = Rows(data)\nfor n in range(3):\n    net(rows[n])", False),
    ("for x in Rows(data):\n    net(x)", False),
])  # fmt: skip
def test_what_a_loader_of_others_asks_an_object_for_goes_out_of_sight(use, outside):
    loaded = load_project(project(ROWS + use + "\n"), Options())
    program = Project(loaded.modules)
    line = next(f.node.lineno for f in program.functions())
    assert Outside(program).handed([("a.py", line)]) is outside


READER = """
def packed(rows, learning=True):
    wrap = lambda row: Variable(torch.stack(row), volatile=not learning)
    return wrap([r[0] for r in rows]), wrap([r[1] for r in rows])
"""
MAIN = """
from functools import partial
from reader import packed

net = torch.nn.Linear(2, 2)
score = torch.nn.MSELoss()
tries = 0
for x, y in SOURCE(pairs, packed):
    tries += 1
    out = net(x)
    score(out, y).backward()
    if tries % 10 == 0:
        for x, y in SOURCE(held, partial(packed, learning=False)):
            out = net(x)
            worst = score(out, y)
        print(worst)
"""
LOADER = "torch.utils.data.DataLoader"
OWN = "\ndef batches(rows, pack):\n    for n in range(4):\n        yield pack(rows[n])\n\n"


def sites_with(source, verifier, before=""):
    """The sites of a reader, of what is tried, and of what is fixed without being tried."""
    files = {"reader.py": READER, "main.py": before + MAIN.replace("SOURCE", source)}
    if verifier is not None:
        return tried(files, verifier).sites
    return core.migrate(project(files), Options(), verify, search()).sites


@pytest.mark.parametrize("verifier", [Told(lambda item: SAME), None])
def test_a_block_around_the_making_is_only_suggested_where_a_loader_calls_what_makes(verifier):
    (site,) = sites_with(LOADER, verifier)
    assert (site.status, site.safety) == ("refused", "suggested")
    assert "identical" in {each.verification.cpu for each in site.candidates}


ASKED = """

def ask(do, model, batch):
    return do(model, batch)


print(GIVEN(evaluate, torch.nn.Linear(2, 2), torch.ones(1, 2)))
"""


@pytest.mark.parametrize(("given", "status"), [("ask", "fixed"), ("torch.utils.run", "refused")])
def test_a_function_given_to_one_of_the_project_stays_in_sight_and_given_to_one_of_others_does_not(given, status):
    source = WITHIN + ASKED.replace("GIVEN", given)
    assert [site.status for site in core.migrate(project(source), Options(), verify, search()).sites] == [status]
