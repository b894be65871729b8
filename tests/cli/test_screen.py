"""What a terminal gets to see, in colour and harmless, and what a pipe gets, byte for byte."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from voltfix.cli import interactive
from voltfix.cli.show import fold, show_diff

DIFF = b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old = '\x1b[2J'\n+new = 1\n same\n"


class Terminal(io.StringIO):
    """A screen that keeps what it was sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def on_terminal(monkeypatch) -> Callable[[], Terminal]:
    """Both streams go to a new terminal from then on (pytest puts its own in their place between the phases)."""

    def begin() -> Terminal:
        screen = Terminal()
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(sys, "stderr", screen)
        return screen

    return begin


def test_a_diff_on_a_terminal_has_its_lines_in_colour(on_terminal):
    terminal = on_terminal()
    show_diff(DIFF)
    text = terminal.getvalue()
    assert "\x1b[32m+new = 1\x1b[0m\n" in text
    assert "\x1b[31m-old" in text
    assert "\x1b[36m@@ -1 +1 @@\x1b[0m\n" in text
    assert "\n same\n" in text


def test_a_diff_cannot_steer_the_terminal(on_terminal):
    terminal = on_terminal()
    show_diff(DIFF)
    assert "\x1b[2J" not in terminal.getvalue()
    assert "\\x1b[2J" in terminal.getvalue()


def test_a_diff_is_plain_where_nobody_wants_colours(on_terminal, monkeypatch):
    terminal = on_terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    show_diff(DIFF)
    assert terminal.getvalue() == DIFF.decode().replace("\x1b", "\\x1b")


def test_prose_is_as_wide_as_the_terminal(on_terminal, monkeypatch):
    on_terminal()
    monkeypatch.setenv("COLUMNS", "20")
    assert fold("one two three four five six\n\n    code stays as wide as it is") == (
        "one two three four\nfive six\n\n    code stays as wide as it is"
    )


def test_prose_in_a_pipe_stays_as_it_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert fold("one two three four five six") == "one two three four five six"


def test_the_diff_of_a_question_is_in_colour_on_a_terminal_alone(on_terminal, monkeypatch):
    on_terminal()
    coloured = interactive._coloured("+new\n-old\n same\n")
    assert coloured == "\x1b[32m+new\n\x1b[0m\x1b[31m-old\n\x1b[0m same\n\x1b[0m"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert interactive._coloured("+new\n") == "+new\n"


def test_an_interruption_of_a_question_is_a_q(monkeypatch, capsys):
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"readline": staticmethod(interrupted)}))
    assert interactive.read_answer("Make this change? ") == "q"
    assert capsys.readouterr().err == "Make this change? q\n"
