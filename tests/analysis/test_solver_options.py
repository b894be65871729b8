"""Flags in dictionaries, and wrappers that are values: the flag comes out, the wrapper stays."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, files_stay, stays

# --- **options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("how = {'volatile': True}", "how = {}"),
        ("how = {'requires_grad': False, 'volatile': True}", "how = {'requires_grad': False}"),
        ("how = {'volatile': True, 'requires_grad': False}", "how = {'requires_grad': False}"),
        ("how = dict(requires_grad=False, volatile=True)", "how = dict(requires_grad=False)"),
        ("how = dict(volatile=True)", "how = dict()"),
        ("base = {'volatile': True}\n            how = dict(base, requires_grad=False)", None),
    ],
)
def test_the_flag_comes_out_of_the_dictionary(before: str, after: str | None):
    body = """
        def evaluate(net, data):
            HOW
            x = Variable(data, **how)
            BLOCKnet(x)
        """
    result = after or "base = {}\n            how = dict(base, requires_grad=False)"
    if after is None:
        stays(body.replace("HOW", before).replace("BLOCK", ""), reason="kwargs-dictionary")
        return
    becomes(
        body.replace("HOW", before).replace("BLOCK", ""),
        body.replace("HOW", result).replace("BLOCK", "with torch.no_grad():\n                "),
    )


@pytest.mark.parametrize("options", ["{'volatile': True}", "dict(volatile=True)"])
def test_a_dictionary_in_place_goes_as_a_whole(options: str):
    becomes(
        f"""
        def evaluate(net, data):
            return net(Variable(data, **{options})).data
        """,
        """
        def evaluate(net, data):
            with torch.no_grad():
                return net(Variable(data)).data
        """,
    )


def test_an_entry_that_is_written_on_its_own_goes_with_its_line():
    becomes(
        """
        def forward(net, data, train):
            options = {'requires_grad': False}
            options['volatile'] = not train
            return net(Variable(data, **options))
        """,
        """
        def forward(net, data, train):
            options = {'requires_grad': False}
            with torch.set_grad_enabled(bool(train)):
                return net(Variable(data, **options))
        """,
    )


def test_an_update_that_adds_nothing_else_goes():
    becomes(
        """
        def forward(net, data):
            options = {}
            options.update(volatile=True)
            return net(Variable(data, **options))
        """,
        """
        def forward(net, data):
            options = {}
            with torch.no_grad():
                return net(Variable(data, **options))
        """,
    )


def test_dictionaries_that_callers_hand_over_across_files():
    files_become(
        {
            "making.py": """
            def make(data, options):
                return Variable(data, **options)
            """,
            "main.py": """
            import torch
            from making import make

            def evaluate(net, data):
                return net(make(data, {'volatile': True})).data

            def train(net, data):
                net(make(data, {'requires_grad': True})).sum().backward()
            """,
        },
        {
            "main.py": """
            import torch
            from making import make

            def evaluate(net, data):
                with torch.no_grad():
                    return net(make(data, {})).data

            def train(net, data):
                net(make(data, {'requires_grad': True})).sum().backward()
            """,
        },
    )


def test_one_dictionary_for_several_variables():
    becomes(
        """
        def evaluate(net, a, b):
            off = {'volatile': True}
            return net(Variable(a, **off), Variable(b, **off)).data
        """,
        """
        def evaluate(net, a, b):
            off = {}
            with torch.no_grad():
                return net(Variable(a, **off), Variable(b, **off)).data
        """,
    )


def test_a_parameter_that_went_into_the_dictionary_alone_goes_too():
    becomes(
        """
        def make(data, off=False):
            how = {'volatile': off}
            return Variable(data, **how)

        def evaluate(net, data):
            return net(make(data, off=True)).data
        """,
        """
        def make(data):
            how = {}
            return Variable(data, **how)

        def evaluate(net, data):
            with torch.no_grad():
                return net(make(data)).data
        """,
    )


@pytest.mark.parametrize(
    "use",
    [
        "print(options)",
        "seen.append(options)",
        "seen.start(**options)",
        "off = options['volatile']",
        "del options['volatile']",
        "options['volatile'] = seen.flag = True",
        "options[seen] = True",
        "options.update(seen)",
    ],
)
def test_a_dictionary_that_others_look_at_is_left_alone(use: str):
    stays(
        f"""
        def evaluate(net, data, seen):
            options = {{'volatile': True}}
            {use}
            return net(Variable(data, **options)).data
        """,
        reason="kwargs-dictionary",
    )


def test_a_dictionary_that_a_caller_builds_unseen_is_left_alone():
    stays(
        """
        def make(data, options):
            return Variable(data, **options)

        def evaluate(net, data, read):
            return net(make(data, read())).data
        """,
        reason="kwargs-dictionary",
    )


def test_an_entry_that_is_computed_with_an_effect_is_left_alone():
    stays(
        """
        def evaluate(net, data, flags):
            options = {'volatile': flags.pop()}
            return net(Variable(data, **options)).data
        """,
        reason="condition-not-repeatable",
    )


# --- wrappers that are values -----------------------------------------------------------------------------------------


def test_a_lambda_that_hands_everything_on_stays():
    becomes(
        """
        make = lambda *args, **kwargs: Variable(*args, **kwargs)

        def evaluate(net, data):
            return net(make(data, volatile=True)).data
        """,
        """
        make = lambda *args, **kwargs: Variable(*args, **kwargs)

        def evaluate(net, data):
            with torch.no_grad():
                return net(make(data)).data
        """,
    )


def test_a_lambda_with_two_ways_is_one_change_across_files():
    files_become(
        {
            "making.py": """
            from torch import autograd

            CUDA = False
            Var = lambda *args, **kwargs: (
                autograd.Variable(*args, **kwargs).cuda() if CUDA else autograd.Variable(*args, **kwargs)
            )
            """,
            "main.py": """
            import torch
            from making import Var

            def evaluate(net, data):
                return net(Var(data, volatile=True)).data

            def train(net, data):
                net(Var(data)).sum().backward()
            """,
        },
        {
            "main.py": """
            import torch
            from making import Var

            def evaluate(net, data):
                with torch.no_grad():
                    return net(Var(data)).data

            def train(net, data):
                net(Var(data)).sum().backward()
            """,
        },
    )


def test_a_partial_of_a_wrapper_loses_its_flag():
    becomes(
        """
        from functools import partial

        def to_var(data, volatile=False):
            return Variable(data, volatile=volatile)

        still = partial(to_var, volatile=True)

        def evaluate(net, data):
            return net(still(data)).data

        def train(net, data):
            net(to_var(data)).sum().backward()
        """,
        """
        from functools import partial

        def to_var(data, volatile=False):
            return Variable(data)

        still = partial(to_var)

        def evaluate(net, data):
            with torch.no_grad():
                return net(still(data)).data

        def train(net, data):
            net(to_var(data)).sum().backward()
        """,
    )


def test_a_partial_keeps_an_argument_that_the_function_still_uses():
    becomes(
        """
        from functools import partial

        def to_var(data, volatile=False):
            if volatile:
                print('still')
            return Variable(data, volatile=volatile)

        still = partial(to_var, volatile=True)

        def evaluate(net, data):
            return net(still(data)).data
        """,
        """
        from functools import partial

        def to_var(data, volatile=False):
            if volatile:
                print('still')
            return Variable(data)

        still = partial(to_var, volatile=True)

        def evaluate(net, data):
            with torch.no_grad():
                return net(still(data)).data
        """,
    )


def test_a_dictionary_that_another_module_speaks_of_is_left_alone():
    files_stay(
        {
            "conf.py": """
            OPTIONS = {'volatile': True}

            def make(data):
                return Variable(data, **OPTIONS)
            """,
            "main.py": """
            import conf

            def evaluate(net, data):
                if conf.OPTIONS['volatile']:
                    print('still')
                return net(conf.make(data)).data
            """,
        },
        reason="kwargs-dictionary",
    )


def test_a_lambda_whose_callers_nobody_sees_is_left_alone():
    stays(
        """
        make = lambda *args, **kwargs: Variable(*args, **kwargs)
        """,
        reason="unseen-callers",
    )


# --- handed on by a function that takes everything -------------------------------------------------------------------

HANDED_ON = """
def put(t, **how):
    return Variable(t, **how)

def run(net, rows, train):
    MADEy = net(put(rows, GIVEN))
    if train:
        y.sum().backward()
    return y
"""
WITH = "with torch.set_grad_enabled(bool(train)):\n        "


@pytest.mark.parametrize(("made", "given", "left"), [
    ("how = {}\n    how['volatile'] = not train\n    ", "**how", "how = {}\n    "),
    ("how = {'volatile': not train}\n    ", "**how", "how = {}\n    "),
    ("how = dict(volatile=not train, requires_grad=False)\n    ", "**how", "how = dict(requires_grad=False)\n    "),
])  # fmt: skip
def test_a_dictionary_goes_through_a_function_that_takes_everything(made, given, left):
    becomes(HANDED_ON.replace("MADE", made).replace("GIVEN", given),
            HANDED_ON.replace("MADE", left + WITH).replace("GIVEN", given))


def test_a_dictionary_in_place_goes_through_a_function_that_takes_everything():
    becomes(HANDED_ON.replace("MADE", "").replace("GIVEN", "**{'volatile': not train}"),
            HANDED_ON.replace("MADE", WITH).replace(", GIVEN", ""))


@pytest.mark.parametrize(("looks", "reason"), [
    ("if how.get('volatile'):\n        print(t)", "kwargs-dictionary"),
    ("how.setdefault('volatile', True)", "kwargs-dictionary"), ("print(how)", "kwargs-dictionary"),
    ("how['volatile'] = True", "gradient-demanded"),
])  # fmt: skip
@pytest.mark.parametrize("given", ["volatile=not train", "**{'volatile': not train}"])
def test_a_function_that_looks_for_the_flag_among_its_keywords_is_left_alone(looks, reason, given):
    body = HANDED_ON.replace("    return Var", f"    {looks}\n    return Var").replace("MADE", "")
    stays(body.replace("GIVEN", given), reason=reason)


def test_a_function_that_asks_its_keywords_for_something_else_is_none_of_ours():
    body = HANDED_ON.replace("    return Var", "    t = t * how.pop('scale', 1)\n    return Var")
    becomes(body.replace("MADE", "").replace("GIVEN", "volatile=not train"),
            body.replace("MADE", WITH).replace(", GIVEN", ""))


def test_a_dictionary_that_is_looked_at_on_the_way_is_left_alone():
    body = HANDED_ON.replace("MADE", "how = {'volatile': not train}\n    print(how)\n    ").replace("GIVEN", "**how")
    stays(body, reason="kwargs-dictionary")
