"""Every sentence that a report says of a volatile site, in one place: what was done, or why not.

A sentence starts with its verb, holds at most ``LONGEST`` characters, and uses the words of PyTorch's documentation.
What was done stands in the past; ``planned`` says the same of a run that writes nothing. A *place* is ``train.py:12``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from voltfix.records import dataclass

LONGEST = 110
_FILE = 40  # of a path in front of what it is about
_SHOWN = 3  # places in one sentence

# what voltfix does to code, and how a run that writes nothing puts it
DONE = {
    "added": "add", "cast": "cast", "decorated": "decorate", "detached": "detach", "froze": "freeze",
    "imported": "import", "kept": "keep", "named": "name", "removed": "remove", "renamed": "rename",
    "replaced": "replace", "wrapped": "wrap",
}  # fmt: skip


def planned(message: str) -> str:
    """``wrapped line 3 in ...`` → ``would wrap line 3 in ...``."""
    verb, space, rest = message.partition(" ")
    return f"would {DONE[verb]}{space}{rest}" if verb in DONE else message


def shortened(text: str, length: int) -> str:
    """The text on one line, its end cut off where it is longer than ``length``."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 3].rstrip() + "..."


def ending(place: str, length: int) -> str:
    """A place or path, its front cut off where it is longer than ``length``: whole folders, if that leaves any."""
    if len(place) <= length:
        return place
    rest = place[3 - length :]
    slash = rest.find("/")
    return f"...{rest[slash:] if slash >= 0 else rest}"


def asked_for(detail: str | None) -> str:
    """What a verifier told, without the device that nobody asked for."""
    return "; ".join(each for each in (detail or "").split("; ") if not each.startswith("cuda: is not asked for"))


def near(sentence: str, path: str) -> str:
    """A sentence for a reader of ``path``: places in that file are lines, not ``path:3``."""
    sentence = re.sub(
        r"\.\.\.([^:]+)(?=:)", lambda match: path if path.endswith(match[1]) else match[0], sentence
    ).replace(f" ({path})", "")
    if path not in sentence:
        return sentence
    return re.sub(
        rf"(?<![\w./-]){re.escape(path)}:(?:cell (\d+):)?(\d+)\b",
        lambda match: f"cell {match[1]}, line {match[2]}" if match[1] else f"line {match[2]}",
        sentence,
    )


def _listed(places: Sequence[str]) -> str:
    """``lines 3-5, lines 9-10 and line 12``."""
    return " and ".join(filter(None, (", ".join(places[:-1]), places[-1])))


# --- what was done ---------------------------------------------------------------------------------------------------

How = Literal["wrapped", "call", "detached", "whole", "mode", "constant", "condition", "frozen", "asked"]


@dataclass(frozen=True)
class Done:
    """One thing that was done for a site: how, at which lines, with what."""

    how: How
    at: str
    text: str = ""


def all_of(done: Sequence[Done]) -> str:
    """One sentence on what was done for a site; blocks come before single calls, which share their line or follow."""
    blocks = [each for each in done if each.how == "wrapped" and done[0].how not in ("frozen", "asked")]
    first = (blocks or list(done))[0]
    if first.how == "wrapped":
        under: dict[str, list[str]] = {}
        for each in dict.fromkeys(blocks):
            under.setdefault(each.text, []).append(each.at)
        return _with_others(under)
    if first.how == "mode":
        return replaced_by_mode(first.text)
    texts = {"constant": replaced_by_constant, "condition": replaced_by_condition, "frozen": frozen,
             "asked": removed_as_asked}
    places = {"call": wrapped_call, "detached": detached, "whole": whole_function}
    return texts[first.how](first.text) if first.how in texts else places[first.how](first.at)


def _with_others(under: Mapping[str, Sequence[str]]) -> str:
    """By header, the stretches under it: each is said under its own, if there is room for all of them."""
    (header, stretches), *others = under.items()
    said = wrapped(stretches, header)
    more = [f" and {_listed([ending(each, 30) for each in theirs])} in {other}" for other, theirs in others]
    if others and len(said) + sum(map(len, more)) > LONGEST:
        count = sum(len(theirs) for _, theirs in others)
        more = [f" and {count} more in other blocks"]
        said = shortened(said, LONGEST - len(more[0]))
    return said + "".join(more)


def wrapped(stretches: Sequence[str], header: str) -> str:
    """Statements went into a block. ``stretches``: ``lines 3-5``, or ``train.py: lines 3-5``."""
    if len(stretches) <= _SHOWN:
        return shortened(f"wrapped {_listed([ending(each, 30) for each in stretches])} in {header}", LONGEST)
    room = LONGEST - len(f"wrapped  and {len(stretches)} more in ") - len(header)
    shown = next(n for n in range(len(stretches), 0, -1) if n == 1 or len(_stretches(stretches[:n])) <= room)
    more = f" and {len(stretches) - shown} more" if shown < len(stretches) else ""
    return shortened(f"wrapped {_stretches(stretches[:shown])}{more} in {header}", LONGEST)


def _stretches(stretches: Sequence[str]) -> str:
    """``lines 3-5, 8, b.py: lines 3-4``: each file and the word for its lines once."""
    files: dict[str, list[str]] = {}
    for each in stretches:
        file, _, numbers = ending(each, 30).rpartition(" ")
        files.setdefault(file.removesuffix("lines").removesuffix("line"), []).append(numbers)
    return ", ".join(
        f"{file}{'line' if len(found) == 1 and found[0].isdecimal() else 'lines'} {', '.join(found)}"
        for file, found in files.items())


def wrapped_call(stretch: str) -> str:
    """One call runs under no_grad."""
    return f"wrapped the call at {ending(stretch, 50)} in torch.no_grad()"


def detached(stretch: str) -> str:
    """One result is detached."""
    return f"detached the result at {ending(stretch, 50)}"


def whole_function(stretch: str) -> str:
    """A whole function runs under no_grad."""
    return f"decorated the function at {ending(stretch, 50)} with @torch.no_grad()"


def removed_default(flag: str) -> str:
    """``volatile=False`` went."""
    return f"removed {shortened(flag, 40)}: it is the default"


def removed_cure(flag: str) -> str:
    """``x.volatile = False`` went."""
    return f"removed {shortened(flag, 40)}: what follows a block builds its graph"


def removed_on_data(flag: str) -> str:
    """A flag went that was written to data, of which a Variable was made then."""
    return f"removed {shortened(flag, 40)}: the Variable is made after it, without it"


def removed_in_no_grad(flag: str) -> str:
    """A flag went that never did anything: it stands in a block that came after volatile was gone."""
    return f"removed {shortened(flag, 40)}: torch.no_grad() is around it already"


def removed_idle(flag: str, users: Sequence[str] = (), labels: bool = False) -> str:
    """A flag went under which no graph can come to be: of labels, or of what nobody computes with."""
    if not users:
        return f"removed {shortened(flag, 40)}: nothing computes with the tensor"
    shown = [shortened(user, 36 if len(users) == 1 else 16) for user in users[: 2 if len(users) == 2 else 1]]
    named = " and ".join([*shown, *([f"{len(users) - 1} others"] if len(users) > 2 else [])])
    if labels:
        return f"removed {shortened(flag, 24)}: only labels of {named}, which build no graph"
    takes = "takes" if len(users) == 1 else "take"
    return f"removed {shortened(flag, 24)}: it changes nothing here, only {shortened(named, 26)} {takes} the tensor"


def removed_never_on(flag: str) -> str:
    """A flag went that is a condition, and the condition never holds."""
    return f"removed {shortened(flag, 40)}: it is False on every path"


def removed_as_copied(flag: str) -> str:
    """A flag went that is on where what it is copied from is, and that is nowhere but in blocks."""
    return f"removed {shortened(flag, 40)}: torch.no_grad() is around where it is on"


def removed_unasked(flag: str) -> str:
    """A flag went that callers decide, and that none of them sets."""
    return f"removed {shortened(flag, 40)}: every call leaves it off"


def removed_with_parameter() -> str:
    """An argument and the parameter that took it went."""
    return "removed the argument together with the parameter that took it"


def removed_handed_flag() -> str:
    """The argument of a wrapper whose parameter stays."""
    return "removed the argument: nothing uses the flag now"


def kept_argument(why: str) -> str:
    """An argument stays, for the parameter that takes it does."""
    return shortened(f"kept the parameter: {why}", LONGEST)


def replaced_by_mode(negation: str) -> str:
    """A read of ``.volatile`` asks for grad mode now; ``negation`` is ``not`` and a space, or nothing."""
    return f"replaced .volatile by {negation}torch.is_grad_enabled()"


def replaced_by_constant(answer: str) -> str:
    """A read of ``.volatile`` that always answers the same."""
    return f"replaced .volatile by {shortened(answer, 20)}: it is always {shortened(answer, 20)} here"


def replaced_by_condition(text: str) -> str:
    """A read of ``.volatile`` became the condition that it was set from."""
    return f"replaced .volatile by its condition, {shortened(text, 50)}"


def removed_copy() -> str:
    """A read went with the flag that was copied from it."""
    return "removed .volatile together with the flag that copied it"


def frozen(enabled: str) -> str:
    """The parameters of a network were frozen by their flag."""
    return f"replaced the flag by requires_grad_({shortened(enabled, 60)})"


def removed_as_asked(flag: str) -> str:
    """``p.requires_grad`` says what the flag said."""
    return f"removed {shortened(flag, 40)}: requires_grad of the weights is the same"


# why a parameter stays


def signatures_stay() -> str:
    """The command line says so."""
    return "--keep-signatures says so"


def is_importable(path: str) -> str:
    """A public function of an installable package."""
    return f"{ending(path, 40)} is importable (--break-api removes it)"


def has_other_callers() -> str:
    """Not all callers can be seen."""
    return "not all of its callers are known"


def is_overridden() -> str:
    """A method of that name in other classes."""
    return "other classes define the same method"


def may_be_asked() -> str:
    """A change was chosen by running, and the parameter did not go with it."""
    return "the function uses it, or may"


def is_catch_all() -> str:
    """Why a parameter stays: it is ``**kwargs``."""
    return "it may hold other keywords"


def is_used() -> str:
    """It does more than carry the flag."""
    return "the function still uses it"


def is_outside() -> str:
    """The function, or a caller, is not to be edited."""
    return "it needs an edit outside the paths given"


# --- what was chosen by running it ---------------------------------------------------------------------------------


def removed_tried(flag: str) -> str:
    """A flag went, and nothing came instead: with and without it, all that was run did the same."""
    return f"removed {shortened(flag, 40)}: in all that was run, the code does the same without it"


# --- what is right as it is ------------------------------------------------------------------------------------------


def works_on_both() -> str:
    """A shim."""
    return "kept as it is: works with and without volatile"


def skipped() -> str:
    """By a comment."""
    return "left alone, as a voltfix: skip comment says"


def not_selected(code: str) -> str:
    """By ``--select`` or ``--ignore``."""
    return f"left alone, as {code} is not selected"


def ignored_in_file(code: str) -> str:
    """By ``per-file-ignores``."""
    return f"left alone, as per-file-ignores leaves {code} out here"


def declined() -> str:
    """By an answer of ``--interactive``."""
    return "left alone, as you answered no, or not at all"


def declined_beside() -> str:
    """It hangs on a change that an answer of ``--interactive`` left alone."""
    return "left alone, together with a change that is left alone"


def postponed(limit: int) -> str:
    """By ``--max-changes``."""
    return f"left for later, as --max-changes {limit} is reached"


# --- why not: the program -------------------------------------------------------------------------------------------


def held() -> str:
    """The site has to stay as it is."""
    return "left as it is"


def outside_paths(path: str) -> str:
    """A file that is not to be edited."""
    return f"needs an edit in {ending(path, 50)}, which is outside the paths given"


def in_mapping() -> str:
    """``Variable(x, **options)``."""
    return "takes the flag from a ** dictionary whose keys are not known"


def maybe_variable() -> str:
    """What is called may be something else."""
    return "calls torch's Variable or something else: cannot tell which"


def unresolved_call() -> str:
    """Which function is called is not certain."""
    return "calls a function that may be one of several: cannot tell which"


def too_complex(place: str, grown: str) -> str:
    """The analysis gave up on a function. ``place``: ``train.py: evaluate``; ``grown``: what took all of the budget."""
    return f"gave up on {ending(place, 40)}: {shortened(grown, 44)}"


def left_out(place: str, grown: str, given_up: str) -> str:
    """What was forgotten for want of budget would have decided."""
    said = f"left out {shortened(given_up, 34)} at {ending(place, 24)}"
    return f"{said}: {shortened(grown, 34)}" if grown else said


def untold(place: str) -> str:
    """Whether what is computed at a place is volatile is known neither way, by what was recorded on 0.3."""
    return f"cannot tell what is volatile at {ending(place, 40)}"


def never_reached() -> str:
    """No run of the analysis came here."""
    return "found no call that reaches this line"


def no_tensor() -> str:
    """``thing.volatile = ...``."""
    return "writes to .volatile of what may not be a tensor"


def rests_on_nothing() -> str:
    """A decision without a premise."""
    return "stopped: cannot tell that nothing changes without the flag; please report this"


def raised(place: str) -> str:
    """0.3 would have raised."""
    return f"needs a gradient of a volatile tensor at {ending(place, 40)}: PyTorch 0.3 raised there"


def demanded(place: str) -> str:
    """A gradient of what unknown code made of a volatile tensor."""
    return f"needs a gradient of what unknown code returns for a volatile tensor at {ending(place, 30)}"


def kept_in_attribute(name: str, place: str) -> str:
    """The value is kept, and what ``place`` reads may be it; either may be empty."""
    kept = f".{shortened(name, 20)}" if name else "an attribute"
    return f"keeps the volatile tensor as {kept}: {ending(place, 40) or 'unknown code'} may read it"


def kept_in_global(path: str, name: str) -> str:
    """The value is kept in the module, and read by others."""
    kept = shortened(name, 16) if name else "a global"
    return f"keeps the volatile tensor in {kept} ({ending(path, 20)}): functions without a known caller read it"


def put_into(parameter: str, called: bool, public: bool) -> str:
    """The value goes into what a caller handed in, and nobody sees the callers, or others than those that are seen."""
    return f"keeps the volatile tensor in {shortened(parameter, 40)}, and {_unknown_callers(called, public)}"


def returned(function: str, called: bool, public: bool) -> str:
    """The value leaves a function whose callers nobody sees, or others than those that are seen."""
    named = function if len(function) <= 35 else function.rpartition(".")[2]
    unknown = _unknown_callers(called, public)
    return f"returns the volatile tensor from {shortened(named or 'the module', 35)}, and {unknown}"


def _unknown_callers(called: bool, public: bool = False) -> str:
    if public:
        return "other code can import that"
    return "not every caller is known" if called else "no caller is known"


def unknown_result(place: str) -> str:
    """Unknown code was given something volatile and a graph, and what it gave leaves."""
    return f"returns what unknown code gives for a volatile tensor and others at {ending(place, 40)}"


def by_its_name(place: str) -> str:
    """A method of something unknown, taken for the only one of that name."""
    return f"calls a method by its name on an unknown object at {ending(place, 50)}"


def others_may_call() -> str:
    """A public function of a package that others install."""
    return "returns the volatile tensor from a function that other code can import"


def written_flag_refused(place: str) -> str:
    """The tensor's own flag was refused."""
    return f"writes to a tensor whose flag at {ending(place, 50)} was refused"


def handed_flag_refused(place: str) -> str:
    """The function that takes the flag was refused."""
    return f"hands the flag to {ending(place, 60)}, where it was refused"


def still_passed(place: str) -> str:
    """What a helper says with its parameter, while one call is left that hands a flag in."""
    return f"keeps the flag for {ending(place, 60)}, which still passes it"


def asked_by_block() -> str:
    """A block in a helper asks the parameter that the argument of a call is for."""
    return "hands the flag to a function that a block in it depends on"


def parameter_written() -> str:
    """``def f(x): x.volatile = True``."""
    return "writes to .volatile of a parameter, and no caller is known"


def unknown_origin() -> str:
    """Where the tensor was made is not known."""
    return "writes to .volatile of a tensor that comes from unknown code"


def not_a_leaf() -> str:
    """``.volatile`` of a result that nothing makes volatile."""
    return "writes to .volatile where nothing is volatile: PyTorch 0.3 raised there if the tensor needs a gradient"


def set_on_network(place: str, method: str) -> str:
    """``net.volatile = True`` beside ``net.eval()``: on 0.3 a plain attribute of a module, which nothing asked for."""
    asked = f"{ending(place, 22)} calls .{shortened(method, 14)}()"
    return f"writes to .volatile of what is not a tensor ({asked}): it does nothing"


def parameters_written_beside() -> str:
    """``p.frozen = p.volatile = True``."""
    return "writes the flag of weights together with something else"


def some_parameters() -> str:
    """One volatile parameter was enough."""
    return "writes the flag of some weights, and every result is volatile"


def parameters_by_turns() -> str:
    """Of different networks, or of one at different times."""
    return "writes the flag of weights whose requires_grad is not always the same"


def parameters_asked(place: str) -> str:
    """Whether they required grad before is not known."""
    return f"depends on requires_grad of the weights, which {ending(place, 40)} sets too"


def effect_lost() -> str:
    """What is computed for the flag may do more than that."""
    return "computes the flag with a call that may also do something else"


def read_differs() -> str:
    """A read of ``.volatile`` that nothing answers today."""
    return "reads .volatile, which neither grad mode nor a condition gives here"


def read_of_call() -> str:
    """What is asked for ``.volatile`` does more than that: ``next(batches).volatile``."""
    return "reads .volatile of what an expression makes there and then, and that has to run"


def is_read(stretch: str) -> str:
    """The flag is read where nothing answers today."""
    return f"decides .volatile at {ending(stretch, 50)}, which cannot be replaced"


def read_beside(place: str) -> str:
    """Grad mode answers a read of whatever comes along only where no flag stays."""
    return f"reads .volatile, which grad mode gives only where the flag at {ending(place, 40)} goes"


def hook_asks(place: str) -> str:
    """A forward hook asks for a flag that its layer may be given, where grad mode does not say the same."""
    return f"reads .volatile where a hook may run, and grad mode may differ at {ending(place, 40)}"


def hook_reads(place: str, calls: int) -> str:
    """A forward hook reads the flag of what a layer is given, and nothing answers that today.

    ``calls``: over how many calls it comes to the read.
    """
    if calls:
        return f"decides .volatile at {ending(place, 35)}, which a hook may call and which cannot be replaced"
    return f"decides .volatile in a forward hook at {ending(place, 40)}, which cannot be replaced"


def copied_from_parameter(handed: bool) -> str:
    """``volatile=x.volatile`` of a parameter; ``handed``: callers are seen, and perhaps not all of them."""
    callers = _unknown_callers(True) if handed else "no caller is known to hand over a volatile tensor"
    return f"copies the flag of a parameter, and {callers}"


def copies_refused(place: str) -> str:
    """``volatile=x.volatile`` of something that a flag which stays has made."""
    return f"copies a flag that may come from {ending(place, 50)}, which was refused"


def parameters_switched() -> str:
    """A method that only writes the flags of parameters, and that nobody calls."""
    return "writes to .volatile of weights, and no caller is known"


def by_star() -> str:
    """``def f(x, *args): Variable(x, *args)``, ``f(x, False, True)``."""
    return "hands the flag to a function that takes it in *args, without its name"


def keywords_unseen() -> str:
    """``def f(x, **kwargs): Variable(x, **kwargs)``."""
    return "takes the flag from keywords of callers that are not known"


_UNCOVERED = {
    "mixed-statement": "mixes volatile tensors with ones that need a graph in one statement",
    "state-mixed": "keeps tensors on self that are volatile after some calls and not after others",
    "unknown-callee": "passes a volatile tensor and one with a graph to unknown code",
    "unseen-callers": "passes unknown code a function that holds a volatile tensor",
    "escapes-by-attribute": "makes an object that keeps a volatile tensor by a name that is not seen",
    "forward-hook": "runs a forward hook that needs the graph of its weights",
    "other-thread": "computes in another thread, or may, outside of a block here",
    "write-into-graph": "writes a volatile tensor into a tensor that has a graph",
    "lazy-evaluation": "computes in a generator expression, which runs outside of a block",
    "yield-in-region": "needs a block that holds yield or await",
    "condition-not-repeatable": "depends on a condition that cannot be asked again here",
}


def uncovered(reason: str, place: str) -> str:
    """What no block can cover, by the reason word."""
    return f"{_UNCOVERED[reason]} ({ending(place, 30)})"


def holds_both(place: str) -> str:
    """A statement goes over something that nobody has seen: of its parts each may be volatile, or have a graph."""
    return f"takes parts of what may hold volatile tensors and ones with a graph ({ending(place, 30)})"


def runs_hook(place: str, hook: str) -> str:
    """A layer may run a hook that needs the graph of its weights: both are named."""
    return f"runs the hook at {ending(hook, 35)}, which needs a graph ({ending(place, 30)})"


def may_train(place: str, *, given: bool) -> str:
    """A statement that needs a block runs unknown code; ``given``: on the volatile tensor itself."""
    said = "passes a volatile tensor to code that may need a graph of its own" if given else (
        "uses volatile tensors and calls code that may need a graph in one statement")
    return f"{said} ({ending(place, 30)})"


def keeps_graph(place: str) -> str:
    """Under all blocks that were found, a graph would be built that 0.3 did not build."""
    return f"needs a block at {ending(place, 50)}, and none was found that fits"


def loses_graph(place: str) -> str:
    """Under all blocks that were found, a graph would be missed; ``place``: what makes it."""
    return f"needs a block that would drop the graph that {ending(place, 40)} makes"


# --- why not: a check ------------------------------------------------------------------------------------------------


def held_together() -> str:
    """Another site of the change stays."""
    return "shares an edit with a site that is left as it is"


def half_of_a_change(place: str) -> str:
    """A flag without effect, beside one that is refused."""
    return f"shares its use with the flag at {ending(place, 50)}, which was refused"


def differs(detail: str | None, files: Sequence[str] = ()) -> str:
    """The verifier found a difference in a change of these files: the only one needs no name beside its own site."""
    told = asked_for(detail)
    for path in files:
        if told.startswith(f"{path}: "):
            told = told.removeprefix(f"{path}: ") if len(files) == 1 else told.replace(path, ending(path, _FILE), 1)
            break
    return shortened(f"took it back: {told or 'the results before and after differ'}", LONGEST)


def differs_beside() -> str:
    """The verifier found a difference in another change of the same function."""
    return "took it back with another change of the same function, which failed verification"


def not_written() -> str:
    """The file system refused."""
    return "could not write the file"


def changed_apart() -> str:
    """Two parts of a project disagree on a file."""
    return "needs a file that another part of the project changes too: run voltfix again"


def not_reached() -> str:
    """--time-limit was over before."""
    return "left as it is: stopped at --time-limit before this"


def fault(what: str) -> str:
    """A fault of voltfix's own."""
    return f"{shortened(f'stopped: {what}', LONGEST - len('; please report this'))}; please report this"
