from __future__ import annotations

import pytest

from alone import function, project
from voltfix.program.criteria import Criteria, Filled
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound

MSE, NLL = "torch.nn.MSELoss", "torch.nn.functional.nll_loss"
START = "import torch.nn as nn\nimport torch.nn.functional as F\nimport lib\n"
RATE = "def rate(net, judge): return judge(net)\n"


def handed(source: str, name: str = "rate", parameter: str = "judge", others: bool = False):
    code = project(main=START + source)
    code.for_others = others
    return Criteria(code, Rebound(code, Index(code.paths))).of("main.py", function(code, name).node, parameter)


@pytest.mark.parametrize("use", [
    "rate(1, nn.MSELoss())",
    "rate(1, judge=nn.MSELoss(size_average=False))",
    "rate(1, nn.MSELoss().cuda())",
    "judge = nn.MSELoss()\nif lib.gpu: judge = judge.cuda()\nrate(1, judge)",
    "judge = nn.MSELoss()\njudge.cuda()\nrate(1, judge)",
    "def main():\n    loss = nn.MSELoss()\n    return rate(2, loss)\nmain()",
    "def main(loss): return rate(2, loss)\nmain(nn.MSELoss())\nmain(nn.MSELoss().double())",
    "rate(1, nn.MSELoss() if lib.gpu else nn.MSELoss())",
])
def test_a_loss_that_every_caller_hands_over_is_known(use: str):
    assert handed(RATE + use) == (MSE,)


def test_callers_may_hand_over_several_losses_and_functions():
    assert handed(RATE + "rate(1, nn.MSELoss())\nrate(2, F.nll_loss)") == (MSE, NLL)


def test_the_default_counts_where_it_is_used():
    default = "def rate(net, judge=F.nll_loss): return judge(net)\n"
    assert handed(default + "rate(1)") == (NLL,)
    assert handed(default + "rate(1, nn.MSELoss())") == (MSE,)
    assert not handed("def rate(net, judge=None): return judge(net)\nrate(1)\nrate(1, nn.MSELoss())")


HIT = "def hit(net): return net > 1\n"


def test_one_function_in_view_is_known_as_losses_are():
    for use in ("rate(1, hit)", "rate(1, hit)\nrate(1, judge=hit)", "judge = hit\nrate(1, judge)",
                "def main(judge): rate(1, judge)\nmain(hit)"):
        (found,) = handed(HIT + RATE + use)
        assert found.qualname == "hit"


@pytest.mark.parametrize("use", [
    "rate(1, hit(2))",
    "rate(1, lambda net: net)",
    "rate(1, hit)\nrate(1, lib.hit)",
    "@lib.kept\ndef miss(net): return net\nrate(1, miss)",
    "class A:\n    def miss(self, net): return net\nrate(1, A().miss)",
    "def miss(net): return net\nfor miss in lib.all: pass\nrate(1, miss)",
    "judge = hit\ndef other():\n    global judge\n    judge = lib.judge\nrate(1, judge)",
    "rate(1, hit)\nfor rate in lib.all: rate(1, lib.judge)",
    "rate(1, hit)\nlib.run(__import__(lib.name).rate)",
])
def test_of_other_functions_nothing_is_known(use: str):
    assert not handed(HIT + RATE + use)


def test_callers_may_hand_over_several_functions_and_losses_of_the_project():
    miss = "def miss(net): return net < 1\n"
    assert set(names(handed(HIT + miss + RATE + "rate(1, hit)\nrate(1, miss)"))) == {"hit", "miss"}
    assert set(names(handed(HIT + miss + RATE + "rate(1, hit if lib.strict else miss)"))) == {"hit", "miss"}
    assert set(names(handed(HIT + RATE + "rate(1, hit)\nrate(1, nn.MSELoss())"))) == {MSE, "hit"}
    assert set(names(handed(OVERLAP + RATE + "rate(1, Overlap())\nrate(1, nn.MSELoss())"))) == {MSE, "Overlap"}


def test_more_than_a_few_functions_are_not_known():
    several = "".join(f"def hit{n}(net): return net > {n}\nrate(1, hit{n})\n" for n in range(5))
    assert not handed(RATE + several)


@pytest.mark.parametrize("use", [
    "rate(1, functools.partial(hit, least=2))",
    "rate(1, functools.partial(functools.partial(hit, 1), least=2))",
    "judge = None\nif lib.strict:\n    judge = functools.partial(hit, least=2)\nelse:\n"
    "    judge = functools.partial(hit, least=lib.least)\nrate(1, judge)",
])
def test_what_partial_makes_of_a_function_is_known(use: str):
    found = handed("import functools\n" + HIT + RATE + use)
    for each in found:
        while isinstance(each, Filled):
            each = each.of
        assert each.qualname == "hit"
    assert found


@pytest.mark.parametrize("use", [
    "rate(1, functools.partial(lib.hit, least=2))",
    "rate(1, functools.partial(hit, *lib.rest))",
    "rate(1, functools.partial(hit, **lib.rest))",
    "rate(1, functools.partial())",
    "rate(1, functools.partialmethod(hit, least=2))",
    "rate(1, lib.partial(hit, least=2))",
    "rate(1, functools.partial(hit, least=2))\nrate(1, lib.judge)",
    "judge = functools.partial(hit, least=2)\njudge.keywords['least'] = lib.net\nrate(1, judge)",
    "def hit(net): return net\nfor hit in lib.all: pass\nrate(1, functools.partial(hit, least=2))",
])
def test_what_partial_makes_of_anything_else_is_not(use: str):
    assert not handed("import functools\n" + HIT + RATE + use)


def test_what_partial_made_is_not_known_where_it_is_more_than_called():
    keeps = "import functools\ndef rate(net, judge):\n    lib.keep(judge)\n    return judge(net)\n"
    assert not handed(HIT + keeps + "rate(1, functools.partial(hit, least=2))")


def test_an_attribute_of_that_name_that_is_read_is_no_function():
    assert handed(RATE + "rate(1, nn.MSELoss())\nargs = lib.parse()\nif args.rate: pass") == (MSE,)
    assert not handed(RATE + "rate(1, nn.MSELoss())\nlib.args.rate = rate\nlib.run(lib.args.rate)")
    assert not handed(RATE + "rate(1, nn.MSELoss())\nlib.run(getattr(lib.args, 'rate'))")


def test_a_method_of_another_object_that_takes_less_is_no_caller():
    assert handed(RATE + "rate(1, nn.MSELoss())\nlib.thing().rate()") == (MSE,)


def test_what_makes_an_object_hands_it_to_its_initializer():
    made = "class Run(object):\n    def __init__(self, judge):\n        super(Run, self).__init__()\n"
    assert handed(f"{made}Run(nn.MSELoss())", "Run.__init__") == (MSE,)
    assert not handed(f"{made}Run(nn.MSELoss())\nlib.register(Run)", "Run.__init__")
    below = "class More(Run): pass\nMore(lib.judge())"
    assert not handed(f"{made}Run(nn.MSELoss())\n{below}", "Run.__init__")


@pytest.mark.parametrize("use", [
    "",
    "rate(1, lib.judge())",
    "rate(1, nn.Linear(2, 1))",
    "rate(1, nn.MSELoss)",
    "rate(1, F.linear)",
    "rate(1, nn.MSELoss())\nrate(1, lib.judge())",
    "rate(1, nn.MSELoss())\nlib.thing().rate(1, lib.judge())",
    "rate(1, nn.MSELoss())\nrate(*lib.rest)",
    "rate(1, nn.MSELoss())\nrate(1, **lib.rest)",
    "rate(1, nn.MSELoss())\nlib.run(rate)",
    "rate(1, nn.MSELoss())\ntable = {'rate': rate}",
    "rate(1, nn.MSELoss())\nglobals()[lib.name](1, lib.judge())",
    "judge = nn.MSELoss()\nfor judge in lib.judges: pass\nrate(1, judge)",
    "judge = nn.MSELoss()\ndef other():\n    global judge\n    judge = lib.judge()\nother()\nrate(1, judge)",
    "rate(1, nn.Sequential(nn.Linear(2, 2), nn.MSELoss()))",
    "rate(1, nn.MSELoss() or lib.judge())",
    "def main(loss): return rate(2, loss)\nmain(nn.MSELoss())\nmain(lib.judge())",
    "def main(loss): return rate(2, loss)\nlib.run(main)",
])
def test_what_may_be_anything_else_is_not_known(use: str):
    assert not handed(RATE + use)


def test_a_function_that_others_may_call_or_that_is_put_in_another_place_is_not_known():
    assert not handed(RATE + "rate(1, nn.MSELoss())", others=True)
    assert not handed(f"@lib.registered\n{RATE}rate(1, nn.MSELoss())")


def test_a_parameter_that_nobody_names_and_a_receiver_are_not_known():
    assert not handed("def rate(net, *judge): return judge(net)\nrate(1, nn.MSELoss())")
    assert not handed("class A:\n    def rate(judge): return judge\nA().rate()", "A.rate")


OVERLAP = "class Overlap(nn.Module):\n    def forward(self, guess, mark): return (guess * mark).sum()\n"


def names(found) -> tuple[str, ...]:
    return tuple(each if isinstance(each, str) else each.qualname for each in found)


def test_so_is_an_object_of_one_class_of_the_project_that_has_no_weights():
    assert names(handed(OVERLAP + RATE + "rate(1, Overlap())")) == ("Overlap",)
    assert names(handed(OVERLAP + RATE + "judge = Overlap().cuda()\nrate(1, judge)\nrate(2, judge)")) == ("Overlap",)


@pytest.mark.parametrize("use", [
    "rate(1, Overlap)",
    "rate(1, Overlap(lib.weight))",
    "rate(1, Overlap())\nrate(1, lib.judge())",
    "rate(1, Overlap())\ndef change():\n    global Overlap\n    Overlap = lib.Judge\n",
])
def test_one_that_is_handed_over_otherwise_or_of_what_is_put_in_its_place_is_not(use: str):
    assert not handed(OVERLAP + RATE + use)


TUNED = ("import argparse\nclass Tuned(nn.Module):\n"
         "    def __init__(self, conf, rate=1.0, strict=False):\n"
         "        super(Tuned, self).__init__()\n"
         "        self.bound = conf.shape.limit\n        self.rate = rate\n"
         "    def forward(self, guess, mark): return (guess * mark).sum() * self.rate\n")
CONF = "conf = lib.Conf()\nconf.shape.limit = 3\nargs = argparse.ArgumentParser().parse_args()\n"


@pytest.mark.parametrize("use", [
    "rate(1, Tuned(conf))",
    "rate(1, Tuned(conf, args.rate))",
    "rate(1, Tuned(conf, args.rate, strict=True))",
    "rate(1, Tuned(conf=conf, rate=conf.of.rate))",
    "same = conf\nrate(1, Tuned(same))",
    "class Below(Tuned): pass\nrate(1, Below(conf))",
])
def test_so_is_one_that_is_made_of_settings_that_a_library_keeps(use: str):
    assert names(handed(TUNED + RATE + CONF + use)) in (("Tuned",), ("Below",))


@pytest.mark.parametrize("use", [
    "rate(1, Tuned(lib.conf))",  # nobody sees what it is
    "rate(1, Tuned(lib.Conf()))",
    "rate(1, Tuned(conf, conf))",  # kept whole
    "rate(1, Tuned(conf, lib.weight))",
    "rate(1, Tuned(conf, nn.Linear(2, 2).weight))",
    "net = nn.Linear(2, 2)\nrate(net, Tuned(net))",
    "net = nn.Linear(2, 2)\nrate(net, Tuned(conf, net.weight))",
    "class Net(nn.Module): pass\nnet = Net()\nrate(net, Tuned(net))",
    "class Net(nn.Module): pass\nnet = Net()\nrate(net, Tuned(conf, net.rate))",
    "def main(conf): rate(1, Tuned(conf))\nmain(nn.Linear(2, 2))",
    "def turn():\n    global conf\n    conf = nn.Linear(2, 2)\nrate(1, Tuned(conf))",
    "if lib.own: conf = nn.Linear(2, 2)\nrate(1, Tuned(conf))",
    "rate(1, Tuned(*args.all))",
    "rate(1, Tuned(conf, **args.all))",
    "class Below(Tuned):\n    def __init__(self, conf):\n        Tuned.__init__(self, conf)\n        self.conf = conf\n"
    "rate(1, Below(conf))",
    "class Below(Tuned):\n    def __init__(self, conf):\n        Tuned.__init__(self, conf)\n        conf.build(self)\n"
    "rate(1, Below(conf))",
    "rate(1, Tuned(conf))\nrate(1, Tuned(lib.conf))",
])
def test_one_that_is_made_of_what_may_be_a_network_or_keeps_it_whole_is_not(use: str):
    assert not handed(TUNED + RATE + CONF + use)
