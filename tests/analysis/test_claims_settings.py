"""A setting that is called ``volatile`` is a flag of the author's, not that of a tensor."""

from __future__ import annotations

import pytest
from solving import files_become, migrated_files, refusals

TOOLS = "def wrapped(x, conf):\n    return Variable(x, volatile=conf.volatile)\n"
AFTER = "def wrapped(x, conf):\n    return Variable(x)\n"

CONFIGURED = {
    "options of the command line": "import argparse\n\nconf = argparse.ArgumentParser().parse_args()\n",
    "an object of another library": "from easydict import EasyDict\n\nconf = EasyDict()\nconf.volatile = False\n",
    "an object of a class":
        "class Conf(object):\n    def __init__(self):\n        self.volatile = False\n\nconf = Conf()\n",
}


@pytest.mark.parametrize("conf", CONFIGURED.values(), ids=CONFIGURED)
def test_what_a_function_makes_volatile_by_its_settings_gets_a_block(conf: str) -> None:
    look = "import torch\nfrom conf import conf\nfrom tools import wrapped\n\ndef look(net, x):\n"
    line = "    return net(wrapped(x, conf)).data\n"
    block = "    with torch.no_grad():\n        return net(wrapped(x, conf)).data\n"
    files_become({"conf.py": conf, "tools.py": TOOLS, "look.py": look + line},
                 {"tools.py": AFTER, "look.py": look + block})


@pytest.mark.parametrize("made", ["Conf(volatile=True)", "conf"])
def test_so_it_does_where_callers_hand_it_over(made: str) -> None:
    kinds = "class Conf(object):\n    def __init__(self, volatile=False):\n        self.volatile = volatile\n"
    files = {
        "conf.py": kinds, "tools.py": TOOLS,
        "look.py": f"from conf import Conf\nfrom tools import wrapped\n\ndef look(net, x, conf=None):\n"
                   f"    return net(wrapped(x, {made})).data\n",
        "fit.py": "from conf import Conf\nfrom tools import wrapped\n\ndef fit(net, x):\n"
                  "    net(wrapped(x, Conf())).sum().backward()\n",
    }
    result, after = migrated_files(files)
    assert not refusals(result)
    assert "no_grad" in after["look.py"]
    assert "grad" not in after["fit.py"]


def test_one_that_is_switched_between_is_asked_for() -> None:
    before = """
        class Runner(object):
            def __init__(self, net, conf):
                self.net, self.conf = net, conf

            def run(self, x):
                return self.net(Variable(x, volatile=self.conf.volatile))

        def fit(net, conf, x):
            conf.volatile = False
            Runner(net, conf).run(x).sum().backward()

        def look(net, conf, x):
            conf.volatile = True
            return Runner(net, conf).run(x).data
        """
    after = before.replace(", volatile=self.conf.volatile", "").replace(
        "                return", "                with torch.set_grad_enabled(not self.conf.volatile):\n"
        "                    return")
    files_become({"run.py": before}, {"run.py": after})


def test_that_of_a_tensor_is_its_own() -> None:
    files_become(
        {"like.py": "def like(row, n):\n    return Variable(row.data.new(n).zero_(), volatile=row.volatile)\n",
         "run.py": "import torch\nfrom torch.autograd import Variable\nfrom like import like\n\ndef look(cell, x):\n"
                   "    row = Variable(x, volatile=True)\n    return cell(row, like(row, 3)).data\n"},
        {"like.py": "def like(row, n):\n    return Variable(row.data.new(n).zero_())\n",
         "run.py": "import torch\nfrom torch.autograd import Variable\nfrom like import like\n\ndef look(cell, x):\n"
                   "    row = Variable(x)\n    with torch.no_grad():\n        return cell(row, like(row, 3)).data\n"})
