"""Who calls is known, though no call stands in the file: loops, autograd."""

from __future__ import annotations

import pytest
from solving import becomes, covers, files_become, source, stays

from helpers import migrated

# --- loops call __iter__, __next__, __getitem__ ----------------------------------------------------------------------


def test_a_loop_over_an_object_goes_over_what_its_iter_yields():
    becomes(
        """
        class Batches:
            def __init__(self, rows):
                self.rows = rows

            def __iter__(self):
                for row in self.rows:
                    yield Variable(row, volatile=True)

        def evaluate(net, rows):
            total = 0
            for batch in Batches(rows):
                total += net(batch).data[0]
            return total
        """,
        """
        class Batches:
            def __init__(self, rows):
                self.rows = rows

            def __iter__(self):
                for row in self.rows:
                    yield Variable(row)

        def evaluate(net, rows):
            total = 0
            with torch.no_grad():
                for batch in Batches(rows):
                    total += net(batch).data[0]
            return total
        """,
    )


def test_each_object_has_its_own_flag_across_files():
    files_become(
        {
            "batches.py": """
            class Batches(object):
                def __init__(self, rows, off=False):
                    self.rows, self.off = rows, off

                def __iter__(self):
                    for row in self.rows:
                        yield Variable(row, volatile=self.off)
            """,
            "main.py": """
            import torch
            from batches import Batches

            def run(net, rows):
                for batch in Batches(rows):
                    net(batch).sum().backward()
                return [net(batch) for batch in Batches(rows, off=True)]
            """,
        },
        {
            "batches.py": """
            class Batches(object):
                def __init__(self, rows, off=False):
                    self.rows, self.off = rows, off

                def __iter__(self):
                    for row in self.rows:
                        yield Variable(row)
            """,
            "main.py": """
            import torch
            from batches import Batches

            def run(net, rows):
                for batch in Batches(rows):
                    net(batch).sum().backward()
                with torch.no_grad():
                    return [net(batch) for batch in Batches(rows, off=True)]
            """,
        },
    )


@pytest.mark.parametrize("name", ["__next__", "next"])
def test_an_object_may_be_its_own_iterator(name: str):
    body = f"""
        class Batches:
            def __iter__(self):
                return self

            def {name}(self):
                return Variable(torch.rand(3)FLAG)

        def evaluate(net):
            FIRST
        """
    becomes(
        body.replace("FLAG", ", volatile=True").replace("FIRST", "for b in Batches():\n                net(b)"),
        body.replace("FLAG", "").replace(
            "FIRST", "with torch.no_grad():\n                for b in Batches():\n                    net(b)"
        ),
    )


def test_a_loop_asks_getitem_where_there_is_no_iter():
    becomes(
        """
        class Rows:
            def __getitem__(self, index):
                if index > 3:
                    raise IndexError
                return Variable(torch.rand(3), volatile=True)

        def evaluate(net):
            return [net(row).data for row in Rows()]
        """,
        """
        class Rows:
            def __getitem__(self, index):
                if index > 3:
                    raise IndexError
                return Variable(torch.rand(3))

        def evaluate(net):
            with torch.no_grad():
                return [net(row).data for row in Rows()]
        """,
    )


def test_an_iterable_that_nobody_goes_over_is_left_alone():
    stays(
        """
        class Batches:
            def __iter__(self):
                yield Variable(torch.rand(3), volatile=True)
        """,
        reason="unseen-callers",
    )


# --- autograd calls backward -----------------------------------------------------------------------------------------


def test_a_volatile_gradient_of_an_operation_is_a_gradient():
    result = becomes(
        """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t):
                return t * 2

            @staticmethod
            def backward(ctx, g):
                return Variable(g.data * 2, volatile=True)
        """,
        """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t):
                return t * 2

            @staticmethod
            def backward(ctx, g):
                return Variable(g.data * 2)
        """,
    )
    (site,) = result.sites
    assert any("a.py:11" in sentence and "autograd" in sentence for sentence in site.evidence)


def test_an_operation_of_the_old_style_in_another_file():
    files_become(
        {
            "ops.py": """
            from torch.autograd import Function, Variable

            class Base(Function):
                pass
            """,
            "twice.py": """
            from torch.autograd import Variable
            from ops import Base

            class Twice(Base):
                def backward(self, g):
                    grad = Variable(g.data, volatile=True)
                    return grad * self.factor
            """,
        },
        {
            "twice.py": """
            from torch.autograd import Variable
            from ops import Base

            class Twice(Base):
                def backward(self, g):
                    grad = Variable(g.data)
                    return grad * self.factor
            """,
        },
    )


def test_a_backward_that_is_called_by_its_class_is_a_function_like_any_other():
    stays(
        """
        class Twice(torch.autograd.Function):
            @staticmethod
            def backward(ctx, g):
                return Variable(g.data * 2, volatile=True)

        def check(ctx, g, seen):
            seen.append(Twice.backward)
        """,
        reason="unseen-callers",
    )


def test_a_method_called_backward_of_another_class_is_a_method_like_any_other():
    stays(
        """
        class Chain:
            def backward(self, g):
                return Variable(g, volatile=True)
        """,
        reason="unseen-callers",
    )


NAMESAKES = """
    import torch.nn as nn
    cell, net = nn.LSTMCell(3, 3), nn.Linear(3, 3)

    class Player(object):
        def __init__(self, training):
            self.training = training

        def forget(self, training=True):
            self.hidden = Variable(torch.zeros(1, 3), volatile=not training)

        def cut(self):
            self.hidden = Variable(self.hidden.data)

        def advance(self, x):
            self.hidden = cell(x, self.hidden)
            return net(self.hidden)

    class Learner(Player):
        def learn(self, rows):
            self.forget()
            for row in rows:
                self.cut()
                loss = self.advance(Variable(row)).sum()
                loss.backward()

    class Evaluator(Player):
        def evaluate(self, rows):
            self.forget(self.training)
            for row in rows:
                self.cut()
                y = self.advance(Variable(row, volatile=True))
                print(y.data)

    {other}
    """
OTHER = """class Other({base}):
        def advance(self, x):
            return net(x)

        def run(self, x):
            return self.advance(x)
    """


@pytest.mark.parametrize("other", [
    OTHER.format(base="object"), OTHER.format(base="Player"), OTHER.format(base="nn.Module"),
    OTHER.format(base="make()"),  # whatever that is, it comes after the class itself
    OTHER.format(base="object") + "\n    class Both(Other, Player):\n        pass",
])
def test_a_method_that_another_class_has_under_the_same_name_is_not_called_there(other):
    covers(NAMESAKES.replace("{other}", other), inside=["y = self.advance"], outside=["loss =", "return net"])


@pytest.mark.parametrize("other", [
    OTHER.format(base="object") + "\n    class Both(Player, Other):\n        pass",
    OTHER.format(base="object") + "\n    class Mid(Other):\n        pass\n\n    class Both(Player, Mid):\n        pass",
    "def run(players, x):\n        for player in players:\n            player.advance(x)",
])
def test_a_class_that_may_have_the_method_from_elsewhere_may_call_it(other):
    before = source(NAMESAKES.replace("{other}", other))
    result = migrated(before)
    assert "state-mixed" in {site.reason for site in result.sites}
    assert b"volatile=not training" in result.outputs.get("a.py", before.encode())
