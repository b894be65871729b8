"""All sentences that a report can say of a place: short, with a verb at the front, in words that a reader knows."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import voltfix
from voltfix.modernize import messages as of_rules
from voltfix.rules import messages as of_sites
from voltfix.rules import obstacles as of_doctor
from voltfix.rules import premises as of_evidence
from voltfix.rules.messages import DONE, LONGEST, Done

# the five words of voltfix's own; docs/index.md explains them
GLOSSARY = {"block", "change", "flag", "site", "volatile"}
PYTORCH = {
    "apply", "argument", "arguments", "async", "autograd", "await", "bool", "boolean", "bytes", "class",
    "classes", "condition", "contiguous", "dictionary", "dim", "dimensions", "dropout", "dtype", "element",
    "eval", "expression", "factors", "forward", "function", "functions", "generator", "global", "grad",
    "gradient", "graph", "hook", "import", "index", "item", "keywords", "labels", "lambda", "leaf", "list", "mask",
    "method", "mode", "no_grad", "numpy", "object", "parameter", "python", "pytorch", "reduction", "reshape",
    "self", "shape", "statement", "static", "strides", "style", "tensor", "tensors", "torch", "type",
    "variable", "view", "weights", "yield",
}  # fmt: skip
VERBS = {
    "add", "added", "adds", "asks", "assumes", "build", "calls", "cast", "changes", "computes", "copies", "decides",
    "decorated",
    "depends", "detached", "detaches", "divides", "does", "found", "gave", "gets", "guards", "hands", "has",
    "imported", "imports", "is", "keeps", "kept", "leaves", "left", "makes", "mixes", "named", "needs",
    "negates", "passes", "ran", "reads", "removed", "renamed", "replaced", "resizes", "returns", "runs", "sets",
    "shares", "stopped", "subtracts", "takes", "took", "uses", "works", "wrapped", "write", "writes",
}  # fmt: skip
PLAIN = set((Path(__file__).parent / "plain_words.txt").read_text().split())
LONG = "a/very/long/path/of/folders/and/files/" * 5
SHORT = {"place": "a.py:12", "path": "a.py", "at": "line 3", "stretch": "line 3", "error": "ValueError: 3",
         "sentence": "added x_y"}


def functions() -> Iterator[tuple[str, object]]:
    for module in (of_sites, of_rules, of_evidence, of_doctor):
        for name, function in vars(module).items():
            own = inspect.isfunction(function) and function.__module__ == module.__name__
            if own and not name.startswith("_") and name not in ("planned", "shortened", "ending", "near", "asked_for"):
                yield f"{module.__name__}.{name}", function


def sentences(function, long: bool) -> Iterator[str]:
    """What a function says, of short or of very long names."""
    values: dict[str, list[object]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = str(parameter.annotation)
        if name == "reason":
            values[name] = list(of_sites._UNCOVERED)
        elif name == "stretches":
            values[name] = [[LONG] * 8 if long else ["line 3"], [LONG] * 2 if long else ["lines 3-5", "line 8"]]
        elif "Done" in kind:
            at, text = (LONG, LONG) if long else ("line 3", "")
            values[name] = [[Done(how, at, "not " if how == "mode" else text)] for how in of_sites.How.__args__]
        elif kind == "int":
            values[name] = [3, 0]
        elif kind == "bool":
            values[name] = [False, True]
        elif name == "users":
            values[name] = [(LONG,), (LONG, LONG), (LONG,) * 9] if long else [(), ("f_x",), ("f_x", "g_x")]
        elif name == "why":
            values[name] = [LONG] if long else [of_sites.is_used(), of_sites.has_other_callers(), of_sites.is_outside()]
        elif name == "dim":
            values[name] = [1]
        elif name == "since":
            values[name] = ["1.10"]
        elif name == "code":
            values[name] = ["VF101"]
        elif name == "negation":
            values[name] = ["", "not "]
        elif name == "what" and function is of_rules.masks:
            values[name] = ["changes", "negates", "subtracts"]
        elif name == "detail":
            values[name] = [None, LONG]
        else:
            values[name] = [LONG if long else SHORT.get(name, "x_y")]
    for chosen in itertools.product(*values.values()):
        yield function(**dict(zip(values, chosen, strict=True)))


EVERY = dict(functions())
WHY = {"signatures_stay", "is_importable", "has_other_callers", "is_overridden", "is_used", "is_outside",
       "is_catch_all"}  # fmt: skip
CLAUSES = {name for name in EVERY if name.rsplit(".", 1)[-1] in WHY}  # of kept_argument


@pytest.mark.parametrize("name", EVERY)
def test_a_sentence_is_short_whatever_the_names_in_it(name):
    for long in (False, True):
        for sentence in sentences(EVERY[name], long):
            assert len(sentence) <= LONGEST, sentence
            assert "\n" not in sentence


@pytest.mark.parametrize("name", sorted(set(EVERY) - CLAUSES))
def test_a_sentence_has_its_verb_in_the_first_four_words(name):
    for sentence in sentences(EVERY[name], False):
        said = re.sub(r"^(lines? [\d, -]+|\S+:\d+): ", "", sentence)  # evidence has its place in front
        assert VERBS & set(re.findall(r"[a-z]+", said.lower())[:4]), sentence


@pytest.mark.parametrize("name", EVERY)
def test_a_sentence_has_words_that_a_reader_of_pytorchs_documentation_knows(name):
    for sentence in sentences(EVERY[name], False):
        # names, options, code and places are the reader's own
        bare = re.sub(r"[.:,;)(]+(\s|$)", " ", sentence)
        prose = re.sub(r"\S*[_=.()@/~\d*]\S*|--\S+|\[\S*\]|\S+-\S+", " ", bare)
        strange = set(re.findall(r"[a-z']+", prose.lower())) - GLOSSARY - PYTORCH - VERBS - set(DONE) - PLAIN
        assert not strange, (sentence, strange)


def test_what_was_done_is_said_in_a_past_that_has_a_future():
    done = [s for name, f in EVERY.items() if name not in CLAUSES for s in sentences(f, False)]
    said = {sentence.split()[0] for sentence in done}
    assert said >= {"wrapped", "removed", "replaced", "kept", "detached", "decorated", "added", "renamed"}
    assert of_sites.planned("wrapped line 3 in torch.no_grad()") == "would wrap line 3 in torch.no_grad()"
    assert of_sites.planned("needs an edit elsewhere") == "needs an edit elsewhere"


def test_no_sentence_of_old_is_left():
    text = " ".join(s for f in EVERY.values() for s in sentences(f, False))
    for old in ("around what the flag covered", "it goes", "is called", "what .volatile answered", "nobody"):
        assert old not in text


def test_sentences_stand_in_the_two_modules_of_messages_alone():
    """Where a message is handed over it is a call of those modules, or a name: never text of its own."""
    takes = {"Refusal": 1, "Finding": 3, "Hold": 2, "refuse": 2, "Decision": 2}
    root = Path(voltfix.__file__).parent
    strays = []
    for folder in ("flags", "machine", "solver", "modernize", "pipeline", "core.py"):
        for file in sorted(root.glob(f"{folder}/**/*.py")) if folder != "core.py" else [root / folder]:
            for node in ast.walk(ast.parse(file.read_bytes())):
                if not isinstance(node, ast.Call):
                    continue
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                given = [*node.args[takes[name] :][:1]] if name in takes else []
                given += [k.value for k in node.keywords if k.arg == "message"]
                strays += [f"{file}:{node.lineno}" for one in given if is_text(one)]
    assert strays == []


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and " " in str(node.value))


def test_a_place_in_the_file_at_hand_is_a_line_whatever_its_path():
    long = "chapter10/" + "a folder (of many)/" * 4 + "model.py"
    sentence = of_sites.kept_in_attribute("x", f"{long}:58")
    assert "..." in sentence
    assert of_sites.near(sentence, long) == "keeps the volatile tensor as .x: line 58 may read it"
    assert of_sites.near(sentence, "b.py") == sentence


def test_a_flag_that_goes_says_where_it_stands():
    assert of_sites.removed_in_no_grad("volatile=True") == "removed volatile=True: torch.no_grad() is around it already"
    assert of_sites.removed_unasked("volatile=True") == "removed volatile=True: every call leaves it off"


@pytest.mark.parametrize(
    ("users", "labels", "said"),
    [
        ((), False, "removed volatile=True: nothing computes with the tensor"),
        (("F.nll_loss",), True, "removed volatile=True: only labels of F.nll_loss, which build no graph"),
        (("criterion",), False, "removed volatile=True: it changes nothing here, only criterion takes the tensor"),
        (("f", "g"), True, "removed volatile=True: only labels of f and g, which build no graph"),
        (("f", "g", "h"), False, "removed volatile=True: it changes nothing here, only f and 2 others take the tensor"),
    ],
)
def test_a_flag_that_goes_names_what_takes_the_tensor(users, labels, said):
    assert of_sites.removed_idle("volatile=True", users, labels) == said


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ([("line 3", "torch.no_grad()"), ("line 8", "torch.no_grad()")],
         "wrapped line 3 and line 8 in torch.no_grad()"),
        ([("line 3", "torch.set_grad_enabled(a)"), ("line 8", "torch.no_grad()"), ("line 9", "torch.no_grad()")],
         "wrapped line 3 in torch.set_grad_enabled(a) and line 8 and line 9 in torch.no_grad()"),
        ([("line 3", f"torch.set_grad_enabled({'a' * 40})"), ("b.py: lines 8-9", "torch.no_grad()")],
         f"wrapped line 3 in torch.set_grad_enabled({'a' * 40}) and 1 more in other blocks"),
    ],
)
def test_each_block_is_said_to_have_its_own_header(done, said):
    assert of_sites.all_of([Done("wrapped", at, header) for at, header in done]) == said
