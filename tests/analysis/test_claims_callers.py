"""All callers: a resolved caller closes nothing by itself. What may be called unseen keeps a flag where it is."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, files_stay, migrated_files, refusals, stays

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
