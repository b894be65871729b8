"""How well rewrites agree with the recordings of PyTorch 0.3.0.

    python benchmarks/golden.py cases FOLDER [--alone] [NAME ...]   golden cases: FOLDER/NAME/{legacy,drive.py,...}
    python benchmarks/golden.py programs FILE.jsonl.gz [ID ...]     generated programs

FOLDER is tests/fixtures/golden/cases, FILE tests/fixtures/golden/programs.jsonl.gz. Loads torch once and forks a
process for each case. Prints one line for each case or program that is not plainly right, and a summary.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import gzip
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from voltfix.core import migrate
from voltfix.model import Options, Result


def load_harness(folder: Path, name: str) -> ModuleType:
    """One of the recording harness's modules (check, probe, programs)."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def forked(work: Any) -> Any:
    """The JSON value of ``work()``, run in a forked child; None if the child died."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            text = json.dumps(work())
        except BaseException as error:
            text = json.dumps({"crash": f"{type(error).__name__}: {error}"})
        with os.fdopen(write, "w") as out:
            out.write(text)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        text = source.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def run_case(harness: Path, case: Path, code: Path) -> Any:
    """What drive() does with ``code``, as the recording harness sees it."""
    def work() -> Any:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        probe_spec = importlib.util.spec_from_file_location("probe", harness / "probe.py")
        assert probe_spec is not None
        assert probe_spec.loader is not None
        probe = importlib.util.module_from_spec(probe_spec)
        probe_spec.loader.exec_module(probe)
        sys.modules["__main__"] = probe
        text = io.StringIO()
        sys.argv = ["probe.py", str(case), str(code)]
        with contextlib.redirect_stdout(text):
            probe.main(str(case), str(code))
        lines = [line for line in text.getvalue().splitlines() if line.startswith('{"calls"')]
        return json.loads(lines[-1])

    return forked(work)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Relative path -> bytes of the Python files in a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.py"))}


def refused(result: Result) -> list[str]:
    """The reasons of all refusals of a result."""
    return [f"{s.path}:{s.line} {s.reason}" for s in result.sites if s.status == "refused"]


def cases(folder: Path, names: list[str], alone: bool) -> int:
    """Rewrite the cases, run them, compare; with ``alone`` each file of a case on its own."""
    harness = folder.parent / "harness"
    check = load_harness(harness, "check")
    import torch  # noqa: F401 - loaded once, before the forks

    tally: collections.Counter[str] = collections.Counter()
    for case in sorted(folder.iterdir()):
        if names and case.name not in names:
            continue
        meta = (case / "case.toml").read_text()
        expect = re.search(r'^expect = "(\w+)"', meta, re.M)
        needs = re.search(r'^modern_needs = "(.+)"', meta, re.M)
        files = read_folder(case / "legacy")
        runs = [frozenset([path]) for path in files] if alone and len(files) > 1 else [None]
        for editable in runs:
            given = {p: files[p] for p in editable} if editable else files
            result = migrate(given, Options())
            label, detail = judge(case, harness, check, files, result)
            word = expect.group(1) if expect else "?"
            if word == "untouched":
                label = "right" if not result.outputs else "UNTOUCHED CHANGED"
            kind = "one file" if len(files) == 1 else "several"
            kind += (" needs-modern" if needs else "") + (" report" if word == "report" else "")
            tally[f"{kind}: {label}"] += 1
            if label != "right" or result.errors:
                name = f"{case.name}{' ' + next(iter(editable)) if editable else ''}"
                print(f"{name} [{kind}] {label}: {detail} {list(result.errors)[:2]}")
    print()
    for line, count in sorted(tally.items()):
        print(f"{count:5} {line}")
    return 0


def judge(case: Path, harness: Path, check: ModuleType, files: dict[str, bytes], result: Result) -> tuple[str, str]:
    """(right, refused, refused-right, graph kept, DIFFERS, not run; what was seen)."""
    reasons = refused(result)
    with tempfile.TemporaryDirectory() as scratch:
        for path, data in {**files, **result.outputs}.items():
            target = Path(scratch) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        got = run_case(harness, case, Path(scratch))
    if got is None or "crash" in got:
        return ("refused" if reasons else "NOT RUN"), f"{got} {reasons}"
    found = check.differences(json.loads((case / "golden.json").read_text()), got)
    if not found:
        return ("refused-right", str(reasons)) if reasons else ("right", "")
    if reasons:
        lost = [f for f in found if not f.startswith("graph kept")]
        return ("refused-DIFFERS" if lost else "refused"), f"{reasons} {found[:2]}"
    return ("graph kept" if all(f.startswith("graph kept") for f in found) else "DIFFERS"), str(found[:3])


def programs(path: Path, ids: list[str]) -> int:
    """Rewrite the programs, run them under both values of their flag, compare."""
    harness = load_harness(path.parent / "harness", "programs")
    tally: collections.Counter[str] = collections.Counter()
    families: collections.Counter[tuple[str, str]] = collections.Counter()
    with gzip.open(path, "rt") as source:
        rows = [json.loads(line) for line in source]
    for row in rows:
        if ids and row["id"] not in ids:
            continue
        ran = {flag: want for flag, want in row["results"].items() if want["error"] is None}
        if not ran:
            tally["raised on 0.3 under both"] += 1
            continue
        files = {"program.py": row["source"].encode()}
        if row.get("helpers") is not None:
            files["helpers.py"] = row["helpers"].encode()
        result = migrate(files, Options())
        after = {p: result.outputs.get(p, data).decode() for p, data in files.items()}

        def differences(source: str, helpers: str | None, ran: dict[str, Any] = ran) -> list[str]:
            return [f"{flag}: {line}" for flag, want in ran.items()
                    for line in harness.differences(want, harness.execute(source, flag == "true", helpers))]

        reasons = refused(result)
        needed = bool(differences(row["source"], row.get("helpers")))
        found = differences(after["program.py"], after.get("helpers.py"))
        label = "right"
        if found:
            label = "graph kept" if all("graph kept: " in line for line in found) else "DIFFERS"
        if reasons:
            label = "refused" if label != "DIFFERS" else "refused-DIFFERS"
        tally[f"{'needs migration' if needed else 'agrees unmigrated'}: {label}"] += 1
        for reason in {r.split()[-1] for r in reasons}:
            tally[f"refusal {reason}"] += 1
        if needed:
            for family in statement_families(row["source"]):
                families[family, "refused" if reasons else label] += 1
        if label != "right" or ids or result.errors:
            print(row["id"], label, found[:2], reasons[:3], list(result.errors)[:1])
            if ids:
                print("\n".join(after.values()))
    print()
    for line, count in sorted(tally.items()):
        print(f"{count:5} {line}")
    print("\nfamily of statement: right / all that need migration")
    for family in sorted({f for f, _ in families}):
        every = sum(n for (f, _), n in families.items() if f == family)
        print(f"  {families[family, 'right']:5} / {every:5}  {family}")
    return 0


def statement_families(source: str) -> set[str]:
    """The kinds of statement in a program, by shape."""
    shapes = {
        "construct True": r"Variable\(.*volatile=True",
        "construct flag": r"volatile=(not )?flag",
        "volatile = False": r"\.volatile = False",
        "volatile = True": r"\.volatile = True",
        "read": r"if not v\d+\.volatile",
        "item write": r"\[\d\] = v",
        "loop append": r"\.append\(",
        "accumulate": r"for item in",
        "branch on flag": r"if (not )?flag",
        "helper": r"def helper",
        "backward": r"backward\(\)",
        "detach": r"\.detach\(\)",
        "Variable(.data)": r"Variable\(v\d+\.data\)",
        "inline": r"(net|tgt)\(Variable\(",
    }
    return {name for name, shape in shapes.items() if re.search(shape, source)}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cases", "programs"])
    parser.add_argument("where", type=Path)
    parser.add_argument("only", nargs="*")
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    if given.what == "cases":
        return cases(given.where.resolve(), given.only, given.alone)
    return programs(given.where.resolve(), given.only)


if __name__ == "__main__":
    sys.exit(main())
