"""Groups of files that nothing volatile passes between are analysed alone; --modernize changes nothing about that."""

from __future__ import annotations

import json

from helpers import Run, Tree
from voltfix import core
from voltfix.model import Options

SCRIPT = """\
import torch
from torch.autograd import Variable
import data
def run(net):
    return net(Variable(data.load(), volatile=True))
"""
DATA = "import torch\ndef load():\n    return torch.ones(1)\n"
FILES = {"a.py": SCRIPT, "b.py": SCRIPT.replace("run", "go"), "data.py": DATA}


def test_changes_of_several_groups_have_ids_of_their_own() -> None:
    files = {path: text.encode() for path, text in FILES.items()}
    groups = (frozenset({"a.py", "data.py"}), frozenset({"b.py", "data.py"}))
    result = core.migrate(files, Options(passing=groups))
    assert [(site.path, site.status, site.change) for site in result.sites] == [
        ("a.py", "fixed", "c1"),
        ("b.py", "fixed", "c2"),
    ]


def test_what_two_groups_see_is_decided_once() -> None:
    files = {path: text.encode() for path, text in FILES.items()}
    groups = (frozenset({"a.py", "data.py"}), frozenset({"a.py", "b.py", "data.py"}))
    result = core.migrate(files, Options(passing=groups))
    assert [(site.path, site.change) for site in result.sites] == [("a.py", "c1"), ("b.py", "c2")]
    assert result.outputs["a.py"].count(b"no_grad") == 1


def test_modernizing_decides_the_sites_as_a_run_without_it_does(voltfix: Run, tree: Tree) -> None:
    tree(FILES)
    plain, modern = (
        json.loads(voltfix(*more, "--check", "--no-verify", "--output-format", "json", ".").stdout)["sites"]
        for more in ((), ("--modernize",))
    )
    assert [(s["path"], s["status"], s["strategy"]) for s in plain] == [
        (s["path"], s["status"], s["strategy"]) for s in modern
    ]
    assert len(plain) == 2
