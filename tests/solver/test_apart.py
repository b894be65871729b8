from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from voltfix import core
from voltfix.model import Module, Options, Plan
from voltfix.pipeline import settling
from voltfix.solver import solving
from voltfix.solver.apart import sharing
from voltfix.solver.roots import Setting
from voltfix.solver.solving import forget, solve

START = "import torch\nfrom torch.autograd import Variable\n"
SHOW = START + "import nets\nnet = nets.Net()\nprint(net(Variable(torch.rand(2), volatile=True)).data)\n"
OTHER = SHOW.replace("print", "repr")
NETS = "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n        return x * 2\n"
HELPER = START + "def wrap(x, off=False):\n    return Variable(x, volatile=off)\n"
TRAIN = START + "import help, nets\nnet = nets.Net()\nnet(help.wrap(torch.rand(2))).sum().backward()\n"
WRAPS = START + "import help, nets\nnet = nets.Net()\nprint(net(help.wrap(torch.rand(2), True)).data)\n"


@pytest.fixture(autouse=True)
def _let_go() -> Iterator[None]:
    yield
    forget()


def modules(texts: Mapping[str, str]) -> list[Module]:
    return [Module(f"{name}.py", text) for name, text in texts.items()]


def asked_apart(monkeypatch: pytest.MonkeyPatch, texts: Mapping[str, str]) -> tuple[Plan, list[set[str]]]:
    """The plan, and the sets of files that were decided by themselves."""
    seen: list[set[str]] = []
    plan_of = solving._plan_of_part

    def noted(part, sites, options):
        seen.append(set(part.paths))
        return plan_of(part, sites, options)

    monkeypatch.setattr(solving, "_plan_of_part", noted)
    return solve(modules(texts), Options(apart=True)), seen


def same(texts: Mapping[str, str]) -> Plan:
    """The plan of all together; decided apart, or asked to be, it is the same."""
    whole, apart = solve(modules(texts), Options()), solve(modules(texts), Options(apart=True))
    assert sorted(c.edits for c in whole.changes) == sorted(c.edits for c in apart.changes)
    assert sorted((d.site.path, d.site.span.start, d.message) for d in whole.left) == sorted(
        (d.site.path, d.site.span.start, d.message) for d in apart.left)
    return apart


def test_programs_that_have_one_of_the_paths_are_one():
    one, two, three = frozenset("ab"), frozenset("bc"), frozenset("cd")
    assert sharing([one, two, three], "a") == [one, two, three]
    assert sharing([one, two, three], "b") == [three, frozenset("abc")]
    assert sharing([one, two, three], "bc") == [frozenset("abcd")]


def test_scripts_that_only_share_a_library_are_decided_one_by_one(monkeypatch):
    plan, seen = asked_apart(monkeypatch, {"show": SHOW, "other": OTHER, "nets": NETS})
    assert plan.apart
    assert len(plan.changes) == 2
    assert [change.id for change in plan.changes] == ["c1", "c2"]
    assert sorted(map(sorted, seen)) == [["nets.py", "other.py"], ["nets.py", "show.py"]]
    assert same({"show": SHOW, "other": OTHER, "nets": NETS}) == plan


def test_what_asks_for_no_flag_is_decided_with_nothing(monkeypatch):
    plan, seen = asked_apart(monkeypatch, {"show": SHOW, "other": "import nets\nnets.Net()\n" * 2, "nets": NETS})
    assert [sorted(each) for each in seen] == [["nets.py", "show.py"]]
    assert plan.apart


def test_scripts_that_share_a_site_are_decided_together(monkeypatch):
    texts = {"train": TRAIN, "wraps": WRAPS, "help": HELPER, "nets": NETS}
    plan, seen = asked_apart(monkeypatch, texts)
    assert not seen
    assert not plan.apart
    same(texts)


def test_of_three_those_that_share_a_site_are_decided_together(monkeypatch):
    texts = {"train": TRAIN, "wraps": WRAPS, "help": HELPER, "nets": NETS, "show": SHOW}
    plan, seen = asked_apart(monkeypatch, texts)
    assert sorted(map(len, seen)) == [2, 4]
    assert plan.apart
    same(texts)


def test_where_something_is_written_into_what_another_program_loads_they_are_decided_together(monkeypatch):
    """Even where that one asks for no flag: what is written into the shared file serves it, too."""
    texts = {"show": SHOW, "other": "import nets\nprint(nets)\n", "nets": NETS}
    whole = solve(modules(texts), Options())
    (change,) = whole.changes
    seen: list[set[str]] = []

    def writes_there(part, sites, options):
        seen.append(set(part.paths))
        return Plan((replace(change, edits=(("nets.py", change.edits[0][1]),)),))

    monkeypatch.setattr(solving, "_plan_of_part", writes_there)
    assert solve(modules(texts), Options(apart=True)) == whole
    assert seen == [{"show.py", "nets.py"}]


@pytest.mark.parametrize("asks", [
    "import importlib\nimportlib.import_module(name)\n", "exec(open('show.py').read())\n", "import show\n"])
def test_a_script_that_may_load_another_is_one_program_with_it(monkeypatch, asks):
    plan, seen = asked_apart(monkeypatch, {"show": SHOW, "other": asks + OTHER, "nets": NETS})
    assert not seen
    assert not plan.apart


LEAVES = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        self.cost = (self.w * 2).sum()
        return x * self.w
"""
RUNS = START + "def run(net):\n    print(net(Variable(torch.rand(2), volatile=True)).data)\n"
TRAINS = "def run(net):\n    net.cost.backward()\n"
ALONE = "if __name__ == '__main__':\n    import nets\n    run(nets.Net())\n"


@pytest.mark.parametrize("how", [
    "map(importlib.import_module, names)", "[importlib.import_module(name=n) for n in names]",
    "map(__import__, names)"])
def test_a_graph_that_a_script_trains_with_is_kept_in_one_that_is_loaded_beside_it(how):
    starts = f"import importlib, nets\nnet = nets.Net()\nfor each in {how}:\n    each.run(net)\n"
    texts = {"nets": LEAVES, "show": RUNS + ALONE, "fit": TRAINS + ALONE}
    assert solve(modules(texts), Options(apart=True)).changes
    assert not solve(modules({**texts, "main": starts}), Options(apart=True)).changes


def test_a_package_for_others_is_never_decided_in_parts():
    plan = solve(modules({"show": SHOW, "other": OTHER, "nets": NETS}), Options(apart=True, installable=True))
    assert not plan.apart


def test_what_is_small_is_decided_together():
    assert not solve(modules({"show": SHOW, "other": OTHER, "nets": NETS}), Options()).apart


def test_what_spends_too_much_is_decided_in_parts_and_its_second_run_is_too(monkeypatch):
    monkeypatch.setattr(solving, "_TOGETHER", 1)
    asked: list[bool] = []
    solve_all = settling.solve
    monkeypatch.setattr(settling, "solve", lambda project, options, holds: (
        asked.append(options.apart), solve_all(project, options, holds))[1])
    files = {"show.py": SHOW.encode(), "other.py": OTHER.encode(), "nets.py": NETS.encode()}
    result = core.migrate(files)
    assert result.plan.apart
    assert sorted(result.outputs) == ["other.py", "show.py"]
    assert asked[0] is False
    assert all(asked[1:])


def test_one_program_that_spends_too_much_is_decided_as_if_it_had_not(monkeypatch):
    before = solve(modules({"show": SHOW, "nets": NETS}), Options())
    forget()
    monkeypatch.setattr(solving, "_TOGETHER", 1)
    assert solve(modules({"show": SHOW, "nets": NETS}), Options()) == before


@pytest.mark.parametrize(("limit", "again"), [(1, False), (10**9, True)])
def test_what_is_written_in_one_program_makes_nothing_of_another_run_again(monkeypatch, limit, again):
    """The second run looks at what was made: of the other programs it is what it was."""
    monkeypatch.setattr(solving, "_TOGETHER", limit)
    stays = SHOW.replace("print(", "").replace(").data)", ").sum().backward()")
    files = {"show": SHOW, "nets": NETS, **{f"stays{n}": stays + f"print({n})\n" for n in range(4)}}
    ran: list[bool] = []
    attempt, find_faults = Setting.attempt, settling.find_faults
    second: list[bool] = []

    def counted(self, body, *args, **kwargs):
        ran.append(bool(second) and body.path.startswith("stays"))
        return attempt(self, body, *args, **kwargs)

    def guarded(*args):
        second.append(True)
        return find_faults(*args)

    monkeypatch.setattr(Setting, "attempt", counted)
    monkeypatch.setattr(settling, "find_faults", guarded)
    result = core.migrate({f"{name}.py": text.encode() for name, text in files.items()})
    core.forget()
    assert list(result.outputs) == ["show.py"]
    assert second
    assert any(ran) is again
