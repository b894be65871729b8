"""How well rewrites agree with the recordings of PyTorch 0.3.0.

    python benchmarks/golden.py cases FOLDER [--alone] [NAME ...]   golden cases: FOLDER/NAME/{legacy,drive.py,...}
    python benchmarks/golden.py cases FOLDER --modernize            the same after the VF2xx rules
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
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
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


@dataclass(frozen=True)
class Row:
    """What became of a case or a program.

    ``label``: right, refused, refused-right, refused-DIFFERS, graph kept, DIFFERS, not run, UNTOUCHED CHANGED.
    """

    name: str
    kind: str
    label: str
    found: list[str]
    reasons: list[str]
    errors: list[str]
    source: str = ""
    after: dict[str, str] = field(default_factory=dict)


def warm_up() -> None:
    """Load once what every case needs, before the forks; a first optimizer costs a second."""
    import torch

    weight = torch.nn.Parameter(torch.zeros(1))
    weight.grad = torch.zeros(1)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    optimizer.zero_grad()
    optimizer.step()


def judged_cases(folder: Path, names: list[str], alone: bool, options: Options) -> Iterator[Row]:
    """Rewrite the cases, run them, compare; with ``alone`` each file of a case on its own."""
    harness = folder.parent / "harness"
    check = load_harness(harness, "check")
    warm_up()
    for case in sorted(folder.iterdir()):
        if names and case.name not in names:
            continue
        files = read_folder(case / "legacy")
        for path in files if alone and len(files) > 1 else [""]:
            result = migrate({path: files[path]} if path else files, options)
            yield judge(case, path, harness, check, files, result, options.modernize)


def kind_of(case: Path, files: dict[str, bytes]) -> str:
    """One file or several; what its case.toml says of it."""
    meta = (case / "case.toml").read_text()
    kind = "one file" if len(files) == 1 else "several"
    if re.search(r'^modern_needs = "(.+)"', meta, re.M):
        kind += " needs-modern"
    word = re.search(r'^expect = "(report|untouched)"', meta, re.M)
    return f"{kind} {word.group(1)}" if word else kind


def judge(
    case: Path, path: str, harness: Path, check: ModuleType, files: dict[str, bytes], result: Result, modernize: bool
) -> Row:
    """Run the rewritten case, and hold it against the recording."""
    reasons = refused(result)
    kind = kind_of(case, files)
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in {**files, **result.outputs}.items():
            target = Path(scratch) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        got = run_case(harness, case, Path(scratch))
    if got is None or "crash" in got:
        found, label = [f"{got}"], "refused" if reasons else "not run"
    else:
        found = check.differences(json.loads((case / "golden.json").read_text()), got)
        label = label_of(found, reasons)
    if "untouched" in kind and not modernize:
        label = "UNTOUCHED CHANGED" if result.outputs else "right"
    errors = [f"{error.path}: {error.message}" for error in result.errors]
    return Row(f"{case.name} {path}".strip(), kind, label, found, reasons, errors)


def label_of(found: list[str], reasons: list[str]) -> str:
    """What differences and refusals come to."""
    wrong = [line for line in found if "graph kept: " not in line]
    if reasons:
        return "refused-DIFFERS" if wrong else "refused" if found else "refused-right"
    return "DIFFERS" if wrong else "graph kept" if found else "right"


def read_programs(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of programs."""
    with gzip.open(path, "rt") as source:
        return [json.loads(line) for line in source]


def judged_programs(path: Path, ids: list[str], every: int) -> Iterator[Row]:
    """Rewrite the programs (every n-th of them), run them under both values of their flag, compare."""
    harness = load_harness(path.parent / "harness", "programs")
    for row in read_programs(path)[::every]:
        if not ids or row["id"] in ids:
            yield judge_program(row, harness)


def judge_program(row: dict[str, Any], harness: ModuleType) -> Row:
    """Rewrite a program and run it under the values of its flag under which it ran on 0.3.

    A value of the flag is left out, too, where today's torch stops the program, rewritten or not, for what it
    does not allow any more (``stopped_today``).
    """
    files = {"program.py": row["source"].encode()}
    if row.get("helpers") is not None:
        files["helpers.py"] = row["helpers"].encode()
    result = migrate(files, Options())
    after = {p: result.outputs.get(p, data).decode() for p, data in files.items()}
    needed, found, compared = False, [], 0
    for flag, want in row["results"].items():
        if want["error"] is not None:
            continue
        before = harness.execute(row["source"], flag == "true", row.get("helpers"))
        now = harness.execute(after["program.py"], flag == "true", after.get("helpers.py"))
        if stopped_today(before["error"]) and before["error"] == now["error"]:
            continue
        compared += 1
        needed = needed or bool(harness.differences(want, before))
        found += [f"{flag}: {line}" for line in harness.differences(want, now)]
    reasons = refused(result)
    kind = "not compared" if not compared else "needs migration" if needed else "agrees unmigrated"
    errors = [f"{error.path}: {error.message}" for error in result.errors]
    return Row(row["id"], kind, label_of(found, reasons), found, reasons, errors, row["source"], after)


def stopped_today(error: list[str] | None) -> bool:
    """Is it an error of today's torch about graphs that were freed, or written to, which 0.3 did not look for?"""
    return error is not None and bool(re.search("second time|modified by an inplace operation", error[1]))


def summary(rows: list[Row], shown: list[str]) -> None:
    """Say what came out, and of whatever is not plainly right, how it differs."""
    for row in rows:
        if row.label != "right" or row.errors or shown:
            print(row.name, f"[{row.kind}]", row.label, row.found[:2], row.reasons[:3], row.errors[:1])
            print(*(row.after.values() if shown else ()), sep="\n", end="")
    print()
    for line, count in sorted(collections.Counter(f"{row.kind}: {row.label}" for row in rows).items()):
        print(f"{count:5} {line}")
    reasons = collections.Counter(word for row in rows for word in {r.split()[-1] for r in row.reasons})
    for word, count in sorted(reasons.items()):
        print(f"{count:5} refusal {word}")
    families: collections.Counter[tuple[str, str]] = collections.Counter()
    for row in rows:
        if row.kind == "needs migration":
            families.update((family, row.label) for family in statement_families(row.source))
    print(*["\nfamily of statement: right / all that need migration"][: len(families)], sep="\n", end="")
    for family in sorted({f for f, _ in families}):
        every = sum(n for (f, _), n in families.items() if f == family)
        print(f"\n  {families[family, 'right']:5} / {every:5}  {family}", end="")
    print()


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
    parser.add_argument("--modernize", action="store_true", help="apply the VF2xx rules to the cases, too")
    parser.add_argument("--every", type=int, default=1, help="of the programs, only every n-th")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")
    given = parser.parse_args()
    where = given.where.resolve()
    if given.what == "cases":
        rows = judged_cases(where, given.only, given.alone, Options(modernize=given.modernize))
    else:
        rows = judged_programs(where, given.only, given.every)
    if given.json:
        for row in rows:
            print(json.dumps(asdict(row)), flush=True)
    else:
        summary(list(rows), given.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
