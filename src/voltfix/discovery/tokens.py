"""Does a text that holds the word ``volatile`` hold it as a token: a name, or a string that is that name?

A comment says nothing, nor does prose in a string, nor a longer name that the word is a part of. What stands in an
f-string does, and what stands behind a prompt in a docstring. Cut by one regular expression rather than by the
tokenizer, which stops at the first line of Python 2; where a quote is left open, what follows counts as code.
"""

from __future__ import annotations

import re

WORD = re.compile(rb"\bvolatile\b")
_PIECE = re.compile(
    rb"""
      \#[^\r\n]*
    | (?P<prefix>(?<!\w)[A-Za-z]{0,2})
      (?: '''(?P<long>[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*)'''
        | \"\"\"(?P<longer>[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*)\"\"\"
        | '(?P<one>[^\\\r\n']*(?:\\(?:\r\n|.)[^\\\r\n']*)*)'
        | "(?P<two>[^\\\r\n"]*(?:\\(?:\r\n|.)[^\\\r\n"]*)*)" )
    | (?P<name>\bvolatile\b)
    """,
    re.VERBOSE | re.DOTALL,
)
_PROMPTED = re.compile(rb"^[ \t]*(?:>>>|\.\.\.)[^\r\n]*\bvolatile\b", re.M)
_DOCUMENTS = (".ipynb", ".md", ".markdown", ".rst")


def speaks_of_volatile(data: bytes, path: str) -> bool:
    """Is the word a token of the Python in the file at ``path``, of whatever kind that is?"""
    if WORD.search(data) is None:
        return False
    if not path.lower().endswith(_DOCUMENTS):
        return in_python(data)
    from voltfix.model import FileError
    from voltfix.sources import load

    document = load(path, data)
    # what cannot be read as the document that it should be is told of: its author may have meant a site
    if isinstance(document, FileError):
        return True
    return any(in_python(module.text.encode("utf-8", "replace")) for module in document.modules)


def in_python(data: bytes) -> bool:
    """Is the word a token of ``data``, which is Python of any age?"""
    for piece in _PIECE.finditer(data):
        kind = piece.lastgroup
        if kind == "name":
            return True
        if kind is not None and kind != "prefix" and _says_so(piece[kind], piece["prefix"]):
            return True
    return False


def _says_so(inside: bytes, prefix: bytes) -> bool:
    """Is a string that name, or code in which it stands?"""
    if WORD.search(inside) is None:
        return False
    formatted = any(letter in b"fFtT" for letter in prefix)
    return formatted or inside.strip() == b"volatile" or _PROMPTED.search(inside) is not None
