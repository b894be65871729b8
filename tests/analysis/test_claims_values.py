"""Constants and unreachable code: what holds of the values in sight holds of all that there are, or is not said."""

from __future__ import annotations

import pytest
from solving import becomes, files_stay, migrated_files, refusals, source, stays

from helpers import migrated

# --- reads of .volatile ----------------------------------------------------------------------------------------------


def test_a_hook_behind_a_read_of_what_a_network_gives_asks_whether_it_requires_grad():
    body = """
        def watch(net, x, seen):
            y = net(x)
            if {test}:
                y.register_hook(seen.append)
            return y
        """
    becomes(body.replace("{test}", "not y.volatile"), body.replace("{test}", "y.requires_grad"))


def test_a_read_by_getattr_is_the_same_read():
    body = """
        def watch(x, seen):
            if {test}:
                x.register_hook(seen.append)
        """
    becomes(body.replace("{test}", "not getattr(x, 'volatile', False)"), body.replace("{test}", "x.requires_grad"))


def test_a_read_that_callers_decide_asks_for_grad_mode_though_the_one_in_sight_trains():
    result, after = migrated_files(
        {
            "layers.py": """
                import torch


                def route(x, quick, slow):
                    return quick(x) if x.volatile else slow(x)
                """,
            "train.py": """
                from layers import route


                def train(net, t):
                    route(Variable(t), net, net).sum().backward()
                """,
        }
    )
    assert not refusals(result)
    assert "if not torch.is_grad_enabled() else" in after["layers.py"]


def test_a_read_of_what_is_made_in_view_is_a_constant():
    result = migrated(source("def f(t):\n    x = Variable(t, volatile=True)\n    return x.data if x.volatile else t\n"))
    assert "if True else" in result.outputs["a.py"].decode()
    assert all("line" in said or "a.py:" in said for site in result.sites for said in site.evidence)


# --- settings --------------------------------------------------------------------------------------------------------

SETTINGS = """
    class Options(dict):
        __getattr__ = dict.__getitem__
        __setattr__ = dict.__setitem__


    _options = Options()
    options = _options
    {default}


    {change}


    def show(net, t):
        if options.{name}:
            x = Variable(t, volatile=True)
            return net(x)
        return net(Variable(t))
    """
CHANGES = {
    "an alias": "def set_up(on):\n        _options.{key} = on",
    "an item": "def set_up(on):\n        options['{key}'] = on",
    "a loop over a dictionary": "def set_up(values):\n        for k, v in values.items():\n            options[k] = v",
    "update": "def set_up(values):\n        options.update(values)",
    "a file": "def set_up(parse, path):\n        parse(path, options)",
}


@pytest.mark.parametrize("default", ["False", "None", "''", "0"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_default_of_a_configuration_that_is_changed_by(change, default):
    body = SETTINGS.replace("{default}", f"options.off = {default}").replace("{name}", "off")
    result = migrated(source(body.replace("{change}", change.replace("{key}", "off"))))
    assert not refusals(result)
    assert "with torch.no_grad():\n            return net(x)" in result.outputs["a.py"].decode()


def test_a_default_of_a_part_of_a_configuration_in_another_file():
    result, after = migrated_files(
        {
            "conf.py": """
                class Part(object):
                    pass


                conf = Part()
                conf.test = Part()
                conf.test.fast = None
                """,
            "show.py": """
                from conf import conf


                def show(net, t):
                    if conf.test.fast:
                        return net(Variable(t, volatile=True))
                    return net(Variable(t))
                """,
        }
    )
    assert not refusals(result)
    assert "with torch.no_grad():" in after["show.py"]


def test_a_flag_on_a_path_that_is_never_taken_stays():
    stays(
        """
        def show(net, t):
            while False:
                return net(Variable(t, volatile=True))
            return t
        """,
        "not-analysed",
    )


def test_a_setting_of_a_library_may_be_either():
    body = """
        import sys


        def show(net, t):
            if sys.flags.quiet:
                x = Variable(t)
            else:
                x = Variable(t{flag})
                {call}
            return net(x)
        """
    result = migrated(source(body.replace("{flag}", ", volatile=True").replace("{call}", "return net(x).data")))
    assert not refusals(result)
    assert "no_grad" in result.outputs["a.py"].decode()


# --- writes by name, template methods, halves ------------------------------------------------------------------------


def test_setattr_with_the_name_of_a_constant_is_a_write():
    body = """
        FLAG = 'volatile'


        def show(net, t):
            x = Variable(t)
            {write}
            {call}
        """
    becomes(
        body.replace("{write}", "setattr(x, FLAG, True)").replace("{call}", "return net(x).data"),
        body.replace("{write}\n            ", "").replace(
            "{call}", "with torch.no_grad():\n                return net(x).data"
        ),
    )


def test_setattr_over_a_container_with_the_constant_of_another_file():
    result, after = migrated_files(
        {
            "names.py": "FLAG = 'volatile'\n",
            "mark.py": """
                import torch
                from names import FLAG


                def mark(tensors, on):
                    for each in tensors:
                        setattr(each, FLAG, on)
                """,
            "show.py": """
                from mark import mark


                def show(net, t):
                    x = Variable(t)
                    mark([x], True)
                    return net(x)
                """,
        }
    )
    assert not refusals(result)
    assert "setattr" not in after["mark.py"]
    assert "with torch.no_grad():" in after["show.py"]


TEMPLATE = """
    class Base(object):
        def __init__(self, net):
            self.net = net

        def wrap(self, t):
            return Variable(t)

        def show(self, t):
            return self.net(self.wrap(t))


    class Quiet(Base):
        def wrap(self, t):
            return Variable(t, volatile=True)
    """


def test_what_a_subclass_gives_to_the_method_of_its_base_is_not_without_effect():
    stays(TEMPLATE, "unseen-callers")


def test_a_subclass_in_another_file_is_none_the_less_one():
    base, below = TEMPLATE.split("class Quiet")
    quiet = "\n    from base import Base\n\n\n    class Quiet" + below
    files_stay({"base.py": base, "quiet.py": quiet}, "unseen-callers")


def test_an_argument_stays_where_the_flag_that_it_feeds_was_refused():
    """The flag is kept on an object, and what takes it from there was refused."""
    result = migrated(
        source(
            """
            class Rows(object):
                def __init__(self, rows, off=False):
                    self.rows, self.off = rows, off

                def first(self):
                    return Variable(self.rows[0], volatile=self.off)


            def show(net, unknown, rows):
                return unknown(Rows(rows, off=True))
            """
        )
    )
    assert {site.status for site in result.sites} == {"refused"}


@pytest.mark.parametrize(
    "body",
    [
        """
        def wrap(t, off=False):
            return Variable(t, volatile=off), off


        def show(net, t):
            x, _ = wrap(t, off=True)
            return net(x).data
        """,
        """
        def wrap(t, **options):
            return Variable(t, **options)


        def both(t, **options):
            return wrap(t, **options)


        def show(net, t):
            return net(both(t, volatile=True)).data
        """,
    ],
    ids=["a parameter that does more", "a catch-all that is handed on"],
)
def test_an_argument_that_stays_in_the_text_is_kept_and_not_fixed(body):
    result = migrated(source(body))
    text = result.outputs["a.py"].decode().splitlines()
    for site in result.sites:
        stays_there = site.code == "VF102" and ("off=True" in text[site.line - 1] or "**options" in text[site.line - 1])
        assert (site.status == "kept") == stays_there, site
    assert {site.status for site in result.sites} == {"fixed", "kept"}


def test_an_argument_that_stays_over_two_files_is_kept():
    result, after = migrated_files(
        {
            "wrap.py": """
                def wrap(t, off=False):
                    print(off)
                    return Variable(t, volatile=off)
                """,
            "show.py": """
                from wrap import wrap


                def show(net, t):
                    return net(wrap(t, off=True)).data
                """,
        }
    )
    assert "off=True" in after["show.py"]
    assert {(site.path, site.status) for site in result.sites} == {("wrap.py", "fixed"), ("show.py", "kept")}
    assert all(site.evidence for site in result.sites)


# one flag of several has no effect, and the others cannot go
HALF = """
    def batch(rows, off=False):
        words = Variable(rows[0], volatile=off)
        lengths = Variable(rows[1], volatile=off)
        chars = Variable(rows[2], volatile=off)
        return words, lengths
    """


def test_one_of_several_flags_of_one_name_stays_with_the_others():
    result = migrated(source(HALF + """

    def show(net, rows, tools):
        return net(*tools.batch(rows, off=True))


    def train(net, rows):
        net(*batch(rows)).backward()
    """))
    assert result.outputs == {}
    assert [site.reason for site in result.sites] == ["unseen-callers", "unseen-callers", "held-together"]


def test_one_of_several_flags_of_one_name_stays_with_the_others_over_two_files():
    files_stay({"batch.py": HALF.replace("chars = Variable(rows[2], volatile=off)", "chars = rows[2]"), "show.py": """
        def show(net, rows, tools):
            return net(*tools.batch(rows, off=True))
        """}, "unseen-callers")
    result, after = migrated_files({"batch.py": HALF, "show.py": """
        from batch import batch


        def show(net, rows, serve):
            serve(batch)
        """})
    assert after["batch.py"].count("volatile=off") == 3
    assert {site.status for site in result.sites} == {"refused"}


def test_flags_whose_tensors_go_into_one_call_go_together_or_not_at_all():
    result = migrated(source("""
        def put(rows):
            words = Variable(rows[0], volatile=True)
            lengths = Variable(rows[1], volatile=True)
            print(words, lengths)
            return words
        """))
    assert [site.reason for site in result.sites] == ["unseen-callers", "held-together"]


def test_a_flag_without_effect_beside_one_that_it_has_nothing_to_do_with_goes():
    result = migrated(source("""
        def put(rows):
            words = Variable(rows[0], volatile=True)
            lengths = Variable(rows[1], volatile=True)
            print(lengths.size())
            return words
        """))
    assert [site.status for site in result.sites] == ["refused", "fixed"]


def test_every_decision_says_what_it_rests_on():
    body = """
        def plain(t):
            return Variable(t, volatile=False)


        def target(net, loss, t, y):
            loss = torch.nn.functional.mse_loss(net(Variable(t)), Variable(y, volatile=True))
            loss.backward()


        def show(net, t):
            return net(Variable(t, volatile=True)).data

        """
    found = [site for site in migrated(source(body)).sites if site.status == "fixed"]
    assert len(found) == 3
    assert all(site.evidence and any(mark in " ".join(site.evidence) for mark in ("a.py:", "line ")) for site in found)


def test_what_unknown_code_made_of_a_volatile_value_is_not_said_to_have_raised():
    result = migrated(
        source(
            """
            def step(net, criterion, t):
                loss = criterion(net(Variable(t, volatile=True)))
                loss.backward()
            """
        )
    )
    (site,) = result.sites
    assert (site.reason, site.status) == ("gradient-demanded", "refused")
    assert "0.3 raised" not in site.message


def test_what_code_in_another_file_made_of_it_is_not_said_to_have_raised():
    result, _ = migrated_files(
        {
            "score.py": """
                import elsewhere


                def score(x):
                    return elsewhere.criterion(x)
                """,
            "step.py": """
                from score import score


                def step(t):
                    loss = score(Variable(t, volatile=True))
                    loss.backward()
                """,
        }
    )
    (site,) = result.sites
    assert (site.reason, site.status) == ("gradient-demanded", "refused")
    assert "0.3 raised" not in site.message


def test_what_code_in_sight_made_of_it_did_raise_over_two_files():
    result, _ = migrated_files(
        {
            "score.py": """
                def score(x):
                    return (x * x).sum()
                """,
            "step.py": """
                from score import score


                def step(t):
                    score(Variable(t, volatile=True)).backward()
                """,
        }
    )
    (site,) = result.sites
    assert (site.reason, site.status) == ("gradient-demanded", "refused")
    assert "0.3 raised" in site.message


def test_that_the_program_ran_is_said_where_a_decision_rests_on_it():
    result = migrated(
        source(
            """
            def step(net, criterion, t, y):
                loss = criterion(net(Variable(t)), Variable(y, volatile=True))
                loss.backward()
            """
        )
    )
    (site,) = result.sites
    assert site.strategy == "drop"
    assert any("ran on 0.3" in said for said in site.evidence)


def test_what_goes_into_a_volatile_result_is_not_reached_through_it():
    body = """
        def show(embed, mix, t, n):
            x = Variable(t{flag})
            {call}
        """
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{call}", "return x * (embed.weight * n)"),
        body.replace("{flag}", "").replace(
            "{call}", "with torch.no_grad():\n                return x * (embed.weight * n)"
        ),
    )


COPIES = """
    def turned(v):
        return Variable(v.data.t(), volatile=v.volatile)


    def both(x):
        return [x, turned(x)]
    """


def test_a_copy_of_a_flag_that_was_refused_in_a_caller_is_not_said_to_be_false_for_all_callers():
    result = migrated(source(COPIES + """

    def show(net, mix, t, y):
        x = Variable(t, volatile=True)
        h = net(Variable(y, requires_grad=True))
        return mix(h, *both(x))
    """))
    assert result.outputs == {}
    assert {site.status for site in result.sites} == {"refused"}


def test_a_copy_of_a_flag_that_was_refused_in_another_file_stays():
    result, after = migrated_files({"turn.py": COPIES, "show.py": """
        from turn import both


        def show(net, mix, t, y):
            x = Variable(t, volatile=True)
            h = net(Variable(y, requires_grad=True))
            return mix(h, *both(x))
        """})
    assert "volatile=v.volatile" in after["turn.py"]
    assert {site.status for site in result.sites} == {"refused"}


def test_a_copy_of_a_flag_whose_callers_are_all_migrated_goes():
    result, after = migrated_files({"turn.py": COPIES, "show.py": """
        from turn import both


        def show(net, t):
            return [net(each).data for each in both(Variable(t, volatile=True))]
        """})
    assert not refusals(result)
    assert "volatile" not in after["turn.py"]


# --- flags that come from a second list, or are filled in where a name of another module is bound again ---------------


@pytest.mark.parametrize("flags", ["[True] * len(xs)", "[k > 2 for k in range(len(xs))]", "flags"])
def test_a_flag_from_a_second_list_of_a_map_is_no_default(flags: str) -> None:
    text = migrated(source(f"""
        def wrapped(x, off=False):
            return Variable(x, volatile=off)

        def fit(net, x):
            net(wrapped(x)).sum().backward()

        def look(net, xs, flags):
            return [net(v).data for v in map(wrapped, xs, {flags})]
        """).encode())
    after = text.outputs.get("a.py", b"").decode()
    assert "no_grad" in after if flags.startswith("[True]") else "volatile" in after or "grad" in after or not after


def test_a_function_that_is_bound_again_with_its_flag_filled_in_keeps_it() -> None:
    files = {
        "parts.py": "def wrapped(x, off=False):\n    return Variable(x, volatile=off)\n",
        "fit.py": "import parts\n\ndef fit(net, x):\n    net(parts.wrapped(x)).sum().backward()\n",
        "look.py": """
            from functools import partial
            import parts

            parts.wrapped = partial(parts.wrapped, off=True)

            def look(net, x):
                return net(parts.wrapped(x)).data
            """,
    }
    result, after = migrated_files(files)
    assert "volatile=off" in after["parts.py"]
    assert set(refusals(result).values()) >= {"unseen-callers"}


def test_what_numpy_loads_may_be_a_network():
    body = """
        import numpy

        def look(path, x):
            net = numpy.load(path).item()["net"]
            {line}
        """
    result = migrated(source(body.replace("{line}", "return net.forward(Variable(x, volatile=True)).data")).encode())
    assert "no_grad()" in result.outputs["a.py"].decode()
    result = migrated(source(body.replace("{line}", "print(net.astype(Variable(x, volatile=True)))")).encode())
    assert "no_grad()" not in result.outputs.get("a.py", b"").decode()
