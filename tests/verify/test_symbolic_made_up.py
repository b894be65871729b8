"""How inputs are made up, and what stand-ins answer, where a run would end for want of it."""

from __future__ import annotations

import ast
import textwrap

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

from voltfix.verify.symbolic import extra  # noqa: E402


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(*rest): return rest", 2),
        ("def f(*rest): return rest[:8], rest[8:16], rest[16:]", 17),
        ("def f(*rest): return rest[5]", 6),
        ("def f(*rest): return rest[-3]", 2),
        ("def f(*rest):\n  left = list(rest)\n  return [left.pop(0), left.pop(0), left.pop(0)]", 3),
        ("def f(*rest):\n  it = iter(rest)\n  return next(it), next(it), next(it), next(it)", 4),
        ("def f(*rest, other): return other[9], rest", 2),
        ("def f(*rest): return rest[:10**9], rest[5000]", 64),
    ],
)
def test_extra_arguments_are_as_many_as_the_text_takes_out_of_them(text: str, count: int):
    assert extra.wanted("rest", ast.walk(ast.parse(text))) == count


def test_a_function_that_takes_many_extra_arguments_comes_to_its_end():
    before = """
    def f(net, x, *rest):
        rest = list(rest)
        first = rest.pop(0); second = rest.pop(0); third = rest.pop(0)
        y = net(Variable(x * first, volatile=True), second)
        return y * third
    """
    check(textwrap.dedent(before))


def test_what_takes_a_hook_away_again_is_there():
    before = """
    def f(net, x, keep):
        handle = net.inner.register_forward_hook(keep)
        handle = net.register_forward_hook(lambda module, given, made: keep.append(made.data))
        y = net(Variable(x, volatile=True))
        handle.remove()
        return y
    """
    check(textwrap.dedent(before))


def test_a_number_is_made_of_a_text_that_an_unknown_was_put_into():
    before = """
    def f(net, x, size):
        y = net(Variable(x, volatile=True))
        rate = float('{:.3f}'.format(size / 3)) * int('%d' % size)
        return y, rate
    """
    before = textwrap.dedent(before)
    check(before)
    assert judge(before.replace("'{:.3f}'.format(size / 3)", "'rate'"), with_block(before))[0] != "identical"


@pytest.mark.parametrize("asks", ["type(x).__module__ == 'numpy'", "x.__class__.__module__ == 'numpy'"])
def test_where_the_class_of_an_unknown_is_from_goes_both_ways(asks: str):
    before = f"""
    def f(net, x):
        if {asks}:
            x = torch.from_numpy(x)
        elif not torch.is_tensor(x):
            raise ValueError(x)
        y = net(Variable(x, volatile=True))
        return y
    """
    check(textwrap.dedent(before))


@pytest.mark.parametrize("moved", ["Variable(y", "Variable(y.data"])
def test_what_was_computed_may_be_a_tensor_and_a_variable(moved: str):
    text = """
    def f(net, x):
        y = torch.chunk(x, 2)[0]
        if torch.is_tensor(y):
            y = Variable(y{flag})
        else:
            y = {moved}{flag})
        {block}return net(y)
    """
    before = text.format(flag=", volatile=True", moved=moved, block="")
    assert judge(before, text.format(flag="", moved=moved, block="with torch.no_grad(): ")) == ("identical", None)
    assert judge(before, text.format(flag="", moved=moved, block=""))[0] == "different"


def test_a_flag_in_a_block_of_the_author_s_means_nothing_for_no_torch_had_both():
    before = """
    def f(net, x):
        with torch.no_grad():
            x = Variable(x, volatile=True)
        return net(x)
    """
    assert judge(before, unflagged(before)) == ("identical", None)
    other = unflagged(before).replace("return net(x)", "with torch.no_grad(): return net(x)")
    assert judge(before, other)[0] == "different"


@pytest.mark.parametrize("call", ["data.copy(length=3)", "data.append(3, last=True)", "tool.train(x, 3)"])
def test_a_method_that_only_has_the_name_of_one_of_torch_takes_what_it_is_given(call: str):
    before = f"""
    def f(net, x, data, tool):
        other = {call}
        y = net(Variable(x, volatile=True))
        return y
    """
    check(textwrap.dedent(before))


def test_where_things_are_missing_a_list_is_gone_through_as_far_as_it_goes():
    before = """
    def f(net, x, maps):
        lost = {}['rows']
        kept = []
        for each in maps:
            kept.append(each)
            for place in range(0, len(kept)):
                kept[place] = net(Variable(kept[place], volatile=True)).data
        return kept
    """
    after = unflagged(before).replace("kept[place] = net", "with torch.no_grad(): kept[place] = net")
    assert judge(before, after) == ("identical", None)
    assert judge(before, unflagged(before))[0] in ("different", "not-run")


CLEANED = """
def clean(made):
    if isinstance(made, Variable):
        return made.data
    if isinstance(made, dict):
        return {{key: clean(each) for key, each in made.items()}}
    return None
def wrapped(x, **how):
    return x if isinstance(x, Variable) else Variable(x, **how)
class Model(object):
    def predict(self, x):
        {block}return clean(self.step(x))
    def step(self, x):
        x = wrapped(x{flag})
        return self.net(x)
"""


def test_the_keys_of_a_table_that_a_network_gives_are_no_tensors_so_that_its_graph_is_out_of_reach():
    before = CLEANED.format(block="", flag=", volatile=True")
    after = CLEANED.replace("return self.net", "with torch.no_grad(): return self.net").format(block="", flag="")
    assert judge(before, after, "Model.step") == ("identical", None)
    kept = [each.replace("return clean(self.step(x))", "return self.step(x)") for each in (before, after)]
    assert judge(*kept, "Model.step")[0] == "different"  # a Variable that it is handed kept its graph
