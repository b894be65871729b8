"""What follows a ``with`` whose manager keeps exceptions to itself runs after a path of its body has failed."""

from __future__ import annotations

import textwrap

import pytest
from solving import becomes, covers

QUIET = """
        import contextlib
        import pytest

        net = torch.nn.Linear(3, 3)

        class Quiet(object):
            def __enter__(self):
                return self

            def __exit__(self, *error):
                return True

        class Timer(object):
            def __enter__(self):
                return self

            def __exit__(self, *error):
                print('done')

        @contextlib.contextmanager
        def guarded():
            try:
                yield
            except ValueError:
                print('failed')

        @contextlib.contextmanager
        def timed():
            yield
            print('done')

        def evaluate(data, case):
            x = Variable(data{flag})
            with {manager}:
                {body}
            print(net(x).data)
        """
SWALLOWS = ["Quiet()", "contextlib.suppress(ValueError)", "pytest.raises(ValueError)", "guarded()",
            "case.assertRaises(ValueError)", "Quiet() as quiet", "Timer(), Quiet()"]


@pytest.mark.parametrize("manager", SWALLOWS)
@pytest.mark.parametrize("body", ["raise ValueError()", "assert False", "[][0]"])
def test_what_follows_a_manager_that_may_swallow_an_exception_may_run(manager: str, body: str) -> None:
    covers(QUIET.format(manager=manager, body=body, flag=", volatile=True"), inside=["net(x)"], outside=["with "])


@pytest.mark.parametrize("manager", ["Timer()", "timed()", "open('log')", "torch.cuda.device(0)"])
def test_what_follows_a_manager_that_does_not_is_never_reached_after_it(manager: str) -> None:
    head, body = QUIET.split("            with {manager}")
    text = f"{head}            if case:\n" + textwrap.indent(f"            with {{manager}}{body}", "    ")
    filled = text.replace("{manager}", manager).replace("{body}", "[][0]")
    becomes(filled.replace("{flag}", ", volatile=True"), filled.replace("{flag}", ""))


def test_a_name_may_hold_after_it_what_it_held_before_the_exception() -> None:
    covers(
        """
        import contextlib

        net = torch.nn.Linear(3, 3)

        def train(data, late):
            x = Variable(data)
            with contextlib.suppress(ValueError):
                if late:
                    raise ValueError()
                x = Variable(data.clone())
                shown = net(Variable(data, volatile=True))
                print(shown.data)
            net(x).sum().backward()
        """,
        inside=["shown = net("], outside=["net(x)", "raise"])
