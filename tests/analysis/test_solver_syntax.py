"""Statements and spellings of all ages: each carries a flag, or what the flag made, to where it is used."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import becomes, stays

from helpers import check_noop, check_transformed, migrated


def test_the_data_may_be_given_by_keyword():
    becomes(
        """
    def step(net, x):
        v = Variable(data=x, volatile=True)
        return net(v).data
    """,
        """
    def step(net, x):
        v = Variable(data=x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_packed_sequences_are_volatile_as_their_data_is():
    becomes(
        """
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
    def step(rnn, x, lengths):
        v = Variable(x, volatile=True)
        packed = pack_padded_sequence(v, lengths, batch_first=True)
        out, h = rnn(packed)
        out, _ = pad_packed_sequence(out)
        return out.data
    """,
        """
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
    def step(rnn, x, lengths):
        v = Variable(x)
        packed = pack_padded_sequence(v, lengths, batch_first=True)
        with torch.no_grad():
            out, h = rnn(packed)
        out, _ = pad_packed_sequence(out)
        return out.data
    """,
    )


def test_a_hook_on_a_volatile_value_raised_in_the_past_and_is_refused():
    stays(
        """
    def step(net, x, hook):
        v = net(Variable(x, volatile=True))
        v.register_hook(hook)
        return v.data
    """,
        reason="gradient-demanded",
    )


def test_a_transposed_value_is_volatile():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        return net(v.T).data
    """,
        """
    def step(net, x):
        v = Variable(x)
        with torch.no_grad():
            return net(v.T).data
    """,
    )


def test_a_static_method_called_on_self_hands_its_value_over():
    becomes(
        """
    class A:
        @staticmethod
        def lift(x):
            return Variable(x, volatile=True)
        def run(self, net, x):
            return net(self.lift(x)).data
    """,
        """
    class A:
        @staticmethod
        def lift(x):
            return Variable(x)
        def run(self, net, x):
            with torch.no_grad():
                return net(self.lift(x)).data
    """,
    )


def test_a_lambda_that_yields_makes_its_function_hand_values_to_nobody_knows_whom():
    stays(
        """
    def step(net, xs):
        feed = lambda: (yield Variable(xs, volatile=True))
        for v in feed():
            print(net(v).data)
    """,
        reason="unseen-callers",
    )


def test_a_value_is_a_variable_and_no_number():
    becomes(
        """
    def step(net, x):
        if isinstance(net, str):
            net = load(net)
        v = Variable(x, volatile=True)
        if isinstance(x, (int, float)):
            return net(x)
        if isinstance(v, Variable):
            return net(v).data
        return net(x)
    """,
        """
    def step(net, x):
        if isinstance(net, str):
            net = load(net)
        v = Variable(x)
        if isinstance(x, (int, float)):
            return net(x)
        if isinstance(v, Variable):
            with torch.no_grad():
                return net(v).data
        return net(x)
    """,
    )


def test_a_value_is_a_variable_and_no_container():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        if isinstance(v, torch.autograd.Variable) and not isinstance(v, (list, tuple)):
            return net(v).data
        return None
    """,
        """
    def step(net, x):
        v = Variable(x)
        if isinstance(v, torch.autograd.Variable) and not isinstance(v, (list, tuple)):
            with torch.no_grad():
                return net(v).data
        return None
    """,
    )


def test_super_outside_of_a_class_is_something_unknown_that_is_called():
    becomes(
        """
    def make(cls):
        def forward(self, x):
            return super(cls, self).forward(x)
        return forward
    def step(net, x):
        return super().run(net(Variable(x, volatile=True)))
    """,
        """
    def make(cls):
        def forward(self, x):
            return super(cls, self).forward(x)
        return forward
    def step(net, x):
        with torch.no_grad():
            return super().run(net(Variable(x)))
    """,
    )


def test_super_in_a_function_inside_a_method_is_that_of_the_method():
    becomes(
        """
    class Base:
        def prepare(self, x):
            return Variable(x, volatile=True)
    class A(Base):
        def run(self, net, x):
            def inner():
                return super(A, self).prepare(x)
            return net(inner()).data
    """,
        """
    class Base:
        def prepare(self, x):
            return Variable(x)
    class A(Base):
        def run(self, net, x):
            def inner():
                return super(A, self).prepare(x)
            with torch.no_grad():
                return net(inner()).data
    """,
    )


def test_torch_imported_inside_the_function_is_used_by_the_name_it_has_there():
    check_transformed(
        """
    from torch.autograd import Variable
    def evaluate(net, x):
        import torch as th
        v = Variable(x, volatile=True)
        return net(v).data
    """,
        """
    from torch.autograd import Variable
    def evaluate(net, x):
        import torch as th
        v = Variable(x)
        with th.no_grad():
            return net(v).data
    """,
    )


def test_a_function_that_imports_lazily_imports_torch_lazily_too():
    check_transformed(
        """
    def evaluate(net, x):
        from torch.autograd import Variable
        v = Variable(x, volatile=True)
        return net(v).data
    """,
        """
    def evaluate(net, x):
        import torch
        from torch.autograd import Variable
        v = Variable(x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_an_import_of_a_submodule_brings_torch():
    check_transformed(
        """
    import torch.nn
    from torch.autograd import Variable
    def evaluate(net, x):
        v = Variable(x, volatile=True)
        return net(v).data
    """,
        """
    import torch.nn
    from torch.autograd import Variable
    def evaluate(net, x):
        v = Variable(x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_a_star_import_of_torch_autograd_brings_variable():
    check_transformed(
        """
    import torch
    from torch.autograd import *
    def evaluate(net, x):
        v = Variable(x, volatile=True)
        return net(v).data
    """,
        """
    import torch
    from torch.autograd import *
    def evaluate(net, x):
        v = Variable(x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_a_match_statement_stands_in_a_block_whole():
    becomes(
        """
    def evaluate(net, x, mode):
        v = Variable(x, volatile=True)
        match mode:
            case 'loss':
                out = net.loss(v)
            case ['part', *rest]:
                out = net(v)
            case {'k': 1, **other}:
                out = net(v, other)
            case _:
                out = v
        return out.data
    """,
        """
    def evaluate(net, x, mode):
        v = Variable(x)
        with torch.no_grad():
            match mode:
                case 'loss':
                    out = net.loss(v)
                case ['part', *rest]:
                    out = net(v)
                case {'k': 1, **other}:
                    out = net(v, other)
                case _:
                    out = v
        return out.data
    """,
    )


def test_a_name_that_a_pattern_binds_to_a_part_of_a_volatile_value_is_volatile():
    becomes(
        """
    def evaluate(net, x):
        v = (Variable(x, volatile=True), 1)
        match v:
            case (first, _):
                out = net(first)
        return out.data
    """,
        """
    def evaluate(net, x):
        v = (Variable(x), 1)
        with torch.no_grad():
            match v:
                case (first, _):
                    out = net(first)
        return out.data
    """,
    )


def test_a_case_that_trains_is_left_out_of_the_block():
    becomes(
        """
    def run(net, x, mode):
        match mode:
            case 'train':
                net(Variable(x)).sum().backward()
            case 'test':
                out = net(Variable(x, volatile=True))
                print(out.data)
    """,
        """
    def run(net, x, mode):
        match mode:
            case 'train':
                net(Variable(x)).sum().backward()
            case 'test':
                with torch.no_grad():
                    out = net(Variable(x))
                print(out.data)
    """,
    )


def test_a_value_kept_on_self_and_read_by_code_without_callers_is_refused():
    stays(
        """
    class Keeper:
        def keep(self, x):
            self.kept = Variable(x, volatile=True)

    def use(keeper, net):
        return net(keeper.kept)
    """,
        reason="escapes-by-attribute",
    )


def test_a_value_kept_on_self_and_read_of_an_unknown_object_is_refused():
    stays(
        """
    class Keeper:
        def __init__(self, net):
            self.net = net
        def keep(self, x):
            self.kept_input = Variable(x, volatile=True)

    def report(thing, net):
        print(thing.other.kept_input)
    """,
        reason="escapes-by-attribute",
    )


def test_a_lambda_that_hands_its_kwargs_to_variable_is_followed():
    becomes(
        """
    def evaluate(net, x, kw):
        make = lambda t, **kwargs: Variable(t, **kwargs)
        v = make(x, volatile=True)
        return net(v).data
    """,
        """
    def evaluate(net, x, kw):
        make = lambda t, **kwargs: Variable(t, **kwargs)
        v = make(x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_a_function_that_is_decorated_already_needs_no_block():
    becomes(
        """
    @torch.no_grad()
    def evaluate(net, x):
        v = Variable(x, volatile=True)
        return net(v).data
    def main(net, x):
        return evaluate(net, x)
    """,
        """
    @torch.no_grad()
    def evaluate(net, x):
        v = Variable(x)
        return net(v).data
    def main(net, x):
        return evaluate(net, x)
    """,
    )


def test_enable_grad_that_was_there_already_stays_outside_of_the_block():
    becomes(
        """
    def evaluate(net, x, y):
        v = Variable(x, volatile=True)
        out = net(v)
        with torch.enable_grad():
            net(Variable(y)).sum().backward()
        return out.data
    """,
        """
    def evaluate(net, x, y):
        v = Variable(x)
        with torch.no_grad():
            out = net(v)
        with torch.enable_grad():
            net(Variable(y)).sum().backward()
        return out.data
    """,
    )


def test_what_is_written_into_grad_touches_no_graph():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        v.grad = None
        net.weight.grad = Variable(x, volatile=True)
        return net(v).data
    """,
        """
    def step(net, x):
        v = Variable(x)
        v.grad = None
        net.weight.grad = Variable(x)
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_a_class_inside_a_function_has_its_block_in_the_method():
    becomes(
        """
    def build(x):
        class Holder:
            def run(self, net):
                return net(Variable(x, volatile=True)).data
            again = run
        return Holder()
    """,
        """
    def build(x):
        class Holder:
            def run(self, net):
                with torch.no_grad():
                    return net(Variable(x)).data
            again = run
        return Holder()
    """,
    )


def test_a_starred_target_takes_volatile_values():
    becomes(
        """
    def step(net, xs):
        a, *rest = [Variable(x, volatile=True) for x in xs]
        return net(rest[0]).data
    """,
        """
    def step(net, xs):
        a, *rest = [Variable(x) for x in xs]
        with torch.no_grad():
            return net(rest[0]).data
    """,
    )


def test_asynchronous_code_has_its_blocks_between_the_awaits():
    becomes(
        """
    async def step(net, loader):
        x = await loader.next()
        v = Variable(x, volatile=True)
        out = net(v)
        print(f"{out.data} {x!r:>{10}}")
        async for y in loader:
            w = net(Variable(y, volatile=True))
            print(w.data)
        async with loader as l:
            print(net(Variable(l, volatile=True)).data)
        return out.data
    """,
        """
    async def step(net, loader):
        x = await loader.next()
        v = Variable(x)
        with torch.no_grad():
            out = net(v)
        print(f"{out.data} {x!r:>{10}}")
        async for y in loader:
            with torch.no_grad():
                w = net(Variable(y))
            print(w.data)
        async with loader as l:
            with torch.no_grad():
                print(net(Variable(l)).data)
        return out.data
    """,
    )


def test_a_function_that_becomes_a_method_has_its_block_inside():
    becomes(
        """
    def shared(self, x):
        return self.net(Variable(x, volatile=True)).data
    class Tester:
        run = shared
    def main(t, x):
        return Tester().run(x)
    """,
        """
    def shared(self, x):
        with torch.no_grad():
            return self.net(Variable(x)).data
    class Tester:
        run = shared
    def main(t, x):
        return Tester().run(x)
    """,
    )


def test_an_annotated_attribute_holds_the_volatile_value():
    becomes(
        """
    class Tester:
        def __init__(self, x):
            self.x: object = Variable(x, volatile=True)
        def run(self, net):
            return net(self.x).data
    """,
        """
    class Tester:
        def __init__(self, x):
            self.x: object = Variable(x)
        def run(self, net):
            with torch.no_grad():
                return net(self.x).data
    """,
    )


def test_a_value_that_leaves_by_nonlocal_for_functions_that_nobody_was_seen_to_call_is_refused():
    stays(
        """
    def outer(net, xs):
        out = None
        def middle():
            def inner(x):
                nonlocal out
                out = net(Variable(x, volatile=True))
            for x in xs:
                inner(x)
        middle()
        return out.data
    """,
        reason="escapes-by-global",
    )


def test_a_lambda_that_also_trains_is_covered_in_its_volatile_part_alone():
    becomes(
        """
    def step(net, xs, w):
        run = lambda x: (net(Variable(x, volatile=True)).data, net(Variable(w)))
        for x in xs:
            data, out = run(x)
            out.sum().backward()
        return data
    """,
        """
    def step(net, xs, w):
        run = lambda x: (torch.no_grad()(net)(Variable(x)).data, net(Variable(w)))
        for x in xs:
            data, out = run(x)
            out.sum().backward()
        return data
    """,
    )


def test_a_generator_has_its_blocks_on_both_sides_of_the_yield():
    becomes(
        """
    def batches(net, xs):
        for x in xs:
            h = net(Variable(x, volatile=True))
            yield h.data
            print(net.head(h).data)
    """,
        """
    def batches(net, xs):
        for x in xs:
            with torch.no_grad():
                h = net(Variable(x))
            yield h.data
            with torch.no_grad():
                print(net.head(h).data)
    """,
    )


def test_a_yield_inside_the_expression_that_needs_a_block_is_refused():
    stays(
        """
    def batches(net, xs):
        v = Variable(xs, volatile=True)
        for i in range(3):
            v = net((yield v.data) or v)
        yield v
    """,
        reason="yield-in-region",
    )


def test_a_call_that_is_given_what_is_sent_in_has_no_block_but_around_the_callee():
    becomes(
        """
    def batches(net, xs):
        v = Variable(xs, volatile=True)
        for i in range(3):
            v = net((yield v.data) or v)
        yield v.data
    """,
        """
    def batches(net, xs):
        v = Variable(xs)
        for i in range(3):
            v = torch.no_grad()(net)((yield v.data) or v)
        yield v.data
    """,
    )


def test_a_loop_with_an_else_stands_in_a_block_whole():
    becomes(
        """
    def step(net, xs):
        i = 0
        while i < 3:
            i += 1
            out = net(Variable(xs[i], volatile=True))
            if net(out).data[0] > 0:
                break
        else:
            return net(Variable(xs[0], volatile=True)).data
        return out.data
    """,
        """
    def step(net, xs):
        i = 0
        with torch.no_grad():
            while i < 3:
                i += 1
                out = net(Variable(xs[i]))
                if net(out).data[0] > 0:
                    break
            else:
                return net(Variable(xs[0])).data
        return out.data
    """,
    )


def test_an_endless_loop_has_its_block_inside():
    becomes(
        """
    def step(net, x, it):
        while True:
            v = Variable(next(it), volatile=True)
            out = net(v)
            if out.data[0] > 1:
                break
            elif out.data[0] > 2:
                continue
            else:
                x = out
        return x.data
    """,
        """
    def step(net, x, it):
        while True:
            v = Variable(next(it))
            with torch.no_grad():
                out = net(v)
            if out.data[0] > 1:
                break
            elif out.data[0] > 2:
                continue
            else:
                x = out
        return x.data
    """,
    )


def test_a_file_that_a_with_statement_keeps_on_self_does_not_disturb():
    becomes(
        """
    class A:
        def run(self, net, x):
            with open('f') as self.file:
                out = net(Variable(x, volatile=True))
            return out.data
    """,
        """
    class A:
        def run(self, net, x):
            with torch.no_grad():
                with open('f') as self.file:
                    out = net(Variable(x))
            return out.data
    """,
    )


def test_characters_of_several_bytes_do_not_move_the_block():
    becomes(
        """
    def step(net, x):
        print('größe', net('é').data); out = net(Variable(x, volatile=True)); print('ü', out.data)
    """,
        """
    def step(net, x):
        print('größe', net('é').data)
        with torch.no_grad():
            out = net(Variable(x))
        print('ü', out.data)
    """,
    )


def test_a_progress_bar_that_is_told_how_far_it_got_computes_nothing():
    becomes(
        """
    from tqdm import tqdm
    def evaluate(net, loader):
        bar = tqdm(loader)
        for x in bar:
            out = net(Variable(x, volatile=True))
            bar.set_description('loss')
            bar.update(1)
            out = net(out)
        return out.data
    """,
        """
    from tqdm import tqdm
    def evaluate(net, loader):
        bar = tqdm(loader)
        with torch.no_grad():
            for x in bar:
                out = net(Variable(x))
                bar.set_description('loss')
                bar.update(1)
                out = net(out)
        return out.data
    """,
    )


def test_a_bound_backward_under_another_name_is_left_out_of_the_block():
    becomes(
        """
    def step(net, x, y):
        v = Variable(x, volatile=True)
        loss = net(Variable(y)).sum()
        go = loss.backward
        out = net(v)
        go()
        return net(out).data
    """,
        """
    def step(net, x, y):
        v = Variable(x)
        loss = net(Variable(y)).sum()
        go = loss.backward
        with torch.no_grad():
            out = net(v)
        go()
        with torch.no_grad():
            return net(out).data
    """,
    )


def test_a_generator_that_another_one_yields_from_is_covered_in_its_expression():
    becomes(
        """
    def inner(net, xs):
        for x in xs:
            yield net(Variable(x, volatile=True)).data
    def outer(net, xs):
        yield from inner(net, xs)
    """,
        """
    def inner(net, xs):
        for x in xs:
            yield torch.no_grad()(net)(Variable(x)).data
    def outer(net, xs):
        yield from inner(net, xs)
    """,
    )


def test_what_a_yield_hands_out_is_covered_in_its_expression():
    becomes(
        """
    def outputs(net, xs):
        while True:
            x = yield net(Variable(xs, volatile=True)).data
            if x is None:
                return
    """,
        """
    def outputs(net, xs):
        while True:
            x = yield torch.no_grad()(net)(Variable(xs)).data
            if x is None:
                return
    """,
    )


def test_a_flag_set_by_setattr_is_a_write():
    becomes(
        """
        def step(net, x):
            v = Variable(x)
            setattr(v, 'volatile', True)
            return net(getattr(v, 'data'))
        """,
        """
        def step(net, x):
            v = Variable(x)
            return net(getattr(v, 'data'))
        """,
    )


def test_a_number_is_a_number_and_no_variable():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        n = len(x)
        if isinstance(n, int) and not isinstance(n, Variable):
            return net(v).data
        return net(x)
    """,
        """
    def step(net, x):
        v = Variable(x)
        n = len(x)
        if isinstance(n, int) and not isinstance(n, Variable):
            with torch.no_grad():
                return net(v).data
        return net(x)
    """,
    )


def test_a_bar_of_another_library_is_told_how_far_it_got_inside_the_loop():
    becomes(
        """
    from progress.bar import Bar
    def step(net, xs):
        bar = Bar('x', max=3).start()
        for x in xs:
            out = net(Variable(x, volatile=True))
            bar.finish()
            bar.next(1)
        return out.data
    """,
        """
    from progress.bar import Bar
    def step(net, xs):
        bar = Bar('x', max=3).start()
        for x in xs:
            with torch.no_grad():
                out = net(Variable(x))
            bar.finish()
            bar.next(1)
        return out.data
    """,
    )


def test_a_decorated_function_has_its_block_inside():
    becomes(
        """
    import functools
    def logged(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            print(f)
            return f(*args, **kwargs)
        return inner
    @logged
    def evaluate(net, x):
        return net(Variable(x, volatile=True)).data
    """,
        """
    import functools
    def logged(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            print(f)
            return f(*args, **kwargs)
        return inner
    @logged
    def evaluate(net, x):
        with torch.no_grad():
            return net(Variable(x)).data
    """,
    )


def test_a_generator_expression_that_sum_consumes_stands_in_the_block():
    becomes(
        """
    def step(net, xs):
        return sum(net(Variable(x, volatile=True)).data for x in xs)
    """,
        """
    def step(net, xs):
        with torch.no_grad():
            return sum(net(Variable(x)).data for x in xs)
    """,
    )


def test_attributes_of_two_kinds_of_objects_are_told_apart_by_the_condition():
    becomes(
        """
    class A:
        def __init__(self):
            self.mode = None
    class B:
        mode = 'b'
    def step(net, x, k):
        h = A() if k else B()
        if k:
            h.x = Variable(x, volatile=True)
            return net(h.x).data
        h.y = Variable(x)
        net(h.y).sum().backward()
    """,
        """
    class A:
        def __init__(self):
            self.mode = None
    class B:
        mode = 'b'
    def step(net, x, k):
        h = A() if k else B()
        if k:
            h.x = Variable(x)
            with torch.no_grad():
                return net(h.x).data
        h.y = Variable(x)
        net(h.y).sum().backward()
    """,
    )


def test_a_name_that_a_module_deletes_is_gone_and_disturbs_nothing():
    check_transformed(
        """
    import torch
    from torch.autograd import Variable
    size = torch.zeros(1)
    count = size.numel()
    del size


    def evaluate(net, x):
        print(count)
        return net(Variable(x, volatile=True)).data
    """,
        """
    import torch
    from torch.autograd import Variable
    size = torch.zeros(1)
    count = size.numel()
    del size


    def evaluate(net, x):
        print(count)
        with torch.no_grad():
            return net(Variable(x)).data
    """,
    )


def test_a_yield_among_the_arguments_stays_outside_of_what_runs_without_gradients():
    becomes(
        """
    def rows(net, xs):
        with open('f') as f:
            state = Variable(xs, volatile=True)
            for line in f:
                state = net(state, (yield line))
            yield state.data
    """,
        """
    def rows(net, xs):
        with open('f') as f:
            state = Variable(xs)
            for line in f:
                state = torch.no_grad()(net)(state, (yield line))
            yield state.data
    """,
    )


LATE = """
    from torch.autograd import Variable
    from nets import net
    x = Variable(load(), volatile=True)
    y = net(x)
    {late}
    x = Variable(load(), volatile=True)
    y = net(x)
"""


@pytest.mark.parametrize("late", ["import torch", "import torch as th", "import torch.nn", "import sys, torch"])
def test_a_block_above_the_import_of_torch_brings_its_own(late: str):
    below = "th" if late.endswith("th") else "torch"
    check_transformed(LATE.format(late=late), f"""
    import torch
    from torch.autograd import Variable
    from nets import net
    x = Variable(load())
    with torch.no_grad():
        y = net(x)
    {late}
    x = Variable(load())
    with {below}.no_grad():
        y = net(x)
    """)


def test_what_runs_when_it_is_called_finds_an_import_that_stands_below_it():
    check_transformed(
        """
    from torch.autograd import Variable
    def evaluate(net, x):
        return net(Variable(x, volatile=True)).data
    import torch as th
    """,
        """
    from torch.autograd import Variable
    def evaluate(net, x):
        with th.no_grad():
            return net(Variable(x)).data
    import torch as th
    """,
    )


@pytest.mark.parametrize("run", [
    "Variable._execution_engine.run_backward((net(y),), (x,))", "torch._C._engine(net(y), x)",
    "torch.autograd.Variable._engine.run(net(y), x)",
])
def test_what_torch_keeps_to_itself_may_train(run: str):
    stays(f"""
    def step(net, data, other):
        y = Variable(other)
        x = Variable(data, volatile=True)
        {run}
    """, reason="unknown-callee")


def test_an_operation_may_be_asked_of_the_class():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        a, b = Variable.chunk(net(v), 2)
        return a.data
    """,
        """
    def step(net, x):
        v = Variable(x)
        with torch.no_grad():
            a, b = Variable.chunk(net(v), 2)
        return a.data
    """,
    )


OF_PYTHON_2 = """
    import torch
    from torch.autograd import Variable

    def step(net, data, other):
        x = Variable(data, volatile=True)
        loss, score = net(Variable(other)).sum(), {called}(x)
        loss.backward()
        print {said}
        return score.data
"""


@pytest.mark.parametrize("called", ["net", "net.forward"])
def test_no_object_is_wrapped_in_what_raises_for_it_in_python_2(called: str):
    """Its ``functools.wraps`` asks an object for a ``__name__``."""
    check_noop(OF_PYTHON_2.format(called=called, said="'done'"), reason="mixed-statement")
    today = migrated(OF_PYTHON_2.format(called=called, said="('done')"))
    assert f"torch.no_grad()({called})(x)" in today.outputs["a.py"].decode()


@pytest.mark.parametrize("said", ["found", "(found)"])
def test_one_call_has_a_block_though_something_waits_beside_it(said: str):
    text = f"""
        import torch
        from torch.autograd import Variable

        def dump(net, names, load):
            found = []
            for chunk in names:
                rows = map(lambda name: load(name), chunk)
                rows = Variable(torch.stack(rows), volatile=True).cuda()
                feats = net(rows).data.cpu()
                found.append(feats)
            print {said}
            return found
    """
    made = migrated(text).outputs["a.py"].decode()
    assert made == dedent(text).replace(", volatile=True", "").replace(
        "        feats = net", "        with torch.no_grad():\n            feats = net")
