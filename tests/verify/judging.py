"""What many tests of the symbolic tier ask: the verdict on a function of ``a.py``, with other modules beside it."""

from __future__ import annotations

import re
import textwrap

from voltfix.verify.symbolic import explore
from voltfix.verify.symbolic.project import Side, Unit

HEAD = "import torch, types, numbers, collections\nfrom torch.autograd import Variable\n"


def judge(before: str, after: str, name: str = "f", **others: str) -> tuple[str, str | None]:
    """(verdict, detail) of ``name`` ("" for the module's body); ``others``: modules by name, the same on both sides."""
    more = {f"{path}.py": textwrap.dedent(text) for path, text in others.items()}
    sides = [Side({"a.py": HEAD + textwrap.dedent(text), **more}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, (Unit("a.py", name),)))[:2]


def unflagged(text: str) -> str:
    """The flag is dropped, and nothing comes instead."""
    return text.replace(", volatile=True", "")


def with_block(text: str) -> str:
    """A block around ``y = net(...)`` instead of the flag."""
    return re.sub(r"^( *)(y = net.*)$", r"\1with torch.no_grad():\n\1    \2", unflagged(text), flags=re.MULTILINE)


def check(before: str, told: tuple[str, ...] = ("different",), **others: str) -> None:
    """The block is right, and the flag alone taken away is one of ``told``."""
    assert judge(before, with_block(before), **others) == ("identical", None)
    assert judge(before, unflagged(before), **others)[0] in told
