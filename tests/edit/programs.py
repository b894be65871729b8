"""Random small modules in all layouts that people write: what they do is nonsense, how they look is not."""

from __future__ import annotations

from random import Random

_EXPRESSIONS = (
    "x",
    "net(x)",
    "Variable(x, volatile=True)",
    "Variable( x , requires_grad = False, volatile = (m == 'test') )",
    "f(a, *b, k=1, **c)",
    "a + b * c",
    "not a",
    "[Variable(t, volatile=v) for t in x]",
    "{'a': f(1), \"b\": (x, y)}",
    "lambda q, r=1: net(q, r)",
    "net(x).data[0]",
    "'%s, (' % x",
    "a if b else c",
    "-x ** 2",
    "f(\"é\", 'ü', x)",
    "x.y.z(1)(2)",
    "(yield_, 2)",
    "f'{x!r:>{y}} {{' + rb'\\''.decode()",
)
_LONG = (
    "Variable(x,{n}{c}volatile=True)",
    "Variable({n}    x,{n}    volatile=True,  # flag{n})",
    "f({n}  x,  # first{n}{n}  # between{n}  volatile=True  # last{n}  )",
    '"""a{n}  b{n}""" + g(x,{n}     y)',
    "f('''{n}''', volatile=True,{n}    k=[1,{n}  2])",
    "a + \\{n}    b",
    "net(Variable(x, volatile=True), # why{n}{c}Variable(y,{n}{c}volatile=False))",
)
_COMMENTS = ("# comment", "#commented = out(1)", "# volatile: no graph", "  # deeper")


class Writer:
    """Writes one module; ``unit`` changes from function to function, as in grown files."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.newline = random.choice(["\n", "\n", "\n", "\r\n"])
        self.tabs = random.random() < 0.15

    def module(self) -> str:
        random = self.random
        if random.random() < 0.3:
            self.lines += ['"""Docstring', "", "  of several lines", '"""']
        if random.random() < 0.6:
            self.lines += random.sample(["import os", "import torch.nn as nn", "from torch import x"], 2)
        self.suite("", random.randint(1, 6), 0)
        text = "\n".join(self.lines).replace("\n", self.newline)
        return text if random.random() < 0.2 else text + self.newline

    def unit(self) -> str:
        return "\t" if self.tabs else self.random.choice(["    ", "    ", "  ", "   ", " "])

    def suite(self, indent: str, count: int, depth: int) -> None:
        if depth and self.random.random() < 0.15:
            self.lines.append(f'{indent}"""Doc."""')
        for _ in range(count):
            self.between(indent)
            if depth < 4 and self.random.random() < 0.35:
                self.compound(indent, depth)
            else:
                self.simple_line(indent)

    def between(self, indent: str) -> None:
        random = self.random
        if random.random() < 0.2:
            self.lines += [""] * random.randint(1, 2)
        if random.random() < 0.2:
            self.lines.append(random.choice([indent, indent, ""]) + random.choice(_COMMENTS))
        if random.random() < 0.03:
            self.lines.append("\f")
        if random.random() < 0.06:  # a remark that is a string
            out = random.choice([indent, indent, ""])
            self.lines += [f'{indent}{random.choice(["", "r", "b"])}"""Remark', "", f"{out}  of net(x)", f'{indent}"""']

    def simple_line(self, indent: str) -> None:
        random = self.random
        many = random.choice([1, 1, 1, 1, 2, 3])
        line = random.choice(["; ", ";", " ; "]).join(self.simple(indent) for _ in range(many))
        if random.random() < 0.1:
            line += ";"
        if random.random() < 0.2:
            line += "  " + random.choice(_COMMENTS).strip()
        self.lines.append(indent + line)

    def simple(self, indent: str) -> str:
        random = self.random
        shape = random.choice(["{}", "y = {}", "y = {}", "a, b = {}", "y += {}", "x.volatile = {}", "del d", "pass"])
        return shape.format(self.expression(indent))

    def expression(self, indent: str) -> str:
        if self.random.random() < 0.25:
            column = indent + " " * self.random.randint(0, 9)
            text = self.random.choice(_LONG)
            return text.replace("{n}", "\n" + ("" if '"""' in text or "'''" in text else indent)).replace("{c}", column)
        return self.random.choice(_EXPRESSIONS)

    def compound(self, indent: str, depth: int) -> None:
        random = self.random
        header, tails = random.choice(
            [
                ("if {e}:", ["elif {e}:", "else:"]),
                ("for i in {e}:", ["else:"]),
                ("while {e}:", []),
                ("with {e} as w:", []),
                ("try:", ["except (E, F) as e:", "else:", "finally:"]),
                ("def f(a, volatile=False):", []),
                ("async def g(self, *, volatile=False): # late", []),
                ("@deco({e})\n# on the way\n{i}@other\n{i}def f(x, volatile: bool = {e}, *, k=1):", []),
                ("class A(B):", []),
            ]
        )
        for each in [header, *tails]:
            if each != header and each != "except (E, F) as e:" and random.random() < 0.4:
                continue
            line = each.replace("{i}", indent).replace("{e}", random.choice(_EXPRESSIONS[:5]))
            if random.random() < 0.2 and "#" not in line:
                self.simple_line("")
                self.lines[-1] = f"{indent}{line} {self.lines[-1]}"
                continue
            self.lines.append(indent + line)
            self.suite(indent + self.unit(), random.randint(1, 3), depth + 1)


def module(random: Random) -> str:
    """Return the text of a random module; it parses."""
    return Writer(random).module()
