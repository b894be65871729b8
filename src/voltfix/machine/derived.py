"""Classes of the project that derive from torch's Variable and only hand on what they are given."""

from __future__ import annotations

import ast
from abc import abstractmethod

from voltfix.domains.conditions import Formula
from voltfix.machine.elsewhere import Elsewhere
from voltfix.machine.values import ClassValue, Frame, Function, Ref, Value
from voltfix.program.bindings import VARIABLE


class Derived(Elsewhere):
    """The part of the machine that makes instances of classes derived from Variable."""

    unmade: dict[int, tuple[list[Value], dict[str, Value]]]  # tensors whose ``__init__`` runs: what they are made of

    @abstractmethod
    def new_variable(self, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """A Variable with the flags of its evaluated arguments (see ``calls``)."""
        ...

    @abstractmethod
    def call_function(self, function: Function, receiver: Value | None, args: list[Value], kwargs: dict[str, Value],
                      node: ast.AST, frame: Frame) -> Value:
        """Interpret a function of the project in place (see ``calls``)."""
        ...

    @abstractmethod
    def arguments(self, node: ast.Call, frame: Frame, eager: bool = False) -> tuple[list[Value], dict[str, Value]]:
        """Evaluated arguments (see ``calls``)."""
        ...

    def derived_variable(self, cls: ClassValue, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                         frame: Frame) -> Value | None:
        """An instance of a class that is Variable but for its ``__init__``; None of any other class.

        A class that defines more may compute otherwise than a Variable does.
        """
        if not is_variable(cls):
            return None
        init = cls.lookup("__init__")
        function = init[0][1] if init is not None and len(init) == 1 else None
        if not isinstance(function, Function):
            return self.new_variable(args, kwargs, node, frame) if init is None else None
        made = self.new("tensor", req=self.algebra.true)
        number = next(t.cell for _, t in made if isinstance(t, Ref))
        self.unmade[number] = (args, kwargs)
        try:
            self.call_function(function, made, args, kwargs, node, frame)
        finally:
            self.unmade.pop(number, None)
        return made

    def handed_up(self, node: ast.Call, frame: Frame) -> Value | None:
        """``super().__init__(...)`` of a Variable that is being made; None of any other call."""
        function = node.func
        above = function.value if isinstance(function, ast.Attribute) and function.attr == "__init__" else None
        by_super = isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "super"
        receiver = frame.receiver[0][1] if frame.receiver and len(frame.receiver) == 1 else None
        if not by_super or not isinstance(receiver, Ref) or receiver.cell not in self.unmade:
            return None
        args, kwargs = self.arguments(node, frame)
        if self.flags_of(args, kwargs) != self.flags_of(*self.unmade[receiver.cell]):
            return self.const(None)  # on 0.3 the flags were those of the call that makes it: this is none of them
        for _, thing in self.new_variable(args, kwargs, node, frame):
            if isinstance(thing, Ref):
                self.heap[receiver.cell] = self.heap[thing.cell]
        return self.const(None)

    def flags_of(self, args: list[Value], kwargs: dict[str, Value]) -> list[Formula]:
        """What the flags among the arguments of a Variable say."""
        places = ((1, "requires_grad"), (2, "volatile"))
        given = [args[at] if len(args) > at else kwargs.get(name) for at, name in places]
        return [self.truth_of(value)[0] if value is not None else self.algebra.false for value in given]


def is_variable(cls: ClassValue) -> bool:
    """Does a class derive from Variable, and define nothing but how it is made?"""
    own = [each for each in cls.order if isinstance(each, ClassValue)]
    return any(base == VARIABLE for base in cls.extern_bases()) and all(
        set(each.members) <= {"__init__", "__doc__"} and not each.node.decorator_list for each in own)
