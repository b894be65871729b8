"""Trace this process, from the moment that torch is imported until it exits.

Steered by the environment: VOLTFIX_TRACE (folder for the trace), VOLTFIX_FOLDER (the code),
VOLTFIX_SEMANTICS.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import importlib.util
import json
import os
import sys
import time
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from voltfix.processes.lasting import for_life

# holds for the life of the process: what leaves it would be undone when it is collected
_LIVE = contextlib.ExitStack()


def start() -> None:
    """Wait for torch; run the script ourselves where only the shims for legacy source can parse it."""
    sys.meta_path.insert(0, _WaitForTorch())
    if os.environ["VOLTFIX_SEMANTICS"] == "legacy":
        _run_unparsable_script()


class _WaitForTorch(MetaPathFinder):
    """Finds torch as everything else does, and begins to trace when it has been loaded."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Step aside for all but the first import of torch."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Traced(spec.loader)
        return spec


class _Traced(Loader):
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        with for_life():
            self._loader.exec_module(module)
        _begin(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _begin(torch: ModuleType) -> None:
    from voltfix.verify.job import seed, semantics
    from voltfix.verify.trace.tracer import Tracer

    folder = Path(os.environ["VOLTFIX_FOLDER"])
    seed(torch)
    stack = _LIVE
    stack.enter_context(semantics(os.environ["VOLTFIX_SEMANTICS"], folder))
    tracer = Tracer(folder)
    stack.enter_context(tracer.listening())
    error: list[BaseException] = []
    _note_errors(error)
    out = Path(os.environ["VOLTFIX_TRACE"]) / f"{time.time_ns()}-{os.getpid()}.json"
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:  # a forked worker has no trace of its own
            out.write_text(json.dumps(tracer.finish(None, error[-1] if error else None)))

    atexit.register(end)


def _note_errors(found: list[BaseException]) -> None:
    before = sys.excepthook

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        found.append(error)
        before(kind, error, trace)

    sys.excepthook = note


def _run_unparsable_script() -> None:
    """``python train.py`` compiles the script before we are asked; some need the shims to parse."""
    at = next((at for at, word in enumerate(sys.orig_argv[1:], 1) if not word.startswith("-")), None)
    if at is None or any(word in ("-m", "-c") for word in sys.orig_argv[1:at]):
        return
    script = Path(sys.orig_argv[at])
    if script.suffix != ".py" or not script.is_file():
        return
    if not _parses(script):
        _run(script, sys.orig_argv[at:])


def _parses(script: Path) -> bool:
    try:
        ast.parse(script.read_bytes())
    except SyntaxError:
        return False
    return True


def _run(script: Path, arguments: list[str]) -> None:
    from voltfix.verify.legacy_source import compile_legacy

    sys.argv = list(arguments)
    sys.path.insert(0, str(script.resolve().parent))
    scope = vars(sys.modules["__main__"])
    scope["__file__"] = str(script)
    code = 0
    try:
        exec(compile_legacy(script.read_bytes(), str(script.resolve())), scope)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
