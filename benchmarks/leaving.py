"""How many of the sites whose value stays in its scope are fixed; those that are not, one by one.

    python benchmarks/leaving.py FOLDER [NAME...]

FOLDER holds one folder a repository; nothing in it is written to. For each site the function around it (or the
module's body) is interpreted as if what is made there were volatile. The value *leaves* where it is returned, yielded,
kept on an object, in a global or in something unknown, and where the flag itself comes in by a parameter or goes to a
function of the project (VF102); it *stays* everywhere else, whatever functions it is handed to.
"""

from __future__ import annotations

import argparse
import ast
import collections
from collections.abc import Iterator
from pathlib import Path

from voltfix import core
from voltfix.discovery.hits import scan
from voltfix.discovery.projects import Job, jobs
from voltfix.discovery.walk import walk
from voltfix.flags.sites import find
from voltfix.model import Options, Site, SiteKind, SiteResult
from voltfix.pipeline.loading import load_project
from voltfix.program.resolve import Project
from voltfix.solver.plan import Decider
from voltfix.solver.roots import Body, Setting

Place = tuple[str, int, int, int | None]  # path, line, column, cell
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def options_of(job: Job) -> Options:
    return Options(editable=job.editable, installable=job.installable, passing=job.passing)


def staying(job: Job) -> Iterator[Place]:
    """The sites whose value stays in its scope."""
    loaded = load_project(job.files, options_of(job))
    project = Project(loaded.modules)
    sites = find(project)
    decider = Decider(project, sites, options_of(job))
    for site in sites:
        if site.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) and stays(project, decider, site):
            path, (row, column, cell), _ = loaded.locate(site.path, site.span)
            yield path, row, column, cell


def stays(project: Project, decider: Decider, site: Site) -> bool:
    node = decider.node_of(site)
    root = next((n for n in project.parents(site.path, node) if isinstance(n, (*FUNCTIONS, ast.Module))), None)
    if root is None or not isinstance(root, (*FUNCTIONS, ast.Module)) or by_parameter(root, decider, site):
        return False
    setting = Setting(project)
    setting.relevant = {id(root): True}
    machine = setting.if_volatile(Body(site.path, root, project.qualname(site.path, root)), decider.key(site))
    if machine is None:
        return True  # given up: not known to leave
    kept = [*machine.stores, *machine.attribute_writes]
    return not any(decider.key(site) in store.sites for store in kept)


def by_parameter(root: ast.AST, decider: Decider, site: Site) -> bool:
    """Does the flag come in by a parameter of the function around it?"""
    arguments = {n.arg for n in ast.walk(root.args) if isinstance(n, ast.arg)} if isinstance(root, FUNCTIONS) else set()
    flags = list(decider.argument_nodes(site))
    return any(isinstance(n, ast.Name) and n.id in arguments - {"self"} for flag in flags for n in ast.walk(flag))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    rest: list[str] = []
    folders = sorted(folder for folder in asked.folder.iterdir() if folder.is_dir())
    for folder in [folder for folder in folders if not asked.names or folder.name in asked.names]:
        walked = walk([str(folder)])
        for job in jobs([str(folder)], walked.files, scan(walked.files).hits):
            rows = {(r.path, r.line, r.column, r.cell): r for r in core.migrate(job.files, options_of(job)).sites}
            for place in staying(job):
                row = rows.get(place)
                counts[row.status if row is not None else "no row"] += 1
                if row is None or row.status not in ("would-fix", "fixed", "kept"):
                    rest.append(line(folder.name, place, row))
    fixed = counts["would-fix"] + counts["fixed"]
    decidable = sum(counts.values()) - counts["kept"]
    share = 100 * fixed / max(decidable, 1)
    print(f"{fixed} of {decidable} sites whose value stays in its scope are fixed ({share:.1f} %)")
    print(*(f"{status}: {count}" for status, count in counts.most_common()), sep=", ")
    print(*rest, sep="\n")


def line(name: str, place: Place, row: SiteResult | None) -> str:
    said = f"{row.status} ({row.reason}): {row.message}" if row is not None else "no row"
    return f"- {name} {place[0]}:{place[1]}: {said}"


if __name__ == "__main__":
    main()
