"""What one run was asked to do: the options of the main command, after settings and defaults."""

from __future__ import annotations

from typing import NamedTuple


class Request(NamedTuple):
    """Fields are the options of the same names; see ``voltfix --help``."""

    paths: tuple[str, ...]
    diff: bool = False
    check: bool = False
    verify: bool | None = None
    verify_quick: bool = False
    device: str = "auto"
    weak_sandbox: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    per_file_ignores_base: str = "."
    exit_zero: bool = False
    unsafe_fixes: bool = False
    search: float = 120.0
    exclude: tuple[str, ...] = ()
    exclude_base: str = "."
    output_format: str = "text"
    report: str | None = None
    stdin_filename: str | None = None
    jobs: int = 0
    quiet: bool = False
    verbose: bool = False
    interactive: bool = False
    todo: bool = False
    statistics: bool = False
    keep_signatures: bool = False
    break_api: bool = False
    save_plan: str | None = None
    list_sites: bool = False
    baseline: str | None = None
    write_baseline: str | None = None
    modernize: bool = False
    torch_version: tuple[int, int] | None = None
    time_limit: float | None = None
    started: float = 0.0
    given: tuple[str, ...] = ()  # the options of the command line that decide what is written

    @property
    def workers(self) -> int:
        """How many processes may work at a time."""
        import os

        return self.jobs or os.cpu_count() or 1

    @property
    def mode(self) -> str:
        """``write``, ``diff`` or ``check``; ``diff`` wins, since it prints more."""
        return "diff" if self.diff else "check" if self.check else "write"

    @property
    def modernizes(self) -> bool:
        """Whether files without a volatile site matter too: the VF2xx rules were asked for."""
        return self.modernize or any(prefix.startswith("VF2") for prefix in self.select)
