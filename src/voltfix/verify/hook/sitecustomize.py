"""Loaded by Python at its start (as ``sitecustomize``) in every process of a traced command.

Chains to the sitecustomize that it hides, and waits for torch to be imported. A process without torch is
left alone.
"""

import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _chain() -> None:
    rest = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    finder = importlib.machinery.PathFinder
    spec = finder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("VOLTFIX_TRACE"):
    from voltfix.verify.hook.process import start

    start()
_chain()
