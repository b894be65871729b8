"""Flags that are conditions: the text of ``set_grad_enabled``, which takes a real bool, and branches."""

from __future__ import annotations

import re

import pytest
from solving import becomes, covers, source, stays

from helpers import migrated

D6 = pytest.mark.xfail(strict=True, reason="D6: order comparisons are not repeated, though `not (epoch > 3)` could be")


@pytest.mark.parametrize(
    ("flag", "enabled"),
    [
        ("evaluating", "not evaluating"),
        ("not training", "bool(training)"),
        ("args.evaluate", "not args.evaluate"),
        ("not args.train", "bool(args.train)"),
        ("mode == 'test'", "mode != 'test'"),
        ("mode != 'train'", "mode == 'train'"),
        ("phase in names", "phase not in names"),
        ("best is None", "best is not None"),
        ("flags['infer']", "not flags['infer']"),
    ],
)
def test_the_header_is_a_real_bool(flag, enabled):
    name = flag.removeprefix("not ").split()[0].split(".")[0].split("[")[0]
    more = ", names" if "names" in flag else ""
    becomes(
        f"""
        def run(net, data, {name}{more}):
            x = Variable(data, volatile={flag})
            y = net(x)
            return y
        """,
        f"""
        def run(net, data, {name}{more}):
            x = Variable(data)
            with torch.set_grad_enabled({enabled}):
                y = net(x)
            return y
        """,
    )


def test_a_flag_on_self_is_asked_again():
    becomes(
        """
        class Model(torch.nn.Module):
            def run(self, data):
                y = self.net(Variable(data, volatile=not self.training))
                return y
        """,
        """
        class Model(torch.nn.Module):
            def run(self, data):
                with torch.set_grad_enabled(self.training):
                    y = self.net(Variable(data))
                return y
        """,
    )


def test_an_attribute_called_training_of_any_class_is_made_a_bool():
    becomes(
        """
        class Runner:
            def run(self, data):
                y = self.net(Variable(data, volatile=not self.training))
                return y
        """,
        """
        class Runner:
            def run(self, data):
                with torch.set_grad_enabled(bool(self.training)):
                    y = self.net(Variable(data))
                return y
        """,
    )


@D6
def test_a_comparison_of_order_is_repeated_with_not():
    """``epoch <= 3`` would say something else of a NaN."""
    becomes(
        """
        def run(net, data, epoch):
            y = net(Variable(data, volatile=epoch > 3))
            return y
        """,
        """
        def run(net, data, epoch):
            with torch.set_grad_enabled(not (epoch > 3)):
                y = net(Variable(data))
            return y
        """,
    )


@pytest.mark.xfail(strict=True, reason="D7: `a and b` as a flag is not repeated, though it could be")
def test_a_flag_that_is_an_and_is_negated_as_a_whole():
    becomes(
        """
        def run(net, data, a, b):
            y = net(Variable(data, volatile=a and b))
            return y
        """,
        """
        def run(net, data, a, b):
            with torch.set_grad_enabled(not (a and b)):
                y = net(Variable(data))
            return y
        """,
    )


def test_a_conditional_expression_as_a_flag_is_its_condition():
    becomes(
        """
        def run(net, data, train):
            y = net(Variable(data, volatile=False if train else True))
            return y
        """,
        """
        def run(net, data, train):
            with torch.set_grad_enabled(bool(train)):
                y = net(Variable(data))
            return y
        """,
    )


def test_a_flag_that_has_a_name_is_asked_by_that_name():
    becomes(
        """
        def run(net, data, flags):
            evaluating = next(flags)
            y = net(Variable(data, volatile=evaluating))
            return y
        """,
        """
        def run(net, data, flags):
            evaluating = next(flags)
            with torch.set_grad_enabled(not evaluating):
                y = net(Variable(data))
            return y
        """,
    )


NETWORK = """
    from blocks import build


    class Network(torch.nn.Module):
        def __init__(self):
            super(Network, self).__init__()
            self.body, width = build({given})
            self.score = build(width)

        def forward(self, x):
            out = self.body(x)
            if self.training:
                self.loss = self.score(Variable(x.data)).sum()
            return out


    network = Network()
    network.eval()
    x = Variable(torch.ones(2), volatile=True)
    out = network(x)
    print(out.data)
    """


def test_a_part_that_was_made_without_the_network_does_not_switch_it():
    text = NETWORK.replace("{given}", "3")
    block = "with torch.no_grad():\n        out = network(x)"
    becomes(text, text.replace(", volatile=True", "").replace("out = network(x)", block))


def test_a_part_that_was_given_the_network_may_switch_it():
    stays(NETWORK.replace("{given}", "self"), "mixed-statement")
    stays(NETWORK.replace("{given}", "3").replace("self.score =", "self.body = self.train\n            self.score ="),
          "mixed-statement")


def test_training_and_evaluation_share_a_function():
    becomes(
        """
        def run(net, data, train):
            x = Variable(data, volatile=not train)
            loss = net(x).sum()
            if train:
                loss.backward()
            return loss.data
        """,
        """
        def run(net, data, train):
            x = Variable(data)
            with torch.set_grad_enabled(bool(train)):
                loss = net(x).sum()
            if train:
                loss.backward()
            return loss.data
        """,
    )


def test_a_pair_of_branches_that_both_construct_shares_one_header():
    becomes(
        """
        def run(net, data, train):
            if train:
                x = Variable(data)
            else:
                x = Variable(data, volatile=True)
            loss = net(x).sum()
            if train:
                loss.backward()
            return loss.data
        """,
        """
        def run(net, data, train):
            x = Variable(data)
            with torch.set_grad_enabled(bool(train)):
                loss = net(x).sum()
            if train:
                loss.backward()
            return loss.data
        """,
    )


def test_a_branch_that_does_all_of_it_holds_the_block():
    becomes(
        """
        def run(net, data, train):
            if train:
                y = net(Variable(data))
                y.sum().backward()
            else:
                y = net(Variable(data, volatile=True))
            return y.data
        """,
        """
        def run(net, data, train):
            if train:
                y = net(Variable(data))
                y.sum().backward()
            else:
                with torch.no_grad():
                    y = net(Variable(data))
            return y.data
        """,
    )


def test_a_training_step_behind_a_branch_is_not_taken_into_its_block():
    covers(
        """
        def run(net, data, verbose):
            if verbose:
                y = net(Variable(data, volatile=True))
                print(y)
            net(Variable(data)).sum().backward()
        """,
        inside=["y = net("],
        outside=["backward()"],
    )


def test_a_flag_that_is_constant_in_its_scope_is_that_constant():
    becomes(
        """
        def evaluate(net, data):
            volatile = True
            y = net(Variable(data, volatile=volatile))
            return y.data
        """,
        """
        def evaluate(net, data):
            with torch.no_grad():
                y = net(Variable(data))
            return y.data
        """,
    )


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flag",
    [
        "next(flags)",
        "flags.pop()",
        "flags() > 1",
        "random.random() < 0.5",
    ],
)
def test_a_condition_with_an_effect_is_refused(flag):
    stays(
        f"""
        import random


        def run(net, data, flags):
            x = Variable(data, volatile={flag})
            y = net(x)
            return y
        """,
        "condition-not-repeatable",
    )


def test_a_condition_that_is_reassigned_before_the_operation_is_refused():
    stays(
        """
        def run(net, data, evaluating):
            x = Variable(data, volatile=evaluating)
            evaluating = not evaluating
            y = net(x)
            return y
        """,
        "condition-not-repeatable",
    )


@pytest.mark.parametrize(("switch", "reason"), [("eval", "not-provable"), ("train", "condition-not-repeatable")])
def test_training_is_not_asked_again_behind_a_call_that_switches_it(switch, reason):
    stays(
        f"""
        class Model(torch.nn.Module):
            def run(self, data):
                x = Variable(data, volatile=not self.training)
                self.{switch}()
                y = self.net(x)
                return y
        """,
        reason,
    )


@pytest.mark.parametrize("between", ["self.flag = False", "self.toggle()"])
def test_an_attribute_that_is_written_in_between_is_refused(between):
    stays(
        f"""
        class Model:
            def toggle(self):
                self.flag = not self.flag

            def run(self, data):
                x = Variable(data, volatile=self.flag)
                {between}
                y = self.net(x)
                return y
        """,
        "condition-not-repeatable",
    )


def test_an_input_that_is_volatile_in_some_rounds_only_is_refused():
    stays(
        """
        def run(net, rows, done):
            x = Variable(rows[0])
            for row in rows:
                y = net(x)
                if done(row):
                    y.sum().backward()
                else:
                    x = Variable(row, volatile=True)
        """,
        "mixed-statement",
    )


PICKED = """
    def pick(o):
        if o.first:
            return o.kind
        if o.second:
            return o.other
        if o.third:
            return o.last
        if o.fourth:
            return o.least
        return o.none

    def run(net, x, o):
        kind = pick(o)
        if kind == 'test':
            v = Variable(x, volatile=True)
        else:
            v = Variable(x)
        {between}
        y = net(v)
        if kind != 'test':
            y.sum().backward()
        return y
    """


@pytest.mark.parametrize("between", ["print(kind)", "o = None", "o.kind = 'test'"])
def test_a_question_about_one_of_many_things_is_one_condition(between):
    result = covers(PICKED.format(between=between), inside=["net(v)"], outside=["backward"])
    assert "torch.set_grad_enabled(kind != 'test')" in result.outputs["a.py"].decode()


@pytest.mark.parametrize("between", ["kind = o.kind", "kind = x.kind", "kind = pick(x)"])
def test_the_same_question_about_something_else_is_another_condition(between):
    stays(PICKED.format(between=between), reason="not-provable")


WHOLE = """
def say(net, start, words=None, free=False, rest=None):
    if free:
        words = None
    if {test}:
        x = words
    else:
        x = Variable(start, volatile=True)
    {between}
    y = net(x)
    return y
"""


@pytest.mark.parametrize(("test", "between"), [
    ("words is not None", "words = rest"),  # by then the same words ask something else
    ("words is not None", "words = x"),
    ("words is not None", "for words in rest:\n        print(words)"),
    ("take(words) is not None", "pass"),
    ("words.pop() is not None", "pass"),
    ("words is not None", "del words"),
    ("words", "print(words)"), ("words", "words.clear()"),  # what is in it may have changed
])
def test_a_test_that_would_ask_something_else_by_then_is_not_asked_again(test, between):
    stays(WHOLE.format(test=test, between=between), reason="condition-not-repeatable")


def test_a_test_that_hangs_on_several_questions_is_asked_again_as_a_whole():
    before = WHOLE.format(test="words is not None", between="print(free)")
    becomes(before, before.replace(", volatile=True", "").replace(
        "    y = net(x)", "    with torch.set_grad_enabled(words is not None):\n        y = net(x)"))


SWITCHED = """
def say(net, start, rows=None, quiet="auto", rest=None):
    if quiet == "auto":
        quiet = {made}
    if rows is None:
        x = start.clone()
        {again}
        if quiet:
            x = Variable(x, volatile=True)
    else:
        x = rows[0]
    {between}
    y = net(x)
    return y
"""


@pytest.mark.parametrize("made", [
    "torch.cuda.is_available()", "isinstance(net, nn.Module)", "hasattr(net, 'eval')", "any(rest)",
    "rest is not None",
])
def test_a_switch_that_is_bound_on_one_way_is_asked_again_beside_another_question(made):
    before = SWITCHED.format(made=made, again="print(start)", between="print(rest)")
    becomes(before, before.replace(", volatile=True", "").replace(
        "    y = net(x)", "    with torch.set_grad_enabled(not quiet or rows is not None):\n        y = net(x)"))


@pytest.mark.parametrize(("made", "again", "between"), [
    ("hasattr(net, 'eval')", "pass", "quiet = rest"),  # by then it says something else
    ("hasattr(net, 'eval')", "pass", "quiet.clear()"),  # somebody may empty what it stands for
    ("hasattr(net, 'eval')", "pass", "rest(quiet)"),
    ("hasattr(net, 'eval')", "pass", "for quiet in rest:\n        print(quiet)"),
    ("rest", "pass", "rest.clear()"),  # under its other name
    ("rest.rows", "pass", "rest.rows.clear()"),
    ("rest()", "pass", "pass"),  # nobody knows what that is
])
def test_a_switch_that_may_say_something_else_by_then_is_not_asked_again(made, again, between):
    stays(SWITCHED.format(made=made, again=again, between=between), reason="condition-not-repeatable")


@pytest.mark.parametrize("made", [
    "torch.cuda.is_available()", "torch.is_tensor(start)", "hasattr(net, 'eval')", "any(rest)", "callable(rest)",
    "issubclass(rest, dict)", "not rest and torch.cuda.is_available()",
])
def test_what_gives_true_or_false_says_the_same_as_often_as_its_name_is_asked(made):
    before = f"""
    def say(net, x, rest):
        quiet = {made}
        if quiet:
            x = Variable(x, volatile=True)
        y = net(x)
        return y
    """
    becomes(before, before.replace(", volatile=True", "").replace(
        "y = net(x)", "with torch.set_grad_enabled(not quiet):\n            y = net(x)"))


@pytest.mark.parametrize(("test", "between"), [
    ("rest", "rest.clear()"), ("not rest", "rest.append(x)"), ("rest", "rest.pop()"), ("rest", "del rest[0]"),
    ("not rest", "rest['x'] = x"), ("not rest", "rest.update(more)"), ("rest", "emptied(rest)"),
    ("more in rest", "rest.remove(more)"), ("more not in rest", "rest.add(more)"),
    ("rest", "for each in more:\n            rest.discard(each)"),
    ("self.rest", "self.rest.clear()"), ("self.rest", "rest = self.rest\n        rest.pop()"),
])
def test_how_much_is_in_a_container_is_not_asked_again_once_something_came_or_went(test, between):
    stays(f"""
    def emptied(rows):
        rows.clear()


    class Say:
        def say(self, net, x, rest, more):
            if {test}:
                x = Variable(x, volatile=True)
            {between.replace("        rest", "            rest")}
            y = net(x)
            return y
    """, reason="condition-not-repeatable")


@pytest.mark.parametrize("between", ["more.clear()", "more[0] = 1", "print(rest)", "print(rest[0])"])
def test_a_container_in_which_nothing_came_or_went_is_asked_again(between):
    before = f"""
    def say(net, x, rest, more):
        if rest:
            x = Variable(x, volatile=True)
        {between}
        y = net(x)
        return y
    """
    becomes(before, before.replace(", volatile=True", "").replace(
        "y = net(x)", "with torch.set_grad_enabled(not rest):\n            y = net(x)"))


def test_what_gives_true_or_false_is_asked_anew_by_each_call():
    stays("""
    def say(net, x, rest):
        if any(rest):
            x = Variable(x, volatile=True)
        rest.clear()
        if any(rest):
            print(x)
        y = net(x)
        return y
    """, reason="condition-not-repeatable")


def test_a_test_in_a_loop_asks_something_else_in_each_round():
    stays("""
    def say(net, start, words, rest):
        for free in rest:
            if free:
                words = None
            if words is not None:
                x = words
            else:
                x = Variable(start, volatile=True)
            words = net(x)
        return words
    """, reason="mixed-statement")


def rated(asked: str, other: str, between: str = "", made: str = "Variable(rows, volatile=True)") -> str:
    """A function with two arms of which the second makes something volatile, and the test of a block in it."""
    return f"""
        def rate(net, rows, part, how, wide):
            {between or 'print(how)'}
            if {asked}:
                x = Variable(rows)
            elif {other}:
                x = {made}
            return net(x)
        """


def asked_in(body: str) -> list[str]:
    text = migrated(source(body).encode()).outputs.get("a.py", b"").decode()
    return re.findall(r"with torch\.(?:set_grad_enabled\((.*)\)|no_grad\(\)):", text)


@pytest.mark.parametrize(("asked", "other", "enabled"), [
    ("part == 'fit'", "part == 'look'", "part == 'fit'"),
    ("part in ['fit']", "part in ['look', 'try']", "part in ['fit']"),
    ("part == 'fit'", "how == 'slow' or wide", "part == 'fit'"),
    ("part in ('fit', 'more')", "wide", "part in ('fit', 'more')"),
])
def test_a_way_that_binds_no_name_ends_where_the_name_is_read(asked, other, enabled):
    assert asked_in(rated(asked, other)) == [enabled]


@pytest.mark.parametrize("between", ["x = Variable(how)", "for x in how: pass", "with how as x: pass"])
def test_a_name_that_has_a_value_before_is_read_on_every_way(between):
    assert asked_in(rated("part == 'fit'", "how == 'slow'", between)) == ["part == 'fit' or how != 'slow'"]


def test_somebody_who_catches_what_is_raised_goes_on():
    body = rated("part == 'fit'", "how == 'slow'").replace("return net(x)", "try:\n                return net(x)\n"
                                                           "            except Exception:\n                return 0")
    assert asked_in(body) == ["part == 'fit' or how != 'slow'"]


def test_a_list_that_is_written_out_is_asked_again_and_no_list_that_may_change():
    flag = "Variable(rows, volatile=part in {})"
    assert asked_in(rated("wide", "True", made=flag.format("('look', 'try')"))) == ["bool(wide) or part not in "
                                                                                   "('look', 'try')"]
    assert asked_in(rated("wide", "True", made=flag.format("[wide, 'try']"))) == []


def test_a_question_that_only_another_answer_allows_is_asked_behind_it():
    body = """
        def rate(net, rows, extra):
            if extra is None:
                x = Variable(rows)
            elif extra.quiet:
                x = Variable(rows, volatile=True)
            else:
                x = Variable(rows)
            return net(x)
        """
    assert asked_in(body) == ["extra is None or not extra.quiet"]


@pytest.mark.parametrize("before", [
    "if part == 'fit': return None", "if part == 'fit': net = how\n            elif part == 'look': net = wide",
    "if part == 'fit': raise ValueError(part)\n            if how: return 0",
])
def test_what_led_to_a_block_is_not_asked_again(before):
    body = f"""
        def rate(nets, rows, part, how, wide, still, quiet):
            {before}
            x = Variable(rows, volatile=still and quiet)
            return {"net" if "net = " in before else "nets"}(x)
        """
    assert asked_in(body) == ["not still or not quiet"]


def test_a_condition_does_not_say_of_a_word_what_it_says_already():
    becomes(
        """
        def run(net, rows, mode):
            for row in rows:
                if mode in ["learn"]:
                    x = Variable(row)
                elif mode in ["show"]:
                    x = Variable(row, volatile=True)
                y = net(x)
                if mode in ["learn"]:
                    y.sum().backward()
        """,
        """
        def run(net, rows, mode):
            for row in rows:
                if mode in ["learn"]:
                    x = Variable(row)
                elif mode in ["show"]:
                    x = Variable(row)
                with torch.set_grad_enabled(mode not in ['show']):
                    y = net(x)
                if mode in ["learn"]:
                    y.sum().backward()
        """,
    )
