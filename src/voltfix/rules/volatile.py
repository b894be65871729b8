"""The texts of VF101 to VF104: the places that decide volatility."""

from __future__ import annotations

from voltfix.rules.text import RuleText

_GUIDE = "https://pytorch.org/blog/pytorch-0_4_0-migration-guide/"
_SEMANTICS = "https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation"

ARGUMENT = RuleText(
    code="VF101",
    name="volatile= of a Variable is grad mode around what it reached",
    what="""
        Takes the `volatile` argument (keyword, third positional, an entry of a `**` dictionary) out of
        `Variable(...)`, and puts `torch.no_grad()` or `torch.set_grad_enabled(...)` around the statements
        whose results were volatile on 0.3.
    """,
    why="""
        The argument does nothing since 0.4: torch warns, builds the graph, and keeps the memory.
        Volatility went with the data, grad mode goes with time: the block belongs around what computes,
        not around the Variable.
    """,
    before="""
        x = Variable(batch, volatile=True)
        scores = net(x)
    """,
    after="""
        x = Variable(batch)
        with torch.no_grad():
            scores = net(x)
    """,
    safety="""
        Safe where it is written: the analysis shows which results were volatile and that nothing in the
        block needs a gradient, and with torch at hand both versions are run and compared. What cannot be
        shown is refused.
    """,
    refusals=(
        "caller-not-resolved", "condition-not-repeatable", "forward-hook", "gradient-demanded",
        "kwargs-dictionary", "lazy-evaluation", "mixed-statement", "not-analysed", "not-provable", "other-thread",
        "too-complex", "unknown-callee", "unseen-callers", "write-into-graph", "yield-in-region",
    ),
    references=(_GUIDE, _SEMANTICS),
)  # fmt: skip

WRAPPER = RuleText(
    code="VF102",
    name="volatile handed to a function that passes it on",
    what="""
        Treats the argument of a function of the project that hands it on to `Variable` (`to_var(x,
        volatile=True)`) like the flag itself: blocks go around what its callers compute, then argument and
        parameter go.
    """,
    why="The flag travels through helpers; a migration of the helper alone loses it for every caller.",
    before="""
        def to_var(x, volatile=False):
            return Variable(x, volatile=volatile)

        scores = net(to_var(batch, volatile=True))
    """,
    after="""
        def to_var(x):
            return Variable(x)

        with torch.no_grad():
            scores = net(to_var(batch))
    """,
    safety="""
        Safe where it is written: all callers change in one go, or none does. Parameters of an installable
        package's public functions stay unless `--break-api` is given; `--keep-signatures` keeps them all.
    """,
    refusals=("caller-not-resolved", "held-together", "outside-paths", "unseen-callers"),
    references=(_GUIDE,),
)

READ = RuleText(
    code="VF103",
    name="a read of .volatile asks for grad mode",
    what="""
        Writes `x.volatile` as `not torch.is_grad_enabled()` (`not x.volatile` as
        `torch.is_grad_enabled()`), or as the condition that decided it, in the same change that migrates
        all its volatile callers.
    """,
    why="On today's torch `.volatile` is always False, so the code behind it changed its meaning.",
    before="""
        if not x.volatile:
            x.register_hook(save)
    """,
    after="""
        if torch.is_grad_enabled():
            x.register_hook(save)
    """,
    safety="""
        Safe where it is written: only when grad mode, or a condition in reach, says what `.volatile` said.
    """,
    refusals=("volatile-read", "unknown-origin"),
    references=(_GUIDE,),
)

WRITE = RuleText(
    code="VF104",
    name="a write of .volatile is a cut or a block",
    what="""
        Drops `x.volatile = False` where what made `x` lies in a no_grad block, and writes `x = x.detach()`
        elsewhere. `x.volatile = True` puts what `x` feeds into a block, as the argument does. Parameters that
        the flag froze get `p.requires_grad_(not on)`, with a block where something else that requires grad
        went in, or where the result went into a network that trains; where the flag is off again at the end
        of the function, a block alone.
    """,
    why="Today the statement does nothing: the graph that 0.3 had cut stays, and gradients change.",
    before="""
        target = critic(next_states)
        target.volatile = False
        loss = mse(q, reward + target)
    """,
    after="""
        with torch.no_grad():
            target = critic(next_states)
        loss = mse(q, reward + target)
    """,
    safety="Safe where it is written. Never `detach_()`, which raises on views.",
    refusals=("not-analysed", "not-provable", "state-mixed", "unknown-origin", "unseen-callers"),
    references=(_GUIDE,),
)

RULES = (ARGUMENT, WRAPPER, READ, WRITE)
