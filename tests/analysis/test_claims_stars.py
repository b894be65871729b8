"""What ``*`` and ``**`` hand to a function may be its flag, where nobody can say what they hold."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

MAKE = "def wrapped(x, off=False, fast=False):\n    return Variable(x, volatile=off)\n"
FIT = "from parts import wrapped\n\ndef fit(net, x):\n    net(wrapped(x)).sum().backward()\n"


def after(look: str) -> tuple[dict[str, str | None], str]:
    files = {"parts.py": MAKE, "fit.py": FIT, "look.py": look}
    result, texts = migrated_files(files)
    assert "no_grad" not in texts["fit.py"]
    return refusals(result), texts["look.py"]


@pytest.mark.parametrize("look", [
    "def look(net, x, more):\n    return net(wrapped(x, **more)).data",
    "def look(net, x, path):\n    more = json.load(open(path))\n    return net(wrapped(x, **more['wrap'])).data",
    "def look(net, x, off=True):\n    return net(wrapped(**{k: v for k, v in locals().items() if k != 'net'})).data",
    "def look(net, x, conf):\n    return net(wrapped(x, **vars(conf))).data",
    "def look(net, given):\n    return net(wrapped(*given)).data",
    "def look(net, jobs):\n    return [net(wrapped(*job)).data for job in jobs]",
    "def look(net, x, rest):\n    return net(wrapped(x, *rest)).data",
])
def test_a_flag_may_be_in_what_stars_hand_over(look: str) -> None:
    refused, text = after("import json\nfrom parts import wrapped\n\n" + look)
    assert not refused
    assert "no_grad" in text


@pytest.mark.parametrize("look", [
    "def look(net, x):\n    return net(wrapped(x, **{'fast': True})).data",
    "def look(net, x):\n    more = dict(fast=True)\n    return net(wrapped(x, **more)).data",
    "def look(net, x):\n    given = [x, False]\n    return net(wrapped(*given)).data",
    "def look(net, x, more):\n    return net(wrapped(x, False, **more)).data",
])
def test_what_is_known_not_to_hold_one_hands_over_none(look: str) -> None:
    refused, text = after("from parts import wrapped\n\n" + look)
    assert not refused
    assert "no_grad" not in text


@pytest.mark.parametrize("more", ["", "**options", "**{'off': True}"])
def test_a_mapping_that_an_object_keeps_may_hold_one(more: str) -> None:
    made = {"": "{}", "**options": "options", "**{'off': True}": "{'off': True}"}[more]
    refused, _ = after(f"""
from parts import wrapped

class Loop(object):
    def __init__(self, net, options):
        self.net, self.options = net, {made}

    def run(self, x):
        return self.net(wrapped(x, **self.options))

def look(net, x, options):
    return Loop(net, options).run(x).data

def fit(net, x):
    Loop(net, {{}}).run(x).sum().backward()
""")
    assert refused


def test_a_catch_all_that_is_handed_an_unknown_mapping_may_hold_one() -> None:
    refused, text = after("""
from parts import wrapped

def each(xs, **more):
    return [wrapped(x, **more) for x in xs]

def look(net, xs, options):
    return [net(v).data for v in each(xs, **options)]

def fit(net, xs):
    for v in each(xs, fast=True):
        net(v).sum().backward()
""")
    assert not refused
    assert text.count("no_grad") == 1
