"""Running one root: a function with unknown arguments, a lambda, or a module body, under the planned blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from voltfix import deadline
from voltfix.domains.conditions import Formula, Outgrown, OutOfBudget, no_more
from voltfix.domains.precision import EXACT, LADDER
from voltfix.flags.ofdata import written_to_data
from voltfix.flags.sites import of_no_tensor
from voltfix.machine.absent import takes_none
from voltfix.machine.applied import is_operation
from voltfix.machine.calls import is_abstract
from voltfix.machine.elsewhere import POOLS, Own
from voltfix.machine.execute import Block, Interpreter
from voltfix.machine.facts import CALLER, CallKey, Left
from voltfix.machine.outline import Outlines
from voltfix.machine.parameters import WEIGHTS, freezes
from voltfix.machine.state import STEPS
from voltfix.machine.values import (
    Abstract,
    ClassValue,
    Const,
    Frame,
    Function,
    Partial,
    Ref,
    SiteKey,
    Value,
    choose,
    single,
)
from voltfix.model import Look
from voltfix.program.asking import Asking
from voltfix.program.autograd import called_by_autograd
from voltfix.program.beginning import Beginning
from voltfix.program.below import Below
from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.program.computing import Computing
from voltfix.program.counted import Counted
from voltfix.program.criteria import Called, Criteria, Filled
from voltfix.program.cutting import Cutting
from voltfix.program.foundon import KnownMethods, first_with
from voltfix.program.giving import Giving
from voltfix.program.hooks import forward_hooks, may_keep_what_passes, registers_hooks, weight_hook
from voltfix.program.imports import Index
from voltfix.program.insight import InSight
from voltfix.program.itemed import computes_items, computes_with_keys, of_dictionaries
from voltfix.program.judging import Judging
from voltfix.program.keeping import Keeping
from voltfix.program.lasting import Lasting
from voltfix.program.layered import Layered
from voltfix.program.leaving import Leaving
from voltfix.program.living import bound_in_rounds
from voltfix.program.making import Making
from voltfix.program.ofclass import objects_handed
from voltfix.program.put import are_of_others
from voltfix.program.rebound import rebound_in
from voltfix.program.resolve import Project
from voltfix.program.training import Training
from voltfix.program.walking import decorators_of, of_node, walk
from voltfix.program.wording import Wording
from voltfix.records import dataclass
from voltfix.solver.memo import Run, Runs, View, given_up, remembering
from voltfix.solver.regions import Layout
from voltfix.torchmodel.tables import LISTING

Root = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


@dataclass(frozen=True, eq=False)
class Body:
    """A root with its place."""

    path: str
    node: Root
    qualname: str


Known = Callable[[int], Run | None]  # by the node id of a function


class TooLarge(Exception):  # noqa: N818 - the project is looked at in parts instead
    """More was spent on all of a project than is to be before its programs are looked at one by one."""


class GivenUpBefore(Exception):  # noqa: N818 - as its neighbours, it is no fault
    """What is around a root is known to be too complex, from an attempt at another root in it."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


@dataclass
class Planned:
    """What is planned for one root, as the machine carries it out."""

    blocks: dict[int, Block] = field(default_factory=dict)
    wrapped: set[int] = field(default_factory=set)
    whole: bool = False
    texts: dict[int, str] = field(default_factory=dict)  # id of a block's first statement -> header
    layout: Layout = field(default_factory=Layout)


class Plans:
    """What is planned for all roots together, as the machine asks for it."""

    def __init__(self) -> None:
        self.by_root: dict[int, Planned] = {}
        self.blocks: dict[int, Block] = {}
        self.wrapped: dict[int, int] = {}  # by how many roots
        self.decorated: dict[int, bool] = {}

    def put(self, root: int, planned: Planned) -> None:
        """Plan something else for a root."""
        before = self.by_root.get(root, Planned())
        for key in before.blocks:
            self.blocks.pop(key, None)
        for key in before.wrapped:
            self.wrapped[key] -= 1
            if not self.wrapped[key]:
                del self.wrapped[key]
        self.by_root[root] = planned
        self.blocks.update(planned.blocks)
        for key in planned.wrapped:
            self.wrapped[key] = self.wrapped.get(key, 0) + 1
        self.decorated.pop(root, None)
        if planned.whole:
            self.decorated[root] = True

    def drop(self, root: int) -> None:
        """Plan nothing for what is no root any more."""
        self.put(root, Planned())
        del self.by_root[root]

    def clear(self) -> None:
        """Plan nothing."""
        for part in (self.by_root, self.blocks, self.wrapped, self.decorated):
            part.clear()

    def seen_by(self, root: int, own: bool) -> dict[str, View[Any, Any]]:
        """The plans as attributes of a machine that runs ``root``, with what is planned for it or without."""
        mine = self.by_root.get(root) if not own else None
        if mine is None:
            hidden: tuple[Container[int], ...] = ((), (), ())
        else:
            hidden = mine.blocks, {key for key in mine.wrapped if self.wrapped[key] == 1}, (root,)
        return {"blocks": View(self.blocks, hidden[0]), "wrapped": View(self.wrapped, hidden[1]),
                "decorated": View(self.decorated, hidden[2])}


class Tables:
    """What is the same for all interpretations of a project."""

    def __init__(self, project: Project) -> None:
        self.trees = {path: tree for path in project.paths if (tree := project.tree(path)) is not None}
        self.index = Index(project.paths)
        tables = {path: table for path in project.paths if (table := project.table(path)) is not None}
        self.outlines = Outlines(self.trees, tables, self.index)
        self.foreign = frozenset(p for p in project.paths if project.speaks_of_other_libraries(p))
        self.overridden = overridden_methods(project)
        self.beyond = found_beyond(project)
        self.beginning = Beginning(project)
        self.own_methods = own_methods(project)
        self.namesakes = namesakes(project)
        self.rebound = project.computed(rebound_in)
        self.computes_items = computes_items(project, self.rebound)
        self.computes_keys = computes_with_keys(project, self.rebound)
        self.entry_names = of_dictionaries(project, self.rebound)
        self.training = Training(project, self.rebound, self.index)
        self.hook = weight_hook(project) or next(  # one that computes with weights, or trains
            (hook for hook in forward_hooks(project) if self.training.trains(*hook)), None)
        self.watched = may_keep_what_passes(project)
        self.hooks_ask = registers_hooks(project)
        self.keeping = project.computed(Keeping)
        self.computing = Computing(project, self.rebound)
        self.making = project.computed(Making)
        self.judging = project.computed(Judging)
        self.cutting = project.computed(Cutting)
        self.giving = project.computed(Giving)
        self.asking = project.computed(Asking)
        self.leaving = project.computed(Leaving)
        self.below = project.computed(Below)
        self.freezes = freezes(project)
        self.settings = of_no_tensor(project)
        self.on_data = written_to_data(project, self.rebound)
        self.takes_none = takes_none(project)
        self.layered = project.computed(Layered)
        self.of_class = project.computed(objects_handed)
        self.in_sight = InSight(project, self.rebound)
        self.counted = Counted(project, self.rebound, self.of_class)
        self.wording = Wording(project, self.rebound)
        self.criteria = Criteria(project, self.rebound)
        self.lasting = Lasting(project, self.rebound, self.in_sight)
        self.listing = are_of_others(project, LISTING)
        self.known_methods = KnownMethods(project, self.rebound)

    def begins_without(self, owner: ClassValue, name: str) -> bool:
        """Has an object nothing under a name, unless its class has it, when its ``__init__`` begins?"""
        return self.beginning.is_new(owner.node, name) and not self.rebound.is_patched(name)


WORTH_KEEPING = 1_000  # evaluations of an ``__init__``
MOST_KINDS = 4  # modules, of which an attribute is one


class Setting:
    """What all interpretations of one solve share."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.tables = project.computed(Tables)
        self.plans = Plans()
        self.spent = 0
        self.most: int | None = None  # to be spent before TooLarge
        # of precision, by root: where a closer look took too long, in any pass of this solve
        self.levels = project.computed(Runs).levels
        self.grown: dict[int, str] = {}  # what grew there
        self.grew = ""  # in the last attempt that was too complex
        self.cut_short = False  # was that for a function that it entered?
        self.got_to = 0  # the function around the root that it did not get out of, by node id
        self.as_before: Run | None = None  # what gave that function up already, so that it was not run again
        self.heavy: int | None = None  # the function that took most of it, where one took a great share
        self.looks: dict[int, tuple[int, str]] = {}  # the same of the last run, whoever made it
        # by root, where closer looks at itself were too complex: at what level they were not, or the last
        self.outgrew: dict[int, int] = {}
        self.looked: dict[tuple[str, str], Look] = {}  # by path and name: less closely, in the run before this one
        self.refused: dict[SiteKey, bool] = {}
        self.harmless: dict[CallKey, bool] = {}
        self.trusted: dict[CallKey, bool] = {}
        self.switched: dict[SiteKey, bool] = {}  # flags of parameters that are off again when their function ends
        self.parted: dict[tuple[int, int], tuple[str, str]] = {}  # calls that stand for themselves (see ``parting``)
        self.unset: dict[SiteKey, bool] = {}  # flags that are off by default, and that no call sets
        # attributes that are numbers or words, by class node id, where an ``__init__`` settles nothing else and took
        # long: whatever else comes to be known, they are that, so that every machine takes them from the first
        self.made_alike: dict[int, tuple[str, ...]] = {}
        self.switches: dict[int, bool] = {}  # statements of whose constant nothing is known, by node id
        self.relevant: dict[int, bool] = {}
        self.followed: dict[str, bool] = {}  # methods whose callers are roots for what they leave on self, by name
        self.state: dict[str, dict[str, Left]] = {}  # what methods leave on self, by class
        self.private: dict[int, bool] = {}  # functions that nobody calls but roots
        self.lasting: dict[str, dict[str, Left]] = {}  # of that, what nothing else binds
        self.asked: set[int] = set()  # functions that callers ask for a block, having no place for one
        self.closed: frozenset[int] = frozenset()  # methods all of whose calls are known and interpreted in place
        self.methods: dict[str, list[tuple[str, ast.FunctionDef]]] = {}  # those that give volatile values, by name
        self.by_name: dict[str, tuple[tuple[str, ast.FunctionDef], ...]] = {}  # the same, as machines may keep them

    @property
    def planned(self) -> dict[int, Planned]:
        """What is planned, by root."""
        return self.plans.by_root

    def add_method(self, path: str, node: ast.FunctionDef) -> None:
        """Note a method that gives volatile values."""
        same = self.methods.setdefault(node.name, [])
        if all(known is not node for _, known in same):
            same.append((path, node))
            self.by_name[node.name] = tuple(same)

    def interpret(self, body: Body, own: bool) -> Interpreter | None:
        """Run ``body``; ``own``: under its own blocks too, not only those of what it calls. None: too complex."""
        runs, root, inputs = self.project.computed(Runs), id(body.node), self.inputs(body, own)
        run = runs.known(root, inputs)
        if run is None:
            before = self.looked.get((body.path, body.qualname))
            if before is not None:
                self.levels.setdefault(root, level_of(before))
            level = self.level(root)
            if before is not None and not before.followed:
                run = Run(None, {}, 0, 0, level, before.grown)
            else:
                run = runs.left(root, inputs, level) or self.run(body, inputs, level)
            self.spent += run.cost
            self.made_alike |= run.machine.found_alike if run.machine is not None else {}
            self.levels[root] = self.LAST if run.machine is None else LADDER.index(run.machine.precision)
            if run.after or run.machine is None:
                self.outgrew[root] = self.levels[root]
            if run.grown:
                self.grown.setdefault(root, run.grown)
            runs.add(root, run)
            if self.most is not None and self.spent > self.most:
                raise TooLarge
        self.looks[root] = self.LAST if run.machine is None else LADDER.index(run.machine.precision), run.grown
        found: Interpreter | None = run.machine
        return found

    def level(self, root: int) -> int:
        """How closely a root is to be looked at."""
        return self.LAST if self.exhausted else self.levels.get(root, self.CLOSEST)

    def coarser(self, body: Body, grown: str) -> bool:
        """Look at ``body`` less closely from now on; False where that is as far as it goes."""
        self.grown.setdefault(id(body.node), grown)
        level = self.levels.get(id(body.node), self.CLOSEST) + 1
        if level >= len(LADDER):
            return False
        self.levels[id(body.node)] = level
        self.project.computed(Runs).drop(id(body.node))
        return True

    def if_volatile(self, body: Body, site: SiteKey) -> Interpreter | None:
        """Run ``body`` as if what is made at ``site`` were volatile, whatever its flag says."""
        found: Interpreter | None = None
        for level in range(self.level(id(body.node)), len(LADDER)):
            run = remembering(self.inputs(body, own=False), partial(self.attempt, body, level=level,
                                                                    flagged=frozenset({site})))
            self.spent += run.cost
            found = run.machine
            if found is not None:
                break
        return found

    def if_all_volatile(self, body: Body) -> Interpreter | None:
        """Run ``body`` as if everything that it is given were volatile, and grad mode off."""
        run = remembering(self.inputs(body, own=False), partial(
            self.attempt, body, level=self.level(id(body.node)), inside=True))
        self.spent += run.cost
        found: Interpreter | None = run.machine
        return found

    def inputs(self, body: Body, own: bool) -> dict[str, View[Any, Any]]:
        """What a machine that runs ``body`` is told of the rest of the project."""
        root = id(body.node)
        return {
            "relevant": View(self.relevant),
            "followed": View(self.followed),
            "private": View(self.private),
            "state": View(self.left_for(root)),
            "refused": View(self.refused),
            "parted": View(self.parted),
            "switched": View(self.switched),
            "unset": View(self.unset),
            "switches": View(self.switches),
            "harmless_calls": View(self.harmless),
            "trusted": View(self.trusted),
            "by_name": View(self.by_name),
            **self.plans.seen_by(root, own),
        }

    def left_for(self, root: int) -> dict[str, dict[str, Left]]:
        """What a method finds on self. Of one that is looked at wherever it is called, its callers say that.

        Where they ask it for a block, it finds there what an object has from its making on, whoever calls.
        """
        if root not in self.closed:
            return self.state
        return self.lasting if root in self.asked else {}

    CLOSEST, LAST = 0, len(LADDER) - 1  # the levels of precision to begin and to end with
    LEFT_OUT = 3  # functions that are not entered, each for taking more than its share
    SHARE = 0.3
    SPEND = 900_000  # evaluations of all runs of a project together; nodes of diagrams count a tenth
    SPEND_EACH = 2_000  # and as many more for each root

    @property
    def exhausted(self) -> bool:
        """Is the budget spent? Whatever is run from then on is looked at as little as possible."""
        return self.spent > self.SPEND + self.SPEND_EACH * len(self.relevant)

    def run(self, body: Body, inputs: Mapping[str, View[Any, Any]], begun: int) -> Run:
        """Run ``body`` on a new machine that is told ``inputs``.

        Where that takes too long it is run again, and looked at less closely; not where it is known to.
        """
        root, runs = id(body.node), self.project.computed(Runs)
        tight = len(LADDER) if self.exhausted else 0  # what is too complex for a tenth may not be for the whole
        after: list[Run] = []
        level, cost = begun, 0
        left_out: frozenset[int] = frozenset()
        while True:
            run = runs.failed(root, inputs, {level, level - tight}, self.LAST, left_out)
            if run is None:
                # the machine may ask these by `in`, `[]`, `get` and `items` alone: that is what is remembered
                known = partial(runs.failed_around, setting=inputs, level=level - tight, left_out=left_out)
                run = remembering(inputs, partial(self.attempt, body, level=level, left_out=left_out, known=known))
                if self.as_before is not None:
                    run = self.as_before._replace()  # one of its own: it is paid for as if it had been made again
                    runs.add_failed(root, run)
                elif run.machine is None:
                    run = run._replace(level=level - tight, grown=self.grew, left_out=left_out, heavy=self.heavy)
                    if not self.cut_short:  # what it entered may do, where other things are known
                        runs.add_failed(root, run, self.got_to)
            if run.machine is not None or runs.is_to_pay(run):
                cost += run.cost
            if run.grown:
                self.grown.setdefault(root, run.grown)
            after.append(run)
            if run.machine is not None or level == self.LAST:
                break
            if run.heavy is not None and level == begun and not tight and len(left_out) < self.LEFT_OUT:
                left_out |= {run.heavy}  # what it calls takes the budget: the rest is looked at as closely as before
                continue
            # with fewer conditions a run takes as many steps as before: only what is not entered saves any
            level = self.LAST if run.grown == STEPS else level + 1
        return after[-1]._replace(level=begun, grown=self.grown.get(root, ""), cost=cost, after=tuple(after[:-1]))

    def attempt(self, body: Body, setting: Mapping[str, Any], level: int,
                flagged: frozenset[SiteKey] = frozenset(),
                left_out: frozenset[int] = frozenset(), inside: bool = False,
                known: Known | None = None) -> tuple[Interpreter | None, int]:
        """Run ``body`` with one precision, and say what that cost; ``setting`` are attributes of the machine.

        ``left_out``: functions that are not entered, by node id. ``inside``: it is called in a block, with nothing but
        what is volatile. ``known``: what gave up a function around it already.
        """
        deadline.check(self.project.until)
        machine = Interpreter(self.tables.trees, self.tables.index, self.tables.outlines, LADDER[level])
        machine.foreign = self.tables.foreign
        machine.overridden = self.tables.overridden
        machine.beyond = self.tables.beyond
        machine.begins_without = self.tables.begins_without
        machine.own_methods = self.tables.own_methods
        machine.namesakes = self.tables.namesakes
        machine.computes_items = self.tables.computes_items
        machine.computes_keys = self.tables.computes_keys
        machine.entry_names = self.tables.entry_names
        machine.rebound = self.tables.rebound
        machine.hooked = self.tables.hook is not None
        machine.watched = self.tables.watched
        machine.hooks_ask = self.tables.hooks_ask
        machine.training = self.tables.training
        machine.keeping = self.tables.keeping
        machine.computing = self.tables.computing
        machine.making = self.tables.making
        machine.judging = self.tables.judging
        machine.cutting = self.tables.cutting
        machine.giving = self.tables.giving
        machine.asked_by = self.tables.asking
        machine.leaving = self.tables.leaving
        machine.below = self.tables.below
        machine.freezes = self.tables.freezes
        machine.settings = self.tables.settings
        machine.on_data = self.tables.on_data
        machine.none_counts = self.tables.takes_none
        machine.layered = self.tables.layered
        machine.counted = self.tables.counted
        machine.wording = self.tables.wording
        machine.criteria = self.tables.criteria
        machine.lasting = self.tables.lasting
        machine.listing = self.tables.listing
        machine.known_methods = self.tables.known_methods
        machine.of_class = self.tables.of_class
        machine.until = self.project.until
        machine.grown = self.grown.get(id(body.node), "")
        if self.exhausted:
            machine.BUDGET, machine.algebra.limit = machine.BUDGET // 10, machine.NODES // 10
        machine.flagged = flagged
        machine.made_alike = self.made_alike  # which no run adds to before it is over
        machine.outgrown = {n for n, at in self.outgrew.items() if at > level} if level < self.LAST else set()
        machine.outgrown.discard(id(body.node))
        machine.left_out = left_out
        machine.inside = inside
        self.cut_short, self.got_to, self.as_before = False, 0, None
        for name, value in setting.items():
            setattr(machine, name, value)
        done: Interpreter | None = machine
        try:
            run_root(machine, body, self.project, known)
            machine.note_switched()
            machine.note_captured()
            machine.note_filled()
            machine.note_taken_back()
            machine.facts = machine.liveness.settle(machine.facts, machine.algebra.true)
        except GivenUpBefore as error:
            self.as_before = error.run
            given_up(machine)
            done = None
        except (OutOfBudget, RecursionError) as error:
            self.got_to = machine.around
            self.grew = str(error) if isinstance(error, OutOfBudget) else "nested too deep"
            self.cut_short = isinstance(error, Outgrown)
            self.grown.setdefault(id(body.node), self.grew)
            self.heavy = None if isinstance(error, (RecursionError, Outgrown)) else self.heaviest(machine)
            given_up(machine)
            done = None
        machine.algebra.limit = machine.algebra.size + machine.NODES  # for whoever looks at it afterwards
        machine.algebra.more = no_more
        return done, machine.steps + machine.algebra.size // 10


    def heaviest(self, machine: Interpreter) -> int | None:
        """The function that took a great share of what ran out: of several the smallest, which is in the others."""
        of_steps = self.grew == STEPS
        whole = machine.steps if of_steps else machine.algebra.size
        took = {node: took.steps if of_steps else took.nodes for node, took in machine.took.items()}
        large = {node: share for node, share in took.items() if share >= self.SHARE * whole}
        return min(large, key=large.__getitem__) if large else None


def level_of(look: Look) -> int:
    """The level of precision at which a function was looked at in an earlier run."""
    return next(level for level, precision in enumerate(LADDER) if precision.given_up == look.given_up)


def overridden_methods(project: Project) -> dict[int, set[str]]:
    """By class node id, the methods that are others for an object of a class of the project below it."""
    out: dict[int, set[str]] = {}
    for cls in project.classes():
        order = [other for other in project.mro(cls) if isinstance(other, ProjectClass)]
        above = order[1:]
        if above:
            methods = {name for other in above for name in methods_of(other)}
            names = methods_of(cls) | (methods & project.names_in(cls.path, cls.node))  # an attribute does it, too
            for other in above:
                more = found_before(project, order, other, methods) if len(cls.node.bases) > 1 else set()
                out.setdefault(id(other.node), set()).update((names | more) - {"__init__"})
    return out


def found_before(project: Project, order: Sequence[ProjectClass], cls: ProjectClass, names: Iterable[str]) -> set[str]:
    """The names that an order finds in another class than ``cls`` itself does: a sibling comes between."""
    own = [other for other in project.mro(cls) if isinstance(other, ProjectClass)]
    return {name for name in names if first_with(project, order, name) != first_with(project, own, name)}


def found_beyond(project: Project) -> dict[int, frozenset[str]]:
    """By class node id, the members that ``super()`` in it finds in other classes where the object is of one below."""
    out: dict[int, set[str]] = {}
    for below in project.classes():
        order = [cls for cls in project.mro(below) if isinstance(cls, ProjectClass)]
        for at, cls in enumerate(order[1:], 1):
            own = [above for above in project.mro(cls)[1:] if isinstance(above, ProjectClass)]
            here = order[at + 1 :]
            if own != here:
                names = {name for each in (*own, *here) for name in project.names_in(each.path, each.node)}
                out.setdefault(id(cls.node), set()).update(
                    name for name in names if first_with(project, own, name) != first_with(project, here, name))
    return {node: frozenset(names) for node, names in out.items() if names}


def methods_of(cls: ProjectClass) -> set[str]:
    """The names of the functions in the body of a class."""
    return {s.name for s in cls.node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}


def own_methods(project: Project) -> dict[str, list[Own]]:
    """The methods that classes of the project define which derive from nothing of torch's, by name.

    Whatever else the body of one of these classes binds under such a name stands among them as None.
    """
    of_others = [cls for cls in project.classes() if not any(
        isinstance(above, External) and above.name.startswith("torch") for above in project.mro(cls))]
    found: dict[str, list[Own]] = {}
    for cls in of_others:
        for each in cls.node.body:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("__"):
                found.setdefault(each.name, []).append((cls, each))
    for cls in of_others:
        table = project.table(cls.path)
        for name, made in table.scopes[cls.node].definitions.items() if table is not None else ():
            if name in found and not all(each.node in cls.node.body and each.kind == "function" for each in made):
                found[name].append((cls, None))
    for cls in of_others:
        if any(isinstance(each, ast.FunctionDef) and each.name in _FINDS_ANY and makes_what_it_gives(each)
               for each in cls.node.body):
            for methods in found.values():
                methods.append((cls, None))
    return found


_FINDS_ANY = frozenset({"__getattr__", "__getattribute__"})


def makes_what_it_gives(function: ast.FunctionDef) -> bool:
    """May a method give something of its own making (``lambda: getattr(self.inner, name)(self.round)``), and not only
    what something has by a name, or what is held under a key?"""
    held = (ast.Subscript, ast.Attribute, ast.Constant)
    return any(isinstance(each, ast.Return) and each.value is not None and not isinstance(each.value, held) and not (
        isinstance(each.value, ast.Call) and isinstance(each.value.func, ast.Name) and each.value.func.id == "getattr")
        for each in walk(function))


def namesakes(project: Project) -> dict[str, list[ast.FunctionDef]]:
    """The methods of the project's classes by name, but for those that are only there to be overridden."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for cls in project.classes():
        for statement in cls.node.body:
            if isinstance(statement, ast.FunctionDef) and not is_abstract(statement):
                found.setdefault(statement.name, []).append(statement)
    return found


def run_root(machine: Interpreter, body: Body, project: Project, known: Known | None = None) -> None:
    """Interpret one root on a new machine; ``known``: what gave up a function around it already."""
    machine.made_by_init = lambda owner: made_by_init(machine, owner)
    machine.received = lambda ref, owner: left_on(machine, ref, owner)
    if isinstance(body.node, ast.Module):
        frame = Frame(body.path, body.node)
        machine.of_module = frame
        machine.modules[body.path] = frame
        machine.run(body.node.body, frame)
        machine.liveness.mark(machine.algebra.true, frame.env.values())
        store_unseen(machine, body, frame)
        return
    function = definition(machine, body, project, known)
    clear(machine)
    if function is None:
        return
    frame = Frame(
        body.path, body.node, {}, function.frame.globals or function.frame, function.frame, owner=function.owner
    )
    machine._alive.append(frame)
    machine._activations[id(frame)] = (id(body.node),)
    machine.own_name = None
    if called_by_autograd(project, body.path, body.node):
        machine.off_existing = machine.off_by_torch = machine.algebra.true
    if machine.inside:
        machine.off_planned = machine.algebra.true
    bind_unknown(machine, function, frame, machine.algebra.true if machine.inside else None)
    value = machine.run_body(function, frame)
    if isinstance(body.node, ast.Lambda):
        machine.store(CALLER, body.node, frame, value)
    for _, item in frame.yields:
        machine.store(CALLER, body.node, frame, item)


def definition(machine: Interpreter, body: Body, project: Project, known: Known | None = None) -> Function | None:
    """The function value of a root: made by running what stands around it."""
    found = machine.function_at(body.path, body.node)
    if found is not None:
        return found
    around = [
        n for n in project.parents(body.path, body.node) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    for outer, inner in pairwise([*reversed(around), body.node]):
        if id(outer) in machine.outgrown:
            raise Outgrown("too many paths")
        function = machine.function_at(body.path, outer)
        if function is None:
            break
        before = known(id(outer)) if known is not None else None
        if before is not None:
            raise GivenUpBefore(before)
        frame = Frame(body.path, outer, {}, function.frame.globals or function.frame, function.frame, (outer,),
                      owner=function.owner)
        machine._alive.append(frame)
        bind_unknown(machine, function, frame)
        machine.pc = machine.algebra.true
        machine.around, machine.inner, frame.rounds = id(outer), (frame, inner), bound_in_rounds(outer, inner)
        machine.run_body(function, frame)
        machine.around, machine.inner = 0, None
        machine.open_names(frame, project.names_in(body.path, outer, several=True))
        machine.when_called(frame, inner)
    if machine.functions_seen.get(id(body.node)) is None and not around:
        machine.modules.pop(body.path, None)
        frame = Frame(body.path, machine.trees[body.path], chain=(machine.trees[body.path],))
        machine.modules[body.path] = frame
        machine.run(machine.trees[body.path].body, frame)
    return machine.functions_seen.get(id(body.node))


def store_unseen(machine: Interpreter, body: Body, frame: Frame) -> None:
    """Note the names of a module that hold something volatile where a root that asks for them does not see it.

    It looks at what names are bound to, and runs no loop, and no block: what those bind is known here alone.
    """
    unread = machine.outlines.of(body.path).unread
    held = [name for name, value in frame.env.items()
            if name not in unread and not machine.volatility(value).is_false]
    if not held:
        return
    known = machine.noted()
    visited, machine.visited = machine.visited, set()
    del machine.modules[body.path]
    seen = {name: machine.module_frame(body.path).env.get(name) for name in held}
    machine.modules[body.path] = frame
    machine.visited = visited
    machine.forget_since(known)
    for name, value in seen.items():
        if value is None or machine.volatility(value).is_false:
            machine.store("a global", body.node, frame, frame.env[name], name=name)


def clear(machine: Interpreter) -> None:
    """Forget what running the surroundings recorded."""
    machine.pc = machine.algebra.true
    machine.off_planned = machine.off_existing = machine.algebra.false
    machine.forget_since((0,) * len(machine.noted()))
    machine.visited.clear()
    machine.raised = machine.algebra.false
    machine.operations = 0


def bind_unknown(machine: Interpreter, function: Function, frame: Frame, vol: Formula | None = None) -> None:
    """Bind every parameter to something unknown: maybe with a graph, not volatile (whose caller has the block).

    ``vol``: where it is taken to be volatile, all the same.
    """
    arguments = function.node.args
    names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    decorators = decorators_of(function.node)
    is_method = function.owner is not None and "staticmethod" not in decorators
    defaults = dict(function.defaults)
    for index, argument in enumerate(names):
        name = argument.arg
        if index == 0 and is_method and function.owner is not None:
            begins = isinstance(function.node, ast.FunctionDef) and function.node.name == "__init__"
            frame.env[name] = frame.receiver = receiver_of(
                machine, function.owner, "classmethod" in decorators, name, begins)
            machine.own_name = (name, frame.env[name])
        else:
            handed = machine.criteria.of(function.path, function.node, name) if machine.criteria is not None else ()
            frame.env[name] = criterion(machine, handed) or parameter(machine, name, defaults.get(name), vol)
            note_parameter(machine, frame, name, defaults.get(name))
    if arguments.vararg is not None:
        rest = machine.unknown(vol=vol)
        frame.env[arguments.vararg.arg] = machine.new("list", items=((machine.unknown_truth(), rest),))
    if arguments.kwarg is not None:
        frame.env[arguments.kwarg.arg] = machine.unknown(arguments.kwarg.arg)
    machine.know_parameters(function.node, frame)


def note_parameter(machine: Interpreter, frame: Frame, name: str, default: Value | None) -> None:
    """Remember where a parameter of the root is true, and whether its default is."""
    if frame.is_root:
        value = default[0][1].value if default is not None and len(default) == 1 and isinstance(
            default[0][1], Const) else None
        known = None if default is None or not isinstance(default[0][1], Const) else bool(value)
        machine.own_parameters[name] = machine.truth_of(frame.env[name])[0], known


def criterion(machine: Interpreter, handed: Sequence[Called]) -> Value | None:
    """A parameter for which every caller hands over one of these losses, or of these functions."""
    found: Value | None = None
    for each in handed:
        value = called(machine, each)
        if value is None:
            return None
        found = value if found is None else choose(machine.unknown_truth(), value, found)
    return found


def called(machine: Interpreter, handed: Called) -> Value | None:
    """A loss that was made, or a function, or what ``partial`` makes of one; None if that was not seen."""
    if isinstance(handed, Filled):
        inner, made = called(machine, handed.of), handed.made
        args = tuple(filled(machine, given) for given in made.args[1:])
        kwargs = tuple((each.arg, filled(machine, each.value, each.arg)) for each in made.keywords if each.arg)
        key = handed.path, made.lineno, made.col_offset
        return single(Partial(inner, args, kwargs, key, id(made)), machine.algebra) if inner is not None else None
    if isinstance(handed, ProjectFunction):
        function = machine.function_at(handed.path, handed.node)
        return single(function, machine.algebra) if function is not None else None
    if isinstance(handed, ProjectClass):
        owner = machine.class_named(handed)
        return receiver_of(machine, owner, False, "") if owner is not None else None
    last = handed.rpartition(".")[2]
    return machine.new("module", text=last) if last[0].isupper() else machine.extern(handed)


def filled(machine: Interpreter, given: ast.expr, name: str = "") -> Value:
    """What somebody else gave, as it stands there: what is written out, or something that may have a graph."""
    if isinstance(given, ast.Constant):
        return machine.const(given.value)
    return machine.unknown(name, origin="param")


def parameter(machine: Interpreter, name: str, default: Value | None, vol: Formula | None = None) -> Value:
    """A parameter of unknown value; one with a bool for default is taken to be a bool."""
    if default is not None and len(default) == 1 and isinstance(default[0][1], Const) and isinstance(
            default[0][1].value, bool):
        return machine.truth(machine.algebra.atom(machine.algebra.fresh()))
    if default is not None and len(default) == 1 and isinstance(default[0][1], Const) and isinstance(
        default[0][1].value, (int, float, str)
    ):
        return machine.data(name)
    given = machine.unknown(name, vol=vol, origin="param")
    if default is not None and not machine.volatility(default).is_false:
        return choose(machine.unknown_truth(), default, given)  # who leaves it off has what is volatile
    return given


def receiver_of(machine: Interpreter, owner: ClassValue, is_class: bool, name: str, begins: bool = False) -> Value:
    """``self`` (an instance of which nothing is known but its class), or ``cls``; ``begins``: of an ``__init__``."""
    if is_class:
        return single(owner, machine.algebra)
    value = machine.new("object", owner=owner, text=name)
    ref = value[0][1]
    if isinstance(ref, Ref):
        left_on(machine, ref, owner, begins)
    return value


def left_on(machine: Interpreter, ref: Ref, owner: ClassValue, begins: bool = False) -> None:
    """What an object of a class holds when nobody has seen what was done with it: of ``__init__``, of other methods."""
    settled = made_by_init(machine, owner)
    settled += tuple(losses_of(machine, owner, {n for n, _ in settled}))
    others = left_by_others(machine, owner, {n for n, _ in settled})
    attrs = (*settled, *(each for each in others if not (begins and machine.begins_without(owner, each[0]))))
    machine.heap[ref.cell] = replace(machine.heap[ref.cell], attrs=attrs)
    for key, (always, sites, _) in machine.state.get(owner.node.name, {}).items():
        if key.endswith(WEIGHTS):
            machine.find_left(ref, key, left_volatile(machine, always), sites)


def losses_of(machine: Interpreter, owner: ClassValue, known: set[str]) -> Iterator[tuple[str, Value]]:
    """The attributes that are losses, whichever method binds them: who reads one before gets no further."""
    for name, handed in machine.criteria.kept(owner.node).items() if machine.criteria is not None else ():
        found = criterion(machine, handed) if name not in known else None
        if found is not None:
            yield name, found


def left_volatile(machine: Interpreter, always: bool) -> Formula:
    """Where what other methods leave is volatile."""
    if always:
        return machine.algebra.true
    atom = machine.unknown_truth()
    machine.state_atoms.update(atom.support())
    return atom


def left_by_others(machine: Interpreter, owner: ClassValue, known: set[str]) -> list[tuple[str, Value]]:
    """The attributes that other methods leave volatile, always or under conditions that are theirs."""
    out = []
    for name, (always, sites, idle) in machine.state.get(owner.node.name, {}).items():
        if name in known or name.endswith(WEIGHTS):
            continue
        vol = left_volatile(machine, always)
        value = machine.new("unknown", vol=vol, req=~vol, sites=sites, text=f"self.{name}", origin="state",
                            idle=idle)
        out.append((name, value))
    return out


def made_by_init(machine: Interpreter, owner: ClassValue) -> tuple[tuple[str, Value], ...]:
    """The attributes that only ``__init__`` assigns and whose kind it settles: modules and losses, numbers, strings.

    Those of the classes above are there, too, where no class but that one assigns them: whoever reads one that no
    ``__init__`` has set gets no further.
    """
    if owner in machine.settled:
        return machine.settled[owner]
    machine.settled[owner] = ()  # what is made in there sees nothing of this
    machine.settling += 1
    found = list(made_by_own_init(machine, owner))
    machine.settling -= 1
    above = [cls for cls in owner.order[1:] if isinstance(cls, ClassValue)]
    for cls in above:
        others = [each for each in (owner, *above) if each is not cls]
        found += [(name, value) for name, value in made_by_init(machine, cls) if not any(
            name in assignments(each.node) or name in each.members for each in others)]
    machine.settled[owner] = tuple(found)
    return machine.settled[owner]


def made_by_own_init(machine: Interpreter, owner: ClassValue) -> tuple[tuple[str, Value], ...]:
    """Those of a class of its own."""
    init = owner.members.get("__init__")
    if init is None or len(init) != 1 or not isinstance(init[0][1], Function):
        return ()
    function = init[0][1]
    numbers = machine.made_alike.get(id(owner.node)) if not machine.flagged and not machine.inside else None
    if numbers is not None:
        return tuple((name, machine.data(f"self.{name}")) for name in numbers)
    known, begun = machine.noted(), machine.steps
    maker = machine.new("object", owner=owner, text="self")
    frame = Frame(
        owner.path,
        function.node,
        {},
        function.frame.globals or function.frame,
        function.frame,
        (function.node,),
        owner=owner,
        receiver=maker,
    )
    bind_unknown(machine, function, frame)
    first = [*function.node.args.posonlyargs, *function.node.args.args][:1]
    if first:
        frame.env[first[0].arg] = maker
    saved, machine.pc = (machine.pc, machine.visited, machine.raised, machine.operations), machine.algebra.true
    machine.visited = set()
    machine.run_body(function, frame)
    machine.pc, machine.visited, machine.raised, machine.operations = saved
    machine.forget_since(known)
    cell = machine.heap[maker[0][1].cell] if isinstance(maker[0][1], Ref) else None
    once = assigned_once(owner.node)
    settled = []
    for name, value in cell.attrs if cell is not None else ():
        kind = kind_of(machine, value) if name in once or (
            machine.is_list_of_layers(value) and name in bound_once(owner.node, function.node)) else ""
        if kind:
            made = one_of(machine, [thing for _, thing in value if thing != Const(None)])
            for _, thing in made:
                if isinstance(thing, Ref) and (
                        name in machine.rebound.patched or not machine.layered.stays(name, function.node)):
                    machine.forget_layers(thing)
            settled.append((name, made if kind == "module" else machine.data(f"self.{name}")))
    if machine.steps - begun > WORTH_KEEPING and is_made_alike(machine, owner) and all(
            kind_of(machine, value) == "data" for _, value in settled):
        machine.found_alike[id(owner.node)] = tuple(name for name, _ in settled)
    return tuple(settled)


def is_made_alike(machine: Interpreter, owner: ClassValue) -> bool:
    """Would other machines find as much of what an ``__init__`` settles? Not where this one looks at less of it."""
    return machine.precision is EXACT and machine.settling == 1 and not (
        machine.left_out or machine.importing or machine.flagged or machine.inside) and (
        owner.node in machine.trees[owner.path].body)


def one_of(machine: Interpreter, things: Sequence[Abstract]) -> Value:
    """What is any of these: which one, nobody knows who did not see it made."""
    found = single(things[0], machine.algebra)
    for thing in things[1:]:
        found = choose(machine.unknown_truth(), single(thing, machine.algebra), found)
    return found


def kind_of(machine: Interpreter, value: Value) -> str:
    """Of what an attribute was set to: "module" for one of torch's, "data" for a number or a string, else "".

    An instance of a project's autograd.Function counts as a module: it is called as one, and is one operation. So
    does a pool of workers: it is known by what made it. Of several modules of torch's it is one, whichever.
    """
    things = [thing for _, thing in value if thing != Const(None)]
    if len(things) != 1:
        cells = [machine.heap[thing.cell] if isinstance(thing, Ref) else None for thing in things]
        known = all(cell is not None and cell.kind == "module" for cell in cells)
        return "module" if 1 < len(things) <= MOST_KINDS and known else ""
    thing = things[0]
    if isinstance(thing, Const):
        is_data = isinstance(thing.value, (int, float, str)) and not isinstance(thing.value, bool)
        return "data" if is_data and len(value) == 1 else ""
    cell = machine.heap[thing.cell] if isinstance(thing, Ref) else None
    if cell is None:
        return ""
    if cell.kind == "module" or cell.text in POOLS or (cell.owner is not None and is_operation(cell.owner)):
        return "module"
    return "data" if cell.kind == "unknown" and cell.origin == "data" and len(value) == 1 else ""


@of_node
def assigned_once(cls: ast.AST) -> set[str]:
    """Attributes of self that the class assigns at exactly one place."""
    return assigned_outside(cls, set())


def bound_once(cls: ast.AST, init: ast.AST) -> set[str]:
    """As ``assigned_once``, but for what ``init`` itself adds: ``self.blocks += ...`` may keep the object."""
    return assigned_outside(cls, added_in(init))


@of_node
def added_in(init: ast.AST) -> set[int]:
    """What a function adds to in place, not in those that are made in it, by node id."""
    later = {id(n) for f in walk(init) if f is not init and isinstance(f, ast.FunctionDef) for n in walk(f)}
    return {id(n.target) for n in walk(init) if isinstance(n, ast.AugAssign) and id(n) not in later}


def assigned_outside(cls: ast.AST, left_out: set[int]) -> set[str]:
    """Attributes of self that are assigned at exactly one place, those with the ids ``left_out`` aside."""
    return {name for name, places in assignments(cls).items() if len(places - left_out) == 1}


@of_node
def assignments(cls: ast.AST) -> dict[str, set[int]]:
    """Where a class assigns attributes, by name, of whatever object: by node id."""
    found: dict[str, set[int]] = {}
    for node in walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.attr, set()).add(id(node))
    return found
