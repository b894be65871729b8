"""A hook that keeps what it made in the author's own ``no_grad`` keeps no graph for a block to take away."""

from __future__ import annotations

import pytest
from solving import covers, stays

CODE = """
    import torch.nn as nn
    import torch.nn.functional as F


    class Scale(object):
        def __init__(self, name):
            self.name = name

        def rate(self, layer):
            raw = getattr(layer, self.name + '_raw')
            start = getattr(layer, self.name + '_dir')
            rows = raw.view(raw.size(0), -1)
            with torch.no_grad():
                right = F.normalize(torch.matmul(rows.t(), start), dim=0)
                start = F.normalize(torch.matmul(rows, right), dim=0)
            size = torch.dot(start, torch.matmul(rows, right))
            return raw / size, start

        def __call__(self, layer, given):
            made, start = self.rate(layer)
            setattr(layer, self.name, made)
            setattr(layer, self.name + '_dir', start)


    def scaled(layer):
        layer.register_forward_pre_hook(Scale('weight'))
        return layer


    def look(nets, rows):
        net = nets['one']
        seen = net(Variable(rows, volatile=True))
        print(seen.data)
"""


def test_a_direction_that_is_found_without_gradients_is_no_obstacle() -> None:
    covers(CODE, inside=["= net(Variable("], outside=["print(seen"])


def test_of_two_results_the_one_that_is_kept_counts() -> None:
    covers(CODE.replace("return raw / size, start", "return raw / size, start.data"),
           inside=["= net(Variable("], outside=["print(seen"])


@pytest.mark.parametrize(("old", "new"), [
    ("with torch.no_grad():", "if self.name:"),
    ("return raw / size, start", "return start, raw / size"),
    ("return raw / size, start", "return [raw / size, start]"),
    ("return raw / size, start", "return raw / size, start * size"),
    ("return raw / size, start", "both = raw / size, start\n            return both"),
    ("return raw / size, start", "start += size\n            return raw / size, start"),
    ("return raw / size, start", "start.mul_(size)\n            return raw / size, start"),
    ("return raw / size, start", "start[0] = size\n            return raw / size, start"),
    ("return raw / size, start", "start.requires_grad = True\n            return raw / size, start * 2"),
    ("made, start = self.rate(layer)", "made, start = self.rate(layer)\n            start.mul_(made.norm())"),
    ("made, start = self.rate(layer)", "made, start = self.rate(layer)\n            start = start * made.norm()"),
    ("made, start = self.rate(layer)", "for made, start in self.rate(layer):\n                print(made)"),
    ("        def rate(", "        @turned\n        def rate("),
    ("    def scaled(", "    Scale.rate = turned(Scale.rate)\n\n\n    def scaled("),
    ("    def scaled(", "    def on():\n        torch.set_grad_enabled(True)\n\n\n    def scaled("),
    ("F.normalize(torch.matmul(rows, right), dim=0)", "F.dropout(rows)"),
])
def test_what_may_be_kept_with_a_graph_still_is_one(old: str, new: str) -> None:
    assert old in CODE
    stays(CODE.replace(old, new, 1), "forward-hook")
