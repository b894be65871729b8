"""Doing the same says something of a candidate only where blocks are needed and runs bring the value to each use."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, SAME, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.flags.sites import find
from voltfix.model import Decision, Options, WrapStatements
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project
from voltfix.search.aside import stands_in_blocks
from voltfix.search.group import grouped
from voltfix.search.kinds import drafts
from voltfix.search.kinds.around import covered
from voltfix.search.order import in_order
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify
from voltfix.verify.plan import Item

# takes a picture, keeps it, and trains inside of what it calls with it: refused for want of proof
PROBE = """
class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


class Judge:
    def __init__(self, model):
        self.model = model
        self.x = None

    def take(self, batch):
        self.x = Variable(batch, volatile=True)
        self.first = self.model(self.x)
        return Probe().measure(self.model, self.x)
"""
SHARED = """
last = None


class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


def take(model, batch):
    global last
    last = Variable(batch, volatile=True)
    return Probe().measure(model, last)
"""
ARMS = """
class Painter:
    def load(self, edges, labels, plain):
        if plain:
            self.sketch = Variable(labels, volatile=True)
        else:
            self.sketch = Variable(edges + labels, volatile=True)
        self.first = self.sketch.clone()

    def again(self):
        self.sketch = self.first.clone()

    def paint(self, net):
        return net(self.sketch)

    def learn(self, net, x):
        net(Variable(x)).sum().backward()
"""


def run(files):
    return core.migrate(project(files), Options(), verify, search())


def statuses(files):
    return {(site.status, site.safety) for site in run(files).sites}


def test_a_copy_of_a_leaf_that_could_have_no_graph_shows_nothing_of_what_other_methods_compute():
    result = run(ARMS)
    assert {site.status for site in result.sites} == {"refused"}
    assert result.outputs == {}


@pytest.mark.parametrize("files", [
    PROBE + "\n    def again(self):\n        return self.model(self.x)\n",
    PROBE + "\n    def again(self):\n        for layer in self.model:\n            self.first = layer(self.first)\n",
    {"probe.py": PROBE, "main.py": "from probe import Judge\n\n\ndef look(judge, model):\n    return model(judge.x)\n"},
    SHARED + "\n\ndef again(model):\n    return model(last)\n",
    {"shared.py": SHARED, "main.py": "import shared\n\n\ndef again(model):\n    return model(shared.last)\n"},
    SHARED.replace("    global last\n", "    global last\n    score = model(last) if last is not None else 0\n"),
])
def test_what_leaves_a_use_aside_to_which_no_run_brings_the_value_is_not_taken(files):
    found = statuses(files)
    assert found <= {("refused", None), ("refused", "suggested")}


@pytest.mark.parametrize("files", [
    PROBE,
    PROBE + "\n    def length(self):\n        return self.x.size(0), self.first.data\n",
    {"probe.py": PROBE, "main.py": "from probe import Judge\n\n\ndef run(judge, model, batch):\n"
     "    found = judge.take(batch)\n    with torch.no_grad():\n        return found, model(judge.x)\n"},
    SHARED,
    SHARED + "\n\ndef shown():\n    print(last.size(0))\n",
    SHARED + "\n\ndef other(model, last):\n    return model(last)\n",
])
def test_what_covers_each_use_or_comes_to_it_in_its_runs_is_taken(files):
    assert statuses(files) == {("fixed", "verified")}


def test_a_block_that_changes_no_graph_is_not_taken_where_the_flag_alone_does_as_well():
    def say(item):
        return DIFFERENT if "enable_grad" in item.after["a.py"] and "3\n" not in item.after["a.py"] else SAME

    (site,) = tried(WITHIN, Told(say, idle=True)).sites
    assert site.status == "refused"  # the flag alone is not told from anything else here
    (site,) = tried(WITHIN, Told(say)).sites
    assert (site.status, site.strategy) == ("fixed", "no_grad")


def test_the_flag_alone_is_taken_in_front_of_a_block_that_changes_no_graph_if_another_patch_differs():
    def say(item):
        return DIFFERENT if "detach" in item.after["a.py"] else SAME

    caller = "\n\ndef main(model, batch):\n    print(evaluate(model, batch))\n"
    source = WITHIN.replace("first, second", "second") + caller
    (site,) = tried(source, Told(say, idle=True)).sites
    assert (site.status, site.strategy) == ("fixed", "drop")


BEFORE = "def f(net, x):\n    a = net(x)\n    net.zero_grad()\n    return a\n"


@pytest.mark.parametrize(("after", "kept"), [
    ("def f(net, x):\n    with no_grad():\n        a = net(x)\n    net.zero_grad()\n    return a\n", True),
    ("def f(net, x):\n    a = net(x).detach()\n    net.zero_grad()\n    return a\n", True),
    ("def f(net, x):\n    net.zero_grad()\n    a = net(x)\n    return a\n", False),
    ("def f(net, x):\n    with no_grad():\n        net.zero_grad()\n        a = net(x)\n    return a\n", False),
])
def test_a_patch_that_puts_statements_into_another_order_is_no_migration(after, kept):
    assert in_order(Item("a", {"a.py": BEFORE}, {"a.py": after}, (("a.py", "f"),))) is kept


def test_what_stands_twice_has_no_place_of_its_own():
    before = HEAD + "net.zero_grad()\nx = 1\nnet.zero_grad()\n"
    after = HEAD + "x = 1\nnet.zero_grad()\n"
    assert in_order(Item("a", {"a.py": before}, {"a.py": after}, ()))


@pytest.mark.parametrize(("made", "lines"), [
    ("        if gpu:\n            x = Variable(x.cuda(), volatile=True)\n", ["no_grad()"]),
    ("        if gpu:\n            x = Variable(x.cuda(), volatile=True)\n        else:\n            x = Variable(x)\n",
     ["set_grad_enabled(not (gpu))"]),
    ("        if gpu:\n            x = Variable(torch.rand(2), volatile=True)\n", ["set_grad_enabled(not (gpu))"]),
])
def test_what_is_wrapped_on_one_way_only_needs_no_condition_where_the_other_way_has_a_plain_tensor(made, lines):
    source = ("def score(net, batches, gpu):\n    for x in batches:\n" + made
              + "        y = net(x)\n        print(y.data)\n    return 1\n")
    assert headers_of(source) == [f"torch.{each}" for each in lines]


def headers_of(source):
    """The headers of the blocks of the first candidate for the first site of a source."""
    scenes, decisions = scenes_of(source)
    (_, edits), *_ = drafts(scenes, grouped(scenes, decisions)[0])[0].edits
    return [edit.header for edit in edits if isinstance(edit, WrapStatements)]


def test_two_flags_of_one_statement_are_one_question():
    made = "    a, b = Variable(a, volatile=True), Variable(b, volatile=True)\n"
    source = f"def score(net, a, b):\n{made}    return net(a, b)\n"
    (group,) = groups_of(source)
    assert len(group) == 2
    assert len(groups_of(source.replace("b, volatile=True", "b, volatile=False"))) == 2
    assert len(groups_of(source.replace("True), Variable", "True); b = Variable").replace("a, b =", "a ="))) == 2


def test_what_is_bound_anew_each_time_is_not_computed_on_before_its_flag():
    source = ("def score(net, batches):\n    for batch in batches:\n"
              "        x = torch.zeros(2)\n        x.fill_(batch)\n"
              "        x = Variable(x, volatile=True)\n        print(net(x).data)\n")
    (group,) = groups_of(source)
    scene = group[0].scene
    (run,) = covered(scenes_of(source)[0], group).tight
    assert scene.line(run[0]) == scene.line(run[1]) == 10


def test_a_flag_goes_where_all_that_computes_on_it_lies_in_a_block_that_is_written_anyway():
    source = """
def score(net, batches, more):
    for batch in batches:
        x = Variable(batch, volatile=True)
        y = Variable(more(batch), volatile=True)
        out = net(x, y)
        print(out.data)
"""
    (group, other) = groups_of(source)
    scene = group[0].scene
    (run,) = covered(scenes_of(source)[0], group).tight
    block = WrapStatements(scene.span(run[0]), scene.span(run[1]), "torch.no_grad()")
    cover = covered(scenes_of(source)[0], other)
    assert stands_in_blocks(other, cover, (("a.py", (block,)),))
    assert not stands_in_blocks(other, cover, (("b.py", (block,)),))
    assert not stands_in_blocks(other, cover, (("a.py", (replace(block, header="torch.set_grad_enabled(a)"),)),))


def scenes_of(source):
    loaded = load_project(project(source), Options())
    return Scenes(loaded, Surroundings(loaded)), [Decision(s, None, "") for s in find(Project(loaded.modules))]


def groups_of(source):
    return grouped(*scenes_of(source))


@pytest.mark.parametrize(("line", "covered_too"), [
    ("total /= len(batches)", False),
    ("y = y.view(-1).max(0)[0]", False),
    ("y = (y - 1) * y", False),
    ("print('at', 2 * len(y))", False),
    ("y = y * scale", True),
    ("y = torch.cat([y, scale])", True),
    ("scale *= y", True),
    ("y = scale.mul(y)", True),
    ("y = net(y)", True),
])
def test_what_is_reckoned_from_the_value_and_numbers_alone_needs_no_block(line, covered_too):
    source = ("def score(net, batches, total, scale, out):\n    x = Variable(batches, volatile=True)\n"
              f"    y = net(x)\n    total += net(x)\n    unknown()\n    {line}\n")
    (group,) = groups_of(source)
    scene = group[0].scene
    lines = {scene.line(each) for run in covered(scenes_of(source)[0], group).tight for each in run}
    assert (10 in lines) is covered_too


COPIED = """
def coded(index, size):
    mask = torch.zeros(size)
    if isinstance(index, Variable):
        mask = Variable(mask, volatile=index.volatile)
    return mask


def loss(model, target, batch):
    model(Variable(batch)).sum().backward()
    return model(coded(target, 3))
"""


def test_a_read_in_a_flag_that_a_taken_candidate_takes_away_goes_with_it():
    result = tried(COPIED, Told(lambda item: SAME if "no_grad" not in item.after["a.py"] else DIFFERENT))
    assert ".volatile" not in result.outputs["a.py"].decode()
    assert [site.status for site in result.sites] == ["fixed", "fixed"]
    assert len({site.change for site in result.sites}) == 1


def test_a_read_beside_a_flag_that_goes_stays_refused():
    source = COPIED.replace("    return mask\n", "    return mask, index.volatile\n")
    result = tried(source, Told(lambda item: SAME if "no_grad" not in item.after["a.py"] else DIFFERENT))
    assert "index.volatile\n" in result.outputs.get("a.py", source.encode()).decode()
    assert "refused" in {site.status for site in result.sites}
