from __future__ import annotations

from alone import project
from voltfix.program.hooks import weight_hook

HOOK = "def hook(module, given, out):\n    {body}\n\ndef setup(net):\n    net.register_forward_hook(hook)\n"


def test_a_hook_that_computes_with_weights_is_found():
    assert weight_hook(project(main=HOOK.format(body="module.penalty = (module.weight ** 2).sum()")))


def test_a_hook_that_only_prints_is_none():
    assert not weight_hook(project(main=HOOK.format(body="print(module.weight.size())")))
