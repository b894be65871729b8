"""What edits mean, said on syntax trees: the text that the edit layer makes has to parse to the same tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from voltfix.edit.outline import Outline, Statement, Suite
from voltfix.model import (
    Decorate,
    DeleteStatement,
    DropArgument,
    DropParameter,
    Edit,
    InsertStatement,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapExpression,
    WrapStatements,
)

_NEW_EXPRESSIONS = ("b", "b + c", "not b", "b, c", "lambda: b", "f(b)", "b if c else d", "-b", "1")
_HOLDERS = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_AROUND = (("torch.no_grad()(", ")"), ("", ".detach()"), ("not ", ""), ("f(a, ", ", b)"))
_NEW_STATEMENTS = ("n = 1", "if n:\n    m = 2", 'n = """a\nb"""', "del n\nm = f(\n  1)")


def _expression(text: str) -> ast.expr:
    return ast.parse(f"({text})", mode="eval").body


@dataclass
class Planned:
    """Edits for a text, and what they do to its tree, in the order in which that has to be done."""

    outline: Outline
    edits: list[Edit] = field(default_factory=list)
    actions: list[tuple[int, int, Edit, Callable[[], None]]] = field(default_factory=list)

    def add(self, phase: int, rank: int, action: Callable[[], None]) -> None:
        """Note what the edit drawn last does to the tree."""
        self.actions.append((phase, rank, self.edits[-1], action))

    def expected(self) -> str:
        """Carry the plan out on the tree and dump it."""
        gone = [edit.span for edit in self.edits if isinstance(edit, DeleteStatement)]
        done: list[Edit] = []
        for _, _, edit, action in sorted(self.actions, key=lambda each: each[:2]):
            if edit not in done and not any(_within(edit, span) for span in gone):
                action()
            done.append(edit)
        return dumped(self.outline.tree)


def dumped(tree: ast.AST) -> str:
    """Dump a tree; how deep the lines of a string are that stands as a statement, and is no docstring, is no matter."""
    for node in ast.walk(tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            for at, each in enumerate(body if isinstance(body, list) else []):
                text = each.value.value if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) else None
                leads = at == 0 and body is getattr(node, "body", None) and isinstance(node, _HOLDERS)
                if isinstance(text, bytes):
                    each.value.value = b"\n".join(line.lstrip() for line in text.split(b"\n"))
                elif isinstance(text, str) and not leads:
                    each.value.value = "\n".join(line.lstrip() for line in text.split("\n"))
    return ast.dump(tree)


def _within(edit: Edit, span: Span) -> bool:
    """Say whether an edit lies deeper than a deleted statement."""
    found = [value for value in vars(edit).values() if isinstance(value, Span)]
    return all(span.start <= each.start and each.end <= span.end and each != span for each in found)


def plan(text: str, random: Random, count: int) -> Planned:
    """Draw ``count`` edits for ``text``; they may turn out to be at odds with one another."""
    planned = Planned(Outline(text))
    drawers = (
        _wrap,
        _wrap,
        _wrap,
        _drop_argument,
        _drop_parameter,
        _expression_edit,
        _delete,
        _insert,
        _decorate,
    )
    drawers += (_replace_statement,)
    for number in range(count):
        random.choice(drawers)(planned, random, number)
    return planned


def _body_of(suite: Suite) -> list[ast.stmt]:
    """Return the list in the tree that ``suite`` shows."""
    first = suite.statements[0].node
    for name in ("body", "orelse", "finalbody"):
        body = getattr(suite.node, name, None)
        if isinstance(body, list) and any(node is first for node in body):
            return body
    raise AssertionError("no such suite")


def _suites(planned: Planned) -> list[Suite]:
    return list({id(each.suite): each.suite for each in planned.outline.by_start.values()}.values())


def _plain(planned: Planned, suite: Suite) -> bool:
    """Say whether the statements of ``suite`` are statements (an elif is none)."""
    return not planned.outline.text.startswith("elif", suite.statements[0].start)


def _statements(planned: Planned) -> list[Statement]:
    return [each for suite in _suites(planned) if _plain(planned, suite) for each in suite.statements]


def _span(statement: Statement) -> Span:
    return Span(statement.start, statement.end)


def _wrap(planned: Planned, random: Random, number: int) -> None:
    suites = [suite for suite in _suites(planned) if _plain(planned, suite)]
    suite = random.choice(suites)
    low = random.randrange(len(suite.statements))
    high = random.randrange(low, len(suite.statements))
    run = suite.statements[low : high + 1]
    planned.edits.append(WrapStatements(_span(run[0]), _span(run[-1]), f"block{number}()"))
    nodes = [each.node for each in run]
    if low == 0 and _is_docstring(suite, nodes[0]):
        nodes, run = nodes[1:], run[1:]
        if not nodes:
            planned.edits.pop()
            return
    owner_body = _body_of(suite)

    def action() -> None:
        body = _find(owner_body, nodes[0])
        at, end = _index(body, nodes[0]), _index(body, nodes[-1])
        item = ast.withitem(_expression(f"block{number}()"))
        body[at : end + 1] = [ast.With([item], body[at : end + 1])]

    length = run[-1].end - run[0].start
    planned.add(3, -length * 1000 + number, action)


def _is_docstring(suite: Suite, node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    text = isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    return text and isinstance(suite.node, _HOLDERS)


def _find(body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
    """Return the list that holds ``node``: ``body`` or that of a block put around parts of it."""
    for each in body:
        if each is node:
            return body
    for each in body:
        if isinstance(each, ast.With) and any(each is not inner for inner in [node]):
            found = _find(each.body, node) if _holds(each, node) else None
            if found is not None:
                return found
    raise AssertionError("lost")


def _holds(block: ast.With, node: ast.stmt) -> bool:
    return any(each is node or (isinstance(each, ast.With) and _holds(each, node)) for each in block.body)


def _index(body: list[ast.stmt], node: ast.stmt) -> int:
    return next(at for at, each in enumerate(body) if each is node)


def _drop_argument(planned: Planned, random: Random, number: int) -> None:
    calls = [node for node in ast.walk(planned.outline.tree) if isinstance(node, ast.Call)]
    calls = [call for call in calls if call.args or call.keywords]
    if not calls:
        return
    call = random.choice(calls)
    argument = random.choice([*call.args, *call.keywords])
    span = planned.outline.span
    planned.edits.append(DropArgument(span(call), span(argument)))  # type: ignore[arg-type]

    def action() -> None:
        call.args = [each for each in call.args if each is not argument]
        call.keywords = [each for each in call.keywords if each is not argument]

    planned.add(0, number, action)


def _drop_parameter(planned: Planned, random: Random, number: int) -> None:
    functions = [each for each in _statements(planned) if isinstance(each.node, ast.FunctionDef)]
    functions = [each for each in functions if any(a.arg == "volatile" for a in each.node.args.args)]
    if not functions:
        return
    function = random.choice(functions)
    args = function.node.args
    last = args.args[-1]
    default = args.defaults[-1]
    span = Span(planned.outline.span(last).start, planned.outline.span(default).end)  # type: ignore[arg-type]
    planned.edits.append(DropParameter(_span(function), span))

    def action() -> None:
        args.args, args.defaults = [each for each in args.args if each is not last], args.defaults[:-1]

    planned.add(0, number, action)


def _expression_edit(planned: Planned, random: Random, number: int) -> None:
    loads = [
        node
        for node in ast.walk(planned.outline.tree)
        if isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Compare | ast.Attribute)
        and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    ]
    if not loads:
        return
    node = random.choice(loads)
    span = planned.outline.span(node)
    if random.random() < 0.5:
        text = random.choice(_NEW_EXPRESSIONS)
        planned.edits.append(ReplaceExpression(span, text))
        planned.add(1, (span.end - span.start) * 1000 + number, lambda: _become(node, _expression(text)))
        return
    before, after = random.choice(_AROUND)
    planned.edits.append(WrapExpression(span, before, after))

    def action() -> None:
        copy = type(node)(**{name: getattr(node, name) for name in node._fields})
        frame = _expression(f"{before}stand_in{after}")
        if isinstance(frame, ast.Name):
            raise AssertionError("nothing around it")
        inner = next(each for each in ast.walk(frame) if isinstance(each, ast.Name) and each.id == "stand_in")
        _become(inner, copy)
        _become(node, frame)

    planned.add(1, (span.end - span.start) * 1000 + number, action)


def _become(node: ast.AST, other: ast.AST) -> None:
    """Turn ``node`` into ``other`` in place, so that whoever holds it holds that."""
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


def _delete(planned: Planned, random: Random, number: int) -> None:
    statement = random.choice(_statements(planned))
    owner_body = _body_of(statement.suite)
    planned.edits.append(DeleteStatement(_span(statement)))

    def action() -> None:
        body = _find(owner_body, statement.node)
        del body[_index(body, statement.node)]
        if not body and body is not planned.outline.tree.body:
            body.append(ast.Pass())

    planned.add(4, number, action)


def _replace_statement(planned: Planned, random: Random, number: int) -> None:
    statement = random.choice(_statements(planned))
    owner_body = _body_of(statement.suite)
    text = random.choice(_NEW_STATEMENTS)
    planned.edits.append(ReplaceStatement(_span(statement), text))

    def action() -> None:
        body = _find(owner_body, statement.node)
        at = _index(body, statement.node)
        body[at : at + 1] = ast.parse(text).body

    planned.add(4, number, action)


def _insert(planned: Planned, random: Random, number: int) -> None:
    statement = random.choice(_statements(planned))
    owner_body = _body_of(statement.suite)
    text = random.choice(_NEW_STATEMENTS) + f"\nn{number} = 1"
    where = random.choice(["before", "after"])
    planned.edits.append(InsertStatement(_span(statement), text, where))  # type: ignore[arg-type]

    def action() -> None:
        at = _index(owner_body, statement.node) + (where == "after")
        owner_body[at:at] = ast.parse(text).body

    # several behind one statement: the first one drawn stands first
    planned.add(2, number if where == "before" else 10**6 - number, action)


def _decorate(planned: Planned, random: Random, number: int) -> None:
    functions = [each for each in _statements(planned) if isinstance(each.node, ast.FunctionDef)]
    functions = [each for each in functions if planned.outline.starts_line(each.head)]
    if functions:
        function = random.choice(functions)
        planned.edits.append(Decorate(_span(function), f"torch.d{number}()"))
        node = function.node
        planned.add(5, number, lambda: node.decorator_list.append(_expression(f"torch.d{number}()")))
