"""A method that is asked of an object and handed over: what it is handed to calls it, and nobody else."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals, source

BODY = """
class Net(object):
    def __init__(self, opt):
        self.mix = opt.mix

    def embed(self, batch, quiet=True):
        rows, sizes = batch
        rows = Variable(rows, volatile=quiet)
        return self.mix((rows, sizes))


NETS = {'net': Net}


def kind(name):
    return NETS[name]


def collect(run, loader):
    found, names, seen, shown = None, [], 0, 0
    for number, (batch, at) in enumerate(loader):
        out = run(batch)
        if found is None:
            found = numpy.zeros((len(loader), out.size(1)))
        found[at] = out.data.cpu().numpy().copy()
        for each in at:
            names.append(each)
        seen += 1
        if seen % 10 == 0:
            print(number, seen)
        del batch
    if seen:
        return found, names
    return found


def judge(opt, net, loader):
    return collect(net.embed, loader)


def main(opt, loader):
    net = kind(opt.kind)(opt)
    print(judge(opt, net, loader))


if __name__ == '__main__':
    main(None, None)
"""


def run(change: tuple[str, str] = ("", ""), more: str = "") -> tuple[set[str | None], str]:
    assert change[0] in BODY
    result, texts = migrated_files({"main.py": source("import numpy\n" + BODY.replace(*change) + more)})
    return {*refusals(result).values()}, texts["main.py"]


SAME = "def judge(opt, net, loader):\n    "


@pytest.mark.parametrize("change", [
    ("", ""),
    ("    return collect(net.embed, loader)", "    return collect(loader=loader, run=net.embed)"),
    ("    return collect(net.embed, loader)", "    once = net.embed\n    return collect(once, loader)"),
    ("    return collect(net.embed, loader)", "    print(opt.embed is None)\n    return collect(net.embed, loader)"),
    ("    return collect(net.embed, loader)", "    if opt.embed:\n        return collect(net.embed, loader)"),
    ("kind(opt.kind)(opt)", "Net(opt)"),
])
def test_what_takes_a_method_and_calls_it_is_its_caller(change: tuple[str, str]) -> None:
    reasons, text = run(change)
    assert not reasons
    assert "with torch.set_grad_enabled(not quiet):\n            return self.mix((rows, sizes))" in text


@pytest.mark.parametrize("trains", [
    "out.sum().backward()", "opt.loss(out).backward()", "torch.autograd.grad(out.sum(), w)"])
def test_what_it_is_handed_to_may_want_a_gradient_of_what_it_gives(trains: str) -> None:
    assert run(("        out = run(batch)\n", f"        out = run(batch)\n        {trains}\n"))[0]


@pytest.mark.parametrize("change", [
    ("    return collect(net.embed, loader)", "    opt.run = net.embed\n    return collect(net.embed, loader)"),
    ("    return collect(net.embed, loader)", "    tell(net.embed)\n    return collect(net.embed, loader)"),
    ("    return collect(net.embed, loader)", "    tell([net.embed])\n    return collect(net.embed, loader)"),
    ("    return collect(net.embed, loader)", "    return collect(getattr(net, 'embed'), loader)"),
    ("    return collect(net.embed, loader)", "    yield collect(net.embed, loader)\n    yield net.embed"),
    ("    return collect(net.embed, loader)", "    return collect(net.embed, loader), net.embed"),
    ("    return collect(net.embed, loader)", "    other = net.embed.__func__\n    return collect(net.embed, loader)"),
    ("    return collect(net.embed, loader)", "    net.embed = opt.other\n    return collect(net.embed, loader)"),
])
def test_one_that_somebody_keeps_or_that_nobody_has_seen_is_handed_may_be_called_there(change: tuple[str, str]) -> None:
    assert run(change)[0] == {"unseen-callers"}


@pytest.mark.parametrize("more", [
    "\n\nclass Other(object):\n    def embed(self, batch, quiet=True):\n        return batch\n",
    "\n\nclass Below(Net):\n    def embed(self, batch, quiet=True):\n        return batch\n",
])
def test_where_another_class_has_one_of_that_name_an_unknown_object_may_be_of_that(more: str) -> None:
    assert run(("    net = kind(opt.kind)(opt)\n", "    net = opt.net\n"), more)[0] == {"unseen-callers"}


def test_an_object_that_nobody_has_seen_made_may_be_of_another_class() -> None:
    assert run(("    net = kind(opt.kind)(opt)\n", "    net = opt.net\n"))[0] == {"unseen-callers"}


@pytest.mark.parametrize("asks", ["if opt.embed:\n        return loader", "print(opt.embed is None)", "return loader"])
def test_a_setting_of_that_name_is_no_caller(asks: str) -> None:
    result, _ = migrated_files({"main.py": source("import numpy\n" + BODY.replace(
        "return self.mix((rows, sizes))", "return rows, sizes").replace("return collect(net.embed, loader)", asks))})
    assert {site.message.partition(", ")[2] for site in result.sites} == {"and no caller is known"}


GIVES = BODY.replace("return self.mix((rows, sizes))", "return rows, sizes").replace(
    "        out = run(batch)\n", "        out = HEAD(run(batch)[0])\n") + "\n\nHEAD = torch.nn.Linear(2, 2)\n"


@pytest.mark.parametrize("also", ["opt.other", "HEAD"])
def test_the_call_that_is_handed_it_has_the_block_and_no_other(also: str) -> None:
    calls = "    return collect(net.embed, loader)"
    more = f"    collect({also}, loader)\n"
    result, texts = migrated_files({"main.py": source("import numpy\n" + GIVES.replace(calls, more + calls))})
    assert not refusals(result)
    assert f"{more}    with torch.no_grad():\n    {calls}\n" in texts["main.py"]
    assert "volatile" not in texts["main.py"]


@pytest.mark.parametrize(("old", "new"), [
    ("        found[at] = out.data", "        out.sum().backward()\n        found[at] = out.data"),
    ("    return collect(net.embed, loader)", "    tell(net.embed)\n    return collect(net.embed, loader)"),
    ("    net = kind(opt.kind)(opt)\n", "    net = opt.net\n"),
    ("    return collect(net.embed, loader)", "    collect(lambda b: opt.net.embed(b), loader)\n    return loader"),
    ("    return collect(net.embed, loader)",
     "    HEAD(opt.net.embed(loader)[0]).backward()\n    return collect(net.embed, loader)"),
])
def test_where_it_may_be_wanted_for_training_there_is_none(old: str, new: str) -> None:
    result, texts = migrated_files({"main.py": source("import numpy\n" + GIVES.replace(old, new))})
    assert {*refusals(result).values()} <= {"gradient-demanded", "unseen-callers"}
    assert refusals(result)
    assert "no_grad" not in texts["main.py"]


AGAIN = ["for net in opt.nets:\n        print(net)", "for _, net in opt.nets:\n        print(net)",
         "with opt.net as net:\n        print(net)", "net, _ = opt.nets"]


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("asks", ["collect(net.embed, loader)", "opt.show(HEAD(net.embed(loader)[0]))"])
def test_a_name_that_is_bound_again_may_stand_for_another_object_than_the_callers_hand_over(again: str, asks: str):
    before = source("import numpy\n" + GIVES.replace("collect(net.embed, loader)", asks))
    result, texts = migrated_files({"main.py": before.replace(SAME, f"{SAME}{again}\n    ")})
    assert {*refusals(result).values()} == {"unseen-callers"}
    assert "no_grad" not in texts["main.py"]
    result, texts = migrated_files({"main.py": before})
    assert not refusals(result)
    assert "with torch.no_grad():\n        return" in texts["main.py"]
