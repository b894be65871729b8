"""A helper with a flag: each call of it stands for itself, where not all of them can be shown."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals, source

from alone import HELPER
from helpers import check_holds_up, migrated
from voltfix.model import Options, Result

# a method with a flag; what the second one gives nobody takes, the third can be shown
METHODS = """
    def put(self, x, off=False):
        return Variable(x, volatile=off)

    def hand_out(self, x):
        return self.put(x, off=True)

    def show(self, net, x):
        print(net(self.put(x, off=True)).data)
"""


def again(result: Result) -> list[tuple[str, str | None, str]]:
    """What a run says of the sites that it leaves."""
    return [(site.code, site.reason, site.message.partition(" line ")[0])
            for site in result.sites if site.status != "fixed"]


def apart(text: str, options: Options | None = None) -> Result:
    """A run of ``text``, whose result a second run leaves as it is, with the same refusals."""
    before = source(text).encode()
    result = migrated(before, options=options)
    assert result.errors == ()
    check_holds_up({"a.py": before}, result, options)
    assert again(migrated(result.outputs.get("a.py", before), options=options)) == again(result)
    return result


def one_of_two(helper: str, call: str, after: str) -> Result:
    """``call`` becomes ``after``, and nothing else changes."""
    result = apart(helper + call)
    assert result.outputs["a.py"].decode() == source(helper + after)
    return result


def all_left(text: str) -> Result:
    """Not one call is done."""
    result = apart(text)
    assert result.outputs == {}
    assert all(site.status == "refused" for site in result.sites)
    return result


# --- what is done ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["off=True", "True"])
def test_a_call_that_can_be_shown_is_done_beside_one_that_cannot(flag):
    result = one_of_two(HELPER, f"""
def show(net, x):
    x = put(x, {flag})
    print(net(x).data)
""", """
def show(net, x):
    x = put(x)
    with torch.no_grad():
        print(net(x).data)
""")
    assert [site.status for site in result.sites] == ["refused", "refused", "fixed"]
    assert result.sites[0].message == "keeps the flag for line 14, which still passes it"
    assert result.sites[2].strategy == "no_grad"
    assert any("keeps its parameter" in each for each in result.sites[2].evidence)


def test_a_flag_that_is_a_condition_becomes_one_of_the_block():
    one_of_two(HELPER, """
def show(net, x, train=True):
    y = net(put(x, not train))
    if train:
        y.sum().backward()
""", """
def show(net, x, train=True):
    with torch.set_grad_enabled(train):
        y = net(put(x))
    if train:
        y.sum().backward()
""")


def test_a_flag_that_says_its_default_goes_without_a_block():
    one_of_two(HELPER, """
def again(net, x):
    net(put(x, off=False)).sum().backward()
""", """
def again(net, x):
    net(put(x)).sum().backward()
""")


def test_two_calls_that_go_into_one_block_are_one_change():
    result = apart(HELPER + """
def show(net, x, y, last):
    x = put(y, True) if last else put(x, True)
    print(net(x).data)
""")
    assert [site.status for site in result.sites] == ["refused", "refused", "fixed", "fixed"]
    assert result.sites[2].change == result.sites[3].change


def test_a_helper_that_makes_several_stays_with_all_of_them():
    helper = HELPER.replace("return Variable(x.cuda(), volatile=off)",
                            "return [Variable(each, volatile=off) for each in x]")
    helper = helper.replace("net(put(x))", "net(*put(x))")
    one_of_two(helper, """
def show(net, x):
    x, y = put(x, off=True)
    print(net(x, y).data)
""", """
def show(net, x):
    x, y = put(x)
    with torch.no_grad():
        print(net(x, y).data)
""")


PAIR = HELPER + """
def pair(x, y, off=False):
    return put(x, off), put(y, off=off)


def fit_pair(net, x):
    x, y = pair(x, x)
    net(x, y).sum().backward()


"""


def test_a_helper_that_hands_its_flag_to_another_stays_as_well():
    result = one_of_two(PAIR, """
def show(net, x):
    x, y = pair(x, x, off=True)
    print(net(x, y).data)
""", """
def show(net, x):
    x, y = pair(x, x)
    with torch.no_grad():
        print(net(x, y).data)
""")
    assert [site.status for site in result.sites] == ["refused"] * 4 + ["fixed"]


def test_what_is_left_of_the_outer_helper_keeps_the_inner_one():
    text = PAIR.replace("return put(x, off=True)", "return pair(x, x, off=True)")
    one_of_two(text, """
def show(net, x):
    print(net(put(x, True)).data)
""", """
def show(net, x):
    with torch.no_grad():
        print(net(put(x)).data)
""")


def test_a_call_in_another_file_stands_for_itself():
    show = "from helpers_of_it import put\n\n\ndef show(net, x):\n    print(net(put(x, off=True)).data)\n"
    result, after = migrated_files({"helpers_of_it.py": HELPER, "show.py": show})
    assert after["show.py"] == (
        "from helpers_of_it import put\nimport torch\n\n\ndef show(net, x):\n    with torch.no_grad():\n"
        "        print(net(put(x)).data)\n")
    assert set(refusals(result)) == {"helpers_of_it.py:6", "helpers_of_it.py:14"}


def test_with_the_last_call_the_helper_loses_its_parameter():
    whole = HELPER.replace("    return put(x, off=True)", "    print((put(x, off=True) * 2).data)")
    result = apart(whole)
    assert "off" not in result.outputs["a.py"].decode()


# a helper that takes the flag among whatever else it hands on to torch
CATCHING = HELPER.replace("off=False", "*args, **kwargs").replace("volatile=off", "*args, **kwargs").replace(
    "off=True", "volatile=True")


def test_a_helper_that_hands_all_its_keywords_on_stays_and_its_calls_stand_for_themselves():
    result = one_of_two(CATCHING, """
def show(net, x, train=True):
    print(net(put(x, volatile=True)).data)
    y = net(put(x, requires_grad=False, volatile=not train))
    if train:
        y.sum().backward()
""", """
def show(net, x, train=True):
    with torch.no_grad():
        print(net(put(x)).data)
    with torch.set_grad_enabled(train):
        y = net(put(x, requires_grad=False))
    if train:
        y.sum().backward()
""")
    assert [site.status for site in result.sites] == ["refused", "refused", "fixed", "fixed"]
    assert result.sites[0].message == "keeps the flag for line 14, which still passes it"


KEYWORDS = """
def put_all(xs, **more):
    return [put(x, **more) for x in xs]


def fit_all(net, xs):
    net(*put_all(xs)).sum().backward()


def hand_out_all(xs):
    return put_all(xs, volatile=True)


"""
SHOW_ALL = """
def show(net, x, y):
    print(net(*put_all([x, y], volatile=True)).data)
"""
SHOWN_ALL = """
def show(net, x, y):
    with torch.no_grad():
        print(net(*put_all([x, y])).data)
"""


def test_keywords_go_through_two_helpers_that_both_stay():
    one_of_two(CATCHING + KEYWORDS, SHOW_ALL, SHOWN_ALL)


def test_keywords_go_on_to_a_helper_that_takes_the_flag_by_its_name():
    helper = CATCHING.replace("*args, **kwargs):", "volatile=False):").replace("*args, **kwargs", "volatile=volatile")
    one_of_two(helper + KEYWORDS, SHOW_ALL, SHOWN_ALL)


def test_what_is_left_of_a_helper_of_keywords_keeps_the_one_that_it_hands_them_on_to():
    inner = CATCHING.replace("return put(x, volatile=True)", "print(put(x, volatile=True).data)")
    result = apart(inner + KEYWORDS + """
def show(net, x):
    print(net(put(x, volatile=True)).data)
""")
    after = result.outputs["a.py"].decode()
    assert "    with torch.no_grad():\n        print(net(put(x)).data)" in after
    assert "return put_all(xs, volatile=True)" in after
    assert "put(x, **more)" in after
    assert "Variable(x.cuda(), *args, **kwargs)" in after


def test_a_helper_that_asks_its_keywords_for_something_else_stays_as_well():
    helper = CATCHING.replace("    return", "    x = x * kwargs.pop('scale', 1)\n    return", 1)
    one_of_two(helper, """
def show(net, x):
    print(net(put(x, scale=2, volatile=True)).data)
""", """
def show(net, x):
    with torch.no_grad():
        print(net(put(x, scale=2)).data)
""")


# --- what is left ------------------------------------------------------------------------------------------------

SHOW = """
def show(net, x):
    print(net(put(x, True)).data)
"""


@pytest.mark.parametrize(("old", "new"), [
    # the parameter is on where a call leaves it out, or is asked for
    ("off=False", "off=True"), ("off=False", "off"), ("off=False", "off=OFF"),
    # it is for something else as well
    ("    return Variable(x.cuda()", "    print(off)\n    return Variable(x.cuda()"),
    ("    return Variable(x.cuda()", "    off = off or x is None\n    return Variable(x.cuda()"),
    ("volatile=off", "volatile=off and x.dim() > 1"),
    ("return Variable(x.cuda(), volatile=off)", "return (lambda t: Variable(t, volatile=off))(x)"),
    # another one is a flag, too
    ("off=False):\n    return Variable(x.cuda(), volatile=off)",
     "off=False, out=False):\n    return Variable(x.cuda(), volatile=out), Variable(x, volatile=off)"),
    # what stands in its place does who knows what
    ("def put(", "@noted\ndef put("),
    # what a call leaves out is written anew
    ("def fit(", "put.__defaults__ = (True,)\n\n\ndef fit("), ("def fit(", "put.func_defaults = (True,)\n\n\ndef fit("),
    # something else goes by its name
    ("def fit(", "def use(f):\n    global put\n    put = f\n\n\ndef fit("),
])
def test_a_helper_that_is_more_than_its_flag_takes_all_its_calls_with_it(old, new):
    assert old in HELPER
    before = source(HELPER.replace(old, new) + SHOW)
    result = migrated(before)
    assert "put(x, True)" in result.outputs.get("a.py", before.encode()).decode()


@pytest.mark.parametrize(("old", "new"), [
    # the helper looks for a flag, puts one there, or shows it to others
    ("    return Var", "    print(kwargs)\n    return Var"),
    ("    return Var", "    kwargs['volatile'] = x.dim() > 1\n    return Var"),
    ("    return Var", "    kwargs.setdefault('volatile', True)\n    return Var"),
    ("    return Var", "    kwargs.update(volatile=True)\n    return Var"),
    ("    return Var", "    kwargs = dict(volatile=True)\n    return Var"),
    ("    return Var", "    if 'volatile' in kwargs:\n        return x\n    return Var"),
    ("    return Var", "    note(**kwargs)\n    return Var"),
    ("*args, **kwargs)\n", "*args, **dict(kwargs))\n"),
    # it decides by itself as well
    ("*args, **kwargs)\n", "*args, volatile=False, **kwargs)\n"),
    ("def put(", "@noted\ndef put("),
    ("def fit(", "def use(f):\n    global put\n    put = f\n\n\ndef fit("),
])
def test_a_helper_that_knows_what_is_among_its_keywords_takes_all_its_calls_with_it(old, new):
    assert old in CATCHING
    before = source(CATCHING.replace(old, new, 1) + SHOW.replace("True", "volatile=True"))
    result = migrated(before)
    assert "net(put(x, volatile=True))" in result.outputs.get("a.py", before.encode()).decode()


@pytest.mark.parametrize("call", [
    "put(x, **more)", "put(x, volatile=True, **more)", "put(x, **{'volatile': True})", "put(x, volatile=ask())",
    "put(x, False, True)",
])
def test_a_flag_that_no_keyword_of_the_call_alone_says_is_left(call):
    all_left(CATCHING + f"""
def show(net, x, more, ask):
    print(net({call}).data)
""")


def test_keywords_that_may_go_to_another_function_take_all_calls_with_them():
    all_left(CATCHING + KEYWORDS.replace("[put(x, **more)", "[(put if x else note)(x, **more)") + SHOW_ALL)


def test_a_helper_of_keywords_that_is_given_more_by_position_than_is_said_takes_its_calls_with_it():
    helper = CATCHING.replace("*args, **kwargs):", "volatile=False):").replace("*args, **kwargs", "volatile=volatile")
    all_left(helper + KEYWORDS.replace("put(x, **more)", "put(*x, **more)") + SHOW_ALL)


@pytest.mark.parametrize("call", [
    "put(*x)", "put(x, off=True, **more)", "put(x, **{'off': True})", "put(x, ask())",
])
def test_a_call_whose_argument_cannot_just_go_is_left(call):
    all_left(HELPER + f"""
def show(net, x, more, ask):
    print(net({call}).data)
""")


def test_an_argument_before_another_one_is_left():
    helper = HELPER.replace("off=False", "off=False, size=1")
    all_left(helper + SHOW.replace("True", "True, 2"))
    assert apart(helper + SHOW.replace("True", "True, size=2")).outputs


def test_a_call_of_which_gradients_are_asked_is_left_and_its_neighbour_is_done():
    result = apart(HELPER + """
def slip(net, x):
    net(put(x, True)).sum().backward()


def show(net, x):
    print(net(put(x, True)).data)
""")
    assert [site.status for site in result.sites] == ["refused", "refused", "refused", "fixed"]
    assert "    net(put(x, True)).sum().backward()" in result.outputs["a.py"].decode()


def test_calls_whose_results_are_handed_back_to_nobody_in_sight_are_left_together():
    all_left(HELPER + """
def hand_out_both(x, y):
    x, y = put(x, True), put(y, True)
    return x, y
""")


def test_a_method_that_is_another_one_for_an_object_of_a_class_below_is_left():
    all_left("class Above:" + METHODS + """


class Below(Above):
    def put(self, x, off=True):
        return Variable(x, volatile=off)
""")


def test_a_partial_of_a_helper_is_left():
    result = apart(HELPER + """
import functools
quietly = functools.partial(put, off=True)


def show(net, x):
    print(net(quietly(x)).data)


def show_too(net, x):
    print(net(put(x, True)).data)
""")
    assert "functools.partial(put, off=True)" in result.outputs["a.py"].decode()
    assert [site.status for site in result.sites] == ["refused", "refused", "refused", "fixed"]


def test_a_method_that_others_may_write_anew_is_left():
    body = "class Runner:" + METHODS
    assert apart(body).outputs
    assert migrated(source(body), options=Options(installable=True)).outputs == {}


def test_a_call_in_code_for_both_versions_stays_as_it_is_beside_one_that_is_done():
    result = apart(HELPER + """
def show_both(net, x):
    if hasattr(torch, "no_grad"):
        with torch.no_grad():
            print(net(put(x)).data)
    else:
        print(net(put(x, True)).data)


def show(net, x):
    print(net(put(x, True)).data)
""")
    assert [site.status for site in result.sites] == ["refused", "refused", "kept", "fixed"]
