"""Functions that are handed to what runs them elsewhere: threads, pools, processes, and loaders with a ``collate_fn``.

Grad mode belongs to a thread. A block around the handing over covers nothing of what runs there, so that what needs one
has to have it in its own body.
"""

from __future__ import annotations

import ast
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from voltfix.machine.iteration import Iterables
from voltfix.machine.liveness import scopes
from voltfix.machine.values import Abstract, Bound, Cell, Frame, Function, Partial, Ref, Value
from voltfix.program.living import own, read
from voltfix.program.walking import walk
from voltfix.torchmodel import tables
from voltfix.torchmodel.library import THREADS

if TYPE_CHECKING:
    from voltfix.program.bindings import ProjectClass

Own = tuple["ProjectClass", ast.FunctionDef | None]  # a class, and its method; None: what its body binds to the name
POOLS = frozenset({
    "multiprocessing.Pool", "multiprocessing.pool.Pool", "multiprocessing.pool.ThreadPool",
    "multiprocessing.dummy.Pool",
    "torch.multiprocessing.Pool", "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.thread.ThreadPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor",
})  # fmt: skip
LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
QUEUES = frozenset(f"{module}.{name}" for module in ("queue", "Queue", "multiprocessing", "torch.multiprocessing")
                   for name in ("Queue", "LifoQueue", "SimpleQueue", "PriorityQueue", "JoinableQueue"))
COLLATE = 6  # the position of a loader's ``collate_fn``
ON_EACH = frozenset({"map", "imap", "imap_unordered", "starmap", "map_async", "starmap_async"})
ONCE = frozenset({"apply", "apply_async", "submit"})
INSTEAD = {"run_in_executor": 1}  # after the pool that it is to be run in
LATER = frozenset({"map_async", "starmap_async", "apply_async", "submit"})
GIVES = frozenset({"get", "result"})
RESULT = "<result>"
HANDED = "<handed>"  # on what code of others gave for a function: calling it may be handing over, in two steps
RUNS_LATER = frozenset({"_thread", "asyncio", "concurrent", "multiprocessing", "queue", "sched", "threading"})
DEPTH_HANDED = 3  # containers in containers of what is handed over


class Elsewhere(Iterables):
    """The part of the machine that follows functions into other threads."""

    @abstractmethod
    def spread(self, value: Value) -> list[Value]:
        """What ``*value`` hands over (see ``calls``)."""
        ...

    @abstractmethod
    def spread_dict(self, value: Value, kwargs: dict[str, Value]) -> None:
        """Add what ``**value`` hands over to the keywords (see ``calls``)."""
        ...

    @abstractmethod
    def is_container(self, value: Value) -> bool:
        """Is it a list or a dictionary made in view (see ``calls``)?"""
        ...

    def is_run(self, value: Value) -> bool:
        """Can the body of a function that is handed over be looked into?"""
        return all(isinstance(t, (Function, Bound, Partial)) or self.is_callable(t) for _, t in value)

    def is_callable(self, thing: Abstract) -> bool:
        """Is it an object of a class of the project that can be called?"""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        return cell is not None and cell.kind == "object" and cell.owner is not None and (
            cell.owner.lookup("__call__") is not None)

    at_once = 0  # inside a call whose code is known to run what it is given before it comes back

    def may_run_away(self, node: ast.AST, called: Cell | None, args: list[Value], kwargs: dict[str, Value]) -> bool:
        """Code that nobody sees is given what computes and what is volatile: may it be run in another thread?

        Grad mode is a thread's own. A callable given alone is run on what somebody else has; a tensor given alone is
        computed on by what was there before, and that is decision 1.
        """
        if self.was_handed(called) or any(self.holds_callable(value) for value in (*args, *kwargs.values())):
            return True
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if called is None or name in self.own_methods:
            return False
        if name in tables.HANDING:
            return True
        # a pool, or a loop of events, as far as its methods say: what it is given there is called
        at = 0 if name in ON_EACH | ONCE else INSTEAD.get(name, len(args))
        return len(args) > at and all(
            isinstance(thing, Ref) and self.heap[thing.cell].kind in ("object", "unknown")
            and self.heap[thing.cell].vol.is_false for _, thing in args[at])

    own_methods: Mapping[str, Sequence[Own]]  # methods of the project's classes that are no modules, by name

    def holds_callable(self, value: Value, depth: int = 0) -> bool:
        """Is there a function of the project, a network or an object that can be called in it?"""
        for _, thing in value:
            if isinstance(thing, Partial) or self.is_callable(thing):
                return True
            function = thing.function if isinstance(thing, Bound) else thing
            if isinstance(function, Function) and self.computes(function):
                return True
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if cell is None:
                continue
            if cell.kind == "module" or (cell.owner is not None and cell.owner.lookup("forward") is not None):
                return True
            if self.was_handed(cell):
                return True
            if cell.kind in ("list", "dict") and depth < DEPTH_HANDED and any(
                    self.holds_callable(inner, depth + 1) for _, inner in cell.items):
                return True
        return False

    @staticmethod
    def was_handed(cell: Cell | None) -> bool:
        """Was it made of a function by code that nobody sees: ``delayed(f)``, a job, a queue of them?"""
        return cell is not None and cell.attr(HANDED) is not None

    def hands_over(self, called: Cell | None, values: Sequence[Value]) -> bool:
        """Is code that nobody sees given a function that computes, or what was made of one, to come back to it?"""
        return not self.at_once and (self.was_handed(called) or any(
            self.computes(thing) or (isinstance(thing, Ref) and self.was_handed(self.heap[thing.cell]))
            for value in values for _, thing in value))

    def run_elsewhere(self, function: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                      frame: Frame) -> Value:
        """Run a function as another thread does: no block of this one is there, nor does it end what goes on here."""
        saved, pc = (self.off_planned, self.off_existing), self.pc
        self.share([*args, *kwargs.values()])
        self.off_planned = self.off_existing = self.algebra.false
        self.away += 1
        try:
            return self.call_value(function, args, kwargs, node, frame)
        finally:
            self.away -= 1
            self.off_planned, self.off_existing = saved
            self.pc = pc

    def share(self, values: Sequence[Value]) -> None:
        """Other threads have these containers, and take out what is put into them."""
        self.shared.update(thing.cell for value in values for _, thing in value
                           if isinstance(thing, Ref) and self.heap[thing.cell].kind in ("list", "dict"))

    def put_for_others(self, ref: Ref, name: str, args: Sequence[Value], node: ast.AST, frame: Frame) -> None:
        """Something volatile is put where another thread takes it out, or sent to what a generator does next."""
        vol = self.pc & self.volatility(*args)
        if (ref.cell in self.shared or name in tables.HANDING) and not vol.is_false:
            self.record(node, frame, vol, self.algebra.false, *args, text="call", blocked="other-thread")

    def handed_over(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                    frame: Frame) -> Value | None:
        """A thread, a pool, a loader or a queue that is made; None of anything else."""
        if name in THREADS:
            return self.thread(name, args, kwargs, node, frame)
        if name in POOLS:
            return self.new("object", text=name, origin="data")
        if name in QUEUES:
            queue = self.new("list", text=name)
            self.share([queue])
            return queue
        if name in LOADERS:
            return self.loader(args, kwargs, node, frame)
        if name == "concurrent.futures.as_completed" and args:
            return self.new("list", items=tuple((self.unknown_truth(), self.element(args[0])) for _ in range(2)))
        return None

    def thread(self, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """A thread that is made will run what it is made for."""
        keyword, at, rest = THREADS[name]
        target = args[at] if len(args) > at else kwargs.get(keyword)
        given = args[rest] if len(args) > rest else kwargs.get("args", self.sequence([]))
        named: dict[str, Value] = {}
        self.spread_dict(kwargs.get("kwargs", ()), named)
        if target is not None:
            self.run_elsewhere(target, self.spread(given), named, node, frame)
        return self.data(f"{name}()")

    def loader(self, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value | None:
        """A loader gives what its ``collate_fn`` makes of items of the dataset; None where that is not in view."""
        collate = args[COLLATE] if len(args) > COLLATE else kwargs.get("collate_fn")
        dataset = args[0] if args else kwargs.get("dataset")
        if collate is None or dataset is None or not (self.is_run(collate) or self.gives_items(dataset)):
            return None
        self.note_put_off(node, frame)
        self.lazy += 1  # it is run when somebody goes over the loader, there or in a process of its own
        try:
            rows = self.several(self.item_of(dataset, node, frame))
            batch = self.run_elsewhere(collate, [rows], {}, node, frame)
        finally:
            self.lazy -= 1
        return self.new("object", text="loader", origin="data", attrs=(("[*]", batch),))

    def gives_items(self, dataset: Value) -> bool:
        """Is its ``__getitem__`` in view?"""
        return len(dataset) == 1 and isinstance(thing := dataset[0][1], Ref) and (
            self.asked_by_loop(self.heap[thing.cell]) == "__getitem__")

    def item_of(self, dataset: Value, node: ast.AST, frame: Frame) -> Value:
        """An item of a dataset: what its ``__getitem__`` gives where that is in view."""
        thing = dataset[0][1] if len(dataset) == 1 else None
        if isinstance(thing, Ref) and self.gives_items(dataset):
            return self.asked(thing, "__getitem__", [self.data("index")], node, frame)
        for _, each in dataset:
            self.note_given(each)
        return self.data("item")

    def handed_to(self, cell: Cell, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                  frame: Frame) -> Value | None:
        """A method of a pool, or of what a pool promised; None of any other object."""
        promised = cell.attr(RESULT)
        if promised is not None and name in GIVES:
            return promised
        function = args[0] if args else kwargs.get("func")
        if cell.text not in POOLS or function is None or not (name in ON_EACH or name in ONCE):
            return None
        result = self.once(name, function, args[1:], kwargs, node, frame) if name in ONCE else (
            self.on_each(name, function, args[1:], node, frame))
        if "callback" in kwargs:
            self.run_elsewhere(kwargs["callback"], [result], {}, node, frame)
        return self.new("object", attrs=((RESULT, result),), origin="data") if name in LATER else result

    def once(self, name: str, function: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
             frame: Frame) -> Value:
        """``pool.apply(f, args, kwds)``, ``pool.submit(f, *args, **kwargs)``."""
        if name == "submit":
            return self.run_elsewhere(function, args, kwargs, node, frame)
        named: dict[str, Value] = {}
        self.spread_dict(args[1] if len(args) > 1 else kwargs.get("kwds", ()), named)
        given = args[0] if args else kwargs.get("args", self.sequence([]))
        return self.run_elsewhere(function, self.spread(given), named, node, frame)

    def on_each(self, name: str, function: Value, args: Sequence[Value], node: ast.AST, frame: Frame) -> Value:
        """``pool.map(f, xs)`` and its kin: a list of what the function gives for each."""
        made = []
        for guard, item in self.iterations(args[0], node, frame) if args else ():
            with self.narrowed(guard):
                spread = self.spread(item) if name.startswith("starmap") else [item]
                more = [self.element(other) for other in args[1:] if self.is_container(other)]
                made.append((guard, self.run_elsewhere(function, [*spread, *more], {}, node, frame)))
        return self.new("list", items=tuple(made))

    def note_captured(self) -> None:
        """At the end of a root: the functions made in it that hold something volatile, by name or for an argument that
        is left off, with its sites.
        """
        for function in self.functions_seen.values():
            around = list(scopes(function.frame))
            names = read(function.node) - own(function.node) if around else frozenset[str]()
            held = [scope.env[name] for scope in around for name in sorted(names & scope.env.keys())]
            held += [value for _, value in function.defaults]
            sites = self.origins(*held) if not self.volatility(*held).is_false else frozenset()
            if sites:
                self.captured[id(function.node)] = (function, sites)

    def runs(self, values: Sequence[Value]) -> bool:
        """Is there a function of the project among the values that does more than look at what it is given?"""
        return any(self.computes(thing) for value in values for _, thing in value)

    def computes(self, thing: Abstract) -> bool:
        """May it compute on tensors, or run what does?"""
        if isinstance(thing, Partial):
            return any(self.computes(inner) for _, inner in thing.function)
        function = thing.function if isinstance(thing, Bound) else thing
        return isinstance(function, Function) and any(
            isinstance(n, (ast.Call, ast.BinOp)) for n in walk(function.node))


def runs_at_once(name: str, harmless: bool) -> bool:
    """Is it a library's function that has done with what it was given when it comes back?"""
    top = name.partition(".")[0]
    return top not in RUNS_LATER and (harmless or top in sys.stdlib_module_names)
