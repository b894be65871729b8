"""All callers: a resolved caller closes nothing by itself. What may be called unseen keeps a flag where it is."""

from __future__ import annotations

import pytest
from solving import becomes, covers, files_become, files_stay, migrated_files, refusals, source, stays

from voltfix.model import Options

WRAPPER = """
    def wrap(t, off=False):
        return Variable(t, volatile=off)


    def test_wrap(t):
        assert wrap(t).data is t
    """

# ways to call it with the flag that no name says: beside the test, which uses the default
UNSEEN = {
    "a receiver that nobody knows": """
        class Tools(object):
            def wrap(self, t, off=False):
                return Variable(t, volatile=off)


        class Others(object):
            def wrap(self, t, off=False):
                return t


        def show(tools, net, t):
            return net(tools.wrap(t, off=True))


        def test_wrap(t):
            assert Tools().wrap(t).data is t
        """,
    "a table of functions": WRAPPER + """

    MAKERS = {"plain": wrap}


    def show(makers, net, t, name):
        return net(makers[name](t, True))


    def main(net, t):
        return show(copied(MAKERS), net, t, "plain")
    """,
    "a callback": WRAPPER + """

    class Runner(object):
        def __init__(self, make):
            self.make = make

        def run(self, net, t):
            return net(self.make(t, off=True))


    def build(registry):
        registry.runner = Runner(wrap)
    """,
    "a name that is built": """
        class Tools(object):
            def make_plain(self, t, off=False):
                return Variable(t, volatile=off)

            def show(self, net, t, kind):
                return net(getattr(self, "make_" + kind)(t, off=True))


        def test_wrap(t):
            assert Tools().make_plain(t).data is t
        """,
    "a name that is built, kept under another": """
        class Tools(object):
            def wrap(self, t, off=False):
                return Variable(t, volatile=off)


        class Look(object):
            def __init__(self, tools, kind):
                self.take = getattr(tools, kind)

            def show(self, net, t):
                return net(self.take(t, True))


        def test_wrap(t):
            assert Tools().wrap(t).data is t
        """,
    "a name that is built, kept by who is handed it": """
        class Tools(object):
            def wrap(self, t, off=False):
                return Variable(t, volatile=off)


        class Look(object):
            def __init__(self, make):
                self.take = make

            def show(self, net, t):
                return net(self.take(t, True))


        def look(tools, kind):
            return Look(make=getattr(tools, kind))


        def test_wrap(t):
            assert Tools().wrap(t).data is t
        """,
    "code that nobody has seen": WRAPPER + """

    def serve(pool, t):
        import elsewhere

        return elsewhere.call(wrap, t, True)
    """,
}


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
def test_a_flag_that_may_be_handed_over_by(body):
    stays(body, "unseen-callers")


def test_a_flag_that_may_be_handed_over_in_another_file():
    files_stay(
        {
            "tools.py": """
                class Tools(object):
                    def wrap(self, t, off=False):
                        return Variable(t, volatile=off)


                class Others(object):
                    def wrap(self, t, off=False):
                        return t
                """,
            "test_tools.py": """
                from tools import Tools


                def test_wrap(t):
                    assert Tools().wrap(t).data is t
                """,
            "show.py": """
                def show(tools, net, t):
                    return net(tools.wrap(t, off=True))
                """,
        },
        "unseen-callers",
    )


def test_a_public_wrapper_of_an_installable_package_stays():
    files = {
        "kit/__init__.py": "",
        "kit/wrap.py": """
            def wrap(t, off=False):
                return Variable(t, volatile=off)
            """,
        "tests/test_wrap.py": """
            from kit.wrap import wrap


            def test_wrap(t):
                assert wrap(t).data is t
            """,
    }
    files_stay(files, "unseen-callers", Options(installable=True))


INTERNAL = {
    "kit/run.py": """
        from kit._wrap import wrap


        def run(net, t):
            return net(wrap(t, off=True)).data
        """,
    "kit/_wrap.py": """
        def wrap(t, off=False):
            return Variable(t, volatile=off)
        """,
    "kit/__init__.py": "",
}


def test_a_wrapper_in_a_module_that_a_package_keeps_to_itself_goes():
    expected = {
        "kit/run.py": """
            from kit._wrap import wrap
            import torch


            def run(net, t):
                with torch.no_grad():
                    return net(wrap(t)).data
            """,
        "kit/_wrap.py": """
            def wrap(t):
                return Variable(t)
            """,
    }
    files_become(INTERNAL, expected, Options(installable=True))


def test_one_that_the_package_hands_on_stays():
    result, _ = migrated_files({**INTERNAL, "kit/tools.py": "from kit._wrap import *\n"}, Options(installable=True))
    assert result.outputs == {}
    assert set(refusals(result).values()) == {"unseen-callers", "held"}


def test_an_unknown_call_that_cannot_set_the_flag_does_not_stand_in_the_way():
    body = """
        class Tools(object):
            def wrap(self, t, off=False):
                return Variable(t, volatile=off)


        def show(net, t):
            return net(Tools().wrap(t, off=True))


        def train(tools, net, t):
            net(tools.wrap(t)).sum().backward()
        """
    becomes(
        body,
        """
        class Tools(object):
            def wrap(self, t):
                return Variable(t)


        def show(net, t):
            with torch.no_grad():
                return net(Tools().wrap(t))


        def train(tools, net, t):
            net(tools.wrap(t)).sum().backward()
        """,
    )


def test_a_class_chosen_in_the_same_call_is_seen():
    result, after = migrated_files(
        {
            "a.py": """
                class One(object):
                    def wrap(self, t, off=False):
                        return Variable(t, volatile=off)


                KINDS = {"one": One}


                def show(net, t):
                    return net(KINDS["one"]().wrap(t, off=True))
                """
        }
    )
    assert not refusals(result)
    assert "with torch.no_grad():" in after["a.py"]


def test_what_an_iterable_of_the_project_yields_is_followed_into_the_loop():
    files_become(
        {
            "rows.py": """
                class Rows(object):
                    def __init__(self, rows):
                        self.rows = rows

                    def __iter__(self):
                        for row in self.rows:
                            yield Variable(row, volatile=True)
                """,
            "show.py": """
                from rows import Rows


                def show(net, rows):
                    total = 0
                    for row in Rows(rows):
                        total = net(row).data.sum() + total
                    return total
                """,
        },
        {
            "rows.py": """
                class Rows(object):
                    def __init__(self, rows):
                        self.rows = rows

                    def __iter__(self):
                        for row in self.rows:
                            yield Variable(row)
                """,
            "show.py": """
                from rows import Rows
                import torch


                def show(net, rows):
                    total = 0
                    with torch.no_grad():
                        for row in Rows(rows):
                            total = net(row).data.sum() + total
                    return total
                """,
        },
    )


def test_an_iterable_whose_objects_go_into_unknown_code_stays():
    stays(
        """
        from elsewhere import Loader


        class Rows(object):
            def __init__(self, rows):
                self.rows = rows

            def __iter__(self):
                for row in self.rows:
                    yield Variable(row, volatile=True)


        def show(net, rows):
            for row in Rows(rows):
                print(net(row).data)
            return Loader(Rows(rows))
        """,
        "unseen-callers",
    )


ROUND = {
    "itself": """
        def fresh(state):
            if isinstance(state, Variable):
                return Variable(state.data, volatile=True)
            return tuple(fresh(each) for each in state)
        """,
    "another, which calls it": """
        def one(state):
            if isinstance(state, list):
                return each(state)
            return Variable(state, volatile=True)


        def each(states):
            return [one(state) for state in states]
        """,
    "a function inside it": """
        def fresh(state):
            def inner(parts):
                return [fresh(part) for part in parts]
            return inner(state) if isinstance(state, list) else Variable(state, volatile=True)
        """,
    "its own method": """
        class Maker(object):
            def fresh(self, state):
                if isinstance(state, list):
                    return [self.fresh(part) for part in state]
                return Variable(state, volatile=True)
        """,
}


@pytest.mark.parametrize("body", ROUND.values(), ids=ROUND)
def test_a_function_that_only_itself_calls_has_no_caller_in_sight(body: str) -> None:
    stays(body, "unseen-callers")


def test_functions_of_two_files_that_call_each_other_alone_have_no_caller_in_sight() -> None:
    files_stay({
        "a.py": "from torch.autograd import Variable\nimport b\n\n\ndef one(state):\n"
                "    return b.each(state) if isinstance(state, list) else Variable(state, volatile=True)\n",
        "b.py": "import a\n\n\ndef each(states):\n    return [a.one(state) for state in states]\n",
    }, "unseen-callers")


def test_a_function_that_calls_itself_and_is_called_has_its_callers() -> None:
    becomes("""
        def fresh(state):
            if isinstance(state, Variable):
                return Variable(state.data, volatile=True)
            return tuple(fresh(each) for each in state)


        net = torch.nn.Linear(2, 2)
        print(net(fresh(Variable(torch.ones(2)))))
        """, """
        def fresh(state):
            if isinstance(state, Variable):
                return Variable(state.data)
            return tuple(fresh(each) for each in state)


        net = torch.nn.Linear(2, 2)
        with torch.no_grad():
            print(net(fresh(Variable(torch.ones(2)))))
        """)


TOOLS = """
    def wrap(t, off=False):
        return Variable(t, volatile=off)


    def train(net, t):
        net(wrap(t)).sum().backward()
    """
WITHOUT = """
    def wrap(t):
        return Variable(t)


    def train(net, t):
        net(wrap(t)).sum().backward()
    """
BY_NAME = """import importlib
import sys

import torchvision.models as models

from tools import *


def run(net, t, where, name):
    train(net, t)
    return {call}
"""
NAMESPACES = ["getattr(importlib.import_module(where), name)", "getattr(sys.modules[where], name)", "globals()[name]",
              "vars(importlib.import_module(where))[name]", "importlib.import_module(where).__dict__[name]",
              "globals().get(name)", "eval(name)"]


@pytest.mark.parametrize("asked", NAMESPACES)
def test_a_function_that_a_module_is_asked_for_by_a_name_that_is_built_may_be_called(asked: str) -> None:
    files_stay({"tools.py": TOOLS, "run.py": BY_NAME.format(call=f"{asked}(t, True)")}, reason="unseen-callers")


@pytest.mark.parametrize("call", [
    *(f"{asked}(t)" for asked in NAMESPACES),  # as the seen one: without the flag
    "getattr(importlib.import_module(where), 'other_' + name)(t, True)",
    "models.__dict__[name](t, True)",
    "getattr(models, name)(t, True)",
    "eval(name) + 1",
])
def test_what_asks_for_something_else_by_name_or_without_the_flag_is_no_caller_of_it(call: str) -> None:
    files_become({"tools.py": TOOLS, "run.py": BY_NAME.format(call=call)}, {"tools.py": WITHOUT})


CHECKED = """import importlib
import operator

from tools import *


def check(where, name, others):
    found = None
    {line}
    return hasattr(found, 'settings')


def run(net, t):
    train(net, t)
"""


@pytest.mark.parametrize("line", [
    "found = getattr(importlib.import_module(where), name)",
    "around = getattr(importlib.import_module(where), name)\n    found = getattr(around, others)",
    "found = getattr(importlib.import_module(where), name)\n    found(others)",
    "found = getattr(importlib.import_module(where), name)\n    print(found, found.__qualname__)",
])
def test_what_is_found_by_a_built_name_and_only_asked_about_or_called_otherwise_is_no_caller(line: str) -> None:
    files_become({"tools.py": TOOLS, "run.py": CHECKED.format(line=line)}, {"tools.py": WITHOUT})


@pytest.mark.parametrize("line", [
    "found = getattr(importlib.import_module(where), name)\n    found(others, True)",
    "found = getattr(importlib.import_module(where), name)\n    found(*others)",
    "found = getattr(importlib.import_module(where), name)\n    others(found)\n    others(1, True)",
    "found = others.how = getattr(importlib.import_module(where), name)\n    others.how(1, True)",
    "around = getattr(importlib.import_module(where), name)\n    found = getattr(around, others)\n    found(1, True)",
    "found = operator.methodcaller(name, 1, True)(getattr(importlib.import_module(where), name))\n    others(1, True)",
    "found = getattr(importlib.import_module(where), name)\n    if others: return found\n    check(1, 2, 3)(4, True)",
    "found = getattr(importlib.import_module(where), name)\n    others(found)\n    others.how(1, True)",
    "others(getattr(importlib.import_module(where), name))\n    others.how(1, True)",
    "found = [getattr(importlib.import_module(where), name)]\n    others(found)\n    others.how(1, True)",
    "found, _ = getattr(importlib.import_module(where), name), 1\n    others(found)\n    others.how(1, True)",
    "check.how = getattr(importlib.import_module(where), name)\n    others(check.how)\n    others.run(1, True)",
    "found = operator.call\n    found(getattr(importlib.import_module(where), name), 1, True)",
    "found = list(map(getattr(importlib.import_module(where), name), [1], [True]))",
])
def test_what_is_found_by_a_built_name_and_called_with_the_flag_or_handed_on_may_be_a_caller(line: str) -> None:
    files_stay({"tools.py": TOOLS, "run.py": CHECKED.format(line=line)}, reason="unseen-callers")


METHOD = """
class Wraps(object):
    def wrap_plain(self, t, off=False):
        return Variable(t, volatile=off)

    def keep(self, others, kind):
        {line}


def run(net, t, others):
    net(Wraps().wrap_plain(t)).sum().backward()
    Wraps().keep(others, others.kind)
"""


@pytest.mark.parametrize(("line", "refused"), [
    ("print(getattr(self, 'wrap_' + kind))\n        others.run(1, True)", False),
    ("found = getattr(self, 'wrap_' + kind)\n        others(found is None)\n        others.run(1, True)", False),
    ("found = getattr(self, 'wrap_' + kind)\n        others(found)\n        others.run(1, True)", True),
    ("others(getattr(self, 'wrap_' + kind))\n        others.run(1, True)", True),
    ("found = getattr(self, 'wrap_' + kind)\n        found.__call__(1, True)", True),
    ("return getattr(self, 'wrap_' + kind)\n\n    def give(self, others, kind):\n        others(self.keep(1, kind))",
     True),
    ("found = getattr(self, 'wrap_' + kind).__func__\n        found(self, 1, True)", True),
])
def test_a_method_that_a_built_name_finds_is_called_by_whoever_is_handed_it(line: str, refused: bool) -> None:
    result, _ = migrated_files({"run.py": source(METHOD.format(line=line))})
    assert set(refusals(result).values()) == ({"unseen-callers"} if refused else set())


SIBLINGS = """
    net = torch.nn.Linear(3, 3)


    class Base(object):
        def wrap(self, x, off=False):
            return Variable(x, volatile=off)


    class Quick(Base):
        def wrap(self, x, off=False):
            return {quick}


    class Scorer(Base):
        def score(self, x):
            return net(self.wrap(x))


    class Both({bases}):
        pass


    def train(x):
        Scorer().score(x).sum().backward()


    def show(x):
        return Both().score(x).data
    """


@pytest.mark.parametrize("bases", ["Scorer, Quick", "Quick, Scorer"])
@pytest.mark.parametrize("quick", ["super(Quick, self).wrap(x, off=True)", "Base.wrap(self, x, True)"])
def test_a_method_that_a_sibling_brings_into_a_class_below_may_be_the_one_that_runs(bases: str, quick: str) -> None:
    stays(SIBLINGS.format(bases=bases, quick=quick), reason="unseen-callers")


def test_a_tensor_of_a_class_that_others_may_replace_on_its_objects_is_not_surely_volatile() -> None:
    stays(
        """
        class Memory(torch.nn.Module):
            state = Variable(torch.zeros(1, 3), volatile=True)

            def forward(self, x):
                return self.layer(x + self.state)


        def train(memory, x):
            memory.state = Variable(torch.zeros(1, 3))
            memory(x).sum().backward()
        """,
        reason="condition-not-repeatable")


def test_a_tensor_of_a_class_that_nobody_replaces_is_volatile_wherever_it_is_read() -> None:
    becomes(
        """
        class Memory(torch.nn.Module):
            state = Variable(torch.zeros(1, 3), volatile=True)

            def forward(self, x):
                return self.layer(x + self.state)
        """,
        """
        class Memory(torch.nn.Module):
            state = Variable(torch.zeros(1, 3))

            def forward(self, x):
                with torch.no_grad():
                    return self.layer(x + self.state)
        """)


@pytest.mark.parametrize("default", ["None", "[]", "Variable(torch.zeros(1, 3))"])
def test_what_a_class_has_by_default_may_have_been_replaced_by_what_has_a_graph(default: str) -> None:
    covers(
        f"""
        class Model(torch.nn.Module):
            hidden = {default}

            def start(self, b):
                self.hidden = self.net(Variable(b))

            def step(self, a):
                x = Variable(a, volatile=True)
                p = self.net(x)
                q = self.hidden * 2
                r = self.net(p)
                return q, r.data
        """,
        inside=["p = self.net(x)", "r = self.net(p)"], outside=["q = self.hidden"])
