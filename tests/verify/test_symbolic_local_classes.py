"""What an ``__init__`` keeps of a class that it defines itself is called as whoever has the object would call it."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge  # noqa: E402

NET = """
class Network(torch.nn.Module):
    def __init__(self, sizes):
        super(Network, self).__init__()
        class Basic(torch.nn.Module):
            def __init__(self):
                super(Basic, self).__init__()
                self.layer = torch.nn.Linear(2, 2)
            def forward(self, x):
                return self.layer(x)
        class Warp(torch.nn.Module):
            def __init__(self):
                super(Warp, self).__init__()
            def forward(self, given, flow):
                if hasattr(self, "grid") == False or self.grid.size(0) != given.size(0):
                    self.grid = torch.linspace(-1.0, 1.0, given.size(0)).cuda()
                grid = Variable(data=self.grid, volatile=not self.training)
                flow = torch.cat([flow[:, 0:1] / 2.0, flow[:, 1:2] / 2.0], 1)
                return torch.nn.functional.grid_sample(input=given, grid=grid + flow)
        self.basics = torch.nn.ModuleList([Basic() for _ in range(3)])
        self.warp = Warp()
    def forward(self, first, second):
        return self.warp(second, self.basics[0](first))
"""
DROPPED = NET.replace(", volatile=not self.training", "")


def block(header: str, text: str = DROPPED) -> str:
    end = "                return torch.nn.functional.grid"
    return text.replace(end, f"                with {header}:\n    {end}")


def test_a_block_on_the_same_condition_is_right():
    assert judge(NET, block("torch.set_grad_enabled(self.training)"), "Network.__init__") == ("identical", None)


@pytest.mark.parametrize("after", [
    DROPPED, block("torch.no_grad()"), block("torch.set_grad_enabled(not self.training)"),
    block("torch.set_grad_enabled(True)"), block("torch.set_grad_enabled(False)"),
    DROPPED.replace("                return torch.nn", "                torch.set_grad_enabled(self.training)\n"
                    "                return torch.nn"),
])
def test_any_other_is_told(after: str):
    assert after != NET
    assert judge(NET, after, "Network.__init__")[0] != "identical"


def test_what_is_not_kept_says_nothing():
    before, after = (text.replace("self.warp = Warp()", "Warp()").replace("self.warp(", "self.other(")
                     for text in (NET, block("torch.set_grad_enabled(self.training)")))
    assert judge(before, after, "Network.__init__")[0] != "identical"


@pytest.mark.parametrize(("default", "asks"), [("3", "keep == 3"), ("'on'", "keep == 'on'"), ("0.5", "keep > 0.2")])
def test_what_its_caller_may_hand_over_instead_of_a_default_is_run(default: str, asks: str):
    before, right, wide = (
        text.replace("given, flow)", f"given, flow, keep={default})").replace("not self.training", flag)
        for text, flag in ((NET, asks), (block(f"torch.set_grad_enabled(not ({asks}))"), ""),
                           (block("torch.no_grad()"), "")))
    assert judge(before, right, "Network.__init__") == ("identical", None)
    assert judge(before, wide, "Network.__init__")[0] != "identical"
