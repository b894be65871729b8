"""Flags of one function that cannot be told one by one are one question; what is set otherwise is another one."""

from __future__ import annotations

import pytest
from trying import DIFFERENT, SAME, Told, project, search, tried

from voltfix import core
from voltfix.model import Options, Verification
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.search.cover import Tracer
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify

PROBE = """
class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


"""
ARMS = PROBE + """
def evaluate(model, batches, wide):
    total = 0
    for batch in batches:
        if wide:
            x = Variable(batch.unsqueeze(0), volatile=True)
        else:
            x = Variable(batch, volatile=True)
        total += Probe().measure(model, x).data.sum()
    return total
"""


def gone(text: str) -> bool:
    return "volatile" not in text


def outcome(text: str, verifier=verify):
    result = core.migrate(project(text), Options(), verifier, search())
    return {each.status for each in result.sites}, result.outputs.get("a.py", b"").decode()


def test_where_each_arm_makes_it_volatile_both_flags_go_together():
    statuses, text = outcome(ARMS)
    assert statuses == {"fixed"}
    assert gone(text)
    assert "        with torch.no_grad():\n            total +=" in text


def test_a_way_without_a_flag_keeps_its_graph():
    statuses, text = outcome(ARMS.replace("x = Variable(batch, volatile=True)", "x = Variable(batch)").replace(
        ".data.sum()", ".sum()"))
    assert statuses == {"refused"} or "with torch.no_grad()" not in text


def asked(text: str) -> list[str]:
    """What the verifier was shown, where nothing was found right."""
    verifier = Told(lambda item: DIFFERENT)
    tried(PROBE + text, verifier)
    return [item.after["a.py"] for item in verifier.items]


TWO = """
def evaluate(model, batch, more, off):
    x = Variable(batch, volatile=True)
    y = Variable(more, volatile=True)
    return Probe().measure(model, x + y)
"""


def test_two_flags_that_are_set_alike_are_tried_together():
    assert any(map(gone, asked(TWO)))


def after_the_second(item) -> Verification:
    """The first flag can do without its effect only where the block that comes for the second is there."""
    text = item.after["a.py"]
    return SAME if "no_grad" in text and "more, volatile=True" not in text else DIFFERENT


def test_a_flag_is_asked_about_again_beside_a_block_that_came_for_another_one():
    result = tried(PROBE + TWO, Told(after_the_second))
    assert {each.status for each in result.sites} == {"fixed"}
    assert gone(result.outputs["a.py"].decode())


def test_a_flag_of_another_function_is_not_asked_about_again():
    alone = TWO.replace("    y = Variable(more, volatile=True)\n", "").replace("x + y", "x")
    other = alone.replace("evaluate", "judge").replace("batch, more", "more").replace("Variable(batch", "Variable(more")
    result = tried(PROBE + alone + other, Told(after_the_second))
    assert [each.status for each in result.sites] == ["refused", "fixed"]


@pytest.mark.parametrize("other", ["Variable(more, volatile=off)", "Variable(more, volatile=not off)"])
def test_flags_that_are_not_set_alike_are_not_one_question(other):
    assert not any(map(gone, asked(TWO.replace("Variable(more, volatile=True)", other))))


def test_flags_of_two_functions_are_not_one_question():
    again = TWO.replace("    y = Variable(more, volatile=True)\n", "").replace("x + y", "x")
    assert not any(map(gone, asked(again + again.replace("evaluate", "measure_all"))))


def test_a_cure_is_not_joined_to_another():
    found = asked("""
def evaluate(model, batch, more):
    x = Probe().measure(model, Variable(batch, volatile=True))
    y = Probe().measure(model, Variable(more, volatile=True))
    x.volatile = False
    y.volatile = False
    return model(x + y)
""")
    assert not any("x.volatile" not in text and "y.volatile" not in text and "volatile=True" in text for text in found)


def test_where_the_flags_were_right_one_by_one_they_are_not_asked_together():
    verifier = Told(lambda item: SAME if "no_grad" in item.after["a.py"] else DIFFERENT)
    result = tried(PROBE + TWO, verifier)
    assert {each.status for each in result.sites} == {"fixed"}


def cover_of(body: str):
    files = project("def f(model, rows, others):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    loaded = load_project(files, Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    scene = scenes.of("a.py")
    function = scene.functions[0].node
    sources = frozenset({function.body[0].value})
    found = Tracer(scenes, scene, sources).over(function.body)
    return [scene.module.text.splitlines()[first.lineno - 1].strip() for first, _ in found.tight]


def test_the_data_of_what_is_computed_on_the_spot_is_computed_all_the_same():
    assert cover_of("x = Variable(rows, volatile=True)\ny = model(x).data\nz = x.data + 1") == ["y = model(x).data"]


def test_each_part_of_a_tuple_holds_something_else_from_there_on():
    assert cover_of(
        "x = Variable(rows, volatile=True)\ny = model(x)\nx, (y, *z) = others\nmodel(x + y)") == ["y = model(x)"]


def test_what_a_loop_goes_through_is_another_one_in_each_round_and_what_it_was_where_there_is_none():
    body = "x = Variable(rows, volatile=True)\nfor x in others:\n    a = model(x)\nb = model(x)"
    assert cover_of(body) == ["b = model(x)"]
    assert cover_of(body.replace("in others", "in [x, *others]")) != ["b = model(x)"]


PAIR = """
class Probe:
    def measure(self, model, t, wanted):
        model(Variable(t.data)).sum().backward()
        return torch.nn.functional.cross_entropy(model(t), wanted)


def evaluate(model, batch, labels):
    x = Variable(batch, volatile=True)
    y = Variable(labels, volatile=True)
    far = Probe().measure(model, x, y)
    print(far.data)
"""


def test_a_flag_that_stayed_beside_a_refused_one_goes_when_that_does():
    statuses, text = outcome(PAIR)
    assert statuses == {"fixed"}
    assert gone(text)
    assert text.count("with torch.no_grad():") == 1


def test_a_flag_that_stayed_beside_a_refused_one_does_not_go_alone_where_others_are_given_the_tensor():
    lent = "import somewhere\n" + PAIR.replace("    print(far.data)\n", "    somewhere.show(y)\n")
    _, text = outcome(lent)
    assert "    with torch.no_grad():\n        far = Probe().measure(model, x, y)\n        somewhere.show(y)\n" in text


def test_a_flag_that_stayed_beside_one_that_is_still_refused_stays():
    asked = PAIR.replace("    print(far.data)\n", "    far.backward()\n")
    statuses, text = outcome(asked)
    assert "Variable(labels)" not in text
    assert statuses == {"refused"}
