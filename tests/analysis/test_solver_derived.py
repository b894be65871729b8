"""Classes derived from Variable that hand everything on: what they make is a Variable with the flags of the call."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, stays

HANDS_ON = """
    class Var(Variable):
        def __init__(self, data, *args, **kwargs):
            if USE_CUDA:
                data = data.cuda()
            super(Var, self).__init__(data, *args, **kwargs)


    def act(net, t):
        {block}return net(Var(t{flag})).data


    def learn(net, t):
        net(Var(t)).sum().backward()
    """
BLOCK = "with torch.no_grad():\n            "


@pytest.mark.parametrize("above", ["super(Var, self).__init__(", "super().__init__("])
def test_a_class_that_hands_everything_on(above):
    body = HANDS_ON.replace("super(Var, self).__init__(", above)
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{block}", ""),
        body.replace("{flag}", "").replace("{block}", BLOCK),
    )


def test_a_class_of_the_name_that_it_derives_from():
    becomes(
        """
        from torch import autograd


        class Variable(autograd.Variable):
            def __init__(self, data, *args, **kwargs):
                super(Variable, self).__init__(data.float(), *args, **kwargs)


        def act(net, t):
            x = Variable(t, volatile=True)
            return net(x).data
        """,
        """
        from torch import autograd


        class Variable(autograd.Variable):
            def __init__(self, data, *args, **kwargs):
                super(Variable, self).__init__(data.float(), *args, **kwargs)


        def act(net, t):
            x = Variable(t)
            with torch.no_grad():
                return net(x).data
        """,
    )


def test_a_flag_that_a_parameter_of_its_own_hands_on():
    body = """
        class Var(Variable):
            def __init__(self, data{parameter}):
                super(Var, self).__init__(data.float(){handed})


        def act(net, t):
            {block}return net(Var(t{flag})).data
        """
    becomes(
        body.replace("{parameter}", ", volatile=False").replace("{handed}", ", volatile=volatile")
        .replace("{flag}", ", volatile=True").replace("{block}", ""),
        body.replace("{parameter}", "").replace("{handed}", "").replace("{flag}", "")
        .replace("{block}", "with torch.no_grad():\n                "),
    )


def test_a_class_in_another_file():
    files_become(
        {
            "var.py": """
                import torch
                from torch import autograd


                class Var(autograd.Variable):
                    def __init__(self, data, *args, **kwargs):
                        super(Var, self).__init__(data.float(), *args, **kwargs)
                """,
            "act.py": """
                import torch
                from var import Var


                def act(net, t):
                    x = Var(t, volatile=True)
                    return net(x).data


                def learn(net, t):
                    net(Var(t)).sum().backward()
                """,
        },
        {
            "act.py": """
                import torch
                from var import Var


                def act(net, t):
                    x = Var(t)
                    with torch.no_grad():
                        return net(x).data


                def learn(net, t):
                    net(Var(t)).sum().backward()
                """,
        },
    )


@pytest.mark.parametrize(
    "more",
    [
        "def __add__(self, other):\n            return other",
        "def __new__(cls, data, **kwargs):\n            return made(data)",
        "volatile = True",
    ],
)
def test_a_class_that_does_more_than_hand_on_is_left_alone(more):
    stays(
        f"""
        class Var(Variable):
            def __init__(self, data, **kwargs):
                super(Var, self).__init__(data, **kwargs)

            {more}


        def act(net, t):
            return net(Var(t, volatile=True)).data
        """.replace("\n            return", "\n                return"),
        "not-analysed",
    )


def test_a_keyword_that_variable_did_not_take_is_left_alone():
    stays(
        """
        class Var(Variable):
            def __init__(self, data, still=False):
                super(Var, self).__init__(data, volatile=still)


        def act(net, t):
            return net(Var(t, still=True)).data
        """,
        "not-analysed",
    )


def test_a_class_that_says_another_flag_than_its_caller_is_left_alone():
    stays(
        """
        class Var(Variable):
            def __init__(self, data, on=True):
                super(Var, self).__init__(data, volatile=on)


        def act(net, t):
            return net(Var(t)).data
        """,
        "not-analysed",
    )
