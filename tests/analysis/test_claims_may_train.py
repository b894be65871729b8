"""A call of something unknown may run a function of the project that trains: no block goes around it."""

from __future__ import annotations

import pytest
from solving import covers, files_stay, stays

STEP = """
    def step(x, net, real):
        net(real).sum().backward()
        return net(x)
"""

STORED = {
    "in a table that is copied": STEP + """
    KINDS = {"step": step}

    def run(net, t, real, kinds, kind):
        v = Variable(t, volatile=True)
        return kinds[kind](v, net, real).data

    def main(net, t, real, kind):
        return run(net, t, real, dict(KINDS), kind)
    """,
    "on an object": STEP + """
    class Runner(object):
        def __init__(self, how):
            self.how = how

        def run(self, net, t, real):
            v = Variable(t, volatile=True)
            return self.how(v, net, real).data

    def main(registry):
        registry.runner = Runner(step)
    """,
    "by a pool": STEP + """
    def run(net, t, real, how):
        v = Variable(t, volatile=True)
        return how(v, net, real).data

    def main(pool):
        pool.submit(run, how=step)
    """,
}


@pytest.mark.parametrize("body", STORED.values(), ids=STORED)
def test_what_is_called_may_be_a_function_that_trains_kept(body: str) -> None:
    stays(body, "mixed-statement")


@pytest.mark.parametrize("body", STORED.values(), ids=STORED)
def test_one_that_does_not_train_changes_nothing(body: str) -> None:
    covers(body.replace(".sum().backward()", ""), inside=["(v, net, real)"], outside=["def step"])


def test_what_is_called_may_be_a_function_of_another_file() -> None:
    files_stay(
        {
            "steps.py": """
                def step(x, net, real):
                    net(real).sum().backward()
                    return net(x)


                ALL = {"step": step}
                """,
            "main.py": """
                from torch.autograd import Variable

                import steps


                def run(net, t, real, kinds, kind):
                    v = Variable(t, volatile=True)
                    return kinds[kind](v, net, real).data


                def main(net, t, real, kind):
                    return run(net, t, real, vars(steps)["ALL"], kind)
                """,
        },
        "mixed-statement",
    )


MODEL = """
    class Model(object):
        def __init__(self, net, real):
            self.net, self.real = net, Variable(real)

        def show(self, x):
            return self.net(x)

        def step(self, x):
            self.net(self.real).sum().backward()
            return self.net(x)

    def run(net, t, real, kind):
        model = Model(net, real)
        v = Variable(t, volatile=True)
        print(getattr(model, {name})(v).data)
"""


@pytest.mark.parametrize("name", ["kind", "'show' if kind else 'step'", "'step' if kind else 'show'", "'st' + kind"])
def test_a_method_that_is_asked_for_by_a_name_may_be_one_that_trains(name: str) -> None:
    stays(MODEL.format(name=name), "mixed-statement")


@pytest.mark.parametrize("name", ["'show'", "'sh' + kind"])
def test_one_that_it_cannot_be_changes_nothing(name: str) -> None:
    covers(MODEL.format(name=name), inside=["print("], outside=["def step"])


def test_an_attribute_that_is_set_under_one_of_two_names_may_be_either() -> None:
    stays("""
    class Model(object):
        def __init__(self, net):
            self.net = net

    def run(net, t, alt):
        model = Model(net)
        v = Variable(t, volatile=True)
        setattr(model, "plain" if alt else "kept", net(v))
        net(model.kept).sum().backward()
    """, "unknown-callee")


TESTER = """
    class Adaptive(object):
        def __init__(self, net, opt):
            self.net, self.opt = net, opt

        def __call__(self, x):
            self.net(Variable(x.data)).sum().backward()
            return self.net(x)

    class Tester(object):
        def __init__(self, predictor):
            self.predictor = predictor

        def test(self, t):
            return {called}(Variable(t, volatile=True)).data
"""


def test_an_object_that_is_kept_in_an_attribute_is_called_as_one_in_a_name() -> None:
    stays(TESTER.format(called="self.predictor"), "mixed-statement")
    stays(TESTER.format(called="self.predictor").replace("self.predictor = ", "self.inner.predictor = "),
          "mixed-statement")


def test_a_method_that_calls_a_method_which_trains_trains() -> None:
    body = """
    class Learner(object):
        def learn(self, batch):
            self.net(batch).sum().backward()

    class Agent(object):
        def __init__(self, net, learner):
            self.net, self.learner = net, learner

        def act(self, x):
            self.learner.{called}(self.batch)
            return self.net(x)

    def play(agent, t):
        return agent.act(Variable(t, volatile=True)).data
    """
    stays(body.format(called="learn"), "unknown-callee")
    covers(body.format(called="look"), inside=["agent.act("], outside=["def act"])


@pytest.mark.parametrize("handed", [
    "show(agent.act, t)",
    "f = agent.act\n        show(f, t)",
])
def test_a_method_of_an_unknown_object_is_followed_as_a_value(handed: str) -> None:
    stays("""
    class Agent(object):
        def act(self, x):
            self.net(self.batch).sum().backward()
            return self.net(x)

    def show(act, t):
        return act(Variable(t, volatile=True)).data

    def main(agent, t):
        HANDED
    """.replace("HANDED", handed), "mixed-statement")


def test_super_looks_in_what_comes_next_for_every_class_below() -> None:
    both = """
    class Base(object):
        def step(self, x):
            return self.net(x)

    class Eval(Base):
        def test(self, t):
            return super(Eval, self).step(Variable(t, volatile=True)).data

    class Online(Base):
        def step(self, x):
            self.net(self.real).sum().backward()
            return self.net(x)
    """
    stays(both + """
    class Both(Eval, Online):
        pass
    """, "unknown-callee")
    covers(both, inside=["super(Eval, self)"], outside=["self.real"])


KEPT = {
    "by a decorator": """
    MODES = {}

    def register(f):
        MODES[f.__name__] = f
        return f

    @register
    def step(x, net, real):
        net(real).sum().backward()
        return net(x)

    def run(modes, net, t, real):
        return modes["step"](Variable(t, volatile=True), net, real).data
    """,
    "by a lambda": STEP + """
    class Runner(object):
        def __init__(self, how):
            self.how = how

        def run(self, t):
            return self.how(Variable(t, volatile=True)).data

    def main(net, real):
        return Runner(lambda x: step(x, net, real))
    """,
    "by what partial gives": STEP.replace("x, net, real", "net, real, x") + """
    def run(how, t):
        return how(Variable(t, volatile=True)).data

    def main(pool, net, real):
        pool.submit(run, functools.partial(step, net, real))
    """,
    "by a dictionary of Python's": STEP + """
    def run(modes, net, t, real):
        return modes["step"](Variable(t, volatile=True), net, real).data

    def main(net, t, real):
        return run(collections.OrderedDict(step=step), net, t, real)
    """,
}


@pytest.mark.parametrize("way", KEPT)
def test_a_function_that_trains_may_be_kept(way: str) -> None:
    known = way in ("by a decorator", "by a dictionary of Python's")  # the call gets a network beside the tensor, too
    body = "\n    import collections\n    import functools\n" + KEPT[way]
    stays(body, "unknown-callee" if known else "mixed-statement")


# --- a decorator of the project, and what built-ins hand back -------------------------------------------------------

REFINED = """
    def refines(f):
        def inner(self, v):
            self.net(self.old).norm().backward()
            return f(self, v)
        return inner

    class Refines(object):
        def __init__(self, f):
            self.f = f

        def __call__(self, *args):
            self.net(self.old).norm().backward()
            return self.f(*args)

    class Mapper(object):
        @DECORATOR
        def place(self, v):
            return self.net(v)

        def show(self, frame):
            return self.place(Variable(frame, volatile=True)).data

    @DECORATOR
    def place(mapper, v):
        return mapper.net(v)

    def show(mapper, frame):
        return place(mapper, Variable(frame, volatile=True)).data
"""


@pytest.mark.parametrize("name", ["refines", "Refines"])
def test_a_decorator_of_the_project_may_train_around_what_it_is_put_on(name: str) -> None:
    stays(REFINED.replace("DECORATOR", name), "mixed-statement")


@pytest.mark.parametrize("name", ["refines", "Refines"])
def test_one_that_does_not_is_as_if_it_were_not_there(name: str) -> None:
    covers(REFINED.replace("DECORATOR", name).replace(".backward()", ""),
           inside=["return self.place(Var", "return place(mapper, Var"], outside=[])


GUESSED = """
    class Guesser(object):
        def guess(self, v):
            self.net(self.seen).sum().backward()
            return self.net(v)

    def ask(guessers, frame):
        {line}
"""


@pytest.mark.parametrize("line", [
    "return max(guessers, key=lambda g: g.score).guess(Variable(frame, volatile=True)).data",
    "return functools.reduce(lambda v, g: g.guess(v), guessers, Variable(frame, volatile=True)).data",
])
def test_what_a_built_in_hands_back_or_runs_may_train(line: str) -> None:
    stays("    import functools\n" + GUESSED.replace("{line}", line), "mixed-statement")


@pytest.mark.parametrize("line", [
    "return max(guessers, key=score).other(Variable(frame, volatile=True)).data",
    "return functools.reduce(lambda v, g: g.other(v), guessers, Variable(frame, volatile=True)).data",
])
def test_another_method_of_it_does_not(line: str) -> None:
    covers("    import functools\n" + GUESSED.replace("{line}", line),
           inside=["key=score" if "max" in line else "functools.reduce"], outside=[])


CREW = """
class Crew(object):
    def __init__(self, job):
        self.job = job

    def start(self, net, real):
        for number in range(4):
            Thread(target=self.work, args=(number, self.job, net, real)).start()

    def work(self, number, job, net, real):
        job(net, real)


class Painter(torch.nn.Module):
    def __init__(self, brush):
        super(Painter, self).__init__()
        self.brush = brush

    def show(self, plan, real):
        return self.brush(Variable(plan, volatile=True), real).data


def learn(net, real):
    net(real).sum().backward()


def main(net, real, others):
    crew = Crew(learn)
    {use}
"""


@pytest.mark.parametrize("use", [
    "others.append(crew)", "others(crew.job)", "net.brush = crew.job",
    "crew.work(1, others, net, real)\n    net.brush = learn",
    "crew = others(crew)\n    crew.start(net, real)",
])
def test_what_an_object_keeps_that_others_may_have_may_be_what_is_called(use: str) -> None:
    stays("from threading import Thread\n" + CREW.format(use=use), "mixed-statement")


def test_what_a_thread_is_handed_of_an_object_that_nobody_has_is_no_attribute_of_a_network() -> None:
    covers("from threading import Thread\n" + CREW.format(use="crew.start(net, real)"), inside=["return self.brush("],
           outside=["net(real).sum()"])


COACH = """
class Coach{bases}:
    def __init__(self, critic, steps, student):
        self.critic = critic
        self.steps = steps
        self.student = student

    def examine(self, pages):
        self.forward(pages, practise=False)

    def forward(self, pages, practise=True):
        for page, mark in pages:
            page = Variable(page, volatile=not practise)
            error = self.critic(self.student(page), Variable(mark, volatile=not practise))
            print(error.data[0])
            if practise:
                error.backward()
                self.steps.step()
"""


def test_a_call_of_an_object_runs_no_forward_of_objects_that_cannot_be_called() -> None:
    covers(COACH.format(bases=""), inside=["self.student(page)"], outside=["error.backward()"])


@pytest.mark.parametrize("more", [
    "class Net(Coach, torch.nn.Module):\n    pass",
    "class Net(Coach):\n    def __call__(self, *given):\n        return self.forward(*given)",
    "Coach.__call__ = Coach.forward",
    "def callable_of(kind):\n    return type('Net', (kind, torch.nn.Module), {})\n\nNet = callable_of(Coach)",
])
def test_it_may_run_one_of_objects_that_something_lets_be_called(more: str) -> None:
    stays(COACH.format(bases="") + "\n\n" + more + "\n", "unknown-callee")


def test_it_may_run_one_of_a_module() -> None:
    stays(COACH.format(bases="(torch.nn.Module)"), "unknown-callee")


# --- a decorator that tells another function to stand for one that trains -------------------------------------------

SETTLED = """
    import functools
    import wrapt

    SETTINGS = {}

    DECORATOR

    class Net(nn.Module):
        @settled
        def __init__(self, size):
            super().__init__()
            self.layer = nn.Linear(size, size)

        def forward(self, x, mask):
            return self.layer(x) * mask

    @settled
    def fit(rows, others, path=None, rate=0.1):
        net = torch.load(path) if path else Net(3)
        for x, mask in rows:
            net(Variable(x), Variable(mask)).sum().backward()
        for x, mask in others:
            print(net(Variable(x, volatile=True), Variable(mask)).data.sum())

    if __name__ == "__main__":
        fit([], [])
"""
BY_HAND = """
    def settled(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            kwargs.update(SETTINGS.get(f.__qualname__, {}))
            return f(*args, **kwargs)
        return inner
"""
BY_WRAPT = """
    @wrapt.decorator
    def settled(f, of, args, kwargs):
        merged = dict(SETTINGS.get(f.__qualname__, {}))
        merged.update(kwargs)
        return f(*args, **merged)
"""


@pytest.mark.parametrize("decorator", [BY_HAND, BY_WRAPT], ids=["by hand", "by wrapt"])
def test_a_function_under_a_decorator_that_only_runs_it_is_not_what_something_unknown_is(decorator: str) -> None:
    covers(SETTLED.replace("    DECORATOR\n", decorator), inside=["print(net("], outside=["backward"])


@pytest.mark.parametrize("decorator", [
    BY_HAND.replace("            kwargs.update", "            SETTINGS[0] = f\n            kwargs.update"),
    BY_HAND.replace("@functools.wraps(f)", "@seen(functools.wraps(f))"),
    BY_HAND + "\n    def last(f):\n        return f.__wrapped__\n",
    BY_WRAPT.replace("        return f(", "        SETTINGS['last'] = f\n        return f("),
    BY_WRAPT.replace("@wrapt.decorator", "@wrapt.decorator(adapter=seen)"),
    BY_WRAPT + "\n    def last(f):\n        return getattr(f, '__wrapped__')\n",
], ids=["kept", "given to others", "looked behind", "kept by wrapt's", "with an adapter", "asked by its name"])
def test_one_that_its_decorator_keeps_or_that_is_looked_for_behind_it_may_be(decorator: str) -> None:
    text = SETTLED.replace("    DECORATOR\n", decorator)
    text = text.replace("torch.load(path) if path else Net(3)", "SETTINGS[path]")
    stays(text, "mixed-statement")
    covers(text.replace(".sum().backward()", ""), inside=["print(net("], outside=["def fit"])


STEPWISE = """
class Judge(torch.nn.Module):
    def __init__(self):
        super(Judge, self).__init__()
        self.mark = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.mark(x)


class Through(object):
    def __init__(self, net):
        self.net = net

    def __call__(self, x):
        for name, part in self.net._modules.items():
            {part}
        return x


class Slopes(object):
    def __init__(self, net):
        self.through = Through(net)

    def __call__(self, x):
        self.through(x).sum().backward()


def costs(rows):
    net = Judge()
    found = []
    for row in rows:
        found.append(net(Variable(row, volatile=True)).data.mean())
    return found
"""


def test_who_goes_through_the_layers_of_another_network_puts_none_of_his_own_into_this_one():
    covers(STEPWISE.format(part="x = part(x)"), inside=["found.append(net("], outside=["backward()"])


@pytest.mark.parametrize("part", [
    "self.net._modules[name] = Slopes(part)",
    "self.net._modules.update({'mark': Slopes(part)})",
    "table = self.net._modules\n            table[name] = Slopes(part)",
    "self.net.add_module(name, Slopes(part))",
])
def test_who_puts_what_trains_into_the_table_of_layers_may_have_it_run(part: str):
    stays(STEPWISE.format(part=part), "mixed-statement")


SLOPES = """
class Settings(object):
    def __init__(self, kinds):
        for name, kind in vars(kinds).items():
            setattr(self, name, kind)


class Slopes(object):
    def __init__(self, net):
        self.net = net

    def __call__(self, x):
        self.net(x).sum().backward()
"""

GUIDED = """
from torch import nn
from torch.autograd import Function, Variable


class Passing(Function):
    def forward(self, x):
        {body}
        self.save_for_backward(x)
        return (x > 0).type_as(x)

    def backward(self, slope):
        return slope


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(2, 2)

    def forward(self, x):
        return self.last(x)

""" + SLOPES + """

def swap(net, other):
    for name, part in net._modules.items():
        {swap}


def learn(net, x):
    Slopes(net)(x)


def costs(rows):
    net = Net()
    found = []
    for row in rows:
        found.append(net(Variable(row, volatile=True)).data.mean())
    return found
"""


def test_an_operation_in_the_place_of_a_layer_computes_and_trains_nothing():
    covers(GUIDED.format(body="pass", swap="net._modules[name] = Passing()"), ["found.append(net("], ["backward()"])


@pytest.mark.parametrize(("body", "swap"), [
    ("learn(self.net, x)", "net._modules[name] = Passing()"),
    ("self.step = Slopes(self); self.step(x)", "net._modules[name] = Passing()"),
    ("torch.autograd.grad(x.sum(), x)", "net._modules[name] = Passing()"),
    ("(lambda: x.sum().backward())()", "net._modules[name] = Passing()"),
    ("x.sum().backward()", "net._modules[name] = Passing()"),
    ("pass", "net._modules[name] = other"),
    ("pass", "net._modules[name] = part = Passing()"),
    ("pass", "net._modules[name] = Passing() if other else other"),
    ("pass", "Passing.forward = learn; net._modules[name] = Passing()"),
    ("pass", "setattr(Passing, 'forward', learn); net._modules[name] = Passing()"),
    ("pass", "op = net._modules[name] = Passing(); op.forward = learn"),
    ("pass", "net._modules[name] = type('Other', (Passing,), dict(forward=learn))()"),
    ("pass", "net._modules[name] = Passing(); net._modules[name].__class__ = Slopes"),
    ("pass", "net._modules[name] = Slopes(part)"),
    ("pass", "net._modules[name] = Passing(); net._modules.update(other)"),
])
def test_an_operation_that_may_train_or_something_else_in_the_place_of_a_layer_does(body, swap):
    stays(GUIDED.format(body=body, swap=swap), "mixed-statement")


KEEPING = """
from torch import nn

""" + SLOPES + """

def watch(net, y):
    {watch}


class Net(nn.Module):
    def __init__(self, given=None):
        super().__init__()
        self.last = nn.Linear(2, 2)
        self.seen = {seen}

    def forward(self, x):
        {keep}
        return self.last(x)


def costs(rows):
    net = Net()
    found = []
    for row in rows:
        found.append(net(Variable(row, volatile=True)).data.mean())
    return found
"""


def test_who_appends_to_a_list_that_is_written_out_trains_nothing():
    covers(KEEPING.format(seen="[]", keep="self.seen.append(0)", watch="pass"), ["found.append(net("], ["backward()"])


@pytest.mark.parametrize(("seen", "keep", "watch"), [
    ("given", "self.seen.append(0)", "pass"),
    ("[]", "self.seen.append(0)", "net.seen = Settings(y)"),
    ("[]", "self.seen.append(0)", "setattr(net, y.name, Settings(y))"),
    ("[Settings(given)]", "self.seen[0].append(0)", "pass"),
    ("[] if given else given.seen", "self.seen.append(0)", "pass"),
    ("[]", "(self.seen or self.last).append(0)", "pass"),
    ("[]", "Slopes(self.last)(x)", "pass"),
])
def test_who_appends_to_what_may_be_an_object_may_run_what_it_keeps(seen, keep, watch):
    stays(KEEPING.format(seen=seen, keep=keep, watch=watch), "mixed-statement")
