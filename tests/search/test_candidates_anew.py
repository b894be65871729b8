"""What a method keeps on its object: a block in it is enough where all who read it make it anew first."""

from __future__ import annotations

import pytest
from trying import project, search

from voltfix import core
from voltfix.flags.sites import find
from voltfix.model import Decision, Options
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project
from voltfix.search.group import grouped
from voltfix.search.reach import reach_of
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify

HALL = """
class Hall:
    def __init__(self, net, judge, opt):
        self.net, self.judge, self.opt = net, judge, opt

    def take(self, rows):
        self.rows = rows

    def forward(self):
        self.real = Variable(self.rows)

    def show(self):
        self.real = Variable(self.rows, volatile=True)
        self.fake = self.net(self.real)

    def learn(self):
        self.fake = self.net(self.real)
        self.loss = self.judge(self.fake).sum()
        self.loss.backward()

    def check(self):
        self.score = self.judge(self.fake).mean()

    def step(self):
        self.forward()
        self.opt.zero_grad()
        self.learn()
        self.check()
        self.opt.step()

    def report(self):
        return self.real.data, self.fake.data


def train(hall, batches):
    for rows in batches:
        hall.take(rows)
        hall.step()


def test(hall, batches):
    for rows in batches:
        hall.take(rows)
        hall.show()
        print(hall.report())
"""


def anew(text: str, more: str = "") -> bool:
    """Is what ``show`` keeps made anew by all who read it?"""
    loaded = load_project(project(text + more), Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    sites = [site for site in find(Project(loaded.modules)) if site.span is not None]
    groups = grouped(scenes, [Decision(site=site, strategy=None, message="") for site in sites])
    return reach_of(scenes, groups[0]).anew


def changed(old: str, new: str) -> str:
    assert HALL.count(old) == 1, HALL.count(old)
    return HALL.replace(old, new)


def test_every_way_into_what_trains_makes_it_anew():
    assert anew(HALL)


def test_then_a_block_in_the_method_is_taken():
    result = core.migrate(project(HALL), Options(), verify, search())
    (site,) = result.sites
    text = result.outputs["a.py"].decode()
    assert site.status == "fixed"
    assert "        with torch.no_grad():\n            self.fake = self.net(self.real)\n\n    def learn" in text


@pytest.mark.parametrize(("old", "new"), [
    ("        self.forward()\n", ""),
    ("        self.forward()\n", "        if self.fresh:\n            self.forward()\n"),
    ("        self.forward()\n", "        for _ in self.rows:\n            self.forward()\n"),
    ("        self.forward()\n", "        [self.forward() for _ in self.rows]\n"),
    ("        self.forward()\n", "        assert self.forward() is None\n"),
    ("        self.forward()\n", "        0 < len(self.rows) < self.forward()\n"),
    ("        self.forward()\n", "        while self.fresh:\n            self.forward()\n"),
    ("        self.forward()\n", "        self.fresh and self.forward()\n"),
    ("        self.forward()\n", "        try:\n            self.forward()\n        except OSError:\n            0\n"),
    ("        self.forward()\n", "        with self.quiet:\n            self.forward()\n"),
    ("        self.forward()\n", "        later = lambda: self.forward()\n"),
    ("        self.forward()\n", "        x = self.real\n        self.forward()\n"),
    ("        self.real = Variable(self.rows)\n", "        self.real = self.real * 2\n"),
    ("        self.real = Variable(self.rows)\n", "        self.real += Variable(self.rows)\n"),
    ("        self.real = Variable(self.rows)\n",
     "        if self.rows is None:\n            return\n        self.real = Variable(self.rows)\n"),
    ("return self.real.data, self.fake.data", "return self.real.data, self.fake"),
    ("return self.real.data, self.fake.data", "return self.real.data, self.net(self.real).data"),
    ("return self.real.data, self.fake.data", "return [getattr(self, name) for name in self.shown]"),
    ("return self.real.data, self.fake.data", "return vars(self)"),
    ("return self.real.data, self.fake.data", "return lambda: self.fake"),
])
def test_one_read_of_what_an_earlier_run_left_is_enough_to_doubt(old, new):
    assert not anew(changed(old, new))


@pytest.mark.parametrize("more", [
    "\ndef tune(hall):\n    hall.learn()\n",
    "\ndef tune(hall):\n    hall.check()\n",
    "\ndef tune(hall, net):\n    return net(hall.real)\n",
    "\ndef tune(hall, other):\n    other.real = hall.rows\n    hall.real = other\n",
    "\ndef tune(hall):\n    return getattr(hall, 'lea' + 'rn')()\n",
    "\ndef tune(hall, steps):\n    steps.append(hall.learn)\n",
    "\ndef tune(hall, steps):\n    steps.append(hall.show)\n",
    "\ndef tune(hall, what):\n    return getattr(hall, what)\n\n\ndef ask(hall):\n    return tune(hall, 'fake')\n",
    "\nclass Small(Hall):\n    def forward(self):\n        pass\n",
    "\nclass Small(Hall):\n    def pair(self):\n        self.twin.learn(self)\n",
    "\nclass Small(Hall):\n    def again(self):\n        self.learn()\n",
    "\nclass Small(Hall):\n    def step(self):\n        self.learn()\n",
    "\nclass Small(Hall, Framework):\n    pass\n",
    "\nfrom frameworks import Trainer\n\n\nclass Small(Trainer, Hall):\n    pass\n",
])
def test_who_comes_in_by_another_door_finds_it(more):
    assert not anew(HALL, more)


@pytest.mark.parametrize(("old", "new"), [
    ("        self.fake = self.net(self.real)\n\n    def learn",
     "        self.fake = self.net(self.real)\n        self.pool.remember(self.fake)\n\n    def learn"),
    ("        self.fake = self.net(self.real)\n\n    def learn",
     "        self.fake = self.net(self.real)\n        self.pool.append(self.fake)\n\n    def learn"),
])
def test_what_is_put_away_under_another_name_may_come_back(old, new):
    pool = """
class Pool:
    def remember(self, x):
        self.last = x

    def use(self, net):
        return net(self.last)
"""
    text = changed(old, new).replace("self.net, self.judge", "self.pool, self.net, self.judge")
    pool += "\n\ndef again(hall):\n    return hall.pool.use(hall.net)\n"
    assert not anew(text.replace("= net, judge", "= Pool(), net, judge"), pool)


def test_what_shows_it_in_between_takes_it_back():
    assert not anew(changed("        self.opt.zero_grad()\n", "        self.shower.now(self)\n"), """
class Shower:
    def now(self, hall):
        hall.show()
""")


def test_an_object_of_another_class_has_an_attribute_of_its_own():
    assert anew(HALL, """
class Room:
    def learn(self):
        return self.net(self.real)

    def look(self):
        self.learn()
""")


def test_a_class_below_that_goes_the_same_way_is_no_doubt():
    assert anew(HALL, """
class Small(Hall):
    def forward(self):
        super().forward()
        self.real = Variable(self.rows * 2)

    def learn(self):
        Hall.learn(self)
        self.extra = self.judge(self.fake) + self.real
""")


def test_it_is_asked_of_methods_alone():
    assert not anew("""
kept = None


def show(net, rows):
    global kept
    kept = Variable(rows, volatile=True)
    return net(kept)


def learn(net):
    return net(kept)
""")
