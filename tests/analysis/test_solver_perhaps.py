"""Flags handed to what may be torch's Variable, or something else: always a refusal, never a guess."""

from __future__ import annotations

import pytest

from helpers import check_noop

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f(net, x, make=None):\n    return net((make or Variable)(x, volatile=True)).data\n",
        "def make(x, volatile=False):\n    return x\n\n\n"
        "def f(net, x):\n    return net((make or Variable)(x, volatile=True)).data\n",
        "def make(x, volatile=False):\n    return x\n\n\nif torch:\n    V = make\nelse:\n    V = Variable\n\n\n"
        "def f(net, x):\n    return net(V(x, volatile=True)).data\n",
        "MAKERS = {'v': Variable}\n\n\ndef f(net, x, kind):\n    return net(MAKERS[kind](x, volatile=True)).data\n",
    ],
    ids=["a parameter or Variable", "a function or Variable", "either by a condition", "out of a table"],
)
def test_a_flag_to_what_may_be_variable_is_refused(source):
    result = check_noop(HEAD + source, reason="caller-not-resolved")
    assert [row.message for row in result.sites] == ["calls torch's Variable or something else: cannot tell which"]


def test_a_flag_that_ends_in_what_may_be_variable_is_refused_with_it():
    source = (
        "def f(net, x, make, quiet):\n    return net((make or Variable)(x, volatile=quiet)).data\n\n\n"
        "f(n, x, None, True)\n"
    )
    result = check_noop(HEAD + source, reason="caller-not-resolved")
    assert [row.line for row in result.sites] == [6, 9]
