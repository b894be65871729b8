"""Loops, try, with, generators, lambdas, comprehensions: where a block may stand and where it may not."""

from __future__ import annotations

import pytest
from solving import becomes, covers, migrated_files, stays

# --- loops -----------------------------------------------------------------------------------------------------------


def test_the_block_stands_inside_a_loop_that_does_more():
    becomes(
        """
        def run(net, rows, other):
            for row in rows:
                y = net(Variable(row, volatile=True))
                print(y.data)
                net(Variable(other)).sum().backward()
        """,
        """
        def run(net, rows, other):
            for row in rows:
                with torch.no_grad():
                    y = net(Variable(row))
                print(y.data)
                net(Variable(other)).sum().backward()
        """,
    )


def test_a_sum_over_an_evaluation_loop_is_covered():
    covers(
        """
        def evaluate(net, rows):
            total = 0
            for row in rows:
                total += net(Variable(row, volatile=True)).sum().data[0]
            return total
        """,
        inside=["total += net("],
        outside=["return total"],
    )


def test_a_hidden_state_that_is_carried_over_rounds_is_covered():
    covers(
        """
        def sample(cell, start, length):
            h = Variable(start, volatile=True)
            for _ in range(length):
                h = cell(h)
            return h.data
        """,
        inside=["h = cell("],
        outside=["return h"],
    )


def test_a_while_loop_is_covered():
    covers(
        """
        def search(net, data):
            x = Variable(data, volatile=True)
            while x.data.sum() < 1:
                x = net(x)
            return x.data
        """,
        inside=["x = net("],
        outside=["return x"],
    )


def test_a_list_of_results_is_covered():
    covers(
        """
        def evaluate(net, rows):
            outs = []
            for row in rows:
                outs.append(net(Variable(row, volatile=True)))
            return torch.cat(outs).data
        """,
        inside=["outs.append(net("],
        outside=["return torch"],
    )


def test_volatile_and_training_rounds_of_one_list_are_told_apart():
    becomes(
        """
        def run(net, rows, other):
            outs = [net(Variable(row, volatile=True)) for row in rows]
            loss = net(Variable(other)).sum()
            loss.backward()
            return [out.data for out in outs]
        """,
        """
        def run(net, rows, other):
            with torch.no_grad():
                outs = [net(Variable(row)) for row in rows]
            loss = net(Variable(other)).sum()
            loss.backward()
            return [out.data for out in outs]
        """,
    )


def test_a_loop_with_a_break_stays_a_loop_with_a_break():
    becomes(
        """
        def first(net, rows, other):
            for row in rows:
                y = net(Variable(row, volatile=True))
                if y.data.sum() > 0:
                    break
            net(Variable(other)).sum().backward()
            return y.data
        """,
        """
        def first(net, rows, other):
            for row in rows:
                with torch.no_grad():
                    y = net(Variable(row))
                if y.data.sum() > 0:
                    break
            net(Variable(other)).sum().backward()
            return y.data
        """,
    )


# --- try and with ----------------------------------------------------------------------------------------------------


def test_an_evaluation_in_a_try_is_covered():
    covers(
        """
        def careful(net, data, other):
            try:
                y = net(Variable(data, volatile=True))
            except RuntimeError:
                return None
            net(Variable(other)).sum().backward()
            return y.data
        """,
        inside=["y = net("],
        outside=["backward()"],
    )


def test_a_block_stands_inside_a_with():
    becomes(
        """
        def timed(net, data, clock):
            with clock:
                y = net(Variable(data, volatile=True))
                net(Variable(data)).sum().backward()
            return y.data
        """,
        """
        def timed(net, data, clock):
            with clock:
                with torch.no_grad():
                    y = net(Variable(data))
                net(Variable(data)).sum().backward()
            return y.data
        """,
    )


def test_an_evaluation_that_runs_under_no_grad_already_loses_only_the_flag():
    becomes(
        """
        def evaluate(net, data):
            with torch.no_grad():
                y = net(Variable(data, volatile=True))
            return y.data
        """,
        """
        def evaluate(net, data):
            with torch.no_grad():
                y = net(Variable(data))
            return y.data
        """,
    )


# --- deferred code ---------------------------------------------------------------------------------------------------


def test_a_lambda_runs_under_no_grad_as_an_expression():
    becomes(
        """
        def ranker(net):
            score = lambda row: net(Variable(row, volatile=True)).data
            return score
        """,
        """
        def ranker(net):
            score = torch.no_grad()(lambda row: net(Variable(row)).data)
            return score
        """,
    )


def test_a_comprehension_is_covered_by_its_statement():
    becomes(
        """
        def evaluate(net, rows):
            outs = [net(Variable(row, volatile=True)).data for row in rows]
            return outs
        """,
        """
        def evaluate(net, rows):
            with torch.no_grad():
                outs = [net(Variable(row)).data for row in rows]
            return outs
        """,
    )


def test_a_generator_expression_that_is_consumed_at_once_is_covered():
    becomes(
        """
        def evaluate(net, rows):
            total = sum(net(Variable(row, volatile=True)).data.sum() for row in rows)
            return total
        """,
        """
        def evaluate(net, rows):
            with torch.no_grad():
                total = sum(net(Variable(row)).data.sum() for row in rows)
            return total
        """,
    )


def test_a_generator_expression_that_is_returned_carries_no_grad_itself():
    becomes(
        """
        def outputs(net, rows):
            return (net(Variable(row, volatile=True)) for row in rows)
        """,
        """
        def outputs(net, rows):
            return (torch.no_grad()(net)(Variable(row)) for row in rows)
        """,
    )


def test_a_yield_stays_outside_the_block():
    becomes(
        """
        def outputs(net, rows):
            for row in rows:
                y = net(Variable(row, volatile=True))
                yield y.data
        """,
        """
        def outputs(net, rows):
            for row in rows:
                with torch.no_grad():
                    y = net(Variable(row))
                yield y.data
        """,
    )


def test_a_yielded_call_runs_under_no_grad_on_its_own():
    becomes(
        """
        def outputs(net, rows):
            for row in rows:
                yield net(Variable(row, volatile=True))
        """,
        """
        def outputs(net, rows):
            for row in rows:
                yield torch.no_grad()(net)(Variable(row))
        """,
    )


@pytest.mark.xfail(strict=True, reason="D3: no_grad around the making of a coroutine does nothing")
def test_an_awaited_call_is_refused():
    stays(
        """
        async def outputs(net, rows):
            return await net(Variable(rows, volatile=True))
        """,
        "yield-in-region",
    )


def test_an_evaluation_between_awaits_has_a_block_without_them():
    becomes(
        """
        async def serve(net, queue):
            data = await queue.get()
            y = net(Variable(data, volatile=True))
            await queue.put(y.data)
        """,
        """
        async def serve(net, queue):
            data = await queue.get()
            with torch.no_grad():
                y = net(Variable(data))
            await queue.put(y.data)
        """,
    )


def test_a_generator_that_yields_volatile_values_to_nobody_in_sight_is_refused():
    stays(
        """
        def batches(rows):
            for row in rows:
                yield Variable(row, volatile=True)
        """,
        "unseen-callers",
    )


def test_a_generator_that_yields_volatile_values_to_a_loop_in_sight_is_covered_there():
    covers(
        """
        def batches(rows):
            for row in rows:
                yield Variable(row, volatile=True)


        def evaluate(net, rows):
            total = 0
            for x in batches(rows):
                y = net(x)
                total += y.data.sum()
            return total
        """,
        inside=["y = net("],
        outside=["yield ", "return total"],
    )


def test_an_elif_header_calls_under_no_grad():
    becomes(
        """
        def pick(net, data, eager):
            x = Variable(data, volatile=True)
            if eager:
                return 0
            elif net(x).data.sum() > 0:
                net(Variable(data)).sum().backward()
                return 1
            return 2
        """,
        """
        def pick(net, data, eager):
            x = Variable(data)
            if eager:
                return 0
            elif torch.no_grad()(net)(x).data.sum() > 0:
                net(Variable(data)).sum().backward()
                return 1
            return 2
        """,
    )


def test_a_nested_function_has_its_own_block():
    becomes(
        """
        def outer(net, data):
            def inner():
                y = net(Variable(data, volatile=True))
                return y.data

            net(Variable(data)).sum().backward()
            return inner()
        """,
        """
        def outer(net, data):
            def inner():
                with torch.no_grad():
                    y = net(Variable(data))
                return y.data

            net(Variable(data)).sum().backward()
            return inner()
        """,
    )


# --- left alone ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "def batches(rows):\n    for row in rows:\n        yield Variable(row)\n",
        "make = lambda row: Variable(row, requires_grad=True)\n",
        "def outer(net):\n    return [net(Variable(row)) for row in range(3)]\n",
        "async def serve(net, data):\n    return await net(Variable(data))\n",
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x * Variable(torch.ones(1))\n",
        "try:\n    import torch\nexcept ImportError:\n    Variable = None\n",
        "volatile = True\n\n\ndef step(net, data):\n    net(Variable(data)).sum().backward()\n",
        "def step(net, data, volatile=False):\n    print(volatile)\n    net(Variable(data)).sum().backward()\n",
    ],
    ids=[
        "a generator without volatile",
        "a lambda that asks for requires_grad",
        "a comprehension without volatile",
        "a coroutine without volatile",
        "a module that builds a Variable of its own",
        "an import guarded by try",
        "a name volatile that nobody hands on",
        "a parameter volatile that nobody hands on",
    ],
)
def test_it_stays(body):
    stays(body)


@pytest.mark.parametrize(
    "body",
    [
        """
        import torch.version

        if torch.__version__ >= '0.4':
            def to_var(data):
                return Variable(data)
        else:
            def to_var(data):
                return Variable(data, volatile=True)
        """,
        """
        def evaluate(net, data):
            if hasattr(torch, 'no_grad'):
                with torch.no_grad():
                    return net(Variable(data))
            else:
                return net(Variable(data, volatile=True))
        """,
        """
        def evaluate(net, data):
            x = Variable(data) if hasattr(torch, 'no_grad') else Variable(data, volatile=True)
            return net(x)
        """,
    ],
    ids=["by version", "by hasattr", "in an expression"],
)
def test_a_shim_for_both_versions_is_kept(body):
    result = stays(body)
    assert [site.status for site in result.sites] == ["kept"]


def test_a_shim_by_exception_is_kept():
    result = stays(
        """
        def evaluate(net, data):
            try:
                with torch.no_grad():
                    return net(Variable(data))
            except AttributeError:
                return net(Variable(data, volatile=True))
        """
    )
    assert [site.status for site in result.sites] == ["kept"]


# --- elements that are there on some paths only ----------------------------------------------------------------------

EITHER = """
def step(net, a, b, flag):
    xs = []
    if flag:
        xs.append(Variable(a{volatile}))
    else:
        xs.append(Variable(b))
"""


def test_an_element_of_the_other_arm_is_not_forgotten_by_a_loop():
    becomes(
        EITHER.format(volatile=", volatile=True")
        + """
    for x in xs:
        out = net(x)
    return out
""",
        EITHER.format(volatile="")
        + """
    with torch.set_grad_enabled(not flag):
        for x in xs:
            out = net(x)
    return out
""",
    )


def test_a_loop_that_trains_on_the_other_arm_s_element_keeps_its_gradients():
    body = """    for x in xs:
{}        out = net(x)
{}        if not flag:
{}            out.sum().backward()
    return out.data
"""
    becomes(
        EITHER.format(volatile=", volatile=True") + body.format("", "", ""),
        EITHER.format(volatile="")
        + body.format("        with torch.set_grad_enabled(not flag):\n    ", "", ""),
    )


def test_what_a_comprehension_raises_ends_the_path():
    becomes(
        """
        def only_tensors(rows):
            return [given(row) for row in rows]


        def given(row):
            if not torch.is_tensor(row):
                raise TypeError(row)
            return Variable(row, volatile=True)


        def evaluate(net, rows):
            y = net(only_tensors(rows))
            return y.data
        """,
        """
        def only_tensors(rows):
            return [given(row) for row in rows]


        def given(row):
            if not torch.is_tensor(row):
                raise TypeError(row)
            return Variable(row)


        def evaluate(net, rows):
            with torch.no_grad():
                y = net(only_tensors(rows))
            return y.data
        """,
    )


def test_what_a_generator_expression_raises_ends_no_path_of_whoever_makes_it():
    covers(
        """
        def given(row):
            if row is None:
                raise TypeError(row)
            return row


        def step(net, rows, data, other):
            later = (given(row) for row in rows)
            y = net(Variable(data, volatile=True)).data
            net(Variable(other)).sum().backward()
            return later, y
        """,
        inside=["y = net("],
        outside=["backward()"],
    )


NAMED = """
NEW = {question}


def to_var(x, volatile=False):
    if NEW:
        return Variable(x)
    else:
        return Variable(x, volatile=volatile)


def evaluate(net, data):
    return net(to_var(data, volatile=True)).data
"""


@pytest.mark.parametrize("question", ['torch.__version__ >= "0.4"', 'hasattr(torch, "no_grad")'])
def test_a_shim_that_asks_by_a_name_is_kept_with_what_feeds_it(question):
    result = stays(NAMED.format(question=question))
    assert [site.status for site in result.sites] == ["kept", "kept"]


@pytest.mark.parametrize("question", ["True", 'os.environ["NEW"]', "torch.cuda.is_available()"])
def test_a_name_that_asks_something_else_is_no_shim(question):
    files = {"a.py": "import os\n" + NAMED.format(question=question)}
    result, _ = migrated_files(files)
    assert "kept" not in {site.status for site in result.sites}


def test_a_chain_whose_elif_asks_is_wrapped_from_its_if():
    becomes(
        """
        def pick(net, data, eager):
            if eager:
                y = 1
            elif net(Variable(data, volatile=True)).data[0] > 3:
                y = 2
            return y
        """,
        """
        def pick(net, data, eager):
            with torch.no_grad():
                if eager:
                    y = 1
                elif net(Variable(data)).data[0] > 3:
                    y = 2
            return y
        """,
    )


def test_a_chain_whose_second_elif_asks_is_wrapped_from_its_if():
    becomes(
        """
        def pick(net, data, eager, lazy):
            if eager:
                y = 1
            elif lazy:
                y = 2
            elif net(Variable(data, volatile=True)).data[0] > 3:
                y = 3
            return y
        """,
        """
        def pick(net, data, eager, lazy):
            with torch.no_grad():
                if eager:
                    y = 1
                elif lazy:
                    y = 2
                elif net(Variable(data)).data[0] > 3:
                    y = 3
            return y
        """,
    )


def test_an_if_of_its_own_in_an_else_keeps_its_own_block():
    becomes(
        """
        def pick(net, data, eager):
            if eager:
                y = 1
            else:
                if net(Variable(data, volatile=True)).data[0] > 3:
                    y = 2
            return y
        """,
        """
        def pick(net, data, eager):
            if eager:
                y = 1
            else:
                with torch.no_grad():
                    if net(Variable(data)).data[0] > 3:
                        y = 2
            return y
        """,
    )
