"""SARIF and GitHub's annotations.

The logs are held against a schema of the part of SARIF that voltfix writes; against the official one too
where VOLTFIX_SARIF_SCHEMA is the path of it (docs.oasis-open.org, or inside the source package of cfn-lint).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from voltfix.model import FileError, SiteResult, Verification
from voltfix.report import render
from voltfix.report.data import Report
from voltfix.report.hunks import lines_of
from voltfix.report.sarif import uri

SUBSET = Path(__file__).parent.parent / "fixtures/sarif/voltfix-subset.schema.json"


def site(**fields) -> SiteResult:
    values = {
        "path": "a b.py", "line": 2, "column": 5, "end_line": 2, "end_column": 18, "cell": None,
        "change": "c1", "code": "VF101", "strategy": "no_grad", "status": "would-fix", "reason": None,
        "message": "wrapped",
    }  # fmt: skip
    return SiteResult(**{**values, **fields})


BEFORE = b"x = Variable(a)\r\ny = Variable(b, volatile=True)\r\nz = 3"
AFTER = b"x = Variable(a)\r\ny = Variable(b)\r\nz = 4\r\nw = 5"
REPORT = Report(
    mode="check",
    sites=(
        site(verification=Verification("symbolic", "identical", "not-run", "no device")),
        site(line=3, end_line=3),
        site(line=9, status="refused", strategy=None, change=None, reason="volatile-read", evidence=("line 3",)),
        site(line=10, status="suppressed", strategy=None, message="a voltfix: skip comment says so"),
        site(line=11, status="suppressed", strategy=None, message="left alone: VF101 is not selected"),
        site(line=12, status="kept", strategy=None),
        site(path="n.ipynb", cell=3, status="refused", reason="held"),
        site(path="/abs/ü:%.py", status="fixed", code="VF104"),
    ),
    errors=(FileError("c.py", 3, "syntax", "bad"), FileError("d.py", None, "unreadable", "no")),
    sources={"a b.py": (BEFORE, AFTER)},
    notes=("nothing was verified",),
)


def schemas() -> list[Path]:
    official = os.environ.get("VOLTFIX_SARIF_SCHEMA")
    return [SUBSET, *([Path(official)] if official else [])]


def run_of(report: Report) -> dict:
    return json.loads(render(report, "sarif"))["runs"][0]


@pytest.mark.parametrize("schema", schemas(), ids=lambda path: path.name)
@pytest.mark.parametrize("report", [REPORT, Report()], ids=["full", "empty"])
def test_logs_are_valid(schema, report):
    jsonschema = pytest.importorskip("jsonschema")
    rules = json.loads(schema.read_text())
    check = jsonschema.validators.validator_for(rules)(rules, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in check.iter_errors(json.loads(render(report, "sarif")))] == []


def test_what_is_left_to_do_alerts_and_the_rest_does_not():
    levels = {(r["properties"]["status"], r["kind"], r["level"]) for r in run_of(REPORT)["results"]}
    assert levels == {
        ("would-fix", "fail", "warning"),
        ("refused", "fail", "error"),
        ("suppressed", "fail", "note"),
        ("kept", "pass", "none"),
        ("fixed", "informational", "none"),
    }


def test_a_suppression_says_where_it_comes_from():
    given = [r["suppressions"][0]["kind"] for r in run_of(REPORT)["results"] if "suppressions" in r]
    assert given == ["inSource", "external"]


def test_each_file_has_its_fix_once_and_the_fix_makes_the_new_file():
    fixes = [r["fixes"] for r in run_of(REPORT)["results"] if "fixes" in r]
    assert len(fixes) == 1
    (change,) = fixes[0][0]["artifactChanges"]
    lines = lines_of(BEFORE.decode())
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        lines[region["startLine"] - 1 : region["endLine"] - 1] = [replacement["insertedContent"]["text"]]
    assert "".join(lines).encode() == AFTER


def test_a_file_that_is_no_utf8_has_no_fix_in_a_log_of_text():
    sources = {"a.py": (b"# \xff\nx = Variable(y, volatile=True)\n", b"# \xff\nx = Variable(y)\n")}
    (result,) = run_of(Report(sites=(site(status="would-fix"),), sources=sources))["results"]
    assert "fixes" not in result


def test_a_code_that_no_rule_has_is_named_without_help():
    rules = run_of(Report(sites=(site(code="VF999"),)))["tool"]["driver"]["rules"]
    (rule,) = [rule for rule in rules if rule["id"] == "VF999"]
    assert rule["shortDescription"]["text"] == "VF999"
    assert "help" not in rule


def test_fingerprints_are_apart_and_do_not_hang_on_lines():
    marks = [r["partialFingerprints"]["voltfixSite/v1"] for r in run_of(REPORT)["results"]]
    assert len(set(marks)) == len(marks)
    moved = Report(sites=(site(line=70),))
    assert run_of(moved)["results"][0]["partialFingerprints"]["voltfixSite/v1"] == marks[0]


def test_a_site_in_a_notebook_names_the_file_without_lines_that_are_none_of_it():
    (result,) = [r for r in run_of(REPORT)["results"] if r["properties"].get("cell")]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert result["message"]["text"].startswith("cell 3, line 2: ")


def test_rules_are_indexed():
    run = run_of(REPORT)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_an_error_makes_the_execution_unsuccessful():
    assert run_of(REPORT)["invocations"][0]["executionSuccessful"] is False
    assert run_of(Report())["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b.py", "a%20b.py"),
        ("/x/y.py", "file:///x/y.py"),
        ("\udcff.py", "%FF.py"),
        ("c#d?.py", "c%23d%3F.py"),
    ],
)
def test_paths_become_uris(path, expected):
    assert uri(path) == expected


def test_github_shows_what_somebody_should_know_of():
    lines = render(REPORT, "github").splitlines()
    assert lines[0] == (
        "::warning file=a b.py,line=2,endLine=2,col=5,endColumn=18,title=voltfix VF101 would-fix (no_grad)::wrapped"
    )
    assert [line.split(" ")[0] for line in lines if line.startswith("::")] == [
        "::warning", "::warning", "::error", "::error", "::notice", "::error", "::error",
    ]  # fmt: skip
    assert "::error file=d.py,title=voltfix%3A unreadable::no" in lines
    assert "::error file=n.ipynb,title=voltfix VF101 refused (held)::cell 3, line 2: wrapped" in lines


def test_hostile_text_cannot_start_a_command_of_its_own():
    hostile = "x\n::set-env name=PATH::evil\r\n,line=9:%0A\udcff"
    text = render(Report(sites=(site(path=hostile, message=hostile),), quiet=True), "github")
    assert text.count("\n") == 1
    assert text.isascii()
    assert ",line=9" not in text.split("::")[1]


def test_what_a_baseline_accepted_alerts_nobody():
    row = site(status="refused", strategy=None, reason="volatile-read")
    report = Report(sites=(row,), accepted=1, known=frozenset({row}))
    (result,) = run_of(report)["results"]
    assert result["level"] == "note"
    assert result["suppressions"][0]["kind"] == "external"
    assert render(report, "github").startswith("::notice file=a b.py,")
    assert "accepted by the baseline</span>" in render(report, "html")
