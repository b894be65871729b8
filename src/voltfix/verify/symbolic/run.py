"""One run of one function on one side, and what was seen of it."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import traceback
import types
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from voltfix.verify.symbolic import extra, observe, world
from voltfix.verify.symbolic.neighbours import Neighbour
from voltfix.verify.symbolic.objects import Shadow, bare
from voltfix.verify.symbolic.project import ClassInfo, Function, Loader, Side, Unit
from voltfix.verify.symbolic.standin import StandIn, answered, leaves_in, unknown
from voltfix.verify.symbolic.world import Event, LateError, Line, Place, StandInError, Stopped, VolatileError, World

# methods that unknown modules and tensors have too: no evidence that a parameter is an object of a class
# of the project
_COMMON = frozenset(
    [
        "forward",
        "train",
        "eval",
        "parameters",
        "cuda",
        "cpu",
        "backward",
        "step",
        "zero_grad",
        "state_dict",
        "data",
        "size",
        "append",
        "items",
        "keys",
        "values",
        "get",
        "update",
        "volatile",
        "requires_grad",
        "grad",
        "view",
        "float",
        "long",
        "hidden_size",
        "training",
        "named_parameters",
        "load_state_dict",
    ]
)

MAX_INNER = 8  # functions that a function defines that are called at its end


@dataclass
class Seen:
    """What one run showed. ``error`` names the exception that ended it, ``own`` whether the project raised
    it.
    """

    result: Any = None
    error: str | None = None
    message: str = ""
    own: bool = True
    volatile_error: bool = False
    refused: bool = False  # torch itself said that there is no graph for what was asked
    stopped: str | None = None
    late: bool = False  # no time is left for another run
    events: list[Event] = field(default_factory=list)
    objects: dict[str, Any] = field(default_factory=dict)
    gradients: Any = ("gradients",)
    grad_mode: bool = True
    taken: list[tuple[Hashable, bool]] = field(default_factory=list)
    asked: dict[Hashable, set[Line | None]] = field(default_factory=dict)  # on which lines each of these was asked
    assumed: frozenset[Hashable] = frozenset()  # ``World.assumed``
    unheld: bool = False  # ``World.unheld``
    cut: bool = False  # ``World.cut``
    uncertain: bool = False
    mixed: bool = False
    met: frozenset[str] = frozenset()  # ``World.met``
    called_part: bool = False  # ``World.called_part``
    variables: frozenset[str] = frozenset()  # ``World.variables``
    early: frozenset[str] = frozenset()  # ``World.early``
    ungraded: frozenset[str] = frozenset()  # ``World.ungraded``
    twice: bool = False  # ``World.twice``
    mattered: bool = False  # ``World.mattered``
    held_cell: int | None = None  # ``World.held_cell``
    passed: frozenset[int] = frozenset()  # ``World.passed``
    wrapped: frozenset[str] = frozenset()  # unknowns that the legacy code makes Variables of
    operations: int = 0
    loaded: int = 0  # ``World.loaded``
    unloaded: bool = False  # ``World.unloaded``
    reached: set[tuple[str, int, int]] = field(default_factory=set)
    # what decided volatility: the place, what it was, and whether that was the run's own decision
    flags: set[tuple[tuple[str, int, int], bool, bool]] = field(default_factory=set)
    line: tuple[str, int] | None = None
    doubts: dict[str, list[bool]] = field(default_factory=dict)  # ``World.doubts``
    acted: dict[str, list[bool]] = field(default_factory=dict)  # ``World.acted``
    traced: dict[str, list[bool]] = field(default_factory=dict)  # ``World.traced``
    made: dict[tuple[str, bool], int] = field(default_factory=dict)  # ``World.made``
    grew: dict[tuple[str, tuple[str, int]], int] = field(default_factory=dict)  # ``World.grew``
    matters: set[Neighbour] = field(default_factory=set)  # near misses that this way has something to say about
    latent: bool = False  # would unknowns that require grad show anything that was not seen here? (``World.latent``)
    left: frozenset[str] = frozenset()  # attributes in which objects of the project have something volatile at the end
    entered: set[Place] = field(default_factory=set)  # ``World.entered``
    needed: set[Place] = field(default_factory=set)  # ``World.needed``
    lent: dict[str, list[bool]] = field(default_factory=dict)  # ``World.lent``
    supposes: frozenset[str] = frozenset()  # ``World.supposes``
    side: Side = field(default_factory=lambda: Side({}))
    path: str = ""  # the file that what ran stands in
    world: World | None = None  # what holds all that was there at the end, until nobody asks any more

    @property
    def kept(self) -> bool:
        """Of a near miss: is a graph that only it makes, or takes away, there at the end?"""
        self.settle()
        return self.world is not None and self.world.kept

    def settle(self) -> None:
        """Somebody asks what is still there (``Event.wanted``)."""
        if self.world is not None:
            self.world.settle()

    def where(self, line: tuple[str, int]) -> str:
        """A line of the code that ran, as a reader finds it: with its file where that is another one."""
        elsewhere = f"{line[0]}, " if self.path and line[0] != self.path else ""
        return elsewhere + self.side.where(*line)


def run(side: Side, unit: Unit, state: World, only_before: frozenset[str], grad_enabled: bool = True) -> Seen:
    """Run ``unit`` on stand-ins in the world ``state``. Never raises."""
    seen = Seen(side=side, path=unit.path)
    world.enter(state)
    state.main = not unit.name
    state.flagged = state.flagged | side.volatile_attributes if state.legacy else frozenset()
    state.functions, state.effects = side.functions, side.effects if state.blocked else frozenset()
    state.unweighted, state.cutting = side.unweighted, frozenset(name for _, name in side.cutting.values())
    state.acting = side.acting if state.blocked else None
    keep: dict[str, Any] = {}
    state.hand_out(keep)
    with torch.set_grad_enabled(grad_enabled):
        try:
            result = _invoke(side, unit, keep, only_before)
            state.hand_out(result)
            if state.idle:
                _call_idle(state, unit)
            seen.result = observe.digest(result)
        except Stopped as stop:
            seen.stopped, seen.late = str(stop), isinstance(stop, LateError)
        except RecursionError:
            seen.stopped = "recursion without end"
        except MemoryError:
            seen.stopped = "used up its memory"
        except SystemExit:
            seen.result = "exit"
        except Exception as error:
            _explain(seen, error, side)
            state.hand_out(error.args, vars(error))
        seen.grad_mode = torch.is_grad_enabled() == grad_enabled
        state.observing = True
        try:
            seen.objects = {name: observe.digest(each) for name, each in keep.items()}
            seen.gradients = observe.gradients(state)
        except Exception as error:
            seen.stopped = seen.stopped or f"{type(error).__name__} while looking at the outcome"
    seen.left = frozenset(_left(keep.values())) if state.legacy else frozenset()
    seen.flags, seen.matters = set(_told(state)), state.matters
    seen.entered, seen.needed = state.entered, state.needed
    seen.world, seen.latent = state, state.latent
    seen.mixed, seen.made, seen.met = state.mixed, state.made, frozenset(state.met)
    seen.called_part, seen.grew = state.called_part, state.grew
    seen.variables, seen.assumed, seen.unheld = frozenset(state.variables), frozenset(state.assumed), state.unheld
    seen.supposes = frozenset(state.supposes)
    seen.cut, seen.lent, seen.early = state.cut, state.lent, frozenset(state.early)
    seen.ungraded = frozenset(state.ungraded)
    seen.twice, seen.mattered, seen.passed = state.twice, state.mattered, frozenset(state.passed)
    seen.held_cell = state.held_cell
    seen.asked, seen.doubts, seen.acted = state.asked, state.doubts, state.acted
    seen.traced = state.traced
    seen.events, seen.taken, seen.uncertain = state.events, state.taken, state.uncertain
    seen.reached, seen.operations, seen.wrapped = state.reached, state.operations, frozenset(state.found)
    seen.loaded, seen.unloaded = state.loaded, state.unloaded
    return seen


def _call_idle(state: World, unit: Unit) -> None:
    """Call the functions that the function defines and that nobody called: whoever has them may do so any time."""
    for _ in range(MAX_INNER):
        waiting = [(place, each) for place, each in state.inner.items() if place not in state.called]
        mine = [(place, each) for place, each in waiting if _is_defined_in(each, unit)]
        if not mine:
            return
        place, function = mine[0]
        state.called.add(place)
        told = state.told()
        for number, (args, named) in enumerate(observe.ways_to_call(function)):
            sink = f"{observe.written(function).__name__}() {number}"
            try:
                state.record(sink, observe.digest(function(*args, **named)))
            except Exception as error:  # what comes to no end says nothing of what it came by
                state.forget(told)
                state.record(sink, type(error).__name__)
                break


def _is_defined_in(function: Any, unit: Unit) -> bool:
    written = observe.written(function)
    return isinstance(written, types.FunctionType) and written.__qualname__.startswith(f"{unit.name}.<locals>.")


def _left(things: Iterable[Any]) -> Iterator[str]:
    """The attributes of objects of the project that a run left something volatile in."""
    for thing in things:
        for name, held in vars(thing).items() if isinstance(thing, Shadow) else ():
            flagged = any(each._vf.kind == "value" and each._vf.volatile for each in leaves_in(held))
            if flagged and not name.startswith("_vf"):
                yield name


def _told(state: World) -> Iterator[tuple[tuple[str, int, int], bool, bool]]:
    """What the flags that the run came by were: on or off, and did the run choose?"""
    for place, value in state.flags:
        if isinstance(value, StandIn):
            way = answered(value)
            if way is not None:
                yield place, way, True
        elif value is NotImplemented or not isinstance(value, (bool, int)):
            continue
        else:
            yield place, bool(value), False


def _explain(seen: Seen, error: Exception, side: Side) -> None:
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, (AttributeError, ImportError, NameError)) and _is_library(places[-1][0]):
        seen.stopped = f"the verifier failed: {type(error).__name__} in {Path(places[-1][0]).name}: {error}"
        return
    seen.error, seen.message = type(error).__name__, str(error)
    seen.volatile_error = isinstance(error, VolatileError)
    inside = [place for place in places if place[0].startswith("vf:")]
    if inside:
        seen.line = inside[-1][0][len("vf:") :], inside[-1][1]
    raised_here = bool(inside) and places[-1] == inside[-1] and _raises(side, *inside[-1])
    gradient = "grad" in seen.message and isinstance(error, RuntimeError)
    unbound = isinstance(error, UnboundLocalError)  # a way on which the text never sets what it uses
    seen.own = not isinstance(error, StandInError) and (raised_here or gradient or unbound)
    seen.refused = gradient and not raised_here and not isinstance(error, StandInError)


# where torch lies, with what it imports: a name that is missing in there is no doing of the project's
_LIBRARIES = (str(Path(torch.__file__).parent.parent) + os.sep, "<frozen importlib")
_OWN = str(Path(__file__).parent.parent) + os.sep


def _is_library(filename: str) -> bool:
    return filename.startswith(_LIBRARIES) and not filename.startswith(_OWN)


def _raises(side: Side, filename: str, line: int) -> bool:
    """Is there a ``raise`` or an ``assert`` on this line of the project?"""
    path = filename[len("vf:") :]
    return line in _note(side, ("raises", path), lambda: _raising_lines(side, path))


def _raising_lines(side: Side, path: str) -> frozenset[int]:
    tree = side.plain_trees.get(path)
    nodes = [] if tree is None else [n for n in side.inside(tree) if isinstance(n, (ast.Raise, ast.Assert))]
    return frozenset(line for n in nodes for line in range(n.lineno, (n.end_lineno or n.lineno) + 1))


def _invoke(side: Side, unit: Unit, keep: dict[str, Any], only_before: frozenset[str]) -> Any:
    loader = Loader(side, world.here())
    for name, (path, cls) in side.cutting.items() if world.here().known_parts else ():
        world.here().parts[name] = functools.partial(loader.find, path, cls)
    for method, touched in world.here().may.items():
        world.here().may[method] = functools.partial(_owner, loader, touched)
    if not unit.name:
        module = loader.load(unit.path, main=True)
        for name, function in world.here().handed:  # what decorators outside the project were given
            world.here().record(name + "()", observe.digest(function))
        defined = (types.FunctionType, types.ModuleType, type, types.SimpleNamespace)
        names = {
            n: v for n, v in module.__dict__.items() if not n.startswith("_") and not isinstance(v, defined)
        }
        return {name: each for name, each in sorted(names.items()) if _kept(each)}
    module = loader.load(unit.path)
    node = side.units[unit]
    if isinstance(node, ast.AsyncFunctionDef):
        raise StandInError("coroutines are not run on stand-ins")
    *owners, name = unit.name.split(".")
    if not owners:
        loader.find(unit.path, name)
        function = module.__dict__[name]
        return _call(function, node, side, loader, keep, only_before, bound=0)
    owner: Any = module
    for part in owners:
        owner = getattr(owner, part)
    return _method(owner, name, node, side, loader, keep, only_before)


def _owner(loader: Loader, owner: Unit) -> Any:
    """The class of a method of the project."""
    found: Any = loader.load(owner.path)
    for part in owner.name.split(".")[:-1]:
        found = getattr(found, part)
    return found


def _kept(value: Any) -> bool:
    if isinstance(value, StandIn):
        return value._vf.kind not in ("torch", "imported")
    return not callable(value) or isinstance(value, Shadow)


def _method(
    owner: Any,
    name: str,
    node: Function,
    side: Side,
    loader: Loader,
    keep: dict[str, Any],
    only_before: frozenset[str],
) -> Any:
    descriptor = inspect.getattr_static(owner, name)
    if isinstance(descriptor, staticmethod):
        return _call(getattr(owner, name), node, side, loader, keep, only_before, bound=0)
    if isinstance(descriptor, classmethod):
        return _call(getattr(owner, name), node, side, loader, keep, only_before, bound=1)
    instance = bare(owner, "self")
    keep["self"] = instance
    if isinstance(descriptor, property):
        if len(node.args.args) == 1:
            return getattr(instance, name)
        setattr(instance, name, unknown(node.args.args[1].arg))
        return None
    return _call(getattr(instance, name), node, side, loader, keep, only_before, bound=1)


def _call(
    function: Any,
    node: Function,
    side: Side,
    loader: Loader,
    keep: dict[str, Any],
    only_before: frozenset[str],
    bound: int,
) -> Any:
    positional = [*node.args.posonlyargs, *node.args.args][bound:]
    defaults = dict(zip([each.arg for each in positional][::-1], node.args.defaults[::-1], strict=False))
    defaults.update(
        {a.arg: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=False) if d is not None}
    )
    named: dict[str, Any] = {}
    for parameter in [*positional, *node.args.kwonlyargs]:
        name = parameter.arg
        default = defaults.get(name)
        if default is not None and name in only_before:
            if world.here().turned and isinstance(default, ast.Constant) and _is_switch(default.value):
                named[name] = not default.value
            continue
        if default is not None and _plain(default):
            continue
        named[name] = _argument(name, node, side, loader)
        keep[name] = named[name]
    given = [named.pop(each.arg) for each in _leading(positional, named)]
    if node.args.vararg is not None and not named:
        rest = node.args.vararg.arg
        often = _note(side, ("extra", id(node)), lambda: extra.wanted(rest, side.inside(node)))
        given += [unknown(f"{rest}[{n}]") for n in range(often)]
    return function(*given, **named)


def _is_switch(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _leading(positional: list[ast.arg], named: dict[str, Any]) -> list[ast.arg]:
    found = []
    for parameter in positional:
        if parameter.arg not in named:
            break
        found.append(parameter)
    return found


def _plain(default: ast.expr) -> bool:
    """A default that is used as it is: numbers and containers. Flags, names of modes and None are unknown."""
    if world.here().open_settings and isinstance(default, (ast.List, ast.Tuple, ast.Dict)):
        return False
    if isinstance(default, ast.Constant):
        return isinstance(default.value, (int, float)) and not isinstance(default.value, bool)
    return not isinstance(default, (ast.Name, ast.Attribute))


def _argument(name: str, node: Function, side: Side, loader: Loader) -> Any:
    """A stand-in for a parameter; an object of a class of the project where its use says so."""
    fitting = _note(side, ("class of", id(node), name), lambda: _fitting(side, name, node))
    if len(fitting) == 1:
        found = loader.find(fitting[0].path, fitting[0].name)
        if isinstance(found, type) and issubclass(found, Shadow):
            return bare(found, name)
    made = _flag_reader(name, node, side, loader) or unknown(name)
    if not isinstance(made, StandIn):
        return made
    made._vf.volatile = world.here().volatile_arguments and world.here().legacy
    return made


def _note(side: Side, label: Hashable, work: Callable[[], Any]) -> Any:
    """What ``work`` gives, worked out once a side."""
    if label not in side.notes:
        side.notes[label] = work()
    return side.notes[label]


def _fitting(side: Side, name: str, node: Function) -> list[ClassInfo]:
    """The classes of the project that a parameter may be an object of, as its use tells."""
    used, called = _uses(side, name, node)
    found = [info for info in side.classes.values() if _fits(side, info.name, used, called)]
    return [info for info in found if name.lower() in info.name.lower()] if len(found) > 1 else found


def _flag_reader(name: str, node: Function, side: Side, loader: Loader) -> Any:
    """A parameter that is called may be the one class of the project whose forward() asks for
    ``.volatile``.
    """
    if not world.here().flag_readers or name not in _note(
        side, ("called in", id(node)), lambda: _called(side, node)
    ):
        return None
    readers = {unit for unit in world.here().flag_readers if unit.name.endswith(".forward")}
    if len(readers) != 1:
        return None
    unit = readers.pop()
    found = loader.find(unit.path, unit.name.split(".")[0])
    return bare(found, name) if isinstance(found, type) and issubclass(found, Shadow) else None


def _called(side: Side, node: Function) -> frozenset[str]:
    """The names that a function calls."""
    return frozenset(
        each.func.id
        for each in side.inside(node)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    )


def _uses(side: Side, name: str, node: Function) -> tuple[set[str], set[str]]:
    used, called = set(), set()
    for each in side.inside(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == name:
            used.add(each.attr)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            inner = each.func.value
            if isinstance(inner, ast.Name) and inner.id == name:
                called.add(each.func.attr)
    return used, called


def _fits(side: Side, cls: str, used: set[str], called: set[str]) -> bool:
    methods, stored = side.members(cls)
    everything = methods | stored | _COMMON
    telling = (used & methods) - _COMMON
    return bool(telling) and called <= everything and len(used & everything) == len(used)


__all__ = ["Seen", "run"]
