"""Which bodies one call of a method may run, for the objects of a class and of those below it."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.below import Below

TWO = """
class Base({bases}):
    def shared(self):
        return 1
    {above}

class Sub(Base{more}):
    def own(self):
        return 2
    {below}
"""
RUN = "def run(self, x):\n        return {}"


def classes_of(above: str, below: str, bases: str = "object", more: str = "") -> list[str]:
    text = TWO.format(above=above, below=below, bases=bases, more=more)
    code = project(main=text)
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    return [body.cls.name for body in Below(code).bodies(base.node, "run")]


@pytest.mark.parametrize(("above", "below", "bases", "more"), [
    # an object of the upper class may have one from elsewhere
    ("pass", RUN.format("x"), "Unknown", ""), ("pass", RUN.format("x"), "torch.nn.Module", ""),
    ("def __getattr__(self, name):\n        return net", RUN.format("x"), "object", ""),
    (RUN.format("x"), "run = make()", "object", ""),
    (RUN.format("x"), "@staticmethod\n    def run(x):\n        return x", "object", ""),
    (RUN.format("x"), RUN.format("self.own()"), "object", ""),  # the upper class has no such method
    (RUN.format("x"), RUN.format("f(self)"), "object", ""),
    (RUN.format("x"), RUN.format("x"), "object", ", metaclass=Meta"),
    (RUN.format("x"), RUN.format("x"), "Unknown, Later", ""),
])
def test_where_one_body_is_not_in_view_none_is(above, below, bases, more):
    later = "" if "Later" not in bases else "class Later:\n    pass\n"
    if later:
        text = later + TWO.format(above=above, below=below, bases=bases, more=more)
        code = project(main=text)
        base = next(cls for cls in code.classes() if cls.node.name == "Base")
        assert not Below(code).bodies(base.node, "run")
    else:
        assert not classes_of(above, below, bases, more)


@pytest.mark.parametrize("root", ["@filled\nclass Root:", "class Root(metaclass=Meta):"])
def test_what_adds_to_a_class_above_may_add_the_method(root: str):
    below = TWO.format(above="pass", below=RUN.format("x"), bases="Root", more="")
    code = project(main=f"{root}\n    pass\n{below}")
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    assert not Below(code).bodies(base.node, "run")


def test_more_classes_than_can_be_told_apart_have_none():
    many = "".join(f"class C{n}(Base):\n    def run(self, x):\n        return x\n" for n in range(4))
    code = project(main=f"class Base:\n    def run(self, x):\n        return x\n{many}")
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    assert not Below(code).bodies(base.node, "run")


@pytest.mark.parametrize(("above", "below"), [
    (RUN.format("x"), RUN.format("self.net(x)")), (RUN.format("self.shared()"), RUN.format("self.shared()")),
    (RUN.format("x"), "pass"),
])
def test_each_class_has_its_body(above, below):
    assert classes_of(above, below) == ["Base", "Sub"]


def test_a_class_that_lacks_the_method_has_none_and_one_below_has_its_own():
    assert classes_of("pass", RUN.format("x")) == ["Sub"]
    assert not classes_of("pass", "pass")
    code = project(main=TWO.format(above="pass", below=RUN.format("x"), bases="object", more=""))
    code.for_others = True
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    assert not Below(code).bodies(base.node, "run")


@pytest.mark.parametrize("above", [
    "def run(self, x):\n        if x:\n            raise ValueError\n        return x",
    "def run(self, x):\n        raise ValueError(self.score(x))",
    "def run(self, x):\n        raise self.failed",
    "def run(self, x):\n        raise ValueError\n        yield x",  # a generator: calling it raises nothing
    "def run(self, x):\n        pass",
])
def test_a_class_whose_method_may_do_more_than_raise_has_it(above):
    assert classes_of(above, RUN.format("x")) == ["Base", "Sub"]


@pytest.mark.parametrize("above", [
    "def run(self, x):\n        raise NotImplementedError",
    'def run(self, x):\n        "What a class below does."\n        raise NotImplementedError("no %s here" % x)',
])
def test_a_class_whose_method_only_raises_has_none_for_nobody_goes_on_after_it(above):
    assert classes_of(above, RUN.format("x")) == ["Sub"]
    assert not classes_of(above, above)


def test_classes_whose_method_only_raises_count_for_nothing_where_many_are_told_apart():
    many = "".join(f"class C{n}(Base):\n    def run(self, x):\n        return x\n" for n in range(4))
    code = project(main=f"class Base:\n    def run(self, x):\n        raise NotImplementedError()\n{many}")
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    assert [body.cls.name for body in Below(code).bodies(base.node, "run")] == ["C0", "C1", "C2", "C3"]


@pytest.mark.parametrize("below", [
    RUN.format("Base.run(self)"),
    RUN.format("Base.run(x, self)"),
    RUN.format("Other.run(self, x)"),
    RUN.format("Base.shown(self, x)"),
    RUN.format("[self]"),
])
def test_who_hands_the_object_to_what_is_no_method_of_a_class_above_has_no_bodies(below):
    asks_more = RUN.format("self.own()")  # which the class above has no method for
    assert not classes_of(asks_more if "Base.run(self)" in below else RUN.format("x"), below)


def test_the_object_is_handed_to_a_method_of_a_class_above():
    assert classes_of(RUN.format("self.shared()"), RUN.format("Base.run(self, x)")) == ["Base", "Sub"]
    assert classes_of(RUN.format("x"), RUN.format("Base.shared(self)")) == ["Base", "Sub"]


def does_nothing(above: str, below: str = RUN.format("x"), for_others: bool = False) -> bool:
    code = project(main=TWO.format(above=above, below=below, bases="object", more=""))
    code.for_others = for_others
    base = next(cls for cls in code.classes() if cls.node.name == "Base")
    method = next(node for node in base.node.body if getattr(node, "name", "") == "run")
    return Below(code).is_doing_nothing(base.node, method)


@pytest.mark.parametrize("body", ["pass", "...", "'words'", "'words'\n        pass"])
def test_a_method_that_does_nothing_is_told_from_what_is_there_for_nobody_knows_whom(body):
    above = f"def run(self, x):\n        {body}"
    assert does_nothing(above)
    assert not does_nothing(above, below="pass")  # no class has one of its own
    assert not does_nothing(above, for_others=True)
    assert not does_nothing(f"@hook\n    {above}")


@pytest.mark.parametrize("body", ["return x", "raise NotImplementedError", "self.x = x", "f(x)"])
def test_a_method_that_does_something_does_not_do_nothing(body):
    assert not does_nothing(f"def run(self, x):\n        {body}")
