"""Reads of ``.volatile``: what each becomes, and which cannot."""

from __future__ import annotations

import ast
import itertools

from voltfix.machine.calls import is_generator
from voltfix.machine.execute import Interpreter
from voltfix.machine.facts import CALLER, Passed
from voltfix.machine.values import SiteKey
from voltfix.model import (
    Site,
    SiteKind,
    Span,
)
from voltfix.program.effects import effectless
from voltfix.program.freshly import stays_as_handed
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.telling import lines, place
from voltfix.rules import messages, premises
from voltfix.rules.messages import Done
from voltfix.solver.case import CARRYING, Case
from voltfix.solver.coming import comes_unseen
from voltfix.solver.hooked import answered_by, reached_by_hooks, runs_as_hook
from voltfix.solver.reads import Answer, Reads, guarded
from voltfix.solver.refusing import for_the_caller
from voltfix.solver.roots import Body
from voltfix.strategies import grad_mode


def settle_reads(case: Case, kept: set[Site]) -> None:
    """``x.volatile`` as a value: the condition that it was, or a question about grad mode, or a refusal."""
    case.reads = Reads(case.outcome, lambda body: case.has_callers(body))
    for site in case.open_sites(kept, SiteKind.READ):
        node = case.node_of(site)
        if inside_dropped(case, site):
            copied_flag(case, site, node)
            continue
        refused = any(s.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) for s in case.refusals)
        answer = case.reads.answer(node, not refused)
        hooked: frozenset[SiteKey] | Passed | None = frozenset()
        if answer is not None and answer.asks_mode and runs_as_hook(case, site.path, node):
            hooked = answered_by(case, site.path, node)
            answer = answer if isinstance(hooked, frozenset) else None
        if (answer is None or answer.asks_mode) and asks_graph(case, site, node):
            continue
        if answer is None or has_to_run(case, site, node):
            said = no_answer(case, site, node, hooked) if answer is None else messages.read_of_call()
            case.refuse(site, "volatile-read", said)
            for other in case.sites_of(case.reads.feeding(node)):
                where = lines(case.project, site.path, [getattr(node, "lineno", 0)], read_in=other.path)
                case.refuse(other, "volatile-read", messages.is_read(where))
        else:
            replace_read(case, site, node, answer, hooked if isinstance(hooked, frozenset) else frozenset())
    hold_hooked(case, kept)


def no_answer(case: Case, site: Site, node: ast.AST, hooked: frozenset[SiteKey] | Passed | None) -> str:
    """Why nothing answers a read today, and where that stands, if it is somewhere else."""
    if isinstance(hooked, Passed):
        return messages.hook_asks(place(case.project, hooked.path, hooked.node))
    left = next((s for s in case.refusals if s.kind in (SiteKind.ARGUMENT, SiteKind.WRITE)), None)
    if left is not None and case.reads.answer(node, True) is not None:
        return messages.read_beside(case.where(left))
    return messages.read_differs()


def has_to_run(case: Case, read: Site, node: ast.AST) -> bool:
    """Does what a read asks do more than give the value that is asked? The answer would take its place."""
    for asked in [node.value] if isinstance(node, ast.Attribute) else node.args if isinstance(node, ast.Call) else []:
        span = case.project.span(read.path, asked)
        if not effectless(case.project, read.path, asked) or any(
                each is not read and each.path == read.path and span.start <= each.span.start < span.end
                for each in case.sites):
            return True
    return False


def hold_hooked(case: Case, kept: set[Site]) -> None:
    """A read that stays where forward hooks come to it: layers run it with whatever volatile tensor they are given."""
    left = [site for site in case.refusals if site.kind is SiteKind.READ]
    if not left:
        return
    hooks = reached_by_hooks(case)
    calls = {site: min((hooks[node] for node in case.project.parents(site.path, case.node_of(site)) if node in hooks),
                       default=None) for site in left}
    near = {site: count for site, count in calls.items() if count is not None}
    if not near:
        return
    read = min(near, key=near.__getitem__)
    for site in list(case.open_sites(kept, SiteKind.ARGUMENT, SiteKind.WRITE)):
        if not all(isinstance(value, ast.Constant) and not value.value for value in case.values(site)):
            case.refuse(site, "forward-hook", messages.hook_reads(case.where(read), near[read]))


def asks_graph(case: Case, site: Site, node: ast.AST) -> bool:
    """``if not x.volatile: x.register_hook(f)`` asks whether x requires grad: 0.3 raised where it does not."""
    name = guarded(node, lambda inner: case.project.parent(site.path, inner))
    if name is None:
        return False
    span, _, _ = question(case, site, node, "")
    case.edits.append(([site], site.path, [grad_mode.says(span, f"{name}.requires_grad")]))
    case.strategies[site] = "drop"
    case.done.setdefault(site, []).append(Done("condition", "", f"{name}.requires_grad"))
    where = place(case.project, site.path, node)
    case.evidence[site] = [premises.guards_refused(where)]
    return True


def copied_flag(case: Case, site: Site, node: ast.AST) -> None:
    """``volatile=x.volatile`` of a parameter: without a caller in sight the copy's effect would be lost."""
    function = next((n for n in case.project.parents(site.path, node) if isinstance(n, ast.FunctionDef)), None)
    receiver = node.value if isinstance(node, ast.Attribute) else None
    names = {a.arg for a in function.args.args} if function is not None else set()
    handed = isinstance(receiver, ast.Name) and receiver.id in names
    if handed and is_never_on(case, site, node, function):
        for each in carrying(case, site):
            case.never_on.add(each)
            case.evidence[each] = [premises.copy_is_never_on(case.where(each))]
    elif handed and not (case.is_seen(site.path, function) and not case.reads.may_come_unseen(node)):
        if is_idle(case, site, function):
            for each in carrying(case, site):
                case.evidence[each] = [premises.copy_changes_nothing(case.where(each))]
            return
        if goes_with_blocks(case, site, node, function):
            others = case.project.function(site.path, function) if function is not None else None
            for each in [site, *carrying(case, site)] if others is not None and case.callers.is_public(others) else ():
                case.opened[each] = messages.others_may_call()
            case.as_copied.update(carrying(case, site))
            return
        known = case.project.function(site.path, function) if function is not None else None
        some = id(function) in case.inlined or (known is not None and comes_unseen(
            case, known, frozenset(map(case.key, carrying(case, site)))))
        for each in [site, *carrying(case, site)]:
            case.refuse(each, "unseen-callers", messages.copied_from_parameter(some))
        refuse_answers(case, site, node)
    elif isinstance(receiver, ast.Name) and function is not None:
        left = refused_above(case, site.path, function)
        for each in [site, *carrying(case, site)] if left is not None else ():
            case.refuse(each, "held-together", messages.copies_refused(case.where(left or site)))


def refuse_answers(case: Case, read: Site, node: ast.AST) -> None:
    """Nothing answers a read of what has a copied flag that stays: it is on where nobody in sight is seen to call."""
    keys = {case.key(each) for each in carrying(case, read)}
    machines = [case.rounds.setting.if_volatile(body, key) for body in case.reads.bodies(node) for key in sorted(keys)]
    asking = {id(each.node) for machine in machines if machine is not None for each in machine.reads
              if not keys.isdisjoint(each.sites) and not (each.pc & each.vol).is_false}
    for each in case.sites if asking else ():
        if each.kind is SiteKind.READ and each is not read and id(case.node_of(each)) in asking:
            case.refuse(each, "volatile-read", messages.read_beside(case.where(read)))


def refused_above(case: Case, path: str, function: ast.AST) -> Site | None:
    """A flag that was refused in a function, in one around it, or in one that calls it, near or far."""
    waiting, seen = [(path, function)], set[ast.AST]()
    while waiting:
        at, node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for site in case.refusals:
            if site.kind is SiteKind.ARGUMENT and site.path == at and case.within(site, node):
                return site
        known = case.project.function(at, node)
        calls = case.callers.seen(known) if known is not None else []
        for where, inner in [(at, node), *calls]:
            around = (n for n in case.project.parents(where, inner) if isinstance(n, FUNCTIONS))
            waiting += [(where, n) for n in itertools.islice(around, 1)]
    return None


def is_idle(case: Case, read: Site, function: ast.FunctionDef | None) -> bool:
    """Does nothing depend on the flag that the read is copied to, as none does on that of an index or a mask?"""
    around = [s for s in carrying(case, read) if s.kind is SiteKind.ARGUMENT]
    body = case.outcome.bodies.get(id(function))
    if len(around) != 1 or body is None:
        return False
    machine = case.rounds.setting.if_volatile(body, case.key(around[0]))
    key = case.key(around[0])
    return machine is not None and key in machine.variables and not machine.shows(key) and not is_captured(machine, key)


def is_never_on(case: Case, read: Site, node: ast.AST, function: ast.FunctionDef | None) -> bool:
    """Is the flag of a parameter off whenever it is copied, since nobody hands the function anything volatile?

    Of the parameter it is asked itself, which nothing binds again, and nothing that runs until then writes into it.
    """
    known = case.project.function(read.path, function) if function is not None else None
    receiver = node.value if isinstance(node, ast.Attribute) else None
    if known is None or not isinstance(receiver, ast.Name) or not case.reads.is_off_in_sight(node):
        return False
    handed = case.project.handed_as(case.project.resolve(read.path, None, receiver))
    return handed is not None and case.project.scope(read.path, handed) is function and (
        case.project.scope(read.path, receiver) is function and case.callers.hand_nothing_volatile(known)) and (
        stays_as_handed(case.project, known, handed))


def goes_with_blocks(case: Case, read: Site, node: ast.AST, function: ast.FunctionDef | None) -> bool:
    """Is a copy of a flag only ever on where grad mode is off, though a call in sight may be of its function, unseen?

    So it is where callers in sight hand over what is volatile in blocks, or such a call that was not seen does, where
    every flag of the project goes, so that what hands something volatile to code that nobody looked into has a block,
    and where what has the copy is computed with in the function itself and leaves it in what that gave alone. Then it
    is with the copy as with what it was copied from, whoever calls.
    """
    around, body = carrying(case, read), case.outcome.bodies.get(id(function))
    known = case.project.function(read.path, function) if function is not None else None
    if len(around) != 1 or body is None or known is None or is_generator(known.node):
        return False  # a generator goes on when whoever has it likes
    if around[0].kind is not SiteKind.ARGUMENT or not any(
            node in (value, getattr(value, "value", None)) for value in case.values(around[0])):
        return False  # of both flags, of the other one: what it is where nothing is handed over says more
    if any(site.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) for site in case.refusals):
        return False
    key = case.key(around[0])
    in_sight = id(function) in case.inlined and case.reads.in_blocks_alone(node)
    if not in_sight and not (case.reads.may_come_unseen(node) and comes_unseen(case, known, frozenset({key}))):
        return False
    if not case.callers.unseen_by_calls_alone(known):
        return False
    others = [] if in_sight else [each for each in case.reads.bodies(node) if each.node is not function]
    return is_used_up(case, body, key, back=False) and all(
        is_used_up(case, each, key, back=True) for each in others)


def is_used_up(case: Case, body: Body, key: SiteKey, *, back: bool) -> bool:
    """If what a site makes were volatile, would it be no more than computed with, while a function runs?

    It leaves in what that gave alone; with ``back`` as it is, too: to whoever called, and nowhere else. Nor does
    anybody ask it for its flag: the answer hangs on who calls.
    """
    machine = case.rounds.setting.if_volatile(body, key)
    return machine is not None and not any(
        key in read.sites and not (read.pc & read.vol).is_false for read in machine.reads) and not any(
        key in store.sites and not (store.pc & store.vol).is_false and (
            store.how != CALLER or (not back and key in for_the_caller(case, body, machine, store)))
        for store in machine.stores) and not any(
        key in fact.sites and not fact.need.is_false and (fact.blocked or fact.lazy)
        for fact in machine.facts) and not is_captured(machine, key)


def is_captured(machine: Interpreter, key: SiteKey) -> bool:
    """Does a function that was made there hold what a site made? Whoever has it runs it when he likes."""
    return any(key in sites for _, sites in machine.captured.values())


def inside_dropped(case: Case, site: Site) -> bool:
    """Does the read stand in an argument, or a write, that goes?"""
    return any(other not in case.refusals for other in carrying(case, site))


def carrying(case: Case, read: Site) -> list[Site]:
    """The arguments and writes that a read stands in."""
    return [s for s in case.places.around(read, CARRYING) if read.span.end <= extent(case, s).end]


def extent(case: Case, site: Site) -> Span:
    """What goes with the site: the statement of a write, the argument else."""
    return site.node if site.kind is SiteKind.WRITE else site.span


def replace_read(case: Case, site: Site, node: ast.AST, answer: Answer, hooked: frozenset[SiteKey]) -> None:
    """Write down what answers as ``.volatile`` did; ``hooked``: the sites by whose blocks grad mode does in a hook."""
    torch, imports = case.torch_name(site.path, node)
    feeding = [s for s in case.sites_of(case.reads.feeding(node) | hooked) if s not in case.refusals]
    span, torch, inverted = question(case, site, node, torch)
    if answer.asks_mode:
        edit = grad_mode.asks_mode(span, torch, inverted)
        case.done[site] = [Done("mode", "", "" if inverted else "not ")]
    elif answer.text in ("True", "False"):  # `True == False` is a question that nobody asks
        edit, imports = grad_mode.says(span, str((answer.text == "True") is not inverted)), []
        case.done[site] = [Done("constant", "", answer.text)]
    else:
        edit, imports = grad_mode.says(site.span, answer.text), []
        case.done[site] = [Done("condition", "", answer.text)]
    case.edits.append(([site, *feeding], site.path, [edit, *imports]))
    case.strategies[site] = "no_grad" if answer.asks_mode else "drop"


def question(case: Case, site: Site, node: ast.AST, torch: str) -> tuple[Span, str, bool]:
    """What the answer to a read replaces, torch's name, and whether it is asked the other way round.

    ``not x.volatile`` and ``x.volatile == False`` are one question with what stands around the read.
    """
    above = case.project.parent(site.path, node)
    if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
        return case.project.span(site.path, above), torch, True
    if isinstance(above, ast.Compare) and len(above.ops) == 1 and above.left is node:
        other = above.comparators[0]
        equal = isinstance(above.ops[0], ast.Eq) and isinstance(other, ast.Constant) and other.value in (0, 1)
        same = isinstance(above.ops[0], ast.Is) and isinstance(other, ast.Constant)
        if isinstance(other, ast.Constant) and (equal or (same and isinstance(other.value, bool))):
            return case.project.span(site.path, above), torch, not other.value
    return site.span, torch, False
