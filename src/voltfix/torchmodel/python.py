"""One row a built-in of Python (of 2 and 3): what is known of a call of it."""

from __future__ import annotations

PLAIN = 1 << 0  # its result is no tensor, and it runs no foreign code on its arguments worth fearing
# Python 2 had it alone (those that run code they are handed are left out: apply, reduce, execfile, reload)
OF_2 = 1 << 1
MAKES_LIST = 1 << 2  # makes a container of what it goes over
ITERATES = 1 << 3  # goes over what it is given
QUIET = 1 << 4  # nothing is lost where it is not called
TELLS = 1 << 5  # what it says of a weight has no graph
KEEPS = 1 << 6  # leaves the containers that it is given as they are
ENDS = 1 << 7  # what it makes of text and numbers holds no graph
PASSES = 1 << 8  # what it gives holds what it was given
LOOKS = 1 << 9  # only looks at ``.data``
ANSWERS = 1 << 10  # gives True or False, and nothing else

BUILTINS: dict[str, int] = {
    "abs": QUIET | PASSES,
    "abs_": PLAIN,
    "all": PLAIN | QUIET | ANSWERS,
    "any": PLAIN | QUIET | ANSWERS,
    "basestring": PLAIN | OF_2,
    "bool": PLAIN | QUIET | TELLS | ENDS | LOOKS,
    "bytes": PLAIN,
    "callable": PLAIN | ANSWERS,
    "chr": PLAIN,
    "cmp": PLAIN | OF_2,
    "dict": QUIET,
    "dir": PLAIN,
    "divmod": PLAIN,
    "enumerate": ITERATES | PASSES,
    "eval": KEEPS,
    "exit": PLAIN,
    "file": PLAIN | OF_2,
    "filter": ITERATES,
    "float": PLAIN | QUIET | TELLS | ENDS | LOOKS,
    "format": PLAIN | ENDS | LOOKS,
    "frozenset": MAKES_LIST | ITERATES,
    "getattr": QUIET,
    "globals": PLAIN,
    "hasattr": PLAIN | QUIET | TELLS | ENDS | ANSWERS,
    "hash": PLAIN | ENDS,
    "hex": PLAIN,
    "id": PLAIN | TELLS | ENDS,
    "input": PLAIN,
    "int": PLAIN | QUIET | TELLS | ENDS | LOOKS,
    "intern": PLAIN | OF_2,
    "isinstance": PLAIN | QUIET | TELLS | ENDS | ANSWERS,
    "issubclass": PLAIN | QUIET | ANSWERS,
    "iter": MAKES_LIST | ITERATES | PASSES,
    "len": PLAIN | QUIET | TELLS | KEEPS | ENDS | LOOKS,
    "list": MAKES_LIST | ITERATES | QUIET | KEEPS | PASSES,
    "locals": PLAIN,
    "long": PLAIN | OF_2,
    "map": ITERATES,
    "max": ITERATES | QUIET | PASSES,
    "min": ITERATES | QUIET | PASSES,
    "next": ITERATES | PASSES,
    "open": PLAIN,
    "ord": PLAIN,
    "pprint": KEEPS,
    "print": PLAIN | TELLS | KEEPS | ENDS | LOOKS,
    "quit": PLAIN,
    "range": PLAIN,
    "raw_input": PLAIN | OF_2,
    "repr": PLAIN | TELLS | KEEPS | ENDS | LOOKS,
    "reversed": MAKES_LIST | ITERATES | PASSES,
    "round": PLAIN | QUIET | PASSES | LOOKS,
    "set": MAKES_LIST | ITERATES | QUIET,
    "slice": PLAIN,
    "sorted": MAKES_LIST | ITERATES | KEEPS | PASSES,
    "str": PLAIN | QUIET | TELLS | KEEPS | ENDS | LOOKS,
    "sum": ITERATES | QUIET | PASSES,
    "tuple": MAKES_LIST | ITERATES | QUIET | PASSES,
    "type": PLAIN | QUIET | TELLS | ENDS | LOOKS,
    "unichr": PLAIN | OF_2,
    "unicode": PLAIN | OF_2,
    "vars": PLAIN | QUIET,
    "xrange": PLAIN | OF_2,
    "zip": ITERATES | PASSES,
}


def having(trait: int) -> frozenset[str]:
    """The built-ins whose rows have the trait."""
    return frozenset(name for name, traits in BUILTINS.items() if traits & trait)


PLAIN_BUILTINS = having(PLAIN)
BUILTINS_OF_2 = having(OF_2)
LIST_BUILTINS = having(MAKES_LIST)
ITERATING = having(ITERATES)
EFFECTLESS = having(QUIET)
TELLING = having(TELLS)
HARMLESS = having(KEEPS)
ENDING = having(ENDS)
PASSING = having(PASSES)
LOOKING = having(LOOKS)
ANSWERING = having(ANSWERS)
SHOWS_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir"})  # have all that names of a function stand for
SHOWS_NAMES = SHOWS_LOCALS | {"globals"}
