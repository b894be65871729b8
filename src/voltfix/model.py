"""The values that flow through voltfix: sites, edits, decisions, changes, results.

All of them are plain frozen data: they can be printed, compared, pickled and sent to a worker before anything is
edited. Offsets are *character* offsets into ``Module.text`` (the Python text that a source document yields, shields
included, see ``voltfix.sources``), never syntax-tree nodes.
"""

from __future__ import annotations

import enum
from dataclasses import field, replace
from typing import Literal, TypeAlias

from voltfix.records import dataclass

Strategy = Literal["no_grad", "set_grad_enabled", "detach", "requires_grad_", "drop"]


@dataclass(frozen=True, order=True)
class Span:
    """A half-open range of character offsets into a module's text."""

    start: int
    end: int


@dataclass(frozen=True)
class Origin:
    """From ``line`` of a module's text on, its lines are those from ``at`` on (both from 1) of the file.

    In a notebook ``at`` counts in ``cell``.
    """

    line: int
    at: int
    cell: int | None = None


@dataclass(frozen=True)
class Module:
    """One piece of Python that is analysed as a whole: a file, or all code cells of a notebook.

    ``text`` parses with ``ast.parse`` on today's Python; ``barriers`` are offsets that no region may span (cell ends).
    ``path`` is the POSIX path relative to the project root, as in reports. ``origins``, in order, say where the lines
    stand that a reader is told of; none: as in ``text``. ``magics``: what IPython is told in lines of a notebook.
    ``python2``: only Python 2 reads it as it is written.
    """

    path: str
    text: str
    barriers: tuple[int, ...] = ()
    kind: Literal["python", "notebook", "markdown", "rst"] = "python"
    origins: tuple[Origin, ...] = ()
    magics: tuple[str, ...] = ()
    python2: bool = False

    def origin(self, line: int) -> tuple[int | None, int]:
        """The cell, if it is in one, and the line in the file (in the cell) of a line of ``text``."""
        for origin in reversed(self.origins):
            if origin.line <= line:
                return origin.cell, origin.at + line - origin.line
        return None, line


def file_of(path: str) -> str:
    """The file of a module: the sessions in a file's docstrings are a module of their own, ``PATH::doctest``."""
    return path.removesuffix("::doctest")


class SiteKind(enum.Enum):
    """Where volatility is decided. The value is the rule code of reports."""

    ARGUMENT = "VF101"  # a volatile argument of torch's Variable: keyword, third positional, ** entry
    WRAPPER = "VF102"  # an argument of a project function that hands it on to Variable
    READ = "VF103"  # a read of .volatile on a tensor
    WRITE = "VF104"  # a write of .volatile on a tensor


@dataclass(frozen=True)
class Site:
    """One place that decides volatility (contract: "Sites").

    ``span`` covers what a report points at: the argument, or the ``x.volatile`` expression.
    ``node`` covers the call (ARGUMENT, WRAPPER), the attribute expression (READ) or the whole statement (WRITE).
    """

    path: str
    kind: SiteKind
    span: Span
    node: Span


# --- edits: what the edit layer can do to a module's text ------------------------------------------------------------


@dataclass(frozen=True)
class DropArgument:
    """Take one argument (``argument`` covers it whole, keyword and stars included) out of the call ``call``."""

    call: Span
    argument: Span


@dataclass(frozen=True)
class DropParameter:
    """Take one parameter (with annotation and default) out of the ``def`` or ``lambda`` at ``function``."""

    function: Span
    parameter: Span


@dataclass(frozen=True)
class ReplaceExpression:
    """Put ``text`` in the place of the expression at ``span``; parentheses are added where precedence needs them."""

    span: Span
    text: str


@dataclass(frozen=True)
class WrapExpression:
    """Put ``before`` and ``after`` around the expression at ``span``, parenthesised where precedence needs it."""

    span: Span
    before: str
    after: str


@dataclass(frozen=True)
class WrapStatements:
    """Put ``with HEADER:`` around consecutive statements of one suite, from that at ``first`` to that at ``last``.

    A span here is that of the statement node (decorators included, trailing comment not).
    """

    first: Span
    last: Span
    header: str


@dataclass(frozen=True)
class Decorate:
    """Put ``@DECORATOR`` above the ``def`` at ``function``, below every decorator that is there already."""

    function: Span
    decorator: str


@dataclass(frozen=True)
class DeleteStatement:
    """Delete the statement at ``span``; an emptied suite gets ``pass``."""

    span: Span


@dataclass(frozen=True)
class ReplaceStatement:
    """Put ``text`` (one or more logical lines, indented from column 0) in the place of the statement at ``span``."""

    span: Span
    text: str


@dataclass(frozen=True)
class InsertStatement:
    """Put ``text`` (as in ReplaceStatement, or a comment) on a line of its own before, or after, ``anchor``."""

    anchor: Span
    text: str
    where: Literal["before", "after"] = "before"


@dataclass(frozen=True)
class EnsureImport:
    """Make ``import MODULE`` available at module level, where imports belong; nothing if it is bound already.

    ``before``: an offset in the text; what stands behind it binds the name too late, and does not count.
    """

    module: str
    before: int | None = None


Edit: TypeAlias = (
    DropArgument
    | DropParameter
    | ReplaceExpression
    | WrapExpression
    | WrapStatements
    | Decorate
    | DeleteStatement
    | ReplaceStatement
    | InsertStatement
    | EnsureImport
)


# --- decisions and changes -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refusal:
    """Why a site is left to a person: a stable kebab-case ``reason`` (see docs/refusals.md) and a sentence.

    ``because``: what it rests on, sentences with line numbers.
    """

    reason: str
    message: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What happens at one site. ``refusal`` is None for sites that are migrated, ``strategy`` None for refused ones.

    ``evidence`` are sentences with line numbers: what was proved volatile, what was demanded.
    ``kept`` marks a site that is right as it is (a shim for both versions of torch).
    """

    site: Site
    strategy: Strategy | None
    message: str
    evidence: tuple[str, ...] = ()
    refusal: Refusal | None = None
    kept: bool = False
    open: str = ""  # a premise that code outside of what was read could break; "": every premise is closed
    guess: str = ""  # what it is refused for where nobody wants a guess; "": it is none


@dataclass(frozen=True)
class Change:
    """The unit of refusal, roll-back and atomic writing: sites that share edits, over one or several files."""

    id: str
    decisions: tuple[Decision, ...]
    edits: tuple[tuple[str, tuple[Edit, ...]], ...]  # (path, edits in that module)
    # the functions whose behaviour the edits touch, for the verifier: (path, qualified name; "" for the module body)
    touched: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Look:
    """How closely one function was looked at, in the end."""

    given_up: str = ""  # of what is told apart, in words; "" where nothing had to be
    grown: str = ""  # what ran out of its budget, "" where nothing did
    followed: bool = True  # False: it was too complex at any precision
    path: str = ""
    name: str = ""  # qualified; "" of a module


@dataclass(frozen=True)
class Plan:
    """What the solver decided for a project: changes to carry out, and decisions that carry none (refused, kept)."""

    changes: tuple[Change, ...] = ()
    left: tuple[Decision, ...] = ()
    looked: tuple[Look, ...] = ()
    apart: bool = False  # were programs that never meet decided one by one?


# --- results ---------------------------------------------------------------------------------------------------------

Status = Literal["fixed", "would-fix", "refused", "suppressed", "kept"]
DeviceVerdict = Literal["identical", "different", "not-run"]


@dataclass(frozen=True)
class Verification:
    """The verdict for a site (contract: "JSON"); ``tier`` is None where verification was off."""

    tier: Literal["symbolic", "concrete"] | None = None
    cpu: DeviceVerdict = "not-run"
    cuda: DeviceVerdict = "not-run"
    detail: str | None = None
    runs: int = 0  # ways through the functions that were run on both sides
    through: int = 0  # functions that differ by themselves, and not in what their callers make of them
    fails: int = 0  # functions that raise on every way, before and after, as 0.3 did for what is volatile
    lent: str = ""  # what is not in view, and got something that is no longer volatile
    alone: str = ""  # where a flag is that was on in runs of its own function, and in none of who calls that
    vacant: tuple[tuple[str, int], ...] = ()  # blocks that runs entered and that nothing needed, by path and line
    # who loses a flag, and who was run with it on, function by function; None where that is not told
    lit: tuple[tuple[tuple[str, str], tuple[str, str]], ...] | None = None
    dark: tuple[tuple[str, int], ...] = ()  # statements that no run with the flag on came by, by path and line
    grown: tuple[str, ...] = ()  # lines that made a graph after and none before, though nobody has it at the end


NO_TIME = "the time of --search was over"


@dataclass(frozen=True)
class Candidate:
    """A patch that might do where nothing was proved, and what running it before and after said.

    ``how`` says in words what it does.
    """

    how: str
    strategy: Strategy
    change: Change
    verification: Verification = Verification()
    outputs: tuple[tuple[str, bytes], ...] = ()  # what it alone would make of the files
    doubt: str = ""  # why it was not chosen, though it does the same
    diff: str = ""  # for a reader of the report, under the names that are shown

    @property
    def name(self) -> str:
        """What it is known by from run to run: what it edits."""
        return repr(self.change.edits)

    @property
    def untried(self) -> bool:
        """Might more time have decided?"""
        return NO_TIME in self.doubt or self.verification.detail == NO_TIME

    @property
    def suggested(self) -> bool:
        """Nothing that was run speaks against it: ``--unsafe-fixes`` would write it."""
        return "different" not in (self.verification.cpu, self.verification.cuda) and not self.verification.fails


@dataclass(frozen=True)
class SiteResult:
    """One row of a report. Lines and columns count from 1, columns in characters; in a notebook inside the cell."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None
    change: str | None
    code: str
    strategy: Strategy | None
    status: Status
    reason: str | None
    message: str
    evidence: tuple[str, ...] = ()
    verification: Verification = Verification()
    suggested: bool = False  # there is an edit, and what it rests on may be otherwise
    open: bool = False  # does a premise of it hang on code outside of what was read?
    candidates: tuple[Candidate, ...] = ()  # patches that were tried by running, the best first
    original_line: int | None = None  # where `line` was before the run; None: the row is of no report yet

    @property
    def safety(self) -> Literal["verified", "proved", "suggested"] | None:
        """How safe the edit is; None where nothing is edited.

        ``proved``: every premise is closed. ``verified``: not all are, and it was run before and after and did the
        same. ``suggested``: neither; written with ``--unsafe-fixes`` only.
        """
        if self.suggested:
            return "suggested"
        if self.status not in ("fixed", "would-fix"):
            return None
        if not self.open:
            return "proved"
        ran = "identical" in (self.verification.cpu, self.verification.cuda)
        return "verified" if ran else "suggested"


@dataclass(frozen=True)
class FileError:
    """A file that could not be processed. ``kind``: syntax, encoding, unreadable, too-large, changed, internal."""

    path: str
    line: int | None
    kind: str
    message: str


@dataclass(frozen=True)
class Result:
    """What one run of the pure core found and would write: bytes in, bytes out."""

    files_scanned: int = 0
    sites: tuple[SiteResult, ...] = ()
    modernized: tuple[SiteResult, ...] = ()
    errors: tuple[FileError, ...] = ()
    # path -> new bytes, only for files that change
    outputs: dict[str, bytes] = field(default_factory=dict)
    # paths that have to be written together or not at all
    groups: tuple[tuple[str, ...], ...] = ()
    plan: Plan = Plan()


@dataclass(frozen=True)
class Options:
    """What a caller may ask of the core; the command line's options of the same names."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    # (path, codes or prefixes): what is left alone in single files
    ignored: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keep_signatures: bool = False
    break_api: bool = False
    modernize: bool = False
    unsafe_fixes: bool = False
    # candidates that a person said yes to, by their names: they are written although nothing shows that they are right
    accepted: frozenset[str] = frozenset()
    torch_version: tuple[int, int] | None = None
    # paths (relative, POSIX) that may be rewritten; None: all that were handed in. The others are read only.
    editable: frozenset[str] | None = None
    # sites (path, start of span) that have to stay as they are: suppressed, not selected, or taken back after a
    # failed check. The solver refuses them (reason `held`), with what depends on them.
    held: frozenset[tuple[str, int]] = frozenset()
    # is the project an installable package, whose public functions have callers that nobody here can see?
    installable: bool = False
    # of an installable package the paths that others can import; None: all
    importable: frozenset[str] | None = None
    # sets of files between which volatility may pass, each to be analysed alone; none: all files together
    passing: tuple[frozenset[str], ...] = ()
    # of a second run over what was made, how closely the first one looked at each function: it begins there, and what
    # was too complex is taken to be so again
    looked: tuple[Look, ...] = ()
    # of a second run: whether programs that never meet are decided one by one, as in the first
    apart: bool = False
    # when to stop, by ``time.monotonic``: what is not done by then is refused (reason `not-reached`)
    until: float | None = None

    def after(self, plan: Plan) -> Options:
        """Those of a second run over what a plan made: it begins where the first one ended."""
        return replace(self, looked=plan.looked, apart=plan.apart)
