"""Run the legacy code of the golden cases under the emulation and compare with golden.json.

    python tests/verify/golden_run.py [NAME...] [--strict]

Prints one JSON object: for every case the differences that harness/check.py finds; empty lists are what is
wanted. Torch is loaded once, each case runs in a fork.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings
from pathlib import Path

from loading import prepare

GOLDEN = Path(__file__).parents[1] / "fixtures" / "golden"
HARNESS = GOLDEN / "harness"


def observe(case, strict):
    """What the drive of a case does on its legacy code, in this process: the report of harness/probe.py."""
    from voltfix.verify.legacy import legacy
    from voltfix.verify.legacy_source import legacy_imports

    out = io.StringIO()
    with contextlib.redirect_stdout(out), legacy(strict=strict), legacy_imports(case / "legacy"):
        sys.path.insert(0, str(HARNESS))
        import probe

        # probe.main takes the place of __main__, so that the drive's `import probe` finds what it watches
        sys.modules["__main__"] = probe
        probe.main(str(case), str(case / "legacy"))
    return next(line for line in reversed(out.getvalue().splitlines()) if line.startswith('{"calls"'))


def in_fork(case, strict):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        with os.fdopen(write, "w") as handle:
            try:
                handle.write(observe(case, strict))
            except BaseException as error:
                handle.write(json.dumps({"crash": repr(error)}))
            handle.flush()
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as handle:
        text = handle.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main(words):
    prepare()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HARNESS))
    import check

    names = [word for word in words if not word.startswith("--")]
    found = {}
    for case in sorted((GOLDEN / "cases").iterdir()):
        if not names or case.name in names:
            got = in_fork(case, "--strict" in words)
            want = json.loads((case / "golden.json").read_text())
            found[case.name] = [got["crash"]] if "crash" in got else check.differences(want, got)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
