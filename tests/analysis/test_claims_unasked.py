"""What Python runs of an object that nobody knows, though nothing calls it, may train; so may a call beside the one."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from solving import becomes, covers, source, stays

from helpers import migrated

CLIP = """
    class Clip(object):
        def __init__(self, net, opt):
            self.net, self.opt = net, opt

        def tune(self):
            self.opt.zero_grad()
            self.net(self.shot).norm().backward()
            self.opt.step()
            return self.net
    {more}

    def show(clip, frames):
        total = 0
        {use}
        return total
"""

# a method of the class, what runs it, and the lines with what is volatile
WAYS = {
    "a loop": (
        "    def __iter__(self):\n            yield self.tune()",
        ["for net in clip:", "    total += net(Variable(frames, volatile=True)).data"],
    ),
    "a loop that asks for the next": (
        "    def __iter__(self):\n            return self\n        def __next__(self):\n            return self.tune()",
        ["for net in clip:", "    total += net(Variable(frames, volatile=True)).data"],
    ),
    "an item": (
        "    def __getitem__(self, k):\n            return self.tune()",
        ["for k in range(3):", "    total += clip[k](Variable(frames, volatile=True)).data"],
    ),
    "a block of its own": (
        "    def __enter__(self):\n            self.tune()",
        ["with clip:", "    total += clip.net(Variable(frames, volatile=True)).data"],
    ),
    "the end of a block": (
        "    def __exit__(self, *why):\n            self.tune()",
        ["for k in range(3):", "    with clip:", "        total += clip.net(Variable(frames, volatile=True)).data"],
    ),
    "a call that gives what is called": (
        "", ["total += clip.tune()(Variable(frames, volatile=True)).data"],
    ),
    "such a call in a comprehension": (
        "", ["v = Variable(frames, volatile=True)", "total += sum(clip.tune()(v).data[0] for k in range(3))"],
    ),
    "a call that is made until it gives something else": (
        "", ["for net in iter(clip.tune, None):", "    total += net(Variable(frames, volatile=True)).data"],
    ),
}  # fmt: skip


def body_of(way: str) -> str:
    more, lines = WAYS[way]
    return CLIP.replace("{more}", more and "\n    " + more).replace("{use}", "\n        ".join(lines))



@pytest.mark.parametrize("way", WAYS)
def test_what_trains_without_being_called_stays_outside_of_the_block(way: str) -> None:
    lines = WAYS[way][1]
    headers = [line.strip() for line in lines if line.strip().endswith(":") and "range" not in line]
    result = covers(body_of(way), inside=[], outside=["backward()", *headers])
    text = result.outputs["a.py"].decode()
    called = next((c for c in ("clip.tune()", "clip[k]") if c + "(" in lines[-1]), "")
    assert f"torch.no_grad()({called})(" in text if called else "with torch.no_grad():" in text


@pytest.mark.parametrize("way", [way for way in WAYS if "call" not in way])
def test_one_that_does_not_train_may_stand_in_it(way: str) -> None:
    body = body_of(way).replace(".norm().backward()", "")
    text = covers(body, inside=[], outside=[]).outputs["a.py"].decode()
    assert text.count("no_grad()") == 1


TRACK = """
    class Track(object):
        @property
        def model(self):
            if self.fresh:
                self.net(self.first).sum().backward()
            return self.net

    def follow(track, frame):
        {use}
"""


@pytest.mark.parametrize(("call", "alone"), [
    ("track.model(v)", "torch.no_grad()(track.model)(v)"),
    ("track.model.features(v)", "torch.no_grad()(track.model.features)(v)"),
    ("track.head(track.model, v)", "torch.no_grad()(track.head)(track.model, v)"),
])
def test_what_is_called_alone_is_covered_where_a_property_is_read_beside_it(call: str, alone: str) -> None:
    body = TRACK.replace("{use}", f"v = Variable(frame, volatile=True)\n        return {call}.data")
    becomes(body, body.replace(", volatile=True", "").replace(call, alone))


def test_a_property_that_is_read_before_is_outside() -> None:
    covers(TRACK.replace("{use}", "net = track.model\n        return net(Variable(frame, volatile=True)).data"),
           inside=["return net("], outside=["net = track.model"])


@pytest.mark.parametrize("change", [
    (".backward()", ""),  # it does not train
    ("track.model", "track.other"),  # it is another attribute
    ("@property", "@net.setter"),  # writing is not reading
])
def test_another_attribute_changes_nothing(change: tuple[str, str]) -> None:
    body = TRACK.replace("{use}", "return track.model(Variable(frame, volatile=True)).data").replace(*change)
    covers(body, inside=["return track"], outside=[])


# --- what is handed to somebody else's thread, or to what a generator does next -------------------------------------

AWAY = {
    "a queue": "jobs.put(Variable(frame, volatile=True))",
    "a queue that does not wait": "jobs.put_nowait((name, Variable(frame, volatile=True)))",
    "a pipe": "jobs.send(Variable(frame, volatile=True))",
    "a loop of events": "return jobs.run_in_executor(None, net, Variable(frame, volatile=True))",
}


@pytest.mark.parametrize("line", AWAY.values(), ids=AWAY)
def test_a_block_around_a_hand_over_does_not_reach_who_takes_it(line: str) -> None:
    stays(f"""
    def ask(jobs, net, name, frame):
        {line}
    """, "other-thread")


def test_a_generator_computes_with_what_it_is_sent() -> None:
    stays("""
    def answers(net):
        v = None
        while True:
            v = yield None if v is None else net(v)

    def ask(net, frames):
        waiting = answers(net)
        next(waiting)
        for frame in frames:
            print(waiting.send(Variable(frame, volatile=True)))
    """, "other-thread")


def test_a_result_without_a_graph_may_be_put_anywhere() -> None:
    covers("""
    def ask(jobs, net, frame):
        out = net(Variable(frame, volatile=True))
        jobs.put(out)
    """, inside=["out = net("], outside=[])


def test_a_method_of_the_project_of_that_name_is_none_of_a_queue() -> None:
    covers("""
    class Store(object):
        def put(self, x):
            return self.net(x).data

    def ask(store, frame):
        print(store.put(Variable(frame, volatile=True)))
    """, inside=["print(store.put("], outside=[])


WRITTEN = """
    class Track(object):
        {member}
            self.net(self.first).sum().backward()
            return self.net

    def follow(track, frame):
        v = Variable(frame, volatile=True)
        seen = track.net(v)
        {line}
        return track.net(seen).data
"""


@pytest.mark.parametrize(("member", "line"), [
    ("@property\n        def shot(self):\n            return 1\n\n        @shot.setter\n        def shot(self, x):",
     "track.shot = frame"),
    ("def __setattr__(self, name, x):", "track.shot = frame"),
    ("def __getattr__(self, name):", "print(track.shot)"),
    ("def __eq__(self, other):", "print(track == frame)"),
    ("def __contains__(self, other):", "print(frame in track)"),
])
def test_what_runs_where_an_attribute_is_written_or_a_thing_compared_may_train(member: str, line: str) -> None:
    body = WRITTEN.replace("{member}", member).replace("{line}", line)
    covers(body, inside=["seen = "], outside=[line, "backward()"])
    quiet = covers(body.replace(".backward()", ""), inside=["seen = "], outside=[])
    assert quiet.outputs["a.py"].decode().count("no_grad()") == 1


# what the class has, and a line between two uses of something volatile
BETWEEN = {
    "how long it is": ("__len__", "size = len(clip)"),
    "whether it is something": ("__bool__", "if clip: print(1)"),
    "how it reads": ("__str__", "print('at %s' % clip)"),
    "how it reads in a text": ("__format__", "print('{}'.format(clip))"),
    "what number it is": ("__float__", "rate = float(clip)"),
    "whether it comes first": ("__lt__", "best = sorted([clip, clip])"),
    "what comes next": ("__next__", "shot = next(clip)"),
    "an item that goes": ("__delitem__", "del clip[0]"),
    "an item that becomes an array": ("__getitem__", "shot = np.array([clip[0]])"),
    "who made it": ("__repr__", "print(repr(clip))"),
}


def asked_between(way: str, of: str = "def show(clip, frames):") -> str:
    name, line = BETWEEN[way]
    lines = ["made = clip.net(Variable(frames, volatile=True))", line, "total += clip.net.head(made).data"]
    body = CLIP.replace("{more}", f"\n        def {name}(self, *more):\n            return self.tune()")
    return "import numpy as np\n\n" + dedent(
        body.replace("{use}", "\n        ".join(lines)).replace("def show(clip, frames):", of))


@pytest.mark.parametrize("way", BETWEEN)
def test_what_an_operator_or_a_built_in_runs_may_train(way: str) -> None:
    covers(asked_between(way), inside=["made =", "total += clip.net.head"], outside=["backward()", BETWEEN[way][1]])


@pytest.mark.parametrize("way", [way for way in BETWEEN if way not in ("what comes next", "an item that goes")])
def test_so_may_it_of_an_object_that_is_made_here(way: str) -> None:
    of = "def show(net, opt, frames):\n        clip = Clip(net, opt)"
    result = migrated(source(asked_between(way, of)).encode())
    text = result.outputs["a.py"].decode()
    assert "backward" not in "".join(part for part in re.findall(r"no_grad\(\):\n((?: {8}.*\n)+)", text))
    assert f"\n    {BETWEEN[way][1]}" in text


@pytest.mark.parametrize("way", [way for way in BETWEEN if way != "what comes next"])
def test_none_of_that_splits_a_block_where_nothing_trains(way: str) -> None:
    text = covers(asked_between(way).replace(".norm().backward()", ""), inside=[], outside=[]).outputs["a.py"].decode()
    assert text.count("no_grad()") == 1


def test_what_a_variable_is_made_of_may_train_before_it_is_made() -> None:
    body = CLIP.replace("{more}", "\n        def __getitem__(self, at):\n            return self.tune()").replace(
        "{use}", "total += clip.net(Variable(clip[0], volatile=True)).data")
    becomes(body, body.replace("clip.net(Variable(clip[0], volatile=True))",
                               "torch.no_grad()(clip.net)(Variable(clip[0]))"))


def test_what_a_text_is_asked_for_gives_back_what_trains() -> None:
    """Who gets an attribute of any name gets the method: calling it runs it."""
    more = "\n        def __getattr__(self, name):\n            return self.tune"
    stays(CLIP.replace("{more}", more).replace(
        "{use}", "total += clip.anything(Variable(frames, volatile=True))"), reason="unknown-callee")


FIT = """
    import torch.nn as nn

    def fit(net, opt, batch):
        opt.zero_grad()
        net(batch).sum().backward()
        opt.step()

    def show(weight, opt, batch):
        net = nn.Linear(3, 3)
        seen = net(Variable(batch, volatile=True))
        {use}
        return (seen * weight).data
"""


@pytest.mark.parametrize("use", [
    "net.apply(lambda part: fit(part, opt, batch))",
    "layer = nn.Linear(3, 3)\n        layer.apply(lambda part: fit(part, opt, batch))",
    "nn.Linear(3, 3).apply(functools.partial(fit, net, opt))",
    "opt.step(lambda: fit(net, opt, batch))",
])
def test_whoever_is_handed_a_function_may_run_it_at_once(use: str) -> None:
    covers("import functools" + dedent(FIT.replace("{use}", use)), inside=["seen =", "return (seen"],
           outside=[use.splitlines()[-1].strip()])


ADAPTING = """
    import torch.nn as nn

    class Adapting(nn.Module):
        def __init__(self):
            super(Adapting, self).__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            steps = torch.autograd.grad(self.layer(self.shots).norm(), self.layer.parameters())
            return self.layer(x) - steps[1]

    class Still(nn.Module):
        def __init__(self):
            super(Still, self).__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x)

    def see(frames):
        net = {made}
        return net(Variable(frames, volatile=True)).data
"""
HOLDING = ["nn.DataParallel({}())", "nn.Sequential(nn.Linear(3, 3), {}())", "nn.DataParallel(nn.Sequential({}()))",
           "nn.Sequential(*[{}(), nn.ReLU()])"]


@pytest.mark.parametrize("made", HOLDING)
def test_what_holds_a_network_that_trains_runs_it(made: str) -> None:
    stays(ADAPTING.replace("{made}", made.format("Adapting")), reason="mixed-statement")


@pytest.mark.parametrize("made", HOLDING)
def test_what_holds_another_does_not(made: str) -> None:
    covers(ADAPTING.replace("{made}", made.format("Still")), inside=["return net("], outside=["autograd.grad"])
