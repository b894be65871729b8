"""Why something was not run: every cause is one of eight, known by how its sentence goes. Standard library alone."""

from __future__ import annotations

# word -> (what it means, pieces of the sentences that say it)
CAUSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "never-on": (
        "a flag was never on (or never off) in what was run, or a read of it had one answer only",
        ("the flag was never ", "`.volatile` was never "),
    ),
    "guess": (
        "it is the same as far as the text says, and different under something that is only guessed",
        ("(given settings that are not ", "(given the network of this project ", "(given volatile parameters)",
         "(given parameters that require grad)",
         "(given what is missing here)", "(given numbers that are not so",
         "(given that what is called has parameters", "is neither a Variable nor a tensor)",
         "(given that what is called is the method",
         "(given that what is called is not the method", "were asked different questions"),
    ),
    "near-miss": (
        "a block taken out, or one statement longer, would have looked the same",
        ("it would look the same", "nothing in the block of ", "nothing that is volatile by "),
    ),
    "not-reached": (
        "no run came by a changed line, or none came to its end",
        ("comes by", "no way through it came to an end", "nothing that can be run on its own", "no function is in both",
         "coroutines are not run", "is on one side only"),
    ),
    "limit": (
        "it takes more operations, time or memory than a run may have",
        ("more than ", "ran longer than ", "used up its ", "recursion without end", "did not answer within"),
    ),
    "forbidden": (
        "the code reaches for the interpreter's insides",
        ("code that reaches for ", "code that writes ", "code that makes classes ", "the type of a class is not given"),
    ),
    "not-followed": (
        "stand-ins do not have what the code asks of them, or the code raises an error of its own",
        ("the stand-ins do not ", "the code stops at ", "is not known",
         "a loop that only a return ends", "on the key of an unknown dictionary",
         "super() of something", "the verifier failed"),
    ),
    "not-here": (
        "no torch, no such device, no sandbox, or a text that does not parse",
        ("torch", "CUDA", "sandbox", "the runner", "its process", "no verdict came", "syntax", "was lost"),
    ),
}  # fmt: skip


def word_of(detail: str | None) -> str:
    """The word for the cause that a detail tells."""
    for word, (_, pieces) in CAUSES.items():
        if any(piece in (detail or "") for piece in pieces):
            return word
    return "not-here"
