from __future__ import annotations

from dataclasses import replace

import pytest

import toy_solver
from voltfix import core
from voltfix.model import Change, EnsureImport, Options, Plan, Verification
from voltfix.pipeline import settling
from voltfix.pipeline.holds import refuted

SITE = b"y = Variable(x, volatile=True)\n"
FIXED = b"y = Variable(x)\n"
REFUSED = b"refuse = Variable(x, volatile=True)\n"
PAIR = (
    b"a = Variable(x, volatile=True)  # together\n"
    b"b = Variable(x, volatile=True)  # together  # voltfix: skip\n"
)


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setattr(settling, "solver", lambda: toy_solver.solve)


def statuses(result):
    return [(site.line, site.status, site.reason) for site in result.sites]


def test_a_site_is_fixed():
    result = core.migrate({"a.py": SITE})
    assert result.outputs == {"a.py": FIXED}
    (site,) = result.sites
    assert (site.path, site.line, site.column, site.end_line, site.end_column) == ("a.py", 1, 17, 1, 30)
    assert (site.code, site.status, site.strategy, site.change) == ("VF101", "fixed", "drop", "c1")
    assert site.verification == Verification()


def test_a_refused_site_keeps_its_reason_and_the_file():
    result = core.migrate({"a.py": b"refuse = Variable(x, volatile=True)\n"})
    assert result.outputs == {}
    assert statuses(result) == [(1, "refused", "toy-reason")]


def test_a_site_that_is_right_is_kept():
    result = core.migrate({"a.py": b"keep = Variable(x, volatile=True)\n"})
    assert result.outputs == {}
    assert statuses(result) == [(1, "kept", None)]


def test_a_skip_comment_leaves_its_line_alone_and_only_that():
    result = core.migrate({"a.py": SITE[:-1] + b"  # voltfix: skip\n" + SITE})
    assert result.outputs == {"a.py": SITE[:-1] + b"  # voltfix: skip\n" + FIXED}
    assert statuses(result) == [(1, "suppressed", None), (2, "fixed", None)]


def test_a_skip_comment_at_the_end_of_a_call_of_several_lines_holds_for_the_call():
    source = b"y = Variable(x,\n             volatile=True)  # voltfix: skip\n"
    assert statuses(core.migrate({"a.py": source})) == [(2, "suppressed", None)]


@pytest.mark.parametrize("comment", [b"# voltfix: skip-this-not", b"# voltfix: skipped", b"# skip"])
def test_a_comment_that_only_looks_like_skip_suppresses_nothing(comment):
    assert statuses(core.migrate({"a.py": SITE[:-1] + b"  " + comment + b"\n"})) == [(1, "fixed", None)]


def test_skip_file_leaves_the_whole_file_alone():
    result = core.migrate({"a.py": b"# voltfix: skip-file\n" + SITE, "b.py": SITE})
    assert set(result.outputs) == {"b.py"}
    assert statuses(result) == [(2, "suppressed", None), (1, "fixed", None)]


def test_skip_file_deep_in_the_file_is_no_such_comment():
    result = core.migrate({"a.py": b"\n" * 20 + b"# voltfix: skip-file\n" + SITE})
    assert statuses(result) == [(22, "fixed", None)]


def test_ignored_codes_are_suppressed():
    result = core.migrate({"a.py": SITE}, Options(ignore=("VF1",)))
    assert result.outputs == {}
    assert statuses(result) == [(1, "suppressed", None)]


def test_the_longer_prefix_wins_between_select_and_ignore():
    assert statuses(core.migrate({"a.py": SITE}, Options(ignore=("VF1",), select=("VF101",)))) == [
        (1, "fixed", None)
    ]
    assert statuses(core.migrate({"a.py": SITE}, Options(ignore=("VF101",), select=("VF",)))) == [
        (1, "suppressed", None)
    ]
    assert statuses(core.migrate({"a.py": SITE}, Options(select=("VF103",)))) == [(1, "suppressed", None)]


def test_a_change_with_a_suppressed_site_is_solved_again_without_it():
    result = core.migrate({"a.py": PAIR})
    assert statuses(result) == [(1, "fixed", None), (2, "suppressed", None)]


def test_a_solver_that_does_not_heed_what_is_held_has_its_change_taken_back(monkeypatch):
    monkeypatch.setattr(settling, "solver", lambda: lambda modules, options: toy_solver.solve(modules, Options()))
    result = core.migrate({"a.py": PAIR})
    assert result.outputs == {}
    assert statuses(result) == [(1, "refused", "held-together"), (2, "suppressed", None)]


def test_a_file_that_does_not_parse_is_an_error_with_its_line_and_the_others_are_done():
    result = core.migrate({"bad.py": b"volatile = 1\ndef (:\n", "good.py": SITE})
    assert set(result.outputs) == {"good.py"}
    (error,) = result.errors
    assert (error.path, error.line, error.kind) == ("bad.py", 2, "syntax")


def test_a_file_without_the_word_may_be_as_broken_as_it_likes():
    assert core.migrate({"bad.py": b"def (:\n", "good.py": SITE}).errors == ()


def test_a_broken_file_outside_the_paths_given_is_no_error():
    result = core.migrate(
        {"bad.py": b"volatile def (:\n", "a.py": SITE}, Options(editable=frozenset({"a.py"}))
    )
    assert result.errors == ()


def test_a_change_that_needs_a_file_outside_the_paths_is_refused_whole():
    files = {"a.py": SITE[:-1] + b" # together\n", "b.py": SITE[:-1] + b" # together\n"}
    result = core.migrate(files, Options(editable=frozenset({"a.py"})))
    assert result.outputs == {}
    assert [(site.path, site.reason) for site in result.sites] == [("a.py", "outside-paths")]
    assert "b.py" in result.sites[0].message


def test_files_of_one_change_are_one_group():
    line = SITE[:-1] + b" # together\n"
    result = core.migrate({"a.py": line, "b.py": line, "c.py": SITE})
    assert result.groups == (("a.py", "b.py"),)
    assert set(result.outputs) == {"a.py", "b.py", "c.py"}


def test_an_edit_that_breaks_the_syntax_is_taken_back_and_the_others_stay(monkeypatch):
    from voltfix import edit

    def breaking(module, edits):
        text = real(module, edits)
        return text.replace("broken = Variable(x)", "broken = Variable(x")

    real = edit.apply
    monkeypatch.setattr(edit, "apply", breaking)
    source = b"broken = Variable(x, volatile=True)\n" + SITE
    result = core.migrate({"a.py": source})
    assert result.outputs == {"a.py": b"broken = Variable(x, volatile=True)\n" + FIXED}
    assert statuses(result) == [(1, "refused", "internal-error"), (2, "fixed", None)]


def test_an_edit_outside_the_planned_lines_is_taken_back(monkeypatch):
    from voltfix import edit

    real = edit.apply
    monkeypatch.setattr(edit, "apply", lambda module, edits: real(module, edits).replace("lr = 1", "lr = 2"))
    result = core.migrate({"a.py": b"lr = 1\n" + SITE})
    assert result.outputs == {}
    assert statuses(result) == [(2, "refused", "internal-error")]


def test_an_edit_that_cannot_be_carried_out_refuses_its_change_alone(monkeypatch):
    from voltfix import edit

    def picky(module, edits):
        if any(module.text[e.call.start - 6 : e.call.start] == "odd = " for e in edits):
            raise edit.EditError("odd")
        return real(module, edits)

    real = edit.apply
    monkeypatch.setattr(edit, "apply", picky)
    result = core.migrate({"a.py": b"odd = Variable(x, volatile=True)\n" + SITE})
    assert statuses(result) == [(1, "refused", "internal-error"), (2, "fixed", None)]
    assert "odd" in result.sites[0].message


def test_a_result_that_a_second_pass_would_change_again_is_taken_back(monkeypatch):
    from voltfix import edit

    def restless(module, edits):
        return (
            module.text.replace("volatile=True", "volatile=False")
            if "volatile=True" in module.text
            else real(module, edits)
        )

    real = edit.apply
    monkeypatch.setattr(edit, "apply", restless)
    result = core.migrate({"a.py": SITE})
    assert result.outputs == {}
    assert statuses(result) == [(1, "refused", "internal-error")]
    assert "second run" in result.sites[0].message


def test_a_change_after_which_another_file_would_change_is_taken_back_alone(monkeypatch):
    """What stands in b.py is refused as long as a.py is as it was, and would be fixed by a second run."""

    def solve(modules, options):
        waits = any(module.path == "a.py" and "volatile" in module.text for module in modules)
        lines = {m.path: m.text.replace("borrow", "refuse") if waits and m.path == "b.py" else m.text for m in modules}
        return toy_solver.solve([replace(module, text=lines[module.path]) for module in modules], options)

    monkeypatch.setattr(settling, "solver", lambda: solve)
    files = {"a.py": SITE, "b.py": b"borrow = Variable(x, volatile=True)\n", "c.py": SITE, "d.py": SITE}
    result = core.migrate(files)
    assert {row.path: row.status for row in result.sites} == {
        "a.py": "refused", "b.py": "refused", "c.py": "fixed", "d.py": "fixed",
    }
    assert core.migrate({**files, **result.outputs}).outputs == {}


# --- the verifier ------------------------------------------------------------------------------------------


def verdicts(different=()):
    """A verifier that finds the changes of these ids different, in the first round alone: asked for all, for what it
    blames with its imports at hand, and for that alone."""
    rounds = []

    def verify(items):
        rounds.append(items)
        found = different if len(rounds) <= 3 else ()
        return [
            Verification("symbolic", "different" if item.id in found else "identical", "not-run", "no CUDA")
            for item in items
        ]

    return verify


def test_an_identical_verdict_stands_with_its_site():
    (site,) = core.migrate({"a.py": SITE}, verifier=verdicts()).sites
    assert site.verification == Verification("symbolic", "identical", "not-run", "no CUDA")


def test_a_change_that_does_something_else_is_rolled_back_and_the_others_stay():
    source = SITE + b"def f():\n    z = Variable(x, volatile=True)\n"
    result = core.migrate({"a.py": source}, verifier=verdicts({"c2"}))
    assert result.outputs == {"a.py": FIXED + b"def f():\n    z = Variable(x, volatile=True)\n"}
    assert statuses(result) == [(1, "fixed", None), (3, "refused", "verification-failed")]


def test_what_touches_the_same_function_as_a_rolled_back_change_falls_with_it():
    source = b"def f():\n    y = Variable(x, volatile=True)\n    z = Variable(x, volatile=True)\n"
    result = core.migrate({"a.py": source}, verifier=verdicts({"c2"}))
    assert result.outputs == {}
    assert [site.reason for site in result.sites] == ["verification-failed", "verification-failed"]


def test_a_site_that_nothing_is_edited_for_did_not_fail_verification_itself():
    edited = Change("c1", (), (("a.py", (EnsureImport("torch"),)),), (("a.py", "f"),))
    beside = Change("c2", (), (("a.py", ()),), (("a.py", "f"),))
    different = Verification("symbolic", "different", "not-run", None)
    for found in ({"c1": different}, {"c1": different, "c2": different}):
        fallen = refuted(Plan((edited, beside)), found)
        assert {name: reason for name, (reason, _) in fallen.items()} == {
            "c1": "verification-failed",
            "c2": "held-together",
        }


def test_a_run_that_changes_nothing_twice_says_the_same_twice():
    source = b"def f():\n    y = Variable(x, volatile=True)\n    z = Variable(x, volatile=True)\n"
    first, second = (core.migrate({"a.py": source}, verifier=verdicts({"c2"})) for _ in range(2))
    assert first.outputs == second.outputs == {}
    assert statuses(first) == statuses(second)


def test_the_verifier_sees_the_modules_of_a_change_as_they_were_and_as_they_would_be():
    seen = []

    def verify(items):
        seen.extend(items)
        return [Verification() for _ in items]

    core.migrate({"a.py": SITE, "b.py": b"z = 1\n", "c.py": REFUSED}, verifier=verify)
    (item,) = seen
    assert (item.before, item.after) == ({"a.py": SITE.decode()}, {"a.py": FIXED.decode()})
    assert item.rest == "today"


def test_the_verifier_is_told_where_refused_flags_stay_behind():
    seen = []

    def verify(items):
        seen.extend(items)
        return [Verification() for _ in items]

    core.migrate({"a.py": SITE + REFUSED}, verifier=verify)
    assert [item.rest for item in seen] == ["legacy"]


def test_without_a_change_nothing_is_verified():
    def verify(items):
        raise AssertionError("called")

    assert core.migrate({"a.py": REFUSED}, verifier=verify).errors == ()  # what it raises is one


def test_a_crash_inside_names_the_files_and_raises_nothing(monkeypatch):
    def crash(modules, options):
        raise ZeroDivisionError("the solver's own")

    monkeypatch.setattr(settling, "solver", lambda: crash)
    result = core.migrate({"a.py": SITE, "b.py": b"x = 1\n"})
    assert result.outputs == {}
    (error,) = result.errors
    assert (error.path, error.kind) == ("a.py", "internal")
    assert "the solver's own" in error.message
