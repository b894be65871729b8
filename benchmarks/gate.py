"""Did a change of the code change what voltfix does? Every decision, refusal and diff, byte by byte.

    python benchmarks/gate.py write OUT [--folders FOLDER] [--every N]   what voltfix does to everything at hand
    python benchmarks/gate.py compare BEFORE AFTER                       what differs; exit 1 where anything does

Everything at hand: the golden cases, the generated programs and projects of tests/fixtures/golden, and with
``--folders`` each folder in FOLDER as a project of its own. Nothing is run and nothing is written but OUT, one
line of JSON a project: its rows, evidence included, its errors and the diffs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from voltfix import core
from voltfix.discovery.hits import is_hit
from voltfix.sources.diffs import unified

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "golden"
Files = dict[str, bytes]


def cases() -> Iterator[tuple[str, Files]]:
    for case in sorted((GOLDEN / "cases").iterdir()):
        yield f"cases/{case.name}", read(case / "legacy")


def generated(every: int) -> Iterator[tuple[str, Files]]:
    """The generated programs and projects: one file, or the modules that lie beside it."""
    for path in sorted(GOLDEN.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as source:
            for at, line in enumerate(source):
                row = json.loads(line)
                if at % every == 0:
                    yield f"{path.name.split('.')[0]}/{row['id']}", files_of(row)


def files_of(row: dict[str, object]) -> Files:
    files = {"program.py": str(row["source"]).encode()}
    if row.get("helpers") is not None:
        files["helpers.py"] = str(row["helpers"]).encode()
    return files


def folders(where: Path) -> Iterator[tuple[str, Files]]:
    for folder in sorted(each for each in where.iterdir() if each.is_dir()):
        yield f"folders/{folder.name}", read(folder)


def read(folder: Path) -> Files:
    found = sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".ipynb", ".md", ".rst") and p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


def described(project: tuple[str, Files]) -> str:
    """One line: what voltfix does to a project."""
    name, files = project
    if not any(is_hit(data) for data in files.values()):
        return json.dumps({"name": name})
    result = core.migrate(files)
    core.forget()
    diffs = {path: unified(path, files[path], data).decode("utf-8", "replace") for path, data in result.outputs.items()}
    rows = [asdict(row) for row in result.sites]
    errors = [asdict(error) for error in result.errors]
    return json.dumps({"name": name, "sites": rows, "errors": errors, "diffs": diffs}, sort_keys=True, default=str)


def write(out: Path, where: Path | None, every: int, jobs: int) -> None:
    projects = [*cases(), *generated(every), *(folders(where) if where else ())]
    with ProcessPoolExecutor(jobs) as pool, out.open("w") as target:
        target.writelines(f"{line}\n" for line in pool.map(described, projects, chunksize=8))


def compare(before: Path, after: Path) -> int:
    """Print what differs, by project; how many projects do."""
    old, new = ({json.loads(line)["name"]: line for line in path.read_text().splitlines()} for path in (before, after))
    differing = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    for name in differing:
        print(name, *differences(old.get(name), new.get(name)), sep="\n    ")
    print(f"{len(differing)} of {len({*old, *new})} projects differ")
    return len(differing)


def differences(old: str | None, new: str | None) -> list[str]:
    if old is None or new is None:
        return ["only before" if new is None else "only after"]
    was, now = json.loads(old), json.loads(new)
    rows = [row for row in was.get("sites", ()) if row not in now.get("sites", ())]
    fresh = [row for row in now.get("sites", ()) if row not in was.get("sites", ())]
    said = [f"{sign} {row['path']}:{row['line']} {row['status']} {row['strategy']} {row['reason']}: {row['message']}"
            for sign, some in (("-", rows), ("+", fresh)) for row in some]
    diffs = sorted({*was.get("diffs", {}), *now.get("diffs", {})})
    return said + [f"diff of {path}" for path in diffs if was["diffs"].get(path) != now["diffs"].get(path)]


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--folders", type=Path)
    parser.add_argument("--every", type=int, default=1, help="of the generated ones, only every n-th")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.what == "write":
        write(given.paths[0], given.folders, given.every, given.jobs)
    else:
        sys.exit(1 if compare(given.paths[0], given.paths[1]) else 0)


if __name__ == "__main__":
    main()
