"""``python -m voltfix.verify PLAN.json``: verify a plan where torch is; the verdicts go to stdout as JSON.

Needs torch and the standard library alone. Exit code: 0 all identical, 1 something differs, 2 nothing
could be run.
"""

from __future__ import annotations

import argparse
import json
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run a plan. Gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m voltfix.verify", description="Verify a voltfix plan under torch."
    )
    parser.add_argument("plan", nargs="?", help="a plan made by --save-plan; - for stdin")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cpu,cuda")
    parser.add_argument("--jobs", type=int, default=1, help="how many items at a time")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds an item may take")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.plan is None and not options.serve:
        parser.error("a plan is needed")
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
        from voltfix.verify import runner
    except ImportError as error:
        print(f"torch cannot be loaded: {error}", file=sys.stderr)
        return 2
    if options.serve:
        runner.serve()
        return 0
    worker = runner.Runner()
    try:
        report = runner.run_all(worker, items, options.device, runner.Settings(options.timeout, options.jobs))
    finally:
        worker.close()
    json.dump(report.to_json(items), sys.stdout, indent=1)
    print()
    verdicts = {outcome.verdict for rows in report.outcomes.values() for outcome in rows.values()}
    return 1 if "different" in verdicts else 0 if "identical" in verdicts or not items else 2


if __name__ == "__main__":
    sys.exit(main())
