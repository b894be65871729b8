"""What Python runs of an object that nobody knows, though nothing calls it, may train; so may a call beside the one."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

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
