"""What is put on a module, a class, a function or an object that nobody knows is found there by its name."""

from __future__ import annotations

import pytest
from solving import covers, files_become, files_stay, stays

from helpers import migrated

LAMP = """
def light(net, beam):
    {put}
    return net(Variable(beam), {taken}).data
"""


@pytest.mark.parametrize("other", ["HELD = None", "", "HELD = []"])
def test_what_a_function_puts_into_a_module_it_finds_there(other: str) -> None:
    before = LAMP.format(put="lamp.HELD = Variable(beam, volatile=True)", taken="lamp.HELD")
    after = before.replace(", volatile=True", "").replace(
        "    return", "    with torch.no_grad():\n        return")
    files_become({"lamp.py": other, "run.py": "import lamp\n" + before}, {"run.py": "import lamp\n" + after})


def test_what_one_puts_into_a_module_another_may_find() -> None:
    files_stay({
        "lamp.py": "HELD = None",
        "on.py": "import lamp\n\ndef on(beam):\n    lamp.HELD = Variable(beam, volatile=True)\n",
        "run.py": "import lamp\n\ndef light(net):\n    return net(lamp.HELD).data\n",
    }, "escapes-by-global")


def test_one_that_nobody_reads_goes() -> None:
    files_become({
        "lamp.py": "HELD = None",
        "on.py": "import lamp\n\ndef on(beam):\n    lamp.HELD = Variable(beam, volatile=True)\n",
    }, {"on.py": "import lamp\n\ndef on(beam):\n    lamp.HELD = Variable(beam)\n"})


@pytest.mark.parametrize(("put", "taken"), [
    ("Lamp.held = Variable(beam, volatile=True)", "Lamp.held"),
    ("setattr(Lamp, 'held', Variable(beam, volatile=True))", "Lamp.held"),
])
def test_what_is_put_on_a_class_is_found_there(put: str, taken: str) -> None:
    covers("class Lamp(object):\n    held = None\n\n" + LAMP.format(put=put, taken=taken),
           inside=["return net("], outside=[])


@pytest.mark.parametrize("put", [
    "light.held = Variable(beam, volatile=True)",
    "if not hasattr(light, 'held'):\n        light.held = Variable(beam, volatile=True)",
    "setattr(light, 'held', Variable(beam, volatile=True))",
])
def test_what_is_put_on_a_function_may_be_asked_of_it(put: str) -> None:
    stays(LAMP.format(put=put, taken="light.held"), "escapes-by-attribute")


def test_what_is_put_among_the_names_of_a_module_may_be_read_anywhere() -> None:
    stays(LAMP.format(put="globals()['HELD'] = Variable(beam, volatile=True)", taken="HELD"), "escapes-by-global")


UNSEEN = """
from lamps import bright

def light(beam, net):
    lamp = bright('red')
    {put}
    {use}
"""


@pytest.mark.parametrize("put", [
    "lamp.beam = Variable(beam, volatile=True)",
    "setattr(lamp, 'beam', Variable(beam, volatile=True))",
])
@pytest.mark.parametrize("use", [
    "return lamp.shine().data", "lamp.shine()", "for k in range(3):\n        lamp.shine()"])
def test_an_object_that_nobody_knows_may_compute_with_what_is_put_into_it(put: str, use: str) -> None:
    stays(UNSEEN.format(put=put, use=use), "unknown-callee")


@pytest.mark.parametrize("use", [
    "return net(lamp.beam).data",
    "lamp.beam = None\n    return lamp.shine()",
    "return lamp.beam.size(0)",
])
def test_it_does_not_where_it_is_asked_for_nothing(use: str) -> None:
    text = migrated("import torch\nfrom torch.autograd import Variable\n" + UNSEEN.format(
        put="lamp.beam = Variable(beam, volatile=True)", use=use)).outputs["a.py"].decode()
    assert "volatile" not in text
    assert ("no_grad" in text) == ("net(" in use)
