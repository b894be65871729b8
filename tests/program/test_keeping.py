"""Which methods keep what they are given on their object."""

from __future__ import annotations

import pytest

from alone import function, project
from voltfix.program.keeping import Keeping


def keeps(body: str, head: str = "") -> bool:
    text = f"{head}\nclass Box:\n    def put(self, x, *rest):\n        {body}\n"
    made = project(main=text)
    put = function(made, "Box.put")
    return Keeping(made).keeps(put)


@pytest.mark.parametrize("body", [
    "self.x = x", "self.x, self.y = x, 1", "self.box[0] = x", "self.items.append(x)", "self.a.items.append((x, 1))",
    "self.x = [y for y in x]", "y = x.cuda()\n        self.x = y", "self.items += [x]", "self.x = dict(a=x)",
    "self.x = Row(x)", "self.x = x if x is not None else 0", "self.x = rest[0]", "self.items.append(Row(*rest))",
    "self.put(x)\n        self.x = x", "for y in x:\n            self.items.append(y)",
])
def test_what_is_put_on_self_as_it_was_given_is_kept(body):
    assert keeps(body, "from collections import namedtuple\nRow = namedtuple('Row', 'a')\n")


@pytest.mark.parametrize("body", [
    "return x", "self.n = len(x)", "self.x = x.data", "y = x", "y.x = x", "self.x = self.net(x)", "self.n += 1",
    "self.x = scaled(x)", "items.append(x)", "self.put(x)", "print(x)",
])
def test_what_is_looked_at_or_computed_with_is_not(body):
    assert not keeps(body, "def scaled(x):\n    return x * 2\n")
