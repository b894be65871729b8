"""Writes of ``.volatile``: what each becomes, and which cannot."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.flags import leaves
from voltfix.machine.facts import VolatileWrite
from voltfix.model import (
    Edit,
    Refusal,
    Site,
)
from voltfix.program.resolve import Project
from voltfix.program.telling import lines, place
from voltfix.program.walking import root_of, walk
from voltfix.rules import messages, premises
from voltfix.rules.messages import Done
from voltfix.solver import frozen
from voltfix.solver.case import Case, is_fresh
from voltfix.solver.roots import Body
from voltfix.strategies import detach, drop, requires_grad
from voltfix.torchmodel import tables


def settle_writes(case: Case, kept: set[Site]) -> None:
    """``x.volatile = ...``: on what is it, and does a block say the same?"""
    case.frozen = {}
    case.cut = set()
    for body, write in case.outcome.writes:
        site = case.by_key.get((write.path, getattr(write.node, "lineno", 0), getattr(write.node, "col_offset", 0)))
        if site is None or site in case.refusals or site in kept:
            continue
        if write.on_data:
            case.on_data.add(site)
            case.evidence[site] = [premises.set_on_data(place(case.project, site.path, write.node))]
            continue
        left = [case.by_key[k] for k in sorted(write.left) if case.by_key.get(k) in case.refusals]
        if left:
            because = case.refusals[left[0]]
            case.refuse(site, because.reason, messages.written_flag_refused(case.where(left[0])))
            continue
        if write.kind == "weights" and write.depth == 0 and only_switches(case, body):
            case.refuse(site, "unseen-callers", messages.parameters_switched())
            continue
        if write.kind == "weights" and (write.depth or not case.has_callers(body)):
            case.frozen.setdefault(site, []).append(write)
        if write.kind != "weights" and write.depth == 0 and case.has_callers(body):
            continue  # what it is written to, its callers show
        if write.kind != "weights" and write.raised is not None:
            if leaf_comes_too(case, body, write):
                case.evidence[site] = [premises.set_on_leaves(place(case.project, site.path, write.node))]
            else:
                cut_result(case, site, write)
            continue
        if (
            write.kind in ("tensor", "weights")
            or write.origin in ("call", "made", "param")
            or (write.pc & ~write.before).is_false
        ):
            lasts = write.kind != "weights" or id(write) not in case.outcome.switched_off
            if write.origin == "param" and write.depth == 0 and lasts and not case.has_callers(body):
                case.refuse(site, "unseen-callers", messages.parameter_written())
            continue
        if not is_of_network(case, site):
            case.refuse(site, "unknown-origin", messages.unknown_origin())
    for site, writes in case.frozen.items():
        freeze(case, site, writes)


def is_of_network(case: Case, site: Site) -> bool:
    """Do the lines around a write take what it is on for a network? It is left: it is on no tensor."""
    asked = asked_as_network(case.project, site.path, case.node_of(site))
    if asked is None or not isinstance(asked.func, ast.Attribute):
        return False
    case.refuse(site, "not-analysed", messages.set_on_network(place(case.project, site.path, asked), asked.func.attr))
    return True


def asked_as_network(project: Project, path: str, write: ast.AST) -> ast.Call | None:
    """The call nearest to ``x.volatile = ...``, in the same function or body, of what no tensor has: ``x.eval()``."""
    written = write.value if isinstance(write, ast.Attribute) else None
    root = root_of(written) if written is not None else None
    if written is None or root is None:
        return None
    name, scope = ast.unparse(written), project.scope(path, root)
    calls = [
        node for node in walk(scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr in tables.NETWORK_METHODS and ast.unparse(node.func.value) == name
    ]
    asked = min(calls, key=lambda call: abs(call.lineno - written.lineno), default=None)
    if asked is None:
        return None
    first, last = sorted([asked.lineno, written.lineno])
    bound = any(
        isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        and first <= node.lineno <= last and ast.unparse(node) == name for node in walk(scope))
    return None if bound else asked  # ``x.eval(); x = x(y); x.volatile = True``: these are two things


def only_switches(case: Case, body: Body) -> bool:
    """Does a method compute nothing, and does nobody in sight call it? What it freezes is used who knows where.

    On 0.3 all that was computed with a volatile parameter was volatile, and what was computed with that.
    """
    machine = case.outcome.machines.get(id(body.node))
    function = case.project.function(body.path, body.node)
    if function is None or body.qualname.endswith("__init__") or machine is None or machine.operations:
        return False
    return id(body.node) not in case.inlined and not case.callers.seen(function)


def leaf_comes_too(case: Case, body: Body, write: VolatileWrite) -> bool:
    """Does a Variable that is made in view, and has no graph, come to the same write on another path?

    Then 0.3 got past it there, and wherever something with a graph came instead it raised.
    """
    return any(there is body and other.node is write.node and other.origin == "variable" and other.required is not None
               and not other.pc.is_false and (other.pc & (other.required | write.pc)).is_false
               for there, other in case.outcome.writes)


def cut_result(case: Case, site: Site, write: VolatileWrite) -> None:
    """Nothing makes the result volatile whose flag is written: had it a graph, 0.3 raised; today it would keep it.

    ``= False`` says that it is to have none: it is detached, where no other name keeps the graph.
    """
    node = case.node_of(site)
    name = node.value if isinstance(node, ast.Attribute) else None
    alone = isinstance(name, ast.Name) and not write.held and write.origin == "call" and is_fresh(
        case.project, site.path, node, name.id)
    if is_of_network(case, site):
        return
    if not write.value.is_false or not alone or not isinstance(name, ast.Name):
        case.refuse(site, "not-a-leaf", messages.not_a_leaf())
    elif site not in case.cut:
        case.cut.add(site)
        case.strategies[site] = "detach"
        at = lines(case.project, site.path, [name.lineno], read_in=site.path)
        case.done.setdefault(site, []).append(Done("detached", at))
        case.evidence.setdefault(site, []).append(premises.not_volatile_here(at))
        trained = leaves.trained_at(case.project, site.path, node)
        edits: list[Edit] = [detach.instead(site.node, name.id, trained is not None)]
        edits += [drop.statement(case.project.span(site.path, trained.statement))] if trained is not None else []
        case.edits.append(([site], site.path, edits))


def is_helped(case: Case, write: VolatileWrite) -> bool:
    """Do functions that are called write the flag of the same parameters, too? They go on doing so."""
    return any(w.cell == write.cell and w.depth for w in case.outcome.together.get(id(write), ()))


def freeze(case: Case, site: Site, writes: list[VolatileWrite]) -> None:
    """Parameters that the flag froze do not require grad, or what they were frozen for has a block."""
    if site in case.refusals:
        return
    if case.key(site) not in case.switched and all(
            write.depth == 0 and id(write) in case.outcome.switched_off and not is_helped(case, write)
            for write in writes):
        case.switched.add(case.key(site))  # to be looked at again, with a block in mind
    followed = {node for m in case.outcome.machines.values() for node in m.asking}
    found = frozen.settle(case.project, site.path, case.node_of(site), writes, followed,
                          case.key(site) in case.switched)
    if isinstance(found, Refusal):
        case.refuse(site, found.reason, found.message)
        return
    case.evidence.setdefault(site, []).extend(found.evidence)
    case.done.setdefault(site, []).extend(found.done)
    if found.enabled is not None:
        case.strategies[site] = "requires_grad_"
        edit = requires_grad.instead(site.node, found.tensor, found.enabled)
    else:
        edit = drop.statement(case.project.span(site.path, frozen.all_of(case.project, site.path, found.statement)))
    case.edits.append(([site], site.path, [edit]))


def train_leaf(case: Case, site: Site) -> Iterator[Edit]:
    """A cure that goes with ``x.requires_grad = True`` is ``x.requires_grad_()``."""
    found = leaves.trained_at(case.project, site.path, case.node_of(site))
    if found is not None:
        where = place(case.project, site.path, found.statement)
        case.strategies[site] = "requires_grad_"
        case.done.setdefault(site, []).insert(0, Done("frozen", where, ""))
        case.evidence.setdefault(site, []).append(premises.leaf(where))
        span = case.project.span(site.path, found.statement)
        yield requires_grad.instead(span, found.tensor, "True")
