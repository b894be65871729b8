"""Where tokens end that hold others, in Python of all ages."""

from __future__ import annotations

import pytest

from voltfix.sources import syntax
from voltfix.sources.lexer import lex


def pieces(text: str, *, magics: bool = False) -> list[tuple[str, str]]:
    return [(token.kind, text[token.start : token.end]) for token in lex(text, magics=magics)]


@pytest.mark.parametrize(
    "string",
    [
        r'f"\N{DIGIT ONE} {x}"',
        r'f"\N{never closed"',
        r'rf"\N{x} \{y}"',
        r'f"\{x} \" {y}"',
        r'f"{{ {x!r:>{width}.{digits}} }}"',
        'f"{x["key"]}"',
        "f'{f\"{f'{x}'}\"}'",
        'f"""{\n  x  # }\n}"""',
        'f"{x:{y"',
        'f"{x:"',
        'f"{x:' + "{x:" * 40 + '"',
        "f'" + "{x:" * 40 + "y" + "}" * 40 + "'",
    ],
)
def test_a_formatted_string_ends_at_its_quote(string: str) -> None:
    assert pieces(f"{string} # volatile") == [("string", string), ("space", " "), ("comment", "# volatile")]


@pytest.mark.parametrize("string", ["'never closed", 'f"{x', "f'{x:\\n"])
def test_a_string_that_is_never_closed_ends_with_its_line(string: str) -> None:
    (kind, text), *rest = pieces(f"{string}\nx = 1\n")
    assert (kind, text) == ("error", string)
    assert ("name", "x") in rest


@pytest.mark.parametrize(
    ("text", "magics"),
    [
        ("%time \\\nf(x)\nx = 1\n", ["%time ", "f(x)"]),
        ("!ls \\\n    -l \\\n\\\n    -a\nx = 1\n", ["!ls ", "-l ", "-a"]),
        ("!ls \\\n\nx = 1\n", ["!ls "]),
        ("!ls \\\n   \nx = 1\n", ["!ls "]),
    ],
)
def test_a_magic_goes_on_behind_a_backslash(text: str, magics: list[str]) -> None:
    found = pieces(text, magics=True)
    assert [piece for kind, piece in found if kind == "magic" and piece] == magics
    assert "".join(piece for _, piece in found) == text
    assert ("name", "x") in found


@pytest.mark.parametrize("text", ["x = '\0'", "'\ud800'", "(" * 5000, "-" * 100_000 + "1", "x = = 1"])
def test_what_does_not_parse_is_an_error_that_nobody_has_to_catch(text: str) -> None:
    assert isinstance(syntax.parse(text), SyntaxError)
