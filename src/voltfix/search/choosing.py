"""From refused changes to what stands: candidates are made, tried, and taken where nothing speaks against them.

A candidate is taken (``verified``) if the verifier found it identical on ways that exercise it, told it from its near
misses, and ran all that may call what it changes. Where two such candidates do different things, the verifier cannot
tell right from wrong here: both are suggested, neither is taken.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import repeat

from voltfix.model import (
    Candidate,
    Change,
    Decision,
    Decorate,
    Edit,
    Options,
    Plan,
    SiteKind,
    Verification,
    WrapStatements,
    file_of,
)
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.guarding import SecondRun, find_faults
from voltfix.pipeline.holds import Hold, SiteKey, key
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.settling import Standing, solve
from voltfix.pipeline.surroundings import Surroundings
from voltfix.pipeline.verifying import Verifier, items
from voltfix.records import dataclass
from voltfix.rules import messages
from voltfix.search import Search
from voltfix.search.after import with_what_goes
from voltfix.search.aside import Use, left_aside, stands_in_blocks, uses_elsewhere
from voltfix.search.draft import Draft
from voltfix.search.group import Group, flags_of, grouped, united
from voltfix.search.kinds import drafts
from voltfix.search.kinds.around import covered
from voltfix.search.kinds.flag import gone_with
from voltfix.search.lighter import ROUNDS, without_idle, without_vacant
from voltfix.search.marking import marked
from voltfix.search.met import never_met, uses_of
from voltfix.search.narrowing import Narrowing, is_narrower
from voltfix.search.oracle import Oracle, Trial, differs, fails, lent, same, trial
from voltfix.search.order import in_order
from voltfix.search.reach import Reach, reach_of
from voltfix.search.scene import Scenes
from voltfix.search.telling import (
    beside,
    chosen,
    done_by,
    half,
    idle,
    kept_graphs,
    never_brought,
    never_met_at,
    never_on,
    no_time,
    not_proved,
    one_way,
    only_suggested,
    out_of_sight,
    shows_nothing,
    went_to,
)
from voltfix.search.unread import left_in_place, with_parameters
from voltfix.verify.plan import Item

# refused for want of proof: a patch may be right all the same. The others are refused for what was found, for what a
# person said, or for want of something that no patch brings.
UNPROVED = frozenset(
    {
        "caller-not-resolved", "condition-not-repeatable", "escapes-by-attribute", "escapes-by-global",
        "gradient-demanded", "lazy-evaluation", "mixed-statement", "not-analysed", "not-provable", "state-mixed",
        "too-complex", "unknown-callee", "unknown-origin", "unseen-callers", "volatile-read", "write-into-graph",
    }
)  # fmt: skip
# refused because the value gets to where nothing is seen of it
_UNSEEN = frozenset({"escapes-by-attribute", "escapes-by-global", "state-mixed", "unknown-origin", "unseen-callers"})
_BLOCKS = ("no_grad", "set_grad_enabled")
Edits = tuple[tuple[str, tuple[Edit, ...]], ...]


@dataclass(frozen=True)
class Tried:
    """What came of a refused change: the candidates, the best first, and the one that is taken."""

    group: Group
    candidates: tuple[Candidate, ...]
    taken: Trial | None = None
    verdict: Verification = Verification()
    trials: tuple[Trial, ...] = ()  # those of the candidates, in their order


@dataclass(frozen=True)
class Tools:
    """What candidates of a project are made with and judged by."""

    scenes: Scenes
    around: Surroundings
    oracle: Oracle
    reached: dict[Group, Reach] = field(default_factory=dict)
    computing: dict[Group, list[tuple[tuple[str, str], Use]]] = field(default_factory=dict)

    def reach(self, group: Group) -> Reach:
        """Where the value of a group of sites goes."""
        if group not in self.reached:
            self.reached[group] = reach_of(self.scenes, group)
        return self.reached[group]

    def never_met(self, group: Group, plan: Plan, edits: Edits, verdict: Verification | None) -> str:
        """Where these edits leave out of their blocks what computes on the value, and no run with it came by there."""
        if verdict is None or not verdict.dark:
            return ""
        if group not in self.computing:
            self.computing[group] = uses_of(self.scenes, group, self.reach(group))
        there = (*(pair for change in plan.changes for pair in change.edits), *edits)
        use = never_met(self.computing[group], group, there, verdict)
        if use is None:
            return ""
        line, path = use.scene.line(use.run[0]), use.scene.module.path
        return f"line {line}" if path == group[0].site.path else f"{file_of(path)}:{line}"

    def never_on(self, group: Group, verdict: Verification | None) -> str:
        """Who may turn a flag of a group on, and was not run so: what becomes of the tensor there is not shown."""
        if verdict is None or verdict.lit is None or not self.reach(group).leaves:
            return ""
        for place in flags_of(group):
            if place.site.kind is SiteKind.ARGUMENT:
                missing = self.scenes.turning.never_on(place.site.path, place.site.span, verdict.lit)
                if missing is not None:
                    return f"{file_of(missing[0])}: {missing[1] or 'module body'}"
        return ""


def choose(
    project: Project, standing: Standing, holds: dict[SiteKey, Hold], options: Options, verifier: Verifier,
    search: Search,
) -> tuple[Standing, Mapping[SiteKey, tuple[Candidate, ...]]]:
    """What stands with the candidates that are taken, and all candidates by site."""
    refused = _refused(project, standing, holds)
    if not refused:
        return standing, {}
    oracle = Oracle(search.verifier or verifier, search.budget, search.memory)
    around = Surroundings(project)
    tools = Tools(Scenes(project, around), around, oracle)
    before = standing
    found: dict[SiteKey, tuple[Candidate, ...]] = {}
    left: list[Tried] = []
    took: list[Group] = []

    def go(groups: Sequence[Group], alone: bool) -> None:
        nonlocal standing
        for group in groups:
            if options.until is not None and time.monotonic() > options.until:
                break
            tried = _tried(project, standing.plan, group, holds, options, tools)
            taken = tried.taken is not None and _with(project, standing, holds, options, tried)
            standing = taken or standing
            if alone or taken:
                found.update({key(p.site): tried.candidates for p in group})
            if taken:
                took.append(group)
                left[:] = [each for each in left if each.group[0] not in group]
            elif alone:
                left.append(tried)

    go(sorted(grouped(tools.scenes, refused), key=partial(_cost, tools, options)), alone=True)
    single = {each.group for each in left}
    go([group for group in united([each.group for each in left]) if group not in single], alone=False)
    if standing is not before:
        go(grouped(tools.scenes, _halves(project, standing, holds)), alone=True)
    for tried in left:
        wanted = _wanted(project, standing.plan, tried, options, tools)
        standing = (_with(project, standing, holds, options, wanted) if wanted is not None else None) or standing
    standing = with_what_goes(project, before, standing, holds, options, oracle)
    beside = {place.function for group in took for place in group}
    if beside:  # the block that came for one flag may be around another of its function, too
        since = standing
        again = grouped(tools.scenes, _refused(project, standing, holds))
        go([group for group in again if any(place.function in beside for place in group)], alone=True)
        if standing is not since:
            standing = with_what_goes(project, before, standing, holds, options, oracle)
    if standing is before:
        return standing, found
    return _told_beside(project, before, _without_stale(project, standing, holds, options), oracle), found


def _told_beside(project: Project, before: Standing, standing: Standing, oracle: Oracle) -> Standing:
    """What stands, with verdicts on what could not be told in a file of which a candidate was taken since: asked again.

    What was refused then kept graphs away, or made them: beside it nothing else may have had one. (A difference that
    is seen once is no alarm: the candidate was judged with all of it.)
    """
    taken = [change for change in standing.plan.changes if change not in before.plan.changes]
    files = {path for change in taken for path, edits in change.edits if edits}
    open_ones = {change.id for change in before.plan.changes if files.intersection(path for path, _ in change.edits)
                 and before.verdicts.get(change.id, Verification()).cpu == "not-run"}
    if not open_ones:
        return standing
    texts = carry_out(project, standing.plan.changes).texts
    asked = [item for item in items(project, standing.plan, texts) if item.id in open_ones]
    answers = zip(asked, oracle.judge(asked), strict=True)
    told = {item.id: answer for item, answer in answers if answer is not None and same(answer)}
    return replace(standing, verdicts={**standing.verdicts, **told})


def _without_stale(
    project: Project, standing: Standing, holds: dict[SiteKey, Hold], options: Options
) -> Standing:
    """What stands, with refusals of calls that hand a flag on turned to ``kept`` where nothing takes it any more."""
    from voltfix.flags.sites import find
    from voltfix.program.resolve import Project as Program

    calls = [d for d in standing.plan.left if d.site.kind is SiteKind.WRAPPER and _reason(d, holds) in UNPROVED]
    if not calls:
        return standing
    again = load_project({**project.files, **standing.outputs}, options)
    there = {(site.path, again.line(site.path, site.span.start)) for site in find(Program(again.modules))}
    stale = {d.site for d in calls if (d.site.path, project.line(d.site.path, d.site.span.start)) not in there}
    kept = messages.kept_argument(messages.is_used())
    left = tuple(replace(d, refusal=None, kept=True, message=kept, guess="", evidence=(*d.evidence, idle()))
                 if d.site in stale else d for d in standing.plan.left)
    for site in stale:
        holds.pop(key(site), None)
    return replace(standing, plan=replace(standing.plan, left=left))


def _refused(project: Project, standing: Standing, holds: Mapping[SiteKey, Hold]) -> list[Decision]:
    """What stayed for want of proof, in files that may be edited."""
    return [d for d in standing.plan.left if _unproved(d, holds) and project.editable(project.file_of(d.site.path))]


def _unproved(decision: Decision, holds: Mapping[SiteKey, Hold]) -> bool:
    hold = holds.get(key(decision.site))
    if decision.kept or (hold is not None and hold.status != "refused"):
        return False
    return _reason(decision, holds) in UNPROVED


def _halves(project: Project, standing: Standing, holds: Mapping[SiteKey, Hold]) -> list[Decision]:
    """The flags that only stayed beside others that were refused: what is taken of those may be half of a change."""
    return [d for d in standing.plan.left if d.refusal is not None and d.refusal.reason == "held-together"
            and key(d.site) not in holds and project.editable(project.file_of(d.site.path))]


def _reason(decision: Decision, holds: Mapping[SiteKey, Hold]) -> str | None:
    if (hold := holds.get(key(decision.site))) is not None:
        return hold.reason
    return decision.refusal.reason if decision.refusal is not None else None


def _reasons(group: Group, holds: Mapping[SiteKey, Hold]) -> set[str | None]:
    return {_reason(place.decision, holds) for place in group}


def _cost(tools: Tools, options: Options, group: Group) -> tuple[int, int]:
    """The dearest last: those with which many functions have to be run, and those in long texts."""
    late = options.until is not None and time.monotonic() > options.until
    return 0 if late else len(tools.reach(group).callers), sum(len(place.scene.module.text) for place in group)


def _tried(
    project: Project, plan: Plan, group: Group, holds: Mapping[SiteKey, Hold], options: Options, tools: Tools
) -> Tried:
    reach = tools.reach(group)
    trials = [made for n, draft in enumerate(drafts(tools.scenes, group), 1)
              if (made := _trial(project, plan, f"s{n}", group, draft, reach, tools)) is not None]
    verdicts = tools.oracle.judge_changes([each.item for each in trials])
    lighter = _lightened(project, plan, group, trials, verdicts, reach, tools)
    ranked = sorted(zip(trials, verdicts, strict=True), key=lambda pair: _rank(pair[1]))
    candidates = tuple(_candidate(project, each, verdict) for each, verdict in ranked)
    wrong = sum(each is not None and differs(each) for each in verdicts)
    uses = uses_elsewhere(tools.scenes, group, reach)
    at, doubt = tools.oracle.pick(
        [each.item for each in trials], verdicts,
        lambda n: not _lends(trials[n], verdicts[n], bare=n in lighter)
        and not _alone(trials[n], verdicts[n], reach, bare=n in lighter)
        and not tools.never_met(group, plan, trials[n].draft.edits, verdicts[n])
        and _shown(project, plan, trials[n], uses, tools),
        lambda n, other: is_narrower(trials[n].draft, trials[other].draft)
        and _grows_less(verdicts[n] or Verification(), verdicts[other] or Verification()))
    if at is None and (taker := next(filter(None, map(lent, filter(same, verdicts))), "")):
        doubt = went_to(taker)
    elif at is None and (line := next(filter(None, map(_alone, trials, verdicts, repeat(reach))), "")):
        doubt = never_brought(line)
    elif at is None and (line := next(filter(None, (
            tools.never_met(group, plan, each.draft.edits, verdict)
            for each, verdict in zip(trials, verdicts, strict=True) if same(verdict))), "")):
        doubt = never_met_at(line)
    there = tuple(pair for change in plan.changes for pair in change.edits)
    told = wrong > 0 or (not reach.leaves and stands_in_blocks(group, covered(tools.scenes, group), there))
    if at is not None and _blind(trials[at].draft, reach, _reasons(group, holds), told=told):
        doubt = out_of_sight() if reach.open else shows_nothing()
    elif at is not None and _out_of_sight(tools.scenes, group, reach):
        doubt = out_of_sight()
    elif at is not None and (who := tools.never_on(group, verdicts[at])):
        doubt = never_on(who)
    elif at is not None and not _by_itself(project, plan, trials[at], tools.oracle):
        doubt = half()
    elif at is not None and not _both_ways(project, plan, trials[at], tools):
        doubt = one_way()
    if at is not None and not doubt:
        wide = trials[at], verdicts[at] or Verification()
        taken, verdict = _narrowed(project, plan, group, wide, uses, reach, tools)
        taken, verdict = _without_vacant(project, plan, group, (taken, verdict), uses, reach, tools)
        taken, verdict = _without_unread(project, plan, (taken, verdict), options, tools)
        taken = replace(taken, change=replace(
            taken.change, decisions=left_in_place(tools.scenes.program, taken.change)))
        said = (*kept_graphs(taken.draft, tools.scenes), chosen(verdict.runs, len(trials), wrong))
        return Tried(group, candidates, _said(taken, *said), verdict)
    candidates = tuple(replace(each, doubt=doubt) for each in candidates)
    return Tried(group, candidates, trials=tuple(each for each, _ in ranked))


def _narrowed(
    project: Project, plan: Plan, group: Group, wide: tuple[Trial, Verification], uses: Sequence[Use], reach: Reach,
    tools: Tools,
) -> tuple[Trial, Verification]:
    """A trial with its blocks no wider than they have to be, as far as there is time to find out.

    Nobody who is not in view gets the tensor outside of them and not of the wide ones: what is computed there on it had
    no graph on 0.3, and may have one now; a run sees only what was handed over.
    """
    found: dict[Draft, tuple[Trial, Verification]] = {}

    def holds(draft: Draft) -> bool:
        made = _redrafted(project, plan, group, wide, draft, reach, tools)
        if made is not None and lent(made[1]) in ("", lent(wide[1])):
            found[draft] = made
        return draft in found

    def narrowing(draft: Draft, may_ask: Callable[[], bool] = lambda: True) -> Narrowing:
        scope = group[0].scene.scope(group[0].node)
        return Narrowing(tools.scenes, draft, scope, lambda each: may_ask() and holds(each))

    best = wide
    if tools.oracle.budget:
        draft = wide[0].draft
        draft = narrowing(draft).narrowed() if tools.oracle.budget.spare else narrowing(draft).fewer()
        best = _if_alone(project, plan, found.get(draft), best, uses, tools)
    draft = narrowing(best[0].draft, lambda: tools.oracle.budget.spare).trimmed()
    best = _if_alone(project, plan, found.get(draft), best, uses, tools)
    return best


def _if_alone(
    project: Project, plan: Plan, narrow: tuple[Trial, Verification] | None, wide: tuple[Trial, Verification],
    uses: Sequence[Use], tools: Tools,
) -> tuple[Trial, Verification]:
    """The narrower trial where there is one, and it can be told by itself; else the wide one."""
    if narrow is None or narrow == wide:
        return wide
    return narrow if _stands_alone(project, plan, narrow[0], uses, tools) else wide


def _redrafted(
    project: Project, plan: Plan, group: Group, than: tuple[Trial, Verification], draft: Draft, reach: Reach,
    tools: Tools,
) -> tuple[Trial, Verification] | None:
    """A trial of another draft, where that was run and does the same, as well as ``than`` does."""
    made = _trial(project, plan, than[0].change.id, group, draft, reach, tools)
    verdict = tools.oracle.judge([made.item])[0] if made is not None and in_order(made.item) else None
    if made is None or verdict is None or not (_does_as_well(verdict, than[1]) and _grows_less(verdict, than[1])):
        return None
    return None if tools.never_met(group, plan, draft.edits, verdict) else (made, verdict)


def _does_as_well(verdict: Verification, than: Verification) -> bool:
    """Is it the same, not only since it raises, and does it take no more callers to make up for what differs?"""
    return same(verdict) and not fails(verdict) and verdict.through <= than.through


def _grows_less(verdict: Verification, than: Verification) -> bool:
    """Does no line make a graph where volatile saved it that does not in the other one, too, whoever has it later?"""
    return set(verdict.grown) <= set(than.grown)


def _stands_alone(project: Project, plan: Plan, each: Trial, uses: Sequence[Use], tools: Tools) -> bool:
    """Do its runs say something of a candidate, of it alone, and of both answers of its conditions?"""
    return _shown(project, plan, each, uses, tools) and _by_itself(project, plan, each, tools.oracle) and _both_ways(
        project, plan, each, tools)


def _without_vacant(
    project: Project, plan: Plan, group: Group, found: tuple[Trial, Verification], uses: Sequence[Use], reach: Reach,
    tools: Tools,
) -> tuple[Trial, Verification]:
    """A trial, and without the blocks in which nothing that was run could have had a graph, if it does the same."""
    draft = without_vacant(tools.scenes, *found) if tools.oracle.budget else None
    bare = _redrafted(project, plan, group, found, draft, reach, tools) if draft is not None else None
    if bare is None or _lends(*bare, bare=True) or _alone(*bare, reach, bare=True) or not _stands_alone(
            project, plan, bare[0], uses, tools):
        return found
    return bare


def _without_unread(
    project: Project, plan: Plan, found: tuple[Trial, Verification], options: Options, tools: Tools
) -> tuple[Trial, Verification]:
    """A trial, and without the parameters that nobody reads any more, if it does the same."""
    taken, verdict = found
    change = with_parameters(tools.scenes.program, options, taken.change, plan.changes)
    made = None if change is None else trial(
        project, replace(plan, changes=_apart(change, plan)), change, taken.draft, tools.around)
    again = tools.oracle.judge([made.item])[0] if made is not None else None
    return (made, again) if made is not None and again is not None and _does_as_well(again, verdict) else found


def _wanted(project: Project, plan: Plan, tried: Tried, options: Options, tools: Tools) -> Tried | None:
    """A candidate that nothing shows to be right, and that somebody wants all the same."""
    for each, candidate in zip(tried.trials, tried.candidates, strict=True):
        wanted = candidate.name in options.accepted
        if wanted or (options.unsafe_fixes and candidate.suggested):
            made = _suggested(project, plan, each, tools, mark=not wanted)
            return replace(tried, taken=made, verdict=candidate.verification) if made is not None else None
    return None


def _shown(project: Project, plan: Plan, each: Trial, uses: Sequence[Use], tools: Tools) -> bool:
    """Does it say anything of a candidate that it does the same?

    Not of one that leaves a use aside to which no run brings the value; nor of a block that changes no graph: nothing
    in it could have had one, so the flag alone does as well.
    """
    there = (pair for change in plan.changes for pair in change.edits)
    return not left_aside(uses, (*there, *each.draft.edits)) and not _idle_blocks(project, plan, each, tools)


def _lightened(
    project: Project, plan: Plan, group: Group, trials: list[Trial], verdicts: list[Verification | None], reach: Reach,
    tools: Tools,
) -> set[int]:
    """Which trials gave way to those without blocks in which nothing could have a graph, where these have a verdict."""
    found = set()
    for n, (each, verdict) in enumerate(zip(trials, verdicts, strict=True)):
        for _ in range(ROUNDS):
            draft = without_idle(tools.scenes, each, verdict)
            made = _trial(project, plan, each.change.id, group, draft, reach, tools) if draft is not None else None
            again = tools.oracle.judge([made.item])[0] if made is not None else None
            if made is None or again is None:
                break
            each, verdict = made, again
            if verdict.tier is not None:
                trials[n], verdicts[n] = each, verdict
                found.add(n)
    return found


def _lends(each: Trial, verdict: Verification | None, *, bare: bool = False) -> bool:
    """Is the flag gone without a block, where the tensor went to what is not in view? (``bare``: block or not.)

    Whatever that computes had no graph on 0.3, and may have one now; a run sees only what was handed over.
    """
    return (bare or each.draft.strategy not in _BLOCKS) and lent(verdict) != ""


def _alone(each: Trial, verdict: Verification | None, reach: Reach, *, bare: bool = False) -> str:
    """The place of a flag that goes without a block, where a tensor is handed on that no run of a caller got volatile.

    Its own function shows what is done in there; what becomes of it behind that, only those show who get it. ``bare``:
    block or not, for another one was left out.
    """
    goes = (bare or each.draft.strategy not in _BLOCKS) and bool(reach.passing)
    return verdict.alone if goes and verdict is not None and same(verdict) else ""


def _idle_blocks(project: Project, plan: Plan, each: Trial, tools: Tools) -> bool:
    """Would every operation have the graph that it has if the blocks of a candidate were left out?"""
    edits = tuple((path, tuple(edit for edit in found if not isinstance(edit, (WrapStatements, Decorate))))
                  for path, found in each.change.edits)
    if edits == each.change.edits:
        return False
    blocks = [(path, edit) for path, found in each.change.edits for edit in found
              if isinstance(edit, (WrapStatements, Decorate))]
    if all(isinstance(edit, WrapStatements) and _stands(plan, path, edit) for path, edit in blocks):
        return True
    bare = trial(project, plan, replace(each.change, edits=edits), each.draft, tools.around)
    if bare is None:
        return False
    question = replace(each.item, before=bare.item.after, exact=True)
    return any(same(verdict) for verdict in tools.oracle.judge([question]))


def _both_ways(project: Project, plan: Plan, each: Trial, tools: Tools) -> bool:
    """Did what was run tell the condition of a block from a constant one, from the one as from the other?

    Where it gave one answer throughout, the other one was tried nowhere.
    """
    for constant in _constant(each.draft.edits):
        made = trial(project, plan, replace(each.change, edits=constant), each.draft, tools.around)
        if made is not None and made.item.after != each.item.after:
            question = replace(each.item, before=made.item.after, exact=True)
            if not any(verdict is not None and differs(verdict) for verdict in tools.oracle.judge([question])):
                return False
    return True


def _constant(edits: Edits) -> list[Edits]:
    """The edits with gradients off in every block that has a condition, and with no such block."""
    if not any(map(_has_condition, (edit for _, found in edits for edit in found))):
        return []
    off = tuple((path, tuple(replace(edit, header=f"{edit.header.split('.set_grad_enabled(')[0]}.no_grad()")
                             if isinstance(edit, WrapStatements) and _has_condition(edit) else edit for edit in found))
                for path, found in edits)
    return [off, tuple((path, tuple(each for each in found if not _has_condition(each))) for path, found in edits)]


def _has_condition(edit: Edit) -> bool:
    return isinstance(edit, WrapStatements) and ".set_grad_enabled(" in edit.header


def _stands(plan: Plan, path: str, block: WrapStatements) -> bool:
    """Does a block lie in ``torch.no_grad()`` by what is written anyway?"""
    return any(
        isinstance(edit, WrapStatements) and edit.header.endswith("no_grad()")
        and edit.first.start <= block.first.start and block.last.end <= edit.last.end
        for change in plan.changes for where, found in change.edits if where == path for edit in found)


def _blind(draft: Draft, reach: Reach, reasons: set[str | None], *, told: bool) -> bool:
    """May what was run have shown nothing of what the draft does?

    The value goes where nobody saw what becomes of it; or there is no block whose near misses were told apart, and no
    other candidate was, nor does all of it lie in blocks that are there.
    """
    if draft.strategy not in _BLOCKS:
        return reach.open or not told
    return reach.open and not reasons.isdisjoint(_UNSEEN)


def _out_of_sight(scenes: Scenes, group: Group, reach: Reach) -> bool:
    """Does the value get to code of others that calls what makes it: by a loader, a framework, a pool?"""
    places = [(each.site.path, each.node.lineno, each.node.col_offset) for each in flags_of(group)
              if isinstance(each.node, ast.expr)]
    return scenes.outside.handed(reach.passing, places)


def _trial(
    project: Project, plan: Plan, name: str, group: Group, draft: Draft, reach: Reach, tools: Tools
) -> Trial | None:
    change = _change(name, group, draft, reach, tools.scenes)
    return trial(project, plan, change, draft, tools.around)


def _by_itself(project: Project, plan: Plan, taken: Trial, oracle: Oracle) -> bool:
    """Is it right although the flags that are refused beside it do nothing on today's torch?

    A flag that goes without a block may leave its effect to them: that is half of a change. And a block may be too
    narrow where it is the only one that still turns graphs off.
    """
    if taken.item.rest == "today":
        return True
    if taken.draft.strategy not in _BLOCKS:
        question: Item | None = replace(taken.item, rest="today")
    else:
        question = _without_refused(project, plan, taken)
    return question is None or all(same(verdict) for verdict in oracle.judge([question]))


def _without_refused(project: Project, plan: Plan, taken: Trial) -> Item | None:
    """A trial with the refused flags gone on both sides; None where there is none that can be taken out."""
    mine = {decision.site for decision in taken.change.decisions}
    gone: dict[str, list[Edit]] = {}
    for site in (d.site for d in plan.left if not d.kept and d.site not in mine and d.site.path in taken.item.before):
        edit = gone_with(site, project.module(site.path).text)
        if edit is not None:
            gone.setdefault(site.path, []).append(edit)
    if not gone:
        return None
    apart = Change("refused", (), tuple((path, tuple(edits)) for path, edits in gone.items()))
    before, after = carry_out(project, [apart]), carry_out(project, [*plan.changes, taken.change, apart])
    if before.failures or after.failures:
        return None
    return replace(taken.item, before={**taken.item.before, **before.texts}, after={**taken.item.after, **after.texts},
                   rest="today", origins={})


def _said(taken: Trial, *sentences: str) -> Trial:
    """A trial whose decisions have more evidence."""
    decisions = tuple(replace(d, evidence=(*d.evidence, *sentences)) for d in taken.change.decisions)
    return replace(taken, change=replace(taken.change, decisions=decisions))


def _suggested(project: Project, plan: Plan, each: Trial, tools: Tools, *, mark: bool) -> Trial | None:
    """A trial that is written although nothing shows that it is right; with comments that say so."""
    decisions = tuple(replace(d, guess=not_proved(), open="", evidence=(*d.evidence, only_suggested()))
                      for d in each.change.decisions)
    draft = marked(tools.scenes, each.draft) if mark else each.draft
    return trial(project, plan, replace(each.change, decisions=decisions, edits=draft.edits), draft, tools.around)


def _rank(verdict: Verification | None) -> int:
    """Found the same, not run, found different."""
    return 1 if verdict is None else 0 if same(verdict) else 2 if differs(verdict) else 1


def _change(name: str, group: Group, draft: Draft, reach: Reach, scenes: Scenes) -> Change:
    decisions = tuple(
        replace(
            place.decision, strategy=draft.strategy, refusal=None, guess="", open=not_proved(),
            message=done_by(draft, place, scenes),
        )
        for place in group)
    return Change(name, decisions, draft.edits, tuple(dict.fromkeys((*draft.touched, *reach.callers))))


def _candidate(project: Project, each: Trial, verdict: Verification | None) -> Candidate:
    carried = carry_out(project, [each.change])
    outputs = () if carried.failures else tuple(sorted(project.render(carried.texts).items()))
    said = verdict or Verification(detail=no_time())
    others = any(each.texts.get(path) != carried.texts.get(path) for path, _ in each.change.edits)
    how = beside(each.draft.how) if others and not carried.failures else each.draft.how
    return Candidate(how, each.draft.strategy, each.change, said, outputs)


def _with(
    project: Project, standing: Standing, holds: dict[SiteKey, Hold], options: Options, tried: Tried
) -> Standing | None:
    """What stands with a candidate taken; None where the checks after editing object."""
    assert tried.taken is not None
    taken = tried.taken.change
    taken = replace(taken, decisions=(*taken.decisions, *_inside(taken, standing.plan)))
    sites = {d.site for d in taken.decisions}
    numbers = [int(c.id[1:]) for c in standing.plan.changes if c.id[1:].isdigit()]
    change = replace(taken, id=f"c{max(numbers, default=0) + 1}")
    left_over = tuple(d for d in standing.plan.left if d.site not in sites)
    plan = Plan((*_apart(taken, standing.plan), change), left_over, standing.plan.looked)
    texts = dict(tried.taken.texts)
    outputs = project.render(texts)
    left = {place: hold for place, hold in holds.items() if place not in set(map(key, sites))}
    if find_faults(project, options, plan, texts, outputs, _all_left(plan, left), SecondRun(solve, None)):
        return None
    for site in sites:
        holds.pop(key(site), None)
    return replace(standing, plan=plan, outputs=outputs, verdicts={**standing.verdicts, change.id: tried.verdict})


def _apart(taken: Change, plan: Plan) -> tuple[Change, ...]:
    """The changes of a plan that are not part of one that is taken."""
    sites = {d.site for d in taken.decisions}
    return tuple(each for each in plan.changes
                 if not each.decisions or any(d.site not in sites for d in each.decisions))


def _inside(taken: Change, plan: Plan) -> Iterator[Decision]:
    """What was refused and stands in a flag that goes (``volatile=x.volatile``): it goes with that."""
    for outer in taken.decisions:
        site = outer.site
        for each in plan.left if site.kind is SiteKind.ARGUMENT else ():
            if each.refusal is not None and each.site != site and each.site.path == site.path and (
                    site.span.start <= each.site.span.start and each.site.span.end <= site.span.end):
                yield replace(outer, site=each.site, evidence=each.evidence)


def _all_left(plan: Plan, holds: Mapping[SiteKey, Hold]) -> dict[SiteKey, Hold]:
    """The holds, and those of what is refused: the solver is not asked again about what stands beside a candidate."""
    refused = {key(d.site): Hold("refused", None, "") for d in plan.left if d.refusal is not None}
    return {**refused, **holds}

