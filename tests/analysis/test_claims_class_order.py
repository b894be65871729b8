"""Members are looked up in Python's order, and ``super()`` means the next class in the order of the object."""

from __future__ import annotations

from solving import becomes, files_become, files_stay, stays

TRAINS_BESIDE = """
    class Step(object):
        def run(self, model, x):
            return model(x)


    class Warmup(Step):
        def run(self, model, x):
            model(Variable(x.data)).sum().backward()
            return model(x)


    class Logged(Step):
        def run(self, model, x):
            return {call}


    class Both(Logged, Warmup):
        pass


    def show(net, t):
        x = Variable(t, volatile=True)
        return Both().run(net, x)
    """


def test_a_sibling_that_trains_and_comes_next_by_super_is_not_run_in_a_block():
    stays(TRAINS_BESIDE.replace("{call}", "super(Logged, self).run(model, x)"), "mixed-statement")


def test_super_without_arguments_is_the_same_next_class():
    stays(TRAINS_BESIDE.replace("{call}", "super().run(model, x)"), "mixed-statement")


def test_what_a_class_inherits_comes_after_what_its_sibling_defines():
    body = """
        class Quiet(object):
            def run(self, model, x):
                return model(x)


        class Loud(Quiet):
            def run(self, model, x):
                model(Variable(x.data)).sum().backward()
                return model(x)


        class Plain(Quiet):
            pass


        class Mixed(Plain, Loud):
            pass


        def show(net, t):
            x = Variable(t, volatile=True)
            return Mixed().run(net, x)
        """
    stays(body, "mixed-statement")


def test_the_order_is_pythons_over_two_files_too():
    files = {
        "steps.py": """
            class Quiet(object):
                def run(self, model, x):
                    return model(x)


            class Loud(Quiet):
                def run(self, model, x):
                    model(Variable(x.data)).sum().backward()
                    return model(x)


            class Plain(Quiet):
                def run(self, model, x):
                    return super(Plain, self).run(model, x)
            """,
        "show.py": """
            from steps import Loud, Plain


            class Mixed(Plain, Loud):
                pass


            def show(net, t):
                x = Variable(t, volatile=True)
                return Mixed().run(net, x)
            """,
    }
    files_stay(files, "mixed-statement")


def test_a_base_that_trains_and_is_not_reached_by_super_does_not_stand_in_the_way():
    body = """
        class Loud(object):
            def run(self, model, x):
                model(Variable(x.data)).sum().backward()
                return model(x)


        class Quiet(Loud):
            def run(self, model, x):
                return model(x)


        class Shown(Quiet):
            def run(self, model, x):
                return super(Shown, self).run(model, x)


        def show(net, t):
            x = Variable(t{flag})
            {call}
        """
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{call}", "return Shown().run(net, x)"),
        body.replace("{flag}", "").replace(
            "{call}", "with torch.no_grad():\n                return Shown().run(net, x)"
        ),
    )


def test_a_method_behind_a_base_that_nobody_has_seen_may_be_another():
    files = {
        "show.py": """
            from elsewhere import Maybe


            class Loud(object):
                def run(self, model, x):
                    model(Variable(x.data)).sum().backward()
                    return model(x)


            class Mixed(Maybe, Loud):
                pass


            def show(net, t):
                x = Variable(t, volatile=True)
                return Mixed().run(net, x)
            """,
    }
    files_stay(files, "unknown-callee")


def test_what_is_made_in_the_shape_of_a_volatile_is_volatile():
    files_become(
        {
            "a.py": """
                def start(net, t):
                    x = Variable(t, volatile=True)
                    return net(torch.zeros_like(x))
                """
        },
        {
            "a.py": """
                def start(net, t):
                    x = Variable(t)
                    with torch.no_grad():
                        return net(torch.zeros_like(x))
                """
        },
    )
