"""Values that may be None, tables of functions and classes, and conditional constructions."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, source, stays

from helpers import migrated

# --- None stays None -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "element",
    [
        "t if t is None else Variable(tFLAG)",
        "None if t is None else Variable(tFLAG)",
        "Variable(tFLAG) if t is not None else t",
        "Variable(tFLAG) if t is not None else None",
    ],
)
def test_what_is_none_is_not_computed_on(element: str):
    body = f"""
        def wrap(ts):
            return [{element} for t in ts]

        def evaluate(net, a, b):
            x = wrap([a, b])[0]
            BLOCKreturn net(x)
        """
    becomes(
        body.replace("FLAG", ", volatile=True").replace("BLOCK", ""),
        body.replace("FLAG", "").replace("BLOCK", "with torch.no_grad():\n                "),
    )


def test_a_statement_may_ask_for_none_too():
    becomes(
        """
        def evaluate(net, hidden):
            if hidden is not None:
                hidden = Variable(hidden, volatile=True)
            return net(hidden)
        """,
        """
        def evaluate(net, hidden):
            if hidden is not None:
                hidden = Variable(hidden)
            with torch.no_grad():
                return net(hidden)
        """,
    )


def test_across_files_and_under_a_flag():
    files_become(
        {
            "wrap.py": """
            def wrap(ts, off=False):
                return [t if t is None else Variable(t, volatile=off) for t in ts]
            """,
            "main.py": """
            import torch
            from wrap import wrap

            def run(net, a, b, still):
                x = wrap([a, b], off=still)
                y = net(*x)
                return y * 2
            """,
        },
        {
            "wrap.py": """
            def wrap(ts):
                return [t if t is None else Variable(t) for t in ts]
            """,
            "main.py": """
            import torch
            from wrap import wrap

            def run(net, a, b, still):
                x = wrap([a, b])
                with torch.set_grad_enabled(not still):
                    y = net(*x)
                return y * 2
            """,
        },
    )


def test_a_network_that_takes_none_for_a_sign_is_asked_about():
    becomes(
        """
        class Generator(torch.nn.Module):
            def forward(self, z):
                if z is None:
                    z = self.noise()
                return self.body(z)

        def run(net, zs):
            for z in zs:
                seen = z if z is None else Variable(z, volatile=True)
                y = net(seen)
                zs.keep(y)
        """,
        """
        class Generator(torch.nn.Module):
            def forward(self, z):
                if z is None:
                    z = self.noise()
                return self.body(z)

        def run(net, zs):
            for z in zs:
                seen = z if z is None else Variable(z)
                with torch.set_grad_enabled(z is None):
                    y = net(seen)
                zs.keep(y)
        """,
    )


def test_gradients_that_are_asked_where_the_value_was_none_are_not_lost():
    stays(
        """
        def run(net, x):
            seen = x if x is None else Variable(x, volatile=True)
            y = net(seen)
            if x is None:
                y.sum().backward()
        """,
        reason="gradient-demanded",
    )


FITS_OR_JUDGES = """
    def run(net, judge, rows, trains=False):
        {made}
        {block}loss = judge(net(x))
        if {asked}:
            loss.backward()
        print(loss.data[0])
    """


@pytest.mark.parametrize(
    "made",
    [
        "x = Variable(rows{flag}) if rows is not None else rows",
        "x = rows if rows is None else Variable(rows{flag})",
        "x = [Variable(row{flag}) if row is not None else None for row in rows]",
        "x = rows\n        if x is not None:\n            x = Variable(x{flag})",
    ],
)
def test_where_the_flag_is_off_none_is_nothing_that_a_block_would_be_for(made: str):
    block = "with torch.set_grad_enabled(trains):\n            "
    becomes(
        FITS_OR_JUDGES.format(made=made.format(flag=", volatile=not trains"), block="", asked="trains"),
        FITS_OR_JUDGES.format(made=made.format(flag=""), block=block, asked="trains"),
    )


@pytest.mark.parametrize("asked", ["trains or rows is None", "rows is None", "net.fits"])
def test_where_the_flag_may_be_on_gradients_of_what_was_none_are_not_lost(asked: str):
    made = "x = Variable(rows, volatile=not trains) if rows is not None else rows"
    stays(FITS_OR_JUDGES.format(made=made, block="", asked=asked), reason="gradient-demanded")


def test_a_helper_makes_batches_with_parts_that_are_not_there_to_fit_or_to_judge():
    body = """
        def batch_of(rows, quiet=False):
            return [Variable(row{quiet}) if row is not None else row for row in rows]

        def one(net, rows, quiet=False):
            x = batch_of(rows{handed})
            {block}return net(x)

        def run(net, rows, judge, fits=False):
            for row in rows:
                {outer}loss = judge(one(net, row, quiet=not fits))
                if fits:
                    loss.backward()
        """
    result = migrated(source(body.format(quiet=", volatile=quiet", handed=", quiet=quiet", block="", outer="")))
    assert not [site for site in result.sites if site.status == "refused"]
    after = result.outputs["a.py"].decode()
    assert "set_grad_enabled(fits)" in after
    assert "volatile" not in after


# --- one of two constructions ----------------------------------------------------------------------------------------


def test_both_ways_through_a_try_are_volatile():
    becomes(
        """
        def evaluate(net, data):
            try:
                x = Variable(data.cuda(), volatile=True)
            except RuntimeError:
                x = Variable(data, volatile=True)
            return net(x).data
        """,
        """
        def evaluate(net, data):
            try:
                x = Variable(data.cuda())
            except RuntimeError:
                x = Variable(data)
            with torch.no_grad():
                return net(x).data
        """,
    )


def test_one_of_two_constructions_is_volatile():
    becomes(
        """
        def forward(net, data, train):
            x = Variable(data) if train else Variable(data, volatile=True)
            return net(x)
        """,
        """
        def forward(net, data, train):
            x = Variable(data)
            with torch.set_grad_enabled(bool(train)):
                return net(x)
        """,
    )


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_function_out_of_a_table_across_files():
    files_become(
        {
            "making.py": """
            def still(data, off=False):
                return Variable(data, volatile=off)

            MAKERS = {'still': still}
            """,
            "main.py": """
            import torch
            from making import MAKERS

            def evaluate(net, data):
                return net(MAKERS['still'](data, off=True)).data

            def train(net, data):
                net(MAKERS['still'](data, off=False)).sum().backward()
            """,
        },
        {
            "making.py": """
            def still(data, off=False):
                return Variable(data)

            MAKERS = {'still': still}
            """,
            "main.py": """
            import torch
            from making import MAKERS

            def evaluate(net, data):
                with torch.no_grad():
                    return net(MAKERS['still'](data, off=True)).data

            def train(net, data):
                net(MAKERS['still'](data, off=False)).sum().backward()
            """,
        },
    )


def test_a_class_out_of_a_table_under_a_condition():
    becomes(
        """
        class Base(object):
            def __init__(self, net):
                self.net = net

            def wrap(self, data):
                return Variable(data)

            def run(self, data):
                return self.net(self.wrap(data))

        class Still(Base):
            def wrap(self, data):
                return Variable(data, volatile=True)

        class Moving(Base):
            pass

        KINDS = {'still': Still, 'moving': Moving}

        def run(net, data, off):
            return KINDS['still' if off else 'moving'](net).run(data)
        """,
        """
        class Base(object):
            def __init__(self, net):
                self.net = net

            def wrap(self, data):
                return Variable(data)

            def run(self, data):
                return self.net(self.wrap(data))

        class Still(Base):
            def wrap(self, data):
                return Variable(data)

        class Moving(Base):
            pass

        KINDS = {'still': Still, 'moving': Moving}

        def run(net, data, off):
            with torch.set_grad_enabled(not off):
                return KINDS['still' if off else 'moving'](net).run(data)
        """,
    )


def test_a_table_that_nobody_looks_into_is_left_alone():
    stays(
        """
        def still(data):
            return Variable(data, volatile=True)

        MAKERS = [still]
        """,
        reason="unseen-callers",
    )
