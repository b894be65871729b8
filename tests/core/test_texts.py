"""What edits make of a file is written as the file is: its indentation, its encoding."""

from __future__ import annotations

import pytest

from helpers import migrated

HEAD = "import torch\nfrom torch.autograd import Variable\n"


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("a.py", "# coding: latin-1\n{0}def f(net, t, \xb5s):\n    return net(Variable(t, volatile=not \xb5s))\n"),
        ("a.rst", "Text \xe4::\n\n    {0}    def f(net, t, \xb5s):\n        return net(Variable(t, volatile=\xb5s))\n"),
    ],
)
def test_a_name_that_the_encoding_can_spell_in_one_way_only_is_left_alone(path, lines):
    """Python takes the micro sign for a Greek mu, which is not in Latin-1."""
    text = lines.format("from torch.autograd import Variable\n")
    result = migrated(text.encode("latin-1"), path=path)
    assert result.errors == ()
    assert result.outputs == {}
    assert "encoding lacks a character" in result.sites[0].message
    assert migrated(text.replace("coding: latin-1", ""), path=path).outputs


def test_a_block_is_indented_as_most_blocks_of_the_file_are():
    before = HEAD + (
        "net = torch.nn.Linear(1, 1)\nif a:\n   net.cuda()\nif a:\n  b()\nif a:\n  c()\n"
        "y = net(Variable(x, volatile=True))\nif a:\n     d()\n"
    )
    after = migrated(before).outputs["a.py"].decode()
    assert "with torch.no_grad():\n  y = net(Variable(x))\n" in after
