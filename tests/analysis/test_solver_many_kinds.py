"""One name that may hold an object of any of many classes, as a program makes of it what its options say."""

from __future__ import annotations

import pytest
from solving import becomes, stays

CLASS = """
class Kind{n}(object):
    def __init__(self, args):
        self.net = torch.nn.Linear(3, {n} + 1)
        self.given = Variable(torch.rand(3){flag})

    def learn(self):
        self.net(Variable(torch.rand(3))).sum().backward()

    def show(self):
        seen = self.net(self.given)
        print(seen.data)
"""
MAIN = """
def main(args):
    {first} args.kind == '0':
        one = Kind0(args)
{others}
    else:
        raise ValueError(args.kind)
    one.learn()
    {block}one.show(){more}

main(parse())
"""


def program(many: int, *, flag: str = ", volatile=True", block: str = "", more: str = "") -> str:
    other = "    elif args.kind == '{n}':\n        one = Kind{n}(args)"
    others = "\n".join(other.replace("{n}", str(n)) for n in range(1, many))
    classes = "".join(CLASS.replace("{n}", str(n)) for n in range(many))
    text = (classes + MAIN.replace("{others}", others)).replace("{first}", "if")
    return text.replace("{flag}", flag).replace("{block}", block).replace("{more}", more)


@pytest.mark.parametrize("many", [2, 9, 12, 20])
def test_each_of_many_kinds_is_followed_by_itself(many: int) -> None:
    becomes(program(many), program(many, flag="", block="with torch.no_grad():\n        "))


@pytest.mark.parametrize("many", [2, 12])
def test_where_one_of_many_kinds_is_trained_on_what_it_was_given_nothing_is_done(many: int) -> None:
    stays(program(many, more="\n    one.net(one.given + one.net.bias).sum().backward()"), reason="gradient-demanded")
