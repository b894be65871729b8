"""The second phase: the VF2xx rules act on what the migration made of the files, until nothing is left to
do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from voltfix.model import Change, Edit, Module, Options, Plan, Refusal, SiteResult, Span, Verification
from voltfix.modernize import messages
from voltfix.pipeline import verifying
from voltfix.pipeline.carrying import blame
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.verifying import Verifier
from voltfix.records import dataclass
from voltfix.rules.messages import asked_for
from voltfix.rules.selecting import selected
from voltfix.sources.alignment import opcodes

if TYPE_CHECKING:
    from voltfix.modernize.finding import Finding, Rule

MAX_ROUNDS = 12  # of one rule: edits that lie inside each other take one each
MAX_PASSES = 3


@dataclass(frozen=True)
class Without:
    """Rules that are off, by their codes, in some files; in these functions (path, qualified name) of them alone,
    where any are named."""

    codes: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    functions: frozenset[tuple[str, str]] = frozenset()

    def holds(self, project: Project, path: str, span: Span) -> bool:
        """Is a place one of those in which the rules are off?"""
        if project.file_of(path) not in self.files:
            return False
        if not self.functions:
            return True
        text = project.module(path).text
        here = verifying.function_at(text, text.count("\n", 0, span.start) + 1)
        return any(path == other and _is_around(here, name) for other, name in self.functions)


def _is_around(one: str, other: str) -> bool:
    """Is it one function, or one of them inside the other?"""
    return one == other or (bool(one and other) and (one.startswith(f"{other}.") or other.startswith(f"{one}.")))


@dataclass
class Modernized:
    """The files after both phases (only those that differ from the originals), and a row for each finding."""

    outputs: dict[str, bytes] = field(default_factory=dict)
    rows: list[SiteResult] = field(default_factory=list)


def modernize(
    project: Project,
    outputs: Mapping[str, bytes],
    options: Options,
    with_sites: Collection[str],
    without: Without | None = None,
) -> Modernized:
    """Let the rules act on the project as ``outputs`` leave it.

    ``with_sites`` are the files that hold a volatile site: there the rules that are on by default act too.
    ``without`` says which rules are off, and where.
    """
    if not _wanted(project, options, with_sites):
        return Modernized(dict(outputs))
    work = _Work(project, outputs, options, with_sites, without or Without())
    for _ in range(MAX_PASSES):
        if not work.run():
            break
    rows = dict.fromkeys([*work.fixed, *work.refused])
    return Modernized(work.outputs, sorted(rows, key=_place))


def _place(row: SiteResult) -> tuple[str, int, int, int, str]:
    return (row.path, row.cell or 0, row.line, row.column, row.code)


def modernize_verified(
    project: Project,
    plan: Plan,
    outputs: Mapping[str, bytes],
    options: Options,
    with_sites: Collection[str],
    known: Mapping[str, Verification],
    verifier: Verifier | None,
) -> tuple[Modernized, dict[str, Verification]]:
    """``modernize``, and the verdicts on the changes as they stand in the modernised files.

    ``known`` are the verdicts before. Where a change that was identical is so no more, the rule that makes the
    difference is left out: in the functions that the change touches where that is enough, else in its files; where
    that is no single rule, all are.
    """
    done = modernize(project, outputs, options, with_sites)
    touched = [c for c in plan.changes if any(_differs(p, project, outputs, done) for p, _ in c.edits)]
    if verifier is None or not touched:
        return done, dict(known)
    verdicts = {**known, **_judged(project, touched, plan, options, done, verifier)}
    spoiled = [c for c in touched if _is_spoiled(verdicts[c.id])]
    if not spoiled:
        return done, verdicts
    files = {project.file_of(path) for c in spoiled for path, _ in c.edits}
    codes = list(dict.fromkeys(row.code for row in done.rows if row.path in files and row.status == "fixed"))
    detail = verdicts[spoiled[0].id].detail
    touching = frozenset(each for c in spoiled for each in verifying.touched_by(project, c))
    wide = Without(frozenset(codes), frozenset(files), touching)

    def tried(off: Without) -> tuple[Modernized, dict[str, Verification]] | None:
        trial = modernize(project, outputs, options, with_sites, off)
        fresh = _judged(project, spoiled, plan, options, trial, verifier)
        return None if any(map(_is_spoiled, fresh.values())) else (trial, fresh)

    enough = tried(wide)
    if enough is None:
        wide = replace(wide, functions=frozenset())
    for code in codes if len(codes) > 1 else []:
        if (one := tried(replace(wide, codes=frozenset({code})))) is not None:
            return _taken_back(one[0], done, files, {code}, detail), {**verdicts, **one[1]}
    if enough is not None:
        return _taken_back(enough[0], done, files, set(codes), detail), {**verdicts, **enough[1]}
    others = {row.path for row in done.rows if row.status == "fixed"} - files
    for code in dict.fromkeys(row.code for row in done.rows if row.path in others and row.status == "fixed"):
        if (one := tried(Without(frozenset({code}), frozenset(others)))) is not None:  # in what the change calls
            return _taken_back(one[0], done, others, {code}, detail), {**verdicts, **one[1]}
    left = modernize(project, outputs, options, with_sites, wide)
    verdicts.update({c.id: known.get(c.id, Verification()) for c in spoiled})
    return _taken_back(left, done, files, set(codes), detail), verdicts


def _is_spoiled(verdict: Verification) -> bool:
    return "different" in (verdict.cpu, verdict.cuda)


def _judged(
    project: Project,
    changes: Sequence[Change],
    plan: Plan,
    options: Options,
    done: Modernized,
    verifier: Verifier,
) -> dict[str, Verification]:
    """The verdicts on changes in the files as the rules left them."""
    final = load_project({**project.files, **done.outputs}, options)
    texts = {module.path: module.text for module in final.modules}
    part = Plan(tuple(changes), plan.left)
    asked = verifying.items(project, part, texts)
    found = {item.id: verdict for item, verdict in zip(asked, verifier(asked), strict=True)}
    return {**found, **verifying.told_again(project, part, texts, asked, found, verifier)}


def _taken_back(
    done: Modernized, whole: Modernized, files: Collection[str], codes: Collection[str], detail: str | None
) -> Modernized:
    """``done``, with a row for each finding of the rules that were left out in ``files`` and stands no more."""
    message = messages.taken_back(detail)
    stands = {(row.path, row.cell, row.line, row.code) for row in done.rows if row.status == "fixed"}
    told = (f"what differed: {asked_for(detail)}",) if asked_for(detail) else ()
    rows = [
        replace(row, status="refused", reason="verification-failed", message=message, evidence=(*row.evidence, *told))
        for row in whole.rows
        if row.path in files and row.code in codes and row.status == "fixed"
        and (row.path, row.cell, row.line, row.code) not in stands
    ]  # fmt: skip
    return Modernized(done.outputs, sorted(dict.fromkeys([*done.rows, *rows]), key=_place))


def _differs(path: str, project: Project, outputs: Mapping[str, bytes], done: Modernized) -> bool:
    file = project.file_of(path)
    return done.outputs.get(file) != outputs.get(file)


def _wanted(project: Project, options: Options, with_sites: Collection[str]) -> bool:
    """Could a rule find anything? What is on by default acts on a word that few files hold."""
    if options.modernize or any(prefix.startswith("VF2") for prefix in options.select):
        return True
    return any(b"async" in project.files[path] for path in with_sites)


class _Work:
    """The passes of one run: each rule in turn, until it finds nothing more."""

    def __init__(
        self,
        project: Project,
        outputs: Mapping[str, bytes],
        options: Options,
        with_sites: Collection[str],
        without: Without,
    ) -> None:
        self.original, self.options, self._sites, self._without = project, options, with_sites, without
        self.outputs = dict(outputs)
        self.fixed: list[SiteResult] = []
        self.refused: list[SiteResult] = []
        self._load()

    def run(self) -> bool:
        """One pass. Whether anything changed."""
        from voltfix.modernize.choosing import rules

        self.refused.clear()
        changes = 0
        for rule in rules(self.options):
            for _ in range(MAX_ROUNDS):
                if not self._round(rule):
                    break
                changes += 1
        return changes > 0

    def _load(self) -> None:
        from voltfix.modernize.scene import Scene

        self.current = load_project({**self.original.files, **self.outputs}, self.options)
        self.scene = Scene(self.current.modules, self.options)
        self._held: dict[str, list[Finding]] = {}  # code of a rule that is off → what it would do now

    def _round(self, rule: Rule) -> bool:
        """Apply what a rule finds now. Whether anything changed; else its refusals are taken down."""
        from voltfix.modernize.run import look

        owner = {m.path: self.current.file_of(m.path) for m in self.current.modules}
        off = {file for file, codes in self.options.ignored if not selected(rule.code, (), codes)}
        paths = [p for p, file in owner.items() if self.current.editable(file) and file not in off]
        with_sites = {path for path in paths if owner[path] in self._sites}
        found = look(self.scene, rule, self.options, paths, with_sites)
        found = [f for f in found if not _skipped(self.current, f) and not self._is_off(rule, f)]
        texts: dict[str, str] = {}
        applied: list[Finding] = []
        meant = [f for f in found if f.edits and (self.options.unsafe_fixes or not f.suggested)]
        for path in dict.fromkeys(finding.path for finding in meant):
            mine = [finding for finding in meant if finding.path == path]
            texts[path], done = _carried(self.current, path, mine)
            applied += done
        changed = self.current.render(texts)
        if not changed:
            self.refused += [self._row(finding) for finding in found]
            return False
        self.fixed += [self._row(finding, applied=True) for finding in applied]
        self.outputs.update(changed)
        self._load()
        return True

    def _is_off(self, rule: Rule, finding: Finding) -> bool:
        """Is the rule off there, or does the place belong to an earlier one that is? Left as it stood, it is found
        again; what a later rule makes of it is not."""
        without = self._without
        if not without.codes or not without.holds(self.current, finding.path, finding.span):
            return False
        if rule.code in without.codes:
            return True
        covers = _covers(finding)
        return any(_meet(covers, _covers(other)) for other in self._wanted_before(rule) if other.path == finding.path)

    def _wanted_before(self, rule: Rule) -> Iterator[Finding]:
        """What rules that are off would do, those that come before ``rule``."""
        from voltfix.modernize.choosing import rules
        from voltfix.modernize.run import look

        before = list(takewhile(lambda each: each.code != rule.code, rules(self.options)))
        paths = [m.path for m in self.current.modules if self.current.file_of(m.path) in self._without.files]
        sites = [path for path in paths if self.current.file_of(path) in self._sites]
        for other in before:
            if other.code in self._without.codes:
                if other.code not in self._held:
                    self._held[other.code] = look(self.scene, other, self.options, paths, sites)
                yield from (f for f in self._held[other.code] if f.edits)

    def _row(self, finding: Finding, *, applied: bool = False) -> SiteResult:
        """A report's row: the place in the file as it was before voltfix touched it."""
        before = self.original.module(finding.path).text
        span = _traced(before, self.current.module(finding.path).text, finding.span)
        path, (line, column, cell), (end_line, end_column, _) = self.original.locate(finding.path, span)
        refusal = finding.refusal
        if refusal is None and not applied and finding.suggested:
            refusal = Refusal(finding.doubt, messages.only_suggested(finding.message))
        if refusal is None and not applied:
            refusal = Refusal("internal-error", messages.cannot_edit())
        return SiteResult(
            path=path, line=line, column=column, end_line=end_line, end_column=end_column, cell=cell,
            change=None, code=finding.code, strategy=None, status="refused" if refusal else "fixed",
            reason=refusal.reason if refusal else None, message=refusal.message if refusal else
            finding.message, suggested=finding.suggested,
        )  # fmt: skip


def alone(files: Mapping[str, bytes], options: Options, row: SiteResult) -> dict[str, bytes]:
    """The file of a row with what its rule writes on that line; nothing where other edits have to come first."""
    from voltfix.modernize.registry import RULES
    from voltfix.modernize.run import look
    from voltfix.modernize.scene import Scene

    asked = replace(options, modernize=True)
    project = load_project(files, asked)
    scene = Scene(project.modules, asked)
    paths = [module.path for module in project.modules if project.file_of(module.path) == row.path]
    for rule in (each for each in RULES if each.code == row.code):
        mine = [f for f in look(scene, rule, asked, paths, ()) if f.edits and f.suggested == row.suggested]
        places = [project.locate(f.path, f.span)[1] for f in mine]
        mine = [f for f, (line, _, cell) in zip(mine, places, strict=True) if (line, cell) == (row.line, row.cell)]
        if mine:
            return project.render({mine[0].path: _carried(project, mine[0].path, mine)[0]})
    return {}


def _skipped(project: Project, finding: Finding) -> bool:
    """Does a ``# voltfix: skip`` comment want the place left alone?"""
    return project.suppressed(finding.path).covers(finding.code, finding.span)


def _carried(project: Project, path: str, findings: Sequence[Finding]) -> tuple[str, list[Finding]]:
    """The text after those findings that do not get in each other's way, the innermost first."""
    module = project.module(path)
    chosen: list[Finding] = []
    taken: list[Span] = []
    for finding in sorted(findings, key=lambda f: min(_length(span) for span in _covers(f))):
        spans = _covers(finding)
        if not _meet(spans, taken):
            chosen.append(finding)
            taken += spans

    def works(some: Sequence[Finding]) -> bool:
        text = _applied(module, some)
        return text is not None and project.writable(path, text)

    if chosen and not works(chosen):
        bad = blame(lambda names: works([chosen[int(n)] for n in names]), [*map(str, range(len(chosen)))])
        chosen = [finding for index, finding in enumerate(chosen) if str(index) not in bad]
    return (_applied(module, chosen) or module.text, chosen) if chosen else (module.text, [])


def _applied(module: Module, findings: Sequence[Finding]) -> str | None:
    """The text after the edits of ``findings``; None where they cannot be carried out, or it does not hold
    up."""
    from voltfix.edit import EditError, apply
    from voltfix.edit.guard import check

    edits: list[Edit] = [edit for finding in findings for edit in finding.edits]
    try:
        text = apply(module, edits)
    except EditError:
        return None
    return None if check(module.text, text, edits) else text


def _meet(some: Sequence[Span], others: Sequence[Span]) -> bool:
    return any(a.start < b.end and b.start < a.end for a in some for b in others)


def _covers(finding: Finding) -> list[Span]:
    spans = [value for edit in finding.edits for value in vars(edit).values() if isinstance(value, Span)]
    return spans or [finding.span]


def _length(span: Span) -> int:
    return span.end - span.start


def _traced(before: str, after: str, span: Span) -> Span:
    """Where ``span`` of ``after`` came from in ``before``: the same line, found by comparing the texts."""
    if before == after:
        return span
    return Span(_origin(before, after, span.start), _origin(before, after, span.end))


def _origin(before: str, after: str, offset: int) -> int:
    olds, news = before.split("\n"), after.split("\n")
    line = after.count("\n", 0, offset)
    column = offset - (after.rfind("\n", 0, offset) + 1)
    old = _old_line([text.strip() for text in olds], [text.strip() for text in news], line)
    moved = _depth(olds[old]) - _depth(news[line])
    return sum(len(text) + 1 for text in olds[:old]) + min(max(column + moved, 0), len(olds[old]))


def _old_line(olds: Sequence[str], news: Sequence[str], line: int) -> int:
    for tag, start, end, new_start, new_end in opcodes(olds, news):
        if new_start <= line < new_end:
            if tag == "equal":
                return start + line - new_start
            return min(start + line - new_start, max(end - 1, start), len(olds) - 1)
    return len(olds) - 1


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
