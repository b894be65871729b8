"""Seeded mistakes: what a careless migration does to a right one, made from the right one's syntax tree.

``mutants(texts)`` yields (kind, where, texts with the mistake). Which of them change nothing that can be
seen is decided by the golden harness, not here: ``python tests/verify/mutations.py`` runs them all and
prints what escapes.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import hashlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "fixtures" / "golden"
EQUIVALENT = HERE / "equivalent_mutants.json"
MODES = ("no_grad", "set_grad_enabled")


def mode_of(node: ast.AST) -> ast.Call | None:
    """The call that a grad mode block enters; None for any other statement."""
    if isinstance(node, ast.With) and len(node.items) == 1:
        call = node.items[0].context_expr
        if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) in MODES:
            return call
    return None


def suites(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """All lists of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            found = getattr(node, name, None)
            if isinstance(found, list) and found and isinstance(found[0], ast.stmt):
                yield found


def has_call(node: ast.AST, *names: str) -> bool:
    """Is one of these methods called here?"""
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in names
        for each in ast.walk(node)
    )


def drop(tree: ast.Module) -> Iterator[str]:
    """The block is left out."""
    for suite in suites(tree):
        for place, node in enumerate(suite):
            if mode_of(node) is not None:
                kept = suite[:]
                suite[place : place + 1] = node.body
                yield str(node.lineno)
                suite[:] = kept


def widen(tree: ast.Module) -> Iterator[str]:
    """The block reaches over the backward that follows."""
    for suite in suites(tree):
        for place, node in enumerate(suite):
            after = [n for n in range(place + 1, len(suite)) if has_call(suite[n], "backward")]
            if mode_of(node) is None or not after:
                continue
            kept, body = suite[:], node.body[:]
            node.body += suite[place + 1 : after[0] + 1]
            del suite[place + 1 : after[0] + 1]
            yield str(node.lineno)
            suite[:] = kept
            node.body[:] = body


def narrow(tree: ast.Module) -> Iterator[str]:
    """The block covers its first statement only, or the construction alone."""
    for suite in suites(tree):
        for place, node in enumerate(suite):
            if mode_of(node) is None or len(node.body) < 2:
                continue
            kept, body = suite[:], node.body[:]
            suite[place + 1 : place + 1] = body[1:]
            node.body[:] = body[:1]
            yield str(node.lineno)
            suite[:] = kept
            node.body[:] = body


def invert(tree: ast.Module) -> Iterator[str]:
    """The condition is the wrong way round."""
    for node in ast.walk(tree):
        call = mode_of(node)
        if call is None:
            continue
        kept = call.func, call.args
        if call.args:
            call.args = [ast.UnaryOp(op=ast.Not(), operand=call.args[0])]
        else:
            call.func = ast.Attribute(
                value=ast.Name(id="torch", ctx=ast.Load()), attr="enable_grad", ctx=ast.Load()
            )
        yield str(call.lineno)
        call.func, call.args = kept


class _LoseDetach(ast.NodeTransformer):
    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen, self.line = wanted, -1, 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        inner: ast.AST | None = None
        if name in ("detach", "detach_") and isinstance(node.func, ast.Attribute):
            inner = node.func.value
        elif (
            name == "Variable"
            and node.args
            and isinstance(node.args[0], ast.Attribute)
            and node.args[0].attr == "data"
        ):
            inner = node.args[0].value
        if inner is None:
            return node
        self.seen += 1
        if self.seen != self.wanted:
            return node
        self.line = node.lineno
        return inner


def lose_detach(tree: ast.Module) -> Iterator[str]:
    """A detach (or ``Variable(x.data)``) is left out."""
    whole = tree.body
    for wanted in range(20):
        changed = _LoseDetach(wanted)
        tree.body = changed.visit(copy.deepcopy(ast.Module(body=whole, type_ignores=[]))).body
        if not changed.line:
            break
        yield str(changed.line)
    tree.body = whole


def reorder(tree: ast.Module) -> Iterator[str]:
    """Two statements change places, one of them a block, a backward, or an optimizer's."""
    for suite in suites(tree):
        for place in range(len(suite) - 1):
            pair = suite[place : place + 2]
            if any(
                isinstance(each, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Return))
                for each in pair
            ):
                continue
            if not any(mode_of(each) or has_call(each, "backward", "step", "zero_grad") for each in pair):
                continue
            suite[place : place + 2] = pair[::-1]
            yield str(pair[0].lineno)
            suite[place : place + 2] = pair


KINDS = {
    "drop": drop,
    "widen": widen,
    "narrow": narrow,
    "invert": invert,
    "lose-detach": lose_detach,
    "reorder": reorder,
}


def mutants(texts: dict[str, str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(kind, "path:line", texts) of every seeded mistake."""
    for path, text in sorted(texts.items()):
        for kind, make in KINDS.items():
            tree = ast.parse(text)
            for line in make(tree):
                yield kind, f"{path}:{line}", {**texts, path: ast.unparse(ast.fix_missing_locations(tree))}


def name_of(case: str, kind: str, where: str, texts: dict[str, str]) -> str:
    """A stable name for a mutant."""
    mark = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:8]
    return f"{case} {kind} {where} {mark}"


def harness(name: str) -> types.ModuleType:
    """A file of the golden harness as a module."""
    spec = importlib.util.spec_from_file_location(name, GOLDEN / "harness" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seen_by_the_harness(case: Path, texts: dict[str, str]) -> bool:
    """Does the golden harness tell the mutant from what 0.3.0 did? Drives it in a forked child."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in texts.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        out = Path(folder, "report.json")
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException), open(out, "w") as handle:
                signal.alarm(60)
                sys.stdout = handle
                probe = harness("probe")
                sys.modules["probe"] = sys.modules["__main__"] = probe
                probe.main(str(case), folder)
                handle.flush()
            os._exit(0)
        os.waitpid(pid, 0)
        lines = [line for line in out.read_text().splitlines() if line.startswith('{"calls"')]
    if not lines:
        return True
    want = json.loads((case / "golden.json").read_text())
    return bool(harness("check").differences(want, json.loads(lines[-1])))


def main() -> None:
    """Measure: how many mutants are caught of those that the harness sees; write down which it does not
    see.
    """
    import torch  # loaded here, for the forked children
    from golden import CASES, item, names, texts

    from voltfix.verify import client

    torch.set_num_threads(1)
    rows, items = [], []
    for case in names():
        for kind, where, changed in mutants(texts(CASES / case / "expert")):
            name = name_of(case, kind, where, changed)
            made = item(case, changed, name)
            if made is not None:
                rows.append((case, kind, name, changed))
                items.append(made)
    verdicts = {i.id: v for i, v in zip(items, client.verify(items, device="cpu", jobs=2), strict=True)}
    known: dict[str, bool] = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    total: dict[str, list[int]] = {}
    for case, kind, name, changed in rows:
        caught = verdicts[name].cpu == "different"
        if not caught and name not in known:
            known[name] = not seen_by_the_harness(CASES / case, changed)
            if "--write" in sys.argv:
                EQUIVALENT.write_text(json.dumps(known, indent=0, sort_keys=True) + "\n")
        if caught or not known[name]:
            count = total.setdefault(kind, [0, 0])
            count[0] += caught
            count[1] += 1
            if not caught:
                print("ESCAPED", name, verdicts[name], flush=True)
    for kind, (caught, all_of_them) in total.items():
        print(f"{kind}: {caught}/{all_of_them}")
    print("all:", sum(c for c, _ in total.values()), "/", sum(n for _, n in total.values()))
    if "--write" in sys.argv:
        equivalent = {name: True for name in sorted(known) if known[name] and name in verdicts}
        EQUIVALENT.write_text(json.dumps(equivalent, indent=0) + "\n")


if __name__ == "__main__":
    main()
