"""Which statements compute on what a flag made: the stretches of a function that a block would have to cover."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.scene import DEFINITIONS, Scene, Scenes, bound, own, read, suites, word_of, yields

_COMPUTING = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Compare, ast.AugAssign)
_IDLE = frozenset({"print", "append", "format", "len", "range", "enumerate", "zip", "iter", "next", "isinstance"})
_COUNTING = frozenset({"len", "isinstance", "type"})  # what they answer holds no tensor
_PLAIN = frozenset({"data", "shape", "size", "dim", "item", "numpy", "tolist"})  # numbers, and tensors without a graph
Run = tuple[ast.stmt, ast.stmt]  # from the first to the last statement of a stretch, in one suite


@dataclass
class Cover:
    """``tight``: runs of statements that compute on it, each by itself in ``uses``; ``mixed``: statements that compute
    on it and train, too.

    ``names`` are what holds it, or what was made of it, at the end; ``leaves``: it is returned, yielded or kept.
    """

    tight: list[Run] = field(default_factory=list)
    mixed: list[ast.stmt] = field(default_factory=list)
    uses: list[ast.stmt] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    leaves: list[ast.stmt] = field(default_factory=list)


class Tracer:
    """Follows what a flag made through one function by the names that hold it, in the order of the text."""

    def __init__(self, scenes: Scenes, scene: Scene, sources: frozenset[ast.AST], names: Sequence[str] = (),
                 whole: bool = True) -> None:
        """``whole``: a loop over something of it is covered as a whole, for what it goes over may be made as it goes.
        """
        self.scenes, self.scene, self.whole = scenes, scene, whole
        self.sources = sources  # the expressions that make it, or the statement from which on ``names`` hold it
        self.written = frozenset(names)
        self.found = Cover()

    def over(self, suite: Sequence[ast.stmt]) -> Cover:
        """What there is in a suite, that of the whole function."""
        self._suite(suite)
        return self.found

    def _again(self, loop: ast.stmt) -> None:
        """What a loop binds, its beginning reads the next time: the names that are known behind it."""
        if isinstance(loop, (ast.For, ast.While, ast.AsyncFor)):
            first = Tracer(self.scenes, self.scene, self.sources, tuple(self.written), self.whole)
            first.found.names |= self.found.names
            for suite in suites(loop):
                first._suite(suite)
            fresh = bound(loop.target) if isinstance(loop, (ast.For, ast.AsyncFor)) else frozenset()
            self.found.names |= first.found.names - fresh  # another one each time

    def _suite(self, suite: Sequence[ast.stmt]) -> None:
        run: list[ast.stmt] = []
        idle: list[ast.stmt] = []  # behind the run: they may stand in it, and need not
        for statement in suite:
            self._again(statement)
            concerned = self._concerned(statement)
            if statement in self.sources:
                self.found.names |= self.written
                continue
            if not concerned:
                self._bind_anew(statement)
            if isinstance(statement, DEFINITIONS) or (not concerned and not _is_idle(statement)):
                run, idle = self._end(run), []
                continue
            if not concerned:
                idle.append(statement)
                continue
            inner = [each for each in suites(statement) if each]
            trains = self.scenes.trains(self.scene, statement)
            if trains or (inner and (yields(statement) or not self._needed_whole(statement))):
                run, idle = self._end(run), []
                if inner:
                    before = len(self.found.tight)
                    self._suites(statement, inner)
                    if not trains:
                        self._as_one(statement, before)
                elif trains and not _direct(statement):
                    self.found.mixed.append(statement)
            elif self._computes(statement) and not yields(statement) and not self._by_itself(statement):
                self.found.uses.append(statement)
                run += [*idle, statement] if run else [statement]
                idle = []
            elif run:
                idle.append(statement)
            self._note(statement)
        self._end(run)

    def _suites(self, statement: ast.stmt, inner: Sequence[Sequence[ast.stmt]]) -> None:
        """The suites of a statement; the arms of a choice begin with the same names."""
        before, after = set(self.found.names), set[str]()
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            after = set(before)  # of no round
            if self.found.names.isdisjoint(read(statement.iter)) and not any(
                    node in self.sources for node in walk(statement.iter)):
                self.found.names -= _plain_names(statement.target)
        for each in inner:
            if isinstance(statement, ast.If):
                self.found.names = set(before)
            self._suite(each)
            after |= self.found.names
        self.found.names |= after

    def _as_one(self, statement: ast.stmt, before: int) -> None:
        """A choice whose arms are covered from their first to their last statement is covered as a whole."""
        arms = (statement.body, statement.orelse) if isinstance(statement, ast.If) else ()
        runs = self.found.tight[before:]
        if arms and all(arm and (arm[0], arm[-1]) in runs for arm in arms):
            self.found.tight[before:] = [(statement, statement)]

    def _end(self, run: list[ast.stmt]) -> list[ast.stmt]:
        if run:
            self.found.tight.append((run[0], run[-1]))
        return []

    def _concerned(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.AugAssign) and word_of(statement.target) in self.found.names:
            return True
        return not self.found.names.isdisjoint(read(statement)) or any(n in self.sources for n in ast.walk(statement))

    def _needed_whole(self, statement: ast.stmt) -> bool:
        """Does a loop or a ``with`` compute on it in its header? Else its suites are looked at: that reads best."""
        if isinstance(statement, ast.With):
            headers: list[ast.expr] = [item.context_expr for item in statement.items]
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            headers = [statement.iter]
        else:
            headers = [statement.test] if isinstance(statement, ast.While) else []
        asked = [each for each in headers if self.whole or not _goes_over(each)]
        return any(not self.found.names.isdisjoint(_with_graph(each)) or not self.sources.isdisjoint(_in_graph(each))
                   for each in asked) and not self.scenes.trains(self.scene, statement)

    def _computes(self, statement: ast.stmt) -> bool:
        """Is there more in it than making, moving, printing?"""
        if isinstance(statement, ast.AugAssign) and (
                word_of(statement.target) in self.found.names
                or not self.found.names.isdisjoint(_with_graph(statement.value))):
            return True
        for node in own(statement):
            if node in self.sources or not isinstance(node, _COMPUTING):
                continue
            if (isinstance(node, ast.Call) and _name(node) in _IDLE) or _moves(node) or self._makes(node):
                continue
            parts = list(_in_graph(node))
            if not self.sources.isdisjoint(parts) or not self.found.names.isdisjoint(_words(parts)):
                return True
        return False

    def _makes(self, node: ast.AST) -> bool:
        """``Variable(x)``: 0.3 took no Variable there, so that what comes by is none of what a flag made."""
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.scene.makers

    def _by_itself(self, statement: ast.stmt) -> bool:
        """Is it reckoned from the value and from numbers alone? What has no graph gets none from that, without a block.

        A method of the value has no weights; a call of anything else may have some.
        """
        if isinstance(statement, ast.Assign):
            targets: list[ast.expr] = [each for each in statement.targets if not isinstance(each, ast.Name)]
        else:
            targets = [statement.target] if isinstance(statement, ast.AugAssign) else []
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)) or not all(map(self._ours, targets)):
            return False
        parts = list(_in_graph(statement.value, lambda each: each in self.sources or taken_out(each)))
        inner = {id(each.value) for each in parts if isinstance(each, ast.Attribute)}
        own = {argument.arg for each in parts if isinstance(each, ast.Lambda) for argument in each.args.args}
        sizes = {each for part in parts if isinstance(part, ast.Slice) for each in walk(part)}  # numbers
        operands = [each for each in parts if isinstance(each, (ast.Name, ast.Attribute)) and id(each) not in inner
                    and each not in sizes and not (isinstance(each, ast.Name) and each.id in own)]
        called = [each for each in parts if isinstance(each, ast.Call)]
        return all(map(self._ours, operands)) and all(
            isinstance(each.func, ast.Attribute) for each in called)

    def _ours(self, node: ast.expr | None) -> bool:
        """Is it the value, a member of it, or what a method of it gives?"""
        while node is not None and node not in self.sources and word_of(node) not in self.found.names:
            inner = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
            node = inner if isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)) else None
        return node is not None

    def _note(self, statement: ast.stmt) -> None:
        if not suites_of(statement):
            made = any(n in self.sources for n in ast.walk(statement))
            if made or not self.found.names.isdisjoint(_with_graph(statement)):
                self.found.names |= bound(statement)
            else:
                self._bind_anew(statement)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            if not self.found.names.isdisjoint(read(statement.iter)) or any(
                    n in self.sources for n in ast.walk(statement.iter)):
                self.found.names |= bound(statement.target)
            self._inner(statement)
        else:
            self._inner(statement)
        for node in own(statement):
            if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None and (
                    not self.found.names.isdisjoint(read(node.value))
                    or any(n in self.sources for n in ast.walk(node.value))):
                self.found.leaves.append(statement)

    def _bind_anew(self, statement: ast.stmt) -> None:
        """From here on a name holds something else."""
        self.found.names -= _bound_anew(statement)

    def _inner(self, statement: ast.stmt) -> None:
        for suite in suites(statement):
            for each in suite:
                if self._concerned(each):
                    self._note(each)


def _bound_anew(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, whichever way is taken through it: both arms of a choice bind them."""
    if isinstance(statement, ast.If):
        arms = [set[str]().union(*map(_bound_anew, arm)) for arm in (statement.body, statement.orelse)]
        return arms[0] & arms[1]
    return set().union(*map(_plain_names, statement.targets)) if isinstance(statement, ast.Assign) else set()


def _plain_names(target: ast.expr) -> set[str]:
    """The names that a target binds, by itself or as a part of a tuple."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*map(_plain_names, target.elts))
    if isinstance(target, ast.Starred):
        return _plain_names(target.value)
    return {target.id} if isinstance(target, ast.Name) else set()


def suites_of(statement: ast.stmt) -> bool:
    """Has it suites?"""
    return any(True for _ in suites(statement))


def _direct(statement: ast.stmt) -> bool:
    """Does the statement itself send gradients? Nobody sends what is volatile, so it computes on something else."""
    return any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(statement))


def _with_graph(node: ast.AST) -> frozenset[str]:
    """What a node reads, but for what it takes out of its graph at once: ``x.data``, ``x.size()``."""
    return _words(_in_graph(node))


def _in_graph(node: ast.AST, left_out: Callable[[ast.AST], bool] | None = None) -> Iterator[ast.AST]:
    """A node and what is in it, but for what is taken out of its graph at once."""
    left_out = left_out or _asks
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and _plain_entries(each):
            waiting += [each.elt, *(test for part in each.generators for test in part.ifs)]
        elif not left_out(each):
            yield each
            waiting += ast.iter_child_nodes(each)


def _asks(node: ast.AST) -> bool:
    """Is it a number, or a tensor without a graph, that something is asked for?"""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _COUNTING:
        return True
    return (isinstance(node, ast.Attribute) and node.attr in _PLAIN) or _is_text(node)


def _is_text(node: ast.AST) -> bool:
    """Is text made of it? ``'{}'.format(x)``, ``'%s' % x``, ``f'{x}'``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _is_written_out(node.func.value)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_written_out(node.left))


def _is_written_out(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _goes_over(header: ast.expr) -> bool:
    """Does a loop only go over what stands under a name? What was computed in a block has parts without a graph."""
    while isinstance(header, ast.Call) and _name(header) in ("enumerate", "zip", "reversed", "list") and header.args:
        if not all(map(_goes_over, header.args[1:])):
            return False
        header = header.args[0]
    return isinstance(header, (ast.Name, ast.Attribute))


def taken_out(node: ast.AST) -> bool:
    """Is something at hand asked for it, so that nothing is computed? ``net(x).data`` runs the network."""
    if isinstance(node, ast.Attribute) and _asks(node):
        inner: ast.AST = node.value
        while isinstance(inner, (ast.Attribute, ast.Subscript)) or _moves(inner):
            inner = inner.func if isinstance(inner, ast.Call) else inner.value  # type: ignore[attr-defined]
        return isinstance(inner, ast.Name)
    return _asks(node)


def _plain_entries(made: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> bool:
    """``[x.data.mean() for x in xs]``: is each entry taken out of its graph at once?"""
    entries = frozenset[str]().union(*(bound(part.target) for part in made.generators))
    tests = [test for part in made.generators for test in (*part.ifs, part.iter)]
    return entries.isdisjoint(_with_graph(made.elt)) and all(entries.isdisjoint(_with_graph(test)) for test in tests)


def _words(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names, and ``self.x`` as such, that are read by these nodes."""
    return frozenset(word for each in nodes if isinstance(getattr(each, "ctx", None), ast.Load)
                     and (word := word_of(each)))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _moves(node: ast.AST) -> bool:
    """``x.cuda()`` and ``x.data`` move a value; ``x[0]`` of a list does no more."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and (
        node.func.attr in ("cuda", "cpu", "data", "detach", "item", "numpy", "size", "dim"))


def _is_idle(statement: ast.stmt) -> bool:
    """Nothing that a block around it would change: no call but of what only moves or prints."""
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break)) or suites_of(statement):
        return False
    if isinstance(statement, ast.Return):
        return False
    return all(
        isinstance(node, ast.Call) and (_name(node) in _IDLE or _moves(node))
        for node in own(statement) if isinstance(node, _COMPUTING))


def merged(scene: Scene, runs: Sequence[Run]) -> list[Run]:
    """Runs in the order of the text, those joined between which nothing stands."""
    found: list[Run] = []
    for first, last in sorted(runs, key=lambda run: scene.span(run[0]).start):
        if found and _next(scene, found[-1][1]) is first:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _next(scene: Scene, statement: ast.stmt) -> ast.stmt | None:
    """The statement behind one in its suite."""
    above = scene.parents.get(statement)
    for suite in (getattr(above, name, None) for name in ("body", "orelse", "finalbody")):
        if isinstance(suite, list) and statement in suite[:-1]:
            after: ast.stmt = suite[suite.index(statement) + 1]
            return after
    return None
