"""A list that a function closes over, which somebody else runs: it may hold something, and what follows is reached."""

from __future__ import annotations

import pytest
from solving import source

from helpers import migrated

HANDED_ON = {
    "a hook of a layer": "layer.register_forward_hook(lambda layer, given, made: seen.append(made.data))",
    "a hook by its keyword": "layer.register_forward_hook(hook=lambda layer, given, made: seen.append(made.data))",
    "a hook that is bound to the list": (
        "def keep(kept, layer, given, made):\n    kept.append(made.data)\n"
        "layer.register_forward_hook(functools.partial(keep, seen))"),
    "a hook that a function makes": (
        "def keeps(kept):\n    return lambda layer, given, made: kept.append(made.data)\n"
        "layer.register_forward_hook(keeps(seen))"),
    "a hook that calls another": (
        "def keep(made):\n    seen.append(made.data)\n"
        "layer.register_forward_hook(lambda layer, given, made: keep(made))"),
    "a function for all layers": "net.apply(lambda part: seen.append(part))",
    "a function with a name for all layers": (
        "def collect(part):\n    if len(list(part.children())) == 0:\n        seen.append(part)\nnet.apply(collect)"),
    "a hook of a tensor": (
        "probe = Variable(data, requires_grad=True)\nprobe.register_hook(lambda grad: seen.append(grad))\n"
        "probe.sum().backward()"),
    "a listener": "@net.when('done')\ndef note(event):\n    seen.append(event)\nnet.fire('done')",
    "a listener of a library": "@blinker.connect\ndef note(event):\n    seen.append(event)\nblinker.send(1)",
}
READ = {
    "its first item": "print(seen[0], shown)",
    "one after the other": "for each in seen:\n    print(each, shown)\n    break\nelse:\n    raise ValueError(shown)",
}


def _text(handed: str, read: str) -> str:
    lines = [
        "seen = []", *handed.split("\n"), "net(Variable(data))", "weight = net.first.weight",
        "loss, shown = weight.norm(), weight[0] * Variable(data, volatile=True)", *read.split("\n"),
        "loss.backward()", "optimizer.step()"]
    return source("import blinker\nimport functools\n\n\ndef train(net, layer, data, optimizer):\n"
                  + "\n".join("    " + line for line in lines))


@pytest.mark.parametrize("read", READ.values(), ids=READ)
@pytest.mark.parametrize("handed", HANDED_ON.values(), ids=HANDED_ON)
def test_what_others_may_have_put_in_is_there_to_be_read(handed: str, read: str) -> None:
    """The loss is asked for gradients after that: it belongs into no block."""
    after = migrated(_text(handed, read).encode()).outputs["a.py"].decode()
    assert "no_grad" not in after


def test_nobody_fills_a_list_for_which_no_function_is_handed_on() -> None:
    """There is nothing to be had of it: the line raises, and no gradients are asked for."""
    read = "if layer.shows:\n    print(seen[0], shown)\n    loss.backward()\nreturn"
    after = migrated(_text("def keep(made):\n    seen.append(made)", read).encode()).outputs["a.py"]
    assert b"with torch.no_grad():\n        loss, shown" in after
