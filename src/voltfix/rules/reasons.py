"""What the reasons of refusals mean, and what a person can do about each."""

from __future__ import annotations

_NUMBER = (
    "Where the line says .data[0]: print the .dim() of what stands before .data in a run, and where that is 0, write "
    ".item() for .data[0]; otherwise leave it."
)
_DIM = (
    "softmax and its like without dim may stay: torch chooses as PyTorch 0.3 did, and warns. To end the warning, print "
    "the .dim() of the argument in a run: for 0, 1 or 3 write dim=0, otherwise dim=1. To leave it so, end the line in "
    "# voltfix: skip."
)
REASONS: dict[str, str] = {
    # VF1xx
    "caller-not-resolved": "Which function of the project is called is not certain. Make the call plain, "
    "or migrate by hand.",
    "condition-not-repeatable": "Whether the value is volatile hangs on a condition that has changed, or "
    "has effects, "
    "by the time the block would ask it. Keep its value in a variable.",
    "escapes-by-attribute": "The value is kept as an attribute, and code that was not followed reads that.",
    "escapes-by-global": "The value is kept in a variable or a container of the module, and functions that were not "
    "followed read that.",
    "forward-hook": "A forward hook of the project computes with weights, whose graph a block would take away, or "
    "reads the flag.",
    "gradient-demanded": "Something needs a gradient through what looks volatile; on 0.3 that would have "
    "raised. "
    "The guess of volatility is wrong somewhere: look at the lines named.",
    "held": "It hangs on another site that was refused, skipped or taken back. See to that one first.",
    "held-together": "It shares an edit with a site that is left as it is.",
    "internal-error": "A fault of voltfix; nothing was written. Please report it.",
    "kwargs-dictionary": "The flag comes out of a ** dictionary whose contents cannot be told.",
    "lazy-evaluation": "A generator expression computes later, where a block around it does not reach. Make it a list.",
    "mixed-statement": "One statement computes on volatile values and on values that need a graph. Split it.",
    "not-a-leaf": "`.volatile` is written to a result that nothing in view makes volatile: 0.3 raised there if it "
    "required grad, and on today's torch it would keep its graph. Say what is meant: .detach(), or nothing.",
    "not-analysed": "The place is outside what the analysis follows.",
    "not-provable": "No arrangement of blocks was found that does what 0.3 did for every value.",
    "not-reached": "--time-limit ran out before this. Give it more time, or fewer paths at once.",
    "not-written": "The file could not be written.",
    "other-thread": "What it goes to runs in another thread, or may: a block around the call does not reach it.",
    "outside-paths": "The change needs an edit in a file that was not among the paths given. Give the whole project.",
    "state-mixed": "What other methods leave on self is volatile or not, by calls that are not seen here.",
    "too-complex": "The function has more paths than voltfix follows. Cut it into smaller ones.",
    "unknown-callee": "Something unknown gets a volatile value and one with a graph; whether its result "
    "keeps the "
    "graph cannot be told.",
    "unknown-origin": "Where the tensor comes from whose flag is read or written is not known.",
    "unseen-callers": "Callers that nobody here can see would lose the effect. --break-api accepts that.",
    "verification-failed": "Run before and after, the code did different things; the change was rolled back.",
    "volatile-read": "What .volatile answered here is neither grad mode nor a condition in reach.",
    "write-into-graph": "A volatile value is written into a tensor that has a graph; no block does what 0.3 did.",
    "yield-in-region": "A block must not hold a yield or await: grad mode would leak to the consumer.",
    # VF2xx
    "arithmetic-on-masks": "Comparisons are bool today: `+` of two is \"or\", and `-` raises. Cast them with "
    ".byte() where they are counted; leave them where they mask.",
    "gradient-may-be-asked": "A sum of losses keeps the graph of every step, and is handed on to where it "
    "cannot be seen whether gradients are asked of it. Add .detach() or .item() where none are.",
    "may-carry-a-graph": "The value has no dimensions any more, so [0] raises, but .item() would end its "
    "graph. "
    "Drop the [0] where the graph matters.",
    "other-use": "Variable is used as a value: handed on, or derived from. torch.Tensor may be meant.",
    "own-async-parameter": "A function of the project has a parameter called async, which is a keyword "
    "today. "
    "Rename it together with its callers.",
    "may-be-a-table": "Lines that are taken apart may all have as many words, as those of a table have, and NumPy "
    "makes an array of text of them. --unsafe-fixes writes dtype=object, and voltfix repair where a run stops here.",
    "may-be-no-tensor": "Only the use of the value says that it is a tensor, and other objects are used so, too; or "
    "it may be a number instead. --unsafe-fixes writes the edit, and voltfix repair where a run shows it.",
    "removed-function": "The function is gone, and its successor takes other arguments or gives other results. Its "
    "page in the documentation of PyTorch names the successor.",
    "target-too-old": "What would be written does not exist in the torch that --torch-version names. Name a newer one.",
    "unknown-shape": f"How many dimensions the value has cannot be shown. {_NUMBER} {_DIM}",
    "unresolved-arguments": "Arguments come by * or **, or depend on values that are not written out. Write them out, "
    "or look up what they are and make the edit by hand.",
}

# what a reason means where one rule gives it, if other rules give it for other things
OF_RULE: dict[tuple[str, str], str] = {
    ("VF202", "unknown-shape"): f"How many dimensions the value has cannot be shown. {_NUMBER}",
    ("VF206", "unknown-shape"): f"How many dimensions the argument has cannot be shown. {_DIM}",
}

# what doctor finds and no rule rewrites: the words in its brackets
OBSTACLES: dict[str, str] = {
    "integer-division": "Whole numbers are divided. PyTorch 0.3 left no rest, today / gives fractions. Write // where "
    "the result is an index or a count, and / where it is a share of something; then end the line in # voltfix: skip.",
    "old-style-function": "An autograd.Function with methods that are not static no longer runs. Make forward and "
    "backward static, give them ctx for self, and call the class by .apply: PyTorch documents that as extending it.",
    "private-name": "A private part of PyTorch is gone. Find out what it did there, and use its public successor.",
    "python-2": "Python 3 lacks this, or reads it otherwise. Write what the line names, unless the method is one of "
    "your own classes; voltfix repair mends most of it while the program runs.",
    "ragged-array": "NumPy makes no array of lists of different lengths today. Give dtype=object, or keep the list.",
    "removed-module": "The module is gone. The line says what took its place, where something did.",
    "removed-name": "The name is gone. The line says what took its place, where something did.",
    "unreadable": "The file could not be read or parsed. Mend that first: nothing in it was looked at.",
}
