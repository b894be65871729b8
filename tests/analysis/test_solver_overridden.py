"""A parameter that only carried the flag goes from all methods that override each other, or from none."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_transformed, migrated
from voltfix.model import Options

HEAD = "import lib\nimport torch\nfrom torch.autograd import Variable\n\n\n"
STUB = """\
class Base(object):
    def _wrap(self, x, volatile=False):
        raise NotImplementedError("to be defined")

    def all(self, rows):
        return [self._wrap(row) for row in rows]


"""
WORDS = """\
class Words(Base):
    def _wrap(self, x, volatile=False):
        return Variable(x, volatile=volatile)

    def predict(self, net, x):
        return net(self._wrap(x, volatile=True)).data


"""
WORDS_AFTER = """\
class Words(Base):
    def _wrap(self, x):
        return Variable(x)

    def predict(self, net, x):
        with torch.no_grad():
            return net(self._wrap(x)).data


"""
LETTERS = WORDS.replace("Words", "Letters").replace("Variable(x,", "Variable(x.long(),")
LETTERS_AFTER = WORDS_AFTER.replace("Words", "Letters").replace("Variable(x)", "Variable(x.long())")


def becomes(before: str, after: str) -> None:
    check_transformed(HEAD + before.rstrip() + "\n", HEAD + after.rstrip() + "\n")


def test_it_goes_from_a_stub_and_all_that_override_it() -> None:
    becomes(STUB + WORDS + LETTERS, STUB.replace(", volatile=False", "") + WORDS_AFTER + LETTERS_AFTER)


def test_a_stub_that_is_marked_as_one_loses_it() -> None:
    marked = "from abc import abstractmethod\n" + STUB.replace("    def _wrap", "    @abstractmethod\n    def _wrap")
    becomes(marked + WORDS, marked.replace(", volatile=False", "") + WORDS_AFTER)


def test_a_stub_that_takes_anything_stays_as_it_is() -> None:
    stub = STUB.replace("x, volatile=False", "*args, **kwargs")
    becomes(stub + WORDS, stub + WORDS_AFTER)


def test_a_stub_without_it_stays_as_it_is() -> None:
    stub = STUB.replace("x, volatile=False", "x")
    becomes(stub + WORDS + LETTERS, stub + WORDS_AFTER + LETTERS_AFTER)


def test_it_goes_from_what_the_class_above_is_handed() -> None:
    text = WORDS.replace("Words(Base)", "Base(object)") + dedent("""\
        class Wide(Base):
            def _wrap(self, x, volatile=False):
                return super(Wide, self)._wrap(x.view(-1), volatile=volatile)


        def f(net, x):
            return Wide().predict(net, x), Base().predict(net, x)
    """)
    bare = text.replace(", volatile=False", "").replace(", volatile=volatile", "").replace(", volatile=True", "")
    becomes(text, bare.replace("    return Wide()", "    with torch.no_grad():\n        return Wide()"))


def test_names_and_places_may_differ_where_all_hand_it_over_by_name() -> None:
    stub = STUB.replace("x, volatile", "x, wide=1, volatile")
    becomes(stub + WORDS, stub.replace(", volatile=False", "") + WORDS_AFTER)


def stays(text: str, options: Options | None = None) -> None:
    """No parameter and no argument for it goes; what is written holds up."""
    result = migrated(HEAD + text, options=options)
    after = result.outputs.get("a.py", (HEAD + text).encode()).decode()
    for piece in ("_wrap(self, x, volatile=False)", "(x, volatile=True)"):
        assert after.count(piece) == text.count(piece), after
    assert text.count("(x, volatile=True)")


@pytest.mark.parametrize("relative", [
    "    def _wrap(self, x, volatile=False):\n        print(volatile)\n        return Variable(x, volatile=volatile)\n",
    "    def _wrap(self, x, volatile=False):\n        return lib.wrap(x, locals())\n",
    "    def _wrap(self, x, volatile=False):\n        lib.KEEP.append(Variable(x, volatile=volatile))\n",
    "    @lib.fast\n    def _wrap(self, x, volatile=False):\n        return Variable(x, volatile=volatile)\n",
    "    def _wrap(self, x, **kwargs):\n        return lib.wrap(x, **kwargs)\n",
    "    def _wrap(self, x, **kwargs):\n        return x\n",
    "    _wrap = lib.wrap\n",
    "    _wrap = lambda self, x, volatile: x\n",
    "    @property\n    def _wrap(self):\n        return lib.wrap\n",
    "    def start(self):\n        self._wrap = lib.wrap\n\n"
    "    def _wrap(self, x, volatile=False):\n        return x\n",
    "    if lib.fast:\n        def _wrap(self, x, volatile=False):\n            return x + volatile\n",
], ids=["asked", "looked at", "kept", "decorated", "handed on", "all taken", "put there", "a lambda", "a property",
        "on an object", "under a test"])
def test_it_stays_where_one_of_them_needs_it(relative: str) -> None:
    stays(STUB + WORDS + f"class Other(Base):\n{relative}")


@pytest.mark.parametrize(("relative", "call"), [
    ("x, wide=False", "self._wrap(x, True)"),
    ("x, wide=1, volatile=False", "self._wrap(x, True)"),
    ("x, wide=1, volatile=False", "self._wrap(x, 2)"),
])
def test_it_stays_where_its_place_is_that_of_another(relative: str, call: str) -> None:
    other = f"class Other(Words):\n    def _wrap(self, {relative}):\n        return Variable(x * wide)\n\n"
    stays(STUB + WORDS + other + f"    def more(self, x):\n        return {call}\n")


@pytest.mark.parametrize("call", [
    "def more(words, x):\n    return getattr(words, '_wrap')(x)\n",
    "def more(words, x):\n    return words._wrap(*x)\n",
    "def more(words, x):\n    return [each for each in map(words._wrap, x)]\n",
    "class Mine(object):\n    def _wrap(self, x, volatile=False):\n        return volatile\n\n\n"
    "def more(mine, x):\n    return mine._wrap(x, volatile=lib.off)\n",
])
def test_it_stays_where_not_all_calls_are_in_sight(call: str) -> None:
    stays(STUB + WORDS + LETTERS + call)


@pytest.mark.parametrize("call", [
    "print(getattr(words, '_' + kind)(x, volatile=False))",
    "print(getattr(words, kind)(x, False))",
    "work = getattr(words, kind)\n    return work(x, volatile=False)",
])
def test_it_stays_where_a_call_by_a_name_that_is_put_together_hands_it_over(call: str) -> None:
    stays(STUB + WORDS + LETTERS + f"def more(words, kind, x):\n    {call}\n")


def test_it_stays_where_a_class_below_two_has_both() -> None:
    other = "class Other(object):\n    def _wrap(self, x, volatile=False):\n        return volatile\n\n\n"
    stays(other + WORDS.replace("(Base)", "(object)") + "class Both(Words, Other):\n    pass\n")


def test_it_stays_where_signatures_do() -> None:
    stays(STUB + WORDS, Options(keep_signatures=True))


def test_it_stays_in_what_others_install() -> None:
    text = (STUB + WORDS).replace("_wrap", "wrap")
    after = migrated(HEAD + text, options=Options(installable=True)).outputs.get("a.py", text.encode()).decode()
    assert after.count("wrap(self, x, volatile=False)") == 2
