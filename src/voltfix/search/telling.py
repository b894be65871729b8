"""What a candidate does, as the sentences of reports have it."""

from __future__ import annotations

from voltfix.model import NO_TIME, Candidate, Decorate, Edit, WrapStatements, file_of
from voltfix.rules import messages, premises
from voltfix.rules.messages import Done
from voltfix.search.draft import Draft
from voltfix.search.group import Place
from voltfix.search.scene import Scene, Scenes


def done_by(draft: Draft, place: Place, scenes: Scenes) -> str:
    """One sentence on what a draft does for a site."""
    done = [each for path, edits in draft.edits for edit in edits
            if (each := _done(edit, scenes.of(path), place.site.path)) is not None]
    if done:
        return messages.all_of(sorted(done, key=lambda each: (":" in each.at, each.text != done[0].text)))
    if draft.strategy == "detach":
        return messages.detached(f"line {place.scene.line(place.node)}")
    span = place.site.span
    return messages.removed_tried(" ".join(place.scene.module.text[span.start : span.end].split()))


def _done(edit: Edit, scene: Scene, read_in: str) -> Done | None:
    """A block, or a decorator; what keeps its graph beside it is no part of the sentence, but of the evidence."""
    file = "" if scene.module.path == read_in else f"{file_of(scene.module.path)}: "
    if isinstance(edit, WrapStatements) and not edit.header.endswith("enable_grad()"):
        first, last = _line(scene, edit.first.start), _line(scene, edit.last.end)
        return Done("wrapped", f"{file}lines {first}-{last}" if last != first else f"{file}line {first}", edit.header)
    if isinstance(edit, Decorate):
        return Done("whole", f"{file_of(scene.module.path)}:{_line(scene, edit.function.start)}")
    return None


def kept_graphs(draft: Draft, scenes: Scenes) -> list[str]:
    """The evidence for what a draft turns gradients on again for: what trains, and may be called in one of its blocks.
    """
    found = []
    for path, edits in draft.edits:
        for edit in edits:
            if isinstance(edit, WrapStatements) and edit.header.endswith("enable_grad()"):
                scene = scenes.of(path)
                first, last = _line(scene, edit.first.start), _line(scene, edit.last.end)
                lines = f"lines {first}-{last}" if last != first else f"line {first}"
                found.append(premises.covered(f"{file_of(path)}: {lines}", edit.header))
    return found


def _line(scene: Scene, offset: int) -> int:
    return scene.module.origin(scene.module.text.count("\n", 0, offset) + 1)[1]


def not_proved() -> str:
    """Why what was chosen is not called proved."""
    return "was not proved, but chosen by running it"


def chosen(runs: int, tried: int, wrong: int) -> str:
    """The evidence for a candidate that was taken."""
    ways = "1 way" if runs == 1 else f"{runs:,} ways"
    others = f"; {wrong} of the others {'was' if wrong == 1 else 'were'} not" if wrong else ""
    return f"chosen of {tried} candidate{'s' if tried > 1 else ''} by running them: the same on {ways}{others}"


def idle() -> str:
    """The evidence for an argument that stays."""
    return "what took the flag no longer reads it"


def beside(how: str) -> str:
    """A candidate that was run with what is changed there already, while its patch is shown alone."""
    return f"{how}, run with the other changes of the file in place"


def no_time() -> str:
    """A candidate that was not tried."""
    return NO_TIME


def only_suggested() -> str:
    """The evidence for what is written because somebody wanted it."""
    return "nothing shows that it is right: it was wanted all the same"


# why a candidate that does the same as before is not taken


def shows_nothing() -> str:
    """Runs that would have been the same with another patch."""
    return "nothing that was run depends on it"


def fails_as_before() -> str:
    """On 0.3 the function raised, and so it does now."""
    return "a function raises an error on every way through it, as PyTorch 0.3 did for a volatile tensor"


def untried() -> str:
    """There was no time for all."""
    return f"other patches were not tried, since {NO_TIME}"


def several() -> str:
    """Two that do the same as before, and not the same as each other."""
    return "another patch does the same, too, and the two differ from each other"


def out_of_sight() -> str:
    """The value leaves what can be run."""
    return "code that was not run may use the tensor"


def went_to(what: str) -> str:
    """The value got to something that is not in view: nothing that was run shows what that does with it."""
    return f"nothing that was run shows what `{what}` does with the tensor"


def never_brought(line: str) -> str:
    """The tensor is handed on, and no run of a caller got it with its flag on."""
    return f"no function that calls this one was run with the flag on ({line}), and it hands on what it makes"


def never_met_at(line: str) -> str:
    """What stands outside of the blocks computes on the tensor, and no run shows that it makes no graph."""
    return f"{line} computes on the tensor outside of the block, and was never run with the flag on"


def never_on(name: str) -> str:
    """Who turns the flag on was not run with it on, so nothing shows what becomes of the tensor there."""
    return f"{name} may turn the flag on, and was never run with it on"


def half() -> str:
    """A flag went without a block."""
    return "it is right only together with other flags, which are refused"


def one_way() -> str:
    """The condition of a block gave one answer throughout."""
    return "in all that was run the condition of its block gave the same answer"


def said_of(candidate: Candidate) -> str:
    """What running a candidate before and after said, for who is shown its patch."""
    verdict = candidate.verification
    said = verdict.cpu if verdict.cpu != "not-run" else verdict.cuda
    why = (verdict.detail or "").split("; cuda: ")[0]
    if verdict.fails:
        return f"run before and after, it does the same, but {fails_as_before()}"
    if said == "identical":
        return f"run before and after, it does the same, which is not enough: {candidate.doubt or shows_nothing()}"
    if said == "different":
        return f"run before and after, it does NOT do the same: {why}"
    return f"it could not be run: {why}"
