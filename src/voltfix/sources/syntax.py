"""Parsing that warns nobody and never crashes."""

from __future__ import annotations

import ast
import warnings


def parse(text: str) -> ast.Module | SyntaxError:
    """Parse ``text`` with today's ast; what goes wrong, too deep nesting included, comes back as a value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like: not ours to judge
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (RecursionError, MemoryError):
        return SyntaxError("the code is nested too deeply to be parsed")
    except (ValueError, UnicodeError, OverflowError) as error:
        return SyntaxError(str(error))
