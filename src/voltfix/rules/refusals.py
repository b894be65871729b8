"""What each refusal means and what a person does about it: one text for ``voltfix explain`` and the docs."""

from __future__ import annotations

from textwrap import dedent

from voltfix.records import dataclass

# examples that give their refusal as they stand (a test says so); the others need more code than is of use here
WHOLE = frozenset(
    {
        "unseen-callers",
        "kwargs-dictionary",
        "gradient-demanded",
        "mixed-statement",
        "write-into-graph",
        "forward-hook",
        "condition-not-repeatable",
        "state-mixed",
        "volatile-read",
        "unknown-origin",
        "not-analysed",
    }
)


@dataclass(frozen=True)
class RefusalText:
    """A reason word, what it means, an example (Python), and what to do."""

    reason: str
    means: str
    example: str
    todo: str

    def markdown(self) -> str:
        """The text as a section of the docs page."""
        title = "" if self.reason in WHOLE else ' title="the shape of it"'
        example = f"```python{title}\n{self.example}\n```"
        return f"## {self.reason}\n\n{self.means}\n\n{example}\n\n**What to do.** {self.todo}\n"


def _text(reason: str, means: str, example: str, todo: str) -> RefusalText:
    return RefusalText(reason, " ".join(means.split()), dedent(example).strip(), " ".join(todo.split()))


REFUSALS = {
    text.reason: text
    for text in (
        _text(
            "unseen-callers",
            """The volatile value leaves through a return, or the flag is written to a parameter, and
            no code that voltfix can see calls the function. The block has to stand where the value
            is *used*, so there is nowhere to put it.""",
            """
            def load_batch(x):
                return Variable(x, volatile=True)  # refused: who calls load_batch?
            """,
            """Give voltfix the files with the callers too (the folder of the project instead of one
            file). If the callers are other people's, put `with torch.no_grad():` around their use
            of the value and delete the flag.""",
        ),
        _text(
            "caller-not-resolved",
            """A call hands a flag to something that might be one of several functions, and they do not
            all treat it alike; or to what may be torch's Variable, or something else.""",
            """
            loader = getattr(loaders, opt.name)
            x = loader(batch, volatile=True)  # refused: which function is it?
            """,
            """Say which function it is (call it by its name), or take the argument out by hand in all
            of the functions that it can be.""",
        ),
        _text(
            "kwargs-dictionary",
            """The flag comes out of a `**` dictionary whose keys voltfix does not know.""",
            """
            def forward(net, x, options):
                return net(Variable(x, **options)).data  # refused: is volatile in options?
            """,
            """Write the arguments out. Where the dictionary always says `volatile=True`, put
            `torch.no_grad()` around the code that it covers, and take the key out of it. Where it
            never holds `volatile`, end the line in `# voltfix: skip`.""",
        ),
        _text(
            "gradient-demanded",
            """A gradient is asked for behind the site (by `backward()`, `autograd.grad` or an
            optimizer) of a value that the flag made volatile. On PyTorch 0.3 that raised, so one of
            the two is not what it looks like.""",
            """
            x = Variable(data, volatile=True)
            loss = net(x).sum()
            loss.backward()  # 0.3 raised here
            """,
            """Decide which of the two was meant. If the line trains, delete the flag; if it evaluates,
            delete `backward()`.""",
        ),
        _text(
            "mixed-statement",
            """One statement computes on volatile values and on values that need a graph; a block
            around it would take the graph away.""",
            """
            for v in [Variable(x), Variable(y, volatile=True)]:
                out = net(v).sum()  # once with a graph, once without
                learn(out)
            """,
            """Where the statement evaluates, so that no gradient of its result is used, put
            `torch.no_grad()` around it and around what computes on the result, and delete the flag.
            Where it trains on one of its values, split it in two, and run voltfix again; or put
            `.detach()` behind the volatile part.""",
        ),
        _text(
            "write-into-graph",
            """A volatile value is written into a tensor that has a graph. PyTorch 0.3 then made the
            *whole* tensor volatile and dropped its graph, which no block does.""",
            """
            def run(net, x, y):
                out = net(Variable(x))
                total = out * 2  # has a graph
                total += net(Variable(y, volatile=True))  # 0.3: total is volatile now
                out.sum().backward()
                return total
            """,
            """Write `total = total.detach()` before the write if the graph was to go, or `.detach()`
            what is written if it was to stay.""",
        ),
        _text(
            "lazy-evaluation",
            """A generator expression, `map` or a lambda computes later, where a block around the
            statement does not reach.""",
            """
            outputs = (net(Variable(x, volatile=True)) for x in xs)  # nothing has run yet
            """,
            """Make it a list (`[...]` for `(...)`) and run voltfix again, or put the block around the
            loop that consumes it.""",
        ),
        _text(
            "other-thread",
            """What is computed on the volatile tensor is computed in another thread, or another process,
            or may be: code that nobody sees is given the tensor and what to call on it. Grad mode
            belongs to a thread: a block around the place that hands the tensor over covers nothing
            there.""",
            """
            def show(net, t):
                pool = ThreadPool(4)
                x = Variable(t, volatile=True)
                return pool.apply(net, (x,)).data  # a block here is no block there
            """,
            """Put `with torch.no_grad():` into the function that the thread runs, around what it
            computes, or hand over `torch.no_grad()(net)` in place of `net`.""",
        ),
        _text(
            "yield-in-region",
            """The block would hold a `yield` or an `await`. While the function waits there, gradients
            would be off in whoever runs meanwhile.""",
            """
            def batches(xs):
                for x in xs:
                    yield net(Variable(x, volatile=True))
            """,
            """Name the result first, so that only the computation is in the block: `with
            torch.no_grad(): y = net(x)`, then `yield y`. A generator that only evaluates can take
            `@torch.no_grad()` as a whole: gradients are on again while it waits.""",
        ),
        _text(
            "condition-not-repeatable",
            """Whether the value is volatile depends on a condition that may have changed, or has an
            effect, by the time that the block asks it.""",
            """
            x = Variable(data, volatile=next(flags))
            y = net(x)
            """,
            """The condition is what the flag is set to, or an `if` that leads to the flag; the line in the message is
            where a block would have to ask it again. Put it into a name where it is asked first,
            `evaluating = next(flags)`, hand the name on to where the value is used, and run voltfix again. Or write
            `with torch.set_grad_enabled(not evaluating):` around those lines yourself, and take the flag away.""",
        ),
        _text(
            "escapes-by-attribute",
            """The volatile value is kept as an attribute of something, and code that voltfix could not follow reads
            that attribute; a block around what is seen would not reach it.""",
            """
            class Batch:
                def __init__(self, data):
                    self.src = Variable(data, volatile=True)


            def translate(model, batches):
                for batch in batches:  # of Batch? nobody says so
                    print(model(batch.src))
            """,
            """Give voltfix the whole project, if you gave it less. Else put `with torch.no_grad():` around the code
            that computes on the attribute, and delete the flag.""",
        ),
        _text(
            "escapes-by-global",
            """The volatile value is kept in a global, or in a list or dictionary of the module, and a function reads
            it that voltfix saw nobody call; a block around what is seen would not reach it.""",
            """
            CACHE = {}


            def load(data):
                CACHE['x'] = Variable(data, volatile=True)


            def evaluate(net):  # called from where?
                return net(CACHE['x']).data
            """,
            """Hand the value over as an argument. Else put `with torch.no_grad():` around the code that computes on
            it, and delete the flag.""",
        ),
        _text(
            "state-mixed",
            """The value is kept on `self` between calls, and other methods leave it volatile or not, by calls that
            nobody sees here; whether a graph is wanted depends on who was there last.""",
            """
            class Agent:
                def start(self, x, quiet):
                    self.hidden = Variable(x, volatile=quiet)

                def step(self, x):
                    self.hidden = self.rnn(Variable(x), self.hidden)  # started quietly, or not?
                    return self.hidden

                def learn(self):
                    self.hidden.sum().backward()
            """,
            """Give voltfix the callers too. Else write `self.hidden = self.hidden.detach()` where a sequence starts,
            and put the block where the methods are called for evaluation.""",
        ),
        _text(
            "not-provable",
            """With the blocks that were found, a volatile operation would keep a graph, or one that
            needs its graph would lose it, and no better place for them was found.""",
            """
            state = Variable(zeros, volatile=True)
            for x in xs:
                state = net(x, state)
                if training:
                    net(x, other).backward()
            """,
            """Look at the line in the message. Mostly a function does two things at once; after they
            are apart voltfix can decide for each.""",
        ),
        _text(
            "volatile-read",
            """The program asks for `.volatile`, and what 0.3 answered is neither a condition at hand
            nor what `torch.is_grad_enabled()` says.""",
            """
            for x in (a, Variable(b, volatile=True)):
                if x.volatile:  # once no, once yes
                    report(x)
            """,
            """Carry the answer beside the tensor, as a bool of its own.""",
        ),
        _text(
            "forward-hook",
            """A forward hook of the project computes with weights. On 0.3 the result had a graph, although
            the network was given something volatile; under `torch.no_grad()` it would have none. Or a hook asks
            for `.volatile` in a way that cannot be replaced: layers run it with whatever they are given.""",
            """
            penalties = []
            net.fc.register_forward_hook(lambda layer, given, made: penalties.append(layer.weight.norm()))

            def run(net, x, target):
                seen = net(Variable(x, volatile=True)).data
                loss = F.mse_loss(net(Variable(seen)), Variable(target)) + sum(penalties)
                loss.backward()
            """,
            """Take the hook off while the network only looks (`handle.remove()`), or compute its value where it is
            used; then put a block around the network by hand. A hook that asks whether its input is volatile
            can mostly ask `not torch.is_grad_enabled()`.""",
        ),
        _text(
            "unknown-callee",
            """A function that voltfix does not know is handed a volatile value and one that has a graph, and
            gradients are asked for of what it returns.""",
            """
            loss = library.combine(net(x), Variable(t, volatile=True))
            loss.backward()
            """,
            """Delete the flag. Where no gradient of what the call returns is used, put `torch.no_grad()` around
            the call; where it is trained on, say `.detach()` on the volatile argument, if the gradient does
            not go through it.""",
        ),
        _text(
            "unknown-origin",
            """The flag is written to a tensor whose origin is not known, so it cannot be said what the
            write cut off or switched on.""",
            """
            def freeze(batch):
                batch.inputs[0].volatile = True
            """,
            """If the write is to cut the graph (`= False` behind a computation), write `x =
            x.detach()`; if it is to switch gradients off (`= True`), delete it and put the block
            around what follows.""",
        ),
        _text(
            "not-a-leaf",
            """The flag is written to the result of an operation, and nothing in view makes that result
            volatile. PyTorch 0.3 let the flag be set on leaves alone: where the result required grad it
            raised, so no program that ran came here with a graph. Today the line does nothing, and the
            graph stays.""",
            """
            def targets(critic, state, table):
                table["next"] = critic(Variable(state)) * 0.9
                table["next"].volatile = False
            """,
            """If the result is to have no graph (`= False`), write `.detach()` behind the computation. If
            nothing in it requires grad, delete the line.""",
        ),
        _text(
            "not-analysed",
            """No path that voltfix could follow comes to the site, or what the flag is written to is not known to
            be a tensor.""",
            """
            def old(data, net):
                return net(data)
                x = Variable(data, volatile=True)
            """,
            """Delete code that cannot run, or show voltfix the file that calls it.""",
        ),
        _text(
            "too-complex",
            """A function has more paths, or deeper loops, than voltfix follows, although it told apart less and less:
            first it forgets conditions, then what stands where in containers, then what is in functions that are
            called. What is left of it does not decide this site. The message names the function and what grew.""",
            """
            for step in plan:
                state, x = step(state, x, Variable(data, volatile=True))
            """,
            """Cut the function into smaller ones, or put the block where it belongs yourself.""",
        ),
        _text(
            "outside-paths",
            """The change needs an edit in a file that is not among the paths given.""",
            """
            voltfix train.py  # but utils.py, which train.py imports, has the wrapper
            """,
            """Give voltfix the folder of the project.""",
        ),
        _text(
            "held",
            """The site was to be left as it is: it is part of something that was refused or taken
            back.""",
            """
            x = to_var(a, volatile=True)  # needs a change of to_var, which is left as it is
            """,
            """See to the other site first; this one follows when voltfix is run again.""",
        ),
        _text(
            "held-together",
            """The site shares an edit with a site that is left as it is. A change is made whole or not
            at all.""",
            """
            x = to_var(a, volatile=True)
            y = to_var(b, volatile=True)  # voltfix: skip
            """,
            """See to the other site, or take its `# voltfix: skip` away.""",
        ),
        _text(
            "verification-failed",
            """The rewrite was made, run against the original, and did something else; so it was taken
            back.""",
            """
            $ voltfix explain train.py:12 --verify
            """,
            """`voltfix explain` shows the patch that was taken back and what differed; of a VF2xx rule, what differed.
            If you find the patch right, make that edit by hand; `--no-verify` with `--select` of the rule writes it
            without a run, and every other place of that rule in the paths given, too. Then let a run of your own
            confirm it (`voltfix verify before/ after/ -- COMMAND`), and please report it: one of
            the two is a fault of voltfix.""",
        ),
        _text(
            "not-reached",
            """The time of `--time-limit` was over before voltfix had come to an end with the part of the project that
            holds this site. What was decided before is written all the same.""",
            """
            voltfix --time-limit 60 project/
            """,
            """Run it again with more time, or on fewer paths at once. What is done already is not done again.""",
        ),
        _text(
            "not-written",
            """The file could not be written, or somebody changed it while voltfix was at work. It is
            as it was.""",
            """
            voltfix: train.py: error (changed): was changed by someone else meanwhile
            """,
            """Run voltfix again, after mending what the error says.""",
        ),
        _text(
            "internal-error",
            """voltfix caught itself at a fault: what it made would not compile, or not be stable, or
            touch what was not planned. The original stays.""",
            """
            voltfix explain FILE:LINE
            """,
            """Please report it, with the piece of code. Then migrate this place by hand.""",
        ),
    )
}


def page() -> str:
    """The docs page (``docs/refusals.md``)."""
    from voltfix.rules import REASONS

    head = (
        "# What it refuses, and what to do\n\n"
        "<!-- made by: python -m voltfix.rules.refusals > docs/refusals.md -->\n\n"
        "voltfix leaves a flag alone where no edit could be shown to do what PyTorch 0.3 did. A block that is\n"
        "too wide would take gradients away from training; a flag that stays costs memory. So it refuses\n"
        "rather than guess. The line stays as it was, and the report says why:\n\n"
        "```text\n"
        "VF101 refused (unseen-callers): returns the volatile tensor from load, and no caller is known\n"
        "```\n\n"
        "1. `voltfix explain FILE:LINE` shows what the refusal rests on, what to do, and where there is one a\n"
        "   patch that was *not* applied.\n"
        "2. Did you give voltfix a part of the project? Then give it the whole folder: most callers are elsewhere.\n"
        "3. Mend the line by hand, as the section of its word below says. The word stands in parentheses\n"
        "   (`reason` in JSON); it never changes.\n"
        "4. No time today? `voltfix --todo PATH` leaves a `# TODO(voltfix): reason` comment at each.\n"
        "   `voltfix check PATH --write-baseline known.json` accepts those of today, and\n"
        "   `--baseline known.json` fails on new ones only. `# voltfix: skip` at the end of a\n"
        "   line accepts it for good.\n\n"
    )
    tail = "\n"
    index = "".join(f"- [{reason}](#{reason})\n" for reason in REFUSALS)
    sections = "\n".join(text.markdown() for text in REFUSALS.values())
    rest = [(name, text) for name, text in REASONS.items() if name not in REFUSALS]
    others = "\n".join(f"### {name}\n\n{text}\n" for name, text in rest)
    return f"{head}{index}{tail}{sections}\n## Reasons of the VF2xx rules\n\n{others}"


if __name__ == "__main__":
    print(page(), end="")
