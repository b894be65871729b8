"""``--output-format sarif``: SARIF 2.1.0, as code scanning services and editors read it.

A site that would be fixed is a warning, one that needs a person an error; what is done, kept or suppressed
is recorded, and alerts nobody. The fix of a file stands at the first of its sites, since a viewer that
applied it at each would apply it more than once.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from voltfix import __version__
from voltfix.model import FileError, SiteResult
from voltfix.report import rulehelp
from voltfix.report.data import Report
from voltfix.report.hunks import hunks
from voltfix.report.json import candidate_object, verdict_object

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
Json = dict[str, Any]

# status -> (kind, level)
_STANDING = {
    "would-fix": ("fail", "warning"),
    "refused": ("fail", "error"),
    "fixed": ("informational", "none"),
    "suppressed": ("fail", "note"),
    "kept": ("pass", "none"),
}


def render(report: Report) -> str:
    """The report as one SARIF log with one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    return json.dumps(log, indent=1) + "\n"


def _run(report: Report) -> Json:
    rows = (*report.sites, *report.modernized)
    codes = sorted({*rulehelp.codes(), *(row.code for row in rows)})
    return {
        "tool": {"driver": {"name": "voltfix", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.errors,
                "toolExecutionNotifications": [_notification(error) for error in report.errors]
                + [{"level": "note", "message": {"text": note}} for note in report.notes],
            }
        ],
        "results": list(_results(report, rows, codes)),
        "properties": {"summary": report.summary(), "filesScanned": report.files_scanned},
    }


def _rule(code: str) -> Json:
    help_ = rulehelp.rule_help(code)
    rule: Json = {
        "id": code,
        "name": help_.name,
        "shortDescription": {"text": help_.summary},
        "fullDescription": {"text": help_.summary},
        "defaultConfiguration": {"level": "warning"},
    }
    if help_.markdown:
        rule["help"] = {"text": help_.markdown, "markdown": help_.markdown}
    return rule


def _results(report: Report, rows: Iterable[SiteResult], codes: list[str]) -> Iterable[Json]:
    seen: Counter[str] = Counter()
    fixed: set[str] = set()
    for row in rows:
        result = _result(row, codes.index(row.code))
        mark = f"{row.path}|{row.code}|{row.reason or row.strategy}|{row.message}"
        digest = hashlib.sha256(f"{mark}|{seen[mark]}".encode("utf-8", "surrogateescape")).hexdigest()
        seen[mark] += 1
        if row in report.known:
            result["level"] = "note"
            result["suppressions"] = [{"kind": "external", "justification": "accepted by the baseline"}]
        result["partialFingerprints"] = {"voltfixSite/v1": digest[:32]}
        if row.status == "would-fix" and row.path in report.sources and row.path not in fixed:
            fixed.add(row.path)
            if (fix := _fix(row.path, *report.sources[row.path])) is not None:
                result["fixes"] = [fix]
        yield result


def _result(row: SiteResult, index: int) -> Json:
    kind, level = _STANDING[row.status]
    result: Json = {
        "ruleId": row.code,
        "ruleIndex": index,
        "kind": kind,
        "level": level,
        "message": {"text": _message(row)},
        "locations": [{"physicalLocation": _location(row)}],
        "properties": {
            key: value
            for key, value in {
                "status": row.status,
                "strategy": row.strategy,
                "reason": row.reason,
                "change": row.change,
                "safety": row.safety,
                "cell": row.cell,
                "evidence": list(row.evidence),
                "verification": verdict_object(row.verification),
                "candidates": [candidate_object(candidate) for candidate in row.candidates] or None,
            }.items()
            if value is not None
        },
    }
    if row.status == "suppressed":
        kind = "inSource" if "voltfix: skip" in row.message else "external"
        result["suppressions"] = [{"kind": kind, "justification": row.message}]
    return result


def _message(row: SiteResult) -> str:
    how = row.reason or row.strategy
    where = f"cell {row.cell}, line {row.line}: " if row.cell is not None else ""
    return f"{where}{row.status}{f' ({how})' if how else ''}: {row.message}"


def _location(row: SiteResult) -> Json:
    """Where a site is. Lines of a notebook's cell are none of the file, so its site names the file alone."""
    location: Json = {"artifactLocation": {"uri": uri(row.path)}}
    if row.cell is None:
        location["region"] = {
            "startLine": row.line,
            "startColumn": row.column,
            "endLine": row.end_line,
            "endColumn": row.end_column,
        }
    return location


def _notification(error: FileError) -> Json:
    place: Json = {"artifactLocation": {"uri": uri(error.path)}}
    if error.line:
        place["region"] = {"startLine": error.line}
    return {
        "level": "error",
        "message": {"text": f"{error.kind}: {error.message}"},
        "locations": [{"physicalLocation": place}],
    }


def _fix(path: str, before: bytes, after: bytes) -> Json | None:
    """The new lines of a file; None where it is no UTF-8, since SARIF holds text."""
    try:
        old, new = before.decode(), after.decode()
    except UnicodeDecodeError:
        return None
    replacements = [
        {
            "deletedRegion": {"startLine": first + 1, "startColumn": 1, "endLine": last + 1, "endColumn": 1},
            "insertedContent": {"text": text},
        }
        for first, last, text in hunks(old, new)
    ]
    change = {"artifactLocation": {"uri": uri(path)}, "replacements": replacements}
    return {
        "description": {"text": "everything that voltfix would change in this file"},
        "artifactChanges": [change],
    }


def uri(path: str) -> str:
    """A path as a URI reference: relative ones stay relative, absolute ones become file URIs."""
    quoted = quote(os.fsencode(path))
    return f"file://{quoted}" if os.path.isabs(path) else quoted
