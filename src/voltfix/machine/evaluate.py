"""Evaluation of expressions: each returns a :data:`Value` and leaves the facts of its operations."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from voltfix.domains.conditions import Formula
from voltfix.machine import plain
from voltfix.machine.absent import absent_where, none_test
from voltfix.machine.applied import is_applied
from voltfix.machine.express import negated
from voltfix.machine.facts import UNASKED, VolatileRead
from voltfix.machine.fitting import is_of_container
from voltfix.machine.joining import TOLD_APART
from voltfix.machine.layered import Layers
from voltfix.machine.liveness import holds
from voltfix.machine.values import (
    Abstract,
    Bound,
    Cell,
    ClassValue,
    Const,
    Extern,
    Frame,
    Function,
    ModuleValue,
    Partial,
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
    one_of,
    single,
)
from voltfix.program.bindings import VARIABLE, canonical
from voltfix.program.counted import Counted
from voltfix.program.imports import used_as_torch
from voltfix.program.lasting import Lasting
from voltfix.program.living import asks_the_same_later, closed_over
from voltfix.program.ofclass import BY_ITEM
from voltfix.program.rebound import Rebound
from voltfix.program.training import Training
from voltfix.program.walking import children, decorators_of, of_node, walk
from voltfix.program.wording import Wording
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.names import UNBOUND

COMPARED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__")  # what a comparison may run
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
MAX_UNROLLED = 4
TOLD = "<told>"  # before an item of something unknown, of which is known what it is: as it was at first
MOST_ASKED = 6  # atoms of a test that is asked as a whole


CONTAINER = "<container>"  # on something unknown: where it is known to be no tensor with a graph, but a container
LISTED = "<listed>"  # it was made for who asked, and how many levels deep: no object of the project's, but a list
COPIED = "<copied>"  # it was asked for ``.copy()``: no tensor


class Expressions(Layers, ABC):
    """The part of the machine that evaluates expressions."""

    def eval(self, node: ast.expr | None, frame: Frame) -> Value:
        """The value of an expression in a frame."""
        if node is None:
            return self.const(None)
        self.step()
        self.visited.add(id(node))
        method: Callable[[Any, Frame], Value] | None = getattr(self, f"eval_{type(node).__name__}", None)
        if method is None:
            for child in children(node):
                if isinstance(child, ast.expr):
                    self.eval(child, frame)
            return self.plain()
        return method(node, frame)

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Evaluate a call (see ``calls``)."""
        ...

    @abstractmethod
    def call_value(self, function: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                   frame: Frame) -> Value:
        """Call a value (see ``calls``)."""
        ...

    @abstractmethod
    def module_frame(self, path: str) -> Frame:
        """The frame of a module of the project, interpreted (see ``statements``)."""
        ...

    @abstractmethod
    def function_at(self, path: str, node: ast.AST) -> Function | None:
        """The function that a definition in a module makes (see ``statements``)."""
        ...

    # --- names and constants -----------------------------------------------------------------------------------------

    def eval_Constant(self, node: ast.Constant, frame: Frame) -> Value:  # noqa: N802
        return self.const(node.value)

    def eval_Name(self, node: ast.Name, frame: Frame) -> Value:  # noqa: N802
        value = self.lookup(node.id, frame)
        missing = frame.unbound.get(node.id) if not frame.trying else None
        if missing is not None and not self.pc.excludes(missing):
            self.failed = self.failed | (self.pc & missing)
            self.pc = self.pc & ~missing
        if value is not None:
            return self.prune(value)
        if hasattr(builtins, node.id) or (node.id in python.BUILTINS_OF_2 and not self.brings_unseen(frame)):
            return single(Extern(f"builtins.{node.id}"), self.algebra)
        top = frame.globals or frame
        guessed = None
        if frame.path not in self.foreign:
            guessed = UNBOUND.get(node.id) or ("torch" if node.id in self.torches(top.node) else None)
        top.env[node.id] = single(Extern(guessed), self.algebra) if guessed is not None else self.unknown(node.id)
        return top.env[node.id]

    def brings_unseen(self, frame: Frame) -> bool:
        """Is there a star import in the module, of names that nobody here can read?"""
        return any(not self.can_be_read(frame.path, node) for node in star_imports((frame.globals or frame).node))

    @abstractmethod
    def can_be_read(self, importer: str, node: ast.ImportFrom) -> bool:
        """Is what a module imports from there a module of the project, or torch (see ``statements``)?"""
        ...

    def torches(self, module: ast.AST) -> frozenset[str]:
        """The names that a module uses as torch, found once."""
        if id(module) not in self._torches:
            self._torches[id(module)] = used_as_torch(module)
        return self._torches[id(module)]

    _torches: dict[int, frozenset[str]]
    foreign: frozenset[str]  # modules where an unbound Variable may be another library's

    def lookup(self, name: str, frame: Frame) -> Value | None:
        """What a name is bound to: here, in the functions around, in the module; a method sees no name of its class."""
        scope: Frame | None = frame
        while scope is not None:
            found = scope.env.get(name) if name not in scope.outer_names else None
            if found is not None:
                return self.bound_here(frame, name, found) if scope is frame else found
            scope = around(scope, frame)
        top = frame.globals
        return top.env.get(name) if top is not None else None

    def eval_JoinedStr(self, node: ast.JoinedStr, frame: Frame) -> Value:  # noqa: N802
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.eval(part.value, frame)
        return self.plain()

    def eval_NamedExpr(self, node: ast.NamedExpr, frame: Frame) -> Value:  # noqa: N802
        value = self.eval(node.value, frame)
        self.bind(node.target, value, frame)
        return value

    def eval_Starred(self, node: ast.Starred, frame: Frame) -> Value:  # noqa: N802
        self.consume(node.value)
        return self.gone_over(self.eval(node.value, frame), node.value, frame)

    def eval_Lambda(self, node: ast.Lambda, frame: Frame) -> Value:  # noqa: N802
        function = self.function(node, frame)
        self.see(function)
        return single(function, self.algebra)

    functions_seen: dict[int, Function]
    made_where: dict[int, Formula]  # the paths that come by the definition

    def see(self, function: Function) -> None:
        """Remember the function that a definition makes, and where there is one."""
        self.functions_seen.setdefault(id(function.node), function)
        self.made_where[id(function.node)] = self.pc | self.made_where.get(id(function.node), self.algebra.false)
        if self.inner is not None and function.node is self.inner[1]:
            self.inner[0].made_inner = True

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame) -> Function:
        """The function that a definition makes, with its defaults evaluated here and now."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(zip([a.arg for a in positional[len(positional) - len(arguments.defaults):]],
                            [self.eval(d, frame) for d in arguments.defaults], strict=True))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                defaults[argument.arg] = self.eval(default, frame)
        if holds(frame):
            self.liveness.closures.append((frame, closed_over(node)))
        owner = frame.owner if isinstance(frame.node, ast.ClassDef) and isinstance(frame.owner, ClassValue) else None
        return Function(frame.path, node, frame, owner, tuple(defaults.items()))

    # --- containers --------------------------------------------------------------------------------------------------

    def sequence(self, items: list[Value]) -> Value:
        """A list (or tuple) of exactly these items."""
        return self.new("list", items=tuple((self.algebra.true, item) for item in items), exact=True)

    def eval_Tuple(self, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Value:  # noqa: N802
        items, exact = [], not isinstance(node, ast.Set)  # of which two may be equal
        for number, element in enumerate(node.elts):
            item = self.eval(element, frame)
            items.append(self.entry(item, f"[{number}]", frame) if isinstance(node, ast.List) else item)
            if isinstance(element, ast.Starred):
                items[-1] = self.element(items[-1])
                exact = False
        value = self.sequence(items)
        if not exact:
            self.mark_inexact(value)
        return value

    eval_List = eval_Tuple  # noqa: N815
    eval_Set = eval_Tuple  # noqa: N815

    def mark_inexact(self, value: Value) -> None:
        """Say of a new list that its length is not known."""
        for _, thing in value:
            if isinstance(thing, Ref):
                self.update(thing, self.algebra.true, exact=False)

    def eval_Dict(self, node: ast.Dict, frame: Frame) -> Value:  # noqa: N802
        items, attrs = [], []
        for key, value in zip(node.keys, node.values, strict=True):
            item = self.eval(value, frame)
            name = self.key_text(self.eval(key, frame)) if key is not None else None
            item = self.entry(item, name, frame)
            if name is not None:
                attrs.append((name, item))
            else:
                item = self.element(item) if key is None else item
            items.append((self.algebra.true, item))
        exact = all(key is not None for key in node.keys) and len(attrs) == len(items)
        return self.new("dict", items=tuple(items), attrs=tuple(dict(attrs).items()), exact=exact)

    rebound: Rebound  # what is bound again, or from elsewhere

    def entry(self, value: Value, key: str | None, frame: Frame) -> Value:
        """What is put into a container: what a module's holds is a setting where it can be changed."""
        if (self.importing or isinstance(frame.node, ast.Module)) and is_switch(value):
            return self.configured(value, "")
        if (self.importing or self.around) and is_constant(value) and self.rebound.entry(key):
            return self.configured(value, "")
        return value

    def configured(self, value: Value, name: str) -> Value:
        """What a configuration holds in place of a default: aliases, items, merges and files may have changed it."""
        if is_switch(value):
            return self.truth(self.algebra.atom(self.algebra.fresh()))
        return self.data(name) if is_word(value) else self.unknown(name)

    def key_text(self, value: Value) -> str | None:
        """How a constant key or index is filed among a cell's attributes: ``[0]``, ``['x']``."""
        if len(value) == 1 and isinstance(value[0][1], Const):
            return f"[{value[0][1].value!r}]"
        return None

    def element(self, value: Value) -> Value:
        """Any one element of a container (or of an unknown iterable)."""
        out: Value | None = None
        for guard, thing in value:
            item = self.thing_element(thing)
            out = item if out is None else choose(guard, item, out)
        return out if out is not None else self.plain()

    def thing_element(self, thing: Abstract) -> Value:
        if not isinstance(thing, Ref):
            return self.plain() if isinstance(thing, (Plain, Const, Truth)) else self.unknown()
        cell = self.heap[thing.cell]
        if cell.kind in ("list", "dict"):
            joined = self.any_entry(cell.items) if len(cell.items) > TOLD_APART else None
            if joined is not None:
                return joined
            if cell.items:
                first = cell.items[0][1]
                others = [choose(presence, item, first) for presence, item in cell.items[1:]]
                picks = [self.unknown_truth() for _ in range(len(others).bit_length())]
                return self.limited(one_of([first, *others], picks))
            if self.may_hold_more(single(thing, self.algebra)):
                return self.unknown()  # put in where nobody saw it
            return self.plain()
        return self.layer_of(thing) or self.as_listed(
            self.derived(thing, "[*]", remember=False), self.depth_listed(cell) - 1)

    def depth_listed(self, cell: Cell) -> int:
        """How many levels deep is it a list that was made for who asked?"""
        known = [t.value for _, t in cell.attr(LISTED) or () if isinstance(t, Const)]
        return max((depth for depth in known if isinstance(depth, int)), default=0)

    def as_listed(self, value: Value, depth: int) -> Value:
        """Note that what is gone over was made for who asked: no object of the project's says how."""
        for _, thing in value if depth > 0 else ():
            if isinstance(thing, Ref) and self.heap[thing.cell].origin != "data":
                self.heap[thing.cell] = self._with_attr(self.heap[thing.cell], LISTED, self.const(depth))
        return value

    def derived(self, ref: Ref, name: str, remember: bool = True) -> Value:
        """A part of an unknown thing (attribute, item): as volatile and as much in need of gradients as the whole."""
        cell = self.heap[ref.cell]
        known = cell.attr(name)
        if known is not None:
            return known
        suffix = name if name.startswith("[") else f".{name}"
        req = cell.req if cell.kind in ("tensor", "unknown") else self.algebra.true
        kept = cell.origin == "data" or (name.startswith("[") and cell.origin in ("call", "made", "param"))
        origin = cell.origin if kept else ""
        vol = self.under_another(cell) if is_worded(name) else cell.vol
        part = self.new(
            "unknown",
            vol=vol,
            req=req & ~vol,
            sites=cell.sites if not vol.is_false else frozenset(),
            assumed=cell.assumed,
            doubt=cell.doubt,
            origin=origin,
            text=f"{cell.text}{suffix}" if cell.text else "",
            cut=self.cut_of(cell, name),
            ran=self.parts_ran.get((ref.cell, name)),
            made=cell.made,
            idle=cell.idle,
        )
        self.part_of_network(ref, part, name)
        if remember and (name.isidentifier() or self.off_planned.is_false):
            self.heap[ref.cell] = self._with_attr(self.heap[ref.cell], name, part)
        return part

    def under_another(self, cell: Cell) -> Formula:
        """Where what lies under a word that nobody saw put in is volatile: a tensor takes no word, so what was put in
        under others says nothing of it.
        """
        since, before = cell.worded or (None, cell.vol)
        return before if since == cell.vol else cell.vol

    def cut_of(self, cell: Cell, name: str) -> Formula | None:
        """Where a part of an object has no graph today: read, or made by a call of the object, inside a block."""
        is_attribute = name.isidentifier()
        shows = is_attribute or (cell.kind == "module" and name.startswith("["))
        left_behind = cell.ran if shows and name not in ("weight", "bias", "training") else None
        read_here = None if is_attribute else self.off_planned
        parts = [f for f in (read_here, cell.cut, left_behind) if f is not None and not f.is_false]
        return self.algebra.any(parts) if parts else None

    @abstractmethod
    def gone_over(self, value: Value, node: ast.AST, frame: Frame) -> Value:
        """What a loop over a value goes over (see ``iterables``)."""
        ...

    @abstractmethod
    def by_class(self, value: Value, asked: ast.AST, frame: Frame, *names: str) -> Value:
        """What is unknown as an object of the class that all callers hand over (see ``iterables``)."""
        ...

    @abstractmethod
    def part_of_network(self, ref: Ref, part: Value, name: str) -> None:
        """Note that ``part`` was taken from what ``ref`` is (see ``parameters``)."""
        ...

    @staticmethod
    def _with_attr(cell: Cell, name: str, value: Value) -> Cell:
        return replace(cell, attrs=(*cell.attrs, (name, value)))

    # --- comprehensions ----------------------------------------------------------------------------------------------

    def eval_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:  # noqa: N802
        items: list[tuple[Formula, Value]] = []
        inner = self.comprehension_frame(frame)
        self.note_plain_iterables(node, frame)

        def collect() -> None:
            items.append((self.pc, self.entry(self.eval(node.elt, inner), None, inner)))

        every = self.comprehend(node.generators, 0, inner, collect)
        true = self.algebra.true
        items = [(true if self.pc.implies(guard) else guard, value) for guard, value in items]
        return self.new("list", items=tuple(items), exact=every and all(guard is true for guard, _ in items))

    eval_SetComp = eval_ListComp  # noqa: N815

    def eval_GeneratorExp(self, node: ast.GeneratorExp, frame: Frame) -> Value:  # noqa: N802
        start = self.pc
        if id(node) in self.consumed:
            return self.eval_ListComp(node, frame)
        self.lazy += 1
        try:
            return self.eval_ListComp(node, frame)
        finally:
            self.lazy -= 1
            self.pc = start  # what it raises it raises later, elsewhere

    # while the managers of a ``with`` are made: those that wait at their ``yield``, and what they run at its end
    managers: list[tuple[Frame, list[ast.stmt]]] | None = None
    consumed: set[int]  # calls and generator expressions whose values are used up by the statement they stand in, by id

    def consume(self, node: ast.AST) -> None:
        """Note that whatever runs lazily in an expression runs here and now."""
        self.consumed.update(id(n) for n in walk(node) if isinstance(n, (ast.Call, ast.GeneratorExp)))

    def eval_DictComp(self, node: ast.DictComp, frame: Frame) -> Value:  # noqa: N802
        items: list[tuple[Formula, Value]] = []
        inner = self.comprehension_frame(frame)

        def collect() -> None:
            self.eval(node.key, inner)
            items.append((self.pc, self.entry(self.eval(node.value, inner), None, inner)))

        self.comprehend(node.generators, 0, inner, collect)
        return self.new("dict", items=tuple(items))

    def comprehension_frame(self, frame: Frame) -> Frame:
        """A scope of its own for the loop variables; its facts count as the enclosing frame's."""
        return Frame(frame.path, frame.node, {}, frame.globals, frame, frame.chain, owner=frame.owner,
                     receiver=frame.receiver, flag=frame.flag)

    def comprehend(self, generators: list[ast.comprehension], index: int, frame: Frame,
                   collect: Callable[[], None]) -> bool:
        """Run the loops of a comprehension from ``index`` on; False: iterations that only repeat others were left out.

        Paths that end in one iteration do not go on.
        """
        if index == len(generators):
            collect()
            return True
        generator = generators[index]
        self.soft += 1
        value = self.iterable_of(generator.iter, frame)
        rounds = self.iterations(value, generator.iter, frame)
        self.soft -= 1
        start, ended = self.pc, self.algebra.false
        every, latest, before = not self.is_others(value), None, self.changeable()
        for guard, item in rounds:
            self.pc = begun = start & guard & ~ended
            if begun.is_false:
                continue
            if item == latest and self.changeable() == before:
                every = False
                continue
            latest, before = item, self.changeable()
            self.bind(generator.target, item, frame)
            left_out = self.algebra.false
            for test in generator.ifs:
                formula = self.test(test, frame)
                left_out, self.pc = left_out | (self.pc & ~formula), self.pc & formula
            every = self.comprehend(generators, index + 1, frame, collect) and every
            ended = ended | (begun & ~(self.pc | left_out))
        self.pc = start & ~ended
        return every

    def changeable(self) -> object:
        """What an iteration may leave to the next."""
        return self.changes, len(self.stores), len(self.conflicts), len(self.attribute_writes), len(self.writes)

    training: Training | None = None

    def ask_unasked(self, node: ast.AST, frame: Frame, cell: Cell, *names: str) -> None:
        """Python runs methods of an object that nobody knows, though nothing calls them: one may train."""
        if cell.kind == "unknown" and cell.origin != "data" and self.training is not None and not self.importing and (
                self.training.may_send_unasked(frame.path, names)):
            self.record(node, frame, self.algebra.false, self.pc, text=UNASKED)

    def iterate(self, node: ast.expr, frame: Frame) -> list[tuple[Formula, Value]]:
        """The iterations of a loop over ``node``: for each, when it happens, and the loop variable's value."""
        self.note_heads(node, frame)
        return self.iterations(self.iterable_of(node, frame), node, frame)

    heads: set[int]  # calls of which nobody but the loop they stand at the head of has what they give, by node id

    def note_heads(self, node: ast.expr, frame: Frame) -> None:
        """Note the calls at the head of a loop whose results nobody else gets, as ``f(x)`` in ``enumerate(f(x))``."""
        if isinstance(node, ast.Call):
            self.heads.add(id(node))
            if isinstance(node.func, ast.Name) and node.func.id in ("enumerate", "zip") and (
                    self.lookup(node.func.id, frame) is None):
                for argument in node.args:
                    self.note_heads(argument, frame)

    def iterable_of(self, node: ast.expr, frame: Frame) -> Value:
        """What a loop goes over."""
        self.consume(node)
        value = self.eval(node, frame)
        if id(node) in self.of_plain:
            self.set_plain(value)
        return value

    @abstractmethod
    def note_plain_iterables(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> None:
        """``[Variable(x) for x in xs]``: what it goes over is plain, as each of its elements is (see ``calls``)."""
        ...

    of_plain: set[int]  # iterables whose every element is plain, by node id

    def set_plain(self, value: Value) -> None:
        """Note that a value is data: no gradient belongs to it, or to a part of it. That is no change."""
        for guard, thing in value:
            if isinstance(thing, Ref) and self.heap[thing.cell].kind in ("unknown", "tensor"):
                cell = self.heap[thing.cell]  # of those that it stands for it is one, nobody knows which
                self.heap[thing.cell] = cell.but(req=cell.req & ~(self.pc & guard))

    open_ended = False  # whether the last iterations that were asked for stand for more

    def iterations(self, value: Value, node: ast.AST, frame: Frame) -> list[tuple[Formula, Value]]:
        """The iterations over an evaluated iterable; over an unknown one two stand for all."""
        value = self.gone_over(value, node, frame)
        if len(value) == 1 and isinstance(value[0][1], Ref):
            cell = self.heap[value[0][1].cell]
            if cell.kind == "list" and self.constants_only(cell):
                key = (id(node), frame.chain)
                if key not in self.elements:
                    self.elements[key] = self.data()
                one = self.elements[key]
                self.open_ended = len(cell.items) > 2
                return [(self.unknown_truth(), one) for _ in range(2)]
            if cell.kind == "list" and len(cell.items) <= MAX_UNROLLED and not self.may_hold_more(value):
                return list(cell.items)
        self.touch_iterable(value, node, frame)
        self.call_special([value], node, frame)
        self.open_ended = True
        count = 2
        # a list that a comprehension makes of something unknown is taken not to be empty
        guards: list[Formula] = [self.algebra.true] if self.soft else []
        while len(guards) < count:
            guards.append(self.unknown_truth() & (guards[-1] if guards else self.algebra.true))
        # one element stands for all, so that a condition on it is the same condition in every iteration
        element = self.shared_element(value, node, frame)
        return [(guard, element) for guard in guards]

    def constants_only(self, cell: Cell) -> bool:
        """Is it a list of constants (phases, modes), to be looked at one for all?"""
        return bool(cell.items) and all(isinstance(t, Const) for _, item in cell.items for _, t in item)

    def touch_iterable(self, value: Value, node: ast.AST, frame: Frame) -> None:
        """Iterating an unknown object runs code that nobody has seen; a tensor's iteration is an operation."""
        for guard, thing in value:
            if not isinstance(thing, Ref):
                continue
            cell = self.heap[thing.cell]
            if not self.importing:  # who goes over it there is looked at on its own
                self.note_given(thing)
            if cell.kind == "unknown":
                self.ask_items(cell, node, frame)
            if self.is_untouched(cell) and (self.soft or cell.origin == "data" or not frame.is_root):
                continue  # a list handed in: what is computed on its elements asks for itself
            if cell.kind in ("unknown", "tensor"):
                pc = self.pc & guard
                made = self.record(node, frame, pc & cell.vol & cell.req, pc & cell.req & ~cell.vol, value,
                                   text="iteration", alone=(id(node), frame.chain, thing) in self.iterated)
                self.iterated.add((id(node), frame.chain, thing))
                self.heap[thing.cell] = replace(self.heap[thing.cell], made=cell.made | made)

    def ask_items(self, cell: Cell, node: ast.AST, frame: Frame) -> None:
        """What nobody knows is asked for its items, which may run a method of the project."""
        if self.depth_listed(cell):
            return
        self.note_may_call(node, "__iter__", cell)
        self.ask_unasked(node, frame, cell, "__iter__", "__next__", "next", "__getitem__")

    foreign_reads: set[str]  # attributes that were read of objects nobody knows
    overridden: dict[int, set[str]]  # class node id -> methods that classes below it have too

    def is_untouched(self, cell: Cell) -> bool:
        """Something that came from outside as it is: reading parts out of it is most likely no operation on a graph.

        The parts remember if they were read inside a block, and whoever computes on them asks for a graph.
        """
        return cell.kind == "unknown" and cell.origin not in ("call", "made") and cell.vol.is_false

    def shared_element(self, value: Value, node: ast.AST, frame: Frame) -> Value:
        """One element for all iterations of a loop, so that a condition on it is one condition."""
        key = (id(node), frame.chain, tuple(t for _, t in value if isinstance(t, Ref)))
        if key not in self.elements:
            element = self.element(value)
            anonymous = len(element) == 1 and element[0][1] == Plain()
            self.elements[key] = self.data() if anonymous else element
        return self.elements[key]

    elements: dict[object, Value]
    iterated: set[object]  # what was iterated where: the elements of the first time are those of the next, too
    soft = 0  # inside the iterables of comprehensions, which no block can be put between

    # --- truth -------------------------------------------------------------------------------------------------------

    def test(self, node: ast.expr, frame: Frame) -> Formula:
        """Where an expression is true."""
        value = self.eval(node, frame)
        self.call_special([value], node, frame)
        formula, exact = self.truth_of(value)
        if len(formula.support()) == 1:
            if frame.is_root and isinstance(node, (ast.Name, ast.Attribute, ast.Compare, ast.Subscript)):
                self.note_text(formula, node, exact)
            else:
                self.note_own(formula, node, exact, frame)
        elif frame.is_root and 1 < len(formula.support()) <= MOST_ASKED and asks_the_same_later(frame.node, node) and (
                isinstance(node, ast.Compare) or self.holds_the_same_later(value)):
            self.asked_whole.setdefault(formula, (ast.unparse(node), exact))
        return formula

    def holds_the_same_later(self, value: Value) -> bool:
        """Is it a switch, a number or a word, or what a caller hands over as one: nothing that somebody may empty?"""
        return all(isinstance(thing, (Const, Truth)) or (
            isinstance(thing, Ref) and self.heap[thing.cell].origin in ("param", "data")) for _, thing in value)

    def note_own(self, formula: Formula, node: ast.expr, exact: bool, frame: Frame) -> None:
        """A method of an object that the root has by name asks an attribute of it: the root can ask the same."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return
        of = self.lookup(node.value.id, frame)
        names = [*([self.own_name] if self.own_name is not None else []), *self.by_parameter]
        for name, value in names if of is not None else ():
            if of == value:
                self.note_text(formula, ast.Attribute(ast.Name(name), node.attr), exact)

    by_parameter: list[tuple[str, Value]]  # objects that are parameters of the root which nothing binds again
    own_name: tuple[str, Value] | None = None  # the root's ``self``: its name and value

    def note_text(self, formula: Formula, node: ast.expr, exact: bool) -> None:
        """Remember which expression of the root tests an atom, for the header of a block."""
        (number,) = formula.support()
        texts = self.texts.setdefault(number, [])
        text = ast.unparse(node)
        if formula is not self.algebra.atom(number):
            text, exact = negated(text), True
        if all(text != known for known, _ in texts):
            texts.append((text, exact))

    def truth_of(self, value: Value) -> tuple[Formula, bool]:
        """(where the value is true, is it a real bool?)."""
        formula, exact = self.algebra.false, True
        for guard, thing in value:
            where, real = self.thing_truth(thing)
            formula, exact = formula | (guard & where), exact and real
        return formula, exact

    def thing_truth(self, thing: Abstract) -> tuple[Formula, bool]:
        if isinstance(thing, Truth):
            return thing.formula, thing.exact
        if isinstance(thing, Const):
            return self.algebra.constant(bool(thing.value)), isinstance(thing.value, bool)
        if isinstance(thing, Plain):
            return (self.atom(("truth", thing)), False) if thing.key else (self.unknown_truth(), False)
        if isinstance(thing, Ref):
            cell = self.heap[thing.cell]
            if cell.kind == "list" and cell.exact and not self.may_change(thing, None) and not self.may_hold_more(
                    single(thing, self.algebra)):
                return self.algebra.constant(bool(cell.items)), False
            if cell.kind in ("list", "dict") or thing.cell in self.resized:
                return self.unknown_truth(), False
            return self.atom(("truth", thing)), False
        if isinstance(thing, Extern) and "." in thing.name and thing.name != VARIABLE:
            return self.atom(("truth", thing)), False  # sys.argv, settings of a library
        return self.algebra.true, False

    def eval_BoolOp(self, node: ast.BoolOp, frame: Frame) -> Value:  # noqa: N802
        start = self.pc
        value = self.eval(node.values[0], frame)
        for operand in node.values[1:]:
            formula, _ = self.truth_of(value)
            self.note_if_atom(node.values[0], formula, value, frame)
            go_on = formula if isinstance(node.op, ast.And) else ~formula
            self.pc = self.pc & go_on
            other = self.eval(operand, frame) if not self.pc.is_false else self.const(False)
            self.pc = start
            self.note_if_atom(operand, self.truth_of(other)[0], other, frame)
            value = choose(go_on, self.as_truth(other), self.as_truth(value)) if self.simple(value, other) \
                else choose(go_on, other, value)
        self.pc = start
        return value

    def note_if_atom(self, node: ast.expr, formula: Formula, value: Value, frame: Frame) -> None:
        if frame.is_root and len(formula.support()) == 1 and isinstance(node, (ast.Name, ast.Attribute, ast.Compare)):
            self.note_text(formula, node, self.truth_of(value)[1])

    def simple(self, *values: Value) -> bool:
        return all(isinstance(t, (Truth, Const)) for v in values for _, t in v)

    def as_truth(self, value: Value) -> Value:
        if all(isinstance(t, Truth) or (isinstance(t, Const) and isinstance(t.value, bool)) for _, t in value):
            return self.truth(*self.truth_of(value))
        return value

    def eval_UnaryOp(self, node: ast.UnaryOp, frame: Frame) -> Value:  # noqa: N802
        if isinstance(node.op, ast.Not):
            return self.truth(~self.test(node.operand, frame))
        value = self.eval(node.operand, frame)
        self.call_special([value], node, frame)
        if isinstance(node.op, ast.USub) and len(value) == 1 and isinstance(value[0][1], Const):
            number = value[0][1].value
            return self.const(-number) if isinstance(number, (int, float)) else self.plain()
        return self.operate(node, frame, [value], text=type(node.op).__name__)

    @abstractmethod
    def compare_type(self, node: ast.Compare, frame: Frame) -> Value | None:
        """``type(x) == int`` (see ``calls``)."""
        ...

    def eval_Compare(self, node: ast.Compare, frame: Frame) -> Value:  # noqa: N802
        of_type = self.compare_type(node, frame)
        if of_type is not None:
            return of_type
        values = [self.eval(node.left, frame), *[self.eval(c, frame) for c in node.comparators]]
        self.call_special(values, node, frame)
        for thing in (thing for value in values for _, thing in value if isinstance(thing, Ref)):
            self.ask_unasked(node, frame, self.heap[thing.cell], *COMPARED)
        if len(node.ops) == 1:
            listed = listed_in(node.comparators[0]) if isinstance(node.ops[0], (ast.In, ast.NotIn)) else None
            known = self.compare(node.ops[0], values[0], values[1]) if listed is None else self.among(
                values[0], listed, isinstance(node.ops[0], ast.NotIn))
            if known is not None:
                return self.truth(self.as_one(known) if len(values[0]) + len(values[1]) > TOLD_APART else known)
        if any(cell.kind == "tensor" or not cell.vol.is_false for _, cell in self.leaves(values)) and isinstance(
                node.ops[0], COMPARISONS):
            return self.operate(node, frame, values, differentiable=False, text="comparison")
        return self.truth(self.unknown_truth())

    def compare(self, op: ast.cmpop, left: Value, right: Value) -> Formula | None:
        """Where a comparison holds, as far as it can be said; each pair of identities has one atom.

        Where both sides have many alternatives, and each pair would be a condition of its own, nothing is said.
        """
        out = self.algebra.false
        if min(len(left), len(right)) > TOLD_APART and any(not isinstance(t, Const) for _, t in (*left, *right)):
            return None
        for a, one in left:
            for b, two in right:
                where = self.compare_things(op, one, two)
                if where is None:
                    return None
                out = out | (a & b & where)
        return out

    def among(self, value: Value, listed: tuple[Const, ...], negative: bool) -> Formula | None:
        """Where a value is one of several constants that the test itself lists: the same list is the same question."""
        out = self.algebra.false
        for guard, thing in value:
            if isinstance(thing, Const):
                where = self.algebra.constant(any(thing.value == each.value for each in listed))
            elif len(listed) == 1:
                found = self.compare_things(ast.Eq(), thing, listed[0])
                if found is None:
                    return None
                where = found
            elif self.identity(thing) is None or self.is_tensor(thing):
                return None
            else:
                where = self.atom(("among", self.identity(thing), frozenset(listed)))
            out = out | (guard & where)
        return ~out if negative else out

    def compare_things(self, op: ast.cmpop, one: Abstract, two: Abstract) -> Formula | None:
        if isinstance(one, Const) and isinstance(two, Const):
            if isinstance(op, (ast.Eq, ast.Is)):
                return self.algebra.constant(one.value == two.value)
            if isinstance(op, (ast.NotEq, ast.IsNot)):
                return self.algebra.constant(one.value != two.value)
            return None
        for thing, other in ((one, two), (two, one)):
            if (
                isinstance(thing, Const)
                and thing.value is None
                and isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
            ):
                if self.is_nothing(other):
                    return self.algebra.constant(isinstance(op, (ast.Is, ast.Eq)))
                known = self.never_none(other)
                if known:
                    return self.algebra.constant(isinstance(op, (ast.IsNot, ast.NotEq)))
            if isinstance(thing, Const) and isinstance(thing.value, bool) and isinstance(other, Truth) and isinstance(
                    op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
                same = other.formula if thing.value else ~other.formula
                return same if isinstance(op, (ast.Is, ast.Eq)) else ~same
        keys = [self.identity(one), self.identity(two)]
        if None in keys or any(self.is_tensor(t) for t in (one, two)):
            return None
        if not isinstance(op, (ast.Is, ast.IsNot)) and any(
                isinstance(t, Ref) and t.cell in self.resized for t in (one, two)) and Const(None) not in (one, two):
            return None  # what it holds by now is another question
        negative = isinstance(op, (ast.NotEq, ast.IsNot, ast.NotIn))
        positive = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}.get(type(op), type(op))
        formula = self.atom(("compare", positive.__name__, keys[0], keys[1]))
        return ~formula if negative else formula

    def never_none(self, thing: Abstract) -> bool:
        if isinstance(thing, Ref):
            return self.heap[thing.cell].kind != "unknown"
        return not isinstance(thing, Plain)

    def is_tensor(self, thing: Abstract) -> bool:
        return isinstance(thing, Ref) and (
            self.heap[thing.cell].kind == "tensor" or not self.heap[thing.cell].vol.is_false)

    def identity(self, thing: Abstract) -> object:
        """What two evaluations have in common when they must give the same answer; None if nothing."""
        if isinstance(thing, (Const, Ref)):
            return thing
        if isinstance(thing, Plain) and thing.key:
            return thing
        return None

    # --- operators ---------------------------------------------------------------------------------------------------

    def eval_BinOp(self, node: ast.BinOp, frame: Frame) -> Value:  # noqa: N802
        left, right = self.eval(node.left, frame), self.eval(node.right, frame)
        if plain.takes_plain_alone(node.op, left):
            return left
        self.call_special([left, right], node, frame)
        if isinstance(node.op, ast.Mod) and all(isinstance(t, Const) and isinstance(t.value, str) for _, t in left):
            return self.plain()
        if isinstance(node.op, ast.Add):
            joined = self.joined_lists(left, right)
            if joined is not None:
                return joined
        if isinstance(node.op, ast.Mult):
            repeated = self.repeated(left, right)
            if repeated is not None:
                return repeated
        of_list = isinstance(node.op, ast.Add) and any(map(self.has_parts, (t for _, t in (*left, *right))))
        made = self.operate(node, frame, [left, right], kind="unknown" if of_list else "tensor",
                            text=type(node.op).__name__)
        if of_list:
            self.note_several(made)
        return made

    def note_several(self, made: Value, several: bool = True) -> None:
        """Remember of what was made that it is a tuple, or a list, of tensors; or that it is one tensor."""
        for _, thing in made:
            if isinstance(thing, Ref):
                self.heap[thing.cell] = self.heap[thing.cell].but(several=several)

    def repeated(self, left: Value, right: Value) -> Value | None:
        """``[a] * n``."""
        for one, other in ((left, right), (right, left)):
            cell = self.heap[one[0][1].cell] if len(one) == 1 and isinstance(one[0][1], Ref) else None
            if cell is not None and cell.kind == "list":
                count = other[0][1].value if len(other) == 1 and isinstance(other[0][1], Const) else None
                if isinstance(count, int) and 0 <= count * len(cell.items) <= 8:
                    return self.new("list", items=cell.items * count, exact=cell.exact)
                return self.new("list", items=tuple((self.unknown_truth() & p, v) for p, v in cell.items * 2))
        return None

    namesakes: Mapping[str, Sequence[ast.FunctionDef]]  # all methods of the project's classes, by name

    def joined_lists(self, left: Value, right: Value) -> Value | None:
        """``a + b`` of two lists, or of one and of what must be one: no tensor is added to a list or a tuple."""
        cells = [self.heap[value[0][1].cell] if len(value) == 1 and isinstance(value[0][1], Ref) else None
                 for value in (left, right)]
        lists = [cell is not None and cell.kind == "list" for cell in cells]
        if all(lists) and cells[0] is not None and cells[1] is not None:
            return self.new("list", items=cells[0].items + cells[1].items, exact=cells[0].exact and cells[1].exact)
        if not any(lists) or any(self.namesakes.get(name) for name in ("__add__", "__radd__")):
            return None
        items: tuple[tuple[Formula, Value], ...] = ()
        for value, cell in zip((left, right), cells, strict=True):
            kinds = [self.heap[thing.cell].kind if isinstance(thing, Ref) else "" for _, thing in value]
            if any(kind not in ("list", "unknown", "tensor") for kind in kinds):
                return None  # data: an array adds what is in the list to each of its own
            whole = cell is not None and cell.kind == "list"
            items += cell.items if whole and cell is not None else ((self.unknown_truth(), self.element(value)),)
        return self.new("list", items=items)

    def eval_IfExp(self, node: ast.IfExp, frame: Frame) -> Value:  # noqa: N802
        formula = self.test(node.test, frame)
        with self.narrowed(formula):
            then = self.eval(node.body, frame) if not self.pc.is_false else self.const(None)
        with self.narrowed(~formula):
            other = self.eval(node.orelse, frame) if not self.pc.is_false else self.const(None)
        asked = none_test(node.test) if not self.none_counts else None
        if asked is not None:  # where the name is None, an arm that is the name is nothing
            name, positive = asked
            nothing = frozenset(t for _, t in self.lookup(name, frame) or ()) | {Const(None)}
            then = absent_where(then, nothing, formula, self.volatility(other)) if positive else then
            other = other if positive else absent_where(other, nothing, ~formula, self.volatility(then))
        return choose(formula, then, other)

    none_counts = True  # does a network of the project take None for a sign?

    def eval_Call(self, node: ast.Call, frame: Frame) -> Value:  # noqa: N802
        return self.call(node, frame)

    def eval_Await(self, node: ast.Await, frame: Frame) -> Value:  # noqa: N802
        return self.eval(node.value, frame)

    def eval_Yield(self, node: ast.Yield, frame: Frame) -> Value:  # noqa: N802
        value = self.eval(node.value, frame)
        target = frame
        while isinstance(target.node, ast.Lambda) and target.closure is not None:
            target = target.closure
        if target.is_root:
            self.liveness.mark(self.pc, [value])
        target.yields.append((self.pc, value))
        if not target.is_root and is_manager(target.node):
            self.pause(target, node)
        return self.unknown()

    def pause(self, manager: Frame, node: ast.Yield) -> None:
        """A manager goes on where the suite of its ``with`` ends; one that is entered elsewhere has gone on, or not."""
        rest = behind(manager.node, node) if self.managers is not None else None
        if self.managers is not None and rest is not None:
            self.managers.append((manager, rest))
        paused = self.pc if rest is not None else self.pc & self.unknown_truth()
        manager.returns.append((paused, self.const(None)))
        manager.paused = paused if manager.paused is None else manager.paused | paused
        self.pc = self.pc & ~paused

    def eval_YieldFrom(self, node: ast.YieldFrom, frame: Frame) -> Value:  # noqa: N802
        self.consume(node.value)
        value = self.gone_over(self.eval(node.value, frame), node.value, frame)
        if frame.is_root:
            self.liveness.mark(self.pc, [value])
        frame.yields.append((self.pc, self.element(value)))
        return self.unknown()

    # --- attributes and subscripts -----------------------------------------------------------------------------------

    def eval_Attribute(self, node: ast.Attribute, frame: Frame) -> Value:  # noqa: N802
        return self.attribute(self.eval(node.value, frame), node.attr, node, frame)

    def attribute(self, value: Value, name: str, node: ast.AST, frame: Frame) -> Value:
        """``value.name`` over all alternatives."""
        out: Value | None = None
        for guard, thing in value:
            if guard.excludes(self.pc) and len(value) > 1:
                continue
            if name == "volatile":  # a question is asked of what the value is there
                with self.narrowed(guard):
                    part = self.thing_attribute(thing, name, node, frame)
            else:
                part = self.thing_attribute(thing, name, node, frame)
            out = part if out is None else choose(guard, part, out)
        return out if out is not None else self.unknown()

    def call_special(self, values: Iterable[Value], node: ast.AST, frame: Frame, depth: int = 1) -> None:
        """Objects of the project's classes take part in what Python does by calling their special methods.

        Which of them it calls is not looked up: each may compute something that needs a graph.
        """
        for value in values:
            for guard, thing in value:
                cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
                if cell is None:
                    continue
                if cell.kind in ("list", "dict") and depth:  # ``sorted([a, b])`` compares them
                    self.call_special([item for _, item in cell.items], node, frame, depth - 1)
                    continue
                if cell.kind != "object" or cell.owner is None:
                    self.ask_unasked(node, frame, cell, *self.training.special if self.training is not None else ())
                    continue
                for name in sorted(special_names(cell.owner, self.trains)):
                    with self.narrowed(guard):
                        self.record(node, frame, self.algebra.false, self.pc, value, text=name,
                                    blocked=f"{name} of a class of the project may need a graph")

    def trains(self, function: Function) -> bool:
        """May running a function send gradients?"""
        return self.training is not None and self.training.trains(function.path, function.node)

    def thing_attribute(self, thing: Abstract, name: str, node: ast.AST, frame: Frame) -> Value:
        if isinstance(thing, Extern):
            return single(Extern(canonical(f"{thing.name}.{name}")), self.algebra)
        if isinstance(thing, ModuleValue):
            found = self.module_frame(thing.path).env.get(name)
            return found if found is not None else self.unknown(name)
        if isinstance(thing, ClassValue):
            found = thing.lookup(name)
            if found is None and name == "apply" and is_applied(thing):
                found = single(Bound(single(thing, self.algebra), name), self.algebra)
            return self.maybe_patched(found, name, ours=True) if found is not None else self.unknown()
        if isinstance(thing, Ref):
            return self.ref_attribute(thing, name, node, frame)
        if isinstance(thing, (Function, Partial)) and not name.startswith("__") and self.rebound.is_assigned(name):
            self.foreign_reads.add(name)  # of a function, what somebody set on it
            return self.unknown(name)
        return self.plain()

    def maybe_patched(self, value: Value, name: str, ours: bool) -> Value:
        """A method or a tensor of a class, or what somebody put in its place; ``ours``: on an object made in view."""
        method = any(isinstance(thing, (Function, Bound)) for _, thing in value)
        tensor = any((isinstance(thing, Ref) and self.heap[thing.cell].kind in ("tensor", "list", "dict"))
                     or (isinstance(thing, Const) and thing.value is None) for _, thing in value)
        if (method and name in self.rebound.patched) or (tensor and not ours and self.rebound.is_set(name)):
            return choose(self.unknown_truth(), self.unknown(name), value)
        return value

    def ref_attribute(self, ref: Ref, name: str, node: ast.AST, frame: Frame) -> Value:
        if name == "__dict__":
            self.havoc([single(ref, self.algebra)])
        cell = self.heap[ref.cell]
        known = cell.attr(name)
        if known is not None:
            return known
        fixed = self.lasting.constant(frame.path, node) if self.lasting is not None and isinstance(
            node, ast.Attribute) and cell.kind in ("object", "unknown") and not self.importing else None
        if fixed is not None:
            return self.const(fixed.value)
        if cell.kind in ("list", "dict"):
            self.open_up([single(ref, self.algebra)])  # a method of it, to be called who knows when
        if cell.owner is not None:
            member = cell.owner.lookup(name)
            if member is not None and cell.text == "self" and name in self.overridden.get(id(cell.owner.node), ()):
                member = None  # which body runs is a matter of the instance's class
            if member is not None:
                return self.maybe_patched(self.member(ref, name, member, node, frame), name, ours=cell.text != "self")
        if name == "volatile" and cell.kind in ("tensor", "unknown") and not self.is_setting_of(cell, node, frame):
            pc = self.pc
            left = self.left_among(cell.sites)
            self.reads.append(VolatileRead(frame.path, node, pc, cell.vol, self.off_planned | self.off_existing,
                                           cell.sites - left, cell.origin, left, cell.known, not frame.is_root))
            return self.truth(cell.vol)
        if name in tables.SHOWS_GRAPH:
            self.liveness.mark(self.pc, [single(ref, self.algebra)])
        if name in tables.PLAIN_ATTRIBUTES and cell.kind in ("tensor", "unknown"):
            # of a packed sequence it is a Variable: that is volatile where the whole is, so that nobody trains on it
            surely = name == "data" and (cell.origin == "variable" or self.pc.implies(cell.vol))
            return single(plain.TENSOR, self.algebra) if surely else self.plain()
        if name == "grad" and cell.kind in ("tensor", "unknown"):
            return self.new("tensor", text=f"{cell.text}.grad", origin="grad")
        if name == "requires_grad" and cell.kind == "tensor":
            if cell.origin == "variable":
                return self.truth(cell.req)
            return self.truth(cell.req & self.atom(("requires grad", ref)))  # it may: layers can be frozen
        if name == "training" and cell.kind == "object" and self.is_module(cell):
            value = self.truth(self.unknown_training())
            self.heap[ref.cell] = self._with_attr(cell, name, value)
            return value
        if cell.kind == "unknown":
            self.foreign_reads.add(name)
            self.ask_unasked(node, frame, cell, name, "__getattr__")
        if cell.owner is not None and cell.kind == "object" and cell.owner.lookup("__getattr__") is not None:
            self.call_special([single(ref, self.algebra)], node, frame)
        if name == "T" and cell.kind in ("tensor", "unknown"):
            return self.operate(node, frame, [single(ref, self.algebra)], text="T")
        held = self.volatility(single(ref, self.algebra)) if cell.exact and not is_of_container(name) else cell.vol
        if cell.exact and not held.is_false:  # Python raises; who mends it gets something of what is in there
            return self.unknown(vol=held, sites=self.origins(single(ref, self.algebra)))
        part = self.derived(ref, name)
        if cell.kind == "unknown" and cell.vol.is_false and isinstance(node, ast.Attribute):
            self.asked_as.update((each.cell, (frame.path, node)) for _, each in part if isinstance(each, Ref))
        if self.counted is not None and isinstance(node, ast.Attribute) and (
                (cell.ran is not None and self.counted.is_plain(frame.path, node))
                or self.counted.is_buffer(frame.path, node)):
            self.set_counted(part)
        return part

    counted: Counted | None = None
    lasting: Lasting | None = None  # which attributes an object has for good from its making on

    def set_counted(self, value: Value) -> None:
        """What an attribute holds that holds no graph ever: nothing that its object did left one there."""
        for _, thing in value:
            if isinstance(thing, Ref) and self.heap[thing.cell].kind == "unknown":
                false = self.algebra.false
                self.heap[thing.cell] = self.heap[thing.cell].but(req=false, vol=false, cut=None, made=frozenset())

    def is_setting_of(self, cell: Cell, node: ast.AST, frame: Frame) -> bool:
        """Is ``x.volatile`` a setting of that name, of an object that is no tensor as far as anybody can tell?"""
        return bool(self.settings) and cell.kind == "unknown" and cell.vol.is_false and (
            (frame.path, ast.unparse(node)) in self.settings)

    settings: frozenset[tuple[str, str]] = frozenset()  # the ``x.volatile`` that no tensor is asked for: path, text
    on_data: frozenset[ast.AST] = frozenset()  # the ``x.volatile`` that are written to plain data

    def is_module(self, cell: Cell) -> bool:
        """Is it an instance of a class that derives from torch's Module?"""
        return cell.owner is not None and any(base.startswith("torch.nn") for base in cell.owner.extern_bases())

    def unknown_training(self) -> Formula:
        """A new condition that expressions of the root can repeat: is it in training?"""
        return self.algebra.atom(self.algebra.fresh())

    def member(self, ref: Ref, name: str, member: Value, node: ast.AST, frame: Frame) -> Value:
        """A class member reached through an instance: a bound method, a property's value, a class attribute."""
        receiver = single(ref, self.algebra)
        if len(member) == 1 and isinstance(member[0][1], Function):
            function = member[0][1]
            names = decorators_of(function.node)
            if "property" in names:
                return self.call_value(single(Bound(receiver, name, function), self.algebra), [], {}, node, frame)
            if "staticmethod" in names:
                return member
            return single(Bound(receiver, name, function), self.algebra)
        vol = self.volatility(receiver) if self.is_bound_unseen(ref, name, member) else self.algebra.false
        if not vol.is_false:  # it computes when it is read, or whenever what it gives is called
            self.record(node, frame, self.pc & vol, self.algebra.false, receiver, text="attribute",
                        blocked="unknown-callee")
            return self.unknown(vol=vol, sites=self.origins(receiver), assumed=self.assumed_of(receiver))
        return member

    def is_bound_unseen(self, ref: Ref, name: str, member: Value) -> bool:
        """Is it what a decorator made of a method, that nobody looked into: is it handed the object that is asked?"""
        owner = self.heap[ref.cell].owner
        made = owner is not None and any(
            isinstance(each, ast.FunctionDef) and each.name == name and bool(each.decorator_list)
            for cls in owner.order if isinstance(cls, ClassValue) for each in cls.node.body)
        return made and any(
            isinstance(thing, Ref) and self.is_handed_object(self.heap[thing.cell]) for _, thing in member)

    @staticmethod
    def is_handed_object(made: Cell) -> bool:
        """May Python hand it the object on whose class it stands: is it unknown, or says it how it is read?"""
        return made.kind == "unknown" or (made.owner is not None and made.owner.lookup("__get__") is not None)

    def eval_Subscript(self, node: ast.Subscript, frame: Frame) -> Value:  # noqa: N802
        value, index = self.eval(node.value, frame), self.eval(node.slice, frame)
        return self.subscript(self.by_class(value, node.value, frame, *BY_ITEM), index, node, frame)

    def eval_Slice(self, node: ast.Slice, frame: Frame) -> Value:  # noqa: N802
        count = len(self.facts)
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.eval(part, frame)
        # bounds are whole numbers: arithmetic on them builds no graph
        self.facts[count:] = [fact for fact in self.facts[count:] if not isinstance(fact.chain[-1], ast.BinOp)]
        return self.plain()

    def subscript(self, value: Value, index: Value, node: ast.AST, frame: Frame) -> Value:
        """``value[index]``: an item of a container, a view of a tensor, a part of something unknown."""
        if 1 < len(index) <= MAX_UNROLLED and all(isinstance(t, Const) for _, t in index):
            chosen: Value | None = None  # TABLE['a' if on else 'b']
            for where, one in index:
                with self.narrowed(where):
                    item = self.subscript(value, single(one, self.algebra), node, frame)
                chosen = item if chosen is None else choose(where, item, chosen)
            return self.limited(chosen or ())
        key = self.key_text(index)
        out: Value | None = None
        for guard, thing in self.taking(value, index):
            if self.has_no_items(thing, node) and not frame.trying:
                self.failed = self.failed | (self.pc & guard)
                self.pc = self.pc & ~guard
                part = self.plain()
            else:
                part = self.thing_item(thing, key, index, node, frame)
            out = part if out is None else choose(guard, part, out)
        return self.limited(out) if out is not None else self.unknown()

    def of_tensor(self, index: Value) -> Value:
        """An index as a tensor takes it: by several parts (``x[i, :]``, ``x[[i]]``) none of them passes volatile on.

        Alone it does (1.06.indexing). In a tuple or a list 0.3 handed it on as a part of one Python object (16.01).
        What unknown code gave may be either, and what comes of a tuple and of something that nobody knows.
        """
        out: list[tuple[Formula, Abstract]] = []
        for guard, thing in index:
            if self.has_parts(thing):
                out.append((guard, Plain()))
            elif isinstance(thing, Ref) and self.may_have_parts(self.heap[thing.cell]):
                out += [(guard & there, each) for there, each in self.summarised(single(thing, self.algebra))]
            else:
                out.append((guard, thing))
        return tuple(out)

    @staticmethod
    def may_have_parts(cell: Cell) -> bool:
        """Is it something that unknown code gave, or that came of a tuple and of something unknown?"""
        return cell.kind == "unknown" and (cell.origin == "call" if cell.several is None else cell.several)

    def has_parts(self, thing: Abstract) -> bool:
        """Is it a tuple or a list?"""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        return cell is not None and (cell.kind == "list" or (cell.kind == "tensor" and bool(cell.several)))

    def summarised(self, value: Value) -> Value:
        """What is not looked into, or not known: volatile perhaps, where a part of it may be."""
        vol = self.volatility(value)
        if vol.is_false:
            return value
        return self.unknown(vol=vol & self.widened(), sites=self.origins(value), assumed=self.assumed_of(value),
                            made=self.liveness.made_or_not([value]))

    def has_no_items(self, thing: Abstract, node: ast.AST) -> bool:
        """Is it a list that was made empty: does Python raise where one of its items is asked for?"""
        of_all = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        return not of_all and isinstance(thing, Ref) and self.heap[thing.cell].kind == "list" and self.is_empty(thing)

    def taking(self, value: Value, index: Value) -> Value:
        """The alternatives that such an index can be asked of: a list takes no word, and Python raises there."""
        if len(value) == 1 or not all(isinstance(t, Const) and isinstance(t.value, str) for _, t in index):
            return value
        return tuple((guard, thing) for guard, thing in value if not isinstance(thing, Ref)
                     or self.heap[thing.cell].kind != "list") or value

    def thing_item(self, thing: Abstract, key: str | None, index: Value, node: ast.AST, frame: Frame) -> Value:
        if not isinstance(thing, Ref):
            if not isinstance(thing, (Plain, Const, Truth)):
                return self.unknown()
            return single(plain.item_of(thing, node), self.algebra)
        cell = self.heap[thing.cell]
        if cell.kind == "unknown":
            self.note_may_call(node, "__getitem__", cell)
            self.ask_unasked(node, frame, cell, "__getitem__")
        if cell.kind == "list" and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self.sliced(cell, node.slice)
        if cell.kind == "list":
            return self.list_item(thing, cell, index)
        if cell.kind == "dict":
            return self.dict_entry(thing, key)
        if cell.kind == "object" and cell.owner is not None:
            getter = cell.owner.lookup("__getitem__")
            if getter is not None:
                bound = self.member(thing, "__getitem__", getter, node, frame)
                return self.call_value(bound, [index], {}, node, frame)
            of_dict = cell.owner.extern_bases() == ["builtins.dict"]
            return self.derived(thing, key) if of_dict and key is not None else self.unknown()
        if self.is_known_text(cell, index, node, frame):
            return self.plain()
        if cell.kind == "tensor":
            index = self.of_tensor(index)
        elif any(self.has_parts(each) for _, each in index):
            index = self.summarised(index)  # it may be no tensor
        if cell.kind == "module" and not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)):
            return self.layer_of(thing) or self.derived(thing, "[*]", remember=False)
        if key is not None and is_worded(key):
            return self.derived(thing, key)
        told = cell.attr(f"{TOLD}{key}") if key is not None else None
        if told is not None and told == cell.attr(key or ""):  # nobody put another thing there
            return told
        if cell.kind == "unknown" and cell.vol.is_false and key is not None:
            known = cell.attr(key)
            if known is not None:
                return known
            if not self.is_untouched(cell):
                self.operate(node, frame, [single(thing, self.algebra), index], text="item")
            return self.derived(thing, key)
        if self.is_untouched(cell) and self.volatility(index).is_false:
            return self.derived(thing, "[*]", remember=False)
        holds = self.holds_items(cell)
        if not (self.pc & holds).is_false and (self.volatility(index).is_false or self.only_tells(cell)):
            with self.narrowed(~holds):
                item = self.thing_item(thing, key, index, node, frame) if not self.pc.is_false else self.plain()
            return choose(holds, self.derived(thing, "[*]", remember=False), item)
        return self.operate(node, frame, [single(thing, self.algebra), index], text="item",
                            kind="unknown" if cell.kind == "unknown" else "tensor",
                            key=index if self.only_tells(cell) else ())

    computes_items: bool  # may a class of the project compute what is taken out of an object under a key?
    computes_keys: bool  # may one compute with the key?

    def only_tells(self, cell: Cell) -> bool:
        """Does an index only tell which items are taken, so that no gradient goes to it?"""
        return cell.owner is None and (cell.kind == "tensor" or (cell.kind == "unknown" and not self.computes_keys))

    wording: Wording | None = None

    def is_known_text(self, cell: Cell, index: Value, node: ast.AST, frame: Frame) -> bool:
        """Is it a word that is taken out of something unknown? A tensor has none, whatever tells which it is."""
        return cell.kind == "unknown" and not self.volatility(index).is_false and self.only_tells(cell) and (
            self.wording is not None and self.wording.is_joined(frame.path, node))

    def note_container(self, ref: Ref, guard: Formula) -> None:
        """A dictionary was put into something unknown: that is no tensor, and looking into it computes nothing."""
        if self.heap[ref.cell].attr(CONTAINER) is None:
            self.heap[ref.cell] = self._with_attr(self.heap[ref.cell], CONTAINER, self.const(None))
        self.set_attr(ref, guard, CONTAINER, self.const(True))

    def note_copied(self, ref: Ref) -> None:
        """``x.copy()``: arrays, lists and dictionaries have that, and tensors of 0.3 had not."""
        if self.heap[ref.cell].attr(COPIED) is None:
            self.heap[ref.cell] = self._with_attr(self.heap[ref.cell], COPIED, self.const(None))
        self.set_attr(ref, self.algebra.true, COPIED, self.const(True))

    def is_copied(self, cell: Cell) -> Formula:
        """Where something unknown was copied, as no tensor can be."""
        return self.algebra.any(where for where, thing in cell.attr(COPIED) or () if thing == Const(True))

    def holds_items(self, cell: Cell) -> Formula:
        """Where something unknown is known to be a container."""
        return self.algebra.any(where for where, thing in cell.attr(CONTAINER) or () if thing == Const(True))

    def dict_entry(self, ref: Ref, key: str | None) -> Value:
        """What a dictionary holds under a key."""
        cell = self.heap[ref.cell]
        known = cell.attr(key) if key is not None else None
        if known is None:
            known = self.element(single(ref, self.algebra))
            if key is not None and self.may_change(ref, key) and self.volatility(known).is_false:
                known = self.unknown()  # put in later
                self.heap[ref.cell] = self._with_attr(cell, key, known)
        return known

    def may_change(self, ref: Ref, key: str | None) -> bool:
        """Is it a container of a module's, an entry of which may be put in by somebody else?"""
        return ref.cell in self.at_top and self.rebound.entry(key)

    failed: Formula  # paths of this activation that ended in an exception

    def is_empty(self, ref: Ref) -> bool:
        """Is it a list that was made empty, and that nobody else has who could have put something in?"""
        cell = self.heap[ref.cell]
        return not cell.items and cell.owner is None and not self.may_hold_more(single(ref, self.algebra))

    def may_hold_more(self, value: Value) -> bool:
        """May it be a container that nobody saw put anything in, and that holds something for all that?"""
        empty = [(single(thing, self.algebra), cell) for _, thing in value if isinstance(thing, Ref)
                 and (cell := self.heap[thing.cell]).kind in ("list", "dict") and not cell.items]
        return any((cell.kind == "list" and not cell.exact) or self.is_others(one) for one, cell in empty)

    def is_others(self, value: Value) -> bool:
        """May it be a container that somebody else has, too, who may put something in?"""
        places = [t.cell for _, t in value if isinstance(t, Ref) and self.heap[t.cell].kind in ("list", "dict")]
        return any(place in self.at_top or place in self.liveness.open or self.is_of_root(place) for place in places)

    def is_of_root(self, place: int) -> bool:
        """Does the root, a module's top level, have it, or does it lie under one of its names?

        What a function that is being run made, and did not put there, nobody else can have put anything in. What comes
        under a name of a module from within a function is open in any case.
        """
        return self.of_module is not None and (place in self.by_root or any(
            place == number for number, _ in self.liveness.numbered(self.of_module.env.values())))

    def list_item(self, ref: Ref, cell: Cell, index: Value) -> Value:
        number = index[0][1].value if len(index) == 1 and isinstance(index[0][1], Const) else None
        if cell.exact and isinstance(number, int) and -len(cell.items) <= number < len(cell.items):
            return cell.items[number][1]
        return self.element(single(ref, self.algebra))

    @abstractmethod
    def sliced(self, cell: Cell, bounds: ast.Slice) -> Value:
        """``list[a:b]`` (see ``containers``)."""
        ...

    # --- targets -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def bind(self, target: ast.expr, value: Value, frame: Frame, sure: bool = False) -> None:
        """Assign a value to a target (see ``statements``)."""
        ...


@of_node
def star_imports(module: ast.AST) -> list[ast.ImportFrom]:
    """The ``from ... import *`` of a module."""
    return [n for n in walk(module) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]


# called by name, by what constructs an object, or by code that is read anyway
SEEN = frozenset({"__init__", "__new__", "__call__", "__getitem__", "__del__", "__class__", "__getstate__",
                  "__setstate__"})


def special_names(owner: ClassValue, trains: Callable[[Function], bool]) -> set[str]:
    """The special methods of a class that compute: something else than attributes, numbers and text is in them."""
    found = {name for name in owner.members if name.startswith("__") and name.endswith("__")} - SEEN
    out = {name for name in found if any(
        isinstance(thing, Function) and (computes(thing.node) or trains(thing)) for _, thing in owner.members[name])}
    for base in owner.bases:
        if isinstance(base, ClassValue) and base is not owner:
            out |= special_names(base, trains) - found
    return out


def computes(node: ast.AST) -> bool:
    """Is there arithmetic or a call of a method that may build a graph, or use one?"""
    return any(
        (isinstance(n, ast.BinOp) and isinstance(n.op, (ast.Pow, ast.MatMult)))
        or (isinstance(n, ast.Attribute) and n.attr in tables.GRAPH_NAMES) for n in walk(node))


@of_node
def is_manager(function: ast.AST) -> bool:
    """Is it a generator that a decorator makes a context manager of?"""
    return any(ast.unparse(decorator).rpartition(".")[2] == "contextmanager"
               for decorator in getattr(function, "decorator_list", ()))


def behind(function: ast.AST, node: ast.AST) -> list[ast.stmt] | None:
    """What a function runs behind an expression; None where that stands in a loop or in a function of its own."""
    if isinstance(function, (ast.For, ast.AsyncFor, ast.While)):
        return None
    for field in ("body", "orelse", "finalbody"):
        found = getattr(function, field, None)
        suite: list[ast.stmt] = found if isinstance(found, list) else []
        for number, statement in enumerate(suite):
            if all(inner is not node for inner in walk(statement)):
                continue
            inner = [] if isinstance(statement, (ast.Expr, ast.Assign)) else behind(statement, node)
            last = function.finalbody if isinstance(function, ast.Try) and field != "finalbody" else []
            return None if inner is None else [*inner, *suite[number + 1:], *last]
    return None


def listed_in(node: ast.expr) -> tuple[Const, ...] | None:
    """The strings and numbers of a tuple, list or set that is written out; None of anything else, and of none."""
    if not isinstance(node, (ast.Tuple, ast.List, ast.Set)) or not node.elts:
        return None
    found = [each.value for each in node.elts if isinstance(each, ast.Constant) and type(each.value) in (str, int)]
    return tuple(map(Const, found)) if len(found) == len(node.elts) else None
