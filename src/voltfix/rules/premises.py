"""Every sentence of evidence: what a decision rests on, a place in front of each.

As in ``messages``: a verb among the first words, at most ``LONGEST`` characters, the words of PyTorch's documentation.
A *place* is ``train.py:12``, a *stretch* ``line 3`` or ``train.py: lines 3-5``.
"""

from __future__ import annotations

from voltfix.rules.messages import LONGEST, ending, shortened

_PLACE = 60  # characters of a place
HELPER_STAYS = "keeps its parameter, which is off where"


def _at(place: str, said: str) -> str:
    return shortened(f"{ending(place, _PLACE)}: {said}", LONGEST)


def asleep(place: str) -> str:
    """A constant keeps the arm from running that the site stands in."""
    return _at(place, "assumes that the constant here could be another")


# --- blocks ----------------------------------------------------------------------------------------------------------


def covered(stretch: str, header: str) -> str:
    """Statements run in a block."""
    return _at(stretch, f"runs in {header}")


def counts_as_volatile(stretch: str, called: str) -> str:
    """Code that was not followed is given something volatile; ``called`` is its name, where it has one."""
    return _at(stretch, f"assumes that what {shortened(called, 30) or 'unknown code'} gives for it is volatile")


def call_covered(stretch: str) -> str:
    """One call runs under no_grad."""
    return _at(stretch, "runs one call in torch.no_grad()")


def detached(stretch: str) -> str:
    """One result is detached."""
    return _at(stretch, "detaches the result")


def whole_covered(stretch: str) -> str:
    """A function runs under no_grad."""
    return _at(stretch, "runs as a whole in torch.no_grad()")


def needs_block(stretch: str) -> str:
    """What a block is for."""
    return _at(stretch, "would build a graph of a volatile tensor otherwise")


def may_need_block(stretch: str) -> str:
    """What a block goes on for: of code that is not in view, nobody knows whether it has weights."""
    return _at(stretch, "may build a graph of a volatile tensor otherwise")


def does_not_fit(place: str, name: str) -> str:
    """Python raises a TypeError for the call, until somebody mends it."""
    return _at(place, f"passes {shortened(name, 30)} an argument that it does not take")


# --- flags that go ---------------------------------------------------------------------------------------------------


def no_graph_to_cut(place: str) -> str:
    """``x.volatile = False`` where x has no graph."""
    return _at(place, "takes the flag off a tensor that has no graph")


def is_default(place: str, value: str) -> str:
    """``volatile=False``."""
    return _at(place, f"sets the flag to {shortened(value, 20)}, as it is without it")


def never_on(place: str) -> str:
    """The flag is a condition that does not hold."""
    return _at(place, "sets the flag to False on every path")


def in_no_grad(place: str) -> str:
    """Who has ``no_grad`` has no volatile."""
    return _at(place, "runs under torch.no_grad(), so that it builds no graph")


def not_computed_with(place: str) -> str:
    """Nobody computes with the tensor."""
    return _at(place, "makes a tensor that nothing computes with")


def not_asked_for(place: str) -> str:
    """Whoever calls the function leaves the flag off."""
    return _at(place, "sets a flag that no caller asks for")


def consumer(place: str, name: str) -> str:
    """What a volatile tensor goes into, and no graph of it comes out."""
    return _at(place, f"passes the tensor to {shortened(name, 30)}, without a graph")


def more_consumers(place: str, number: int) -> str:
    """There are more than are shown; ``place``: where the tensor is made."""
    take = "place takes" if number == 1 else "places take"
    return _at(place, f"makes the tensor that {number} more {take} without a graph")


def called_at(place: str) -> str:
    """A caller that decides the flag: that sets it, or leaves it off."""
    return _at(place, "calls the function")


def called_nowhere_else(place: str, more: int) -> str:
    """No other call decides."""
    return _at(place, f"is reached by {f'{more} more calls, and ' if more else ''}no other call")


def ran(place: str) -> str:
    """0.3 raised where a gradient of something volatile was asked for."""
    return _at(place, "ran on 0.3 and needs a gradient, so its result is not volatile")


def helper_stays(place: str) -> str:
    """A call loses its argument, and other calls still hand one to the same helper."""
    return _at(place, f"{HELPER_STAYS} a call sets none: other calls still set it")


def decided_inside(place: str) -> str:
    """The argument of a function that hands the flag on."""
    return _at(place, "takes this flag, and is decided there")


def more_inside(place: str, number: int) -> str:
    """As ``decided_inside``, at more places than are listed."""
    others = f", as {number - 1} more {'does' if number == 2 else 'do'}" if number > 1 else ""
    return _at(place, f"takes this flag{others}")


def by_autograd(place: str) -> str:
    """``Function.backward``."""
    return _at(place, "runs in autograd alone: PyTorch 0.3 used the flag there for nothing that it allowed")


def not_volatile_here(place: str) -> str:
    """``x.volatile = False`` of a result that nothing makes volatile."""
    return _at(place, "writes the flag of a result that is not volatile: only its graph goes")


def set_on_leaves(place: str) -> str:
    """The flag is written to a leaf on one path, and on another to what may have a graph: 0.3 raised if it had one."""
    return _at(place, "sets the flag, which PyTorch 0.3 allowed only where no graph comes here")


def set_on_data(place: str) -> str:
    """The flag is written to what a Variable is made of right after."""
    return _at(place, "sets the flag of data: PyTorch 0.3 makes no Variable of a Variable")


def leaf(place: str) -> str:
    """``x.requires_grad = True`` of a tensor that the flag was taken off."""
    return _at(place, "sets requires_grad of a tensor that is a leaf without the flag")


# --- reads -----------------------------------------------------------------------------------------------------------


def guards_refused(place: str) -> str:
    """``if not x.volatile: x.register_hook(f)``."""
    return _at(place, "guards what raised on 0.3 for a tensor that requires no grad")


def copy_goes_with_blocks(place: str) -> str:
    """A copy of a parameter's flag, where what is volatile comes by calls in blocks that nobody looked into."""
    return _at(place, "copies a flag that is on in torch.no_grad() alone")


def copy_changes_nothing(place: str) -> str:
    """A copy of a parameter's flag."""
    return _at(place, "copies a flag that would change nothing here")


def copy_is_never_on(place: str) -> str:
    """A copy of the flag of a parameter that gets nothing volatile."""
    return _at(place, "copies the flag of a parameter that every call hands something made without one")


def copy_goes(place: str) -> str:
    """The flag that was copied from a read."""
    return _at(place, "copies the flag, and goes as well")


def always(place: str, answer: str) -> str:
    """A read of a tensor that is made in view."""
    return _at(place, f"reads a tensor made here: the flag is {answer} on every path")


def callers_in_blocks(place: str) -> str:
    """A read that became grad mode."""
    return _at(place, "gets a volatile tensor only from calls that run in a block now")


def works_on_both(place: str) -> str:
    """A shim."""
    return _at(place, "works with and without volatile")


# --- weights ---------------------------------------------------------------------------------------------------------


def off_again(place: str) -> str:
    """The flag of weights is on for a part of a function."""
    return _at(place, "sets the flag of weights for a part of the function, which has a block")


def says_so_already(place: str) -> str:
    """``requires_grad`` says what the flag says."""
    return _at(place, "sets what requires_grad of the weights says already")


def nothing_else_freezes(place: str) -> str:
    """No other place of the project decides ``requires_grad`` of parameters."""
    return _at(place, "is the only place that keeps weights without a graph")


def weights_without_graph(place: str) -> str:
    """``requires_grad_`` does what the flag did."""
    return _at(place, "keeps the weights without a graph, as the flag did")
