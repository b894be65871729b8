"""Draws small programs that construct, operate, cure, branch, loop and backpropagate.

Each is a module with ``program(net, tgt, data, flag)``: ``net`` and ``tgt`` are linear layers, ``data`` plain tensors
of shape (2, 3). Every variable that a statement uses is a Variable of shape (2, 3), so that whatever is drawn fits
together; what the program does with ``volatile`` is left to chance.
"""

from __future__ import annotations

import re
from random import Random

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
"""

# parts of the module that a program may use: name -> text
PARTS = {
    "to_var": """def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)
""",
    "wrap": """def wrap(x, requires_grad=False, volatile=False):
    if volatile:
        return Variable(x, volatile=True)
    return Variable(x, requires_grad=requires_grad)
""",
    "pick": """def pick(x, **kwargs):
    return Variable(x, **kwargs)
""",
    "forward_with": """def forward_with(layer, x, volatile=False):
    x = Variable(x, volatile=volatile)
    out = layer(x)
    return out
""",
    "twice": """def twice(layer, x):
    x = layer(x)
    if not x.volatile:
        x = x * 0.5
    return layer(x)
""",
    "first_of": """def first_of(*values):
    return values[0]
""",
    "early": """def early(layer, x, evaluating):
    if evaluating:
        return layer(x).detach()
    return layer(x)
""",
    "batches": """def batches(data, evaluating=False):
    for x in data[:2]:
        yield Variable(x, volatile=evaluating)
""",
    "Model": """class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        return self.second(h)
""",
    "Keeping": """class Keeping(nn.Module):
    def __init__(self):
        super(Keeping, self).__init__()
        self.fc = nn.Linear(3, 3)
        self.last = None

    def forward(self, x):
        self.last = self.fc(x)
        return torch.tanh(self.last)
""",
    "Starting": """class Starting(nn.Module):
    def __init__(self):
        super(Starting, self).__init__()
        self.fc = nn.Linear(3, 3)

    def start(self):
        return Variable(torch.ones(2, 3), volatile=not self.training)

    def forward(self, x):
        h = self.start()
        return self.fc(x + h)
""",
    "Frozen": """class Frozen(nn.Module):
    def __init__(self):
        super(Frozen, self).__init__()
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        features = self.body(Variable(x.data, volatile=True))
        return self.head(Variable(features.data))
""",
    "Trainer": """class Trainer(object):
    def __init__(self, net):
        self.net = net
        self.state = None
        self.evaluating = False

    def load(self, x):
        self.state = Variable(x, volatile=self.evaluating)
        return self.state

    def infer(self, x):
        x = Variable(x, volatile=True)
        return self.net(x)

    def score(self, x):
        return self.net(self.load(x))
""",
}
MODULES = ("Model", "Keeping", "Starting", "Frozen")


class Drawing:
    """One program being drawn: the lines so far, and the names that are Variables at this point."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.conditions = ["flag", "not flag"]
        self.models: list[str] = []
        self.trainer = ""

    # --- choices ---------------------------------------------------------------------------------------------------

    def one(self, *texts: str) -> str:
        return self.random.choice(texts)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def data(self) -> str:
        return f"data[{self.random.randrange(4)}]"

    def value(self, names: list[str]) -> str:
        """A Variable that exists; the latest more often."""
        return self.random.choice(names[-4:] if self.chance(0.6) else names)

    def condition(self) -> str:
        return self.random.choice(self.conditions)

    def flag(self) -> str:
        """What volatile is."""
        return "True" if self.chance(0.6) else self.one("False", "1", *(self.condition() for _ in range(3)))

    def layer(self) -> str:
        return self.random.choice(["net", "net", "net", "tgt", *self.models])

    # --- expressions -----------------------------------------------------------------------------------------------

    def construction(self) -> str:
        data, flag = self.data(), self.flag()
        draws = [
            f"Variable({data}, volatile={flag})",
            f"Variable({data}, volatile={flag})",
            f"Variable({data}, volatile={flag})",
            f"Variable({data})",
            f"Variable({data})",
            f"Variable({data}, requires_grad=True)",
            f"Variable({data}, False, {flag})",
            f"Variable({data}.clone(), volatile={flag})",
        ]
        if self.chance(0.25):
            draws = [
                f"to_var({data}, volatile={flag})",
                f"to_var({data}, {flag})",
                f"to_var({data})",
                f"wrap({data}, volatile={flag})",
                f"wrap({data}, requires_grad=True)",
                f"pick({data}, volatile={flag})",
                f"pick({data}, requires_grad=True)",
                f"forward_with({self.layer()}, {data}, volatile={flag})",
                f"forward_with({self.layer()}, {data})",
            ]
        return self.random.choice(draws)

    def expression(self, names: list[str], depth: int = 0) -> str:
        """An operation on Variables, with a Variable for result."""
        a, b, layer = self.value(names), self.value(names), self.layer()
        if depth < 1 and self.chance(0.2):
            a = self.expression(names, depth + 1)
        draws = [
            f"{layer}({a})", f"{layer}({a})", f"{layer}({a})", f"{self.layer()}({layer}({a}))",
            f"{layer}({self.construction()})",
            f"{a} * 0.5", f"-{b}", f"({a}) + {b}", f"({a}) * {b}", f"{b} - {a}",
            f"F.relu({a})", f"torch.tanh({a})", f"({a}).clone()", f"({a}).view(3, 2).view(2, 3)", f"({a}).t().t()",
            f"torch.cat([{a}, {b}], 0)[1:3]", f"torch.stack([{a}, {b}]).sum(0)", f"torch.max({a}, {b})",
            f"({a}).expand_as({b})", f"({a}).sum(1, keepdim=True) * {b}", f"({a})[:, [2, 1, 0]]", f"({a}).detach()",
            f"({a}).mm({b}.t()).mm({b})", f"({a} if {self.condition()} else {b})",
            f"{layer}({a} if {self.condition()} else {b})",
        ]
        if self.chance(0.15):
            draws = [
                f"twice({layer}, {a})", f"first_of({layer}({a}), {b})",
                f"early({layer}, {a}, {self.condition()})",
                f"sum({layer}(x) for x in [{a}, {b}])", f"torch.stack([{layer}(x) for x in ({a}, {b})]).mean(0)",
                f"(lambda x: {layer}(x) + {b})({a})", f"torch.stack(list(map({layer}, [{a}, {b}]))).sum(0)",
                f"dict(a={a}, b={layer}({b}))['b']", f"[{layer}({a}), {b}][0]", f"max([{a}], key=len)",
            ]
        return self.random.choice(draws)

    def loss(self, names: list[str]) -> str:
        """A number to minimise."""
        a, b, layer = self.value(names), self.value(names), self.layer()
        return self.one(
            f"{layer}({a}).sum()", f"{layer}({a}).mean()", f"F.mse_loss({layer}({a}), {b})",
            f"(({layer}({a}) - {b}) ** 2).mean()", f"nn.MSELoss()({layer}({a}), Variable({b}.data))",
            f"F.cross_entropy({layer}({a}), {b}.max(1)[1])", f"F.smooth_l1_loss({layer}({a}), {b}.detach())",
            f"({a} * {b}).sum()", f"({layer}({a}) * Variable({b}.data)).sum()",
        )

    # --- statements ------------------------------------------------------------------------------------------------

    def block(self, names: list[str], size: int, depth: int, loop: bool = False) -> list[str]:
        """Some statements; ``names`` grows by what they surely bind."""
        lines: list[str] = []
        for _ in range(size):
            lines += self.statement(names, depth, loop)
        return lines or ["pass"]

    def inner(self, names: list[str], depth: int, loop: bool = False) -> list[str]:
        """The suite of a compound statement: new names end with it, old ones may be bound anew."""
        return indented(self.block(list(names), self.random.choice([1, 1, 2, 3]), depth + 1, loop))

    def statement(self, names: list[str], depth: int, loop: bool) -> list[str]:
        draws = [(6, self.construct), (9, self.compute), (4, self.cure), (3, self.write_in_place), (3, self.learn),
                 (2, self.collect), (2, self.read), (1, self.alias), (1, self.unpack), (1, self.call_trainer)]
        if depth < 2:
            draws += [(3, self.branch), (3, self.repeat), (1, self.attempt), (1, self.nest), (1, self.generate)]
        if loop:
            draws.append((1, self.leave))
        weights = [weight for weight, _ in draws]
        return self.random.choices([draw for _, draw in draws], weights)[0](names, depth)

    def bind(self, names: list[str], text: str) -> list[str]:
        """Bind an expression to a new name, or now and then to an old one."""
        name = self.random.choice(names) if names and self.chance(0.2) else self.name()
        if name not in names:
            names.append(name)
        if self.chance(0.04):
            return [f"if ({name} := {text}) is not None:", "    pass"]
        return [f"{name} = {text}"]

    def construct(self, names: list[str], depth: int) -> list[str]:
        if self.chance(0.02):
            options = self.one(f"{{'volatile': {self.flag()}}}", f"dict(volatile={self.flag()})")
            self.count += 1
            return [f"options{self.count} = {options}",
                    *self.bind(names, f"Variable({self.data()}, **options{self.count})")]
        return self.bind(names, self.construction())

    def compute(self, names: list[str], depth: int) -> list[str]:
        return self.bind(names, self.expression(names))

    def cure(self, names: list[str], depth: int) -> list[str]:
        a = self.value(names)
        return self.random.choice([
            lambda: [f"{a}.volatile = False"], lambda: [f"{a}.volatile = False"],
            lambda: [f"{a}.volatile = {self.flag()}"], lambda: [f"{a} = {a}.detach()"],
            lambda: self.bind(names, f"Variable({a}.data)"), lambda: self.bind(names, f"Variable({a}.data)"),
            lambda: self.bind(names, f"Variable({a}.data, requires_grad=True)"),
            lambda: self.bind(names, f"Variable({a}.data.clone(), volatile={self.flag()})"),
            lambda: self.bind(names, f"{self.layer()}(Variable({a}.data))"),
        ])()

    def write_in_place(self, names: list[str], depth: int) -> list[str]:
        a, b = self.value(names), self.value(names)
        return [self.one(
            f"{a}[0] = {b}[1]", f"{a}.add_({b})", f"{a} += {b}", f"{a}.mul_(0.5)", f"{a}.data.mul_(0.5)",
            f"{a}.copy_({b})", f"{a}[1] = 0", f"{a} *= 2", f"{a}.data.copy_({b}.data)", f"{a}.clamp_(-1, 1)",
        )]

    def learn(self, names: list[str], depth: int) -> list[str]:
        loss = self.loss(names)
        if self.chance(0.15):
            return [f"loss = {loss}", "optimizer.zero_grad()", "loss.backward()", "optimizer.step()"]
        if self.chance(0.1):
            return [f"torch.autograd.grad({loss}, list(net.parameters()), allow_unused=True)"]
        if self.chance(0.1):
            return [f"if {self.condition()}:", f"    {loss}.backward()"]
        return [f"{loss}.backward()"] if self.chance(0.7) else [f"loss = {loss}", "loss.backward()"]

    def collect(self, names: list[str], depth: int) -> list[str]:
        """Containers."""
        self.count += 1
        box, a, b = f"box{self.count}", self.value(names), self.value(names)
        item = self.expression(names)
        return self.random.choice([
            lambda: [f"{box} = [{a}]", f"{box}.append({item})", *self.bind(names, f"{box}[-1]")],
            lambda: [f"{box} = []", "for k in range(2):", f"    {box}.append({self.layer()}({a} * (k + 1)))",
                     *self.bind(names, f"torch.stack({box}).sum(0)")],
            lambda: [f"{box} = {{'a': {a}}}", f"{box}['b'] = {item}", *self.bind(names, f"{box}['b'] + {box}['a']")],
            lambda: [f"{box} = {self.one('0', '0.0')}", f"for item in [{a}, {b}]:", f"    {box} = {box} + item",
                     *self.bind(names, box)],
            lambda: [f"{box} = {{}}", f"for name, item in [('a', {a}), ('b', {b})]:",
                     f"    {box}[name] = {self.layer()}(item)", *self.bind(names, f"{box}['a']")],
            lambda: [f"{box} = [{item} for k in range(2)]", *self.bind(names, f"{box}[1]")],
            lambda: [f"{box} = [{a}, {b}]", f"{box}[0] = {item}", *self.bind(names, f"{box}[0]")],
            lambda: [f"{box} = ({a}, {item})", *self.bind(names, f"{box}[1] * 2")],
            lambda: [f"{box} = [{a}]", f"{box} += [{item}]", *self.bind(names, f"{box}.pop({self.one('', '0')})")],
            lambda: [f"{box} = [{a}, {item}]", self.one(f"{box}.reverse()", f"{box}.insert(0, {b})", f"del {box}[0]"),
                     *self.bind(names, f"{box}[0]")],
            lambda: [f"{box} = {{'a': {a}}}", f"{box}.update({{'a': {item}}})",
                     *self.bind(names, self.one(f"{box}['a']", f"{box}.get('a')", f"list({box}.values())[0]"))],
            lambda: [f"{box} = [{a}, {b}, {item}]", f"for item in {box}[{self.one('1:', ':2', '::2')}]:",
                     *self.inner([*names, "item"], depth, loop=True)],
            lambda: [f"{box} = 0", f"for i, item in enumerate(({a}, {b})):",
                     f"    {box} = {box} + float({self.layer()}(item).data.sum())"],
        ])()

    def read(self, names: list[str], depth: int) -> list[str]:
        a = self.value(names)
        return self.random.choice([
            lambda: [f"if not {a}.volatile:", f"    {a} = {a} * 2"],
            lambda: [f"if {a}.volatile:", f"    {a} = {self.layer()}({a})", "else:", f"    {a} = {a} + 1"],
            lambda: self.bind(names, f"Variable({self.data()}, volatile={a}.volatile)"),
            lambda: [f"if {a}.requires_grad:", f"    {self.layer()}({a}).sum().backward()"],
            lambda: [f"if not {a}.volatile:", f"    {a}.sum()"],
        ])()

    def alias(self, names: list[str], depth: int) -> list[str]:
        if len(names) > 2 and self.chance(0.3):
            one, two, three = self.random.sample(names, 3)
            return [f"{one} = {two}", f"{two} = {three}", f"{three} = {self.expression(names)}"]
        a, new = self.value(names), self.name()
        names.append(new)
        if self.chance(0.2):
            return [f"{new} = {a} if {self.condition()} else {self.value(names[:-1])}",
                    f"{new} {self.one('+=', '*=')} {self.value(names[:-1])}"]
        other = self.name()
        names.append(other)
        return [f"{new} = {other} = {self.one(a, self.expression(names[:-2]))}"]

    def unpack(self, names: list[str], depth: int) -> list[str]:
        a, b = self.value(names), self.value(names)
        if self.chance(0.4) and a != b:
            return [f"{a}, {b} = {b}, {a}"]
        one, two = self.expression(names), self.expression(names)
        first, second = self.name(), self.name()
        names += [first, second]
        return [f"{first}, {second} = {one}, {two}"] if self.chance(0.7) else [f"{first}, *[{second}] = [{one}, {two}]"]

    def call_trainer(self, names: list[str], depth: int) -> list[str]:
        if not self.trainer or self.chance(0.2):
            if self.models and self.chance(0.6):
                return [f"{self.random.choice(self.models)}.{self.one('eval', 'train')}()"]
            return self.compute(names, depth)
        who = self.trainer
        return self.random.choice([
            lambda: [f"{who}.evaluating = {self.flag()}"], lambda: self.bind(names, f"{who}.load({self.data()})"),
            lambda: self.bind(names, f"{who}.infer({self.data()})"),
            lambda: self.bind(names, f"{who}.score({self.data()})"),
            lambda: [f"{who}.load({self.data()})", *self.bind(names, f"net({who}.state)")],
        ])()

    def branch(self, names: list[str], depth: int) -> list[str]:
        if self.chance(0.4):
            return self.both_arms(names, depth)
        lines = [f"if {self.condition()}:", *self.inner(names, depth)]
        if self.chance(0.3):
            lines += [f"elif {self.condition()}:", *self.inner(names, depth)]
        if self.chance(0.5):
            lines += ["else:", *self.inner(names, depth)]
        return lines

    def both_arms(self, names: list[str], depth: int) -> list[str]:
        """The same name bound on both sides."""
        draws = [self.one(self.construction(), self.expression(names)) for _ in range(2)]
        new = self.name()
        lines = [f"if {self.condition()}:", *self.inner(names, depth), f"    {new} = {draws[0]}",
                 "else:", f"    {new} = {draws[1]}"]
        names.append(new)
        return lines

    def repeat(self, names: list[str], depth: int) -> list[str]:
        """Loops."""
        self.count += 1
        item = f"item{self.count}"
        kind = self.random.randrange(5)
        if kind <= 1:
            return [f"for k in range({self.one('2', '2', '4')}):", *self.inner(names, depth, loop=True)]
        if kind == 2:
            suite = self.inner([*names, item], depth, loop=True)
            return [f"for {item} in [{self.value(names)}, {self.value(names)}]:", *suite]
        if kind == 3:
            suite = self.inner([*names, item], depth, loop=True)
            return ["for x in data[:2]:", f"    {item} = Variable(x, volatile={self.flag()})", *suite]
        counter = f"n{self.count}"
        return [f"{counter} = 0", f"while {counter} < 2:", f"    {counter} += 1", *self.inner(names, depth, loop=True)]

    def leave(self, names: list[str], depth: int) -> list[str]:
        return [f"if {self.condition()}:", f"    {self.one('break', 'continue')}"]

    def attempt(self, names: list[str], depth: int) -> list[str]:
        if self.chance(0.5):
            return ["try:", *self.inner(names, depth), "finally:", *self.inner(names, depth)]
        return ["try:", *self.inner(names, depth), f"    if {self.condition()}:", "        raise ValueError('stop')",
                "except ValueError:", *self.inner(names, depth)]

    def nest(self, names: list[str], depth: int) -> list[str]:
        """A function inside: it sees the names around it."""
        self.count += 1
        function, a = f"helper{self.count}", self.value(names)
        return self.random.choice([
            lambda: [f"def {function}(x):", f"    y = {self.layer()}(x)", f"    return y + {self.one('x', a)}",
                     *self.bind(names, f"{function}({self.value(names)})")],
            lambda: [f"def {function}(i):", f"    return Variable(data[i], volatile={self.flag()})",
                     *self.bind(names, f"{self.layer()}({function}(1))")],
            lambda: [f"def {function}(x, volatile=False):", "    x = Variable(x.data, volatile=volatile)",
                     f"    return {self.layer()}(x)",
                     *self.bind(names, f"{function}({a}, volatile={self.flag()})")],
            lambda: [f"def {function}():", f"    nonlocal {a}", f"    {a} = {self.expression(names)}", f"{function}()"],
            lambda: [f"def {function}(x):", *self.inner([*names, "x"], depth + 1), "    return x",
                     *self.bind(names, f"{function}({self.value(names)}.clone())")],
            lambda: [f"{function} = lambda x: {self.layer()}(x) * {a}", *self.bind(names, f"{function}({a})")],
        ])()

    def generate(self, names: list[str], depth: int) -> list[str]:
        """Generators."""
        self.count += 1
        function, item = f"stream{self.count}", f"item{self.count}"
        suite = self.inner([*names, item], depth, loop=True)
        if self.chance(0.4):
            return [f"for {item} in batches(data, {self.flag()}):", *suite]
        made = f"Variable(x, volatile={self.flag()})"
        produced = self.one(made, f"{self.layer()}({made})", f"{self.value(names)} * 2")
        lines = [f"def {function}():", "    for x in data[:2]:", f"        yield {produced}"]
        if self.chance(0.3):
            return [*lines, f"{function}_later = {function}()", *self.compute(names, depth),
                    f"for {item} in {function}_later:", *suite]
        return [*lines, f"for {item} in {function}():", *suite]

    # --- the program -----------------------------------------------------------------------------------------------

    def settings(self) -> list[str]:
        """What comes first in some programs: names for conditions, models, an optimizer, a trainer."""
        lines = ["optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"]
        if self.chance(0.3):
            lines.append("mode = 'test' if flag else 'train'")
            self.conditions += ["mode == 'test'", "mode != 'train'", "mode == 'train'"]
        if self.chance(0.2):
            lines.append(self.one("evaluating = not flag", "evaluating = bool(flag)", "evaluating = True"))
            self.conditions.append("evaluating")
        for kind in MODULES:
            if self.chance(0.12):
                self.models.append(kind.lower())
                lines.append(f"{kind.lower()} = {kind}()")
                if self.chance(0.4):
                    lines.append(f"{kind.lower()}.{self.one('eval()', 'train(flag)', 'train(not flag)')}")
        if self.chance(0.12):
            self.trainer = "trainer"
            lines.append("trainer = Trainer(net)")
        return lines

    def program(self, size: int) -> str:
        """The text of the module."""
        names: list[str] = []
        lines = self.settings()
        lines += self.construct(names, 0) + self.construct(names, 0)
        lines += self.block(names, size, 0)
        if not any("optimizer." in line for line in lines):
            lines = lines[1:]
        shown = [*names, *self.models]
        lines.append("return {" + ", ".join(f'"{name}": {name}' for name in shown) + "}")
        body = "\n".join(indented(lines))
        parts = "".join(f"\n\n{text}" for name, text in PARTS.items() if re.search(rf"\b{name}\(", body))
        return f"{HEAD}{parts}\n\ndef program(net, tgt, data, flag):\n{body}\n"


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def draw(seed: int) -> str:
    """The program of a seed."""
    random = Random(seed)
    return Drawing(random).program(random.choice([3, 4, 6, 8, 10, 14]))
