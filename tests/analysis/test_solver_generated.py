"""Programs that were drawn at random and decided wrongly once, cut down (``benchmarks/scopes.py`` draws more)."""

from __future__ import annotations

import pytest
from solving import becomes, source, stays

from helpers import check_holds_up, migrated

# --- code behind a backward() that 0.3 never passed ------------------------------------------------------------------


def refused_lines(body: str) -> dict[int, str | None]:
    """Line of the body (from 1) -> reason, of all refusals; what else holds of a result is checked."""
    before = source(body).encode()
    result = migrated(before)
    check_holds_up({"a.py": before}, result)
    return {site.line - 4: site.reason for site in result.sites if site.status == "refused"}


def test_a_flag_that_made_a_line_raise_is_refused_and_one_behind_that_line_is_as_if_it_had_not():
    assert refused_lines(
        """
        def program(net, data, flag):
            x = Variable(data, volatile=True)
            if flag:
                net(x).sum().backward()
                y = Variable(data, volatile=True)
            return {"x": x}
        """
    ) == {2: "gradient-demanded"}


def test_a_flag_that_made_a_line_raise_is_refused_and_a_write_behind_that_line_is_as_if_it_had_not():
    assert refused_lines(
        """
        def program(net, data, flag):
            x = Variable(data, volatile=True)
            z = Variable(data)
            if not flag:
                net(x).sum().backward()
                z.volatile = False
            return {"x": net(z)}
        """
    ) == {2: "gradient-demanded"}


def test_an_arm_that_reads_the_flag_beside_one_with_a_block_is_no_shim():
    body = """
        def program(net, data, flag):
            x = Variable(data)
            if flag:
                with torch.no_grad():
                    y = net(x)
            else:
                y = x
                if not x.volatile:
                    y = net(y)
            return {"y": y}
        """
    becomes(body, body.replace("if not x.volatile", "if True"))


# --- beside a flag that was refused, nothing relies on its effect ----------------------------------------------------


def test_the_flag_taken_off_what_a_refused_flag_made_stays():
    stays(
        """
        def program(net, data):
            x = Variable(data, volatile=True)
            for k in range(2):
                y = net(x)
                x.volatile = False
            return {"x": x, "y": y}
        """,
        "mixed-statement",
    )


def test_a_read_of_what_a_refused_flag_made_stays():
    assert refused_lines(
        """
        def program(net, data):
            x = Variable(data, volatile=True)
            z = net(x)
            if not z.volatile:
                z = z * 2
            for k in range(2):
                y = net(x)
                x.volatile = False
            return {"x": x, "y": y, "z": z}
        """
    ) == {2: "mixed-statement", 4: "volatile-read", 8: "mixed-statement"}


# --- containers ------------------------------------------------------------------------------------------------------


def after_container(lines: str) -> tuple[dict[int, str | None], str]:
    """(refusals, text after) of a program that puts a volatile ``v`` and a plain ``p`` through ``lines``."""
    body = f"""
        def program(net, data):
            v = Variable(data, volatile=True)
            p = net(Variable(data))
            {lines}
            y = net(x)
            return {{"v": v, "p": p, "y": y}}
        """
    result = migrated(source(body).encode())
    check_holds_up({"a.py": source(body).encode()}, result)
    after = result.outputs.get("a.py", source(body).encode()).decode()
    return {s.line - 4: s.reason for s in result.sites if s.status == "refused"}, after


GRAPH_STAYS = [
    "b = [v, p]; b[0] = p; x = b[0]",
    "b = [v]; b.insert(0, p); x = b[0]",
    "b = [v, p]; b.reverse(); x = b[0]",
    "b = [p, v]; b.pop(); x = b[-1]",
    "b = {'a': v}; b['a'] = p; x = b['a']",
    "b = {'a': v}; b.update({'a': p}); x = b['a']",
    "b = {'a': v}; b.update(a=p); x = b['a']",
    "b = dict({'a': v}, a=p); x = b['a']",
    "b = [v, p][1:]; x = b[0]",
    "a, *b = [v, p]; x = b[0]",
    "b = [v, p]; b[0] = p; x = sum(b)",
]


@pytest.mark.parametrize("lines", GRAPH_STAYS)
def test_what_a_container_holds_after_a_change_keeps_its_graph(lines):
    refused, after = after_container(lines)
    assert not refused
    assert "no_grad" not in after


UNKNOWN_ENTRIES = [
    "b = [v, p]; del b[0]; x = b[0]",
    "b = [v, p]; b.sort(key=id); x = b[0]",
    "b = [v, p]; b[int(data[0])] = p; x = b[0]",
    "b = {'a': v}; b[str(data)] = p; x = b['a']",
]


@pytest.mark.parametrize("lines", UNKNOWN_ENTRIES)
def test_an_entry_that_may_be_another_is_refused(lines):
    refused, after = after_container(lines)
    assert refused == {2: "condition-not-repeatable"}
    assert "no_grad" not in after


@pytest.mark.parametrize(
    "lines", ["b = [p, v]; x = b.pop()", "b = [v] * 2; x = b[1]", "b = [p]; b.extend([v]); x = b[1]"]
)
def test_a_volatile_entry_that_is_surely_taken_needs_a_block(lines):
    refused, after = after_container(lines)
    assert not refused
    assert "    with torch.no_grad():\n        y = net(x)" in after


# --- conditions that another method asks -----------------------------------------------------------------------------


def test_a_condition_on_an_attribute_that_another_method_asks_can_be_asked_here():
    becomes(
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super(Net, self).__init__()
                self.fc = torch.nn.Linear(3, 3)

            def start(self):
                return Variable(torch.zeros(2, 3), volatile=not self.training)

            def forward(self, x):
                h = self.start()
                return self.fc(x + h)
        """,
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super(Net, self).__init__()
                self.fc = torch.nn.Linear(3, 3)

            def start(self):
                return Variable(torch.zeros(2, 3))

            def forward(self, x):
                h = self.start()
                with torch.set_grad_enabled(self.training):
                    return self.fc(x + h)
        """,
    )


def test_not_where_the_attribute_is_written_in_between():
    stays(
        """
        class Trainer(object):
            def load(self, x):
                return Variable(x, volatile=self.evaluating)

            def score(self, data):
                x = self.load(data)
                self.evaluating = False
                y = self.net(x)
                return y.data.sum()
        """,
        "condition-not-repeatable",
    )


# --- loops: as many rounds as it takes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head", ["for k in range(5):", "while data[0].sum() < 5:", "for x in data:"], ids=["for", "while", "for-data"]
)
def test_a_graph_that_comes_round_in_the_third_iteration_only_is_seen(head):
    stays(
        f"""
        def program(net, tgt, data):
            a = net(Variable(data[0]))
            b, c, d = [Variable(data[1], volatile=True) for k in range(3)]
            {head}
                d = c
                c = b
                b = a
                y = tgt(d)
            return {{"y": y}}
        """,
        "mixed-statement",
    )


def test_a_volatile_value_that_comes_round_in_the_third_iteration_only_is_seen():
    stays(
        """
        def program(net, data):
            v = Variable(data[0], volatile=True)
            b, c, d = Variable(data[1]), Variable(data[2]), Variable(data[3])
            for k in range(6):
                d = c
                c = b
                b = v
                y = net(d)
            return {"y": y}
        """,
        "mixed-statement",
    )


# --- exceptions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", ["raise ValueError(flag)", "fail()"])
def test_what_was_assigned_before_a_raise_is_found_after_its_handler(leave):
    stays(
        f"""
        def fail():
            raise ValueError()

        def program(net, tgt, data, flag):
            x = Variable(data[0], volatile=True)
            p = net(Variable(data[1]))
            try:
                if flag:
                    x = p
                    {leave}
                z = x
            except ValueError:
                pass
            y = tgt(x)
            return {{"y": y, "x": x}}
        """,
        "condition-not-repeatable",
    )


# --- objects with several names --------------------------------------------------------------------------------------


def test_an_addition_in_place_reaches_whichever_object_it_is():
    becomes(
        """
        def program(net, data, flag):
            v = Variable(data[0], volatile=True)
            a = Variable(data[1])
            b = Variable(data[2])
            w = a if flag else b
            w += v
            y = net(a)
            return {"y": y}
        """,
        """
        def program(net, data, flag):
            v = Variable(data[0])
            a = Variable(data[1])
            b = Variable(data[2])
            w = a if flag else b
            w += v
            with torch.set_grad_enabled(not flag):
                y = net(a)
            return {"y": y}
        """,
    )


def test_a_copy_is_as_volatile_as_what_it_copies():
    becomes(
        """
        import copy

        def program(net, data):
            v = Variable(data[0], volatile=True)
            w = copy.deepcopy(v)
            return net(w).data
        """,
        """
        import copy

        def program(net, data):
            v = Variable(data[0])
            w = copy.deepcopy(v)
            with torch.no_grad():
                return net(w).data
        """,
    )


def test_a_volatile_attribute_of_a_name_that_is_made_up_is_refused():
    stays(
        """
        def program(net, box, data, name):
            setattr(box, "x" + name, Variable(data[0], volatile=True))
            return net(getattr(box, "x" + name)).data
        """,
        "unknown-callee",
    )


def test_a_volatile_value_written_into_what_a_call_gave_is_refused():
    stays(
        """
        def program(net, data):
            p = [net(Variable(data[0])), 1][0]
            p[0] = Variable(data[1], volatile=True)[1]
            if p.requires_grad:
                return net(p).sum()
        """,
        "write-into-graph",
    )


@pytest.mark.parametrize("call", ["reversed({})", "filter(keep, {})", "sorted({}, key=rank)"])
def test_a_list_in_another_order_keeps_the_graphs_of_its_items(call):
    refused, after = after_container(f"b = list({call.format('[p, v]')}); x = b[1]")
    assert "no_grad" not in after
    assert set(refused) == (set() if "reversed" in call else {2})


# --- what runs lazily ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["g = stream()", "g = map(net, [Variable(data[1])])"], ids=["generator", "map"])
def test_no_block_around_a_loop_over_what_computes_a_graph_lazily(start):
    refused, after = after_lazy(start)
    assert not refused
    assert "for item in g:\n        with torch.no_grad():\n            w = net(v)\n        out.append(item)" in after


@pytest.mark.parametrize("start", ["g = stream(); kept.append(g)", "g = map(net, [Variable(data[1])]); print(*[g])"])
def test_a_block_beside_what_somebody_else_may_go_over_holds_one_call_and_nothing_else(start):
    refused, after = after_lazy(start)
    assert not refused
    assert "        with torch.no_grad():\n            w = net(v)\n        out.append(item)\n" in after
    assert after.count("no_grad") == 1


def after_lazy(start: str) -> tuple[dict[int, str | None], str]:
    body = f"""
        def program(net, data):
            v = Variable(data[0], volatile=True)

            def stream():
                for k in range(2):
                    yield net(Variable(data[k]))

            kept = []
            {start}
            out = []
            for item in g:
                w = net(v)
                out.append(item)
            return {{"w": w, "o": out[0]}}
        """
    result = migrated(source(body).encode())
    check_holds_up({"a.py": source(body).encode()}, result)
    after = result.outputs.get("a.py", source(body).encode()).decode()
    return {s.line - 4: s.reason for s in result.sites if s.status == "refused"}, after


def test_a_loop_that_uses_up_a_generator_of_volatile_values_gets_its_block():
    becomes(
        """
        def program(net, data):
            def stream():
                for x in data:
                    yield net(Variable(x, volatile=True))

            for item in stream():
                print(item.data)
        """,
        """
        def program(net, data):
            def stream():
                for x in data:
                    yield torch.no_grad()(net)(Variable(x))

            for item in stream():
                print(item.data)
        """,
    )


def test_an_attribute_of_a_class_is_seen_through_its_instances():
    becomes(
        """
        def program(net, data):
            class Holder(object):
                x = None

            Holder.x = Variable(data, volatile=True)
            y = net(Holder().x)
            return {"y": y}
        """,
        """
        def program(net, data):
            class Holder(object):
                x = None

            Holder.x = Variable(data)
            with torch.no_grad():
                y = net(Holder().x)
            return {"y": y}
        """,
    )


def test_the_greatest_of_several_is_one_of_them_and_no_copy():
    becomes(
        """
        def program(net, data):
            v = Variable(data, volatile=True)
            w = max([v], key=len)
            w.volatile = False
            y = net(v)
            return {"y": y}
        """,
        """
        def program(net, data):
            v = Variable(data)
            w = max([v], key=len)
            y = net(v)
            return {"y": y}
        """,
    )


def test_a_function_that_asks_for_a_flag_does_not_ask_for_a_name_of_its_caller():
    text = """
        def twice(layer, x):
            x = layer(x)
            if not x.volatile:
                x = x * 0.5
            return layer(x)


        def step(net, judge, data, quiet):
            mode = 'test' if quiet else 'train'
            x = Variable(data, volatile=mode == 'test')
            scores = twice(net, x).sum(1)
            torch.nn.functional.cross_entropy(judge(x), scores.max(1)[1]).backward()
        """
    asks = migrated(source(text)).outputs.get("a.py", b"").decode().partition("def step")[0]
    assert "bool(quiet)" not in asks
