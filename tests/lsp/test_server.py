"""The language server, spoken to over stdio as an editor does."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from forked import Started

pytest.importorskip("pygls")
import_module("voltfix.lsp.server")  # once, and not in each process

SOURCE = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    s = '\U0001f600'; x = Variable(x, volatile=True)
    return net(x).data[0]


def refused(net, x, flags):
    return net(Variable(x, **flags))
"""


class Editor:
    """As much of an editor as the tests need."""

    def __init__(self, folder: Path, *, anew: bool) -> None:
        command = [sys.executable, "-m", "voltfix", "lsp"]
        self.server = Started("lsp", cwd=folder) if not anew else subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        self.number = 0
        self.notes: list[dict] = []
        self.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
        self.tell("initialized")

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def _read(self) -> dict:
        length = 0
        while line := self.server.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def tell(self, method: str, **params) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, **params):
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while (message := self._read()).get("id") != self.number:
            self.notes.append(message)
        assert "error" not in message, message
        return message["result"]

    def open(self, file: Path, text: str) -> list[dict]:
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)
        return self.diagnostics(file)

    def change(self, file: Path, text: str) -> list[dict]:
        document = {"uri": file.as_uri(), "version": 2}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        return self.diagnostics(file)

    def diagnostics(self, file: Path) -> list[dict]:
        while True:
            message = self.notes.pop(0) if self.notes else self._read()
            params = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == file.as_uri():
                return params["diagnostics"]

    def actions(self, file: Path, line: int, only: list[str] | None = None) -> list[dict]:
        place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}}
        context = {"diagnostics": [], **({"only": only} if only else {})}
        return self.ask(
            "textDocument/codeAction", textDocument={"uri": file.as_uri()}, range=place, context=context
        )

    def close(self) -> int:
        self.ask("shutdown")
        self.tell("exit")
        return self.server.wait(10)


@pytest.fixture
def editor(tmp_path, request):
    """Speaks with a server that is forked from this process, or one that is started anew where a test says so."""
    (tmp_path / ".git").mkdir()
    editor = Editor(tmp_path, anew=hasattr(request, "param"))
    yield editor
    try:
        assert editor.server.poll() is not None or editor.close() == 0
    finally:
        editor.server.kill()
    editor.server.stdin.close()
    editor.server.stdout.close()


def applied(edits: list[dict], text: str) -> str:
    """The text after the edits, as an editor makes it (columns in UTF-16)."""
    lines = text.split("\n")

    def offset(at: dict) -> int:
        line = lines[at["line"]].encode("utf-16-le")[: 2 * at["character"]].decode("utf-16-le")
        return sum(len(x) + 1 for x in lines[: at["line"]]) + len(line)

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize("editor", ["anew"], indirect=True)
def test_a_document_from_opening_to_the_fix(editor, tmp_path):
    file = tmp_path / "a b.py"
    fixable, refused = editor.open(file, SOURCE)
    assert (fixable["code"], fixable["severity"]) == ("VF101", 2)
    column = SOURCE.splitlines()[5].index("volatile")
    assert fixable["range"]["start"] == {"line": 5, "character": column + 1}  # the emoji counts as two
    assert refused["severity"] == 1
    assert "kwargs-dictionary" in refused["message"]

    fix, skip, everything = editor.actions(file, 5)
    assert fix["isPreferred"]
    new = applied(fix["edit"]["changes"][file.as_uri()], SOURCE)
    assert "Variable(x)\n    with torch.no_grad():\n        return net(x).data[0]" in new
    assert everything["kind"] == "source.fixAll.voltfix"
    assert [a["kind"] for a in editor.actions(file, 5, ["source.fixAll"])] == ["source.fixAll.voltfix"]

    assert skip["title"] == "voltfix: skip VF101 on this line"
    (line,) = [x for x in applied(skip["edit"]["changes"][file.as_uri()], SOURCE).splitlines() if "skip" in x]
    assert line.endswith("x = Variable(x, volatile=True)  # voltfix: skip[VF101]")

    guess = editor.actions(file, 10)[0]
    assert "not proved (kwargs-dictionary)" in guess["title"]
    assert "isPreferred" not in guess

    (left,) = editor.change(file, new)
    assert left["severity"] == 1
    assert editor.actions(file, 0) == []
    assert editor.close() == 0


def test_a_change_spans_the_files_that_it_needs(editor, tmp_path):
    wrapper = (
        "from torch.autograd import Variable\n\n\n"
        "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    )
    caller = (
        "from utils import to_var\n\n\n"
        "def run(net, x):\n    y = net(to_var(x, volatile=True))\n    print(y.data)\n"
    )
    (tmp_path / "utils.py").write_text(wrapper)
    (tmp_path / "main.py").write_text(caller)
    (found,) = editor.open(tmp_path / "main.py", caller)
    assert found["code"] == "VF102"
    changes = editor.actions(tmp_path / "main.py", 4)[0]["edit"]["changes"]
    assert set(changes) == {(tmp_path / "utils.py").as_uri(), (tmp_path / "main.py").as_uri()}
    assert "no_grad" in applied(changes[(tmp_path / "main.py").as_uri()], caller)
    assert "volatile" not in applied(changes[(tmp_path / "utils.py").as_uri()], wrapper)


def test_documents_without_a_site_and_broken_ones(editor, tmp_path):
    assert editor.open(tmp_path / "clean.py", "x = 1\n") == []
    (broken,) = editor.open(tmp_path / "broken.py", SOURCE + "def (:\n")
    assert "syntax" in broken["message"]
    assert broken["range"]["start"]["line"] == 11
    assert editor.actions(tmp_path / "broken.py", 5) == []
    assert editor.change(tmp_path / "broken.py", "x = 1\n") == []


def test_saving_a_file_renews_what_is_said_of_those_that_hang_on_it(editor, tmp_path):
    caller = "from utils import to_var\n\n\ndef run(net, x):\n    return net(to_var(x, volatile=True)).data\n"
    (tmp_path / "utils.py").write_text("def to_var(x, volatile=False):\n    return x\n")
    assert editor.open(tmp_path / "main.py", caller) == []
    (tmp_path / "utils.py").write_text(
        "from torch.autograd import Variable\n\n\n"
        "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    )
    editor.tell("textDocument/didSave", textDocument={"uri": (tmp_path / "utils.py").as_uri()})
    (found,) = editor.diagnostics(tmp_path / "main.py")
    assert found["code"] == "VF102"


def test_a_closed_document_is_forgotten(editor, tmp_path):
    file = tmp_path / "a.py"
    assert editor.open(file, SOURCE)
    editor.tell("textDocument/didClose", textDocument={"uri": file.as_uri()})
    assert editor.diagnostics(file) == []
    assert editor.actions(file, 5) == []


def test_a_document_that_is_no_file_is_left_alone(editor, tmp_path):
    document = {"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": SOURCE}
    editor.tell("textDocument/didOpen", textDocument=document)
    assert editor.open(tmp_path / "a.py", SOURCE)
    assert [note["params"]["diagnostics"] for note in editor.notes if "params" in note] == []
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    assert editor.ask("textDocument/codeAction", textDocument={"uri": document["uri"]}, range=place,
                      context={"diagnostics": []}) == []  # fmt: skip


# --- notebooks -------------------------------------------------------------------------------------------------------

CELLS = [
    "%matplotlib inline\nimport torch\nfrom torch.autograd import Variable\n",
    "def f(net, x):\n    s = '\U0001f600'; x = Variable(x, volatile=True)\n    return net(x).data[0]",
    "f(net, 1)",
]


class Notebook:
    """A notebook in an editor: its cells are documents of their own."""

    def __init__(self, editor: Editor, file: Path, cells: list[str], language: str = "python") -> None:
        self.editor, self.file, self.language = editor, file, language
        self.uris = [f"vscode-notebook-cell:{file.as_posix()}#W{number}" for number in range(len(cells))]
        editor.tell(
            "notebookDocument/didOpen",
            notebookDocument={
                "uri": file.as_uri(), "notebookType": "jupyter-notebook", "version": 1,
                "cells": [{"kind": 2, "document": uri} for uri in self.uris],
            },
            cellTextDocuments=[
                {"uri": uri, "languageId": language, "version": 1, "text": text}
                for uri, text in zip(self.uris, cells, strict=True)
            ],
        )  # fmt: skip

    def shown(self) -> list[list[dict]]:
        """What is said of each cell."""
        found = {}
        while len(found) < len(self.uris):
            message = self.editor.notes.pop(0) if self.editor.notes else self.editor._read()
            found[message["params"]["uri"]] = message["params"]["diagnostics"]
        return [found[uri] for uri in self.uris]

    def change(self, cell: int, text: str) -> None:
        document = {"uri": self.uris[cell], "version": 2}
        self.editor.tell(
            "notebookDocument/didChange",
            notebookDocument={"uri": self.file.as_uri(), "version": 2},
            change={"cells": {"textContent": [{"document": document, "changes": [{"text": text}]}]}},
        )

    def actions(self, cell: int, line: int) -> list[dict]:
        place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}}
        return self.editor.ask(
            "textDocument/codeAction", textDocument={"uri": self.uris[cell]}, range=place,
            context={"diagnostics": []},
        )  # fmt: skip


def test_a_notebook_from_opening_to_the_fix(editor, tmp_path):
    notebook = Notebook(editor, tmp_path / "n.ipynb", CELLS)
    first, (found,), last = notebook.shown()
    assert first == last == []
    column = CELLS[1].splitlines()[1].index("volatile")
    assert found["range"]["start"] == {"line": 1, "character": column + 1}  # the emoji counts as two
    assert notebook.actions(0, 1)[0]["kind"] == "source.fixAll.voltfix"
    fix, skip, _ = notebook.actions(1, 1)
    assert "  # voltfix: skip[VF101]" in applied(skip["edit"]["changes"][notebook.uris[1]], CELLS[1])
    assert list(fix["edit"]["changes"]) == [notebook.uris[1]]
    new = applied(fix["edit"]["changes"][notebook.uris[1]], CELLS[1])
    assert new.endswith("x = Variable(x)\n    with torch.no_grad():\n        return net(x).data[0]")
    notebook.change(1, new)
    assert notebook.shown() == [[], [], []]
    assert editor.close() == 0


def test_a_wrapper_in_a_file_and_its_caller_in_an_open_notebook_change_together(editor, tmp_path):
    wrapper = (
        "from torch.autograd import Variable\n"
        "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    )
    (tmp_path / "utils.py").write_text(wrapper)
    cells = ["from utils import to_var", "y = net(to_var(x, volatile=True))\nprint(y.data)"]
    notebook = Notebook(editor, tmp_path / "n.ipynb", cells)
    assert [[found["code"] for found in cell] for cell in notebook.shown()] == [[], ["VF102"]]
    changes = notebook.actions(1, 0)[0]["edit"]["changes"]
    assert set(changes) == {(tmp_path / "utils.py").as_uri(), *notebook.uris}
    assert "import torch" in applied(changes[notebook.uris[0]], cells[0])
    assert "no_grad" in applied(changes[notebook.uris[1]], cells[1])


def test_a_cell_that_does_not_parse_says_so_at_its_line(editor, tmp_path):
    notebook = Notebook(editor, tmp_path / "n.ipynb", [CELLS[0], "x = 1\nVariable(x, volatile=True\ndef (:"])
    first, (error,) = notebook.shown()
    assert first == []
    assert "syntax" in error["message"]
    assert error["range"]["start"]["line"] >= 1


@pytest.mark.parametrize("language", ["r", "markdown"])
def test_cells_in_another_language_are_left_alone(editor, tmp_path, language):
    (tmp_path / "n.ipynb").write_text("{}")
    notebook = Notebook(editor, tmp_path / "n.ipynb", CELLS, language)
    assert editor.ask("textDocument/codeAction", textDocument={"uri": notebook.uris[1]},
                      range={"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 9}},
                      context={"diagnostics": []}) == []  # fmt: skip


def test_a_closed_notebook_is_forgotten(editor, tmp_path):
    notebook = Notebook(editor, tmp_path / "n.ipynb", CELLS)
    assert notebook.shown()[1]
    editor.tell(
        "notebookDocument/didClose",
        notebookDocument={"uri": notebook.file.as_uri()},
        cellTextDocuments=[{"uri": uri} for uri in notebook.uris],
    )
    assert notebook.shown() == [[], [], []]


def test_a_notebook_that_is_saved_is_looked_at_anew(editor, tmp_path):
    cells = ["from utils import to_var", "y = net(to_var(x, volatile=True))\nprint(y.data)"]
    (tmp_path / "utils.py").write_text("def to_var(x, volatile=False):\n    return x\n")
    notebook = Notebook(editor, tmp_path / "n.ipynb", cells)
    assert notebook.shown() == [[], []]
    (tmp_path / "utils.py").write_text(
        "from torch.autograd import Variable\n"
        "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    )
    editor.tell("notebookDocument/didSave", notebookDocument={"uri": notebook.file.as_uri()})
    assert [[found["code"] for found in cell] for cell in notebook.shown()] == [[], ["VF102"]]


def test_a_cell_that_is_taken_out_shows_nothing_any_more(editor, tmp_path):
    notebook = Notebook(editor, tmp_path / "n.ipynb", CELLS)
    assert notebook.shown()[1]
    structure = {
        "array": {"start": 1, "deleteCount": 1},
        "didClose": [{"uri": notebook.uris[1]}],
    }
    editor.tell(
        "notebookDocument/didChange",
        notebookDocument={"uri": notebook.file.as_uri(), "version": 2},
        change={"cells": {"structure": structure}},
    )
    assert notebook.shown() == [[], [], []]


def test_a_hover_tells_the_decision_its_premises_and_what_to_do(editor, tmp_path):
    file = tmp_path / "a.py"
    editor.open(file, SOURCE)

    def hover(line: int, character: int) -> str | None:
        place = {"line": line, "character": character}
        found = editor.ask("textDocument/hover", textDocument={"uri": file.as_uri()}, position=place)
        return found and found["contents"]["value"]

    fixable = hover(5, SOURCE.splitlines()[5].index("volatile") + 1)
    assert "would wrap line 7 in torch.no_grad()" in fixable
    assert "voltfix rule VF101" in fixable
    assert "https://" in fixable
    refused = hover(10, SOURCE.splitlines()[10].index("**flags"))
    assert "**What to do.** Write the arguments out." in refused
    assert hover(0, 0) is None


def test_a_line_that_cannot_end_in_a_comment_is_not_offered_to_be_skipped():
    from voltfix.lsp.hover import skipping
    from voltfix.model import SiteResult

    def row(line: int) -> SiteResult:
        return SiteResult("a.py", line, 5, line, 9, None, None, "VF101", None, "refused", "held", "left as it is")

    assert skipping(row(1), "y = f(x, volatile=True)\n").new_text == "  # voltfix: skip[VF101]"
    assert skipping(row(1), "y = f(x, \\\n  1)\n") is None
    assert skipping(row(1), "y = f('''a\nb''')\n") is None
    assert skipping(row(9), "y = 1\n") is None
