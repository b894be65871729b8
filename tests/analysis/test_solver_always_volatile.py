"""What an object keeps is volatile whoever reads it only where all that may bind the attribute leave it so."""

from __future__ import annotations

import pytest
from solving import becomes, covers, source, stays

from helpers import migrated

PLAYER = """
    import torch.nn as nn
    net = nn.Linear(3, 3)

    class Player(object):
        {member}
        def start(self, x):
            self.held = Variable(x, volatile=True)

        {method}

        def step(self):
            return net(self.held)


    {beside}
    """


def player(member: str = "", method: str = "", beside: str = "") -> str:
    """The class with more in its body, and something beside it."""
    filled = PLAYER.replace("{member}", member).replace("{method}", method.replace("\n", "\n        "))
    return filled.replace("{beside}", beside.replace("\n", "\n    "))


@pytest.mark.parametrize("body", [
    player(),
    player(method="def stop(self):\n    self.held = None"),
    player(method="def again(self, x):\n    self.held = Variable(x + 1, volatile=True)"),
    player(method="def fill(self, x):\n    self.held.data.copy_(x)"),
    player(member="held = None"),
    player(beside="class Other(object):\n    def start(self, x):\n        self.held = Variable(x)"),
    player(beside="class Other(object):\n    def start(self, x):\n        self.held = Variable(x)\n\n\n"
                  "def begin(x):\n    other = Other()\n    other.held = Variable(x)"),
    player(beside="class Below(Player):\n    def begin(self, x):\n        self.held = Variable(x, volatile=True)"),
])
def test_what_every_method_leaves_volatile_is_volatile_in_each(body):
    covers(body, inside=["net(self.held)"], outside=["self.held = Variable"])


@pytest.mark.parametrize("body", [
    # somebody else
    player(beside="def train(player, x):\n    player.held = Variable(x)"),
    player(beside="class Coach(object):\n    def feed(self, x):\n        self.player.held = Variable(x)"),
    player(beside="def train(player, x):\n    setattr(player, 'held', Variable(x))"),
    player(beside="def train(player, x, name):\n    setattr(player, name, Variable(x))"),
    player(beside="def train(player, x):\n    vars(player).update(held=Variable(x))"),
    player(beside="def train(player, x):\n    object.__setattr__(player, 'held', Variable(x))"),
    player(beside="def train(x):\n    player = Player()\n    player.held = Variable(x)\n    return player"),
    # the object itself, by another name or as another target
    player(method="def begin(this, x):\n    this.held = Variable(x)"),
    player(method="def begin(self, x):\n    me = self\n    me.held = Variable(x)"),
    player(method="def begin(self, x):\n    self.__dict__['held'] = Variable(x)"),
    player(method="def begin(self, x):\n    self.count, self.held = 1, Variable(x)"),
    player(method="def begin(self, rows):\n    for self.held in rows:\n        break"),
    player(method="def begin(self, x):\n    def go():\n        self.held = Variable(x)\n    return go"),
    # a class below, or beside it in the order of one below
    player(beside="class Below(Player):\n    def begin(self, x):\n        self.held = Variable(x)"),
    player(beside="class Mixed(object):\n    def begin(self, x):\n        self.held = Variable(x)\n\n\n"
                  "class Below(Player, Mixed):\n    pass"),
    # the class has something under that name, or answers for it
    player(member="held = Variable(torch.ones(3))"),
    player(beside="class Below(Player):\n    held = Variable(torch.ones(3))"),
    player(beside="class Below(Player):\n    @property\n    def held(self):\n        return Variable(torch.ones(3))"),
    player(beside="class Below(Player):\n    def __getattribute__(self, name):\n        return net.weight"),
])
def test_what_may_be_bound_to_something_else_is_not_taken_to_be_volatile(body):
    stays(body, reason="state-mixed")


@pytest.mark.parametrize("body", [
    player(method="def free(self):\n    self.held.volatile = False"),
    player(method="def free(self):\n    held = self.held\n    held.volatile = False"),
    player(method="def free(self):\n    self.let_go(self.held)\n\ndef let_go(self, what):\n    what.volatile = False"),
    player(method="def free(self):\n    def go():\n        self.held.volatile = False\n    return go"),
    player(beside="class Below(Player):\n    def free(self):\n        self.held.volatile = False"),
    player(beside="class Below(Player):\n    def free(self):\n        let_go(self.held)\n\n\n"
                  "def let_go(what):\n    what.volatile = False"),
])
def test_what_is_freed_of_its_flag_where_it_is_kept_may_have_a_graph(body):
    result = migrated(source(body))
    assert result.outputs == {}
    reasons = {site.reason for site in result.sites}
    assert "state-mixed" in reasons
    assert reasons <= {"state-mixed", "unknown-origin", "unseen-callers"}


def test_a_flag_that_is_set_once_more_frees_nothing():
    body = player(method="def again(self):\n    self.held.volatile = True")
    covers(body, inside=["net(self.held)"], outside=["= Variable"])


MOVE = "def move(self, x):\n    "
MOVED = "class Below(Player):\n    def move(self):\n        self.held = self.held.cuda()"


@pytest.mark.parametrize("body", [
    player(method=MOVE + "self.held = self.held.cuda()"),
    player(method=MOVE + "self.held = self.held.view_as(x).contiguous()"),
    player(method=MOVE + "self.held, x = self.held.cuda(), x.cuda()"),
    player(method=MOVE + "if torch.cuda.is_available():\n        self.held = self.held.cuda()"),
    player(method=MOVE + "self.held = self.held.cuda()\n    self.held = self.held.view_as(x)"),
    player(method=MOVE + "self.held = self.held.cuda()\n\ndef stop(self):\n    self.held = None"),
    player(method=MOVE + "self.held = self.held.cuda()\n\ndef wide(self, x):\n    self.held = self.held.view_as(x)"),
    player(beside=MOVED),
    player(member="held = None", method=MOVE + "self.held = self.held.cuda()"),
])
def test_what_is_made_of_what_was_there_is_volatile_as_that_was(body):
    covers(body, inside=["net(self.held)"], outside=["self.held = Variable"])


@pytest.mark.parametrize("body", [
    player(method=MOVE + "self.held = self.held.cuda()\n\ndef begin(self, x):\n    self.held = Variable(x)"),
    player(method=MOVE + "self.held = Variable(x)\n    self.held = self.held.cuda()"),
    player(method=MOVE + "if x is None:\n        self.held = Variable(x)\n    self.held = self.held.cuda()"),
    player(method=MOVE + "self.held = self.last\n    self.held = self.held.cuda()\n\n"
           "def keep(self, x):\n    self.last = Variable(x)"),
    player(method=MOVE + "self.held = self.held.cuda() if x else Variable(x)"),
    player(method=MOVE + "self.held = self.held and self.held.cuda() or Variable(x)"),
    player(method=MOVE + "self.held = Variable(x) if self.held is None else self.held.cuda()"),
    player(method=MOVE + "if self.held is None:\n        self.held = Variable(x)\n    self.held = self.held.cuda()",
           member="held = None"),
    player(method=MOVE + "self.held, x = Variable(x), self.held.cuda()"),
    player(method=MOVE + "held = self.held.cuda()\n    self.held = held if x else Variable(x)"),
    player(method=MOVE + "self.held = x.held.cuda()"),
    player(method=MOVE + "self.held = x.cuda(self.held)"),
    player(method=MOVE + "self.held = Variable(self.held.data.cuda())"),
    player(method=MOVE + "me = self\n    me.held = me.held.cuda()"),
    player(method=MOVE + "self.held = self.held.cuda()", beside="def train(player, x):\n    player.held = Variable(x)"),
    player(method=MOVE + "self.held = self.held.cuda()", member="held = Variable(torch.ones(3))"),
    player(method=MOVE + "self.held = self.held.cuda()",
           beside="class Below(Player):\n    def begin(self, x):\n        self.held = Variable(x)"),
    player(method=MOVE + "self.held = self.held.cuda()",
           beside="class Below(Player):\n    @property\n    def held(self):\n        return Variable(torch.ones(3))"),
])
def test_what_may_be_made_of_something_else_is_not_taken_for_that(body):
    result = migrated(source(body))
    assert result.outputs == {}
    assert "state-mixed" in {site.reason for site in result.sites}


CALLED = """
    from elsewhere import network, cleaned

    class Watcher(object):
        {member}

        def __init__(self):
            self.net = network()
            self.seen = Variable(torch.zeros(1){flag})
            {made}

        def look(self, frame):
            self.seen.data.copy_(frame)
            {block}kept, score = self.net(self.seen)
            return cleaned(kept.data)


    watcher = Watcher()
    {before}
    print(watcher.look(torch.ones(1)))

    {beside}
    """


def watching(made: str = "pass", before: str = "pass", member: str = "pass", beside: str = "pass",
             block: bool = False) -> str:
    """The class, whose method is called in sight alone, with more in it, before the call and beside it."""
    flag, text = ("", "with torch.no_grad():\n                ") if block else (", volatile=True", "")
    return CALLED.format(made=made, before=before, member=member, beside=beside, flag=flag, block=text)


@pytest.mark.parametrize("made", [
    "pass", "self.other = Variable(torch.zeros(1))", "self.again = self.seen.cuda()",
    "self.seen = self.seen.cuda()",
])
def test_a_method_that_is_called_in_sight_finds_what_is_always_volatile_as_any_other(made):
    becomes(watching(made), watching(made, block=True))


@pytest.mark.parametrize(("made", "before"), [
    ("pass", "watcher.seen = Variable(torch.zeros(1))"),
    ("pass", "setattr(watcher, 'seen', Variable(torch.zeros(1)))"),
    ("pass", "vars(watcher)['seen'] = network()"),
    ("self.seen = network()(torch.zeros(1))", "pass"),
    ("self.look(torch.zeros(1))\n            self.seen = Variable(torch.zeros(1))", "pass"),
    ("self.seen.volatile = False", "pass"),
    ("[setattr(self, name, network()) for name in ['seen']]", "pass"),
    ("self.fill = lambda x: setattr(self, 'seen', x)", "pass"),
])
def test_a_method_that_is_called_in_sight_gets_no_block_for_what_may_be_bound_to_something_else(made, before):
    after = migrated(source(watching(made, before))).outputs.get("a.py", b"").decode()
    assert "with torch.no_grad():\n            kept" not in after


@pytest.mark.parametrize("beside", [
    "def train(watcher, x):\n        return watcher.look(x)",
    "class Below(Watcher):\n        def again(self, x):\n            return self.look(x)",
    "class Below(Watcher):\n        def __init__(self):\n            self.net = network()",
])
def test_who_else_calls_it_finds_the_same_there(beside):
    becomes(watching(beside=beside), watching(beside=beside, block=True))


GIVEN = """
    from elsewhere import network, cleaned

    class Watcher(object):
        {member}

        def __init__(self):
            self.net = network()
            {made}

        {method}

        def look(self, frame):
            kept = self.net(frame, self.seen)
            cleaned(frame.data)
            return kept


    def evaluate(frame):
        watcher = Watcher()
        watcher.start(frame)
        print(watcher.look(frame).data)


    class Below(Watcher):
        def again(self, frame):
            return self.look(frame).sum()
    """
START = "def start(self, x):\n            self.seen = Variable(x, volatile=True)"


@pytest.mark.parametrize("parts", [
    {"member": "seen = None", "method": START},
    {"made": "self.seen = None", "method": START},
    {"made": "self.seen = Variable(torch.zeros(1), volatile=True)",
     "method": "def start(self, x):\n            self.seen = None"},
    {"made": "self.start(1)", "method": START + "\n\n        def stop(self):\n            self.seen = None"},
])
def test_where_it_may_be_none_what_is_given_beside_it_may_be_trained_on(parts):
    stays(GIVEN.format(**{"member": "pass", "made": "pass", **parts}), reason="mixed-statement")


def test_what_is_there_from_the_making_on_is_volatile_beside_anything_that_is_given():
    body = GIVEN.format(member="pass", method="def start(self, x):\n            pass",
                        made="self.seen = Variable(torch.zeros(1), volatile=True)")
    covers(body, inside=["kept = self.net"], outside=["self.seen = Variable"])
