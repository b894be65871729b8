"""The texts of the rules that ``voltfix repair`` alone has: they act on what a run saw."""

from __future__ import annotations

from voltfix.rules.text import RuleText

_WHEN = "Acts in `voltfix repair`, on what a run saw."

RULES: tuple[RuleText, ...] = (
    RuleText(
        code="VF216",
        name="what has no dimensions gets the one that it had",
        what="""
            Gives a tensor without dimensions its one dimension back (`.view(1)`) where it is looped over,
            measured, joined, given as a target or as a gradient; `torch.cat` of such tensors is `torch.stack`.
            Pairs a loss's target with its input by `.view_as`, and takes tensors in JSON for the numbers they were.
        """,
        why="A reduction, a loss and an element of a vector had one element on 0.3, and have no dimensions since 0.4.",
        before="loss = criterion(output[0], target[0])",
        after="loss = criterion(output[0], target[0].view(1))",
        safety="The run saw that the operand has no dimensions; the graph stays. Taken back where it runs no further.",
        references=("https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",),
        default=False,
        when=_WHEN,
    ),
    RuleText(
        code="VF217",
        name="operands of one type",
        what="""
            Writes `.float()`, `.long()` or `.type_as()` where an operation meets operands of types that it does
            not take together; `requires_grad=False` for parameters of whole numbers.
        """,
        why="`torch.arange` makes whole numbers today, division fractions, and operations take fewer types.",
        before="score = torch.arange(0, 3).dot(weights)",
        after="score = torch.arange(0, 3).float().dot(weights)",
        safety="The run saw both types. Whole numbers become fractions, never the other way but for a target's sake.",
        references=("https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc",),
        default=False,
        when=_WHEN,
    ),
    RuleText(
        code="VF218",
        name="Python 2",
        what="""
            Print statements, `except E, e`, `xrange`, `cPickle`, `iteritems`, imports from the folder beside, lists
            that are views today, `/` where a whole number is needed, and files opened for text that take bytes.
        """,
        why="Half of the code of 2017 was written for both Pythons and tested on one.",
        before="for i in xrange(len(x) / 2): print i",
        after="for i in range(len(x) // 2): print(i)",
        safety="Only what stopped the program, and in a file that did not load, its old statements.",
        references=("https://docs.python.org/3/whatsnew/3.0.html",),
        default=False,
        when=_WHEN,
    ),
    RuleText(
        code="VF219",
        name="gradients that are None, and tensors that a backward needs",
        what="""
            `zero_grad(set_to_none=False)` where a gradient is used behind it; `y = y + 1` for `y += 1` where a
            backward needs what was written over; `.data` where a parameter is written in place.
        """,
        why="`zero_grad()` makes None since 2.0, and more operations look after what they saved.",
        before="y = torch.sigmoid(x)\ny += 1",
        after="y = torch.sigmoid(x)\ny = y + 1",
        safety="Anomaly detection named the place. Taken back where the backward fails as before.",
        references=("https://docs.pytorch.org/docs/stable/notes/autograd.html",),
        default=False,
        when=_WHEN,
    ),
    RuleText(
        code="VF220",
        name="functions of autograd are static",
        what="""
            Makes `forward` and `backward` of an old-style `Function` static: `self` becomes `ctx`, what `__init__`
            kept is handed in behind the inputs, and `F(state)(x)` is `F.apply(x, state)`.
        """,
        why="Old-style functions were deprecated in 1.3 and are refused since 1.5.",
        before="y = Scale(2)(x)",
        after="y = Scale.apply(x, 2)",
        safety="Only where every use of the class is `F(...)(...)`, and `__init__` does nothing but keep.",
        references=("https://docs.pytorch.org/docs/stable/notes/extending.html",),
        default=False,
        when=_WHEN,
    ),
)


def table() -> str:
    """The symptoms as a Markdown table, for docs/modernize.md."""
    from voltfix.repair.registry import SYMPTOMS

    rows = [f"| {s.name} | {', '.join(s.exceptions)} | {s.was} | {s.code} | [source]({s.source}) |" for s in SYMPTOMS]
    return "\n".join(["| symptom | shows as | what it was on 0.3 | rule | |", "|---|---|---|---|---|", *rows])


if __name__ == "__main__":
    print(table())
