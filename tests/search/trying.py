"""What tests of candidates share: projects, and verifiers that answer as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import dedent

from voltfix import core
from voltfix.model import Options, Result, Verification
from voltfix.search import Budget, Memory, Search
from voltfix.verify.plan import Item

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
SAME = Verification("symbolic", "identical", detail=None, runs=3)
DIFFERENT = Verification("symbolic", "different", detail="a.py: f: it differs")
UNKNOWN = Verification(None, "not-run", detail="a.py: f: no way through it came to an end")

# trains inside of what is called with a volatile value
WITHIN = """
class Probe:
    def measure(self, model, t):
        model(Variable(t.data)).sum().backward()
        return model(t) * 3


def evaluate(model, batch):
    x = Variable(batch, volatile=True)
    first = model(x)
    second = Probe().measure(model, x)
    return first, second
"""
RIGHT = """
class Probe:
    def measure(self, model, t):
        with torch.enable_grad():
            model(Variable(t.data)).sum().backward()
        return model(t) * 3


def evaluate(model, batch):
    x = Variable(batch)
    with torch.no_grad():
        first = model(x)
        second = Probe().measure(model, x)
    return first, second
"""


class Told:
    """A verifier that is told what to say of a text; ``idle``: does no block change a graph?"""

    def __init__(self, say: Callable[[Item], Verification], *, idle: bool = False) -> None:
        self.say, self.items, self.idle = say, list[Item](), idle

    def __call__(self, items: Sequence[Item]) -> list[Verification]:
        self.items += items
        return [self.say(item) if not item.exact else SAME if self.idle else DIFFERENT for item in items]


def project(files: Mapping[str, str] | str) -> dict[str, bytes]:
    """Modules that know torch and Variable."""
    named = {"a.py": files} if isinstance(files, str) else files
    return {path: (HEAD + dedent(text).lstrip("\n")).encode() for path, text in named.items()}


def search(seconds: float = 60.0) -> Search:
    return Search(Budget(seconds), Memory(None))


def tried(files: Mapping[str, str] | str, verifier: Told, seconds: float = 60.0, **options) -> Result:
    return core.migrate(project(files), Options(**options), verifier, search(seconds))
