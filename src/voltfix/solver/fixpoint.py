"""From roots to an outcome: interpret, lay out, refuse what cannot be covered, and again, until nothing changes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Literal

from voltfix import deadline
from voltfix.domains.conditions import OutOfBudget
from voltfix.machine import express
from voltfix.machine.execute import Block, Interpreter
from voltfix.machine.facts import AttributeWrite, CallKey, Fact, Left, Passed, VolatileRead, VolatileWrite
from voltfix.machine.parameters import WEIGHTS
from voltfix.machine.values import SiteKey
from voltfix.program import telling
from voltfix.program.arguments import accepts
from voltfix.program.bindings import Local, ProjectClass, ProjectFunction
from voltfix.program.callable import is_of_the_project
from voltfix.program.calls import RUN_BY_OBJECT, by_python
from voltfix.program.foundon import classes_with
from voltfix.program.kept import begins_with_itself
from voltfix.program.lasting import bound_for_good
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, stores
from voltfix.program.resolve import Project
from voltfix.program.travelling import Travelling
from voltfix.program.walking import of_node, walk
from voltfix.records import dataclass
from voltfix.rules import messages
from voltfix.solver.regions import INWARD, Layout, Planner, Region, is_inward
from voltfix.solver.roots import Body, Planned, Setting

CONTAINERS = {"list", "dict", "OrderedDict", "defaultdict", "ModuleList"}
PUTS_LAYERS = {"add_module", "_modules"}  # under any name
MAX_WAYS_IN = 4  # calls of one method that are looked at for what it finds on self
MAX_ROUNDS = 12
MAX_ROOTS = 50_000
# of which a lambda is made that computes with what it is given, and does nothing else
COMPUTES = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List,
            ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
GOING_OVER = ("iteration", "items", "values", "keys")  # the facts of who takes the parts of something, whatever it is


@dataclass
class Outcome:
    """What the rounds settled on."""

    bodies: dict[int, Body] = field(default_factory=dict)
    let_go: dict[int, tuple[Body, bool]] = field(default_factory=dict)  # that were some, and whether they were followed
    once: dict[int, set[int]] = field(default_factory=dict)  # what those entered, by call: for what is said alone
    planned: dict[int, Planned] = field(default_factory=dict)
    refused: dict[SiteKey, tuple[str, str]] = field(default_factory=dict)  # site -> (reason word, sentence)
    reads: list[tuple[Body, Interpreter, VolatileRead]] = field(default_factory=list)
    passed: list[tuple[Body, Passed]] = field(default_factory=list)
    writes: list[tuple[Body, VolatileWrite]] = field(default_factory=list)
    together: dict[int, list[VolatileWrite]] = field(default_factory=dict)  # of parameters: all of the same run, by id
    switched_off: set[int] = field(default_factory=set)  # those of parameters whose flag is off at the end, by id
    visited: set[int] = field(default_factory=set)
    machines: dict[int, Interpreter] = field(default_factory=dict)
    exports: dict[int, set[SiteKey]] = field(default_factory=dict)  # root -> sites whose value leaves it
    too_complex: set[int] = field(default_factory=set)
    may_trust: set[CallKey] = field(default_factory=set)  # unknown calls that a site was refused for
    grown: dict[int, str] = field(default_factory=dict)  # root -> what took more than its budget
    levels: dict[int, int] = field(default_factory=dict)  # root -> of precision, at which it was looked at
    fed: dict[int, set[SiteKey]] = field(default_factory=dict)  # root -> sites whose value may come to it from another
    reentered: set[int] = field(default_factory=set)  # conditional blocks that run where grad mode is off already


class Fixpoint:
    """Runs the roots that matter until regions and refusals are stable: ``discover``, ``refine``, ``verify``.

    Each phase can be run alone; what it found stands in ``outcome`` and ``setting``.
    """

    def __init__(self, project: Project, start: Iterable[tuple[str, ast.AST]], held: frozenset[SiteKey],
                 breaks: frozenset[int]) -> None:
        self.project = project
        self.setting = Setting(project)
        self.setting.refused = dict.fromkeys(held, True)
        self.breaks = breaks
        self.outcome = Outcome()
        self.names = project.computed(Mentions)
        self.depths: dict[int, int] = {}
        self.plain: set[int] = set()  # lambdas that only compute with what they are given, and need not be roots
        self.layouts: dict[int, tuple[Interpreter, dict[int, frozenset[SiteKey]], Layout]] = {}
        # by function, the expressions that callers want a block around, by node id; those that cannot have one
        self.for_callers: dict[int, dict[int, frozenset[SiteKey]]] = {}
        self.declined: set[int] = set()
        self.apart: set[int] = set()  # roots whose blocks took in too much, by node id
        self.inward: dict[int, str] = {}  # those whose calls have none around them for that, with what was said of it
        self.reached: dict[tuple[str, bool], set[SiteKey]] = {}  # names that were looked for, and for which sites
        # attributes whose holders were, and for which sites, while there were so many roots
        self.held: dict[tuple[str, int], set[SiteKey]] = {}
        self.made: set[str] = set()  # classes whose makers are known
        self.makers: set[int] = set()  # these, by node id
        self.found_on: dict[int, frozenset[int]] = {}  # by mention of an attribute, the classes that may have it
        self.related: dict[str, frozenset[str]] = {}  # by class, those whose methods its objects may have, too
        self.searching = False  # for roots: what one cannot cover, a root yet to be found may cover
        self.because: dict[int, set[SiteKey]] = {}  # root -> the sites whose value makes it one, if that alone does
        self.dropped = 0  # so many refused sites make none any more
        for path, node in start:
            deadline.check(project.until)
            self.add(path, node)
            sites = {(path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))}
            self.reach(self.bound_names(path, node), sites)

    def bound_names(self, path: str, node: ast.AST) -> set[str]:
        """The module's or class's names that what a place gives is bound to (a partial, a fixed input)."""
        for above in self.project.parents(path, node):
            if isinstance(above, (*FUNCTIONS, ast.Module)):
                return set()
            if isinstance(above, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                inside = any(isinstance(n, FUNCTIONS) and not isinstance(n, ast.Lambda) for n in
                             self.project.parents(path, above))
                targets = above.targets if isinstance(above, ast.Assign) else [above.target]
                return set() if inside else {part.id for target in targets for part in walk(target) if isinstance(
                    part, ast.Name) and isinstance(part.ctx, ast.Store)}
        return set()

    def add(self, path: str, node: ast.AST, mentioned: bool = False, sites: Iterable[SiteKey] | None = None) -> bool:
        """Make the body around ``node`` a root; True if it is new.

        ``mentioned``: ``node`` is but a word. In a lambda that only computes that is a parameter, and shows nothing.
        ``sites``: those whose value comes there, where it is a root for that; None: whatever is refused.
        """
        root = node
        while not isinstance(root, (*FUNCTIONS, ast.Module)):
            above = self.project.parent(path, root)
            if above is None:
                return False
            root = above
        self.note_because(root, sites)
        plain = mentioned and isinstance(root, ast.Lambda) and only_computes(root)
        if id(root) in (self.plain if plain else ()) or id(root) in self.outcome.bodies or len(
                self.outcome.bodies) >= MAX_ROOTS:
            return False
        self.setting.relevant[id(root)] = True
        makers = self.makers_of(path, root)
        self.makers |= makers
        self.setting.relevant |= dict.fromkeys(makers, True)
        if plain:
            self.plain.add(id(root))
        else:
            self.plain.discard(id(root))
            body = self.outcome.bodies[id(root)] = Body(path, root, self.project.qualname(path, root))
            if may_be_private(body):  # until all callers are known
                self.setting.private[id(root)] = True
        if isinstance(root, ast.Lambda):
            above = self.project.parent(path, root)
            if above is not None:
                self.add(path, above, sites=sites)
        return True

    def note_because(self, root: ast.AST, sites: Iterable[SiteKey] | None) -> None:
        """Note for what a body is a root, or is one already."""
        if sites is None:
            self.because.pop(id(root), None)
        elif id(root) not in self.outcome.bodies or id(root) in self.because:
            self.because.setdefault(id(root), set()).update(sites)

    def drop_idle(self) -> None:
        """Let go of the roots that nothing volatile comes to any more, for all that did is refused.

        The pass that begins with these refusals would not find them, and it is what that one finds that stands.
        """
        if self.dropped == len(self.outcome.refused):
            return
        self.dropped = len(self.outcome.refused)
        self.held.clear()
        for root in [root for root, sites in self.because.items()
                     if root in self.outcome.bodies and all(site in self.setting.refused for site in sites)]:
            self.outcome.let_go[root] = self.outcome.bodies[root], root not in self.outcome.too_complex
            if root in self.outcome.machines:
                for call, functions in self.outcome.machines[root].entered.items():
                    self.outcome.once.setdefault(call, set()).update(functions)
            for table in (self.outcome.bodies, self.outcome.machines, self.outcome.exports, self.because, self.layouts,
                          self.for_callers, self.setting.private):
                table.pop(root, None)
            if root not in self.makers:
                self.setting.relevant.pop(root, None)
            self.outcome.too_complex.discard(root)
            self.setting.plans.drop(root)

    def makers_of(self, path: str, root: ast.AST) -> frozenset[int]:
        """Functions that make and return an instance of the class whose method ``root`` is, by node id.

        They are looked into, whatever their size: callers of the method have its receiver from them.
        """
        around = self.project.parent(path, root)
        if not isinstance(around, ast.ClassDef) or around.name in self.made:
            return frozenset()
        self.made.add(around.name)
        makers = set()
        for at, node in self.names.of({around.name}):
            call = self.project.parent(at, node)
            inside = next((n for n in self.project.parents(at, node) if isinstance(n, FUNCTIONS)), None)
            if isinstance(call, ast.Call) and call.func is node and isinstance(inside, ast.FunctionDef) and any(
                    isinstance(n, ast.Return) and n.value is not None for n in walk(inside)):
                makers.add(id(inside))
        return frozenset(makers)

    def settle(self) -> Outcome:
        """All phases, one after the other."""
        for phase in (self.discover, self.refine, self.verify):
            phase()
        looks = self.setting.looks.items()
        self.outcome.levels = {root: level for root, (level, _) in looks}
        self.outcome.grown = {root: grown for root, (_, grown) in looks if grown} | self.setting.grown
        return self.outcome

    def discover(self) -> None:
        """First phase: find every root, so that all callers are known. Nothing is refused for want of a block."""
        self.searching = True
        self.repeat(self.run_new, self.run_all)

    def refine(self) -> None:
        """Second phase: with what methods leave on self, lay out, and refuse what no block can cover."""
        self.drop_idle()
        self.follow_readers()
        self.run_what_renews()
        self.searching = False
        self.repeat(self.note_state, self.run_all)

    def follow_readers(self) -> None:
        """Who calls a method that reads what others leave on self now volatile, now not, is a root, too.

        Such a caller may make it anew before: then the method, looked at in it, reads nothing volatile.
        """
        self.note_state()
        while True:
            calls = [place for body in self.outcome.bodies.values() for place in self.ways_in(body)]
            if not [place for place in calls if self.add(*place)]:
                break
            self.searching, self.setting.state = True, {}
            self.repeat(self.run_new, self.run_all)
            self.note_state()

    def run_what_renews(self) -> None:
        """Methods that assign of what others left (``self.x = self.x.cuda()``) say what that is once they have it."""
        left = {name for names in self.setting.state.values() for name, each in names.items() if not each.always}
        if any(write.name in left and write.target is not None and begins_with_itself(self.project, *write.target)
               for machine in self.outcome.machines.values() for write in machine.attribute_writes):
            self.repeat(self.run_all, self.note_state)

    def ways_in(self, body: Body) -> list[tuple[str, ast.Call]]:
        """The calls of a method by its name, where it reads such an attribute and all of them stand in functions.

        So do methods that call one which is looked at for that.
        """
        node = body.node
        if not isinstance(node, ast.FunctionDef) or "." not in body.qualname or id(node) in self.setting.closed:
            return []
        asked = {name for left in self.setting.state.values() for name, each in left.items() if not each.always}
        asked |= self.setting.followed.keys()
        if not any(n.attr in asked and isinstance(n.ctx, ast.Load) for n in walk(node) if isinstance(n, ast.Attribute)):
            return []
        found = []
        for path, mention in self.names.of({node.name}, attributes=True):
            call = self.project.parent(path, mention)
            around = next((n for n in self.project.parents(path, mention) if isinstance(n, FUNCTIONS)), None)
            if not isinstance(call, ast.Call) or call.func is not mention or not isinstance(around, ast.FunctionDef):
                return []
            found.append((path, call))
        if len(found) > MAX_WAYS_IN:
            return []
        self.setting.followed[node.name] = True
        return found

    def verify(self) -> None:
        """Third phase: under all blocks no need may be open, and no block may lie on what needs a graph.

        Each time that something is refused the second begins again, so that no plan stands that was not looked at.
        """
        while self.recheck_bodies():
            self.refine()
        self.outcome.planned = self.setting.planned

    def repeat(self, *steps: Callable[[], None]) -> None:
        """The steps, until nothing changes."""
        for _ in range(MAX_ROUNDS):
            before = self.state()
            for step in steps:
                step()
            if self.state() == before:
                break

    def note_state(self) -> None:
        """What methods leave on self, and which methods are only ever called where that is seen."""
        found: dict[tuple[str, str], Left] = {}
        for root, machine in self.outcome.machines.items():
            made = self.outcome.bodies[root].qualname.endswith(".__init__")
            for write in machine.attribute_writes:
                if not write.tensor:
                    continue
                key = (write.owner, write.name)
                # weights are there before somebody freezes them: other methods may have run with them as they were
                always = (write.pc.implies(write.vol) or self.leaves_as_found(write, machine)) and (
                    made or not write.name.endswith(WEIGHTS)) and not write.filled
                known = found.get(key, Left(True, frozenset()))
                found[key] = Left(known.always and always, known.sites | write.sites, known.idle or write.idle)
        freed = {node.attr for root in self.outcome.machines if self.frees_what_it_finds(root)
                 for node in walk(self.outcome.bodies[root].node) if isinstance(node, ast.Attribute)}
        self.setting.state = {}
        for (writer, name), each in found.items():
            for owner in sorted(self.kin(writer)) if each.sites else ():
                left = self.setting.state.setdefault(owner, {})
                if name not in left:
                    own = found.get((owner, name))
                    always = (own is None or own.always) and name not in freed
                    left[name] = Left(always and self.is_all_that_writes(owner, name, found), frozenset())
                was = left[name]
                left[name] = Left(was.always, was.sites | each.sites, was.idle or each.idle)
        self.setting.lasting = self.found_lasting() if self.setting.asked else {}
        entered = entered_functions(self.outcome.machines.values())
        self.setting.closed = frozenset(k for k, body in self.outcome.bodies.items() if self.is_closed(body, entered))
        self.setting.private = {k: True for k, body in self.outcome.bodies.items() if self.is_private(body, entered)}

    def found_lasting(self) -> dict[str, dict[str, Left]]:
        """Of what is always left volatile, what an object has from its making on: no None before, and nothing else."""
        volatile = {id(write.target[1]) for machine in self.outcome.machines.values()
                    for write in machine.attribute_writes if write.target is not None and write.tensor
                    and write.pc.implies(write.vol)}
        found: dict[str, dict[str, Left]] = {}
        for owner, left in self.setting.state.items():
            classes = [cls for cls in self.project.classes() if cls.node.name == owner]
            for name, each in left.items() if len(classes) == 1 else ():
                bound = bound_for_good(self.project, classes[0], name) if each.always else None
                if bound is not None and id(bound) in volatile:
                    found.setdefault(owner, {})[name] = each
        return found

    def leaves_as_found(self, write: AttributeWrite, machine: Interpreter) -> bool:
        """``self.x = self.x.cuda()``: is it volatile after that if it was what an earlier call left volatile?

        Where it was nothing, or None, Python raises at what is asked of it.
        """
        if write.before is None or write.target is None or not begins_with_itself(self.project, *write.target):
            return False
        found = write.before.support() & machine.state_atoms
        assumed = write.pc
        for atom in found:
            assumed = assumed & machine.algebra.atom(atom)
        return bool(found) and assumed.implies(write.vol)

    def kin(self, owner: str) -> frozenset[str]:
        """The classes whose methods an object may have beside those of a class of that name, itself among them."""
        if owner not in self.related:
            classes = [cls for cls in self.project.classes() if cls.node.name == owner]
            below = [each for cls in classes for each in (cls, *self.project.hierarchy.subclasses(cls))]
            above = [cls for each in below for cls in self.project.mro(each) if isinstance(cls, ProjectClass)]
            self.related[owner] = frozenset({owner, *(cls.node.name for cls in above)})
        return self.related[owner]

    def is_all_that_writes(self, owner: str, name: str, found: Mapping[tuple[str, str], Left]) -> bool:
        """Is an attribute of objects of a class bound by methods that are roots alone, and volatile by each of them?

        An object of the class may be of one below, and has the methods of all classes in the order of that.
        """
        rebound, project = self.setting.tables.rebound, self.project
        if name.endswith(WEIGHTS):
            return True  # who freezes them is asked otherwise
        classes = [cls for cls in project.classes() if cls.node.name == owner]
        if any(rebound.is_said(name, cls) for cls in classes) or not classes:
            return False
        below = [each for cls in classes for each in (cls, *project.hierarchy.subclasses(cls))]
        related = {above.node: above for cls in below for above in project.mro(cls) if isinstance(above, ProjectClass)}
        if any((write is not None and not write.always) or gives_instead(cls.node, name)
               for cls in related.values() for write in [found.get((cls.node.name, name))]):
            return False
        return not any(self.may_bind(path, node, related) for path, node in project.computed(stores).get(name, ()))

    def may_bind(self, path: str, node: ast.Attribute, related: Mapping[ast.ClassDef, ProjectClass]) -> bool:
        """May an attribute be bound here on an object of such a class, and not in a method of it that is a root?"""
        above = self.project.parent(path, node)
        if isinstance(above, ast.Assign) and isinstance(above.value, ast.Constant):
            return False  # what is no tensor is not computed on
        cls = self.project.instance(path, node.value)
        if cls is not None and cls.node not in related:
            return False
        own = isinstance(node.value, ast.Name) and node.value.id == "self" and cls is not None
        around = next((n for n in self.project.parents(path, node) if isinstance(n, FUNCTIONS)), None)
        return not own or id(around) not in self.outcome.machines or id(around) in self.outcome.too_complex

    def frees_what_it_finds(self, root: int) -> bool:
        """Does a function free of its flag what may be an attribute that others left volatile?"""
        return any(write.origin in ("state", "") and write.kind != "weights"
                   and not (write.pc & ~write.value).is_false for write in self.outcome.machines[root].writes)

    def is_closed(self, body: Body, entered: Mapping[int, set[int]]) -> bool:
        """Is every mention of a method by its name a call that was interpreted in place (``entered``)?"""
        if not isinstance(body.node, ast.FunctionDef) or "." not in body.qualname:
            return True
        seen = False
        if any(True for _ in self.names.asked_for(body.node.name)):
            return False
        for path, node in self.names.of({body.node.name}, attributes=True):
            call = self.project.parent(path, node)
            if isinstance(call, ast.Call) and call.func is node and not accepts(body.node, call, 1):
                continue
            if id(body.node) not in entered.get(id(call), set()):
                if self.is_of_others(path, node, body):
                    continue
                return False
            seen = True
        return seen

    def is_of_others(self, path: str, node: ast.AST, body: Body) -> bool:
        """Is a method asked of objects whose classes have another one of that name, and not this one?"""
        if not isinstance(node, ast.Attribute):
            return False
        if id(node) not in self.found_on:
            self.found_on[id(node)] = frozenset(
                id(cls.node) for cls in classes_with(self.project, self.setting.tables.rebound, path, node))
        mine = self.project.hierarchy.class_around(body.path, body.node)
        return mine is not None and id(mine.node) not in self.found_on[id(node)] and bool(self.found_on[id(node)])

    def is_private(self, body: Body, entered: dict[int, set[int]]) -> bool:
        """Is it called by roots alone? What becomes of its result is then seen there.

        Taken of underscored names only: others may be called by code that nobody has.
        """
        name = body.qualname.rsplit(".", 1)[-1]
        mentions = self.names.of({name})
        if not may_be_private(body) or not mentions or self.names.is_written(name):
            return False
        for path, mention in mentions:
            call = self.project.parent(path, mention)
            if not isinstance(call, ast.Call) or call.func is not mention:
                return False
            if id(body.node) not in entered.get(id(call), ()):
                return False
            roots = (n for n in self.project.parents(path, call) if isinstance(n, (*FUNCTIONS, ast.Module)))
            around = id(next(roots, None))
            if around not in self.outcome.machines or around in self.outcome.too_complex:
                return False
        return True

    def state(self) -> object:
        """What has to stand still."""
        planned = {key: (sorted(p.blocks), sorted(p.wrapped), p.whole, sorted(p.texts.values()))
                   for key, p in self.setting.planned.items()}
        return (
            repr(sorted(planned.items())),
            len(self.outcome.refused),
            len(self.outcome.bodies),
            len(self.setting.harmless),
            sorted((owner, *sorted((name, each.always, each.idle) for name, each in left.items()))
                   for owner, left in self.setting.state.items()),
            self.setting.closed,
            sorted(self.setting.private),
            sum(len(sites) for asked in self.for_callers.values() for sites in asked.values()),
            len(self.declined),
        )

    def ordered(self) -> list[Body]:
        """Lambdas and nested functions first, module bodies last."""
        for key, body in self.outcome.bodies.items():
            if key not in self.depths:
                around = 0 if isinstance(body.node, ast.Module) else len([*self.project.parents(body.path, body.node)])
                self.depths[key] = around + (not isinstance(body.node, ast.Module))
        return sorted(self.outcome.bodies.values(), key=lambda b: -self.depths[id(b.node)])

    def run_new(self) -> None:
        """Roots that were not run yet, and those that they lead to: each new one may change what the others see."""
        while True:
            new = [body for body in self.ordered()
                   if id(body.node) not in self.outcome.machines and id(body.node) not in self.outcome.too_complex]
            if not new or not all(map(self.run_one, new)):
                return

    def run_all(self) -> None:
        """One round over all roots."""
        self.drop_idle()
        for body in self.ordered():
            if not self.run_one(body):
                return

    def run_one(self, body: Body) -> bool:
        """Run a root and lay it out, as closely as the budget allows; False where everything begins again."""
        while True:
            machine = self.setting.interpret(body, own=False)
            if machine is None:
                self.outcome.too_complex.add(id(body.node))
                return True
            self.outcome.machines[id(body.node)] = machine
            self.outcome.visited |= machine.visited
            try:
                return self.plan_body(body, machine)
            except OutOfBudget as error:
                if not self.setting.coarser(body, str(error)):
                    self.outcome.too_complex.add(id(body.node))
                    return True

    def plan_body(self, body: Body, machine: Interpreter) -> bool:
        """Lay out one root; False where something is refused, and everything begins again."""
        if self.settle_conflicts(machine):
            return False
        layout = self.layout(body, machine)
        if not self.searching and self.refuse_uncovered(machine, layout, body):
            return False
        self.declined |= layout.declined
        self.share_blocks(machine)
        self.setting.plans.put(id(body.node), self.carried(layout, machine))
        self.note_exports(body, machine)
        return True

    def layout(self, body: Body, machine: Interpreter) -> Layout:
        """The layout of a body after a run; the same run has the same."""
        asked = dict(self.for_callers.get(id(body.node), {}))
        known = self.layouts.get(id(body.node))
        if known is None or known[0] is not machine or known[1] != asked:
            own = not isinstance(body.node, ast.Module) or (
                bool(machine.put_off) and self.setting.tables.training.meeting.keeps_its_names(body.path))
            layout = Planner(machine, body.node, self.breaks, asked, id(body.node) in self.apart, own,
                             id(body.node) in self.inward, self.project.modules[body.path].python2).plan()
            known = self.layouts[id(body.node)] = machine, asked, layout
        return known[2]

    # --- refusals ----------------------------------------------------------------------------------------------------

    def refuse(self, sites: Iterable[SiteKey], reason: str, sentence: str) -> bool:
        """Leave sites as they are; True if one is new."""
        new = [site for site in sites if site not in self.outcome.refused]
        for site in new:
            self.outcome.refused[site] = (reason, sentence)
            self.setting.refused[site] = True
        if new:
            self.setting.plans.clear()
            for root, asked in self.for_callers.items():
                left = {node: sites.difference(new) for node, sites in asked.items()}
                self.for_callers[root] = {node: sites for node, sites in left.items() if sites}
        return bool(new)

    def settle_conflicts(self, machine: Interpreter) -> bool:
        """Gradients are asked of something volatile: an assumed call did not pass it on, or the sites are refused.

        All conflicts of a run are judged by what was known before it: they were found under the same assumptions.
        """
        changed = False
        known = frozenset(self.setting.harmless)
        for conflict in machine.conflicts:
            fresh = [call for call in conflict.assumed if call not in known]
            if fresh and machine.algebra.blurred:  # it may be no path at all that shows it
                where = telling.place(self.project, conflict.path, conflict.node)
                changed |= self.refuse(conflict.sites, "too-complex", self.left_out(where, machine))
                continue
            if fresh:
                self.setting.harmless.update(dict.fromkeys(fresh, True))
                changed = True
            else:
                where = telling.place(self.project, conflict.path, conflict.node)
                said = messages.demanded(where) if conflict.unseen else messages.raised(where)
                changed |= self.refuse(conflict.sites, "gradient-demanded", said)
        return changed

    def left_out(self, where: str, machine: Interpreter) -> str:
        """What was forgotten in a run, and why; where nothing was, it is not known what is volatile there."""
        if not machine.grown and not machine.precision.given_up:
            return messages.untold(where)
        return messages.left_out(where, machine.grown, machine.precision.given_up or "callees")

    def told(self, reason: str, where: str, fact: Fact, machine: Interpreter, beside: Fact | None) -> tuple[str, str]:
        """The reason why a fact is not covered, or, where it rests on what was forgotten, that.

        ``beside``: the call of something unknown in the same statement that no block may hold.
        """
        asked = fact.need.support() | fact.forbid.support()
        if not machine.algebra.blurred.isdisjoint(asked):
            return "too-complex", self.left_out(where, machine)
        if reason == "mixed-statement" and beside is not None:
            return reason, messages.may_train(where, given=beside.chain == fact.chain)
        if reason == "mixed-statement" and fact.text in GOING_OVER:
            return reason, messages.holds_both(where)
        alone = reason == "unknown-callee" and id(fact.chain[-1]) in machine.need_graphs
        hook = self.hook_at(fact.chain[-1:] if alone else fact.chain, machine, alone) if (
            alone or reason == "forward-hook") else None
        if hook is not None:
            return reason, messages.runs_hook(where, hook)
        return reason, messages.may_train(where, given=True) if alone else messages.uncovered(reason, where)

    def hook_at(self, calls: tuple[ast.AST, ...], machine: Interpreter, leaves: bool) -> str | None:
        """Where the hook stands that needs a graph as these calls run layers; ``leaves``: one that leaves a graph."""
        hook = self.setting.tables.hook if not leaves else None
        left = machine.leaving.leaving_hook(calls) if hook is None and machine.leaving is not None else None
        hook = (left.path, left.node) if left is not None else hook
        return telling.place(self.project, *hook) if hook is not None else None

    def refuse_uncovered(self, machine: Interpreter, layout: Layout, body: Body) -> bool:
        """Sites that a need comes from which no block can answer."""
        path = body.path
        changed = False
        for fact, reason in layout.uncovered:
            handed = self.hand_down(fact, machine)
            changed |= handed == "new"
            if handed is not None:
                continue
            where = telling.place(self.project, path, fact.chain[0])
            if reason == "unknown-callee":
                self.outcome.may_trust |= fact.assumed & machine.may_trust
            said = self.inward.get(id(body.node)) if reason == INWARD else None
            told = (INWARD, said) if said is not None else self.told(
                reason, where, fact, machine, layout.beside.get(id(fact)))
            changed |= self.refuse(fact.sites, *told)
        for region in layout.regions:
            if not region.off.is_true and express.header_text(region.off, machine) is None:
                sites = {site for fact in region.facts for site in fact.sites}
                where = telling.place(self.project, path, region.first)
                reason = "condition-not-repeatable"
                changed |= self.refuse(sites, reason, messages.uncovered(reason, where))
        return changed

    def hand_down(self, fact: Fact, machine: Interpreter) -> Literal["new", "waiting"] | None:
        """Ask for a block in a function that the statement calls; None: there is none left to ask."""
        if (fact.blocked or fact.lazy) and fact.blocked != "other-thread":
            return None
        for call, node in zip(fact.chain, fact.chain[1:], strict=False):
            callee = self.callee_around(call, node, machine)
            if callee is None or id(node) in self.declined or id(callee.node) in self.outcome.too_complex:
                continue
            self.add(callee.path, callee.node, sites=fact.sites)
            asked = self.for_callers.setdefault(id(callee.node), {})
            self.setting.asked.add(id(callee.node))
            before = asked.get(id(node), frozenset())
            asked[id(node)] = before | fact.sites
            if asked[id(node)] != before:
                return "new"
            known = self.layouts.get(id(callee.node))
            if known is None or known[1].get(id(node)) != before or id(callee.node) not in self.setting.planned:
                return "waiting"  # for its layout, or since a refusal for the plan of it
        return None

    def share_blocks(self, machine: Interpreter) -> None:
        """A block in a callee is there for every caller that hands something volatile in: their sites share it."""
        places = {node: asked for asked in self.for_callers.values() for node in asked}
        for fact in machine.facts if places else ():
            for node in fact.chain[1:]:
                if id(node) in places and fact.sites and not fact.need.is_false:
                    places[id(node)][id(node)] |= fact.sites.difference(self.outcome.refused)

    def callee_around(self, call: ast.AST, node: ast.AST, machine: Interpreter) -> ProjectFunction | None:
        """The function that ``call`` entered and in whose body ``node`` stands."""
        entered = machine.entered.get(id(call), set())
        for function in self.project.functions() if entered else ():
            if id(function.node) in entered and isinstance(function.node, ast.FunctionDef) and any(
                    above is function.node for above in self.project.parents(function.path, node)):
                return function
        return None

    # --- planning ----------------------------------------------------------------------------------------------------

    def carried(self, layout: Layout, machine: Interpreter) -> Planned:
        """A layout as the machine carries it out and the edits will write it."""
        planned = Planned(layout=layout, whole=layout.whole is not None)
        planned.wrapped = {id(wrap.node) for wrap in layout.wraps}
        for region in layout.regions:
            text = "" if region.off.is_true else self.header(region, machine)
            off = None if region.off.is_true else express.parse(f"not ({text})")
            planned.blocks[id(region.first)] = Block(id(region.first), id(region.last), off)
            planned.texts[id(region.first)] = text and self.header(region, machine, brief=True)
        return planned

    def header(self, region: Region, machine: Interpreter, brief: bool = False) -> str:
        """The condition of a region, as the machine asks it; ``brief``: as it will be written."""
        text = express.header_text(region.off, machine, brief)
        assert text is not None
        return text

    # --- what leaves a root ------------------------------------------------------------------------------------------

    def note_exports(self, body: Body, machine: Interpreter) -> None:
        """Roots that a volatile value leaves make roots of the places that mention them."""
        sites: set[SiteKey] = set()
        for store in machine.stores:
            if not store.pc.excludes(store.vol):
                sites |= store.sites
        for write in machine.writes:
            if write.origin == "param" and not write.pc.excludes(write.value):
                sites.add((write.path, getattr(write.node, "lineno", 0), getattr(write.node, "col_offset", 0)))
        sites |= self.copied_from_callers(machine)
        self.note_frozen(machine)
        self.note_captured(machine)
        if not sites:
            return
        self.outcome.exports[id(body.node)] = sites
        self.note_method(body)
        self.reach({store.name for store in machine.stores if store.name}, sites, attributes=True)
        self.reach(self.known_as(body) | self.overriding(body), sites)
        self.reach_operators(body, sites)
        self.reach_unnamed(body, sites)
        self.reach_where_called(body, sites)
        if isinstance(body.node, ast.Lambda):
            self.reach_keepers(body, sites)

    def copied_from_callers(self, machine: Interpreter) -> set[SiteKey]:
        """Where a flag is copied from what callers hand over: who they are has to be seen, volatile or not."""
        found: set[SiteKey] = set()
        for read in machine.reads:
            above = self.project.parent(read.path, read.node)
            call = self.project.parent(read.path, above) if isinstance(above, ast.keyword) else None
            if not read.known and isinstance(call, ast.Call):
                found.add((read.path, call.lineno, call.col_offset))
        return found

    def reach_operators(self, body: Body, sites: set[SiteKey]) -> None:
        """Make roots of the places where an operator of Python runs a method: they do not mention it.

        And of those that call what the place stands in: they have the object, which may come from yet another function.
        """
        method = self.project.function(body.path, body.node)
        for path, node in self.setting.tables.of_class.run_by_operators(method) if method is not None else ():
            if not self.loaded_with(path, sites):
                continue
            self.add(path, node, sites=sites)
            self.feed((path, node), sites)
            self.reach_callers(path, node, sites)

    def reach_unnamed(self, body: Body, sites: set[SiteKey]) -> None:
        """Make roots of the places that may have an object of which Python runs a method without a name."""
        name = body.qualname.rsplit(".", 1)[-1]
        cls = self.project.hierarchy.class_around(body.path, body.node)
        if cls is None or not by_python(name) or name in ("forward", "__call__"):
            return
        goes_by = self.project.computed(Travelling).names(cls)
        self.reach(set(goes_by.functions), sites)
        self.reach(set(goes_by.attributes), sites, attributes=True)

    def reach_keepers(self, body: Body, sites: set[SiteKey]) -> None:
        """Make roots of the places that have what a lambda was put into: it is mentioned where it stands alone.

        Who makes the object has it, and those that ask it for the attribute.
        """
        names = self.attributes_of(body.path, body.node)
        if names:
            self.reach_holders(names, sites)
            self.reach_callers(body.path, body.node, sites)

    def reach_where_called(self, body: Body, sites: set[SiteKey]) -> None:
        """Make roots of the places that call an object whose body this is: its class may be named elsewhere alone.

        Who only makes the object hands it on, and what has it by then is called with nothing volatile.
        """
        cls = self.project.hierarchy.class_around(body.path, body.node)
        if cls is not None and body.qualname.rsplit(".", 1)[-1] in RUN_BY_OBJECT:
            for path, call in self.project.computed(Travelling).calls(cls):
                here = self.loaded_with(path, sites)
                if here:
                    self.add(path, call, sites=here)
                    self.feed((path, call), here)

    def note_captured(self, machine: Interpreter) -> None:
        """Functions that keep something volatile from around them, and that may run out of sight, are roots."""
        for function, sites in machine.captured.values():
            if self.runs_unseen(function.path, function.node, machine):
                self.add(function.path, function.node, sites=sites)
                self.feed((function.path, function.node), set(sites))

    def runs_unseen(self, path: str, node: ast.AST, machine: Interpreter) -> bool:
        """May a function that is made in a function run elsewhere than where it was seen to be called?"""
        if id(node) not in machine.ran_here:
            return True
        uses: list[ast.AST] = [node]
        around = self.project.parent(path, node)
        if isinstance(around, ast.Assign) and all(isinstance(t, ast.Name) for t in around.targets):
            names = {t.id for t in around.targets if isinstance(t, ast.Name)}
        else:
            names = {node.name} if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else set()
        if names:
            scope = next((n for n in self.project.parents(path, node) if isinstance(n, FUNCTIONS)), None)
            uses = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id in names
                    and isinstance(n.ctx, ast.Load)] if scope is not None else []
        return any(self.is_handed_on(path, use, node, machine) for use in uses)

    def is_handed_on(self, path: str, use: ast.AST, function: ast.AST, machine: Interpreter) -> bool:
        """Is it anything else than called, or run by what it is handed to, before the eyes of the interpretation?"""
        above = self.project.parent(path, use)
        above = self.project.parent(path, above) if isinstance(above, ast.keyword) else above
        if not isinstance(above, ast.Call):
            return True
        return above.func is not use and id(function) not in machine.entered.get(id(above), ())

    def note_frozen(self, machine: Interpreter) -> None:
        """Methods that compute with parameters which another one leaves volatile on ``self`` are roots."""
        for write in machine.attribute_writes:
            part, dot, name = write.name.rpartition(".")
            if name != WEIGHTS or (write.pc & write.vol).is_false:
                continue
            if dot:
                self.reach({part}, set(write.sites), attributes=True)
                continue
            for cls in self.project.classes():
                for method in cls.node.body if cls.node.name == write.owner else ():
                    if isinstance(method, ast.FunctionDef):
                        self.add(cls.path, method, sites=write.sites)

    def reach(self, names: set[str], sites: set[SiteKey], attributes: bool = False) -> None:
        """Make roots of the places that mention one of the names: the value of ``sites`` may come there."""
        for name in sorted(names):
            known = self.reached.setdefault((name, attributes), set())
            if sites <= known:
                continue
            deadline.check(self.project.until)
            known |= sites  # before what follows: names may lead to each other
            for place in self.names.of({name}, attributes=attributes):
                here = self.loaded_with(place[0], sites)
                if not here:
                    continue
                self.add(*place, mentioned=True, sites=here)
                self.feed(place, here)
                self.reach((self.tables_of(*place) | self.bound_names(*place)) - {name}, here)
                self.reach_holders(self.attributes_of(*place) - {name}, here)

    def loaded_with(self, path: str, sites: set[SiteKey]) -> set[SiteKey]:
        """Those of which a value may come to a file at all: two scripts that nothing imports never meet."""
        meet = self.setting.tables.training.meeting.meet
        return {site for site in sites if meet(site[0], path)}

    def tables_of(self, path: str, node: ast.AST) -> set[str]:
        """The names of the tables that a mention stands in: ``MAKERS = {'volatile': make}``."""
        above = self.project.parent(path, node)
        while isinstance(above, (ast.Dict, ast.List, ast.Tuple, ast.Set)):
            node, above = above, self.project.parent(path, above)
        if not isinstance(above, ast.Assign) or not isinstance(node, (ast.Dict, ast.List, ast.Tuple, ast.Set)):
            return set()
        return {target.id for target in above.targets if isinstance(target, ast.Name)}

    def attributes_of(self, path: str, node: ast.AST) -> set[str]:
        """The attributes that a mention is put into: ``self.run = self.fast if small else self.whole``."""
        above = self.project.parent(path, node)
        while isinstance(above, (ast.IfExp, ast.BoolOp)):
            above = self.project.parent(path, above)
        targets = above.targets if isinstance(above, ast.Assign) else []
        return {target.attr for target in targets if isinstance(target, ast.Attribute)}

    def reach_holders(self, names: set[str], sites: set[SiteKey]) -> None:
        """Make roots of the places that read such an attribute, and of those that call what they stand in.

        What the attribute holds hangs on the object, which may come from yet another function.
        """
        for name in sorted(names):
            asked = name, len(self.outcome.bodies)
            if sites <= self.held.get(asked, set()):
                continue  # what a place stands in is asked for where it is a root: only another root leads on
            self.reach({name}, sites, attributes=True)
            for place in self.names.of({name}, attributes=True):
                self.reach_callers(*place, sites)
            if asked[1] == len(self.outcome.bodies):
                self.held.setdefault(asked, set()).update(sites)

    def reach_callers(self, path: str, node: ast.AST, sites: set[SiteKey]) -> None:
        """Make roots of the places that mention what a place stands in."""
        around = next((each for each in self.project.parents(path, node)
                       if id(each) in self.outcome.bodies or id(each) in self.plain), None)
        if around is not None and id(around) not in self.plain:
            self.reach(self.known_as(self.outcome.bodies[id(around)]), sites)

    def feed(self, place: tuple[str, ast.AST], sites: set[SiteKey]) -> None:
        """Note for the bodies around a place that the value of ``sites`` may come there."""
        path, node = place
        for around in [node, *self.project.parents(path, node)]:
            if isinstance(around, (*FUNCTIONS, ast.Module)):
                self.outcome.fed.setdefault(id(around), set()).update(sites)
                if not isinstance(around, ast.Lambda):
                    return

    def overriding(self, body: Body) -> set[str]:
        """The class of a method that takes another's place: who makes one has it called by methods of the base."""
        cls = self.project.hierarchy.class_around(body.path, body.node)
        above = self.project.mro(cls)[1:] if cls is not None else ()
        name = body.qualname.rsplit(".", 1)[-1]
        replaces = any(isinstance(c, ProjectClass) and self.project.definitions(c.path, c.node, name) for c in above)
        return {cls.node.name} if cls is not None and replaces else set()

    def known_as(self, body: Body) -> set[str]:
        """The names under which others reach a body."""
        parts = body.qualname.split(".")
        if len(parts) > 1 and parts[-1] in ("forward", "__call__", "__init__", "__getitem__", "__iter__", "__next__"):
            cls = self.project.hierarchy.class_around(body.path, body.node) if parts[-1] == "forward" else None
            by_name = cls is not None and is_of_the_project(self.project, cls)  # calling the object does not run it
            return {parts[-2], parts[-1]} if by_name else {parts[-2]}
        if len(parts) > 1 and parts[-1] == "next":
            return {parts[-2], parts[-1]}
        return {parts[-1]} if parts[-1] and not parts[-1].startswith("<") else set()

    def note_method(self, body: Body) -> None:
        """A method that gives volatile values is found by its name if no other has it and the receiver is unknown."""
        if isinstance(body.node, ast.FunctionDef) and "." in body.qualname and "<locals>" not in body.qualname:
            self.setting.add_method(body.path, body.node)

    # --- the last look -----------------------------------------------------------------------------------------------

    def recheck_bodies(self) -> bool:
        """Look at every body under all blocks, up to the first that refuses something; True if one does."""
        self.outcome.reads, self.outcome.writes, self.outcome.switched_off = [], [], set()
        self.outcome.passed = []
        for body in self.ordered():
            machine = self.setting.interpret(body, own=True)
            if machine is None:
                self.outcome.too_complex.add(id(body.node))
                continue
            self.outcome.reads += [(body, machine, read) for read in machine.reads]
            self.outcome.passed += [(body, passed) for passed in machine.passed]
            self.outcome.writes += [(body, write) for write in machine.writes]
            self.outcome.switched_off.update(machine.switched_off)
            self.outcome.together |= {id(write): machine.writes for write in machine.writes if write.kind == "weights"}
            self.outcome.reentered |= machine.reentered
            try:
                if self.recheck_all(machine, body):
                    return True
            except OutOfBudget as error:
                if self.setting.coarser(body, str(error)):
                    return True
                self.outcome.too_complex.add(id(body.node))
        return False

    def recheck_all(self, machine: Interpreter, body: Body) -> bool:
        """Look at every fact under all blocks; True if one refuses something."""
        changed = False
        for fact in machine.facts:
            if not isinstance(fact.chain[0], ast.Module) or fact.chain[0] is body.node:
                changed |= self.recheck(fact, machine, body)
        return changed

    def take_apart(self, roots: Iterable[int]) -> bool:
        """Lay roots out again, with nothing in their blocks but what asks for one; False where all were already."""
        planned = self.setting.planned
        new = {root for root in roots if root not in self.apart and root in planned and planned[root].blocks}
        self.apart |= new
        for root in new:
            self.layouts.pop(root, None)
        if new:
            self.setting.plans.clear()
        return bool(new)

    def turn_inward(self, body: Body, machine: Interpreter, said: str) -> bool:
        """Lay a root out again, with no block around a call for what is in its body: that may have one of its own."""
        root = id(body.node)
        own = self.setting.planned.get(root)
        turned = [region.facts for region in own.layout.regions if is_inward(region.facts)] if own is not None else []
        if root in self.inward or not turned or any(
                self.may_run_another(fact, machine) for facts in turned for fact in facts):
            return False
        self.inward[root] = said
        self.layouts.pop(root, None)
        self.setting.plans.clear()
        return True

    def may_run_another(self, fact: Fact, machine: Interpreter) -> bool:
        """May other callers of the functions that lead to a fact have other networks in the place of what these call?

        What one network gives may be all that anybody wants of it, and another keep a graph for who trains with it.
        """
        if any(True for _ in self.project.computed(Mentions).of(PUTS_LAYERS, attributes=True)):
            return True
        steps = zip(fact.chain, fact.chain[1:], strict=False)
        functions = [self.callee_around(*step, machine) for step in steps]
        return any(
            function is None or any(self.may_be_put(function, node) for part in walk(function.node)
                                    if isinstance(part, (ast.Call, ast.Assign))
                                    for node in walk(part.func if isinstance(part, ast.Call) else part.value))
            or any(isinstance(node, ast.Name) and self.is_of_container(function, node) for node in walk(function.node))
            for function in functions)

    def is_of_container(self, function: ProjectFunction, name: ast.Name) -> bool:
        """Does a name stand for a list or dictionary of a module, into which others may put another network?"""
        bound = self.project.resolve(function.path, None, name)
        return isinstance(bound, Local) and bound.parameter is None and any(
            may_hold_networks(value) and not any(
                above is function.node for above in self.project.parents(bound.path, value)) for value in bound.values)

    def may_be_put(self, function: ProjectFunction, asked: ast.AST) -> bool:
        """May what a function asks for be put there in several places, or by others than methods of its class?"""
        project = self.project
        if isinstance(asked, ast.Name):
            return self.setting.tables.rebound.is_bound_elsewhere(function.path, asked)
        if not isinstance(asked, ast.Attribute):
            return False
        places = [(path, node) for path, node in project.computed(stores).get(asked.attr, ())
                  if not isinstance(getattr(project.parent(path, node), "value", None), ast.Constant)]
        cls = project.hierarchy.class_around(function.path, function.node)
        if cls is None:
            return bool(places)
        if self.setting.tables.rebound.is_said(asked.attr, cls):
            return True
        below = (cls, *project.hierarchy.subclasses(cls))
        related = {above.node for each in below for above in project.mro(each) if isinstance(above, ProjectClass)}
        own = 0
        for path, node in places:
            of = project.instance(path, node.value)
            if of is None or (of.node in related and of.node is not cls.node):
                return True
            own += of.node is cls.node
        return own > 1

    def led_through(self, fact: Fact, machine: Interpreter) -> list[int]:
        """The functions that lead to a fact, by node id: a block around it lies in one of them, most likely."""
        functions = [self.callee_around(*step, machine) for step in zip(fact.chain, fact.chain[1:], strict=False)]
        return list(dict.fromkeys(id(function.node) for function in functions if function is not None))

    def planned_on(self, fact: Fact, machine: Interpreter) -> list[Planned]:
        """What is planned in the functions that lead to a fact."""
        planned = self.setting.planned
        found = [planned[root] for root in self.led_through(fact, machine) if root in planned]
        return [p for p in found if p.blocks or p.wrapped or p.whole]

    def recheck(self, fact: Fact, machine: Interpreter, body: Body) -> bool:
        """Refuse what a fact shows to be wrong under all blocks; True if that is new."""
        kept = not (fact.need & ~fact.off & ~machine.raised).is_false
        lost = not (fact.missed & fact.off & ~machine.raised).is_false
        if not (kept or lost):
            return False
        if kept:
            place = telling.place(self.project, body.path, fact.chain[0])
            asked = any(text for p in self.setting.planned.values() for text in p.texts.values())
            if asked:
                reason = "condition-not-repeatable"
                return self.refuse(fact.sites, reason, messages.uncovered(reason, place))
            return self.refuse(fact.sites, "not-provable", messages.keeps_graph(place))
        own = self.setting.planned.get(id(body.node))
        mine = own is not None and (own.blocks or own.wrapped or own.whole)
        if self.take_apart([id(body.node)] if mine else self.led_through(fact, machine)):
            return True
        made_in = self.callee_around(fact.chain[-2], fact.chain[-1], machine) if len(fact.chain) > 1 else None
        path, node = (made_in.path, fact.chain[-1]) if made_in is not None else (body.path, fact.chain[0])
        said = messages.loses_graph(telling.place(self.project, path, node))
        if mine and self.turn_inward(body, machine, said):
            return True
        nearest = [own] if own is not None and mine else self.planned_on(fact, machine)
        return self.refuse(answered(nearest), "not-provable", said) or self.refuse(
            answered(self.setting.planned.values()), "not-provable", said)


def answered(plans: Iterable[Planned]) -> set[SiteKey]:
    """The sites whose needs the blocks of some plans answer."""
    sites: set[SiteKey] = set()
    for plan in plans:
        facts = [*(f for r in plan.layout.regions for f in r.facts), *(f for w in plan.layout.wraps for f in w.facts)]
        sites.update(site for fact in (*facts, *(plan.layout.whole or ())) for site in fact.sites)
    return sites


def may_hold_networks(value: ast.expr) -> bool:
    """Is it written as a container, and not of words and numbers alone?"""
    if isinstance(value, ast.Call):
        return last_word(value.func) in CONTAINERS
    if not isinstance(value, (ast.List, ast.Dict)):
        return isinstance(value, (ast.ListComp, ast.DictComp))
    items = value.elts if isinstance(value, ast.List) else value.values
    return not items or not all(isinstance(each, ast.Constant) for each in items)


def gives_instead(cls: ast.ClassDef, name: str) -> bool:
    """Does the body of a class have something under the name of an attribute, or answer for attributes itself?"""
    for statement in cls.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name in (name, "__getattr__", "__getattribute__", "__setattr__"):
                return True
        elif not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)) and any(
                isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
                for node in walk(statement)):
            return True
    return False


def entered_functions(machines: Iterable[Interpreter]) -> dict[int, set[int]]:
    """By call, the functions of the project that any run entered there, by node id."""
    entered: dict[int, set[int]] = {}
    for machine in machines:
        for place, functions in machine.entered.items():
            entered.setdefault(place, set()).update(functions)
    return entered


@of_node
def only_computes(function: ast.AST) -> bool:
    """Does a lambda compute with its parameters, call nothing, and read nothing else? (``lambda x, y: x + y``)

    Of what it is given nobody knows anything where it is run alone, so that a run shows nothing.
    """
    if not isinstance(function, ast.Lambda) or function.args.defaults or any(function.args.kw_defaults):
        return False
    own = {each.arg for each in walk(function.args) if isinstance(each, ast.arg)}
    return all(isinstance(each, COMPUTES) and (not isinstance(each, ast.Name) or each.id in own)
               for each in walk(function.body))


def may_be_private(body: Body) -> bool:
    """Is it a plain function or method with one leading underscore?"""
    node, name = body.node, body.qualname.rsplit(".", 1)[-1]
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or "<locals>" in body.qualname:
        return False
    return name.startswith("_") and not name.endswith("__")
