from __future__ import annotations

import json
import shlex
from dataclasses import replace

import pytest

from voltfix.model import NO_TIME, Candidate, Change, FileError, Look, SiteResult, Verification
from voltfix.report import render
from voltfix.report.data import Report
from voltfix.report.escape import decodable, printable
from voltfix.report.moved import Landing
from voltfix.verify.plan import NOT_ASKED


def site(**fields) -> SiteResult:
    values = {
        "path": "a.py",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 18,
        "cell": None,
        "change": "c1",
        "code": "VF101",
        "strategy": "no_grad",
        "status": "fixed",
        "reason": None,
        "message": "wrapped lines 3 to 7",
    }
    return SiteResult(**{**values, **fields})


REFUSED = site(
    status="refused", strategy=None, change=None, reason="escapes", message="z is returned", line=9
)
SUPPRESSED = site(status="suppressed", strategy=None, change=None, message="left alone", line=10)
KEPT = site(status="kept", strategy=None, change=None, message="a shim", line=11)
ALL = Report(files_scanned=4, sites=(site(), REFUSED, SUPPRESSED, KEPT), changed=("a.py",))


def test_a_concise_report_has_a_line_with_decision_and_reason_for_each_site():
    assert render(ALL, "concise").splitlines()[:4] == [
        "a.py:3:5: VF101 fixed (no_grad): wrapped lines 3 to 7",
        "a.py:9:5: VF101 refused (escapes): z is returned",
        "a.py:10:5: VF101 suppressed: left alone",
        "a.py:11:5: VF101 kept: a shim",
    ]


def test_what_to_do_next_can_be_pasted_into_a_shell_whatever_the_file_is_called():
    row = site(path="an old (one)/a b.ipynb", cell=4, line=2, status="refused", strategy=None, reason="escapes")
    for form in ("text", "concise"):
        last = render(Report(sites=(row,)), form).splitlines()[-1]
        assert shlex.split(last) == ["Next:", "voltfix", "explain", "an old (one)/a b.ipynb:cell 4:2"]
    last = render(Report(mode="check", sites=(site(status="would-fix"),), paths=("my code",)), "text").splitlines()[-1]
    assert last.startswith("Next: voltfix fix 'my code'  ")


def test_why_something_was_not_run_is_said_to_be_there_for_the_asking():
    run = Verification("symbolic", cpu="identical", detail=f"cuda: {NOT_ASKED}")
    not_run = Verification("symbolic", detail=f"the flag was never on; cuda: {NOT_ASKED}")
    report = Report(sites=(site(verification=run), site(line=5, verification=not_run)))
    assert "2 fixed (1 run and identical, 1 not run: --verbose says why)." in render(report, "text")
    for form in ("text", "concise"):
        said = [line for line in render(replace(report, verbose=True), form).splitlines() if "not verified" in line]
        assert said == ["    not verified: the flag was never on"]
    nothing = Report(sites=(site(verification=Verification(None)),))
    assert "1 fixed (not run)." in render(nothing, "text")


def test_the_summary_adds_up():
    for form in ("text", "concise"):
        assert render(ALL, form).splitlines()[-3:] == [
            "Found 4 sites in 4 files: 1 fixed (not run), 1 refused, 1 suppressed, 1 kept.",
            "1 file changed.",
            "Next: voltfix explain a.py:9",
        ]
    figures = ALL.summary()
    parts = ("fixed", "refused", "suppressed", "kept")
    assert figures["sites"] == sum(figures[part] for part in parts)


def test_what_is_only_suggested_is_said_to_be_there_for_the_asking():
    text = render(Report(sites=(replace(REFUSED, suggested=True), REFUSED)), "text")
    assert text.endswith("Next: voltfix explain a.py:9  (--unsafe-fixes writes the one that is only suggested)\n")


def test_would_fix_counts_as_fixed_and_reads_as_what_would_be():
    report = Report(mode="check", files_scanned=1, sites=(site(status="would-fix"),), changed=("a.py",), paths=("d",))
    assert render(report, "text").splitlines()[-3:] == [
        "Found 1 site in 1 file: 1 would be fixed (not run).",
        "1 file would change.",
        "Next: voltfix fix d  (writes this; with --interactive it asks first)",
    ]
    assert report.summary()["fixed"] == 1


def test_verdicts_are_shown_and_counted_by_device():
    checked = site(verification=Verification("symbolic", "identical", "not-run", "no CUDA here"))
    report = Report(sites=(checked, site()))
    assert "[cpu identical]" in render(report, "text")
    assert "2 fixed (1 run and identical, 1 not run: --verbose says why)." in render(report, "text")
    assert report.summary()["verified"] == {"cpu": 1, "cuda": 0}


def test_evidence_is_shown_when_asked_for():
    report = Report(sites=(site(evidence=("line 3: x is volatile",)),))
    assert "line 3" not in render(report, "text")
    verbose = Report(sites=report.sites, verbose=True)
    assert "\n    line 3: x is volatile\n" in render(verbose, "text")


def test_quiet_leaves_errors_alone():
    report = Report(sites=(site(),), errors=(FileError("b.py", 7, "syntax", "invalid syntax"),), quiet=True)
    assert render(report, "text") == "b.py:7: error (syntax): invalid syntax\n"


def test_statistics_count_codes_strategies_and_reasons():
    text = render(Report(sites=(site(), site(line=4), REFUSED), statistics=True), "text")
    assert "     3  code  VF101" in text
    assert "     2  strategy  no_grad" in text
    assert "     1  reason  escapes" in text


def test_statistics_say_how_closely_functions_were_looked_at_and_what_ran_out():
    looked = (Look(), Look(), Look("conditions", "too many paths"), Look("conditions", "line 7 carries too much"),
              Look("conditions", "line 9 carries too much", followed=False))
    report = Report(sites=(site(),), looked=looked, statistics=True)
    said = json.loads(render(report, "json"))["statistics"]
    assert said["precisions"] == {"exact": 2, "without conditions": 2, "not followed": 1}
    assert said["budgets"] == {"a line carries too much": 2, "too many paths": 1}
    text = render(report, "text")
    assert "     2  functions  without conditions" in text
    assert "     1  ran out  too many paths" in text


def test_statistics_of_a_run_that_looked_at_nothing_name_no_precision():
    assert "functions" not in render(Report(sites=(site(),), statistics=True), "text")


def test_a_cell_of_a_notebook_is_named():
    assert render(Report(sites=(site(path="n.ipynb", cell=2),)), "concise").startswith("n.ipynb:cell 2:3:5: ")
    assert "n.ipynb:cell 2:3:5: VF101" in render(Report(sites=(site(path="n.ipynb", cell=2),)), "text")


def test_terminal_sequences_in_paths_and_messages_are_written_out():
    report = Report(sites=(site(path="\x1b[2Ja\n.py", message="from \x07 code\u202e"),))
    line = "\\x1b[2Ja\\n.py:3:5: VF101 fixed (no_grad): from \\x07 code\\u202e\n"
    assert render(report, "concise").startswith(line)
    assert "\x1b" not in render(report, "text")
    assert "\u202e" not in render(report, "text")


def test_json_has_the_fields_of_the_contract():
    document = json.loads(render(ALL, "json"))
    assert list(document) == ["schema", "voltfix", "summary", "sites", "modernized", "diffs", "errors", "sandbox"]
    assert document["schema"] == 1
    assert document["summary"] == {
        "files_scanned": 4,
        "files_changed": 1,
        "sites": 4,
        "fixed": 1,
        "refused": 1,
        "suppressed": 1,
        "kept": 1,
        "modernized": 0,
        "errors": 0,
        "verified": {"cpu": 0, "cuda": 0},
    }
    row = document["sites"][0]
    assert {key: row[key] for key in list(row) if key != "evidence"} == {
        "candidates": [],
        "path": "a.py",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 18,
        "cell": None,
        "change": "c1",
        "code": "VF101",
        "strategy": "no_grad",
        "status": "fixed",
        "reason": None,
        "message": "wrapped lines 3 to 7",
        "verification": {"tier": None, "cpu": "not-run", "cuda": "not-run", "detail": None},
        "original_line": None,
            "safety": "proved",
    }


def test_notes_and_statistics_are_in_the_text_and_in_the_json():
    report = replace(ALL, notes=("nothing was verified: \x1b[2J",), statistics=True)
    assert "note: nothing was verified: \\x1b[2J\n" in render(report, "text")
    document = json.loads(render(report, "json"))
    assert document["notes"] == list(report.notes)
    assert document["statistics"] == json.loads(json.dumps(report.tallies()))


def test_json_names_errors_and_any_json_reader_takes_undecodable_paths():
    report = Report(errors=(FileError("b\udcff.py", None, "unreadable", "permission denied"),))
    text = render(report, "json")
    text.encode("utf-8")
    assert json.loads(text)["errors"] == [
        {"path": "b\\xff.py", "line": None, "kind": "unreadable", "message": "permission denied"}
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("größe 模型", "größe 模型"),
        ("tab\tnew\nline\r", "tab\\tnew\\nline\\r"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("\udc80", "\\x80"),
        ("\u2028", "\\u2028"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_control_characters_are_written_out(text, expected):
    assert printable(text) == expected


def test_what_is_to_be_kept_is_kept():
    assert printable("a\tb\x1b\n", keep="\t\n") == "a\tb\\x1b\n"


def test_a_path_that_is_unicode_stays_as_it_is():
    assert decodable("größe.py") == "größe.py"


BEFORE = b"import torch\nx = fix(1)\ny = refuse(2)\n"
AFTER = b"import torch\nwith torch.no_grad():\n    x = fix(1)\ny = refuse(2)\n"
REFUSAL = site(line=3, end_line=3, status="refused", strategy=None, reason="other-use", evidence=("line 2: fixed",))


@pytest.mark.parametrize(
    ("row", "line", "column"),
    [
        (REFUSAL, 4, 5),
        (replace(REFUSAL, line=1, end_line=1), 1, 5),
        (replace(REFUSAL, path="other.py"), 3, 5),
        (site(line=2, end_line=2), 3, 9),
    ],
    ids=["below a block", "above it", "in a file that stays", "in it"],
)
def test_a_row_has_the_line_of_the_text_on_disk_and_that_before(row, line, column):
    landed = Landing({"a.py": (BEFORE, AFTER)}).landed(row)
    assert (landed.line, landed.column, landed.original_line) == (line, column, row.line)


def test_lines_in_sentences_are_those_on_disk_too():
    landing = Landing({"a.py": (BEFORE, AFTER)})
    assert landing.landed(REFUSAL).evidence == ("line 3: fixed",)
    for before, after in {
        "wrapped lines 2-3 in torch.no_grad()": "wrapped lines 3-4 in torch.no_grad()",
        "hands the flag to a.py:3, where it was refused": "hands the flag to a.py:4, where it was refused",
        "b.py: lines 2, 3: would build a graph": "b.py: lines 2, 3: would build a graph",
        "wrapped a.py: lines 2, 3 in torch.no_grad()": "wrapped a.py: lines 3, 4 in torch.no_grad()",
        "PyTorch 0.3 raised there": "PyTorch 0.3 raised there",
        "wrapped line 2 in torch.no_grad()": "wrapped line 3 in torch.no_grad()",
    }.items():
        assert landing.renumbered(before, "a.py") == after


def test_lines_behind_a_path_with_spaces_or_a_cut_front_are_those_on_disk_too():
    landing = Landing({"a folder (old)/a.py": (BEFORE, AFTER)})
    for before, after in {
        "hands the flag to a folder (old)/a.py:3": "hands the flag to a folder (old)/a.py:4",
        "...(old)/a.py:3: runs in torch.no_grad()": "...(old)/a.py:4: runs in torch.no_grad()",
        "hands the flag to other/a.py:3": "hands the flag to other/a.py:3",
        "hands the flag to a.py:3": "hands the flag to a.py:3",
    }.items():
        assert landing.renumbered(before, "b.py") == after


def notebook(*sources: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": text} for text in sources]}).encode()


def test_a_line_of_a_cell_moves_within_its_cell():
    sources = {"n.ipynb": (notebook("a = 1", "b = 2\nc = 3"), notebook("a = 1", "import torch\nb = 2\nc = 3"))}
    rows = [site(path="n.ipynb", cell=2, line=2, end_line=2), site(path="n.ipynb", cell=1, line=1, end_line=1)]
    assert [Landing(sources).landed(row).line for row in rows] == [3, 1]


def test_a_stretch_that_has_become_one_line_is_one_line():
    before = b"x = 1\ny = f(\n    x, True)\nz = 2\n"
    landing = Landing({"a.py": (before, b"x = 1\ny = f(x)\nz = 2\n")})
    assert landing.renumbered("wrapped lines 2-3 in torch.no_grad()", "a.py") == "wrapped line 2 in torch.no_grad()"
    assert landing.renumbered("wrapped lines 2-4 in torch.no_grad()", "a.py") == "wrapped lines 2-3 in torch.no_grad()"


@pytest.mark.parametrize(("after", "place"), [
    (b"if gpu:\n    x = x.cuda(non_blocking=True)\n\n# compute\ny = net(x)\n", (4, 1)),
    (b"if gpu:\n    x = x.cuda()\n\n# compute\ny = net(x)\n", (4, 1)),
    (b"if gpu:\n    x = x.cuda()\nx = move(x)\n\n# compute\ny = net(x)\n", (3, 12)),
    (b"if gpu:\n    x = x.cuda()\nx = Variable(x)\n\n# compute\ny = net(x)\n", (3, 16)),
])
def test_a_row_whose_line_is_gone_stands_at_the_next_one_that_is_filled(after, place):
    before = b"if gpu:\n    x = x.cuda(async=True)\nx = Variable(x, volatile=True)\n\n# compute\ny = net(x)\n"
    moved = Landing({"a.py": (before, after)}).landed(site(line=3, end_line=3, column=17, end_column=30))
    assert (moved.line, moved.column) == place


def test_a_run_that_leaves_dead_arguments_says_how_they_go():
    kept = site(status="kept", strategy=None, message="kept the parameter: a.py is importable (--break-api removes it)")
    text = render(Report(sites=(kept, replace(kept, line=8))), "text")
    assert "Nothing reads the 2 arguments that are kept. To remove them: undo this run, add --break-api." in text
    assert "undo this run" not in render(Report(mode="check", sites=(kept,)), "text")
    assert "undo this run" not in render(Report(sites=(KEPT,)), "text")
    assert "  a.py:3:5: VF101 kept the parameter" in text


def test_with_verification_off_the_next_step_is_to_have_it_on():
    row = replace(REFUSED, suggested=True)
    held = site(status="refused", strategy=None, reason="held", line=2)
    report = Report(mode="check", sites=(held, row), given=("--no-verify",), given_explain=("--no-verify",))
    last = render(report, "text").splitlines()[-1]
    assert last.startswith("Next: voltfix explain a.py:9 --no-verify")
    assert "leave out --no-verify" in last


def test_where_time_ran_out_the_next_step_is_to_give_more():
    untried = Candidate("a block", "no_grad", Change("s1", (), ()), Verification(detail=NO_TIME))
    for each in (untried, replace(untried, verification=Verification(), doubt=f"others were not tried: {NO_TIME}")):
        last = render(Report(sites=(replace(REFUSED, candidates=(each,)),)), "text").splitlines()[-1]
        assert "--search 300 gives them more" in last
    tried = replace(untried, verification=Verification("symbolic", "different", detail="it differs"))
    assert "--search" not in render(Report(sites=(replace(REFUSED, candidates=(tried,)),)), "text")


@pytest.mark.parametrize(("stretches", "said"), [
    (["lines 3-5", "line 8", "lines 10-11"], "lines 3-5, line 8 and lines 10-11"),
    (["lines 3-5", "line 8", "lines 10-11", "line 20"], "lines 3-5, 8, 10-11, 20"),
    (["line 3", "b.py: line 8", "line 10", "b.py: lines 9-10"], "lines 3, 10, b.py: lines 8, 9-10"),
])
def test_each_stretch_that_fits_is_named(stretches, said):
    from voltfix.rules.messages import wrapped

    assert wrapped(stretches, "torch.no_grad()") == f"wrapped {said} in torch.no_grad()"


def test_what_break_api_can_do_in_this_run_alone_is_said_in_time():
    """Once the flag inside is gone, nothing tells the parameter from any other."""
    from voltfix.model import SiteResult
    from voltfix.report.text import next_step
    from voltfix.rules import messages

    done = SiteResult("a.py", 3, 5, 3, 9, None, None, "VF101", None, "would-fix", None, "would wrap line 3")
    kept = replace(done, status="kept", message=messages.kept_argument(messages.is_importable("a.py")))
    used = replace(done, status="kept", message=messages.kept_argument(messages.is_used()))
    said = next_step(Report(mode="check", sites=(done, kept, kept, used), paths=(".",)))
    assert said.endswith("; add --break-api now for the 2 that are kept, later runs do not see them)")
    assert "--break-api" not in next_step(Report(mode="check", sites=(done, used), paths=(".",)))


def test_sites_are_counted_as_sites_and_lines_are_listed_as_lines():
    row = SiteResult("a.py", 3, 5, 3, 9, None, None, "VF101", None, "refused", "held", "left as it is")
    same = [replace(row, line=line, column=column) for line in (5, 7, 9) for column in (5, 20)]
    text = render(Report(mode="check", sites=(row, *same)), "text")
    assert "= 6 more on 3 lines: lines 5, 7, 9\n" in text
    done = [replace(each, status="fixed", reason=None, message="removed it") for each in (row, *same)]
    text = render(Report(sites=(*done, replace(done[0], column=20))), "text")
    assert "a.py:3:5: VF101 removed it (2 on this line, also lines 5, 7, 9)\n" in text
