"""What goes to the screen: stdout for what was asked for, stderr for everything else."""

from __future__ import annotations

import os
import sys

from voltfix.report.escape import printable

# what a line of a report begins with, and its colour: green is done or will be, yellow needs a person
_COLOURS = {
    r"^  VF\d+ refused(?: \([\w-]+(?:; only suggested)?\))?": "bold yellow",
    r"^  VF\d+ (?:suppressed|kept).*$": "dim",
    r"^  (?:\S+: )?VF\d+(?! refused| suppressed| kept)\b": "bold green",
    r"^[^ \n]+: (?:VF\d+ )?(?:fixed|would-fix)\b": "green",
    r"^[^ \n]+: (?:VF\d+ )?refused\b": "yellow",
    r"^[^ \n]+: (?:VF\d+ )?(?:suppressed|kept)\b": "dim",
    r"^[^ \n]+: error\b": "bold red",
    r"^[^ \n][^\n]*: (?=\d[\d,]* (?:fixed|to fix|refused|suppressed|kept))": "bold",
    r"^ +\d* \|": "blue",
    r"(?<=\|) +\^+$": "bold yellow",
    r"^ +-->": "blue",
    r"\[(?:cpu|cuda) [^\]\n]*\]$": "cyan",
    r"^Next: .*$": "bold cyan",
}


def say(message: str) -> None:
    """One line about the run, to stderr."""
    print(f"voltfix: {printable(message)}", file=sys.stderr)


def show(text: str, to_stderr: bool) -> None:
    """A text report; in colour where it goes to a terminal."""
    stream = sys.stderr if to_stderr else sys.stdout
    if text and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        _show_in_colour(text, to_stderr)
    else:
        stream.write(
            text.encode(stream.encoding or "utf-8", "backslashreplace").decode(stream.encoding or "utf-8")
        )
        stream.flush()


def _show_in_colour(text: str, to_stderr: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=to_stderr, soft_wrap=True, highlight=False)
    styled = Text(text, end="")
    for pattern, style in _COLOURS.items():
        styled.highlight_regex(rf"(?m){pattern}", style)
    console.print(styled, end="")


def columns() -> int | None:
    """How wide the terminal is that a report goes to; None where it goes to a file or a pipe."""
    import shutil

    if "COLUMNS" not in os.environ and not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, 40)


def fold(text: str) -> str:
    """Prose as wide as the terminal that it goes to, as it is where it goes elsewhere.

    Paragraphs and the items of lists are filled; headings, tables and indented code stay.
    """
    if not sys.stdout.isatty():
        return text
    import shutil

    width = shutil.get_terminal_size().columns
    return "\n\n".join(filled(part, width) for part in text.split("\n\n"))


def filled(part: str, width: int) -> str:
    """One paragraph, or one list, with no line wider than ``width`` but for words that are (addresses)."""
    import re
    import textwrap

    if re.search(r"(?m)^(?:    |#|\||```)", part):
        return part
    filler = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    lines = []
    for item in re.split(r"\n(?=[-*] )", part):
        filler.subsequent_indent = "  " if item[:2] in ("- ", "* ") else ""
        lines.append(filler.fill(item) if len(item) > width and " " in item[2:] else item)
    return "\n".join(lines)


def show_diff(diff: bytes) -> None:
    """A diff, byte for byte where it goes to a pipe.

    Made harmless and coloured where it goes to a terminal.
    """
    if not sys.stdout.isatty():
        out = sys.stdout.buffer
        out.write(diff)
        out.flush()
        return
    text = "".join(
        printable(line, keep="\n\t") for line in diff.decode("utf-8", "surrogateescape").splitlines(True)
    )
    if os.environ.get("NO_COLOR"):
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text, end="")
    styled.highlight_regex(r"(?m)^\+.*$", "green")
    styled.highlight_regex(r"(?m)^-.*$", "red")
    styled.highlight_regex(r"(?m)^@@.*$", "cyan")
    Console(soft_wrap=True, highlight=False).print(styled, end="")
