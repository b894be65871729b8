"""Values in lists and dictionaries of which not every key, place or length is known."""

from __future__ import annotations

from solving import becomes, stays


def test_what_is_read_back_by_items_is_covered():
    becomes(
        """
    def evaluate(net, batches):
        outputs = {}
        for name, x in batches:
            outputs[name] = net(Variable(x, volatile=True))
        for name, out in outputs.items():
            print(name, net.loss(out))
    """,
        """
    def evaluate(net, batches):
        outputs = {}
        for name, x in batches:
            with torch.no_grad():
                outputs[name] = net(Variable(x))
        with torch.no_grad():
            for name, out in outputs.items():
                print(name, net.loss(out))
    """,
    )


def test_a_list_that_setdefault_makes_holds_what_is_appended_to_it():
    becomes(
        """
    def evaluate(net, batches):
        seen = {}
        for name, x in batches:
            found = seen.setdefault(name, [])
            found.append(net(Variable(x, volatile=True)))
        return seen['a'][0].data
    """,
        """
    def evaluate(net, batches):
        seen = {}
        for name, x in batches:
            found = seen.setdefault(name, [])
            with torch.no_grad():
                found.append(net(Variable(x)))
        return seen['a'][0].data
    """,
    )


def test_what_a_key_that_nobody_knows_finds_may_be_the_volatile_entry():
    becomes(
        """
    def evaluate(net, x, key):
        parts = {'a': Variable(x, volatile=True)}
        out = net(parts.get(key, None))
        return out.data
    """,
        """
    def evaluate(net, x, key):
        parts = {'a': Variable(x)}
        with torch.no_grad():
            out = net(parts.get(key, None))
        return out.data
    """,
    )


def test_a_key_that_a_dictionary_does_not_hold_finds_the_default_and_keeps_its_graph():
    becomes(
        """
    def train(net, x, t):
        flags = {'a': Variable(t, volatile=True)}
        hidden = flags.get('b', x)
        loss = net(hidden)
        loss.backward()
        return net(flags['a']).data
    """,
        """
    def train(net, x, t):
        flags = {'a': Variable(t)}
        hidden = flags.get('b', x)
        loss = net(hidden)
        loss.backward()
        with torch.no_grad():
            return net(flags['a']).data
    """,
    )


def test_a_popped_entry_is_covered_and_the_other_one_is_not():
    becomes(
        """
    def step(net, x, t):
        batch = {'input': Variable(x, volatile=True), 'other': Variable(t)}
        target = batch.pop('other')
        out = net(batch.pop('input'))
        return out.data, target
    """,
        """
    def step(net, x, t):
        batch = {'input': Variable(x), 'other': Variable(t)}
        target = batch.pop('other')
        with torch.no_grad():
            out = net(batch.pop('input'))
        return out.data, target
    """,
    )


def test_a_popped_entry_that_trains_keeps_its_graph():
    becomes(
        """
    def step(net, x, t):
        batch = {'input': Variable(x, volatile=True), 'other': Variable(t)}
        net(batch.pop('other')).sum().backward()
        out = net(batch.pop('input', None))
        return out.data
    """,
        """
    def step(net, x, t):
        batch = {'input': Variable(x), 'other': Variable(t)}
        net(batch.pop('other')).sum().backward()
        with torch.no_grad():
            out = net(batch.pop('input', None))
        return out.data
    """,
    )


def test_what_is_popped_by_a_key_that_nobody_knows_is_covered():
    becomes(
        """
    def step(net, x, key):
        batch = {'input': Variable(x, volatile=True)}
        out = net(batch.pop(key, 0))
        return out.data
    """,
        """
    def step(net, x, key):
        batch = {'input': Variable(x)}
        with torch.no_grad():
            out = net(batch.pop(key, 0))
        return out.data
    """,
    )


def test_what_is_assigned_to_a_slice_is_found_in_it():
    becomes(
        """
    def step(net, xs):
        parts = [None, None, None]
        parts[0:2] = [Variable(x, volatile=True) for x in xs]
        out = net(parts[0])
        return out.data
    """,
        """
    def step(net, xs):
        parts = [None, None, None]
        parts[0:2] = [Variable(x) for x in xs]
        with torch.no_grad():
            out = net(parts[0])
        return out.data
    """,
    )


def test_every_second_element_of_a_volatile_list_is_volatile():
    becomes(
        """
    def step(net, xs):
        parts = [Variable(x, volatile=True) for x in xs]
        out = net(parts[::2][0])
        return out.data
    """,
        """
    def step(net, xs):
        parts = [Variable(x) for x in xs]
        with torch.no_grad():
            out = net(parts[::2][0])
        return out.data
    """,
    )


def test_a_list_that_is_cleared_in_a_loop_is_covered_where_it_is_read():
    becomes(
        """
    def step(net, xs, y):
        parts = []
        for x in xs:
            parts.append(Variable(x, volatile=True))
            out = net(parts[-1])
            parts.clear()
        net(Variable(y)).sum().backward()
        return out.data
    """,
        """
    def step(net, xs, y):
        parts = []
        for x in xs:
            parts.append(Variable(x))
            with torch.no_grad():
                out = net(parts[-1])
            parts.clear()
        net(Variable(y)).sum().backward()
        return out.data
    """,
    )


def test_a_list_that_grows_long_is_still_known_to_hold_volatile_values():
    becomes(
        """
    def step(net, x):
        outs = []
        outs.append(net.a0(Variable(x, volatile=True)))
        outs.append(net.a1(outs[-1]))
        outs.append(net.a2(outs[-1]))
        outs.append(net.a3(outs[-1]))
        outs.append(net.a4(outs[-1]))
        outs.append(net.a5(outs[-1]))
        outs.append(net.a6(outs[-1]))
        outs.append(net.a7(outs[-1]))
        outs.append(net.a8(outs[-1]))
        outs.append(net.a9(outs[-1]))
        outs.append(net.a10(outs[-1]))
        outs.append(net.a11(outs[-1]))
        outs.append(net.a12(outs[-1]))
        outs.append(net.a13(outs[-1]))
        outs.append(net.a14(outs[-1]))
        outs.append(net.a15(outs[-1]))
        outs.append(net.a16(outs[-1]))
        outs.append(net.a17(outs[-1]))
        outs.append(net.a18(outs[-1]))
        outs.append(net.a19(outs[-1]))
        outs.append(net.a20(outs[-1]))
        outs.append(net.a21(outs[-1]))
        outs.append(net.a22(outs[-1]))
        outs.append(net.a23(outs[-1]))
        outs.append(net.a24(outs[-1]))
        outs.append(net.a25(outs[-1]))
        return net.top(outs[0]).data
    """,
        """
    def step(net, x):
        outs = []
        with torch.no_grad():
            outs.append(net.a0(Variable(x)))
            outs.append(net.a1(outs[-1]))
            outs.append(net.a2(outs[-1]))
            outs.append(net.a3(outs[-1]))
            outs.append(net.a4(outs[-1]))
            outs.append(net.a5(outs[-1]))
            outs.append(net.a6(outs[-1]))
            outs.append(net.a7(outs[-1]))
            outs.append(net.a8(outs[-1]))
            outs.append(net.a9(outs[-1]))
            outs.append(net.a10(outs[-1]))
            outs.append(net.a11(outs[-1]))
            outs.append(net.a12(outs[-1]))
            outs.append(net.a13(outs[-1]))
            outs.append(net.a14(outs[-1]))
            outs.append(net.a15(outs[-1]))
            outs.append(net.a16(outs[-1]))
            outs.append(net.a17(outs[-1]))
            outs.append(net.a18(outs[-1]))
            outs.append(net.a19(outs[-1]))
            outs.append(net.a20(outs[-1]))
            outs.append(net.a21(outs[-1]))
            outs.append(net.a22(outs[-1]))
            outs.append(net.a23(outs[-1]))
            outs.append(net.a24(outs[-1]))
            outs.append(net.a25(outs[-1]))
            return net.top(outs[0]).data
    """,
    )


def test_a_list_repeated_as_often_as_nobody_knows_holds_its_values():
    becomes(
        """
    def step(net, x, n):
        v = Variable(x, volatile=True)
        vs = [v] * n
        outs = [net(e) for e in vs]
        return outs[0].data
    """,
        """
    def step(net, x, n):
        v = Variable(x)
        vs = [v] * n
        with torch.no_grad():
            outs = [net(e) for e in vs]
        return outs[0].data
    """,
    )


def test_a_repeated_list_of_values_that_train_keeps_their_graphs():
    becomes(
        """
    def step(net, x, n):
        v = Variable(x, volatile=True)
        w = [Variable(x)] * n
        net(w[0]).sum().backward()
        return net(v).data
    """,
        """
    def step(net, x, n):
        v = Variable(x)
        w = [Variable(x)] * n
        net(w[0]).sum().backward()
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_the_fields_of_a_namedtuple_are_told_apart():
    becomes(
        """
    import collections
    Batch = collections.namedtuple('Batch', ['image', 'label'])
    def step(net, x, y):
        b = Batch(Variable(x, volatile=True), Variable(y))
        out = net(b.image)
        net(b.label).sum().backward()
        return out.data
    """,
        """
    import collections
    Batch = collections.namedtuple('Batch', ['image', 'label'])
    def step(net, x, y):
        b = Batch(Variable(x), Variable(y))
        with torch.no_grad():
            out = net(b.image)
        net(b.label).sum().backward()
        return out.data
    """,
    )


def test_a_method_of_a_list_under_another_name_puts_values_into_it():
    becomes(
        """
    def step(net, xs):
        outs = []
        add = outs.append
        for x in xs:
            add(net(Variable(x, volatile=True)))
        return [o.data for o in outs]
    """,
        """
    def step(net, xs):
        outs = []
        add = outs.append
        for x in xs:
            add(torch.no_grad()(net)(Variable(x)))
        return [o.data for o in outs]
    """,
    )


def test_a_bound_backward_that_is_kept_in_a_dictionary_demands_its_graph():
    becomes(
        """
    class Net:
        def loss(self, out):
            return out.sum()
    def step(net, x, y):
        keep = {'f': None}
        v = Variable(x, volatile=True)
        keep['f'] = net(Variable(y)).backward
        out = net(v)
        keep['f']()
        return out.data
    """,
        """
    class Net:
        def loss(self, out):
            return out.sum()
    def step(net, x, y):
        keep = {'f': None}
        v = Variable(x)
        keep['f'] = net(Variable(y)).backward
        with torch.no_grad():
            out = net(v)
        keep['f']()
        return out.data
    """,
    )


def test_values_zipped_with_others_that_train_are_told_apart():
    becomes(
        """
    def step(net, x, y):
        v = Variable(x, volatile=True)
        for a, b in zip([v, v], [Variable(y), Variable(y)]):
            print(net(a).data)
            net(b).sum().backward()
    """,
        """
    def step(net, x, y):
        v = Variable(x)
        for a, b in zip([v, v], [Variable(y), Variable(y)]):
            with torch.no_grad():
                print(net(a).data)
            net(b).sum().backward()
    """,
    )


def test_a_value_written_into_an_array_of_numbers_is_no_reason_to_refuse():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        out = x.numpy()
        out[0] = v
        return net(v).data
    """,
        """
    def step(net, x):
        v = Variable(x)
        out = x.numpy()
        out[0] = v
        with torch.no_grad():
            return net(v).data
    """,
    )


def test_methods_of_a_module_in_a_list_are_called_under_one_block():
    becomes(
        """
    def step(net, x):
        v = Variable(x, volatile=True)
        for f in [net.encode, net.decode]:
            v = f(v)
        return v.data
    """,
        """
    def step(net, x):
        v = Variable(x)
        with torch.no_grad():
            for f in [net.encode, net.decode]:
                v = f(v)
        return v.data
    """,
    )


def test_a_dictionary_that_a_comprehension_makes_holds_volatile_values():
    becomes(
        """
    def step(net, xs):
        outs = {k: net(Variable(x, volatile=True)) for k, x in xs.items()}
        keys = {k for k in outs}
        firsts = {o.data for o in outs.values()}
        return outs['a'].data, firsts, keys
    """,
        """
    def step(net, xs):
        with torch.no_grad():
            outs = {k: net(Variable(x)) for k, x in xs.items()}
        keys = {k for k in outs}
        firsts = {o.data for o in outs.values()}
        return outs['a'].data, firsts, keys
    """,
    )


def test_an_entry_that_is_deleted_does_not_count_for_the_others():
    becomes(
        """
    def step(net, xs):
        outs = {}
        outs['a'] = net(Variable(xs[0], volatile=True))
        outs['b'] = Variable(xs[1])
        del outs['a']
        net(outs['b']).sum().backward()
    """,
        """
    def step(net, xs):
        outs = {}
        with torch.no_grad():
            outs['a'] = net(Variable(xs[0]))
        outs['b'] = Variable(xs[1])
        del outs['a']
        net(outs['b']).sum().backward()
    """,
    )


def test_copies_of_volatile_values_are_volatile():
    becomes(
        """
    import copy
    def step(net, x):
        v = Variable(x, volatile=True)
        w = copy.copy(v)
        u = copy.deepcopy([w, {'a': w}])
        return net(u[0]).data, net(u[1]['a']).data
    """,
        """
    import copy
    def step(net, x):
        v = Variable(x)
        w = copy.copy(v)
        u = copy.deepcopy([w, {'a': w}])
        with torch.no_grad():
            return net(u[0]).data, net(u[1]['a']).data
    """,
    )


def test_builtins_hand_volatile_values_on():
    becomes(
        """
    def step(net, xs):
        vs = [Variable(x, volatile=True) for x in xs]
        for i, v in enumerate(reversed(vs)):
            print(i, net(v).data)
        outs = list(map(net, vs))
        best = max(outs, key=lambda o: o.data[0])
        first, *rest = sorted(outs, key=id)
        both = dict(zip('ab', outs))
        return net(best).data, net(first).data, net(both['a']).data
    """,
        """
    def step(net, xs):
        vs = [Variable(x) for x in xs]
        with torch.no_grad():
            for i, v in enumerate(reversed(vs)):
                print(i, net(v).data)
            outs = list(map(net, vs))
            best = max(outs, key=lambda o: o.data[0])
            first, *rest = sorted(outs, key=id)
            both = dict(zip('ab', outs))
            return net(best).data, net(first).data, net(both['a']).data
    """,
    )


def test_dictionaries_made_of_others_hold_their_values():
    becomes(
        """
    def step(net, batch):
        inputs = {'x': Variable(batch, volatile=True)}
        more = {**inputs, 'y': 1}
        both = dict(inputs, z=2)
        both.update(more)
        return net(**both).data
    """,
        """
    def step(net, batch):
        inputs = {'x': Variable(batch)}
        more = {**inputs, 'y': 1}
        both = dict(inputs, z=2)
        both.update(more)
        with torch.no_grad():
            return net(**both).data
    """,
    )


def test_stars_hand_volatile_values_over():
    becomes(
        """
    def show(net, a, b=None, *rest, **named):
        return net(a), net(rest[0]), net(named['c'])
    def step(net, x):
        v = Variable(x, volatile=True)
        out = show(net, *[v, 1, v], c=v)
        return out[0].data
    """,
        """
    def show(net, a, b=None, *rest, **named):
        return net(a), net(rest[0]), net(named['c'])
    def step(net, x):
        v = Variable(x)
        with torch.no_grad():
            out = show(net, *[v, 1, v], c=v)
        return out[0].data
    """,
    )


def test_a_default_that_trains_in_place_of_an_entry_keeps_its_graph():
    becomes(
        """
    def step(net, x, y, key):
        parts = {'a': Variable(x, volatile=True)}
        out = net(parts['a'])
        found = parts.get('b', Variable(y))
        net(found).sum().backward()
        return out.data
    """,
        """
    def step(net, x, y, key):
        parts = {'a': Variable(x)}
        with torch.no_grad():
            out = net(parts['a'])
        found = parts.get('b', Variable(y))
        net(found).sum().backward()
        return out.data
    """,
    )


def test_slices_of_slices_hold_volatile_values():
    becomes(
        """
    def step(net, xs):
        vs = [Variable(x, volatile=True) for x in xs]
        for v in vs[1:][::1]:
            print(net(v).data)
        return net(vs[:-1][0]).data
    """,
        """
    def step(net, xs):
        vs = [Variable(x) for x in xs]
        with torch.no_grad():
            for v in vs[1:][::1]:
                print(net(v).data)
            return net(vs[:-1][0]).data
    """,
    )


def test_a_field_of_a_record_is_replaced_beside_a_call_that_may_train():
    played = """
    from collections import namedtuple

    Step = namedtuple('Step', ('seen', 'valued', 'earned'))


    def play(net, game, last):
        steps = []
        for _ in range(10):
            {valued}
            steps.append(Step(game.seen, valued, game.turn(valued.data)))
        steps[-1] = steps[-1]._replace(earned=steps[-1].earned + game.end(1))
        if last > -1:
            steps[last] = steps[last]._replace(earned=steps[last].earned + game.end(2))
        return [step.valued.data for step in steps]
    """
    becomes(played.format(valued="valued = net(Variable(game.seen, volatile=True))"),
            played.format(valued="with torch.no_grad():\n                valued = net(Variable(game.seen))"))


def test_what_a_field_gets_is_computed_without_a_graph_and_the_call_beside_it_keeps_its_own():
    becomes("""
    from collections import namedtuple

    Step = namedtuple('Step', ('seen', 'valued', 'earned'))


    def play(net, game):
        step = Step(game.seen, Variable(game.seen, volatile=True), 1)
        step = step._replace(earned=step.valued * net.weight + game.end(1))
        return step.earned.data
    """, """
    from collections import namedtuple

    Step = namedtuple('Step', ('seen', 'valued', 'earned'))


    def play(net, game):
        step = Step(game.seen, Variable(game.seen), 1)
        step = step._replace(earned=((step.valued * net.weight).detach() + game.end(1)).detach())
        return step.earned.data
    """)


def test_who_takes_the_parts_of_something_unseen_is_not_said_to_mix_tensors():
    site, = stays("""
    import collections

    def nested(make, things):
        if isinstance(things, str):
            return make(things)
        elif isinstance(things, collections.abc.Sequence):
            return [nested(make, each) for each in things]
        elif isinstance(things, collections.abc.Set):
            return {nested(make, each) for each in things}
        elif isinstance(things, (dict, collections.abc.Mapping)):
            return {key: nested(make, each) for key, each in things.items()}
        else:
            return make(things)

    def _frozen(x):
        if torch.is_tensor(x):
            x = Variable(x)
        if isinstance(x, Variable):
            x.volatile = True
        return x

    def frozen(things):
        return nested(_frozen, things)
    """, reason="mixed-statement").sites
    assert site.message.startswith("takes parts of what may hold volatile tensors and ones with a graph")
