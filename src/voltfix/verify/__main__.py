"""``python -m voltfix.verify PLAN.json``: verify a plan where torch is; the verdicts go to stdout as JSON.

Needs torch and the standard library alone. Exit code: 0 all identical, 1 something differs, 2 nothing
could be run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys

from voltfix.processes.lasting import end, for_life

# of the environment: where libraries are, which GPUs may be seen; never a secret
_KEPT = ("PATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_CONFIG",
         "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
_ONCE = "VOLTFIX_SHUT"
_KEPT_KINDS = ("LC_", "PYTHON", "CUDA_", "OMP_", "MKL_", "GLIBC_")


def main(arguments: list[str] | None = None) -> int:
    """Run a plan. Gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m voltfix.verify", description="Verify a voltfix plan under torch."
    )
    parser.add_argument("plan", nargs="?", help="a plan made by --save-plan; - for stdin")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cpu,cuda")
    parser.add_argument("--jobs", type=int, default=1, help="how many items at a time")
    parser.add_argument("--timeout", type=float, help="seconds of CPU time an item may take")
    parser.add_argument(
        "--weak-sandbox", action="store_true", help="run even where a layer of the sandbox is missing"
    )
    parser.add_argument("--quick", action="store_true", help="do not try near misses of a proof")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.plan is None and not options.serve:
        parser.error("a plan is needed")
    if arguments is None:
        _shut()
    from voltfix.verify import plan

    items: list[plan.Item] = []
    try:
        if not options.serve:
            with sys.stdin if options.plan == "-" else open(options.plan, encoding="utf-8") as handle:
                items = plan.load(handle.read())
    except (OSError, UnicodeDecodeError, plan.PlanError) as error:
        print(f"{options.plan}: {error}", file=sys.stderr)
        return 2
    try:
        with for_life() if arguments is None else contextlib.nullcontext():
            from voltfix.verify import runner
    except ImportError as error:
        print(f"torch cannot be loaded: {error}", file=sys.stderr)
        return 2
    if options.serve:
        runner.serve()
        return 0
    worker = runner.Runner()
    seconds = options.timeout or plan.SECONDS
    settings = runner.Settings(seconds, options.jobs, weak=options.weak_sandbox, quick=options.quick)
    try:
        report = runner.run_all(worker, items, options.device, settings)
    finally:
        worker.close()
    json.dump(report.to_json(items), sys.stdout, indent=1)
    print()
    verdicts = {outcome.verdict for rows in report.outcomes.values() for outcome in rows.values()}
    return 1 if "different" in verdicts else 0 if "identical" in verdicts or not items else 2


def _shut() -> None:
    """Before anything else: an environment with nothing in it but what libraries need, and namespaces of our own."""
    from voltfix.verify.sandbox import namespaces

    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_KINDS)}
    if kept.keys() != os.environ.keys() - {_ONCE} and _ONCE not in os.environ:
        # what stood there at the start stays in the memory of the process, and of all that it forks
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**kept, _ONCE: "1"})
    namespaces.enter()


if __name__ == "__main__":
    end(main())
