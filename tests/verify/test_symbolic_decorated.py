"""A decorator that is not in view may give a function what its callers do not: settings, a command line."""

from __future__ import annotations

from textwrap import dedent

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

CAPTURED = """
import kitchen
stove = kitchen.Stove()

{decorator}
def cost(net, y, salt, *, pepper):
    return y.sum() * salt + pepper


def f(net, data):
    y = net(Variable(data, volatile=True))
    return cost(net, y).data
"""


@pytest.mark.parametrize("decorator", ["@stove.capture", "@stove.capture(prefix='a')", "@kitchen.fill"])
def test_what_a_decorator_fills_in_may_be_left_out(decorator: str):
    check(CAPTURED.format(decorator=decorator))


def test_what_nobody_fills_in_is_missing():
    text = CAPTURED.format(decorator="")
    assert judge(text, unflagged(text))[0] != "identical"


def test_a_command_is_called_with_nothing():
    text = """
import click
import models

def run(net, rows):
    for row in rows:
        y = net(Variable(row, volatile=True))
        print(y.data)
    return y

@click.command()
@click.option('--deep', default=3)
@click.argument('path')
def main(path, deep):
    net = models.Net(deep)
    return run(net, models.load(path))

if __name__ == '__main__':
    main()
"""
    assert judge(text, with_block(text), "run") == ("identical", None)
    assert judge(text, unflagged(text), "run")[0] == "different"


def test_arguments_that_are_spread_are_still_as_many_as_the_function_takes():
    text = dedent("""
    import kitchen
    @kitchen.fill
    def mix(net, x, y):
        return net(x) + y
    def f(net, data, rest):
        x = Variable(data, volatile=True)
        y = net(x)
        return mix(net, *rest), y
    """)
    check(text)


def test_a_function_that_is_handed_out_is_called_on_unknowns_as_ever():
    text = dedent("""
    import kitchen
    def f(net, data):
        @kitchen.fill
        def later(x):
            y = net(Variable(x, volatile=True))
            return y
        return later(data)
    """)
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"


@pytest.mark.parametrize("asked", [
    "'Crate' in box.__class__.__name__", "box.__class__.__name__ == 'Crate'", "type(box).__name__.find('Crate') != -1",
    "box.__class__ == Crate",
])
def test_what_class_an_unknown_has_is_not_known(asked: str):
    text = dedent(f"""
    def f(net, box, data):
        if {asked}:
            x = Variable(data, volatile=True)
            y = net(x)
            return y
        return box
    """)
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"


def test_the_class_of_an_object_of_the_project_is_known():
    text = dedent("""
    class Crate:
        pass
    def f(net, data):
        if Crate().__class__.__name__ != 'Crate':
            return net(data)
        return data
    """)
    assert judge(text, text.replace("net(data)", "net(data * 2)"))[0] == "not-run"  # no way comes by


def test_a_dictionary_that_another_thread_has_may_be_filled_by_it():
    text = dedent("""
    import threading
    def f(net, work, data):
        box = {'ready': threading.Event(), 'stop': False}
        threading.Thread(target=work, args=(box,)).start()
        box['ready'].wait()
        x = Variable(box['picture'], volatile=True)
        y = net(x)
        return y
    """)
    check(text)


def test_a_dictionary_that_nobody_else_has_is_not():
    text = dedent("""
    def f(net, data):
        box = {'stop': False}
        try:
            return box['picture']
        except KeyError:
            x = Variable(data, volatile=True)
            y = net(x)
            return y
    """)
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"
