"""Evaluation of calls: torch's Variable, functions of the project (in place), torch, builtins, and the unknown."""

from __future__ import annotations

import ast
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from voltfix.domains.conditions import Formula, Outgrown
from voltfix.machine import fitting, plain
from voltfix.machine.applied import is_operation
from voltfix.machine.copied import Copied
from voltfix.machine.elsewhere import HANDED, runs_at_once
from voltfix.machine.evaluate import TOLD
from voltfix.machine.facts import UNASKED, AttributeWrite, Store, Took
from voltfix.machine.models import containers
from voltfix.machine.values import (
    Abstract,
    Bound,
    Cell,
    ClassValue,
    Const,
    Extern,
    Frame,
    Function,
    Partial,
    Plain,
    Ref,
    SiteKey,
    Truth,
    Value,
    choose,
    single,
)
from voltfix.program.arguments import accepts
from voltfix.program.asking import Asking
from voltfix.program.below import Below
from voltfix.program.bindings import VARIABLE
from voltfix.program.calls import RUN_BY_OBJECT, fits
from voltfix.program.classes import receiver_name
from voltfix.program.computing import Computing
from voltfix.program.criteria import Criteria
from voltfix.program.cutting import Cutting
from voltfix.program.foundon import KnownMethods
from voltfix.program.giving import Giving
from voltfix.program.judging import Judging
from voltfix.program.keeping import Keeping
from voltfix.program.layered import Layered
from voltfix.program.making import Making
from voltfix.program.ofclass import BY_CALL
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.scopes import Function as AnyFunction
from voltfix.program.walking import children, decorators_of, of_node, walk
from voltfix.program.wrapped import made_by
from voltfix.torchmodel import layers, library, tables
from voltfix.torchmodel.inplace import FLAG, is_inplace_name
from voltfix.torchmodel.names import may_be_loss, may_be_trainer, may_train
from voltfix.torchmodel.operations import OPERATIONS
from voltfix.torchmodel.tables import LISTING

MAX_DEPTH = 7
MAX_RECURSION = 3
KEPT = "<kept>"  # on an object that nobody has seen: it may have kept something volatile that it was shown
REST, MORE = "*", "**"  # among the keywords of a call: what stars hand over that nobody can name
GIVEN = "(...)"  # behind a library's function that was given more than data: parts of what it gives may be that
OF_PYTHON = sys.stdlib_module_names | {"builtins", "object"}
SMALL, LARGE = 12, 60  # statements of bodies that are entered always, or while a module is imported
LARGEST = 100  # of those that are entered with a volatile argument: it may be that they build no graph


class Call(NamedTuple):
    """A call of something from outside that is evaluated."""

    name: str
    args: list[Value]
    kwargs: dict[str, Value]
    node: ast.AST
    frame: Frame

    @property
    def values(self) -> list[Value]:
        """All that it is given."""
        return [*self.args, *self.kwargs.values()]


class Calls(Copied):
    """The part of the machine that evaluates calls."""

    @abstractmethod
    def call_builtin(self, call: Call) -> Value:
        """A built-in of Python (see ``models.builtins``)."""
        ...

    @abstractmethod
    def call_standard(self, call: Call) -> Value | None:
        """A function of the standard library that has a meaning of its own (see ``models.standard``)."""
        ...

    @abstractmethod
    def call_torch(self, name: str, call: Call) -> Value:
        """A function of torch (see ``models.torch``)."""
        ...

    decorated: frozenset[int]  # functions that run under no_grad as a whole after the migration, by node id

    @abstractmethod
    def run_body(self, function: Function, frame: Frame) -> Value:
        """Execute the body of a function in a frame whose parameters are bound (see ``statements``)."""
        ...

    # --- the call expression -----------------------------------------------------------------------------------------

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Evaluate callee, arguments and the call itself."""
        if isinstance(node.func, ast.Name) and node.func.id == "super" and self.lookup("super", frame) is None:
            return self.super_value(frame)
        handed_up = self.handed_up(node, frame) if self.unmade else None
        if handed_up is not None:
            return handed_up
        if isinstance(node.func, ast.Attribute):
            receiver, name = self.eval(node.func.value, frame), node.func.attr
            self.visited.add(id(node.func))
            outer, self.whole = self.whole, (node, self.pc, receiver)
            made = self.over(receiver, lambda thing: self.call_attribute(thing, name, node, frame))
            self.whole = outer
            return made
        count = len(self.facts)
        function = self.eval(node.func, frame)
        if not isinstance(node.func, ast.Call) or not self.needs_graphs(frame.path, node.func):
            # what is called is no tensor: taking it out of a container, or making it, was no operation on one
            self.facts[count:] = [f for f in self.facts[count:] if f.chain[-1] is not node.func or (
                f.text == UNASKED or not f.need.is_false)]
        names = self.asked_of_data.get(id(node.func), ())
        if names and all(isinstance(thing, Plain) for _, thing in function) and (
                len(names) == 1 or not (node.args or node.keywords)):  # getattr(sizes, ('cpu', 'cuda')[on])()
            return self.call_attribute(Plain(), names[0], node, frame)
        return self.over(function, lambda thing: self.call_with(thing, node, frame))

    def put_off_at(self, node: ast.AST, frame: Frame) -> bool:
        """Does what a call would do wait until somebody goes over what it gives, after the statement it stands in?"""
        if id(node) in self.consumed:
            return False
        self.note_put_off(node, frame)
        return True

    def over(self, value: Value, do: Callable[[Abstract], Value]) -> Value:
        """Apply ``do`` to every alternative on its own paths, and join the results."""
        out: Value | None = None
        if len(value) == 1:
            return do(value[0][1])
        for guard, thing in value:
            if self.pc.excludes(guard):
                continue
            with self.narrowed(guard):
                part = do(thing)
            out = part if out is None else choose(guard, part, out)
        return self.limited(out) if out is not None else self.unknown()

    def arguments(self, node: ast.Call, frame: Frame, eager: bool = False) -> tuple[list[Value], dict[str, Value]]:
        """Evaluated arguments; a ``*list`` of known length is spread, entries of a ``**dict`` become keywords.

        What ``*list`` and ``**dict`` hold besides is handed on under these stars, for functions of the project.
        ``eager``: the callee consumes generator expressions here and now.
        """
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        grows = False
        under: list[Value] = []
        for argument in node.args:
            if eager:
                self.consume(argument)
            value = self.eval(argument, frame)
            self.note_flag(argument, value, frame)
            if isinstance(argument, ast.Starred):
                args += self.spread(value)
                if self.exact_list(value) is None:
                    kwargs[REST] = args[-1]
                    under += self.entries(value)
                grows |= not isinstance(argument.value, (ast.Tuple, ast.List)) and self.is_others(value)
            else:
                args.append(value)
        self.note_starred(node, None if REST in kwargs or grows else len(args))
        if under or id(node) in self.under_stars:
            self.under_stars[id(node)] = under
        for keyword in node.keywords:
            value = self.eval(keyword.value, frame)
            self.note_flag(keyword.value, value, frame)
            if keyword.arg is not None:
                kwargs[keyword.arg] = value
            else:
                self.spread_dict(value, kwargs)
        return args, kwargs

    def note_starred(self, node: ast.Call, filled: int | None) -> None:
        """Remember how many positions a call with a star fills: what lies behind them is out of its reach."""
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            before = self.starred.get(id(node), 0)
            self.starred[id(node)] = None if before is None or filled is None else max(before, filled)

    def note_flag(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """An argument may be a flag that the callee asks: remember how the root says it."""
        if not frame.is_root or not isinstance(node, (ast.Name, ast.Attribute, ast.Compare, ast.Subscript)):
            return
        if len(value) == 1 and isinstance(value[0][1], (Truth, Ref)) and not self.is_tensor(value[0][1]):
            formula, exact = self.truth_of(value)
            if len(formula.support()) == 1:
                self.note_text(formula, node, exact)

    def spread(self, value: Value) -> list[Value]:
        """What ``*value`` hands over."""
        known = self.exact_list(value)
        return [item for _, item in known.items] if known is not None else [self.element(value)]

    def entries(self, value: Value) -> list[Value]:
        """All that ``*value`` may hand over beside each other, each where it is there: not the one that is asked."""
        return [choose(guard & presence, item, self.plain()) for guard, thing in value if isinstance(thing, Ref)
                for cell in [self.heap[thing.cell]] if cell.kind == "list" for presence, item in cell.items]

    def exact_list(self, value: Value) -> Cell | None:
        """The list that a value is, where it is known what is in it."""
        cell = self.heap[value[0][1].cell] if len(value) == 1 and isinstance(value[0][1], Ref) else None
        return cell if cell is not None and cell.kind == "list" and cell.exact else None

    def spread_dict(self, value: Value, kwargs: dict[str, Value]) -> None:
        """Add what ``**value`` hands over to the keywords."""
        for guard, thing in value:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            is_dict = cell is not None and cell.kind == "dict"
            for key, item in cell.attrs if cell is not None and is_dict else ():
                name = ast.literal_eval(key[1:-1]) if key.startswith("[") else key
                if isinstance(name, str):
                    old = kwargs.get(name, self.const(None))
                    kwargs[name] = choose(guard, item, old)
            if cell is None or not is_dict or not cell.exact:
                kwargs.setdefault(MORE, self.const(None))
                kwargs[MORE] = choose(guard, single(thing, self.algebra), kwargs[MORE])

    def call_attribute(self, thing: Abstract, name: str, node: ast.Call, frame: Frame) -> Value:
        """``thing.name(...)``."""
        if self.is_nothing(thing):
            if name in ("backward", "register_hook"):
                self.ask_of_nothing(node, frame, [single(thing, self.algebra)])
            self.arguments(node, frame)
            return single(thing, self.algebra)
        if isinstance(thing, Ref):
            known = self.heap[thing.cell].attr(name)
            cell = self.heap[thing.cell]
            member = cell.owner.lookup(name) if cell.owner is not None else None
            if cell.owner is not None and cell.text == "self" and name in self.overridden.get(id(cell.owner.node), ()):
                member = None
            if known is None and member is None and self.finds_called(thing, name, node, frame):
                known = self.heap[thing.cell].attr(name)
            if known is None and member is None:
                self.ask_unasked(node.func, frame, cell, name, "__getattr__")
                count = len(self.facts)
                args, kwargs = self.arguments(node, frame)
                if self.computing is not None and self.volatility(*args, *kwargs.values()).is_false and (
                        self.computing.makes_data(frame.path, node.func)):
                    return self.plain()
                more = kwargs
                kwargs = {key: value for key, value in kwargs.items() if key != REST}
                if name in tables.SHAPE_METHODS:
                    self.forget_arithmetic(count, node.args)
                    for size in args if name in tables.TENSOR_METHODS and name not in self.own_methods else ():
                        self.set_plain(size)  # 0.3 took no Variable for a number
                if cell.kind == "unknown" and cell.vol.is_false:
                    surely = self.method_by_class(node, frame)
                    found = surely or self.method_by_name(name, node)
                    if found is not None:
                        asked = None if surely is not None else (frame.path, node.func)
                        return self.call_by_name(found, thing, args, more, node, frame, asked)
                if cell.worded is not None and not self.volatility(*args, *kwargs.values()).is_false:
                    self.heap[thing.cell] = self.heap[thing.cell].but(worded=None)  # it may keep it under any word
                if cell.kind == "object" and not self.off_planned.is_false:
                    ran = self.parts_ran.get((thing.cell, name), self.algebra.false)
                    self.parts_ran[thing.cell, name] = ran | (self.pc & self.off_planned)
                return self.method(thing, name, args, kwargs, node, frame)
            if known is None and member is not None and self.is_bound_unseen(thing, name, member):
                args, kwargs = self.arguments(node, frame)
                return self.unknown_call(node, frame, [single(thing, self.algebra), *args], kwargs)
        if isinstance(thing, (Plain, Const, Truth)):
            args, kwargs = self.arguments(node, frame)
            self.give_functions([*args, *kwargs.values()], node, frame)
            self.call_special(args, node, frame)  # "{}".format(x)
            if thing == Plain() and not self.volatility(*args, *kwargs.values()).is_false and (
                    name in tables.MODEL_METHODS or any(
                        accepts(other, node, 1) for other in self.namesakes.get(name, ()))):
                return self.unknown_call(node, frame, args, kwargs)  # NumPy hands back objects that it was given
            if not self.volatility(*args).is_false and is_inplace_name(name):
                return self.operate(node, frame, args, text=name)
            if isinstance(thing, Const) and not hasattr(thing.value, name) and not self.volatility(
                    *args, *kwargs.values()).is_false:
                return self.unknown_call(node, frame, args, kwargs)  # Python raises; who mends it has another thing
            return single(plain.after_method(thing, name), self.algebra)
        function = self.thing_attribute(thing, name, node.func, frame)
        return self.over(function, lambda f: self.call_with(f, node, frame))

    def call_by_name(self, found: Function, thing: Ref, args: list[Value], kwargs: dict[str, Value], node: ast.Call,
                     frame: Frame, asked: tuple[str, ast.expr] | None) -> Value:
        """Call the method that an unknown thing has by that name; ``asked``: where, if names alone say that it has it.
        """
        self.liveness.mark(self.pc, [single(thing, self.algebra)])
        owner = self.new("object", owner=found.owner, text=self.heap[thing.cell].text)
        given = self.call_function(found, owner, args, kwargs, node, frame)
        if asked is not None and isinstance(asked[1], ast.Attribute) and (
                not names_parameter(found.node, node) and not self.pc.excludes(self.volatility(given))):
            _, _, places = self.by_guess.setdefault(id(node), (frame.path, node, set()))
            places.add((asked[0], asked[1]))
        return given

    def finds_called(self, thing: Ref, name: str, node: ast.Call, frame: Frame) -> bool:
        """Is what an object keeps under a name, and calls, an object of the class that all hand over? It is from here.
        """
        if self.of_class is None or self.importing or self.heap[thing.cell].kind != "object" or not (
                self.of_class.running(frame.path, node.func, BY_CALL)):
            return False
        part = self.by_class(self.derived(thing, name, remember=False), node.func, frame, *BY_CALL)
        if not any(isinstance(each, Ref) and self.heap[each.cell].kind == "object" for _, each in part):
            return False
        self.heap[thing.cell] = self._with_attr(self.heap[thing.cell], name, part)
        return True

    by_name: dict[str, tuple[tuple[str, ast.FunctionDef], ...]]  # the methods that give volatile values
    known_methods: KnownMethods | None = None
    bound_at: SiteKey | None = None  # where the partial was made that is being called

    def method_by_name(self, name: str, node: ast.Call) -> Function | None:
        """The one method of that name in the project that gives volatile values, if no other could take this call."""
        if not may_be_found(name, node) or name not in self.by_name:
            return None
        able = [(path, method) for path, method in self.by_name[name] if may_take(method, node)]
        if len(able) != 1 or any(
                other is not able[0][1] and may_take(other, node) for other in self.namesakes.get(name, ())):
            return None  # the receiver may be of the other's class, and what it gives has a graph
        return self.function_at(*able[0])

    def method_by_class(self, node: ast.Call, frame: Frame) -> Function | None:
        """The method that is called of an object whose class names say, where it decides what is volatile."""
        known = self.known_methods.of(frame.path, node.func) if self.known_methods is not None else None
        if known is None or id(known.node) not in self.relevant:
            return None
        return self.function_at(known.path, known.node)

    def call_with(self, thing: Abstract, node: ast.Call, frame: Frame) -> Value:
        """Call a callee that is evaluated, with the arguments of ``node``."""
        if isinstance(thing, Extern) and thing.name == VARIABLE:
            if frame.is_root:
                self.outside.setdefault(id(node), set()).add(VARIABLE)
            return self.variable(node, frame)
        count = len(self.facts)
        args, kwargs = self.arguments(node, frame, eager=isinstance(thing, Extern) and consumes(thing.name))
        if isinstance(thing, Extern):
            kwargs.pop(REST, None)
        if isinstance(thing, Extern) and library.takes_numbers(thing.name):
            self.forget_arithmetic(count, [*node.args, *[k.value for k in node.keywords]])
        return self.call_thing(thing, args, kwargs, node, frame)

    def forget_arithmetic(self, count: int, nodes: list[ast.expr]) -> None:
        """Of the facts from ``count`` on, those of sums and products that go where no graph can be: they need none."""
        waiting, inside = list(nodes), set()
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Subscript, ast.Starred)):
                inside.add(node)
                waiting += [n for n in children(node) if isinstance(n, ast.expr)]
        self.facts[count:] = [f for f in self.facts[count:]
                              if f.chain[-1] not in inside or not f.need.is_false or f.blocked or f.text == UNASKED]

    def call_value(self, function: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                   frame: Frame) -> Value:
        """Call whatever a value can be."""
        return self.over(function, lambda thing: self.call_thing(thing, args, kwargs, node, frame))

    def call_thing(
        self, thing: Abstract, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame
    ) -> Value:
        """Call one thing with evaluated arguments."""
        if id(node) in self.wrapped:
            with self.grad_off(self.algebra.true):
                return self._call_thing(thing, args, kwargs, node, frame)
        return self._call_thing(thing, args, kwargs, node, frame)

    def _call_thing(self, thing: Abstract, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                    frame: Frame) -> Value:
        if isinstance(thing, Function):
            return self.call_function(thing, None, args, kwargs, node, frame)
        if isinstance(thing, Bound):
            if thing.function is not None:
                return self.call_function(thing.function, thing.receiver, args, kwargs, node, frame)
            return self.over(thing.receiver, lambda t: self.method(t, thing.name, args, kwargs, node, frame)
                             if isinstance(t, Ref) else self.apply_operation(t, args, kwargs, node, frame)
                             if isinstance(t, ClassValue) else self.plain())
        if isinstance(thing, ClassValue):
            return self.instantiate(thing, args, kwargs, node, frame)
        if isinstance(thing, Partial):
            merged = {**dict(thing.kwargs), **kwargs}
            self.note_partial(thing)
            own = "volatile" not in kwargs and any(
                isinstance(t, Extern) and t.name == VARIABLE for _, t in thing.function)
            saved, self.bound_at = self.bound_at, thing.key if own else None
            try:
                return self.call_value(thing.function, [*thing.args, *args], merged, node, frame)
            finally:
                self.bound_at = saved
        if isinstance(thing, Extern):
            return self.call_extern(thing.name, args, kwargs, node, frame)
        if isinstance(thing, Ref):
            nothing = self.nothing_in([*args, *kwargs.values()])
            if (self.pc & nothing).is_false:
                return self.call_ref(thing, args, kwargs, node, frame)
            with self.narrowed(~nothing):
                given = self.call_ref(thing, args, kwargs, node, frame)
            return choose(~nothing, given, self.nothing([*args, *kwargs.values()]))
        return self.unknown_call(node, frame, args, kwargs)

    def note_partial(self, partial: Partial) -> None:
        """The call that made a partial calls what is in it, too."""
        for _, thing in partial.function:
            function = thing.function if isinstance(thing, Bound) else thing
            if isinstance(function, Function):
                self.entered.setdefault(partial.made, set()).add(id(function.node))

    # --- Variable ----------------------------------------------------------------------------------------------------

    def variable(self, node: ast.Call, frame: Frame) -> Value:
        """``Variable(data, requires_grad, volatile)``; its data is plain, for on 0.3 a Variable of one raised."""
        if node.args and not isinstance(node.args[0], ast.Starred):
            self.data_argument(node.args[0], frame)
        rest = [self.eval(a, frame) for a in node.args[1:]]
        kwargs: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg == "data":
                self.data_argument(keyword.value, frame)
                continue
            value = self.eval(keyword.value, frame)
            if keyword.arg is not None:
                kwargs[keyword.arg] = value
                if keyword.arg == "volatile":
                    self.test_again(keyword.value, value, frame)
            else:
                self.spread_dict(value, kwargs)
        if len(rest) > 1:
            self.test_again(node.args[2], rest[1], frame)
        return self.new_variable([self.plain(), *rest], kwargs, node, frame)

    def test_again(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """Note the text of a flag that is a bare name or attribute."""
        if isinstance(node, (ast.Name, ast.Attribute, ast.Compare, ast.Subscript)):
            formula, exact = self.truth_of(value)
            if len(formula.support()) == 1:
                self.note_text(formula, node, exact) if frame.is_root else self.note_own(formula, node, exact, frame)

    def data_argument(self, node: ast.expr, frame: Frame) -> None:
        """Evaluate what a Variable is made of: reading it out of something unknown is no operation on a graph."""
        count = len(self.facts)
        self.eval(node, frame)
        if self.reads_only(node):
            self.forget_reading(count, node)
        whole = tensor_behind(node)
        if whole is not None:
            self.set_plain(self.lookup(whole.id, frame) or ())
            self.forget_making(whole, frame)

    def forget_making(self, data: ast.Name, frame: Frame) -> None:
        """What the data of a Variable was made by on the way to it was plain, too, as far as methods of torch made it.

        An object of the project may have a method of that name, which gives what it likes.
        """
        names: dict[ast.AST, str] = {
            node: node.func.attr for node in made_by(frame.node).get(data, ())
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
        made = {node: name for node, name in names.items() if name.rstrip("_") in OPERATIONS
                and name not in self.namesakes and not self.rebound.is_set(name)}
        if made and not frame.trying:
            self.facts[:] = [f for f in self.facts if f.chain[:-1] != frame.chain or f.blocked or (
                not f.need.is_false) or f.text != made.get(f.chain[-1])]

    def forget_reading(self, count: int, read: ast.expr) -> None:
        """Of the facts from ``count`` on, those of the reading itself: not what Python runs for it, of other code."""
        inside = {*walk(read)}
        self.facts[count:] = [f for f in self.facts[count:] if f.chain[-1] not in inside or f.text == UNASKED]

    def note_plain_iterables(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> None:
        """``[Variable(x) for x in xs]``: what it goes over is plain, as each of its elements is."""
        made, loop = node.elt, node.generators[0]
        while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in tables.LOOKS:
            made = made.func.value
        if not isinstance(made, ast.Call) or not made.args or len(node.generators) > 1 or loop.ifs:
            return
        behind = tensor_behind(made.args[0])
        if behind is None or not isinstance(loop.target, ast.Name) or behind.id != loop.target.id:
            return
        if isinstance(made.func, (ast.Name, ast.Attribute)) and all(
                isinstance(t, Extern) and t.name == VARIABLE for _, t in self.eval(made.func, frame)):
            self.of_plain.add(id(loop.iter))

    def reads_only(self, node: ast.expr) -> bool:
        """Is it a name with items, attributes and methods of a plain tensor upon it?"""
        while True:
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in tables.LOOKS:
                node = node.func.value
            else:
                return isinstance(node, ast.Name)

    def new_variable(self, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """A Variable with the flags of its evaluated arguments."""
        def flag(name: str, position: int) -> Formula:
            value = args[position] if len(args) > position else kwargs.get(name)
            return self.truth_of(value)[0] if value is not None else self.algebra.false

        requires = flag("requires_grad", 1)
        key = frame.key(node)
        if self.bound_at is not None:
            key = self.bound_at
        elif frame.flag is not None and says(node, frame.flag[0]):
            key = frame.flag[1]
        self.variables.add(key)
        said = self.algebra.true if key in self.flagged else flag("volatile", 2)
        said = self.algebra.false if key in self.unset else said
        # who has no_grad has no volatile: in a block that the author wrote the flag never did anything
        off = self.off_existing & ~self.off_by_torch
        vol = self.algebra.false if key in self.refused else said & ~off
        carriers = frozenset({key}) if not said.is_false else frozenset()
        if not (self.pc & said).is_false:
            self.on.add(key)
            if not (self.pc & said & ~off).is_false:
                self.in_the_open.add(key)
        if carriers:
            self.deciding |= said.support() | {atom for atom in self.pc.support() if atom in self.texts}
        return self.new("tensor", vol=vol, req=requires & ~vol, sites=carriers, fresh=True, idle=True,
                        origin="variable", known=True, made=self.liveness.constructed())

    # --- project functions -------------------------------------------------------------------------------------------

    def call_function(self, function: Function, receiver: Value | None, args: list[Value], kwargs: dict[str, Value],
                      node: ast.AST, frame: Frame) -> Value:
        """Interpret a function of the project in place."""
        held = [receiver] if receiver is not None else []
        if self.does_not_fit(function, receiver, args, kwargs, node, frame):
            return self.not_entered(function, receiver, args, kwargs, node, frame)
        if not self.worth_entering(function, [*held, *args, *kwargs.values()]):
            return self.not_entered(function, receiver, args, kwargs, node, frame)
        if (not self.precision.enters or id(function.node) in self.left_out) and not self.decides(function):
            return self.summarised(self.not_entered(function, receiver, args, kwargs, node, frame))
        if id(function.node) in self.outgrown:
            raise Outgrown("too many paths")
        self.inlined.add(id(function.node))
        if not self.away:
            self.ran_here.add(id(function.node))
        self.entered.setdefault(id(node), set()).add(id(function.node))
        depth = len(frame.chain)
        above = self.activations(frame).count(id(function.node))
        if above >= MAX_RECURSION:
            self.failed = self.failed | self.pc
            self.pc = self.algebra.false  # the deeper levels repeat what the first ones did
            return self.plain()
        if depth >= MAX_DEPTH:
            return self.not_entered(function, receiver, args, kwargs, node, frame)
        inner = Frame(function.path, function.node, {}, function.frame.globals or function.frame, function.frame,
                      (*frame.chain, node), owner=function.owner, receiver=receiver,
                      flag=self.decided_at(function, node, frame))
        inner_activations = (*self.activations(frame), id(function.node))
        self._activations[id(inner)] = inner_activations
        self._alive.append(inner)
        self.bind_parameters(function, self.with_receiver(function, receiver, args), kwargs, inner)
        later = is_generator(function.node) and self.put_off_at(node, frame)
        self.lazy += later
        steps, nodes = self.steps, self.algebra.size
        self.calls += 1
        try:
            return self.run_body(function, inner)
        finally:
            self.calls -= 1
            self.lazy -= later
            if not above and not self.decides(function):
                self.took[id(function.node)] = self.took.get(id(function.node), Took(0, 0)).plus(
                    self.steps - steps, self.algebra.size - nodes)

    def decided_at(self, function: Function, node: ast.AST, frame: Frame) -> tuple[str, SiteKey] | None:
        """The parameter of a helper that takes a flag, and the call that decides it, where that stands for itself."""
        name, handed_on = self.parted.get((id(node), id(function.node)), ("", ""))
        if handed_on:
            return (name, frame.flag[1]) if frame.flag is not None and frame.flag[0] == handed_on else None
        return (name, frame.key(node)) if name else None

    def with_receiver(self, function: Function, receiver: Value | None, args: list[Value]) -> list[Value]:
        """The arguments by position, with the object or the class that a method gets before them."""
        names = decorators_of(function.node)
        if "classmethod" in names and function.owner is not None:  # through the class or an object of it
            return [single(function.owner, self.algebra), *args]
        return [receiver, *args] if receiver is not None and "staticmethod" not in names else args

    def does_not_fit(self, function: Function, receiver: Value | None, args: list[Value], kwargs: dict[str, Value],
                     node: ast.AST, frame: Frame) -> bool:
        """Is something volatile handed over that no parameter takes? Who mends the call has it computed with."""
        left = fitting.unplaced(function.node, self.with_receiver(function, receiver, args), kwargs, (REST, MORE))
        if not left or self.volatility(*left).is_false:
            return False
        if not isinstance(function.node, ast.Lambda):
            self.note_unfit(function.node.name, left, node, frame)
        return True

    def note_unfit(self, name: str, left: list[Value], node: ast.AST, frame: Frame) -> None:
        """Remember that a call hands something volatile to no parameter of what it calls by that name."""
        _, sites = self.unfit.setdefault((frame.path, node), (name, set()))
        sites |= self.sites_of(*left)

    left_out: frozenset[int] = frozenset()  # bodies that took most of the budget when they were entered, by node id
    took: dict[int, Took]  # what those that were entered took of it, with all that they call
    outgrown: set[int]  # bodies that alone, looked at as closely as this, were too complex, by node id
    private: frozenset[int]  # bodies all of whose callers are known and interpreted, by node id
    relevant: frozenset[int]  # bodies that decide volatility or hand it on, by node id
    followed: Container[str]  # methods whose callers may make anew what they find on self, by name

    def worth_entering(self, function: Function, values: list[Value]) -> bool:
        """Is the body to be interpreted? Others count as unknown: what they compute is taken to need a graph."""
        if self.importing and (self.unbound or body_size(function.node) > LARGE or not (
                self.decides(function) or self.makes_what_decides(function)
                or not self.volatility(*values).is_false)):
            return False
        if isinstance(function.node, ast.Lambda):
            return True
        size, alone, at_most = body_size(function.node), SMALL, LARGEST
        if is_abstract(function.node) and not self.is_doing_nothing(function):
            alone = at_most = 0
        elif function.owner is not None and function.node.name in ("forward", "__call__", "__init__") and any(
                name.startswith("torch.nn") for name in function.owner.extern_bases()):
            alone = at_most = size if cures(function.node) and function.node.name == "forward" else 0
            if not alone and self.is_of_loss(function):
                at_most = LARGE  # a loss: what it gives of what has no graph has none
        # whether it decides is asked last: where only that answer is another one, a run has to be made again
        return size <= alone or self.decides(function) or (size <= at_most and (
            not (self.off_planned.is_false and self.volatility(*values).is_false)
            or self.makes_what_is_asked(function) or (
                calls_parameter(function.node) and self.hold_what_decides(values))))

    def hold_what_decides(self, values: Iterable[Value]) -> bool:
        """Is one of them a method that decides volatility, of an object made in view or as something unknown has it?"""
        things = [thing for value in values for _, thing in value]
        return any(isinstance(thing, Bound) and thing.function is not None and self.decides(thing.function)
                   for thing in things) or any(
            isinstance(thing, Ref) and thing.cell in self.asked_as and self.asked_as[thing.cell][1].attr in self.by_name
            for thing in things)

    def is_doing_nothing(self, function: Function) -> bool:
        """Is it a method that does nothing, and is that all there is to it for an object that runs it?"""
        return self.below is not None and function.owner is not None and (
            self.below.is_doing_nothing(function.owner.node, function.node))

    def is_of_loss(self, function: Function) -> bool:
        """Is it what an object of a class without weights computes, whichever class below it is its own?"""
        owner = function.owner
        return owner is not None and self.judging is not None and not self.overridden.get(id(owner.node)) and (
            function.node.name != "__init__" and self.judging.of_definition(owner.node))  # type: ignore[union-attr]

    def decides(self, function: Function) -> bool:
        """Is it a body that decides volatility or hands it on, or one that stands in an expression?"""
        return isinstance(function.node, ast.Lambda) or id(function.node) in self.relevant

    def makes_what_decides(self, function: Function) -> bool:
        """Is it the ``__init__`` of objects whose methods decide what is volatile, maybe by what it leaves on them?"""
        return function.owner is not None and function.node.name == "__init__" and any(  # type: ignore[union-attr]
            id(each) in self.relevant for each in functions_in(function.owner.node))

    def makes_what_is_asked(self, function: Function) -> bool:
        """Is it the ``__init__`` of objects whose methods write a flag that is an attribute, maybe one it leaves?"""
        return self.makes_what_decides(function) and any(
            isinstance(node, ast.keyword) and node.arg == "volatile"
            and any(isinstance(part, ast.Attribute) for part in walk(node.value))
            for node in walk(function.owner.node))  # type: ignore[union-attr]

    def not_entered(self, function: Function, receiver: Value | None, args: list[Value], kwargs: dict[str, Value],
                    node: ast.AST, frame: Frame) -> Value:
        """A project function that is not looked into: what it needs it may also find, volatile, on its receiver."""
        self.open_up([single(function, self.algebra), *([receiver] if receiver is not None else [])])
        if receiver is not None:
            self.havoc([receiver])
        held = self.held_for(function, receiver) if receiver is not None and not self.importing else self.algebra.false
        if receiver is not None and not self.pc.excludes(held):
            need, forbid = self.pc & held, self.pc & ~held
            self.record(node, frame, need, forbid, receiver, text="call", blocked="unknown-callee")
        given = [*args, *kwargs.values()]
        if receiver is not None and self.only_binds(function, receiver, given) and self.volatility(*given).is_false:
            self.liveness.mark(self.pc, [receiver])
            self.hand_over(given)  # the object itself goes nowhere
            return self.const(None)
        self.at_once += 1
        self.unentered = ((function.path, function.node),)
        made = self.unknown_call(node, frame, args, kwargs)
        self.unentered = ()
        self.at_once -= 1
        return made

    def held_for(self, function: Function, receiver: Value) -> Formula:
        """Where a method that is not looked into may find something volatile on its object, or in it."""
        held = self.algebra.false
        for guard, thing in receiver:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            alone = single(thing, self.algebra)
            if cell is None or cell.kind != "object" or self.asked_by is None or (
                    self.freezes or self.volatility(alone).is_false):
                held = held | (guard & self.volatility(alone))
            else:
                held = held | (guard & self.volatile_in(value for name, value in cell.attrs if self.asked_by.may_ask(
                    function.path, function.node, name)))
        return held

    def only_binds(self, function: Function, receiver: Value, given: list[Value]) -> bool:
        """Is it an ``__init__`` of a class that makes its objects by binding names and making layers alone?"""
        if self.making is None or function.node.name != "__init__":  # type: ignore[union-attr]
            return False
        owners = [self.heap[thing.cell].owner if isinstance(thing, Ref) else None for _, thing in receiver]
        numbers = all(isinstance(thing, (Const, Truth, Plain)) for value in given for _, thing in value)
        return bool(owners) and all(owner is not None and self.making.only_binds(
            owner.path, owner.node, numbers=numbers) for owner in owners)

    def hand_over(self, values: list[Value]) -> None:
        """Values come into an object that is not followed: whoever has it may ask gradients of them, or put more in."""
        self.liveness.mark(self.pc, values)
        self.note_given(*(thing for value in values for _, thing in value))
        self.open_up(values)
        self.havoc(values)

    def activations(self, frame: Frame) -> tuple[int, ...]:
        """The functions that are being interpreted, by node id."""
        scope: Frame | None = frame
        while scope is not None:
            if id(scope) in self._activations:
                return self._activations[id(scope)]
            scope = scope.closure
        return ()

    made_by_init: Callable[[ClassValue], tuple[tuple[str, Value], ...]]  # attributes whose kind __init__ settles
    _activations: dict[int, tuple[int, ...]]
    _alive: list[Frame]

    def bind_parameters(self, function: Function, args: list[Value], kwargs: dict[str, Value], frame: Frame) -> None:
        """Bind parameters to arguments, defaults, or the unknown."""
        arguments = function.node.args
        names = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        defaults = dict(function.defaults)
        rest = dict(kwargs)
        listed, named = rest.pop(REST, None), rest.pop(MORE, None)
        keyed = self.element(named) if named is not None else None
        for index, name in enumerate(names):
            if index < len(args):
                frame.env[name] = args[index]
            elif name in rest:
                frame.env[name] = rest.pop(name)
            else:
                frame.env[name] = self.perhaps_given((listed, keyed), defaults.get(name))
        for argument in arguments.kwonlyargs:
            frame.env[argument.arg] = rest.pop(argument.arg, ()) or self.perhaps_given(
                (keyed,), defaults.get(argument.arg))
        if arguments.vararg is not None:
            more = frame.env[arguments.vararg.arg] = self.sequence(
                [*args[len(names):], *([listed] if listed is not None and len(args) <= len(names) else ())])
            if listed is not None:
                self.mark_inexact(more)
        if arguments.kwarg is not None:
            entries = [(f"[{k!r}]", v) for k, v in rest.items() if k not in names]
            values = [v for _, v in entries] + ([keyed] if keyed is not None else [])
            frame.env[arguments.kwarg.arg] = self.new(
                "dict", items=tuple((self.algebra.true, v) for v in values), attrs=tuple(entries), exact=keyed is None)

    def perhaps_given(self, handed: Iterable[Value | None], default: Value | None) -> Value:
        """What a parameter is that no argument names: its default, or what the stars of a call may hold for it."""
        out = default
        for value in handed:
            if value is not None and out is not None:
                out = choose(self.unknown_truth(), value, out)
        return out or self.unknown()

    def instantiate(self, cls: ClassValue, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                    frame: Frame) -> Value:
        """Make an instance and run its ``__init__``."""
        variable = self.derived_variable(cls, args, kwargs, node, frame)
        if variable is not None:
            return variable
        self_value = self.new("object", owner=cls, text="self" if self.is_open_class(node, frame) else cls.node.name)
        init = cls.lookup("__init__")
        if init is not None and len(init) == 1 and isinstance(init[0][1], Function):
            made = self.call_function(init[0][1], self_value, args, kwargs, node, frame)
            if self.does_not_fit(init[0][1], self_value, args, kwargs, node, frame):
                return made  # what it keeps of them nobody can say
            if not self.worth_entering(init[0][1], [*args, *kwargs.values()]):
                self.note_settled(cls, self_value, [*args, *kwargs.values()])
                self.note_kept(cls, init[0][1], [*args, *kwargs.values()], node, frame)
        elif init is None and takes_nothing(cls) and not self.volatility(*args, *kwargs.values()).is_false:
            self.note_unfit(cls.node.name, [*args, *kwargs.values()], node, frame)
            return self.unknown_call(node, frame, args, kwargs)
        else:
            self.store(f"an instance of {cls.node.name}", node, frame, *args, *kwargs.values())
            values = [*args, *kwargs.values()]
            vol = self.volatility(*values)
            if vol.is_false:
                return self_value
            beside = any(not (guard & self.pc & vol & ~cell.vol).is_false  # what computes with that may have a graph
                         and (cell.kind == "tensor" or cell.origin in ("call", "made"))
                         for guard, cell in self.leaves(values))
            if not beside and not has_methods(cls):
                return self.unknown_call(node, frame, args, kwargs, keeps=True)
            # by what names it has which of them nobody sees, nor what its methods make of them
            self.record(node, frame, self.pc & vol, self.algebra.false, *values, text="call",
                        blocked="escapes-by-attribute")
        return self_value

    def is_open_class(self, node: ast.AST, frame: Frame) -> bool:
        """``cls(...)`` in a class method that nobody here called: the class may be one below."""
        return frame.is_root and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
            node.func.id == receiver_name(frame.node))

    def note_kept(self, cls: ClassValue, init: Function, given: list[Value], node: ast.AST, frame: Frame) -> None:
        """What an ``__init__`` that is not run keeps of volatile arguments, methods of the class find on self."""
        vol = self.volatility(*given)
        for name in sorted(kept_by(init.node)) if not vol.is_false else ():
            write = AttributeWrite(cls.node.name, name, self.pc, vol, self.sites_of(*given), tensor=True,
                                   idle=any(map(self.is_idle, given)))
            self.attribute_writes.append(write)
            self.store("an attribute", node, frame, *given, name=name, owner=cls.node.name)

    def note_settled(self, cls: ClassValue, made: Value, given: list[Value]) -> None:
        """Of an instance whose ``__init__`` is not run with what it was given: the attributes whose kind is certain."""
        ref = made[0][1]
        numbers = all(cell.origin == "data" for _, cell in self.leaves(given))
        if isinstance(ref, Ref):
            settled = tuple((n, v) for n, v in self.made_by_init(cls) if numbers or self.is_layer(v))
            self.heap[ref.cell] = replace(self.heap[ref.cell], attrs=settled)

    def is_layer(self, value: Value) -> bool:
        """Is it a module of torch.nn, made in view?"""
        return all(isinstance(thing, Ref) and self.heap[thing.cell].kind in ("module", "object") for _, thing in value)

    def super_value(self, frame: Frame) -> Value:
        """``super()``: the receiver, with the members that come after the method's class in the order of its own."""
        scope: Frame | None = frame
        while scope is not None and scope.receiver is None:
            scope = scope.closure
        if scope is None or not isinstance(scope.owner, ClassValue):
            return single(Extern("builtins.super"), self.algebra)
        out: Value | None = None
        for guard, thing in scope.receiver or ():
            part = self.super_bound(scope.owner, thing)
            out = part if out is None else choose(guard, part, out)
        return out if out is not None else single(Extern("builtins.super"), self.algebra)

    def super_bound(self, method_of: ClassValue, receiver: Abstract) -> Value:
        """An object whose methods are those beyond a class, bound to the receiver."""
        cell = self.heap[receiver.cell] if isinstance(receiver, Ref) else None
        known = cell.owner if cell is not None else receiver if isinstance(receiver, ClassValue) else None
        own = known if known is not None else method_of
        order = own.beyond(method_of)
        names = dict.fromkeys(name for cls in order if isinstance(cls, ClassValue) for name in cls.members)
        if not names:
            of_torch = all(isinstance(cls, Extern) and cls.name.startswith(library.EMPTY_BASES) for cls in order)
            return single(Extern("builtins.object" if of_torch and order else "builtins.super"), self.algebra)
        is_open = cell is None or cell.text == "self"
        unsure = self.beyond.get(id(method_of.node), frozenset()) if is_open else frozenset()
        attrs: list[tuple[str, Value]] = []
        for name in names:
            member = own.lookup(name, after=method_of)
            if name in unsure or member is None or len(member) != 1 or not isinstance(member[0][1], Function):
                continue
            attrs.append((name, single(Bound(single(receiver, self.algebra), name, member[0][1]), self.algebra)))
        return self.new("object", attrs=tuple(attrs))

    beyond: Mapping[int, frozenset[str]]  # class node id -> members that super() finds elsewhere in classes below it

    def call_ref(self, ref: Ref, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """Call an object: an instance of a project class, a module of torch.nn, something unknown."""
        cell = self.heap[ref.cell]
        weights = self.frozen(ref)
        if weights is not None and not self.runs_in_view(cell, [*args, *kwargs.values()]):
            return self.run_frozen(weights, args, kwargs, node, frame)
        if cell.kind == "module":
            if cell.text in layers.HOLDS_MODULES:
                self.note_ran(ref)
            inside = self.run_inside(ref, args, kwargs, node, frame)
            if inside is not None:
                return inside
            if args and self.may_write(cell):
                args = [self.writes_into(cell.text, args[0], node, frame), *args[1:]]
                if cell.text not in layers.HOLDS_MODULES:
                    return args[0]
            return self.call_nn(cell.text, args, kwargs, node, frame)
        replaced = cell.attr("forward")
        if replaced is not None and any(isinstance(thing, Function) for _, thing in replaced):
            return self.call_value(replaced, args, kwargs, node, frame)  # net.forward = ...
        self.liveness.mark(self.pc, [single(ref, self.algebra)])
        if cell.owner is None and "volatile" in kwargs and isinstance(node, ast.Call):
            found = next(filter(None, (self.method_by_name(name, node) for name in RUN_BY_OBJECT)), None)
            if found is not None:
                owner = self.new("object", owner=found.owner, text=cell.text)
                return self.call_function(found, owner, args, kwargs, node, frame)
        asked = self.asked_as.get(ref.cell) if cell.kind == "unknown" and cell.vol.is_false else None
        if asked is not None and isinstance(node, ast.Call):  # ``run = net.run``, then ``run(x)``
            found = self.method_by_name(asked[1].attr, node)
            if found is not None:
                return self.call_by_name(found, ref, args, kwargs, node, frame, asked)
        if cell.owner is not None and is_operation(cell.owner):
            # its forward runs on plain tensors: to whoever calls it, it is one operation of torch's
            return self.operate(node, frame, [*args, *kwargs.values()], text=cell.owner.node.name)
        if cell.owner is not None:
            for name in ("__call__", "forward"):
                method = cell.owner.lookup(name)
                if method is not None and len(method) == 1 and isinstance(method[0][1], Function):
                    if name == "forward":
                        self.run_hooks(node, frame, self.volatility(*args), args)
                        self.note_passed(node, frame, args, known=True)
                    if not self.worth_entering(method[0][1], [*args, *kwargs.values()]):
                        self.note_ran(ref)
                    if name in self.rebound.patched:
                        runs = single(Bound(single(ref, self.algebra), name, method[0][1]), self.algebra)
                        return self.call_value(self.maybe_patched(runs, name, ours=True), args, kwargs, node, frame)
                    return self.call_function(method[0][1], single(ref, self.algebra), args, kwargs, node, frame)
        self.note_ran(ref)
        return self.unknown_call(node, frame, args, kwargs, cell)

    def apply_operation(self, cls: ClassValue, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                        frame: Frame) -> Value:
        """``Function.apply(x)``: one operation of torch's, without weights, where it is given tensors and numbers."""
        values = [*args, *kwargs.values(), *self.under_stars.get(id(node), ())]
        bodies = [thing for each in cls.order if isinstance(each, ClassValue) for member in each.members.values()
                  for _, thing in member if isinstance(thing, Function)]
        if any(self.is_container(value) or self.holds_callable(value) for value in values) or any(
                id(body.node) in self.relevant for body in bodies) or (
                isinstance(node, ast.Call) and self.needs_graphs(frame.path, node)):
            return self.unknown_call(node, frame, args, kwargs)
        self.note_unresolved(node)
        return self.operate(node, frame, values, text=cls.node.name, kind="unknown")

    def runs_in_view(self, cell: Cell, values: list[Value]) -> bool:
        """Is it an object of the project whose body is interpreted when it is called?"""
        method = (cell.owner.lookup("__call__") or cell.owner.lookup("forward")) if cell.owner is not None else None
        return method is not None and isinstance(method[0][1], Function) and self.worth_entering(method[0][1], values)

    def note_ran(self, ref: Ref) -> None:
        """What a call that nobody looks into leaves on the object has no graph where it ran inside a block."""
        if not self.off_planned.is_false:
            before = self.heap[ref.cell].ran or self.algebra.false
            self.heap[ref.cell] = replace(self.heap[ref.cell], ran=before | (self.pc & self.off_planned))

    # --- torch -------------------------------------------------------------------------------------------------------

    def call_nn(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """Call a module of torch.nn that was made in view: losses by the table, the others with weights or without."""
        if name in tables.LOSS_MODULES:
            return self.table_operation(tables.LOSS_MODULES[name], args, kwargs, node, frame)
        if name not in layers.HOLDS_MODULES:  # a network of the project's in it may take one
            self.raise_of_number(args, frame)
        self.note_passed(node, frame, args, known=name not in layers.HOLDS_MODULES)
        values = [*args, *kwargs.values()]
        weightless = name in tables.CONTAGIOUS_LOSSES or name in layers.WEIGHTLESS_MODULES
        made = self.operate(node, frame, values, parameters=not weightless, text=name)
        if self.watched:
            self.liveness.mark(self.pc, [*values, made])
        return made

    def distribution(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                     frame: Frame) -> Value:
        """A class of torch.distributions: its object computes with what it was made of, and trains nothing.

        Not with all of it at a time: of something volatile and something that is not, the entropy is of either.
        """
        leaves = self.leaves([*args, *kwargs.values()])
        vol = self.pc & self.volatility_among(leaves)
        if any(not (vol & guard & cell.req & ~cell.vol).is_false for guard, cell in leaves):
            return self.unknown_call(node, frame, args, kwargs)
        made = self.operate(node, frame, [*args, *kwargs.values()], kind="unknown", text=name)
        for _, thing in made:
            if isinstance(thing, Ref):
                self.heap[thing.cell] = self.heap[thing.cell].but(text=f"{library.DISTRIBUTIONS}{name}")
        return made

    def ask_distribution(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                         frame: Frame) -> Value:
        """A method of a distribution: one operation on what it was made of. A sample had no graph on 0.3."""
        kind = self.heap[ref.cell].text.removeprefix(library.DISTRIBUTIONS)
        exempt = tables.NON_CONTAGIOUS_METHODS.get((kind, name), frozenset())
        given = [*enumerate(args, 1), *kwargs.items()]
        return self.operate(
            node, frame, [single(ref, self.algebra), *(value for at, value in given if at not in exempt)],
            others=[value for at, value in given if at in exempt],
            differentiable=name not in tables.SAMPLES, text=name)

    def raise_of_number(self, args: Sequence[Value], frame: Frame) -> None:
        """0.3 raised where a layer, or a function of torch.nn, got a number for the Variable that it computes on."""
        for guard, thing in args[0] if args and not frame.trying else ():
            if isinstance(thing, Const) and isinstance(thing.value, (int, float)):
                self.failed = self.failed | (self.pc & guard)
                self.pc = self.pc & ~guard

    def raise_of_none(self, args: Sequence[Value], frame: Frame) -> None:
        """0.3 raised where the tensors of a list were joined and none was in it: it was filled, on what goes on."""
        for guard, thing in args[0] if args and not frame.trying else ():
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if cell is None or cell.kind != "list" or not cell.items or self.is_others(single(thing, self.algebra)):
                continue
            empty = guard & ~self.algebra.any(there for there, _ in cell.items)
            self.failed = self.failed | (self.pc & empty)
            self.pc = self.pc & ~empty

    def table_operation(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame,
                        kind: str = "tensor", of_torch: bool = False) -> Value:
        """An operation by 0.3's table: which arguments pass volatility on, which results take it.

        ``of_torch``: a function of torch's, and no method of something that may be no tensor.
        """
        exempt = tables.NON_CONTAGIOUS.get(name, frozenset())
        if name == "__getitem__":
            args = [*args[:1], *map(self.of_tensor, args[1:])]
        inputs = [a for index, a in enumerate(args) if index not in exempt]
        inputs += [a for key, a in kwargs.items() if key not in exempt and not (of_torch and key in ("dim", "keepdim"))]
        alone = name in tables.ONE_TENSOR and bool(args) and (
            of_torch or all(map(self.is_tensor, (t for _, t in args[0]))))
        if alone:
            # which row, how many: a number, where it is not known to be something else; 0.3's functions raised for that
            raised = of_torch and name not in tables.MEASURED
            inputs = [args[0], *(a for a in inputs[1:] if any(self.is_tensor(t) for _, t in a))] if not raised else [
                args[0], *(a for key, a in kwargs.items() if key == "out")]
        others = [a for index, a in enumerate(args) if index in exempt]
        if name in tables.COMPARISONS or name in tables.MADE_LIKE:
            return self.operate(node, frame, inputs, differentiable=False, text=name)
        result = self.operate(node, frame, inputs, others=others, kind=kind, text=name)
        if name in tables.SEVERAL:
            self.note_several(result)
        free = tables.INDEX_RESULTS.get(name)
        if free == frozenset({0}):
            return self.new("tensor")
        # only of these two the second may be a tensor, of the others it says how many there are, or along what
        second_is_tensor = name in ("max", "min") and not alone and len(args) > 1 and any(
            isinstance(t, Ref) for _, t in args[1])
        if free and (name not in ("max", "min", "median", "mode") or len(args) > 1 or kwargs) and not second_is_tensor:
            items = [self.new("tensor") if index in free else result for index in range(max(free) + 1)]
            return self.sequence(items)
        return result

    def call_extern(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """Call something from outside the project by its name."""
        if frame.is_root:
            self.outside.setdefault(id(node), set()).add(name)
        if name == VARIABLE:
            return self.new_variable(args, kwargs, node, frame)
        if name.startswith("builtins."):
            return self.call_builtin(Call(name[9:], args, kwargs, node, frame))
        made = self.call_standard(Call(name, args, kwargs, node, frame))
        if made is not None:
            return made
        handed = self.handed_over(name, args, kwargs, node, frame)
        if handed is not None:
            return handed
        self.note_given(*(thing for value in (*args, *kwargs.values()) for _, thing in value))
        if library.is_torch(name):
            self.give_functions([*args, *kwargs.values()], node, frame)
            may_run = self.may_run if name.startswith("torch.nn.parallel.") else self.holds_callable
            if any(map(may_run, (*args, *kwargs.values()))):  # ``data_parallel(net, x)``
                self.note_passed(node, frame, [*args, *kwargs.values()])
            return self.call_torch(name, Call(name, args, kwargs, node, frame))
        harmless = any(name == known or name.startswith(known + ".") for known in library.HARMLESS_LIBRARIES)
        if not harmless or self.runs([*args, *kwargs.values()]):
            self.lazy += name.startswith("itertools.")
            here = runs_at_once(name, harmless)
            self.at_once += here
            self.by_library += 1
            made = self.unknown_call(node, frame, args, kwargs)
            self.by_library -= 1
            self.put_by_others([*args, *kwargs.values()])
            self.at_once -= here
            self.lazy -= name.startswith("itertools.")
            return made
        if name.startswith(("numpy.", "math.", "time.")):
            return self.plain()
        self.liveness.mark(self.pc, [*args, *kwargs.values()])
        given = self.leaves([*args, *kwargs.values()])
        # a tensor comes out with its flag, and with the graph that was made for it
        if name.startswith(library.HANDS_BACK) and not (self.volatility_among(given).is_false and not any(
                cell.made and not cell.req.is_false for _, cell in given)):
            return self.handed_back([*args, *kwargs.values()])
        if name.startswith("collections."):
            return self.unknown()  # a container: what is put in comes out again, with its graph
        return self.data(f"{name}{'()' if self.only_data([*args, *kwargs.values()]) else GIVEN}")

    def handed_back(self, given: list[Value]) -> Value:
        """What a library gives of things that it was given, or that are in them: nothing was computed with them."""
        leaves = self.leaves(given)
        vol = self.volatility_among(leaves)
        return self.new("unknown", vol=vol, req=self.requires_among(leaves) & ~vol, origin="made",
                        sites=self.origins_among(leaves), made=self.liveness.made_or_not(given))

    # --- builtins ----------------------------------------------------------------------------------------------------

    def is_container(self, value: Value) -> bool:
        """Is it a list or a dictionary made in view?"""
        return all(isinstance(t, Ref) and self.heap[t.cell].kind in ("list", "dict") for _, t in value)

    def extern(self, name: str) -> Value:
        """Something from outside by its full name."""
        return single(Extern(name), self.algebra)

    @abstractmethod
    def write_attribute(self, value: Value, name: str, new: Value, node: ast.AST, frame: Frame) -> None:
        """Assign an attribute (see ``statements``)."""
        ...

    # --- methods -----------------------------------------------------------------------------------------------------

    def method(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
               frame: Frame) -> Value:
        """A method of a heap object that is no project method."""
        cell = self.heap[ref.cell]
        receiver = single(ref, self.algebra)
        if name in tables.RESIZING and cell.kind in ("unknown", "object"):
            self.resized.add(ref.cell)
        if cell.kind not in ("list", "dict"):
            self.give_functions([*args, *kwargs.values()], node, frame)
        handed = self.handed_to(cell, name, args, kwargs, node, frame)
        if handed is not None:
            return handed
        noted = id(node) in self.unresolved
        if cell.kind in ("object", "unknown"):
            self.note_unresolved(node, cell)
        if self.acts_for_itself(cell, [*args, *kwargs.values()], node) and not self.is_neutral(cell, name, args, node):
            self.record(node, frame, self.algebra.false, self.pc, text="call")
            return self.unknown_call(node, frame, args, kwargs)
        self.by_unseen_base(cell, name, receiver, node, frame)
        if cell.kind == "module":
            self.layers_put(ref, name, args)
        if cell.exact and not fitting.is_of_container(name) and not self.volatility(receiver).is_false and (
                not containers.is_of_record(cell, name, kwargs)):
            return self.unknown_call(node, frame, [receiver, *args], kwargs)  # Python raises; who mends it computes
        if cell.kind in ("list", "dict"):
            self.put_for_others(ref, name, [*args, *kwargs.values()], node, frame)
            self.store_at_top(ref, node.func if isinstance(node, ast.Call) else node, frame, [*args, *kwargs.values()])
            return containers.container_method(self, containers.Call(ref, name, args, kwargs, node, frame))
        if name == "backward":
            self.demand(node, frame, receiver)
            return self.const(None)
        if name in tables.PLAIN_METHODS:
            return self.plain()
        if name in ("detach", "detach_") and cell.kind in ("tensor", "unknown"):
            if name == "detach_":
                self.update(ref, self.algebra.true, req=self.algebra.false)
                return receiver
            return self.new("tensor", vol=cell.vol, sites=cell.sites, assumed=cell.assumed, known=cell.known,
                            fresh=cell.fresh, idle=cell.idle)
        if name == "register_hook":
            if not cell.vol.is_false:
                self.demand(node, frame, receiver)
            return self.plain()
        of_network = self.network_method(ref, name)
        if of_network is not None:
            return of_network
        if name == "apply" and "._backend." in cell.text:  # there 0.3's modules had torch's operations
            return self.operate(node, frame, [*args, *kwargs.values()], text=name)
        if cell.kind == "unknown" and cell.text.startswith(library.DISTRIBUTIONS):
            return self.ask_distribution(ref, name, args, kwargs, node, frame)
        if self.is_neutral(cell, name, [*args, *kwargs.values()], node):
            return self.neutral_method(ref, name, args, kwargs, node, frame)
        lacking = self.found_below_alone(ref, name, [receiver, *args, *kwargs.values()])
        if lacking is not None:
            if not noted:
                self.unresolved.pop(id(node), None)  # it runs one of those, and nothing else
            return self.call_value(lacking, args, kwargs, node, frame)
        if cell.owner is not None and name in self.overridden.get(id(cell.owner.node), ()):
            held = self.volatility(receiver)
            met = self.volatility(receiver, *args, *kwargs.values())
            given = [receiver, *args, *kwargs.values()]
            concerned = name in self.followed or not self.pc.excludes(met)
            bodies = self.bodies_below(ref, name, given) if concerned else None
            if bodies is not None:
                return self.call_value(bodies, args, kwargs, node, frame)
            if any(isinstance(n, ast.Attribute) and n.attr == "backward"
                   for body in self.namesakes.get(name, ()) for n in walk(body)):
                # a class below trains in it, whatever it is given
                self.record(node, frame, self.algebra.false, self.pc, receiver, text="call", blocked="unknown-callee")
            if not self.pc.excludes(held):
                # which body runs is not known, and what it needs it may find on self
                self.record(
                    node, frame, self.pc & held, self.pc & ~held, receiver, text="call", blocked="unknown-callee"
                )
        if name in tables.RETURNS_SELF and (cell.kind == "module" or self.is_module(cell)):
            return receiver  # its class has no such method, so that it is torch's
        if name == "forward" and cell.kind == "module":
            return self.call_ref(ref, args, kwargs, node, frame)  # a layer of torch's: as if it were called
        if self.is_of_library(cell, name) and self.only_data([*args, *kwargs.values()]):
            return self.data(cell.text)  # a progress bar is told how far it got, an axis of a plot what to show
        weights = self.frozen(ref) if cell.kind in ("module", "object", "unknown") else None
        if weights is not None:
            return self.run_frozen(weights, args, kwargs, node, frame)
        if cell.kind in ("module", "object", "unknown") and not self.looks_like_tensor_method(name):
            self.liveness.mark(self.pc, [receiver])
            if cell.owner is None or name not in made_alone(cell.owner.node):
                self.forget_training(receiver)
        if cell.kind == "module" or (cell.kind == "object" and not self.is_inplace(name)):
            return self.unknown_call(node, frame, args, kwargs, cell)
        if cell.kind == "unknown" and cell.vol.is_false and not self.looks_like_tensor_method(name):
            return self.unseen_method(ref, name, args, kwargs, node, frame)
        if (
            self.is_untouched(cell)
            and name in tables.LOOKS
            and self.volatility(*args).is_false
        ):
            return self.derived(ref, f"{name}()", remember=False)
        if self.is_inplace(name):
            return self.inplace(ref, name, args, kwargs, node, frame)
        same = name in tables.SAME_VALUES
        result = self.table_operation(name, [receiver, *([] if same else args)], {} if same else kwargs, node, frame,
                                      kind="unknown" if cell.kind == "unknown" else "tensor")
        if (same or name in tables.VIEWS) and cell.fresh:
            self.mark_fresh(result)
        return result

    def unseen_method(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                      frame: Frame) -> Value:
        """A method of an object of which nobody has seen the class.

        That what it gives is volatile as what it was given is an assumption, and no better than that it is one of the
        project's, if they have the name: what all of those give as text and numbers is no tensor.
        """
        cell = self.heap[ref.cell]
        given = self.giving.by_name(frame.path, name, node) if self.giving is not None and isinstance(
            node, ast.Call) and not self.rebound.is_assigned(name) else None
        if given is not None and given.whole and given.looks:
            self.liveness.mark(self.pc, [*args, *kwargs.values()])
            return self.data()
        made = self.unknown_call(node, frame, args, kwargs, cell)
        self.may_find_set(cell, node, frame)
        self.may_be_kept(ref, [*args, *kwargs.values()], node)
        if given is None or self.volatility(made).is_false:
            return made
        for number in [thing.cell for _, thing in made if isinstance(thing, Ref)] if not given.whole else []:
            for index in sorted(given.parts):
                part = self.data()
                for key in (f"[{index}]", f"{TOLD}[{index}]"):
                    self.heap[number] = self._with_attr(self.heap[number], key, part)
        return self.data() if given.whole else made

    def by_unseen_base(self, cell: Cell, name: str, receiver: Value, node: ast.AST, frame: Frame) -> None:
        """``Thread.start``: a base class that nobody has seen runs what methods of the class it likes."""
        if cell.kind != "object" or cell.owner is None or all(
                base.startswith(("torch.", "builtins.")) for base in cell.owner.extern_bases()) or (
                is_assertion(cell.owner, name)):
            return
        held = self.volatility(receiver)
        if not self.pc.excludes(held):
            self.record(node, frame, self.pc & held, self.pc & ~held, receiver, text="call", blocked="unknown-callee")

    def may_find_set(self, cell: Cell, node: ast.AST, frame: Frame) -> None:
        """A method of ``x``, whose class nobody has seen, may compute with what was put into it: ``x.image = v``."""
        held = [value for name, value in cell.attrs if not name.startswith("[") and self.is_set(value)]
        vol = self.pc & self.volatility(*held)
        if not vol.is_false:
            self.record(node, frame, vol, self.algebra.false, *held, text="call", blocked="unknown-callee")

    def is_set(self, value: Value) -> bool:
        """Was it made in view?"""
        return any(cell.fresh for _, cell in self.leaves([value]))

    def is_idle(self, value: Value) -> bool:
        """Is something in it volatile for which nothing asked for a block yet?"""
        return any(cell.idle and not cell.vol.is_false for _, cell in self.leaves([value]))

    def is_first_use(self, values: list[Value]) -> bool:
        """Is something volatile in it as constructed, or not yet asked a block for and no result of it beside it?"""
        volatile = [cell for _, cell in self.leaves(values) if not cell.vol.is_false]
        results = frozenset(site for cell in volatile if not cell.idle for site in cell.sites)
        return any(cell.fresh or (cell.idle and not cell.sites <= results) for cell in volatile)

    def may_be_kept(self, ref: Ref, values: list[Value], node: ast.AST) -> None:
        """Nobody looks at what ``x.observe(v)`` gives: it was called for what it does to ``x``, which may keep ``v``.

        What ``x`` gives from then on is as volatile as ``v`` was. A result with its graph cut keeps no graph alive.
        """
        fresh = [(guard, cell) for guard, cell in self.leaves(values) if cell.fresh] if id(node) == self.unused else []
        vol = self.pc & self.algebra.any(guard & cell.vol for guard, cell in fresh)
        if not vol.is_false:
            sites = self.heap[ref.cell].sites | self.origins_among(fresh)
            self.update(ref, vol, vol=self.algebra.true, sites=sites)
            self.set_attr(ref, vol, KEPT, self.const(True))

    def acts_for_itself(self, cell: Cell, args: list[Value], node: ast.AST) -> bool:
        """Is an object that may have kept something volatile called for its own sake, and shown nothing of the kind?

        It may train, on what it has of others: what it was shown would have raised there. No block belongs around it.
        """
        return cell.attr(KEPT) is not None and id(node) == self.unused and self.volatility(*args).is_false

    def found_below_alone(self, ref: Ref, name: str, given: list[Value]) -> Value | None:
        """A method that the class of ``self`` lacks, as those of the classes below, where one decides what is volatile.
        """
        cell = self.heap[ref.cell]
        if cell.owner is None or cell.text != "self" or self.below is None or cell.owner.lookup(name) is not None or (
                not any(id(body.node) in self.relevant for body in self.below.bodies(cell.owner.node, name))):
            return None
        return self.bodies_below(ref, name, given)

    def bodies_below(self, ref: Ref, name: str, given: list[Value]) -> Value | None:
        """A method that classes below have too, as the one or the other body; None where not all are looked into.

        ``given``: its receiver and what it is called with.

        Which class an object is of stays one question: its methods are all of that class.
        """
        owner = self.heap[ref.cell].owner
        found = self.below.bodies(owner.node, name) if self.below is not None and owner is not None else ()
        if not found or self.below is None or owner is None or (
                self.rebound.is_assigned(name, self.below.of(owner.node))):
            return None
        out: Value | None = None
        for cls, path, body in found:
            function = self.function_at(path, body)
            if function is None or not self.worth_entering(function, given):
                return None
            method = single(Bound(single(ref, self.algebra), name, function), self.algebra)
            out = method if out is None else choose(self.atom(("made by", ref, cls)), method, out)
        return out

    def is_of_library(self, cell: Cell, name: str) -> bool:
        """Is it what a library that builds no graphs gave, or a part of that, and no method that may train?

        Some give back objects of anybody's, of which nothing is known.
        """
        made, called, _ = cell.text.partition("()")
        return cell.origin == "data" and (bool(called) or made.endswith(GIVEN)) and (
            not made.startswith(library.GIVES_ANYTHING)) and not (
            self.training is not None and any(map(self.training.graph.trains, self.training.graph.methods(name))))

    def only_data(self, values: list[Value]) -> bool:
        """Is there nothing in the values that could compute, or be computed on?"""
        runs = (Function, Bound, Partial, ClassValue)
        return self.only_plain(values) and not any(isinstance(thing, runs) for value in values for _, thing in value)

    def mark_fresh(self, value: Value) -> None:
        """Say that a tensor is still as it was constructed, but for where it lies and how it is looked at."""
        for guard, thing in value:
            if isinstance(thing, Ref):
                self.update(thing, guard, fresh=True)

    @staticmethod
    def is_inplace(name: str) -> bool:
        """Does a method of that name write into its receiver?"""
        return is_inplace_name(name)

    def looks_like_tensor_method(self, name: str) -> bool:
        """Is it a name that torch's tensors have?"""
        return name in tables.TENSOR_METHODS or self.is_inplace(name)

    def is_neutral(self, cell: Cell, name: str, values: list[Value], node: ast.AST) -> bool:
        """Does a method of that name run nothing that could build a graph?

        Not where a class of the project that is no module has a method of that name: a trainer's ``train()`` trains.
        Nor where a module of the project's has one of its own that keeps something.
        """
        if cell.kind != "module" and not self.is_module(cell) and self.may_be_own(name, node):
            return False
        if name in tables.NEUTRAL_ON_PLAIN:
            return self.only_plain(values) and not (name in ("train", "eval") and may_be_trainer(cell.text))
        return name in tables.NEUTRAL_METHODS and (cell.kind == "module" or not self.has_one_that_keeps(name))

    def may_be_own(self, name: str, node: ast.AST) -> bool:
        """May what is called be a method of that name of a class of the project that is no module?

        For ``def train(self, epoch)`` of a trainer Python would raise at ``self.model.train()``: the model is no such
        trainer. What else is bound under that name, and what a decorator makes of a method, may take anything.
        """
        return any(not isinstance(node, ast.Call) or method is None or method.decorator_list or may_take(method, node)
                   or self.rebound.is_assigned(name, cls) for cls, method in self.own_methods.get(name, ()))

    def has_one_that_keeps(self, name: str) -> bool:
        """Does a class of the project have a method of that name that sets an attribute?"""
        return any(isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                   for body in self.namesakes.get(name, ()) for node in walk(body))

    def neutral_method(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                       frame: Frame) -> Value:
        """Methods that run nothing to fear: their arguments may be kept."""
        if name in tables.STORING and args:
            self.store("a container", node.func if isinstance(node, ast.Call) else node, frame, *args,
                       foreign=self.is_foreign(ref))
            self.take_in(ref, args, node, frame)
            return self.const(None)
        if name in ("eval", "train"):
            self.set_training(ref, name, args)
        if name in ("eval", "train", "share_memory", "requires_grad_", "copy"):
            if name == "requires_grad_":
                self.update(ref, self.algebra.true, req=self.algebra.true)
            if name == "copy" and self.heap[ref.cell].kind == "unknown":
                self.note_copied(ref)
            return single(ref, self.algebra)
        if name == "apply" and len(args) == 1 and self.runs_on_parts(args[0]):
            self.call_value(args[0], [single(ref, self.algebra)], {}, node, frame)  # on all parts, and on the whole
            return single(ref, self.algebra)
        if name == "apply" and not self.volatility(*args).is_false:
            self.liveness.mark(self.pc, [single(ref, self.algebra)])
            return self.unknown_call(node, frame, args, kwargs)
        if name in tables.PLAIN_RESULTS and not args and not kwargs and name not in self.namesakes:
            return self.data(f"{self.heap[ref.cell].text}.{name}()")
        given = self.derived(ref, f"{name}()", remember=False)
        return self.as_listed(given, LISTING[name]) if name in self.listing else given

    listing: frozenset[str] = frozenset()  # methods that list something, and that no class of the project has

    def take_in(self, ref: Ref, args: list[Value], node: ast.AST, frame: Frame) -> None:
        """A container that nobody knows has from now on what is put into it, and so has what it is a part of."""
        vol = self.volatility(*args)
        if vol.is_false:
            return
        held = single(ref, self.algebra)
        part = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        while isinstance(part, ast.Subscript):
            part = part.value
            if isinstance(part, ast.Name):
                held = (*held, *(self.lookup(part.id, frame) or ()))
        for guard, thing in held:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if isinstance(thing, Ref) and cell is not None and cell.kind == "unknown":
                if not self.computes_items:  # a tensor has no such method, and nobody computes what is taken out again
                    self.note_container(thing, guard)
                self.update(thing, guard, vol=cell.vol | vol, sites=cell.sites | self.origins(*args))

    def runs_on_parts(self, function: Value) -> bool:
        """Is it a function that decides volatility, and gives nothing?"""
        return all(isinstance(t, Function) and self.decides(t) and gives_nothing(t.node) for _, t in function)

    def set_training(self, ref: Ref, name: str, args: list[Value]) -> None:
        """``x.eval()`` and ``x.train(mode)`` write ``x.training``."""
        if self.heap[ref.cell].kind not in ("object", "unknown"):
            return
        mode = self.truth_of(args[0]) if args else (self.algebra.constant(name == "train"), True)
        self.set_attr(ref, self.algebra.true, "training", self.truth(*mode))

    def forget_training(self, *values: Value) -> None:
        """Code that nobody has seen may switch whatever it is given to training or evaluation."""
        for ref in [thing for value in values for _, thing in value if isinstance(thing, Ref)]:
            if self.heap[ref.cell].attr("training") is not None:
                self.set_attr(ref, self.algebra.true, "training", self.truth(self.unknown_truth()))

    def store(self, how: str, node: ast.AST, frame: Frame, *values: Value, name: str = "", owner: str = "",
              reachable: bool = True, foreign: bool = False, holder: int | None = None) -> None:
        """Record that values are kept where later code can find them; ``reachable``: and may ask gradients of them.

        What is handed on to be called later comes with what it will be given.
        """
        values += tuple(self.given_later(values))
        if reachable:
            self.liveness.mark(self.pc, values)
        vol = self.volatility(*values)
        if vol.is_false:
            return
        leaves = self.leaves(values)
        made = self.algebra.any(guard & cell.vol for guard, cell in leaves if cell.fresh)
        fresh = vol.implies(made)
        shows = not made.is_false and any(
            not cell.fresh and (cell.kind == "tensor" or cell.origin == "call") for _, cell in leaves)
        parts = frozenset(self.sites_among([leaf]) for leaf in leaves)
        bundled = all(isinstance(t, Ref) and self.heap[t.cell].kind == "dict" for v in values for _, t in v)
        self.stores.append(Store(how, self.pc, vol, fresh, self.sites_of(*values), node, name, owner, bundled,
                                 shows, parts, self.doubts_among(leaves), foreign, holder))

    def is_foreign(self, ref: Ref) -> bool:
        """May code that nobody has seen hold an object: is it unknown, or of a class that derives from such code?"""
        cell = self.heap[ref.cell]
        if cell.owner is None:
            return cell.kind == "unknown"
        return any(not library.is_torch(base) and base.partition(".")[0] not in OF_PYTHON
                   for base in cell.owner.extern_bases())

    def note_taken_back(self) -> None:
        """At the end: an attribute that holds something else by then gives away nothing of what was put there."""
        self.stores[:] = [replace(each, foreign=False) if each.foreign and self.is_taken_back(each) else each
                          for each in self.stores]

    def note_filled(self) -> None:
        """At the end: what came into a container after it was put on self is found there by other methods, too."""
        for at, write in enumerate(self.attribute_writes):
            holds = any(isinstance(thing, Ref) and self.heap[thing.cell].kind in ("list", "dict", "unknown")
                        for _, thing in write.value)
            vol = self.volatility(write.value) if holds else write.vol
            if write.target is None or (write.pc & vol).implies(write.vol):
                continue
            self.attribute_writes[at] = replace(write, vol=vol, sites=self.sites_of(write.value), tensor=True,
                                                idle=self.is_idle(write.value), filled=True)
            path, node = write.target
            self.pc = write.pc
            self.store("an attribute", node, Frame(path, node), write.value, name=write.name, owner=write.owner)

    def is_taken_back(self, store: Store) -> bool:
        """Does an attribute surely hold something else than what was put there?"""
        left = self.heap[store.holder].attr(store.name) if store.holder is not None else None
        return left is not None and self.sites_of(left).isdisjoint(store.sites)

    def given_later(self, values: Iterable[Value]) -> Iterator[Value]:
        """What functions among the values will be given by whoever calls them: what ``partial`` has bound.

        Of a method of an object made in view, that object; what ``self`` holds its own methods see.
        """
        for _, thing in (each for value in values for each in value):
            if isinstance(thing, Partial):
                bound = [*thing.args, *(value for _, value in thing.kwargs)]
                yield from bound
                yield from self.given_later([thing.function, *bound])
            elif isinstance(thing, Bound) and thing.function is not None and not any(
                    isinstance(t, Ref) and self.heap[t.cell].text == "self" for _, t in thing.receiver):
                yield thing.receiver

    def give_functions(self, values: list[Value], node: ast.AST, frame: Frame) -> None:
        """Others have the functions among values from now on; they may run them at once, and one may train."""
        self.open_functions(values)
        if any(map(self.trains, self.functions_in(values))):
            self.record(node, frame, self.algebra.false, self.pc, text=UNASKED)

    def may_train_when_called(self, made: Call) -> bool:
        """Is something that trains when it is called among what a list of layers, or a wrapper of one, is made of?"""
        training = self.training
        if training is None:
            return False
        cells = list(self.liveness.reachable(made.values))
        return any(isinstance(thing, Function) and self.trains(thing)
                   for cell in cells if cell.kind == "object" and cell.owner is not None
                   for name in RUN_BY_OBJECT for _, thing in cell.owner.lookup(name) or ()) or (
            any(cell.kind == "unknown" and cell.origin != "data" for cell in cells)
            and training.may_send_unasked(made.frame.path, RUN_BY_OBJECT))

    def functions_in(self, values: Iterable[Value]) -> Iterator[Function]:
        """The functions of the project among values, and those that are bound in them."""
        for _, thing in (each for value in values for each in value):
            if isinstance(thing, Function):
                yield thing
            elif isinstance(thing, Bound) and thing.function is not None:
                yield thing.function
            elif isinstance(thing, Partial):
                yield from self.functions_in([thing.function])

    def store_at_top(self, ref: Ref, node: ast.AST, frame: Frame, values: list[Value]) -> None:
        """What goes into a container of a module's is there for every function; ``node`` is ``container.method``."""
        if ref.cell in self.at_top or (frame.is_root and isinstance(frame.node, ast.Module)):
            holder = getattr(node, "value", None)
            name = holder.id if isinstance(holder, ast.Name) else ""
            self.store("a global", node, frame, *values, name=name, reachable=False)

    def inplace(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                frame: Frame) -> Value:
        """An in-place operation: the object itself becomes volatile when something volatile is written into it."""
        receiver = single(ref, self.algebra)
        rooted = self.liveness.is_rooted(self.heap[ref.cell])
        if not rooted:  # what is volatile takes no graph over
            self.liveness.mark(self.pc & ~self.volatility(receiver), [receiver, *args, *kwargs.values()])
        if self.only_plain([receiver, *args, *kwargs.values()]):
            return receiver
        exempt = tables.NON_CONTAGIOUS.get(name, frozenset())
        inputs = [receiver, *[a for i, a in enumerate(args, 1) if i not in exempt], *kwargs.values()]
        cell = self.heap[ref.cell]
        vol, req = self.volatility(*inputs), self.requires(*inputs)
        # under no_grad a tensor that has a graph keeps it, whatever is written into it: a block would not do
        kept = self.pc & cell.req & ~cell.vol & vol
        blocked = "" if kept.is_false else "a volatile value is written into a tensor that has a graph"
        made = self.record(node, frame, self.pc & vol & req, self.pc & req & ~vol, *inputs, text=name, blocked=blocked,
                           alone=not rooted)
        if rooted:
            self.liveness.write(cell, made)
        self.update(ref, self.algebra.true, vol=vol, req=req & ~vol, fresh=False,
                    sites=cell.sites | self.origins(*inputs), assumed=cell.assumed | self.assumed_of(*inputs))
        return receiver

    def may_write(self, layer: Cell) -> bool:
        """Is it a layer that may write into its input (``nn.ReLU(inplace=True)``), or a sequence that begins with one?
        """
        flag = layer.attr(FLAG)
        if flag is not None:
            return not self.truth_of(flag)[0].is_false
        first = layer.items[0][1] if layer.text == "Sequential" and layer.items else ()
        return any(isinstance(thing, Ref) and self.may_write(self.heap[thing.cell]) for _, thing in first)

    def writes_into(self, name: str, value: Value, node: ast.AST, frame: Frame) -> Value:
        """A function or a layer writes into its input, and gives that back."""
        def written(thing: Abstract) -> Value:
            is_tensor = isinstance(thing, Ref) and self.heap[thing.cell].kind in ("tensor", "unknown")
            return self.inplace(thing, name, [], {}, node, frame) if isinstance(thing, Ref) and is_tensor else (
                single(thing, self.algebra))

        return self.over(value, written)

    def may_keep_graph(self, node: ast.AST, values: list[Value]) -> bool:
        """Could the result of an unknown call have a graph although an argument is volatile?

        So it is for losses and their targets. An argument that is known to have a graph is enough to ask; one that may
        have one is, where the callee is called like a loss.
        """
        like_loss = self.like_loss(node)
        vol = self.pc & self.volatility(*values)
        return any(not (guard & vol & cell.req & ~cell.vol).is_false and
                   (cell.kind == "tensor" or cell.origin == "call" or (like_loss and cell.origin == "param"))
                   for guard, cell in self.leaves(values))

    def like_loss(self, node: ast.AST) -> bool:
        """Is the callee called like a loss?"""
        return isinstance(node, ast.Call) and may_be_loss(ast.unparse(node.func))

    def note_unresolved(self, node: ast.AST, called: Cell | None = None) -> None:
        """Remember a call that may run anything; at the top level of a module that is no root nothing is called."""
        if not self.importing and isinstance(node, ast.Call):
            handed = called is not None and called.origin == "param"
            self.unresolved[id(node)] = self.unresolved.get(id(node), False) or not handed

    def needs_graphs(self, path: str, call: ast.Call, said: Mapping[ast.expr, object] = MappingProxyType({})) -> bool:
        """May a call that was not looked into train, or leave a graph for others? ``said``: arguments and constants."""
        return (self.training is not None and self.training.may_send(path, call, said)) or (
            self.leaving is not None and self.leaving.may_leave(path, call))

    def constants_given(self, call: ast.Call, frame: Frame, values: list[Value]) -> dict[ast.expr, object]:
        """The names among the arguments of a call that stand for a constant on all paths that come to it, and which."""
        found: dict[ast.expr, object] = {}
        for part in (*call.args, *(each.value for each in call.keywords)):
            value = self.lookup(part.id, frame) if isinstance(part, ast.Name) else None
            if value is not None and value in values and len(value) == 1 and isinstance(value[0][1], Const):
                found[part] = value[0][1].value
        return found

    def only_computes(self, path: str, call: ast.Call) -> bool:
        """Does a call surely do nothing but give a value, so that its graph is wanted only where that is?"""
        return self.computing is not None and not self.importing and self.computing.only_computes(path, call)

    keeping: Keeping | None = None
    computing: Computing | None = None
    making: Making | None = None
    judging: Judging | None = None
    cutting: Cutting | None = None
    giving: Giving | None = None
    asked_by: Asking | None = None
    below: Below | None = None
    layered: Layered
    criteria: Criteria | None = None

    unused = 0  # the call whose value the statement being executed throws away

    # --- the unknown -------------------------------------------------------------------------------------------------

    def unknown_call(self, node: ast.AST, frame: Frame, args: list[Value], kwargs: dict[str, Value],
                     called: Cell | None = None, *, keeps: bool = False) -> Value:
        """A call of code that nobody has seen: given something volatile, it gives something volatile (decision 1).

        ``keeps``: it makes an object that has what it is given, and is no criterion that a volatile target is lost in.
        """
        values = [*args, *kwargs.values(), *self.under_stars.get(id(node), ())]
        self.note_unresolved(node, called)
        leaves = self.leaves(values)
        self.note_met(frame, node, "call", leaves, leaves)
        if not self.by_library or any(map(self.may_run, values)):
            self.note_passed(node, frame, values, bodies=self.unentered)
        self.note_given(*(thing for value in values for _, thing in value))
        self.forget_training(*values)
        self.open_up(values)
        self.havoc(values)
        self.operations += bool(values)
        self.handed_on |= self.sites_of(*values) if self.flagged else frozenset()
        key = frame.key(node)
        later = list(self.given_later(values))
        held = self.pc & self.volatility(*later)
        if not held.is_false:  # who has it calls it when he likes: a block around this call need not be one around that
            self.record(node, frame, held, self.algebra.false, *later, text="call", blocked="unseen-callers")
        vol = self.always_here(self.volatility(*values))
        if self.keeping is not None and isinstance(node, ast.Call) and not vol.is_false and (
                self.keeping.may_keep(frame.path, node)):
            self.store("an object", node.func, frame, *values, reachable=False)
        if not keeps and (key in self.harmless_calls or (
                not vol.is_false and self.lets_graph_end(node, frame, args, kwargs, called))):
            vol = self.algebra.false
        if id(node) == self.unused and not vol.is_false and not self.is_first_use(values):
            # a callback that is shown a result: it may do anything, and nothing asks for a block
            self.liveness.mark(self.pc, values)
            if not self.only_keeps(node, frame):
                self.record(node, frame, self.algebra.false, self.pc, text="callback")
            return self.unknown()
        self.run_hooks(node, frame, vol, values)
        mixed = not vol.is_false and self.may_keep_graph(node, values)
        blocked = mixed and key not in self.trusted
        if mixed and not self.like_loss(node):
            self.may_trust.add(key)
        if not (self.pc & vol).is_false and isinstance(node, ast.Call) and (
                self.needs_graphs(frame.path, node, self.constants_given(node, frame, values))):
            # beside what it does with the volatile value it needs graphs of others, as far as its body says
            self.record(node, frame, self.algebra.false, self.pc, *values, text="call")
            if not blocked:
                self.need_graphs.add(id(node))
            blocked = True
            self.may_trust.discard(key)
        assumed = frozenset({key}) if mixed else frozenset()
        alone = id(node) == self.unused or not isinstance(node, ast.Call) or (
            not self.only_computes(frame.path, node) if vol.is_false else may_train(called_name(node)))
        if alone:
            self.liveness.mark(self.pc, values)
        # given something volatile and something with a graph, a loss or a network may keep the graph: not ours to cut
        away = not vol.is_false and not self.at_once and self.may_run_away(node, called, args, kwargs)
        made = self.record(node, frame, self.pc & vol, self.pc & ~vol, *values, text="call", assumed=assumed,
                           blocked="unknown-callee" if blocked else "other-thread" if away else "", alone=alone)
        computed = any(cell.kind == "tensor" or cell.origin == "call" for _, cell in self.leaves(values))
        leaves = self.leaves(values)
        # beside something volatile it is given what may have a graph: what a criterion gives may keep that
        beside = not (self.pc & vol).is_false and any(
            not (guard & self.pc & vol & other.req & ~other.vol).is_false for guard, other in leaves)
        return self.new("unknown", vol=vol, req=~vol, origin="call" if computed else "made", made=made,
                        doubt=self.doubts_among(leaves) | (frozenset({key}) if beside else frozenset()),
                        known=bool(leaves) and all(cell.known for _, cell in leaves),
                        attrs=((HANDED, self.const(True)),) if self.hands_over(called, values) else (),
                        sites=self.origins(*values),
                        assumed=(self.assumed_of(*values) | assumed) if not vol.is_false else frozenset())

    def lets_graph_end(self, node: ast.AST, frame: Frame, args: list[Value], kwargs: dict[str, Value],
                       called: Cell | None) -> bool:
        """Is what a call gives made of no more than the data of what is volatile among its arguments?

        By its name alone that is known of a part of what callers hand over, not of what a library gave.
        """
        if self.cutting is None or not isinstance(node, ast.Call) or len(node.args) != len(args) or (
                [keyword.arg for keyword in node.keywords] != list(kwargs)):
            return False
        unseen = called is not None and called.kind == "unknown" and called.origin in ("param", "")
        if isinstance(node.func, ast.Attribute) and not unseen:
            return False
        given = zip((*node.args, *(keyword.value for keyword in node.keywords)), (*args, *kwargs.values()), strict=True)
        return self.cutting.ends_in(frame.path, node, [
            text for text, value in given if not self.pc.excludes(self.volatility(value))])

    def may_run(self, value: Value) -> bool:
        """May a library's function that is given a value run layers by it?"""
        return self.holds_callable(value) or any(
            cell.kind == "unknown" and cell.origin != "data" for _, cell in self.leaves([value]))

    by_library = 0  # depth of functions from outside of the project, which have no layers but those that they are given
    unentered: tuple[tuple[str, ast.AST], ...] = ()  # the function of the project that is called and not looked into

    def only_keeps(self, node: ast.AST, frame: Frame) -> bool:
        """Does a call surely run a method of the project that binds what it is given, and does nothing else?"""
        named = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(named, ast.Attribute) or self.making is None or (
                self.rebound.is_assigned(named.attr)) or not self.making.only_keeps(frame.path, node):
            return False
        part = named.value
        while isinstance(part, ast.Attribute) and not self.rebound.is_patched(part.attr):
            part = part.value
        return isinstance(part, ast.Name)

    def put_by_others(self, values: list[Value]) -> None:
        """A library's function may put what is volatile into any container that it is given with it (``heappush``)."""
        for value in values:
            others = [other for other in values if other is not value and not self.volatility(other).is_false]
            for guard, thing in value if others else ():
                if isinstance(thing, Ref) and self.heap[thing.cell].kind in ("list", "dict"):
                    for other in others:
                        containers.may_come_in(self, thing, guard, other)


def may_be_found(name: str, call: ast.Call) -> bool:
    """May a call of a method of something unknown be of the one in the project, by its name alone?"""
    return name not in tables.USUAL_METHODS or any(keyword.arg == "volatile" for keyword in call.keywords)


def may_take(method: ast.FunctionDef, call: ast.Call) -> bool:
    """Could a call of something unknown be of this method? Python raises where an argument is missing, or too many.

    Nothing says that the object is of that class but the call, and one that would raise does not say so. What a
    decorator fills in, nobody sees.
    """
    return accepts(method, call, 1) if method.decorator_list else fits(method, call, 1)


def names_parameter(function: AnyFunction, call: ast.Call) -> bool:
    """Does a call name a parameter of the function: would a method of somebody else's take the same word?"""
    names = {parameter.arg for parameter in parameters_of(function)}
    return any(keyword.arg in names for keyword in call.keywords)


@of_node
def calls_parameter(node: AnyFunction) -> bool:
    """Does a function call what it is handed?"""
    taken = {parameter.arg for parameter in parameters_of(node)}
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in taken for n in walk(node))


@of_node
def body_size(node: ast.AST) -> int:
    """The number of statements in a function."""
    return sum(isinstance(n, ast.stmt) for n in walk(node)) - 1


@of_node
def made_alone(cls: ast.AST) -> set[str]:
    """The attributes that a class assigns once, to what is made without the object: parts that know no whole."""
    stored = Counter(n.attr for n in walk(cls) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return {
        node.attr for statement in walk(cls) if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and not any(isinstance(n, ast.Name) and n.id == "self" for n in walk(statement.value))
        for target in statement.targets for node in walk(target)
        if isinstance(node, ast.Attribute) and stored[node.attr] == 1
        and isinstance(node.value, ast.Name) and node.value.id == "self"
    }


@of_node
def kept_by(init: ast.AST) -> set[str]:
    """The attributes that an ``__init__`` sets to something it was given."""
    arguments = {n.arg for n in walk(init) if isinstance(n, ast.arg)} - {"self"}
    return {
        target.attr for statement in walk(init) if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Name) and statement.value.id in arguments
        for target in statement.targets if isinstance(target, ast.Attribute)
    }


def tensor_behind(node: ast.expr) -> ast.Name | None:
    """The name of the tensor that ``node`` is, or is a slice of, or looks at: plain where ``node`` is plain.

    Not an item: one plain item of a list says nothing of the others. A slice of a list would be a list.
    """
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in tables.LOOKS:
            node = node.func.value
        else:
            return None
    return node


@of_node
def gives_nothing(node: ast.AST) -> bool:
    """Is nothing returned but None?"""
    return not isinstance(node, ast.Lambda) and not is_generator(node) and not any(
        isinstance(n, ast.Return) and n.value is not None for n in walk(node))


@of_node
def is_generator(node: ast.AST) -> bool:
    """Does a function yield?"""
    waiting: list[ast.AST] = list(getattr(node, "body", ())) if not isinstance(node, ast.Lambda) else []
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += children(inner)
    return False


def is_assertion(cls: ClassValue, name: str) -> bool:
    """Is ``self.assertEqual(...)`` what Python's own test case does, which asks the object for nothing else?

    Not where a class of the project has a method that it runs for that.
    """
    ours = [each for each in cls.order if isinstance(each, ClassValue)]
    return name.startswith("assert") and set(cls.extern_bases()) <= {library.TEST_CASE, "builtins.object"} and all(
        len(each.bases) == len(each.node.bases) and not each.node.keywords and all(
            isinstance(base, (ClassValue, Extern)) for base in each.bases) and not any(
            member.startswith(library.ASSERTIONS) for member in each.members) for each in ours)


def has_methods(cls: ClassValue) -> bool:
    """Does a class define functions, or one of those in view that it is derived from? A name may stand for one."""
    return any(isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
               or (isinstance(each, ast.Assign) and _may_name_function(each.value)) for each in walk(cls.node)) or any(
        isinstance(base, ClassValue) and has_methods(base) for base in cls.bases)


def _may_name_function(value: ast.expr) -> bool:
    """``loss = squared``, ``both = property(squared)``: a name by itself, or all that a call is given by position."""
    return isinstance(value, (ast.Name, ast.Attribute)) or (isinstance(value, ast.Call) and any(
        isinstance(each, (ast.Name, ast.Attribute)) for each in value.args))


def takes_nothing(cls: ClassValue) -> bool:
    """Is it a class of which ``object`` makes the instances, which takes no argument?"""
    if cls.node.decorator_list or cls.node.keywords or "__new__" in cls.members or (
            len(cls.bases) != len(cls.node.bases)):
        return False
    return all(takes_nothing(base) if isinstance(base, ClassValue) else (
        isinstance(base, Extern) and base.name in ("object", "builtins.object")) for base in cls.bases)


@of_node
def is_abstract(node: ast.AST) -> bool:
    """Is the body only there to be overridden?"""
    body = [s for s in getattr(node, "body", []) if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, (ast.Pass, ast.Raise)) for s in body)


def called_name(node: ast.Call) -> str:
    """The callee as it is written."""
    return ast.unparse(node.func)


@of_node
def cures(node: ast.AST) -> bool:
    """Does a body take plain data out of tensors, so that volatility may end in it?"""
    return any((isinstance(n, ast.Attribute) and n.attr in ("data", "volatile")) or (
        isinstance(n, ast.Name) and n.id == "Variable") for n in walk(node))


def consumes(name: str) -> bool:
    """Does a function from outside use up a generator expression before it returns?"""
    return library.is_torch(name) or (
        name.startswith("builtins.") and name[9:] not in ("map", "filter", "zip", "enumerate", "iter", "reversed")
    )


Handler: TypeAlias = Callable[[Calls, Call], Value | None]


@of_node
def functions_in(cls: ast.ClassDef) -> list[ast.AST]:
    """The methods of a class, and the functions in them."""
    return [node for node in walk(cls) if isinstance(node, FUNCTIONS)]


def says(node: ast.AST, name: str) -> bool:
    """Is the flag of a Variable that name, as it stands, or with two stars what may hold it, and nothing else does?"""
    if not isinstance(node, ast.Call):
        return False
    flags = [*node.args[2:3], *(keyword.value for keyword in node.keywords if keyword.arg == "volatile")]
    if name.startswith("**") and not any(keyword.arg == "volatile" for keyword in node.keywords):
        name = name.removeprefix("**")
        flags = [keyword.value for keyword in node.keywords if keyword.arg is None]
    return any(isinstance(flag, ast.Name) and flag.id == name for flag in flags)
