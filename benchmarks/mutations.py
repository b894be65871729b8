"""Seeded mistakes, and rewritings that change nothing, over what voltfix made of real repositories.

    python benchmarks/mutations.py PLAN.json ... [--most N] [--jobs N] [--list]

Plans come from ``voltfix --check --no-verify --save-plan PLAN.json .`` in a repository. For each change that is
identical as it is, the new text is spoilt in eight ways, and rewritten in five that change nothing. Prints, by kind,
how many were called different, not run, and identical; with --list, what a mistake passed as, and each false alarm.
Which of the mistakes change anything is asked apart from the verdict: the right new text and the spoilt one run as
today's torch runs them, and every single operation is looked at (``exact`` in a plan). Where none makes a graph in one
of them alone, and nothing else is different, the mistake is none. For the golden cases the recordings know:
``python tests/verify/mutations.py``.
"""

from __future__ import annotations

import argparse
import ast
import collections
import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "verify"))

import mutations as golden

from voltfix.model import Verification
from voltfix.verify import client
from voltfix.verify.pairs import changed_functions
from voltfix.verify.plan import Item, load

SECONDS = 240.0  # of a busy machine
Change = Callable[[ast.Module], Iterator[str]]


def forget_last(tree: ast.Module) -> Iterator[str]:
    """The last statement of a block stands behind it: a sibling call is forgotten."""
    for suite in golden.suites(tree):
        for place, node in enumerate(suite):
            if golden.mode_of(node) is not None and len(node.body) > 1 and not isinstance(node.body[-1], ast.Return):
                last = node.body.pop()
                suite.insert(place + 1, last)
                yield str(node.lineno)
                suite.remove(last)
                node.body.append(last)


def _constant(asked: ast.expr, answer: bool) -> ast.expr:
    """``answer``, whatever is asked: it is asked all the same, so that nothing else differs."""
    return ast.Subscript(ast.Tuple([asked, ast.Constant(answer)], ast.Load()), ast.Constant(1), ast.Load())


def constant_read(tree: ast.Module) -> Iterator[str]:
    """What asks for the grad mode, or for requires_grad, is a constant."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp)):
            asked = [n for n in ast.walk(node.test) if isinstance(n, (ast.Attribute, ast.Name))]
            if any(getattr(n, "attr", getattr(n, "id", "")) in ("is_grad_enabled", "requires_grad") for n in asked):
                for answer in (True, False):
                    kept, node.test = node.test, _constant(node.test, answer)
                    yield str(node.lineno)
                    node.test = kept
        call = golden.mode_of(node)  # the condition of a block is what became of a read
        if call is not None and call.args and not isinstance(call.args[0], ast.Constant):
            for answer in (True, False):
                asked, call.args[0] = call.args[0], _constant(call.args[0], answer)
                yield str(node.lineno)
                call.args[0] = asked


def other_default(tree: ast.Module) -> Iterator[str]:
    """A switch that decides a grad mode is on by default where it was off."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        asked = {n.id for each in ast.walk(node) if (call := golden.mode_of(each)) for n in ast.walk(call)
                 if isinstance(n, ast.Name)}
        yield from _switched(node)
        given = node.args.args[len(node.args.args) - len(node.args.defaults):]
        for place, parameter in enumerate(given):
            default = node.args.defaults[place]
            if parameter.arg in asked and isinstance(default, ast.Constant) and isinstance(default.value, bool):
                node.args.defaults[place] = ast.Constant(not default.value)
                yield str(node.lineno)
                node.args.defaults[place] = default


def _switched(function: ast.FunctionDef) -> Iterator[str]:
    """A block hangs on a switch of the function, which is on by default."""
    modes = [call for each in ast.walk(function) if (call := golden.mode_of(each)) and not call.args]
    inner = [n for n in ast.walk(function) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not function]
    if not modes or inner or function.args.vararg or function.args.kwarg:
        return
    for call in modes:
        name, call.func = call.func, ast.Attribute(ast.Name("torch", ast.Load()), "set_grad_enabled", ast.Load())
        call.args.append(ast.Name("grads_wanted", ast.Load()))
        function.args.args.append(ast.arg("grads_wanted"))
        function.args.defaults.append(ast.Constant(True))
        yield str(function.lineno)
        call.func = name
        call.args.pop()
        function.args.args.pop()
        function.args.defaults.pop()


MISTAKES: dict[str, Change] = {
    "block out": golden.drop,
    "block narrowed": golden.narrow,
    "block over a backward": golden.widen,
    "condition inverted": golden.invert,
    "sibling call forgotten": forget_last,
    "detach lost": golden.lose_detach,
    "read made constant": constant_read,
    "default changed": other_default,
}


def renamed(tree: ast.Module) -> Iterator[str]:
    """A local has another name."""
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
        arguments = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        scopes = (ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal)
        inner = [n for n in ast.walk(function) if isinstance(n, scopes)]
        stored = sorted({n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
        for name in [each for each in stored if each not in arguments] if len(inner) == 1 else ():
            places = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
            for place in places:
                place.id = name + "_too"
            yield str(function.lineno)
            for place in places:
                place.id = name


def split(tree: ast.Module) -> Iterator[str]:
    """One block is two."""
    for suite in golden.suites(tree):
        for place, node in enumerate(suite):
            if golden.mode_of(node) is not None and len(node.body) > 1 and "no_grad" in ast.dump(node.items[0]):
                body = node.body
                node.body = body[:1]
                suite.insert(place + 1, ast.With(items=copy.deepcopy(node.items), body=body[1:], lineno=node.lineno))
                yield str(node.lineno)
                del suite[place + 1]
                node.body = body


def decorated(tree: ast.Module) -> Iterator[str]:
    """A decorator instead of a block around the whole body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and len(node.body) == 1 and golden.mode_of(node.body[0]) is not None:
            block = node.body[0]
            yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node))
            if "no_grad" in ast.dump(block.items[0]) and not yields:
                node.decorator_list.append(block.items[0].context_expr)
                node.body = block.body
                yield str(node.lineno)
                node.body = [block]
                node.decorator_list.pop()


def reordered(tree: ast.Module) -> Iterator[str]:
    """Two assignments that do nothing, and know nothing of each other, change places."""
    for suite in golden.suites(tree):
        for place in range(len(suite) - 1):
            pair = suite[place : place + 2]
            names = [each.targets[0].id for each in pair if _is_idle(each)]
            if len(set(names)) == 2 and not any(_uses(each.value, names) for each in pair):
                suite[place : place + 2] = pair[::-1]
                yield str(pair[0].lineno)
                suite[place : place + 2] = pair


def _is_idle(node: ast.stmt) -> bool:
    """``name = value``, of a value that asks and does nothing."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name) or len(node.targets) > 1:
        return False
    idle = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Dict, ast.Load, ast.UnaryOp, ast.unaryop)
    return all(isinstance(each, idle) for each in ast.walk(node.value))


def _uses(value: ast.expr, names: list[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(value))


def named(tree: ast.Module) -> Iterator[str]:
    """A condition of a block has a name first."""
    for suite in golden.suites(tree):
        for place, node in enumerate(suite):
            call = golden.mode_of(node)
            if call is None or not call.args or isinstance(call.args[0], (ast.Name, ast.Constant)):
                continue
            asked = call.args[0]
            name = ast.Name(id="grads_wanted", ctx=ast.Store())
            suite.insert(place, ast.Assign(targets=[name], value=asked, lineno=node.lineno))
            call.args[0] = ast.Name(id="grads_wanted", ctx=ast.Load())
            yield str(node.lineno)
            call.args[0] = asked
            del suite[place]


EQUAL: dict[str, Change] = {
    "condition named": named,
    "locals renamed": renamed,
    "block split": split,
    "decorator for block": decorated,
    "statements reordered": reordered,
}


def _verdicts(asked: argparse.Namespace, items: list[Item]) -> list[Verification]:
    return client.verify(items, device="cpu", jobs=asked.jobs, timeout=SECONDS)


def _plain(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts in the layout of what is made of them."""
    return {path: ast.unparse(ast.parse(text)) for path, text in texts.items()}


def made(item: Item, kinds: dict[str, Change], most: int) -> Iterator[tuple[str, Item]]:
    """(kind, item with the new text changed), ``most`` of a kind at most."""
    for path in {path for path, _ in item.touched}:
        for kind, change in kinds.items():
            tree = ast.parse(item.after[path])
            for number, line in enumerate(change(tree)):
                if number >= most:
                    break
                text = ast.unparse(ast.fix_missing_locations(tree))
                if text != ast.unparse(ast.parse(item.after[path])):
                    name = f"{kind}: {path}:{line} {item.id} {number}"
                    after = {**item.after, path: text}
                    plain = {**item.before, path: ast.unparse(ast.parse(item.before[path]))}  # nothing else differs
                    changed = changed_functions({path: item.after[path]}, {path: text})
                    touched = dict.fromkeys([*item.touched, *changed])
                    yield kind, replace(
                        item, id=name, before=plain, after=after, touched=tuple(touched), origins={}
                    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=2, help="of a kind, in a file of a change")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    known: dict[str, Item] = {}  # changes to the same texts share their mistakes
    for plan in asked.plans:
        for item in load(plan.read_text(encoding="utf-8")):
            texts = f"{plan.stem} {sorted(item.after.items())}"
            first = known.setdefault(texts, replace(item, id=f"{plan.stem} {item.id}"))
            known[texts] = replace(first, touched=tuple(dict.fromkeys([*first.touched, *item.touched])))
    items = list(known.values())
    right = _verdicts(asked, items)
    items = [item for item, verdict in zip(items, right, strict=True) if verdict.cpu == "identical"]
    print(f"{len(items)} texts that are identical as they are")
    mistakes(items, asked)
    equal(items, asked)


def mistakes(items: list[Item], asked: argparse.Namespace) -> None:
    """Which seeded mistakes are caught, of those that change anything."""
    rows = [(item, kind, made_of) for item in items for kind, made_of in made(item, MISTAKES, asked.most)]
    found = [each.cpu for each in _verdicts(asked, [item for _, _, item in rows])]
    left = [row for row, verdict in zip(rows, found, strict=True) if verdict != "different"]
    exact = [replace(item, before=_plain(right.after), exact=True, rest="today") for right, _, item in left]
    told = dict(zip([item.id for _, _, item in left], _verdicts(asked, exact), strict=True))
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for (_, kind, item), verdict in zip(rows, found, strict=True):
        if verdict == "different":
            counts[kind]["caught"] += 1
            continue
        change = told[item.id]
        word = f"{verdict}, changes something" if change.cpu == "different" else "changes nothing"
        if change.cpu == "not-run":
            word = f"{verdict}, whether it changes anything is not known"
        counts[kind][word] += 1
        if asked.list:
            print(f"{word}: {item.id}: {change.detail}")
    print(f"mistakes: {len(rows)}")
    total = collections.Counter[str]()
    for kind, count in counts.items():
        total += count
        print(f"  {kind}: {', '.join(f'{word} {number}' for word, number in sorted(count.items()))}")
    changing = total["caught"] + sum(number for word, number in total.items() if word.endswith("changes something"))
    print(f"  of {changing} that change something {total['caught']} are caught, {passed(total)} called identical")


def passed(total: collections.Counter[str]) -> int:
    """The mistakes that change something and were called identical."""
    return total["identical, changes something"]


def equal(items: list[Item], asked: argparse.Namespace) -> None:
    """Which rewritings that change nothing are blamed."""
    rows = [each for item in items for each in made(item, EQUAL, asked.most)]
    found = _verdicts(asked, [item for _, item in rows])
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for (kind, item), verdict in zip(rows, found, strict=True):
        counts[kind][verdict.cpu] += 1
        if asked.list and verdict.cpu != "identical":
            print(f"{verdict.cpu}: {item.id}: {verdict.detail}")
    print(f"equal rewritings: {len(rows)}")
    for kind, count in counts.items():
        told = ", ".join(f"{word} {count[word]}" for word in ("identical", "not-run", "different"))
        print(f"  {kind}: {told}")


if __name__ == "__main__":
    main()
