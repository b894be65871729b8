"""Python runs this when a command that is being repaired starts: watch it, then run what it shadows."""

import os
import sys
from contextlib import suppress


def _start() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("VOLTFIX_OBSERVE"):
        with suppress(Exception):  # nothing of ours may keep the program from running
            import voltfix_observer  # type: ignore[import-not-found]

            voltfix_observer.start(os.environ["VOLTFIX_OBSERVE"])
    from importlib.machinery import PathFinder

    elsewhere = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_start()
