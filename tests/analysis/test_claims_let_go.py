"""A call that may be of anything, and lets go of what it gives, uses nothing of what a function hands back."""

from __future__ import annotations

import pytest
from solving import covers, source

from helpers import migrated

WORK = """
    class Scale(torch.nn.Module):
        def __init__(self):
            super(Scale, self).__init__()
            self.top = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.top(x)

    class Bench:
        def __init__(self, net):
            self.net = net
            self.shown = None

        {decorator}
        def {name}(self, rows, off=False):
            made = Variable(rows, volatile=off)
            {keep}
            return made

        def measure(self, rows):
            out = self.net(self.{name}(rows, off=True))
            return out.data.sum()

        def learn(self, rows):
            self.net(self.{name}(rows)).sum().backward()

        def later(self):
            {later}

    {way}

    bench = Bench(Scale())
    bench.learn(torch.ones(3, 2))
    print(bench.measure(torch.ones(3, 2)))
"""
MADE = "made = Variable(rows, volatile=off)"
INSIDE, OUTSIDE = ["out = self.net("], ["backward()", "made = Variable(rows)"]


def work(way: str, name: str = "load", decorator: str = "", keep: str = "", later: str = "return self.shown") -> str:
    lines = "\n    ".join(way.splitlines())
    return WORK.format(way=lines, name=name, decorator=decorator or "# as it is", keep=keep or "# nothing", later=later)


def keeps(text: str) -> str | None:
    """The flag of the helper stays; gives the reason."""
    result = migrated(source(text))
    assert MADE in result.outputs.get("a.py", source(text).encode()).decode()
    (site,) = [site for site in result.sites if site.line == source(text)[:source(text).index(MADE)].count("\n") + 1]
    assert site.status == "refused"
    return site.reason


@pytest.mark.parametrize("way", [
    "def ask(tool, word, given, named):\n    getattr(tool, word)(*given, **named)",
    "def ask(tool, word, given, named):\n    getattr(tool, word).__call__(*given, **named)",
    "def ask(tool, word, given):\n    if given:\n        for each in given:\n            getattr(tool, word)(each)",
    "def ask(tool, word, given):\n    run = getattr(tool, word)\n    run(*given)",
])
def test_a_name_that_is_put_together_is_called_and_what_comes_back_is_let_go(way: str):
    covers(work(way), inside=INSIDE, outside=OUTSIDE)


@pytest.mark.parametrize("way", [
    "def ask(tool, word, given, named):\n    return getattr(tool, word)(*given, **named)",
    "def ask(tool, word, given, named):\n    found = getattr(tool, word)(*given, **named)\n    found.sum().backward()",
    "def ask(tool, word, given):\n    [tool.net(getattr(tool, word)(*each)) for each in given]",
    "def ask(tool, word, given):\n    yield getattr(tool, word)(*given)",
    "def ask(tool, word, given):\n    tool.net(getattr(tool, word)(*given))",
    "def ask(tool, word, given):\n    getattr(tool, word)(*given).sum()",
    "async def ask(tool, word, given):\n    tool.seen = getattr(tool, word)(*given)",
    "ask = lambda tool, word, given: getattr(tool, word)(*given)",
    "def ask(tool, word, given):\n    run = getattr(tool, word)\n    run(*given)\n    return run(*given)",
])
def test_what_comes_back_is_used(way: str):
    assert keeps(work(way)) == "unseen-callers"


def test_a_session_keeps_what_a_line_of_it_gives():
    assert keeps(work("import sys\ntool, word = sys.modules['tool'].tool, sys.argv[1]\n"
                      "getattr(tool, word)(*sys.argv[2:])")) == "unseen-callers"


ASK = "def ask(tool, word, given):\n    getattr(tool, word)(*given)"


def test_what_decorates_a_function_may_keep_what_it_gives():
    assert keeps(work(ASK, decorator="@remembered"))


def test_what_python_runs_hands_it_to_hooks():
    assert keeps(work(ASK, name="__call__"))


def test_it_is_kept_besides_and_somebody_computes_with_it():
    assert keeps(work(ASK, keep="self.shown = made", later="return self.net(self.shown)"))


def test_it_goes_into_what_was_handed_in():
    assert keeps(work(ASK, keep="rows.made = made"))


def test_what_it_may_be_handed_stays_what_it_takes():
    """The call that nobody saw may fill the parameter, so it may not go."""
    text = source(work(ASK))
    after = migrated(text).outputs["a.py"].decode()
    assert "def load(self, rows, off=False):" in after
    assert "self.load(rows, off=True)" in after
