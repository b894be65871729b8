"""Prepares project code for a run on stand-ins: a rewrite of its syntax tree, never of its text.

Python's protocols do not let an object answer everything that code asks of it: how many values an
unpacking wants, what
``x is None`` shall mean, how often ``while x`` goes round, what ``','.join(x)`` gives. Those places call
helpers instead (``helpers.HELPERS``, all named ``__vf_...``).
"""

from __future__ import annotations

import ast
import copy
import functools
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, cast

from voltfix.verify.symbolic.flags import flags_of, replace_child
from voltfix.verify.symbolic.neighbours import block_line
from voltfix.verify.symbolic.walking import copied, fields_of, locate, unpacks, walk

# attributes that lead from any object to the interpreter's insides; project code has no business there
FORBIDDEN = frozenset(
    [
        "__subclasses__",
        "__globals__",
        "__code__",
        "__closure__",
        "__builtins__",
        "__bases__",
        "__base__",
        "__mro__",
        "mro",
        "__getattribute__",
        "__reduce__",
        "__reduce_ex__",
        "__loader__",
        "__spec__",
        "__self__",
        "__func__",
        "__wrapped__",
        "__traceback__",
        "__import__",
        "__objclass__",
        "__init_subclass__",
        "__subclasshook__",
        "__set_name__",
        "__instancecheck__",
        "__kwdefaults__",
        "__defaults__",
        "__annotations__",
        "__context__",
        "__cause__",
        "__weakref__",
        "__prepare__",
        "_vf",
        "tb_frame",
        "tb_next",
        "f_back",
        "f_globals",
        "f_locals",
        "f_builtins",
        "f_code",
        "gi_frame",
        "gi_code",
        "gi_yieldfrom",
        "cr_frame",
        "cr_code",
        "cr_await",
        "ag_frame",
        "ag_code",
        "ag_await",
    ]
)

_DICT_VIEWS = frozenset(["keys", "values", "items"])
_DICT_METHODS = {"iteritems": "items", "itervalues": "values", "iterkeys": "keys", "has_key": "__contains__"}


REFUSED = "code that reaches for"


class ForbiddenCodeError(Exception):
    """The code reaches for the interpreter's insides: it is not run."""


def prepare(
    plain: ast.Module,
    path: str,
    later: bool = False,
    inside: list[ast.AST] | None = None,
    filled: Iterable[str] = (),
) -> ast.Module:
    """The tree of a module, rewritten; ``plain`` stays as it is. Raises ForbiddenCodeError with the place.

    ``later``: what the functions do is rewritten when somebody asks for one (``finish``): most are never run.
    ``inside``: all that is in ``plain``; ``filled``: the names that other modules bind in this one.
    """
    rewriter = _Rewriter(path)
    rewriter.shared = {name for each in inside or walk(plain) if type(each) is ast.Global for name in each.names}
    rewriter.shared.update(filled)
    rewriter.asked = {
        each.value.id for each in inside or walk(plain)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load) and isinstance(each.value, ast.Name)
    }
    waiting = list(_outer(plain)) if later else []
    bodies = [each.body for each in waiting]
    for each in waiting:
        each.body = []
    tree = copied(plain)
    for each, body in zip(waiting, bodies, strict=True):
        each.body = body
    for node in tree.body if not later else ():
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and reaches_inside(node):
            told = call_of("__vf_veiled__", ast.Constant(cast(Any, (path, node.name))))
            node.decorator_list.insert(0, ast.copy_location(told, node))
    made = list(_outer(tree)) if later else []
    tree = cast(ast.Module, rewriter.visit(tree))
    locate(tree)
    for each, body in zip(made, bodies, strict=True):
        each.body = body[:]
        each.later = [functools.partial(_rewritten, path=path)]  # type: ignore[attr-defined]
    return tree


def reaches_inside(node: ast.AST) -> bool:
    """Does a definition reach for the interpreter's insides?"""
    names = (each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in walk(node))
    return not FORBIDDEN.isdisjoint(names)


def may_wait(text: str) -> bool:
    """Can the functions of a module be rewritten later? Where a text may be refused, that is told at once."""
    return _REFUSED.search(text) is None


_REFUSED = re.compile(rf"\b(?:{'|'.join(sorted(FORBIDDEN))})\b")


def _outer(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes."""
    for each in tree.body:
        inside = each.body if isinstance(each, ast.ClassDef) else [each]
        yield from (inner for inner in inside if isinstance(inner, ast.FunctionDef))


def finish(statements: Iterable[ast.stmt]) -> None:
    """Rewrite what still waits in these statements of a module; before they are compiled."""
    for each in statements:
        for inner in each.body if isinstance(each, ast.ClassDef) else [each]:
            steps, inner.later = getattr(inner, "later", ()), ()  # type: ignore[attr-defined]
            for step in steps:
                step(inner)


def _rewritten(function: ast.FunctionDef, path: str) -> None:
    """Rewrite what a function does."""
    inside = copied(ast.Module(function.body, []))
    _open_settings(function.args, inside.body)
    rewriter = _Rewriter(path)
    rewriter.depth = 1
    rewriter.generic_visit(inside)
    function.body = inside.body
    locate(function)


def mark(tree: ast.AST, path: str, places: Collection[tuple[int, int]]) -> None:
    """Let the statements of a rewritten tree that stand at these places (line, column) tell when they run."""
    for statements in blocks(tree, functools.partial(mark, path=path, places=places)):
        statements[:] = [each for inner in statements for each in _marked(inner, path, places)]


def blocks(tree: ast.AST, step: Callable[[ast.AST], None]) -> list[list[ast.stmt]]:
    """The lists of statements in a tree, the outer ones first; other nodes have none. What is rewritten later takes
    this ``step`` then."""
    found: list[list[ast.stmt]] = []
    waiting: list[ast.AST] = [tree]
    for node in waiting:
        if getattr(node, "later", ()):
            node.later.append(step)  # type: ignore[attr-defined]
            continue
        for name in _PARTS.get(type(node), ()):
            inside = getattr(node, name)
            waiting += inside
            if name not in _HOLDERS:
                found.append(inside)
    return found


_HOLDERS = frozenset({"handlers", "cases"})
_PARTS: dict[type[ast.AST], tuple[str, ...]] = {
    **dict.fromkeys((ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), ("body",)),
    **dict.fromkeys((ast.With, ast.AsyncWith, ast.ExceptHandler, ast.match_case), ("body",)),
    **dict.fromkeys((ast.If, ast.For, ast.AsyncFor, ast.While), ("body", "orelse")),
    **dict.fromkeys((ast.Try, getattr(ast, "TryStar", ast.Try)), ("body", "handlers", "orelse", "finalbody")),
    ast.Match: ("cases",),
}


def _marked(node: ast.stmt, path: str, places: Collection[tuple[int, int]]) -> list[ast.stmt]:
    if (node.lineno, node.col_offset) not in places or hasattr(node, "made"):
        return [node]
    marker = ast.Expr(call_of("__vf_at__", ast.Constant(cast(Any, (path, node.lineno, node.col_offset)))))
    return [made_by_rewrite(marker, node), node]


def fence(tree: ast.AST, path: str, lines: Collection[int]) -> None:
    """Let the statements behind the blocks on these lines tell when they are over (``neighbours.past``)."""
    for statements in blocks(tree, functools.partial(fence, path=path, lines=lines)):
        _fenced(statements, path, lines)


def _fenced(statements: list[ast.stmt], path: str, lines: Collection[int]) -> None:
    for place in reversed(range(len(statements) - 1)):
        line = block_line(statements[place])
        if line is None or line not in lines:
            continue
        last = place + 1
        while hasattr(statements[last], "made") and last + 1 < len(statements):
            last += 1
        told = ast.Expr(call_of("__vf_past__", ast.Constant(cast(Any, (path, line)))))
        body = statements[place + 1 : last + 1]
        made = ast.Try(body=body, handlers=[], orelse=[], finalbody=[told])
        statements[place + 1 : last + 1] = [made_by_rewrite(made, body[-1])]


def made_by_rewrite(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """A statement that the rewrite adds, at the place of one that the project has."""
    new.made = True  # type: ignore[attr-defined]
    return ast.fix_missing_locations(ast.copy_location(new, old))


def call_of(helper: str, *args: ast.expr) -> ast.Call:
    """A call of one of ``HELPERS``."""
    name = ast.Name(id=helper, ctx=ast.Load())
    name.made = True  # type: ignore[attr-defined]
    return ast.Call(func=name, args=list(args), keywords=[])


def shape_of(target: ast.expr) -> Any:
    """How many values an assignment target takes: None for one, a tuple of shapes, ``"*"`` for a starred
    one.
    """
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(shape_of(element) for element in target.elts)
    return "*" if isinstance(target, ast.Starred) else None


class _Rewriter(ast.NodeTransformer):
    def __init__(self, path: str) -> None:
        self.path = path
        self.loops = 0
        self.depth = 0  # functions around
        self.shared: set[str] = set()  # the names of the module that functions, or other modules, bind
        self.asked: set[str] = set()  # the names of which the module's text asks attributes
        self.in_class = False  # names of a class body are not those of a function in it

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node."""
        kind = type(node)
        if kind not in _VISITORS:
            _VISITORS[kind] = getattr(_Rewriter, "visit_" + kind.__name__, None)
        if kind is ast.Constant:
            return node
        if kind in _FLAGGED:
            self._tell(node)
        visitor = _VISITORS[kind]
        return self.generic_visit(node) if visitor is None else visitor(self, node)

    def _tell(self, node: ast.AST) -> None:
        """Let the flags that a node holds tell what they are (``flags.py``)."""
        for flag in flags_of(node):
            told = call_of("__vf_flag__", flag.node, ast.Constant(cast(Any, (self.path, *flag.place))))
            replace_child(node, flag.node, ast.copy_location(told, flag.node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rewrite what is in a node; a statement may become several."""
        for name in fields_of(type(node)):
            value = getattr(node, name, None)
            if type(value) is list:
                made: list[Any] = []
                for each in value:
                    new = self.visit(each) if isinstance(each, ast.AST) else each
                    if type(new) is list:
                        made += new
                    else:
                        made.append(new)
                value[:] = made
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    # -- names and attributes ------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if node.attr in FORBIDDEN:
            return self._refused(node, node.attr)
        node.attr = _DICT_METHODS.get(node.attr, node.attr)
        read = next(flags_of(node), None)
        made = self.generic_visit(node)
        if node.attr == "__init__" and isinstance(node.ctx, ast.Load):  # a base that is not at hand has one of its own
            return ast.copy_location(call_of("__vf_init__", node.value), node)
        if node.attr == "__module__" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(call_of("__vf_module__", node.value), node)
        if node.attr == "__class__" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(call_of("__vf_class__", node.value), node)
        if read is None:
            return made
        at = ast.Constant(cast(Any, (self.path, *read.place)))
        return ast.copy_location(call_of("__vf_read__", cast(ast.expr, made), at), node)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in FORBIDDEN or (node.id.startswith("__vf_") and not hasattr(node, "made")):
            return self._refused(node, node.id)
        return node

    def _refused(self, node: ast.Attribute | ast.Name, name: str) -> ast.expr:
        """A run that comes by here ends with the reason; the rest of the module can be run all the same."""
        if not isinstance(node.ctx, ast.Load):
            raise ForbiddenCodeError(f"{self.path}:{node.lineno}: code that writes {name} is not run")
        refusal = call_of("__vf_refused__", ast.Constant(f"{REFUSED} {name} is not run"))
        return ast.copy_location(refusal, node)

    # -- unpacking ------------------------------------------------------------

    def _unpacked(self, value: ast.expr, target: ast.expr) -> ast.expr:
        if not isinstance(target, (ast.Tuple, ast.List)):
            return value
        return call_of("__vf_unpack__", value, ast.Constant(shape_of(target)))

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, (ast.Tuple, ast.List)) and not any(
            isinstance(part, (ast.Tuple, ast.List))
            for target in node.targets
            for part in getattr(target, "elts", ())
        ):
            return node
        for target in node.targets:
            node.value = self._unpacked(node.value, target)
        return node

    def _each(self, iterable: ast.expr, target: ast.expr) -> ast.expr:
        if not isinstance(target, (ast.Tuple, ast.List)):
            return iterable
        return call_of("__vf_each__", iterable, ast.Constant(shape_of(target)))

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        named = getattr(node.iter.func, "id", "") if isinstance(node.iter, ast.Call) else ""
        if isinstance(node.iter, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and named not in _LISTS:
            node.iter = call_of("__vf_rounds__", node.iter)
        node.iter = self._each(node.iter, node.target)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.iter = self._each(node.iter, node.target)
        return node

    # -- constants ------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> Any:
        """``USE_CUDA = False`` at the top of a module is a setting: it can be taken for an unknown. So can what an
        object or a class holds there at first: it is set by a name, an item, a merge or a file later."""
        for each in node.body:
            if isinstance(each, ast.Assign):
                target = each.targets[0]
                if isinstance(target, ast.Name) and target.id in self.shared and _is_nothing(each.value):
                    each.value = call_of("__vf_state__", ast.Constant(target.id), each.value)
                    continue
                switch = isinstance(target, ast.Name) and isinstance(each.value, ast.Constant)
                if not switch:
                    each.value = _option(ast.unparse(target), each.value)
                elif each.value.value is None or type(each.value.value) is bool:  # type: ignore[attr-defined]
                    name = cast(ast.Name, target).id
                    later = name in self.asked and each.value.value is None  # type: ignore[attr-defined]
                    helper = "__vf_later__" if later else "__vf_setting__"
                    each.value = call_of(helper, ast.Constant(name), each.value)
            elif isinstance(each, ast.Expr) and isinstance(each.value, _SHOWN):
                each.value = ast.copy_location(call_of("__vf_shown__", each.value), each.value)
            elif isinstance(each, ast.ClassDef):
                for inner in each.body:
                    if isinstance(inner, ast.Assign):
                        inner.value = _option(f"{each.name}.{ast.unparse(inner.targets[0])}", inner.value)
        return self.generic_visit(node)

    # -- conditions ------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if hasattr(node, "decides"):
            order = ast.Constant(_ORDERS[type(node.ops[0])])
            return ast.copy_location(call_of("__vf_order__", node.left, order, node.comparators[0]), node)
        helper = _ASKED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if helper is not None:
            found = call_of(helper, node.left, node.comparators[0])
            negated = isinstance(node.ops[0], (ast.IsNot, ast.NotIn))
            return ast.UnaryOp(op=ast.Not(), operand=found) if negated else found
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Who ran the program came by what it asserts."""
        guard = self._is_guard(node.test)
        self.generic_visit(node)
        if guard:
            node.test = _guarded(node.test, True)
        return node

    def visit_If(self, node: ast.If) -> Any:
        """... and by ``if ...: raise``."""
        wanted = None
        if _raises(node.body) and not _raises(node.orelse):
            wanted = False
        elif _raises(node.orelse) and not _raises(node.body):
            wanted = True
        guard = wanted is not None and self._is_guard(node.test)
        for each in _orders_in(node.test) if wanted is None else ():
            each.decides = True  # type: ignore[attr-defined]
        self.generic_visit(node)
        if guard:
            node.test = _guarded(node.test, bool(wanted))
        return node

    def _is_guard(self, test: ast.expr) -> bool:
        """Can it be asked more than once, and in a scope of its own?"""
        return not self.in_class and not any(
            isinstance(each, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))
            or (isinstance(each, ast.Name) and each.id in ("super", "__class__"))
            for each in walk(test)
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        _open_settings(node.args, node.body)
        inner = self.depth > 0 and not self.in_class
        self.depth += 1
        self._scope(node, False)
        self.depth -= 1
        if not inner:
            return node
        place = ast.Constant(cast(Any, (self.path, node.lineno, node.col_offset)))
        node.body.insert(0, made_by_rewrite(ast.Expr(call_of("__vf_met__", place)), node.body[0]))
        told = ast.Expr(call_of("__vf_inner__", place, ast.Name(node.name, ast.Load())))
        return [node, made_by_rewrite(told, node)]

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._scope(node, False)

    def _scope(self, node: ast.AST, is_class: bool) -> ast.AST:
        outer, self.in_class = self.in_class, is_class
        made = self.generic_visit(node)
        self.in_class = outer
        return made

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """What Python 2 had to be told first, and today's Python refuses anywhere else, changes nothing here."""
        if node.module == "__future__" and not any(each.name == "annotations" for each in node.names):
            return ast.copy_location(ast.Pass(), node)
        return node

    def visit_While(self, node: ast.While) -> Any:
        endless: bool | str = isinstance(node.test, ast.Constant)
        if endless and any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in walk(node)):
            endless = "yields"  # goes on as long as somebody asks
        elif endless and node.test.value and _only_returns(node.body):  # type: ignore[attr-defined]
            endless = "returns"
        self.generic_visit(node)
        self.loops += 1
        counter = f"__vf_loop_{self.loops}__"
        start = ast.Assign(targets=[ast.Name(id=counter, ctx=ast.Store())], value=call_of("__vf_counter__"))
        node.test = call_of(
            "__vf_while__", ast.Name(id=counter, ctx=ast.Load()), node.test, ast.Constant(endless)
        )
        return [made_by_rewrite(start, node), node]

    def visit_Try(self, node: ast.Try) -> Any:
        """Both ways through a ``try``: a run may decide that the body raises what the first handler waits
        for.
        """
        names = [_named(handler.type) for handler in node.handlers]
        self.generic_visit(node)
        first = node.handlers[0].type if node.handlers else None
        for handler in node.handlers:
            if handler.type is not None:
                handler.type = ast.copy_location(call_of("__vf_caught__", handler.type), handler.type)
        if node.handlers and not {"ImportError", "ModuleNotFoundError", "StopIteration"} & set(
            functools.reduce(operator.iadd, names, [])
        ):
            kinds: ast.expr = first or ast.Name(id="Exception", ctx=ast.Load())
            raiser = ast.Expr(call_of("__vf_try__", ast.Lambda(args=_no_arguments(), body=kinds)))
            node.body.insert(0, made_by_rewrite(raiser, node.body[0]))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """``table[unknown]``: a real container that is asked for what nobody knows."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return node
        helper = "__vf_entry__" if isinstance(node.slice, ast.Constant) else "__vf_item__"
        return ast.copy_location(call_of(helper, node.value, node.slice), node)

    def visit_Slice(self, node: ast.Slice) -> Any:
        """The bounds of a slice are whole numbers (Python 2 divided them so)."""
        self.generic_visit(node)
        for name in ("lower", "upper"):
            value = getattr(node, name)
            if isinstance(value, (ast.BinOp, ast.Name)):
                setattr(node, name, ast.copy_location(call_of("__vf_bound__", value), value))
        return node

    # -- calls and classes ------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> Any:
        for place, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred) and _is_path(node.func):
                callee = copy.deepcopy(node.func)
                argument.value = call_of("__vf_star__", callee, argument.value, ast.Constant(place))
                break
        self.generic_visit(node)
        if isinstance(node.func, ast.Call) and getattr(node.func.func, "id", "") == "__vf_item__":
            node.func.args.append(ast.Constant(True))
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = ast.copy_location(call_of("__vf_stars__", keyword.value), keyword.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "next" and not (node.args or node.keywords):
            return ast.copy_location(call_of("__vf_next__", node.func.value), node)  # as Python 2 had it
        if isinstance(node.func, ast.Attribute) and node.func.attr == "__len__" and not (node.args or node.keywords):
            return ast.copy_location(call_of("__vf_len__", node.func.value), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _DICT_VIEWS and not (node.args or node.keywords):
            return ast.copy_location(call_of("__vf_listed__", node), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "detach":
            if isinstance(node.func.value, ast.Call):
                node.func.value = ast.copy_location(call_of("__vf_let_go__", node.func.value), node)
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format" and unpacks(node):
            made = call_of("__vf_format__", node.func.value, *node.args)
            made.keywords = node.keywords
            return ast.copy_location(made, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1:
            return ast.copy_location(call_of("__vf_join__", node.func.value, node.args[0]), node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """``'%s of %s' % unknown``: how many values there are is not known."""
        self.generic_visit(node)
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if isinstance(node.op, ast.Mod) and not text:
            return ast.copy_location(call_of("__vf_modulo__", node.left, node.right), node)
        if isinstance(node.op, ast.Mod):
            return ast.copy_location(call_of("__vf_percent__", node.left, node.right), node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self._scope(node, True)
        node.body += _asked_today(node)
        node.keywords = []
        node.bases = [ast.Starred(value=call_of("__vf_bases__", *node.bases), ctx=ast.Load())]
        return node


_VISITORS: dict[type[ast.AST], Callable[[_Rewriter, Any], Any] | None] = {}


_SHOWN = (ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Subscript, ast.Compare)  # what a cell shows at its end
_ASKED = {ast.Is: "__vf_is__", ast.IsNot: "__vf_is__", ast.In: "__vf_in__", ast.NotIn: "__vf_in__"}


_BY_PYTHON_2 = {"next": "__next__", "__nonzero__": "__bool__", "__div__": "__truediv__", "__idiv__": "__itruediv__"}


def _asked_today(node: ast.ClassDef) -> list[ast.stmt]:
    """The methods that Python 2 asked for and Python 3 asks for by another name, under that name, too."""
    had = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    renamed = {old: new for old, new in _BY_PYTHON_2.items() if old in had and new not in had}
    named = [ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load())) for old, new in renamed.items()]
    return [ast.copy_location(each, node) for each in named]


def _raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise) and all(isinstance(each, _PASSING) for each in body)


_PASSING = (ast.Raise, ast.Expr, ast.Assign)  # a message is made, and told


def _guarded(test: ast.expr, wanted: bool) -> ast.expr:
    asked = ast.Lambda(args=_no_arguments(), body=test)
    return ast.copy_location(call_of("__vf_guard__", asked, ast.Constant(wanted)), test)


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _option(label: str, value: ast.expr) -> ast.expr:
    """A value of a setting, or what holds such values: a dictionary, the keywords of a call."""
    if isinstance(value, ast.Constant) and (value.value is None or value.value == "" or type(value.value) is bool):
        return ast.copy_location(call_of("__vf_option__", ast.Constant(label), value), value)
    if isinstance(value, ast.Dict):
        value.values = [
            _option(f"{label}[{ast.unparse(key)}]" if key is not None else label, each)
            for key, each in zip(value.keys, value.values, strict=True)
        ]
    elif isinstance(value, ast.Call):
        for keyword in value.keywords:
            keyword.value = _option(f"{label}.{keyword.arg}", keyword.value)
    return value


_LISTS = frozenset({"range", "xrange", "enumerate", "zip", "reversed", "sorted", "list"})  # no object of the project's


def _open_settings(arguments: ast.arguments, body: list[ast.stmt]) -> None:
    """``SETTINGS['cuda'] = True`` in a function is a setting as it is at the top of a module, of one of its names."""
    inside = [node for statement in body for node in walk(statement)]
    items = [each for each in inside if isinstance(each, ast.Assign) and _is_switch(each)]
    if items:
        own = {each.arg for each in walk(arguments) if isinstance(each, ast.arg)} | {
            each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for each in items:
            target = each.targets[0]
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id not in own:
                each.value = _option(ast.unparse(target), each.value)


def _is_switch(statement: ast.Assign) -> bool:
    """Is a truth value put into a container under a word?"""
    target, value = statement.targets[0], statement.value
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and (
        type(target.slice.value) is str and isinstance(value, ast.Constant) and type(value.value) is bool)


_FLAGGED = frozenset([ast.Call, ast.Dict, ast.Assign])  # reads are told by ``visit_Attribute``


def _is_path(node: ast.expr) -> bool:
    """A name, or attributes of one: may be looked up twice."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


_ORDERS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def _orders_in(test: ast.expr) -> Iterator[ast.Compare]:
    """The comparisons that a condition is put together of, by size or for being the same."""
    if isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from _orders_in(each)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _orders_in(test.operand)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _ORDERS:
        yield test


def _only_returns(body: list[ast.stmt]) -> bool:
    """Does a loop without end give a value, and can it be left no other way?"""
    waiting, gives = list(body), False
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Break):
            return False
        gives = gives or (isinstance(each, ast.Return) and each.value is not None)
        if isinstance(each, (ast.For, ast.While)):  # a ``break`` in there ends that one
            waiting += [found for found in walk(each) if isinstance(found, ast.Return)] + each.orelse
        elif not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [*getattr(each, "handlers", ()), each]
            waiting += [found for part in inner for found in ast.iter_child_nodes(part) if isinstance(found, ast.stmt)]
    return gives


def _named(kind: ast.expr | None) -> list[str]:
    if isinstance(kind, ast.Tuple):
        return functools.reduce(operator.iadd, (_named(element) for element in kind.elts), [])
    return [kind.id] if isinstance(kind, ast.Name) else []


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
