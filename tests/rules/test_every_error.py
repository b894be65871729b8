"""All that a command says of itself, and of files that it cannot read: short, with a verb in front, in known words.

The sentences stand where they are said, so they are read out of the source: what a name or path is put into counts as
one letter, and each part between semicolons is a sentence of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import voltfix
from rules.test_every_message import GLOSSARY, PLAIN, PYTORCH, VERBS
from voltfix.cli.main import ALIASES, COMMANDS
from voltfix.rules.messages import DONE, LONGEST

ROOT = Path(voltfix.__file__).parent
SAYING = {"UsageError", "SettingsError", "StateError", "BatchError", "BadParameter", "ClickException", "Problem",
          "WriteError", "FileError", "say", "fail"}  # fmt: skip
MORE_VERBS = {
    "asks", "be", "begin", "belongs", "cannot", "commit", "could", "declares", "delete", "did", "do", "ended",
    "exclude", "finish", "give", "given", "have", "holds", "interrupted", "lists", "make", "name", "nothing",
    "please", "put", "read", "run", "seen", "shows", "starts", "take", "took", "verified", "waiting", "was",
    "were", "write", "written",
}  # fmt: skip
OF_COMMANDS = {*(Path(__file__).parent / "command_words.txt").read_text().split(), *COMMANDS, *ALIASES}


def said() -> Iterator[tuple[str, str]]:
    """Where, and what, with ``◌`` for what is filled in."""
    for folder in ("cli", "batch", "sources", "discovery", "."):
        for file in sorted((ROOT / folder).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Call) and is_saying(node):
                    for text in filter(None, map(template, node.args)):
                        if " " in text.strip():
                            yield f"{file.relative_to(ROOT)}:{node.lineno}", text


def is_saying(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    to_stderr = name == "echo" and any(keyword.arg == "err" for keyword in node.keywords)
    return name in SAYING or to_stderr or (name == "append" and "notes" in ast.unparse(node.func))


def template(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "◌" for part in node.values)
    return None


SENTENCES = [(where, " ".join(part.split())) for where, text in said() for part in text.split(";") if part.strip()]


def words(sentence: str) -> list[str]:
    """The words of voltfix: no names, options, code or places."""
    bare = re.sub(r"'[^']*'|--\S+|voltfix [a-z]+ --\S+|\S*[_=@/~\d*\[\]<]\S*|\b[A-Z]{4,}\b|\w+\.\w+", " ", sentence)
    return re.findall(r"[a-z']+", bare.lower())


def test_there_are_sentences():
    assert len(SENTENCES) > 80


@pytest.mark.parametrize(("where", "sentence"), SENTENCES, ids=[f"{where} {text[:40]}" for where, text in SENTENCES])
def test_what_a_command_says_is_short_and_plain_and_has_its_verb_in_front(where, sentence):
    found = words(sentence)
    assert len(sentence) <= LONGEST
    assert len(found) < 3 or (VERBS | MORE_VERBS | set(DONE)) & set(found[:4]), (where, sentence)
    known = GLOSSARY | PYTORCH | VERBS | MORE_VERBS | set(DONE) | PLAIN | OF_COMMANDS
    assert set(found) <= known, (where, sentence, set(found) - known)
