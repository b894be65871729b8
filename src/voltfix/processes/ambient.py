"""Nothing that lies where somebody stands is a module of ours: the working directory is somebody's repository.

Python puts it first on the path for ``python -m``, and where PYTHONPATH has an empty or a relative entry. This file is
run before that is undone, so it imports nothing that Python has not loaded already, ``__future__`` included.
"""

import os
import sys

# How Python processes of ours start: with the path that they are given, whatever they would have had.
_START = (
    "import sys; n = int(sys.argv[2]); sys.path[:] = sys.argv[3:3 + n]; name = sys.argv[1]; "
    "sys.argv[1:] = sys.argv[3 + n:]; import runpy; runpy.run_module(name, run_name='__main__', alter_sys=True)"
)


def leave_folder() -> None:
    """Take what ``python -m`` put first off the path: the working directory."""
    safe = getattr(sys.flags, "safe_path", False) or sys.flags.isolated
    if not safe and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]
    leave_relative()


def leave_relative() -> None:
    """Take off the path what PYTHONPATH names without saying where it is."""
    if sys.flags.ignore_environment or not os.environ.get("PYTHONPATH"):
        return
    named = os.environ["PYTHONPATH"].split(os.pathsep)
    relative = {os.path.abspath(entry) for entry in named if not os.path.isabs(entry)}
    relative -= {entry for entry in named if os.path.isabs(entry)}
    sys.path[:] = [entry for entry in sys.path if entry and entry not in relative]


def command(module: str, *arguments: str, python: str = "") -> list[str]:
    """How to start a module of ours as a process: on this process's path, but for the folders that it was lent by
    where it was started, or by the script that it runs."""
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    lent = {os.getcwd(), os.path.dirname(os.path.abspath(script))}
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = list(dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry) and entry not in lent)]))
    safe = ["-P"] if sys.version_info >= (3, 11) else []
    return [python or sys.executable, *safe, "-c", _START, module, str(len(path)), *path, *arguments]
