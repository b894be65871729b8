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
