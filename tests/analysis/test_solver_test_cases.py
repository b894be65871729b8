"""Test cases of ``unittest``: what ``self.assertEqual`` looks at is what it is given, and nothing of the object."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed

START = "import unittest\n\nimport torch\nfrom torch.autograd import Variable\n\n\n"
CASE = """\
class Score(object):
    def rate(self, batch):
        return batch['cost'].mean().data


class Case(BASE):
    def setUp(self):
        self.batch = {'cost': Variable(torch.ones(1), volatile=True)}
        self.score = Score()

    def test_rate(self):
        rate = self.score.rate(self.batch)
        CHECK
"""
LINE = "        rate = self.score.rate(self.batch)\n"


def case(check: str, base: str = "unittest.TestCase", more: str = "") -> str:
    return START + more + CASE.replace("BASE", base).replace("CHECK", check)


@pytest.mark.parametrize("check", [
    "self.assertEqual(1, rate[0])", "self.assertAlmostEqual(1, rate[0], 3, 'close')", "self.assertTrue(rate[0] > 0)",
    "assert rate[0] == 1",
])
def test_an_assertion_computes_nothing_with_what_the_test_case_holds(check: str) -> None:
    before = case(check)
    check_transformed(before, before.replace(", volatile=True", "").replace(
        LINE, "        with torch.no_grad():\n    " + LINE))


BELOW = "class Own(unittest.TestCase):\n    def {name}(self, *rest):\n        return self.net(self.batch['cost'])\n\n\n"


@pytest.mark.parametrize("name", ["assertEqual", "assertListEqual", "fail", "_formatMessage", "_baseAssertEqual"])
def test_one_that_a_class_of_the_project_may_have_a_part_in_is_not_known(name: str) -> None:
    check_noop(case("self.assertEqual(1, rate[0])", "Own", BELOW.format(name=name)), reason="unknown-callee")


@pytest.mark.parametrize(("check", "base"), [
    ("self.assertEqual(1, rate[0])", "harness.TestCase"), ("self.check(1, rate[0])", "unittest.TestCase"),
    ("self.run()", "unittest.TestCase"), ("self.assertEqual(1, rate[0])", "harness.Mixin, unittest.TestCase"),
    ("self.assertEqual(1, rate[0])", "unittest.TestCase, make_base()"),
])
def test_another_base_class_may_run_what_computes_with_it(check: str, base: str) -> None:
    check_noop(case(check, base, "import harness\n\n\n"), reason="unknown-callee")


def test_what_an_assertion_is_given_to_run_it_runs() -> None:
    before = START + dedent("""\
        class Case(unittest.TestCase):
            def setUp(self):
                self.net = build()
                self.rows = Variable(torch.ones(1), volatile=True)

            def test_raises(self):
                self.assertRaises(ValueError, self.net, self.rows)
        """)
    line = "        self.assertRaises(ValueError, self.net, self.rows)\n"
    check_transformed(before, before.replace(", volatile=True", "").replace(
        line, "        with torch.no_grad():\n    " + line))
