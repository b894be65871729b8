"""Execution of statements, modules and function bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from voltfix.domains.conditions import Formula
from voltfix.domains.precision import EXACT, Precision
from voltfix.machine import plain
from voltfix.machine.absent import absent_where, none_test
from voltfix.machine.calls import Call, Calls, gives_nothing
from voltfix.machine.facts import CALLER, AttributeWrite, Left, VolatileWrite
from voltfix.machine.fitting import leaves_early
from voltfix.machine.globals import ModuleNames
from voltfix.machine.models import builtins, containers, standard, torch, types
from voltfix.machine.outline import RUNS, Outlines, bound_by
from voltfix.machine.values import (
    Abstract,
    Cell,
    ClassValue,
    Const,
    Extern,
    Frame,
    Function,
    ModuleValue,
    Plain,
    Ref,
    Truth,
    Value,
    around,
    choose,
    is_constant,
    is_switch,
    is_word,
    is_worded,
    single,
)
from voltfix.program.bindings import VARIABLE, canonical
from voltfix.program.imports import Index
from voltfix.program.living import called_in_sight
from voltfix.program.ofclass import BY_WITH, asked_by
from voltfix.program.scopes import decorators
from voltfix.program.walking import of_node, walk
from voltfix.records import dataclass
from voltfix.torchmodel import library
from voltfix.torchmodel.library import SWALLOWING

MAX_RAISE_POINTS = 6
_OF_ATTRIBUTES = frozenset({"_modules", "_parameters", "_buffers", "__dict__"})  # where Python finds attributes


@dataclass(frozen=True)
class Block:
    """A region that is planned: from statement ``first`` to ``last`` of one suite, grad mode off where ``off`` says.

    ``off`` is an expression of the scope that is true where grad mode is to be off; None: always.
    """

    first: int  # id() of the statement node
    last: int
    off: ast.expr | None = None


class Interpreter(Calls):
    """The whole machine: statements on top of calls and expressions."""

    def __init__(self, trees: dict[str, ast.Module], index: Index, outlines: Outlines,
                 precision: Precision = EXACT) -> None:
        super().__init__(precision)
        self.trees = trees
        self.index = index
        self.outlines = outlines
        self.modules: dict[str, Frame] = {}
        self.blocks: dict[int, Block] = {}
        self.decorated = frozenset()
        self.by_name = {}
        self.own_methods = {}
        self.namesakes = {}
        self.computes_items = self.computes_keys = True
        self.entry_names = frozenset()
        self.overridden = {}
        self.beyond = {}
        self.begins_without: Callable[[ClassValue, str], bool] = lambda owner, name: False
        self.foreign_reads: set[str] = set()
        self.state: dict[str, dict[str, Left]] = {}  # by class and attribute
        self.relevant: frozenset[int] = frozenset()
        self.followed = frozenset()
        self.switches: Container[int] = frozenset()  # statements of whose constant nothing is known, by node id
        self.elements = {}
        self.consumed = set()
        self.of_plain = set()
        self.heads = set()
        self._torches = {}
        self.settled: dict[ClassValue, tuple[tuple[str, Value], ...]] = {}
        self.settling = 0  # depth of classes of which that is asked
        self.made_alike: dict[int, tuple[str, ...]] = {}  # by class node id, what machines before this one found
        self.found_alike: dict[int, tuple[str, ...]] = {}  # and what this one did
        self.made_by_init = lambda owner: ()
        self.iterated = set()
        self.written = {}
        self.asking = set()
        self.foreign = frozenset()
        self.private = frozenset()
        self.outgrown = set()
        self.took = {}
        self._activations = {}
        self._visible = {}
        self._alive = []
        self.failed = self.algebra.false  # paths of this activation that ended in an exception of the author's
        self.functions_seen: dict[int, Function] = {}
        self.made_where: dict[int, Formula] = {}
        self.unmade = {}
        self.by_parameter = []

    # --- library models ----------------------------------------------------------------------------------------------

    def call_builtin(self, call: Call) -> Value:
        """A built-in of Python."""
        return builtins.call_builtin(self, call)

    def call_standard(self, call: Call) -> Value | None:
        """A function of the standard library that has a meaning of its own."""
        of_operator = call.name.startswith(("operator.", "_operator."))
        handler = standard.operator if of_operator else standard.HANDLERS.get(call.name)
        return handler(self, call) if handler is not None else None

    def call_torch(self, name: str, call: Call) -> Value:
        """A function of torch."""
        return torch.call_torch(self, name, call)

    def compare_type(self, node: ast.Compare, frame: Frame) -> Value | None:
        """``type(x) == int``."""
        return types.compare_type(self, node, frame)

    def sliced(self, cell: Cell, bounds: ast.Slice) -> Value:
        """``list[a:b]``."""
        return containers.sliced(self, cell, bounds)

    # --- modules -----------------------------------------------------------------------------------------------------

    def module_frame(self, path: str) -> Frame:
        """The frame of a module, its body interpreted at the first use; cyclic imports see what is bound so far."""
        if path not in self.modules:
            tree = self.trees.get(path, ast.Module([], []))
            outline = self.outlines.of(path)
            frame = Frame(path, tree, ModuleNames(outline, lambda name: self.carry_out(name, frame)), chain=(tree,))
            self.modules[path] = frame
            with self.at_top_level():
                self.run([s for s in outline.at_once if not isinstance(s, RUNS)], frame)
                self.open_settings(frame)
        return self.modules[path]

    def open_settings(self, frame: Frame) -> None:
        """Names that the top level binds more than once: who is called in between finds another value than the last."""
        def opened(value: Value, name: str) -> Value:
            with self.at_top_level():
                return self.unsettled(value, name, frame.path)

        for name in sorted(self.rebound.several(frame.path)):
            if isinstance(frame.env, ModuleNames) and frame.env.open_later(name, opened):
                continue
            value = frame.env.get(name)
            if value is not None:
                frame.env[name] = self.unsettled(value, name, frame.path)

    def open_names(self, frame: Frame, names: Iterable[str]) -> None:
        """The same for names of a function around the one that is run, which may be called at any time."""
        for name in sorted(names):
            value = frame.env.get(name)
            if value is not None and (is_word(value) or _is_truth(value)):
                frame.env[name] = self.unsettled(value, name, frame.path)

    def when_called(self, frame: Frame, inner: ast.AST) -> None:
        """Have the names of a function around the one that is run hold what they may when that is called: that is where
        it was made, and they hold what they did before they were bound again if somebody else may have called it then.
        """
        made = self.made_where.get(id(inner), self.algebra.true)
        past = {} if called_in_sight(frame.node, inner) else frame.past
        frame.past, frame.made_inner, frame.rounds = {}, False, frozenset()
        for name, value in frame.env.items():
            left = [(guard, thing) for guard, thing in value if not guard.excludes(made)]
            if left and len(left) < len(value):
                value = tuple((self.algebra.true if made.implies(guard) else guard, thing) for guard, thing in left)
            if name in past and self.leaves([past[name]]):
                value = self.limited(choose(self.unknown_truth(), past[name], value))
            frame.env[name] = value

    def unsettled(self, value: Value, name: str, path: str) -> Value:
        """A setting in place of a number, a word, or True or False; something else beside what can be looked into."""
        if any(isinstance(t, Const) and t.value is None for _, t in value) and _is_data(value):
            return self.unknown(name)
        if _is_truth(value):
            return self.truth(self.algebra.atom(self.algebra.fresh()))
        if _is_data(value):
            return self.data(name)
        if not self.rebound.replaced(path, name):
            return value
        if all(self.holds_settings(t) or _is_data(((g, t),)) for g, t in value) and self.volatility(value).is_false:
            setting = self.unknown(name)
            if all(map(self.is_freely_asked, (t for _, t in value))) and self.rebound.begins_empty(path, name):
                for guard, thing in setting:
                    if isinstance(thing, Ref):
                        self.note_container(thing, guard)
            return setting
        if any(isinstance(t, (Function, ClassValue)) or self.holds_settings(t) for _, t in value):
            return choose(self.unknown_truth(), self.unknown(name), value)
        return value

    def is_freely_asked(self, thing: Abstract) -> bool:
        """Is it a container, or something from outside that no gradient belongs to? An item of it is no operation."""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        return isinstance(thing, (Const, Plain)) if cell is None else cell.owner is None and (
            cell.kind in ("list", "dict") or (self.is_untouched(cell) and cell.req.is_false))

    def holds_settings(self, thing: Abstract) -> bool:
        """Is it a container, a module, an object with nothing but attributes, or something that came from outside?"""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        if cell is not None and cell.owner is None:
            return cell.kind in ("list", "dict") or self.is_untouched(cell)
        owner = cell.owner if cell is not None else thing
        if isinstance(owner, ClassValue):
            made = {name for name, member in owner.members.items() if isinstance(member[0][1], Function)}
            return not owner.bases and made <= {"__init__"}
        return isinstance(thing, ModuleValue)

    @contextmanager
    def at_top_level(self) -> Iterator[None]:
        """Run as at the top level of a module that is no root: on every path, and little is called."""
        saved = self.pc, self.off_planned, self.off_existing, self.importing
        self.pc, self.off_planned, self.off_existing = self.algebra.true, self.algebra.false, self.algebra.false
        self.importing = True
        yield
        self.pc, self.off_planned, self.off_existing, self.importing = saved

    def carry_out(self, name: str, frame: Frame) -> None:
        """Bind a name of a module that somebody asks for now. No record of it stays: it belongs to no root."""
        waiting = self.outlines.of(frame.path).waiting[name]
        known = self.noted()
        visited, self.visited = self.visited, set()
        doing = self.raised, self.operations, self.unused, self.soft, self.lazy, self.bound_at
        self.unused, self.soft, self.lazy, self.bound_at = 0, 0, 0, None
        self.step()
        with self.at_top_level():
            statement, alias = waiting
            if isinstance(statement, ast.Import) and alias is not None:
                self.exec_Import(ast.Import([alias]), frame)
            elif isinstance(statement, ast.ImportFrom) and alias is not None:
                self.exec_ImportFrom(ast.ImportFrom(statement.module, [alias], statement.level), frame)
            elif isinstance(statement, ast.ClassDef):
                self.exec_ClassDef(statement, frame)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.exec_FunctionDef(statement, frame)
        self.raised, self.operations, self.unused, self.soft, self.lazy, self.bound_at = doing
        self.visited = visited
        self.forget_since(known)

    def function_at(self, path: str, node: ast.AST) -> Function | None:
        """The function that a definition in a module makes; None where the module's top level does not come to it."""
        names = self.module_frame(path).env
        if id(node) not in self.functions_seen:
            name = self.outlines.of(path).name_at(getattr(node, "lineno", 0))
            if name is not None:
                names.get(name)
        return self.functions_seen.get(id(node))

    def run_body(self, function: Function, frame: Frame) -> Value:
        """Execute a function; the result is what it returns on each path (a list of all yields for a generator)."""
        start = self.pc
        node = function.node
        off = self.algebra.false
        if id(node) in self.decorated:
            off = self.algebra.true
        existing = self.algebra.true if self.has_no_grad_decorator(function) else None
        with self.grad_off(off, existing):
            if isinstance(node, ast.Lambda):
                return self.eval(node.body, frame)
            failed, self.failed = self.failed, self.algebra.false
            self.run(node.body, frame)
            failed, self.failed = self.failed, failed
        if self.catching:
            self.thrown = self.thrown | failed
        forget = self.forgettable(failed, start, frame)
        out = self.returned(frame, start, self.const(None))
        ended = self.pc
        self.pc = self.algebra.any([self.pc, *[guard for guard, _ in frame.returns]]) & start
        if forget and frame.returns:
            # paths that failed go on with what another path returns, as good as anything
            other = self.returned(frame, start, choose(ended, self.const(None), frame.returns[-1][1]))
            vol = self.volatility(other)
            forget = not (self.pc.implies(vol) and not (failed & start).implies(vol))
            out = other if forget else out
        if forget:
            self.pc = (self.pc | failed) & start
        if self.pc.is_false:
            self.failed = self.failed | (failed & start)  # nor does who called it come any further
        if frame.yields:
            return self.new("list", items=containers.merged_items(self, tuple(frame.yields)))
        return self.limited(out)

    def returned(self, frame: Frame, start: Formula, out: Value) -> Value:
        """What an activation returns on each path; ``out`` where it comes to no ``return``.

        The first that a path comes to: behind a loop, what is forgotten of its rounds may have been a ``return``.
        """
        for guard, value in reversed(frame.returns):
            out = choose(guard, value, out) if guard is not start else value
        return out

    def forgettable(self, failed: Formula, start: Formula, frame: Frame) -> bool:
        """May paths that ended in an exception be taken to go on, so that what follows needs no such condition?

        They never come there, so nothing said of them is wrong; but where the exception hangs on what decides
        volatility, or on what decides what the receiver keeps (an ``__init__`` that checks its arguments first), what
        follows is to be told apart by it.
        """
        if failed.is_false or frame.is_root:
            return False
        asked = failed.support() - start.support()
        if not self.deciding.isdisjoint(asked):
            return False
        held = [thing for _, thing in frame.receiver or () if isinstance(thing, Ref) and any(
            asked & guard.support() for _, kept in self.heap[thing.cell].attrs for guard, _ in kept)]
        live = start & ~failed
        if held and (self.catching or self.away or live.is_false):
            return False
        for ref in held:
            self.keep_of_others(ref, failed, live)
        return True

    def keep_of_others(self, ref: Ref, failed: Formula, live: Formula) -> None:
        """What an object keeps on paths that ended in an exception nobody asks for: it is what it keeps on another."""
        def settled(kept: Value) -> Value:
            rows = ((self.algebra.ite(failed, self.algebra.where(guard, live), guard), thing) for guard, thing in kept)
            return tuple((guard, thing) for guard, thing in rows if not guard.is_false)

        cell = self.heap[ref.cell]
        self.heap[ref.cell] = cell.but(attrs=tuple((name, settled(kept)) for name, kept in cell.attrs))

    def has_no_grad_decorator(self, function: Function) -> bool:
        """Is there a ``@torch.no_grad()`` already?"""
        return any(isinstance(named, ast.Attribute) and named.attr in ("no_grad", "inference_mode")
                   for _, named in decorators(function.node))

    # --- suites ------------------------------------------------------------------------------------------------------

    def run(self, body: list[ast.stmt], frame: Frame) -> None:
        """Execute a suite, with grad mode off in the blocks that are planned."""
        end: int | None = None
        saved = self.off_planned
        for statement in body:
            if self.pc.is_false:
                break
            block = self.blocks.get(id(statement)) if end is None else None
            if block is not None:
                saved, end = self.off_planned, block.last
                off = self.algebra.true if block.off is None else self.truth_of(self.eval(block.off, frame))[0]
                if not (self.pc & (saved | self.off_existing) & ~off).is_false:
                    self.reentered.add(id(statement))
                self.off_planned = saved | off
            before = self.pc
            self.execute(statement, frame)
            if self.pc.is_false and statement is not body[-1]:
                self.go_on(statement, before, frame)
            if end is not None and id(statement) == end:
                self.off_planned, end = saved, None
        if end is not None:
            self.off_planned = saved

    def go_on(self, node: ast.stmt, before: Formula, frame: Frame) -> None:
        """Where a statement raises on every path of the root, what stands behind it is run: that is no way to end.

        Either it is a slip, and who mends it comes there, or the analysis knows too little of what the statement does.
        Of one path among others nothing is said: that it ends here is what its conditions say. Nor of what is caught.
        """
        alone = all(w is None or w.implies(before) for w in (frame.suspended, frame.leaving))
        caught = frame.trying or self.catching or leaves_early(node)
        if not frame.is_root or not alone or caught or not all(guard.is_false for guard, _ in frame.returns):
            return
        if before.implies(self.failed):  # and was not asked for gradients that 0.3 did not have
            self.pc, self.failed = before, self.failed & ~before

    def execute(self, node: ast.stmt, frame: Frame) -> None:
        """Execute one statement."""
        self.step()
        self.visited.add(id(node))
        method: Callable[[Any, Frame], None] | None = getattr(self, f"exec_{type(node).__name__}", None)
        if method is not None:
            method(node, frame)

    # --- simple statements -------------------------------------------------------------------------------------------

    def exec_Expr(self, node: ast.Expr, frame: Frame) -> None:  # noqa: N802
        self.unused = id(node.value)
        unbound, self.unbound = self.unbound, True
        self.eval(node.value, frame)
        self.unbound = unbound
        self.unused = 0

    def exec_Assign(self, node: ast.Assign, frame: Frame) -> None:  # noqa: N802
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
            self.consume(node.value)
        value = self.eval_bound(node, node.value, frame)
        for asked, names in asked_by(node):
            value = self.by_class(value, asked, frame, *names)
        for target in node.targets:
            if isinstance(target, ast.Attribute) and target.attr == "volatile":
                self.test_again(node.value, value, frame)
            self.bind(target, value, frame, sure=True)

    def eval_bound(self, node: ast.Assign | ast.AnnAssign, value: ast.expr, frame: Frame) -> Value:
        """What an assignment binds. Of an import it is as good as nothing where nobody asks for one of its names."""
        unbound = self.unbound
        if self.importing and isinstance(frame.node, ast.Module):
            names = bound_by(node)
            self.unbound = unbound or (bool(names) and self.outlines.of(frame.path).unread.issuperset(names))
        out = self.eval(value, frame)
        self.unbound = unbound
        return out

    def exec_AnnAssign(self, node: ast.AnnAssign, frame: Frame) -> None:  # noqa: N802
        if node.value is not None:
            value = self.eval_bound(node, node.value, frame)
            if isinstance(frame.node, ast.ClassDef) and is_word(value):
                value = self.data(ast.unparse(node.target))  # of a field (dataclass, NamedTuple) it is but the default
            self.bind(node.target, value, frame, sure=True)

    def exec_AugAssign(self, node: ast.AugAssign, frame: Frame) -> None:  # noqa: N802
        target: ast.expr = node.target
        old = self.eval(target, frame)
        value = self.eval(node.value, frame)
        if plain.takes_plain_alone(node.op, old):
            self.bind(target, old, frame, sure=True)
            return
        if isinstance(node.op, ast.Add):
            if self.grows_layers(old, value):
                return
            if self.is_list(old):
                value = self.gone_over(value, node.value, frame)
                if isinstance(node.value, (ast.List, ast.ListComp)):  # else it may be a tuple: a new one comes of it
                    self.grow_lists(old, value, node, frame)
                    self.bind(target, old, frame, sure=True)
                    return
            joined = self.joined_lists(old, value)
            if joined is not None:
                self.bind(target, joined, frame, sure=True)
                return
        tensors = [isinstance(thing, Ref) and self.heap[thing.cell].kind == "tensor" for _, thing in old]
        if all(tensors):
            for guard, thing in old:
                with self.narrowed(guard):
                    if isinstance(thing, Ref) and not self.pc.is_false:
                        self.inplace(thing, "__iadd__", [value], {}, node, frame)
            if isinstance(target, ast.Subscript) and not self.volatility(old).is_false:
                self.write_item(target, old, frame)  # Python puts it back where it was taken out
            return
        for (guard, thing), is_tensor in zip(old, tensors, strict=True):
            if is_tensor and isinstance(thing, Ref):  # its other names see it, too
                with self.narrowed(guard):
                    self.inplace(thing, "__iadd__", [value], {}, node, frame)
            elif isinstance(thing, Ref) and self.heap[thing.cell].kind == "unknown" and not self.pc.excludes(guard):
                cell = self.heap[thing.cell]
                if not cell.made:  # no operation in view gave it: others may have it, and what is added stays there
                    self.liveness.mark(self.pc & guard & ~cell.vol, [single(thing, self.algebra), value])
        self.bind(target, self.operate(node, frame, [old, value], text="augmented assignment"), frame, sure=True)

    def grow_lists(self, lists: Value, more: Value, node: ast.AugAssign, frame: Frame) -> None:
        """``rows += [row]``: the list takes it in and stays the object that it is, whichever of several it is."""
        for guard, thing in lists:
            with self.narrowed(guard):
                if isinstance(thing, Ref) and not self.pc.is_false:
                    containers.container_method(self, containers.Call(thing, "extend", [more], {}, node.value, frame))

    def is_list(self, value: Value) -> bool:
        """Is it a list that was made in view? What is added to it, or put in its place, is gone over."""
        return all(isinstance(thing, Ref) and self.heap[thing.cell].kind == "list" for _, thing in value)

    def exec_Return(self, node: ast.Return, frame: Frame) -> None:  # noqa: N802
        value = self.eval(node.value, frame)
        owner = frame
        owner.returns.append((self.pc, value))
        if frame.is_root:
            self.store(CALLER, node, frame, value, reachable=id(frame.node) not in self.private)
            self.check_cut(node, frame, self.leaves([value]))
        self.pc = self.algebra.false

    def exec_Raise(self, node: ast.Raise, frame: Frame) -> None:  # noqa: N802
        self.liveness.mark(self.pc, [self.eval(node.exc, frame)])
        self.failed = self.failed | self.pc
        if frame.trying:
            self.keep_waiting(frame)
        if id(node) not in followed(frame.node):  # what stands behind it is there for whoever takes it out
            self.pc = self.algebra.false

    def exec_Assert(self, node: ast.Assert, frame: Frame) -> None:  # noqa: N802
        """It narrows what stands behind it, and is no end of it: ``python -O`` comes there, and who does the TODO."""
        holds = self.test(node.test, frame)
        if self.pc.excludes(holds) and id(node) in followed(frame.node):
            return
        self.failed = self.failed | (self.pc & ~holds)
        self.pc = self.pc & holds

    def exec_Delete(self, node: ast.Delete, frame: Frame) -> None:  # noqa: N802
        for target in node.targets:
            if isinstance(target, ast.Name) and self.pc.is_true:
                frame.env.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                for guard, thing in self.eval(target.value, frame):
                    if isinstance(thing, Ref) and self.heap[thing.cell].kind in ("list", "dict"):
                        containers.scramble(self, thing, guard)
                    elif isinstance(thing, Ref):
                        self.resized.add(thing.cell)
                        self.ask_unasked(target, frame, self.heap[thing.cell], "__delitem__")

    def exec_Break(self, node: ast.Break, frame: Frame) -> None:  # noqa: N802
        if frame.loops:
            frame.loops[-1].broke = frame.loops[-1].broke | self.pc
            self.keep_waiting(frame)
        self.pc = self.algebra.false

    def exec_Continue(self, node: ast.Continue, frame: Frame) -> None:  # noqa: N802
        if frame.loops:
            frame.loops[-1].continued = frame.loops[-1].continued | self.pc
            self.keep_waiting(frame)
        self.pc = self.algebra.false

    def keep_waiting(self, frame: Frame) -> None:
        """The current path leaves the loop's body early: it waits until the body is done."""
        frame.leaving = self.pc if frame.leaving is None else frame.leaving | self.pc

    def exec_Global(self, node: ast.Global, frame: Frame) -> None:  # noqa: N802
        frame.outer_names.update(node.names)

    def exec_Nonlocal(self, node: ast.Nonlocal, frame: Frame) -> None:  # noqa: N802
        frame.outer_names.update(node.names)

    # --- definitions and imports -------------------------------------------------------------------------------------

    def exec_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:  # noqa: N802
        function = self.function(node, frame)
        self.see(function)
        value = single(function, self.algebra)
        for decorator in reversed(node.decorator_list):
            text = ast.unparse(decorator)
            if text in (f"{node.name}.setter", f"{node.name}.deleter"):
                return  # the name goes on meaning the property, which is read through its getter
            if text in ("property", "staticmethod", "classmethod") or text.endswith(("no_grad()", "wraps(f)")):
                continue
            value = self.through_decorator(decorator, value, node, frame)
        self.assign(frame, node.name, value)

    exec_AsyncFunctionDef = exec_FunctionDef  # noqa: N815

    def through_decorator(self, decorator: ast.expr, value: Value, node: ast.AST, frame: Frame) -> Value:
        """What a decorator of the project makes of a function; an unknown one is taken to call it."""
        count = len(self.facts)
        applied = self.eval(decorator, frame)
        by = applied[0][1] if len(applied) == 1 else None
        if isinstance(by, Function):
            value = self.call_value(applied, [value], {}, node, frame)
        else:
            self.open_functions([value])
        if isinstance(by, ClassValue) and self.training is not None and any(
                self.training.trains(thing.path, thing.node)
                for _, thing in by.lookup("__call__") or () if isinstance(thing, Function)):
            value = self.unknown()  # an object that trains whenever it is called
        del self.facts[count:]
        return value

    def exec_ClassDef(self, node: ast.ClassDef, frame: Frame) -> None:  # noqa: N802
        bases = []
        for base in node.bases:
            value = self.eval(base, frame)
            bases.append(value[0][1] if len(value) == 1 else Const(None))
        cls = ClassValue(frame.path, node, frame, tuple(bases))
        body = Frame(frame.path, node, cls.members, frame.globals or frame, frame, (*frame.chain, node), owner=cls)
        self._alive.append(body)
        self.run(node.body, body)
        self.liveness.mark(self.pc, cls.members.values())
        for name, value in list(cls.members.items()):
            if len(value) == 1 and isinstance(value[0][1], Function) and value[0][1].owner is None:
                cls.members[name] = single(replace(value[0][1], owner=cls), self.algebra)
        self.assign(frame, node.name, single(cls, self.algebra))

    def exec_Import(self, node: ast.Import, frame: Frame) -> None:  # noqa: N802
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            self.assign(frame, alias.asname or name, self.imported(frame.path, name, 0))

    def exec_ImportFrom(self, node: ast.ImportFrom, frame: Frame) -> None:  # noqa: N802
        path = self.index.find(frame.path, node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self.import_star(path, node, frame)
            else:
                self.assign(frame, alias.asname or alias.name, self.imported_name(path, node, alias.name, frame))

    def imported(self, importer: str, module: str, level: int) -> Value:
        path = self.index.find(importer, module, level)
        return single(ModuleValue(path) if path is not None else Extern(canonical(module)), self.algebra)

    def imported_name(self, path: str | None, node: ast.ImportFrom, name: str, frame: Frame) -> Value:
        if path is None:
            return single(Extern(canonical(f"{node.module}.{name}")), self.algebra)
        found = self.module_frame(path).env.get(name) if path in self.trees else None
        if found is not None:
            return found
        inside = self.index.within(path, name)
        if inside is not None:
            return single(ModuleValue(inside), self.algebra)
        return self.unknown(name)

    def can_be_read(self, importer: str, node: ast.ImportFrom) -> bool:
        """Is what a module imports from there a module of the project, or torch?"""
        module = node.module or ""
        return self.index.find(importer, module, node.level) in self.trees or library.is_torch(module)

    def import_star(self, path: str | None, node: ast.ImportFrom, frame: Frame) -> None:
        if path is None:
            if "Variable" in library.STARS.get(node.module or "", ()):
                self.assign(frame, "Variable", single(Extern(VARIABLE), self.algebra))
            return
        if path in self.trees:
            source = self.module_frame(path).env
            names = source.names() if isinstance(source, ModuleNames) else list(source)
            public = [name for name in names if not name.startswith("_")]
            if isinstance(source, ModuleNames) and isinstance(frame.env, ModuleNames) and self.pc.is_true:
                frame.env.bring(public, source, node.lineno)
                return
            for name in public:
                value = source.get(name)
                if value is not None:
                    self.assign(frame, name, value)

    # --- compound statements -----------------------------------------------------------------------------------------

    def exec_If(self, node: ast.If, frame: Frame) -> None:  # noqa: N802
        formula = self.unknown_truth() if id(node) in self.switches else self.test(node.test, frame)
        asked = none_test(node.test) if not self.none_counts else None
        before = frame.env.get(asked[0]) if asked is not None else None
        start = self.pc
        then, other = start & formula, start & ~formula
        self.pc = then
        self.note_dead(node.body)
        with self.suspend(frame, other):
            self.run(node.body, frame)
        after = self.pc
        self.pc = other
        self.note_dead(node.orelse)
        with self.suspend(frame, after):
            self.run(node.orelse, frame)
        self.pc = start if after is then and self.pc is other else self.pc | after
        after_it = frame.env.get(asked[0]) if asked is not None else None  # a loop may have let go of it
        if asked is not None and before is not None and after_it is not None and after_it is not before:
            old = frozenset(thing for _, thing in before)
            none = start & (formula if asked[1] else ~formula)
            new = tuple((guard, thing) for guard, thing in after_it if thing not in old)
            frame.env[asked[0]] = absent_where(after_it, old, none, self.volatility(new))

    def note_dead(self, body: list[ast.stmt]) -> None:
        """Remember an arm that no path takes."""
        if self.pc.is_false:
            self.dead.update(id(node) for statement in body for node in walk(statement))

    def exec_With(self, node: ast.With | ast.AsyncWith, frame: Frame) -> None:  # noqa: N802
        planned, existing, swallows = self.algebra.false, self.algebra.false, False
        paused: list[tuple[Frame, list[ast.stmt]]] = []
        entered: list[tuple[Value, ast.expr]] = []
        start = self.pc
        for item in node.items:
            off = self.existing_mode(item.context_expr, frame)
            if off is not None:
                existing = existing | off
                continue
            outer, self.managers = self.managers, []
            value = self.by_class(self.eval(item.context_expr, frame), item.context_expr, frame, *BY_WITH)
            made, self.managers = self.managers, outer
            paused = [*made, *paused]
            if made:
                value = self.element(value)
            self.call_special([value], item.context_expr, frame)
            for thing in (t for _, t in value if isinstance(t, Ref)):
                self.ask_unasked(item.context_expr, frame, self.heap[thing.cell], "__enter__", "__exit__")
            entered.append((value, item.context_expr))
            self.run_special(value, "__enter__", [], item.context_expr, frame)
            swallows = swallows or self.may_swallow(item.context_expr, value, frame)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, frame)
        with self.grad_off(planned, existing):
            if swallows:
                self.run_swallowing(node.body, frame)
            else:
                self.run(node.body, frame)
        left, self.pc = self.pc, start
        for value, node_of in reversed(entered):
            self.run_special(value, "__exit__", [self.const(None)] * 3, node_of, frame)
            self.pc = start
        self.pc = left
        self.run_on(paused, start)

    def run_special(self, value: Value, name: str, args: list[Value], node: ast.AST, frame: Frame) -> None:
        """What a short ``__enter__`` or ``__exit__`` of a class in view does to its object, and to what that holds."""
        for guard, thing in value:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            method = cell.owner.lookup(name) if cell is not None and cell.owner is not None else None
            function = method[0][1] if method is not None and len(method) == 1 else None
            if isinstance(function, Function) and self.worth_entering(function, args):
                with self.narrowed(guard):
                    self.call_function(function, single(thing, self.algebra), args, {}, node, frame)

    exec_AsyncWith = exec_With  # noqa: N815

    def run_on(self, paused: list[tuple[Frame, list[ast.stmt]]], start: Formula) -> None:
        """At the end of a ``with``, however it was left, its managers run what stands behind their ``yield``."""
        left, self.pc = self.pc, start
        for manager, rest in paused if not start.is_false else ():
            manager.paused = None
            self.run(rest, manager)
            self.pc = start
        self.pc = left

    def may_swallow(self, node: ast.expr, value: Value, frame: Frame) -> bool:
        """May a context manager keep an exception to itself, so that what follows the block runs?"""
        plainly = isinstance(node, ast.Call) and not any(isinstance(n, ast.Call) for n in walk(node.func))
        made = self.eval(node.func, frame) if isinstance(node, ast.Call) and plainly else value
        if all(isinstance(thing, Extern) for _, thing in made):
            return any(isinstance(thing, Extern) and thing.name in SWALLOWING for _, thing in made)
        if all(isinstance(thing, Function) for _, thing in made):  # one that contextlib makes a manager of
            return any(isinstance(thing, Function) and catches(thing.node) for _, thing in made)
        owners = [self.heap[thing.cell].owner if isinstance(thing, Ref) else None for _, thing in value]
        exits = [owner.lookup("__exit__") if owner is not None else None for owner in owners]
        return not all(found is not None and all(
            isinstance(thing, Function) and gives_nothing(thing.node) for _, thing in found) for found in exits)

    def run_swallowing(self, body: list[ast.stmt], frame: Frame) -> None:
        """A suite whose exceptions may end with it."""
        before, self.failed, self.thrown = (self.failed, self.thrown), self.algebra.false, self.algebra.false
        waiting = frame.leaving
        frame.trying += 1
        self.catching += 1
        with self.in_suite(frame):
            for number in range(len(body)):
                if self.run_step(body, number, frame):
                    break
                self.note_leaving(frame, self.failed | self.thrown)
        frame.trying -= 1
        self.catching -= 1
        raised = self.failed | self.thrown
        self.failed, self.thrown = before[0] | self.failed, before[1] | self.thrown
        self.pc = self.pc | (raised & self.unknown_truth())
        self.gather(frame, waiting)

    def run_step(self, body: list[ast.stmt], number: int, frame: Frame) -> bool:
        """Run a statement of a suite, or, so that its end is seen, all that is left where a planned block begins."""
        planned = id(body[number]) in self.blocks
        self.run(body[number:] if planned else [body[number]], frame)
        return planned

    def note_leaving(self, frame: Frame, waiting: Formula) -> None:
        """Paths of the activation that left a suite go on after it with what its names held."""
        frame.leaving = waiting if frame.leaving is None else frame.leaving | waiting

    def existing_mode(self, node: ast.expr, frame: Frame) -> Formula | None:
        """Where a context manager of the author's switches grad mode off; None for any other context manager."""
        if not isinstance(node, ast.Call):
            return None
        function = self.eval(node.func, frame)
        if len(function) != 1 or not isinstance(function[0][1], Extern):
            return None
        name = function[0][1].name
        if name in ("torch.no_grad", "torch.inference_mode"):
            return self.algebra.true
        if name == "torch.set_grad_enabled" and node.args:
            return ~self.truth_of(self.eval(node.args[0], frame))[0]
        if name == "torch.enable_grad":
            return self.algebra.false
        return None

    def exec_Try(self, node: ast.Try, frame: Frame) -> None:  # noqa: N802
        start, raised, waiting = self.pc, self.algebra.false, frame.leaving
        before, self.failed, self.thrown = (self.failed, self.thrown), raised, raised
        frame.trying += bool(node.handlers)
        self.catching += 1
        told = bool(node.handlers) or asks_what_it_binds(node)
        with self.in_suite(frame):
            for number in range(len(node.body)):
                if told and number < MAX_RAISE_POINTS:
                    fails = self.unknown_truth()
                    raised = raised | (self.pc & fails)
                    self.pc = self.pc & ~fails
                if self.run_step(node.body, number, frame):
                    break
                if told:
                    self.note_leaving(frame, raised | self.failed | self.thrown)
        raised = raised | self.failed | self.thrown
        frame.trying -= bool(node.handlers)
        self.catching -= 1
        outside = self.algebra.false if node.handlers else raised
        self.failed, self.thrown = before[0] | outside, before[1] | outside
        self.run_handlers(node, frame, start, raised)
        self.gather(frame, waiting)

    def run_handlers(self, node: ast.Try, frame: Frame, start: Formula, raised: Formula) -> None:
        with self.in_suite(frame):
            self.run(node.orelse, frame)
        after = self.pc
        for handler in node.handlers:
            chosen = self.unknown_truth() if handler is not node.handlers[-1] else self.algebra.true
            self.pc = raised & chosen
            raised = raised & ~chosen
            with self.suspend(frame, after | raised):
                if handler.name is not None and not self.pc.is_false:
                    self.assign(frame, handler.name, self.plain())
                self.run(handler.body, frame)
            after = after | self.pc
        self.pc = after
        if node.finalbody:
            left = start & ~after
            self.pc = start if frame.paused is None else start & ~frame.paused
            self.run(node.finalbody, frame)
            self.pc = self.pc & ~left

    exec_TryStar = exec_Try  # noqa: N815

    def exec_Match(self, node: ast.Match, frame: Frame) -> None:  # noqa: N802
        subject = self.eval(node.subject, frame)
        start, after = self.pc, self.algebra.false
        for case in node.cases:
            chosen = self.unknown_truth()
            self.pc = start & chosen
            for name in [
                n.name for n in walk(case.pattern) if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name
            ]:
                self.assign(frame, name, self.unknown(vol=self.volatility(subject), sites=self.origins(subject),
                                                      made=self.liveness.made_or_not([subject])))
            with self.in_suite(frame):
                self.run(case.body, frame)
            after = after | self.pc
            start = start & ~chosen
        self.pc = after | start

    # --- targets -----------------------------------------------------------------------------------------------------

    def bind(self, target: ast.expr, value: Value, frame: Frame, sure: bool = False) -> None:
        """Assign ``value`` to a name, attribute, item or tuple of targets; ``sure``: as a statement of its suite."""
        self.visited.add(id(target))
        if isinstance(target, ast.Name):
            self.bind_name(target.id, value, frame, sure)
        elif isinstance(target, (ast.Tuple, ast.List)):
            value = self.gone_over(value, target, frame)
            for item, part in zip(target.elts, self.parts_for(target, value, frame), strict=True):
                self.bind(item.value if isinstance(item, ast.Starred) else item, part, frame, sure)
        elif isinstance(target, ast.Attribute):
            self.write_attribute(self.eval(target.value, frame), target.attr, value, target, frame)
        elif isinstance(target, ast.Subscript):
            self.write_item(target, value, frame)

    def bind_name(self, name: str, value: Value, frame: Frame, sure: bool = False) -> None:
        if isinstance(frame.node, ast.Module) and all(
                isinstance(t, Const) and (t.value is None or isinstance(t.value, (bool, int))) for _, t in value):
            value = self.setting(value, name)
        elif isinstance(frame.node, ast.ClassDef) and is_switch(value):
            value = self.setting(value, name)  # Config.test = False may stand anywhere
        if self.is_rebound(name, frame) and is_word(value):
            value = self.data(name)
        if name in frame.outer_names:
            scope = around(frame, frame)
            while scope is not None and name not in scope.env:
                scope = around(scope, frame)
            target = scope or frame.globals or frame
            self.assign(target, name, value, outer=True)
            self.store("a global", frame.node, frame, value, name=name)
            return
        self.assign(frame, name, value, sure=sure)

    def is_rebound(self, name: str, frame: Frame) -> bool:
        """Is a name of a module or class bound from elsewhere, too?"""
        if isinstance(frame.node, ast.ClassDef):
            return bool(frame.node.decorator_list) or self.rebound.member(name)
        return isinstance(frame.node, ast.Module) and self.rebound.name(name)

    def setting(self, value: Value, name: str) -> Value:
        """A module's constant is a setting that people edit: conditions on it can go both ways."""
        if all(isinstance(t, Const) and isinstance(t.value, bool) for _, t in value):
            return self.truth(self.algebra.atom(self.algebra.fresh()))
        return self.unknown(name) if any(isinstance(t, Const) and t.value is None for _, t in value) else value

    def parts_for(self, target: ast.Tuple | ast.List, value: Value, frame: Frame) -> list[Value]:
        """A value for each of the targets; a starred one gets the list of what the others leave."""
        count = len(target.elts)
        star = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if star is None:
            return self.unpacked(value, count, target, frame)
        items = containers.exact_items(self, value)
        if items is not None and len(items) >= count - 1:
            end = len(items) - (count - 1 - star)
            return [*items[:star], self.sequence(items[star:end]), *items[end:]]
        parts = [self.element(value) for _ in range(count)]
        parts[star] = self.new("list", items=tuple((self.unknown_truth(), self.element(value)) for _ in range(2)))
        return parts

    def unpacked(self, value: Value, count: int, node: ast.AST, frame: Frame) -> list[Value]:
        """The ``count`` parts of a value that is unpacked."""
        parts: list[Value] | None = None
        # where it has another length it raises: such a path goes on with what another one has, as good as anything
        fitting = [(guard, thing) for guard, thing in value if frame.trying or not self.has_other_length(thing, count)]
        for guard, thing in fitting or value:
            some = self.thing_parts(thing, count, node, frame)
            parts = some if parts is None else [choose(guard, a, b) for a, b in zip(some, parts, strict=True)]
        return parts if parts is not None else [self.unknown() for _ in range(count)]

    def has_other_length(self, thing: Any, count: int) -> bool:
        """Is it a tuple or list of another number of items? To unpack it raises."""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        return cell is not None and cell.kind == "list" and cell.exact and len(cell.items) != count

    def thing_parts(self, thing: Any, count: int, node: ast.AST, frame: Frame) -> list[Value]:
        if not isinstance(thing, Ref):
            return [self.plain() for _ in range(count)]
        cell = self.heap[thing.cell]
        if cell.kind in ("list", "dict"):
            if cell.exact and len(cell.items) == count:
                return [item for _, item in cell.items]
            return [self.element(single(thing, self.algebra)) for _ in range(count)]
        if cell.kind == "tensor":
            self.touch_iterable(single(thing, self.algebra), node, frame)
        elif cell.kind == "unknown":
            self.ask_items(cell, node, frame)
        parts = [self.derived(thing, f"[{index}]") for index in range(count)]
        for part in parts if cell.kind == "tensor" else ():
            self.note_several(part, several=False)
        return parts

    def write_attribute(self, value: Value, name: str, new: Value, node: ast.AST, frame: Frame) -> None:
        """``value.name = new``: flags of tensors, or an attribute of an object."""
        kept = new
        if self.lasting is not None and is_constant(new) and self.lasting.is_bound_for_good(frame.path, node):
            pass
        elif self.importing and is_constant(new) and any(isinstance(thing, Ref) for _, thing in value):
            kept = self.configured(new, name)  # of an object that a module holds: aliases, files, merges reach it
        elif self.importing and is_switch(new):
            kept = self.setting(new, name)
        elif self.importing and is_word(new) and self.rebound.attribute(name, self.has_member(value, name)):
            kept = self.data(name)
        elif self.importing and self.has_member(value, name):
            kept = self.maybe_patched(new, name, ours=True)
        for guard, thing in value:
            if isinstance(thing, ClassValue):
                old = thing.members.get(name) or self.const(None)
                thing.members[name] = self.limited(choose(self.pc & guard, kept, old))
            elif isinstance(thing, ModuleValue):
                self.set_in_module(thing, guard, name, kept)
            if not isinstance(thing, Ref):
                self.keep_in_view(thing, name, new, node, frame)
                continue
            cell = self.heap[thing.cell]
            if name == "volatile" and cell.kind in ("tensor", "unknown") and cell.owner is None and (
                    not self.is_setting_of(cell, node, frame)):
                self.write_volatile(thing, guard, new, node, frame)
            elif name == "requires_grad" and cell.kind in ("tensor", "unknown"):
                formula = self.truth_of(new)[0]
                if self.is_weights(thing):
                    self.ask_weights(thing, guard, formula, node)
                    continue
                self.update(thing, guard, req=formula & ~cell.vol)
            elif name in ("data", "grad") and cell.kind in ("tensor", "unknown"):
                continue
            else:
                self.ask_unasked(node, frame, cell, f"{name}=", "__setattr__")
                self.liveness.mark(self.pc, [new])
                self.set_attr(thing, guard, name, kept)
                if cell.owner is not None and cell.text == "self":
                    tensor, found = bool(self.leaves([new])), cell.attr(name)
                    before = self.volatility(found) if found is not None else None
                    self.attribute_writes.append(AttributeWrite(
                        cell.owner.node.name, name, self.pc & guard, self.volatility(new), self.sites_of(new), tensor,
                        before, (frame.path, node), self.is_idle(new), new))
                if cell.kind == "unknown" or frame.is_root:
                    owner = cell.owner.node.name if cell.owner is not None else cell.text
                    self.store("an attribute", node, frame, new, name=name, owner=owner,
                               foreign=self.is_foreign(thing), holder=thing.cell)

    def set_in_module(self, module: ModuleValue, guard: Formula, name: str, new: Value) -> None:
        """``module.name = new``: tensors, and a switch that is thrown here; functions that others put are ``rebound``.

        What a switch was before says nothing of what it is from here on.
        """
        there = self.module_frame(module.path)
        switch = not self.importing and all(isinstance(thing, (Const, Truth, Plain)) for _, thing in new)
        if switch or self.leaves([new, there.env.get(name, ())]):
            with self.narrowed(guard):
                self.assign(there, name, new, outer=True)

    def keep_in_view(self, thing: Abstract, name: str, new: Value, node: ast.AST, frame: Frame) -> None:
        """What is set on a module, a class or a function is there for whoever asks for it by its name."""
        of_class = thing.node.name if isinstance(thing, ClassValue) else ""
        if isinstance(thing, (ModuleValue, Extern)):
            self.store("a global", node, frame, new, name=name, foreign=isinstance(thing, Extern))
        elif not isinstance(thing, (Plain, Const, Truth)):
            self.store("an attribute", node, frame, new, name=name, owner=of_class)

    def has_member(self, value: Value, name: str) -> bool:
        """Is an attribute there already, on the class or on the object?"""
        for _, thing in value:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            owner = thing if isinstance(thing, ClassValue) else cell.owner if cell is not None else None
            if (cell is not None and cell.attr(name) is not None) or (owner is not None and owner.lookup(name)):
                return True
        return False

    def write_volatile(self, ref: Ref, guard: Formula, new: Value, node: ast.AST, frame: Frame) -> None:
        """``x.volatile = new``: on the object itself, whatever other names it has; a result freed of it is a leaf."""
        formula = self.truth_of(new)[0]
        key = frame.key(node)
        cell = self.heap[ref.cell]
        if node in self.on_data and key not in self.refused:
            self.writes.append(VolatileWrite(frame.path, node, self.pc & guard, cell.vol, formula, "data", "data",
                                             len(frame.chain), on_data=True))
            return
        if self.is_weights(ref) and key not in self.refused:
            self.freeze(ref, guard, formula, node, key, frame)
            return
        if key in self.refused:
            # the line stays as it is: what it freed on 0.3 must keep its graph, what it made volatile is left alone
            freed = self.pc & guard & cell.vol & ~formula
            sites = cell.sites | (frozenset({key}) if not formula.is_false else frozenset())
            self.changes += 1
            self.heap[ref.cell] = replace(cell, vol=cell.vol & ~freed, sites=sites)
            return
        if not (self.pc & guard & formula).is_false:
            self.on.add(key)
        self.writes.append(VolatileWrite(frame.path, node, self.pc & guard, cell.vol, formula, cell.kind, cell.origin,
                                         len(frame.chain), self.left_among(cell.sites), required=cell.req,
                                         held=self.is_held(ref)))
        sites = cell.sites | (frozenset({key}) if not formula.is_false else frozenset())
        where = self.pc & guard
        freed = where & cell.vol & ~formula
        self.deciding |= formula.support() | where.support()
        self.changes += 1
        vol, req = self.algebra.ite(where, formula, cell.vol), cell.req & ~freed
        self.heap[ref.cell] = replace(cell, vol=vol, req=req, sites=sites, worded=None)
        self.hand_on(cell, where, {"vol": vol, "req": req, "sites": sites})

    def is_held(self, ref: Ref) -> bool:
        """Is an object in a container, or an attribute of something?"""
        return any(thing == ref for cell in self.heap.values() for _, value in (*cell.items, *cell.attrs)
                   for _, thing in value)

    def write_table(self, network: Value, table: ast.Attribute, index: Value, value: Value, frame: Frame) -> None:
        """``net._modules['act'] = layer``: what a network is asked for as an attribute, it takes from there."""
        key = index[0][1] if len(index) == 1 else None
        if isinstance(key, Const) and isinstance(key.value, str):
            held = {key.value: value}
        else:  # which one, nobody can say
            held = {name: choose(self.unknown_truth(), value, old) for _, thing in network if isinstance(thing, Ref)
                    for name, old in self.heap[thing.cell].attrs}
        for name, new in held.items():
            named = ast.copy_location(ast.Attribute(table.value, name, ast.Store()), table)
            self.write_attribute(network, name, new, named, frame)

    def write_item(self, target: ast.Subscript, value: Value, frame: Frame) -> None:
        """``x[i] = value``: an entry of a container, or an in-place write into a tensor."""
        table, network = target.value, None
        if isinstance(table, ast.Attribute) and table.attr in _OF_ATTRIBUTES:
            network = self.eval(table.value, frame)
            self.visited.add(id(table))
            receiver = self.attribute(network, table.attr, table, frame)
        else:
            receiver = self.eval(table, frame)
        index = self.eval(target.slice, frame)
        cells = [(g, self.heap[t.cell]) for g, t in receiver if isinstance(t, Ref)]
        self.resized.update(t.cell for _, t in receiver if isinstance(t, Ref))
        # what a tensor takes ``inplace`` looks at, and for containers ``put``
        taken = self.algebra.any(g if c.kind in ("tensor", "list", "dict") else g & c.vol for g, c in cells)
        self.liveness.mark(self.pc & ~taken, [value])
        if network is not None and isinstance(table, ast.Attribute):
            self.write_table(network, table, index, value, frame)
        key = self.key_text(index)
        if isinstance(target.slice, ast.Slice) and self.is_list(receiver):
            value = self.gone_over(value, target, frame)
        value = self.entry(value, key, frame)
        if id(target) in self.written:
            self.written[id(target)].append(value)
        for guard, thing in receiver:
            if not isinstance(thing, Ref):
                if shows_names(target.value):
                    self.store("a global", target, frame, value)
                elif not self.volatility(value).is_false:
                    self.operate(target, frame, [value], text="item write")
                continue
            cell = self.heap[thing.cell]
            if cell.kind == "tensor":
                with self.narrowed(guard):
                    self.inplace(thing, "__setitem__", [self.written_by(index), value], {}, target, frame)
            elif cell.kind in ("list", "dict"):
                self.changes += 1
                self.store_at_top(thing, target, frame, [value])
                containers.put(self, thing, [value])
                containers.put_item(self, thing, guard, index, value, isinstance(target.slice, ast.Slice))
            else:
                by = self.written_by(index)
                put = value if self.volatility(by).is_false else choose(self.unknown_truth(), by, value)
                self.write_unknown_item(thing, guard, key, put, target, frame)

    def written_by(self, index: Value) -> Value:
        """An index as a write takes it: alone it makes the tensor volatile (16.06), and no gradient goes to it."""
        index = self.of_tensor(index)
        vol = self.volatility(index)
        if vol.is_false:
            return self.plain()
        return self.new("tensor", vol=vol, sites=self.origins(index), assumed=self.assumed_of(index),
                        made=self.liveness.made_or_not([index]))

    def write_unknown_item(self, ref: Ref, guard: Formula, key: str | None, value: Value, node: ast.AST,
                           frame: Frame) -> None:
        cell = self.heap[ref.cell]
        if key is not None:
            self.set_attr(ref, guard, key, value)
        vol = self.volatility(value)
        if vol.is_false:
            return
        if cell.kind == "unknown" and not self.computes_items and all(
                isinstance(t, Ref) and self.heap[t.cell].kind == "dict" for _, t in value):
            self.note_container(ref, guard)
        elif cell.origin == "call":  # most likely a tensor with a graph, which the write took away on 0.3
            where = self.pc & guard & vol & cell.req & ~cell.vol & ~self.is_copied(cell)
            self.record(node, frame, where, self.algebra.false, value, text="item write",
                        blocked="a volatile value is written into what may have a graph")
        self.store("an item of something unknown", node, frame, value, foreign=self.is_foreign(ref))
        before = self.under_another(cell) if key is not None and is_worded(key) and not self.computes_items else None
        self.update(ref, guard, vol=cell.vol | vol, sites=cell.sites | self.origins(value))
        if before is not None:
            cell = self.heap[ref.cell]
            self.heap[ref.cell] = cell.but(worded=(cell.vol, before))


def shows_names(node: ast.expr) -> bool:
    """``globals()``, ``vars(thing)``, ``thing.__dict__``: is it the mapping of somebody's names?"""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("globals", "vars")


def _is_truth(value: Value) -> bool:
    """Is it nothing but a truth value?"""
    return all(isinstance(t, Truth) or (isinstance(t, Const) and isinstance(t.value, bool)) for _, t in value)


def _is_data(value: Value) -> bool:
    """Is it plain data, or a truth value?"""
    return all(isinstance(t, (Const, Plain, Truth)) for _, t in value)


@of_node
def followed(body: ast.AST) -> frozenset[int]:
    """The simple statements of a body behind which something stands: in their suite, or behind a ``with``."""
    found: set[int] = set()
    suites = (getattr(node, field, None) for node in walk(body) for field in ("body", "orelse", "finalbody"))
    for suite in suites:
        for statement in suite[:-1] if isinstance(suite, list) else ():
            last = statement
            while isinstance(last, (ast.With, ast.AsyncWith)):
                last = last.body[-1]
            found.add(id(last))
    return frozenset(found)


@of_node
def catches(node: ast.AST) -> bool:
    """Is there a handler for exceptions in a function?"""
    return any(isinstance(n, ast.ExceptHandler) for n in walk(node))


@of_node
def asks_what_it_binds(node: ast.Try) -> bool:
    """Does a ``finally`` ask for a name that the ``try`` binds, so that it matters how far that came?"""
    bound = {n.id for statement in node.body for n in walk(statement)
             if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return any(isinstance(n, ast.Name) and n.id in bound for statement in node.finalbody for n in walk(statement))
