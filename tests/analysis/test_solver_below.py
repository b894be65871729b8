"""A method that classes below have too is the one or the other of these bodies, where all of them are looked into."""

from __future__ import annotations

import pytest
from solving import covers, refusals, source

from helpers import migrated
from voltfix.model import Options

MODELS = """
class Model(object):
    def show(self, image):
        self.image = Variable(image, volatile=True)
        self.shown = self.net(self.image)

    def encode(self, image):
        return self.coder(Variable(image, volatile=True))

    def both(self, image):
        code = self.encode(image)
        self.show(image)
        return self.shown.data, code.data


class Wide(Model):
    {below}

    def fit(self, x):
        loss = self.coder(self.held)[0].sum()
        loss.backward()
        return x
"""
ENCODE = """def encode(self, image):
        mean, spread = self.coder(Variable(image, volatile=True))
        return {}"""


@pytest.mark.parametrize("below", [
    ENCODE.format("self.fit(mean)"),  # what is looked into is an object of the upper class
    ENCODE.format("learn(self, mean)"),
    "encode = made",
    "@wrapped\n    " + ENCODE.format("mean"),
    ENCODE.format("mean") + "\n\n\ndef change(model):\n    model.encode = other",
])
def test_where_one_body_is_not_looked_into_what_it_needs_is_not_known(below):
    found = refusals(migrated(source(MODELS.format(below=below)).encode()))
    assert "unknown-callee" in found.values() or len(found) > 1


def test_both_bodies_are_looked_into_where_state_is_volatile():
    covers(MODELS.format(below=ENCODE.format("mean + spread")),
           inside=["self.shown = ", "return self.coder(", "mean, spread ="], outside=["loss = "])


PLAN = """
class Sketch(torch.nn.Module):
    def roof(self, plan):
        {roof}

    def forward(self, plan, dry=False):
        self.plan = Variable(plan, volatile=dry)
        drawn = self.roof(self.plan)
        self.drawn = drawn
        return drawn


class Tiled(Sketch):
    def roof(self, plan):
        return {tiled}

    def learn(self, plan):
        self.forward(plan)
        self.drawn.sum().backward()

    def show(self, plan):
        return self.forward(plan, True).data
"""


@pytest.mark.parametrize(("roof", "tiled"), [
    ("return plan", "self.tiles(self.learn(plan))"),
    ("raise NotImplementedError", "learn(self, plan)"),
    ("raise ValueError(self.learn(plan))", "self.tiles(plan)"),
    ("raise NotImplementedError", "self.walls(plan)"),  # its own method, of which the class above knows nothing
])
def test_a_method_that_may_do_more_below_than_is_seen_is_left_alone(roof, tiled):
    walls = "\n    def walls(self, plan):\n        return plan\n"
    text = PLAN.format(roof=roof, tiled=tiled) + (walls if "walls" in tiled else "")
    assert refusals(migrated(source(text).encode()))


def test_a_method_that_only_raises_above_is_the_one_below():
    covers(PLAN.format(roof="raise NotImplementedError('a class below has it')", tiled="self.tiles(plan)"),
           inside=["drawn = self.roof("], outside=["self.drawn.sum()"])


FILLS = """
class Settings(object):
    def fill(self, words):
        for word in words:
            setattr({on}, word, words[word])
"""


@pytest.mark.parametrize(("on", "rest"), [
    ("self.model", ""), ("self", "class Both(Wide, Settings):\n    pass"), ("self", "Settings.fill(Wide(), {})"),
])
def test_where_a_method_may_be_replaced_under_a_name_that_nobody_can_read_it_is_left_alone(on, rest):
    text = MODELS.format(below=ENCODE.format("mean + spread")) + FILLS.format(on=on) + f"\n\n{rest}\n"
    assert refusals(migrated(source(text).encode()))


def test_what_settings_set_on_themselves_replaces_no_method_of_a_model():
    covers(MODELS.format(below=ENCODE.format("mean + spread")) + FILLS.format(on="self"),
           inside=["self.shown = ", "return self.coder(", "mean, spread ="], outside=["loss = "])


def test_in_a_package_a_method_that_only_raises_is_there_for_classes_of_others():
    text = PLAN.format(roof="raise NotImplementedError", tiled="self.tiles(plan)")
    assert refusals(migrated(source(text).encode(), options=Options(installable=True)))


COURSE = """
class Course(object):
    def __init__(self, state):
        self.state = state

    {before}

    def lap(self, fresh, net):
        x = Variable(self.state['x'], volatile=not fresh)
        self.state['y'] = net(x)
        if fresh:
            self.state['y'].sum().backward()

    def ride(self, batches, net):
        for batch in batches:
            self.state['x'] = batch
            self.before(False, net)
            self.lap(False, net)


class Steep(Course):
    def before(self, fresh, net):
        {steep}
"""
NOTHING = "def before(self, fresh, net):\n        pass"
HALVES = "self.state['x'] = self.state['x'][0]"


@pytest.mark.parametrize("before", [NOTHING, NOTHING.replace("pass", "'''Nothing yet.'''"),
                                    NOTHING.replace("pass", "...")])
def test_a_method_that_does_nothing_above_is_nothing_or_the_one_below(before):
    covers(COURSE.format(before=before, steep=HALVES), inside=["self.state['y'] = net("], outside=[".sum()"])


@pytest.mark.parametrize(("before", "steep", "rest"), [
    (NOTHING, "self.hill(net)\n\n    def hill(self, net):\n        self.state['y'].sum().backward()", ""),
    (NOTHING, "climb(self)", ""),
    ("@somewhere.hook\n    " + NOTHING, HALVES, ""),
    ("@abstractmethod\n    " + NOTHING, HALVES, ""),
    (NOTHING, HALVES, "\n\nclass Flat(Course):\n    before = somewhere.before\n"),
    (NOTHING, HALVES, "\n\nclass Flat(Course):\n    @somewhere.timed\n    " + NOTHING),
    (NOTHING, HALVES, "\n\ndef plug(course, f):\n    course.before = f\n"),
    (NOTHING, HALVES, "\n\n@somewhere.filled\nclass Flat(Course):\n    pass\n"),
    (NOTHING, HALVES, "\n\nclass Flat(somewhere.Mixed, Course):\n    pass\n"),
    (NOTHING, HALVES, "\n\nclass Flat(with_metaclass(Kind, Course)):\n    def before(self, fresh, net):\n"
                      "        self.hill = net(self.state['y'])\n"),
    (NOTHING, HALVES, "\n\ndef made(base):\n    class Flat(base):\n        def before(self, fresh, net):\n"
                      "            self.hill = net(self.state['y'])\n    return Flat\n"),
    (NOTHING, HALVES, "\n\nclass Hill(object):\n    def before(self, fresh, net):\n"
                      "        self.hill = net(self.state['y'])\n\n\nclass Flat(Hill, KINDS['course']):\n    pass\n"),
])
def test_a_method_that_does_nothing_above_and_may_do_more_than_is_seen_below_is_left_alone(before, steep, rest):
    assert refusals(migrated(source(COURSE.format(before=before, steep=steep) + rest).encode()))


def test_in_a_package_a_method_that_does_nothing_is_there_for_classes_of_others():
    text = source(COURSE.format(before=NOTHING, steep=HALVES)).encode()
    assert refusals(migrated(text, options=Options(installable=True)))


FITTED = """
class Fitted(object):
    def step(self, rows):
        seen = self.seen_of(rows, False)
        seen.sum().backward()
        self.optimizer.step()


class Pair(Fitted):
    def __init__(self, one, two):
        self.one, self.two = one, two
        self.optimizer = torch.optim.Adam(one.parameters())

    def seen_of(self, rows, quiet=False):
        first = Variable(rows, volatile=quiet)
        return self.two(self.one(first))


def judge(pair, rows):
    return pair.seen_of(rows, True).data
{beside}"""


def test_a_method_that_only_the_class_below_has_is_that_of_the_object():
    beside = "\n\npair = Pair(net, head)\nfor rows in loader:\n    pair.step(rows)\nprint(judge(pair, loader))\n"
    result = migrated(source(FITTED.format(beside=beside)).encode())
    assert [site.reason for site in result.sites] == [None, None, None]


@pytest.mark.parametrize("beside", [
    "\n\nclass Odd(Fitted):\n    seen_of = made\n",
    "\n\ndef put(fitted, seen_of):\n    fitted.seen_of = seen_of\n",
    "\n\ndef put(fitted, name, made):\n    setattr(fitted, name, made)\n",
    "\n\nclass Many(Fitted):\n    def __getattr__(self, name):\n        return self.parts[name]\n",
    "\n\nclass Far(unseen.Base, Fitted):\n    pass\n",
    "\n\nclass Odd(made_with(Meta, Fitted)):\n    def seen_of(self, rows, quiet):\n        return rows\n",
    "\n\nclass Odd(picked()):\n    def seen_of(self, rows, quiet):\n        return Variable(rows)\n",
    "\n\ndef grown(base):\n    class Odd(base):\n        def seen_of(self, rows, quiet):\n"
    "            return Variable(rows)\n    return Odd\n",
])
def test_one_that_may_come_from_elsewhere_is_not_known(beside: str):
    result = migrated(source(FITTED.format(beside=beside)).encode())
    first = next(site for site in result.sites if site.code == "VF102")
    assert (first.status, first.reason) == ("refused", "caller-not-resolved")
