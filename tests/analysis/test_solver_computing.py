"""A call that only computes wants its graph where its result is wanted, and nowhere else."""

from __future__ import annotations

import pytest
from solving import becomes, stays

# a filter is handed something volatile, and counts beside it with something that is not
PROGRAM = """
    from torch import nn


    class Around(nn.Module):
        def __init__(self, size, spare=None):
            super(Around, self).__init__()
            self.size, self.seen = size, []
            self.scale = nn.Linear(size, size)
            self.steps = nn.Sequential(nn.Linear(size, size), nn.Sequential(nn.ReLU(), nn.Linear(size, size)))
            self.more = nn.Sequential(*spare)
            self.own = nn.Sequential(nn.Linear(size, size), Smooth(size))
            self.spare = spare

        def shifted(self, x):
            return x[:, self.size:]

        def forward(self, x):
            {body}


    class Smooth(nn.Module):
        def __init__(self, size):
            super(Smooth, self).__init__()
            self.around = Around(size)

        def forward(self, x, y):
            ones = Variable(x.data.new(x.size()).fill_(1.0))
            count = self.around(ones)
            return self.around(x * y) / count


    def show(net, picture):
        x = Variable(picture{flag})
        smooth = Smooth(3)
        {block}return smooth(x, net(x)).data
    """

COMPUTES = [
    "return x.cumsum(dim=2)[:, :, self.size:]",
    "return self.scale(x) + x.mean()",
    "return self.steps(x)",
    "return self.shifted(torch.cat([x, x], 1))",
    "y = x\n            while self.size > len(y):\n                y = torch.sqrt(y)\n            return y",
    "assert x.dim() == 4, 'a picture'\n            first, last = x.chunk(2, 1)\n            return first - last",
]

# each keeps what it computes, sends gradients, or may do so
MAY_DO_MORE = [
    "self.last = self.scale(x)\n            return x",
    "self.seen.append(self.scale(x))\n            return x",
    "y = self.scale(x)\n            y.backward()\n            return x",
    "x += self.scale(x)\n            return x",
    "x.add_(self.scale(x))\n            return x",
    "torch.add(x, self.scale(x), out=x)\n            return x",
    "self.scale(x).register_hook(print)\n            return x",
    "return self.spare(x)",
    "return self.more(x)",
    "return self.own(x)",
    "return unseen(x)",
    "return (lambda: self.scale(x))()",
    "x[0] = self.scale(x)\n            return x",
    "return self.forward(x)",
    "global seen\n            seen = self.scale(x)\n            return x",
    "with unseen():\n                return self.scale(x)",
    "try:\n                return self.scale(x)\n            finally:\n                pass",
    "return unseen.keep(self.scale(x))",
    "return getattr(self, 'scale')(x)",
]


@pytest.mark.parametrize("body", COMPUTES)
def test_a_call_that_only_computes_may_stand_in_a_block_for_what_is_volatile_beside_it(body: str):
    becomes(
        PROGRAM.format(body=body, flag=", volatile=True", block=""),
        PROGRAM.format(body=body, flag="", block="with torch.no_grad():\n            "),
    )


@pytest.mark.parametrize("body", MAY_DO_MORE)
def test_one_that_may_do_more_is_left_alone(body: str):
    stays(PROGRAM.format(body=body, flag=", volatile=True", block=""), "mixed-statement")


LEFT = PROGRAM.format(body=COMPUTES[0], flag=", volatile=True", block="")


@pytest.mark.parametrize("beside", [
    "def other(smooth, thing):\n    smooth.around = thing\n",
    "def other(smooth, thing):\n    smooth.around.forward = thing\n",
    "def other(smooth, thing, name):\n    setattr(smooth, name, thing)\n",
    "class Below(Around):\n    def forward(self, x):\n        self.last = self.scale(x)\n        return x\n",
    "class Items:\n    def __getitem__(self, at):\n        self.last = self.made(at)\n        return self.last\n",
    "class Number:\n    def __add__(self, x):\n        self.last = x\n\n    def __getattr__(self, name):\n"
    "        self.last = self.made(name)\n        return self.last\n",
    "def other(smooth):\n    seen = []\n    smooth.register_forward_hook(lambda net, given, made: seen.append(made))\n",
])
def test_what_stands_beside_it_may_make_it_do_more(beside: str):
    indented = "".join(f"    {line}\n" if line else "\n" for line in beside.split("\n"))
    stays(LEFT + "\n\n" + indented, "mixed-statement")


STEPS = PROGRAM.format(body="return self.steps(x)", flag=", volatile=True", block="")


@pytest.mark.parametrize("beside", [
    "def other(smooth, thing):\n    smooth.around.steps.add_module('2', thing)\n",
    "def other(smooth, thing):\n    smooth.around.steps[0] = thing\n",
    "def other(smooth, thing):\n    smooth.around.steps = thing\n",
    "def other(smooth, thing):\n    fill(smooth.around.steps, thing)\n",
    "def other(smooth, thing):\n    steps = smooth.around.steps\n    steps.add_module('2', thing)\n",
    "def other(smooth, thing):\n    for part in smooth.modules():\n        part.add_module('2', thing)\n",
    "def other(smooth, thing):\n    for part in smooth.modules():\n        part._modules['2'] = thing\n",
])
def test_layers_in_a_row_may_get_another_one_that_does_more(beside: str):
    indented = "".join(f"    {line}\n" if line else "\n" for line in beside.split("\n"))
    stays(STEPS + "\n\n" + indented, "mixed-statement")


@pytest.mark.parametrize("beside", [
    "class Sent:\n    def __init__(self, made):\n        self.made = made\n\n    def __getstate__(self):\n"
    "        return dumps(self.made)\n\n    def __setstate__(self, made):\n        self.made = loads(made)\n",
    "class Watch:\n    def __enter__(self):\n        self.begun = now()\n\n    def __exit__(self, *why):\n"
    "        self.ended = now()\n",
    "def other(smooth):\n    print(len(smooth.around.steps), smooth.around.steps[0].weight.size())\n",
    "class Wide(nn.Module):\n    def __init__(self, made):\n        super(Wide, self).__init__()\n"
    "        self.add_module('made', made)\n",
])
def test_what_no_operator_runs_and_what_only_looks_changes_nothing_of_it(beside: str):
    indented = "".join(f"    {line}\n" if line else "\n" for line in beside.split("\n"))
    becomes(STEPS + "\n\n" + indented, PROGRAM.format(
        body="return self.steps(x)", flag="", block="with torch.no_grad():\n            ") + "\n\n" + indented)


def test_the_graph_of_what_it_computes_stays_where_somebody_trains_with_it():
    stays("""
    from torch import nn


    class Around(nn.Module):
        def __init__(self):
            super(Around, self).__init__()
            self.scale = nn.Linear(3, 3)

        def forward(self, x):
            return self.scale(x)


    class Pair(nn.Module):
        def __init__(self):
            super(Pair, self).__init__()
            self.around = Around()

        def forward(self, x, y):
            count = self.around(Variable(y.data))
            return self.around(x), count


    def learn(picture, optimizer):
        x = Variable(picture, volatile=True)
        seen, count = Pair()(x, x)
        count.sum().backward()
        optimizer.step()
        return seen.data
    """, "mixed-statement")


# a function is handed an object of one of two classes, and asks it for something beside what is volatile
ASKED = """
    class Words(object):
        def __init__(self, path):
            self.names = read(path)

        def known(self):
            return {known}


    class More(Words):
        def __init__(self, path):
            self.names = read(path)[1:]


    def show(net, words, picture, options):
        x = Variable(picture{flag}) if options.shows else None
        {block}said = told(words.known(), net(x))
        print(said)


    words = {made}
    show(network, words, 3, options)
    """
EITHER = "Words('a') if small else More('b')"


def asked(made: str = EITHER, known: str = "self.names", beside: str = "", fixed: bool = False) -> str:
    """The program, with something beside it; ``fixed``: as it is after."""
    text = ASKED.format(made=made, known=known, flag="" if fixed else ", volatile=True",
                        block="with torch.set_grad_enabled(not options.shows):\n            " if fixed else "")
    return text + "".join(f"\n    {line}" for line in beside.split("\n"))


@pytest.mark.parametrize("made", ["Words('a')", EITHER, "Words('a') if small else (More('b') if large else More('c'))"])
def test_a_method_of_an_object_that_all_callers_hand_over_is_that_of_its_class(made: str):
    becomes(asked(made), asked(made, fixed=True))


@pytest.mark.parametrize("made", [
    "unseen('a')", "Words('a') if small else unseen('b')", "unseen('a') if small else More('b')",
    "Words('a') if small else None", "Words('a') if small else (More('b') if large else unseen('c'))",
])
def test_one_that_may_be_of_another_class_may_do_more(made: str):
    stays(asked(made), "mixed-statement")


@pytest.mark.parametrize("known", ["self.names.pop()", "self.teach(self.names)", "keep(self.names)",
                                   "self.net(self.names).backward()"])
def test_a_method_of_the_class_that_may_do_more_is_left_alone(known: str):
    stays(asked(known=known), "mixed-statement")


@pytest.mark.parametrize("beside", [
    "class Odd(Words):\n    def known(self):\n        self.loss.backward()\n",
    "def known(self):\n    self.loss.backward()\n\n\nWords.known = known\n",
    "def other(words, known):\n    words.known = known\n",
    "def other(words, name, known):\n    setattr(words, name, known)\n",
    "def other(words, known):\n    vars(words)['known'] = known\n",
    "def other(words, more):\n    words.__dict__.update(more)\n",
    "show(network, unseen, 3, options)\n",
    "unseen(show)\n",
    "class Asked(Words):\n    def __getattribute__(self, name):\n        self.loss.backward()\n        return name\n",
    "class Spread(Words):\n    names = property(lambda self: self.loss.backward())\n",
])
def test_what_is_beside_the_class_may_make_its_method_do_more(beside: str):
    stays(asked(beside=beside), "mixed-statement")


@pytest.mark.parametrize("head", ["class Words(unseen.Words):", "@unseen\n    class Words(object):",
                                  "class Words(metaclass=Unseen):"])
def test_a_class_that_others_have_a_say_in_may_make_its_method_do_more(head: str):
    stays(asked().replace("class Words(object):", head), "mixed-statement")


def test_a_class_that_answers_for_every_attribute_may_do_more_whatever_its_method_says():
    own = "def __getattribute__(self, name):\n            self.loss.backward()\n            return name\n\n        "
    stays(asked().replace("def known", own + "def known"), "mixed-statement")


# a robot looks at what an environment gave before it asks its network; another function of the module trains
LOOKED = """
    from torch import nn

    net = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


    class Seen(object):
        def __init__(self):
            self.rows = []

        def keep(self, row):
            self.rows.append(row)


    def run(world, seen, steps):
        state = world.begin()
        for _ in range(steps):
            {line}
            after = world.go(move)
            seen.keep([state, after])
            state = after


    def learn(rows):
        optimizer.zero_grad()
        net(Variable(torch.FloatTensor(rows))).sum().backward()
        optimizer.step()


    run(unseen(), Seen(), 9)
    """
SHOWN = "move = net(Variable(torch.FloatTensor({}){})).max(1)[1].data[0]"


def looked(given: str, block: str = "", flag: str = ", volatile=True", beside: str = "") -> str:
    return LOOKED.format(line=block + SHOWN.format(given, flag)) + "".join(
        f"\n    {line}" for line in beside.split("\n"))


@pytest.mark.parametrize("given", ["state.reshape(1, 4)", "state.astype(float)", "state.ravel()"])
def test_what_arrays_alone_have_may_stand_in_a_block(given: str):
    becomes(looked(given), looked(given, "with torch.no_grad():\n                ", ""))


WRAPPED_ALONE = [
    ("state.seen(1, 4)", ""),  # of an object that nobody has seen: it may train
    ("world.reshape(state).rows()", ""),
    ("state.reshape(Variable(state))", ""),
    ("state.reshape(1, 4)",
     "class Odd(object):\n    def reshape(self, *size):\n        learn(size)\n        return size\n"),
    ("state.reshape(1, 4)", "def other(state, f):\n    state.reshape = f\n"),
    ("state.reshape(1, 4)", "def other(state, name, f):\n    setattr(state, name, f)\n"),
    ("state.reshape(1, 4)",
     "class Odd(object):\n    def __getattr__(self, name):\n        learn(name)\n        return name\n"),
    ("state.reshape(1, 4)", "def other(net, f):\n    net.add_module('reshape', f)\n"),
    ("state.reshape(1, 4)", "class Odd(nn.Module):\n    reshape = net\n"),
    ("state.reshape(1, 4)", "def other():\n    return nn.Sequential(unseen([('reshape', net)]))\n"),
    ("state.reshape(1, 4)", "from collections import namedtuple\nOdd = namedtuple('Odd', ['size', 'reshape'])\n"),
    ("state.reshape(1, 4)", "import types\nodd = types.SimpleNamespace(reshape=net)\n"),
]


@pytest.mark.parametrize(("given", "beside"), WRAPPED_ALONE)
def test_a_method_that_may_be_another_one_stays_outside(given: str, beside: str):
    becomes(looked(given, beside=beside), looked(given, flag="", beside=beside).replace(
        "= net(", "= torch.no_grad()(net)("))


# what an agent hands over beside what it looks at hangs on a constant of the call
OPTIONS = """
    from torch import nn


    class Agent(object):
        def __init__(self, net):
            self.net, self.rate = net, 1

        def options(self, step, learns=True):
            return {{}}

        def look(self, rows):
            for row in rows:
                {line}
                print(seen.data)

        def learn(self, row, step):
            self.net(Variable(row), **self.options(step)).sum().backward()


    class Slow(Agent):
        def options(self, step=0, learns=True):
            {first}
            if learns:
                self.rate = max(self.rate * self.slower, self.least)
                return {{"rate": self.rate}}
            {last}


    def run(rows):
        for agent in (Agent(nn.Linear(2, 2)), Slow(nn.Linear(2, 2))):
            agent.look(rows)
    """
ASKED_WITH = "seen = self.net(Variable(row{}), **self.options({}))"


def options(said: str, first: str = "pass", last: str = "return {}", block: str = "",
            flag: str = ", volatile=True") -> str:
    return OPTIONS.format(line=block + ASKED_WITH.format(flag, said), first=first, last=last)


@pytest.mark.parametrize("said", ["learns=False", "step=3, learns=False", "3, False"])
def test_what_a_constant_of_the_call_keeps_from_running_may_do_what_it_likes(said: str):
    becomes(options(said), options(said, block="with torch.no_grad():\n                    ", flag=""))


@pytest.mark.parametrize(("said", "first", "last"), [
    ("learns=True", "pass", "return {}"),
    ("step=3", "pass", "return {}"),
    ("learns=self.learns", "pass", "return {}"),
    ("learns=False", "self.kept = self.net(self.rows)", "return {}"),
    ("learns=False", "pass", "self.kept = self.net(self.rows)\n            return {}"),
    ("learns=False", "learns = self.learns", "return {}"),
    ("learns=False", "with self.learning():\n                pass", "return {}"),
    ("learns=False", "pass", "return unseen(self)"),
    ("learns=False", "pass", "self.net(self.rows).sum().backward()\n            return {}"),
])
def test_what_it_comes_to_may_do_more(said: str, first: str, last: str):
    becomes(options(said, first, last), options(said, first, last, flag="").replace(
        "seen = self.net(", "seen = torch.no_grad()(self.net)("))


_SHELF = """
    class Shelf(object):
        def __init__(self, words):
            self.words = {made}

        def word(self, index):
            return self.words.get(index, -1)

    shelf = Shelf(['a', 'b'])

    def say(model, given):
        found, seen = model(given)
        told = []
        for one in found.data:
            told += [shelf.word(one)]
        return ' '.join(told), seen

    def show(model, rows):
        for row in rows:
            {block}
"""
_ASKED = "told, seen = say(model, Variable(row{}))\n            print(told)"


def _shelf(made: str, flag: str, more: str = "", off: bool = False) -> str:
    block = _ASKED.format(flag)
    block = block if not off else "with torch.no_grad():\n                " + block
    return _SHELF.format(made=made, block=block) + more


@pytest.mark.parametrize("made", [
    "dict([(i, w) for i, w in enumerate(words)])", "{i: w for i, w in enumerate(words)}", "{}",
])
def test_what_a_dictionary_on_an_object_is_asked_for_was_made_before(made: str) -> None:
    becomes(_shelf(made, ", volatile=True"), _shelf(made, "", off=True))


@pytest.mark.parametrize(("made", "more"), [
    ("words", ""),
    ("Table(words)", ""),
    ("{}", "\n\n    def change(shelf, words):\n        shelf.words = words\n"),
    ("{}", "\n\n    def change(shelf, words):\n        setattr(shelf, 'words', words)\n"),
    ("{}", "\n\n    class Other(Shelf):\n        def fill(self, words):\n            self.words = words\n"),
    ("{}", "\n\n    class Other(Shelf):\n        words = property(Shelf.word)\n"),
    ("{}", "\n\n    class Key(object):\n        def __hash__(self):\n            return self.train()\n"),
    ("{}", "\n\n    class Key(object):\n        def __eq__(self, other):\n            return self.train(other)\n"),
])
def test_what_may_be_another_that_is_asked_may_need_a_graph(made: str, more: str) -> None:
    stays(_shelf(made, ", volatile=True", more), "mixed-statement")


_MADE = """
    import torch
    from torch.autograd import Variable

    class Shelf(object):
        def __init__(self, words):
            self.words = dict([(i, w) for i, w in enumerate(words)])

        def word(self, index):
            return self.words.get(index, -1)

    class Learner(Shelf):
        def word(self, index):
            self.net(index).sum().backward()
            return index

    def made(path):
        words = path.split('/')
        mine = Shelf(words)
        other = Shelf(words[::-1])
        return mine, other, words

    shelf, other, words = made('a/b')

    def say(model, given):
        found, seen = model(given)
        told = []
        for one in found.data:
            told += [shelf.word(one)]
        return ' '.join(told), seen

    def show(model, rows):
        for row in rows:
            {block}
"""


def _taken(flag: str, learns: bool = False, off: bool = False) -> str:
    block = _ASKED.format(flag)
    text = _MADE.replace("{block}", block if not off else "with torch.no_grad():\n                " + block)
    if not learns:
        text = text[:text.index("    class Learner")] + text[text.index("    def made"):]
    return text


def test_a_name_of_the_top_level_that_took_its_part_of_a_tuple_is_what_the_maker_has_there() -> None:
    becomes(_taken(", volatile=True"), _taken("", off=True))


@pytest.mark.parametrize(("here", "there"), [
    ("shelf, other, words = made('a/b')", "shelf, other, words = made('a/b')\n    shelf = Learner(words)"),
    ("shelf, other, words = made('a/b')", "shelf, other, words = made('a/b')\n    shelf.word = Learner(words).word"),
    ("shelf, other, words = made('a/b')", "shelf, other, words = made('a/b')\n    Shelf.word = Learner.word"),
    ("shelf, other, words = made('a/b')",
     "shelf, other, words = made('a/b')\n    for shelf in [Learner(words)]:\n        pass"),
    ("shelf, other, words = made('a/b')", "from library import made\n    shelf, other, words = made('a/b')"),
    ("shelf, other, words = made('a/b')",
     "shelf, other, words = made('a/b')\n\n    def change():\n        global shelf\n        shelf = Learner(words)"),
    ("mine = Shelf(words)", "mine = Shelf(words) if path else Learner(words)"),
    ("return mine, other, words", "if path:\n            mine = Learner(words)\n        return mine, other, words"),
    ("return mine, other, words", "mine.__class__ = Learner\n        return mine, other, words"),
    ("return mine, other, words", "result = [mine, other, words]\n        return result"),
    ("self.words.get(index, -1)", "self.words.get(index, self.net(index).sum().backward())"),
])
def test_a_part_of_a_tuple_that_may_be_another_may_need_a_graph(here: str, there: str) -> None:
    text = _taken(", volatile=True", learns=True)
    assert here in text
    stays(text.replace(here, there), "mixed-statement")
