"""What is said of a flag that goes: comments on its line, entries in docstrings."""

from __future__ import annotations

import pytest

from helpers import check_transformed, migrated

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def becomes(before: str, after: str) -> None:
    check_transformed(HEAD + before, HEAD + after)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("  # volatile: inference only", "  # inference only"),
        ("  # Volatile - only the scores are kept", "  # only the scores are kept"),
        ("  # volatile", ""),
        ("  # volatile=True, for the scores take no graph", ""),
        ("  # volatile = 1 saves memory", ""),
        ("# no graph, it is volatile", ""),
        ("  # volatile: volatile inputs need no graph", ""),
        ("  # totally freeze netG", "  # totally freeze netG"),
        ("  # TODO: non_volatile", "  # TODO: non_volatile"),
        ("  # sum of the weights; volatile=True takes less memory", "  # sum of the weights"),
        ("  # Only scores are kept. Volatile, to be fast.", "  # Only scores are kept."),
        ("  # the images (volatile: no graph)", "  # the images"),
        ("  # the images (volatile) of a batch", "  # the images of a batch"),
        ("  # (volatile) images", "  # images"),
        ("  # wide images, cf. volatile inputs", ""),
        ("  # Why? volatile is faster", ""),
        ("  # Variable(x, volatile=True) takes less memory", ""),
        ("  # (the images; volatile ones)", ""),
        ("  # x = 1; v.volatile = True", ""),
        ("  # ---; volatile", ""),
        ("", ""),
    ],
)
def test_a_comment_behind_the_flag(said: str, left: str) -> None:
    becomes(
        f"def f(net, x):\n    v = Variable(x, volatile=True){said}\n    return net(v).data\n",
        f"def f(net, x):\n    v = Variable(x){left}\n    with torch.no_grad():\n        return net(v).data\n",
    )


def test_a_comment_goes_with_the_line_of_the_argument() -> None:
    becomes(
        "def f(net, x):\n    v = Variable(\n        x,  # the data\n"
        "        volatile=True,  # volatile: no graph\n    )\n"
        "    return net(v).data\n",
        "def f(net, x):\n    v = Variable(\n        x,  # the data\n    )\n"
        "    with torch.no_grad():\n        return net(v).data\n",
    )


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("    # volatile saves memory\n", ""),
        ("    # Volatile: only the scores are kept\n", "    # only the scores are kept\n"),
        ("    # only the scores are kept\n", "    # only the scores are kept\n"),
        ("    # the input has to be\n    # volatile here\n", ""),
        ("    # the input. It has to be\n    # volatile\n", "    # the input. It has to be\n    # volatile\n"),
        ("    # the input\n  # is volatile\n", "    # the input\n  # is volatile\n"),
        ("    # v = Variable(x,\n    #   volatile=True)\n", "    # v = Variable(x,\n    #   volatile=True)\n"),
        ("    # volatile\n\n", "    # volatile\n\n"),
        ("    # v = Variable(x.cuda(), volatile=True)\n", "    # v = Variable(x.cuda(), volatile=True)\n"),
        ("    # v.volatile = True\n", "    # v.volatile = True\n"),
        ("    # Use volatile = True where nothing is learned, i.e. no history is kept\n", ""),
        ("    # wrap it, set volatile=True to use less memory\n", ""),
        ("    #the flag is for inference. no backward step with volatile=True\n", ""),
        ("    # with volatile=True (see the manual) nothing\n    # is kept\n", ""),
        ("    # volatile=True\n", "    # volatile=True\n"),
        ("    # net(x, volatile=True); print(x)\n", "    # net(x, volatile=True); print(x)\n"),
        ("    # if net(x, volatile=True):\n", "    # if net(x, volatile=True):\n"),
        ("    # before:\n    # v = Variable(x, volatile=True)\n",
         "    # before:\n    # v = Variable(x, volatile=True)\n"),
        ("    # a long one: net(\n    #   x, volatile=True) no more\n",
         "    # a long one: net(\n    #   x, volatile=True) no more\n"),
        ("# volatile\n", "# volatile\n"),
    ],
)
def test_a_comment_on_the_line_above_the_flag(said: str, left: str) -> None:
    becomes(
        f"def f(net, x):\n{said}    v = Variable(x, volatile=True)\n    return net(v).data\n",
        f"def f(net, x):\n{left}    v = Variable(x)\n    with torch.no_grad():\n        return net(v).data\n",
    )


@pytest.mark.parametrize(("said", "left"), [
    ("    # volatile saves memory\n", ""),
    ("    # the data; volatile saves memory\n", "    # the data\n"),
    ("    # Move the data.\n    #\n    # At test time\n    # volatile saves memory.\n", "    # Move the data.\n"),
    ("    # only the data\n", "    # only the data\n"),
])
def test_a_comment_at_the_head_of_a_paragraph_speaks_of_the_flags_in_it(said: str, left: str) -> None:
    flagged = "    x = x.view(-1, 2)\n    v = Variable(x, volatile=True)\n    return net(v).data\n"
    becomes(f"def f(net, x):\n{said}{flagged}",
            f"def f(net, x):\n{left}    x = x.view(-1, 2)\n    v = Variable(x)\n"
            "    with torch.no_grad():\n        return net(v).data\n")


@pytest.mark.parametrize("between", [
    "\n", "    if x is None:\n        x = 1\n", "    w = x.make(1, volatile=x)\n",
])
def test_a_comment_further_up_stays_where_it_may_speak_of_something_else(between: str) -> None:
    said = "    # volatile saves memory\n"
    text = f"def f(net, x):\n{said}{between}    v = Variable(x, volatile=True)\n    return net(v).data\n"
    assert said in migrated(HEAD + text).outputs["a.py"].decode()


@pytest.mark.parametrize("said", ["    # volatile: no graph is kept\n", "    # no graph if volatile\n"])
def test_a_comment_on_a_parameter_of_that_name_stays_with_it(said: str) -> None:
    becomes(
        f"def f(net, x, volatile):\n{said}    v = Variable(x, volatile=volatile)\n    return net(v)\n",
        f"def f(net, x, volatile):\n{said}    v = Variable(x)\n"
        "    with torch.set_grad_enabled(not volatile):\n        return net(v)\n",
    )


def test_a_comment_on_a_parameter_of_that_name_goes_with_it() -> None:
    becomes(
        "def _put(x, volatile=False):\n    # volatile saves memory\n    return Variable(x, volatile=volatile)\n\n\n"
        "def f(net, x):\n    return net(_put(x, volatile=True)).data\n",
        "def _put(x):\n    return Variable(x)\n\n\n"
        "def f(net, x):\n    with torch.no_grad():\n        return net(_put(x)).data\n",
    )


def test_a_comment_of_several_sentences_stays_where_a_statement_further_down_goes() -> None:
    said = "    # the data. They are made\n    # volatile\n"
    becomes(f"def f(net, x):\n    v = Variable(x)\n\n{said}    y = x + 1\n    v.volatile = True\n\n"
            "    print(y)\n    return net(v).data\n",
            f"def f(net, x):\n    v = Variable(x)\n\n{said}    y = x + 1\n\n"
            "    print(y)\n    with torch.no_grad():\n        return net(v).data\n")


def test_a_comment_above_two_flags_goes_with_both() -> None:
    becomes(
        "def f(net, x, y):\n    # volatile: inference only\n    v = Variable(x, volatile=True)\n"
        "    w = Variable(y, volatile=True)\n    return net(v, w).data\n",
        "def f(net, x, y):\n    # inference only\n    v = Variable(x)\n    w = Variable(y)\n"
        "    with torch.no_grad():\n        return net(v, w).data\n",
    )


def test_a_comment_above_a_line_inside_a_block_goes() -> None:
    becomes(
        "def f(net, xs):\n    for x in xs:\n        # volatile\n        v = Variable(x, volatile=True)\n"
        "        print(net(v).data)\n",
        "def f(net, xs):\n    for x in xs:\n        v = Variable(x)\n        with torch.no_grad():\n"
        "            print(net(v).data)\n",
    )


def test_comments_on_other_lines_stay() -> None:
    becomes(
        "def f(net, x):\n    v = Variable(x, volatile=True)\n    y = x  # not volatile\n"
        "    # no longer volatile\n    return net(v).data, y\n",
        "def f(net, x):\n    v = Variable(x)\n    y = x  # not volatile\n"
        "    # no longer volatile\n    with torch.no_grad():\n        return net(v).data, y\n",
    )


def test_a_comment_above_stays_where_something_volatile_stays_below_it() -> None:
    becomes(
        "def f(net, x):\n    # volatile inputs\n    v = Variable(x, volatile=True)\n    volatile = len(x)\n"
        "    return net(v).data, volatile\n",
        "def f(net, x):\n    # volatile inputs\n    v = Variable(x)\n    volatile = len(x)\n"
        "    with torch.no_grad():\n        return net(v).data, volatile\n",
    )


@pytest.mark.parametrize(("said", "stays"), [
    ("    # The target takes no part in it. A volatile one\n    # would spoil the loss, so it is cleared.\n", False),
    ("    # Only the target is looked at.\n    # What follows is the cost.\n", True),
])
@pytest.mark.parametrize("following", ["\n", "    # the cost\n", "    print(v)\n"])
def test_a_comment_of_several_sentences_goes_with_the_statement_that_alone_it_speaks_of(
        said: str, stays: bool, following: str) -> None:
    body = "def f(net, loss, x):\n    {}v = net(Variable(x{}))\n{}{}{}    return loss(net(x), v)\n"
    left = said if stays or following.strip().startswith("print") else ""
    becomes(body.format("", ", volatile=True", said, "    v.volatile = False\n", following),
            body.format("with torch.no_grad():\n        ", "", left, "", following))


@pytest.mark.parametrize(("said", "left"), [
    ("    # First it is wrapped\n    # No backward step is due\n    # So it is volatile.\n",
     "    # First it is wrapped\n    # No backward step is due\n"),
    ("    # First it is wrapped.\n    # so that it is volatile\n    # and small.\n", "    # First it is wrapped.\n"),
    ("    # It is volatile.\n    # Volatile ones save memory.\n", ""),
    ("    # It is volatile.\n    # This saves memory.\n", "    # It is volatile.\n    # This saves memory.\n"),
    ("    # A volatile one.\n    # It is small.\n    # So volatile.\n",
     "    # A volatile one.\n    # It is small.\n    # So volatile.\n"),
    ("    # It is wrapped.\n    # Small. So volatile.\n", "    # It is wrapped.\n    # Small. So volatile.\n"),
    ("    # It is wrapped.\n    # TODO: volatile is slow\n", "    # It is wrapped.\n    # TODO: volatile is slow\n"),
    ("    # It is wrapped.\n    # So volatile.  # noqa: E501\n",
     "    # It is wrapped.\n    # So volatile.  # noqa: E501\n"),
    ("    # no step is due, so here a volatile\n    # Variable does\n", ""),
])
def test_sentences_at_the_end_that_speak_of_the_flag_go_with_it(said: str, left: str) -> None:
    becomes(
        f"def f(net, x):\n{said}    v = Variable(x, volatile=True)\n    return net(v).data\n",
        f"def f(net, x):\n{left}    v = Variable(x)\n    with torch.no_grad():\n        return net(v).data\n",
    )


FIRST = "    # take the next one, make it one for the graph\n"
MEANS = "    # volatile means that no graph is kept for what comes of it\n    # since nothing is learned here\n"


@pytest.mark.parametrize(("said", "left"), [
    (FIRST + MEANS, FIRST),
    (MEANS, ""),
    (FIRST + "    # `volatile` means: no graph\n", FIRST),
    (FIRST + "    # so it has to be\n    # volatile here\n", ""),  # one sentence, of which nobody knows where it begins
    (MEANS + "    # Then it is shown.\n", MEANS + "    # Then it is shown.\n"),
    ("    # a volatile one is next\n" + MEANS, ""),
    ("    # a volatile one is next. So what\n" + MEANS, "    # a volatile one is next. So what\n" + MEANS),
])
def test_what_tells_what_the_word_means_is_a_sentence_of_its_own(said: str, left: str) -> None:
    becomes(
        f"def f(net, x):\n{said}    v = Variable(x, volatile=True)\n    return net(v).data\n",
        f"def f(net, x):\n{left}    v = Variable(x)\n    with torch.no_grad():\n        return net(v).data\n",
    )


APART = """def f(net, x):
{said}    x, y = x.first, x.second

    if y is None:
        y = 1
    v = Variable(x{on})
{more}    {block}return net(v).data
"""


@pytest.mark.parametrize(("said", "left", "more"), [
    (FIRST + MEANS, FIRST, ""),
    (MEANS, "", ""),
    (FIRST + MEANS, FIRST + MEANS, "    y = net.make(x, volatile=y)\n"),  # the word stays
    (FIRST + MEANS + "    # Then it is shown.\n", FIRST + MEANS + "    # Then it is shown.\n", ""),
    ("    # volatile saves memory\n", "    # volatile saves memory\n", ""),
    ("    # what it means to be volatile\n", "    # what it means to be volatile\n", ""),
    ("    # volatile means TODO\n", "    # volatile means TODO\n", ""),
    ('    """\n    # volatile means no graph\n    """\n', '    """\n    # volatile means no graph\n    """\n', ""),
    ("    # volatile means this:\n    # v = Variable(x, volatile=True)\n",
     "    # volatile means this:\n    # v = Variable(x, volatile=True)\n", ""),
])
def test_what_tells_what_the_word_means_goes_with_the_last_of_it(said: str, left: str, more: str) -> None:
    becomes(APART.format(said=said, on=", volatile=True", more=more, block=""),
            APART.format(said=left, on="", more=more, block="with torch.no_grad():\n        "))


def test_what_tells_what_the_word_means_in_another_function_stays() -> None:
    other = f"def g(x):\n{MEANS}    return x\n\n\n"
    becomes(other + APART.format(said="", on=", volatile=True", more="", block=""),
            other + APART.format(said="", on="", more="", block="with torch.no_grad():\n        "))


BELOW = """def f(net, x, y):
    v = Variable(net.shaped(x).data,
                 volatile{on}).float()
{said}    w = Variable(y).float()
    {block}return net(v, w).data
"""


@pytest.mark.parametrize(("said", "left"), [
    ("\n    # v is volatile, so this one\n    # need not be\n", "\n"),
    ("    # volatile: v\n", ""),
    ("    # v is volatile\n\n", "\n"),
    ("    # v is volatile.\n    # The mask is none.\n", None),  # another sentence
    ("    # v is volatile. Not so the mask\n", None),
    ("    # is volatile, too\n", None),  # names nothing
    ("    # v is volatile; w must keep its graph\n", None),
    ("    # unlike v, w is not volatile\n", None),
    ("    # TODO: v should be volatile only for judging\n", None),
    ("    # v is volatile (FIXME)\n", None),
    ("    # take the volatile v times the mask\n", None),  # of what follows
    ("    # v is volatile\n    # pylint: disable=no-member\n", None),
    ("    # x is volatile\n", None),
    ("    # v is small\n", None),
    ("    # v = Variable(x, volatile=True)\n", None),  # code
    ("    # v.volatile = True\n", None),
    ("    # v is volatile  # voltfix: skip\n", None),
    ("    x = y\n    # v is volatile\n", None),  # another statement
    ("    # small\n\n    # v is volatile\n", None),
])
def test_a_comment_below_that_names_what_lost_its_flag_goes_with_it(said: str, left: str | None) -> None:
    block = "with torch.no_grad():\n        "
    after = BELOW.format(on="=True", said=said if left is None else left, block=block)
    after = after.replace("(net.shaped(x).data,\n                 volatile=True)", "(net.shaped(x).data)")
    becomes(BELOW.format(on="=True", said=said, block=""), after)


def test_a_comment_between_two_flags_is_said_otherwise_once() -> None:
    body = ("def f(net, x, y):\n    v = Variable(x{0})\n    # {1}v, too\n    w = Variable(y{0})\n"
            "    {2}return net(v, w).data\n")
    becomes(body.format(", volatile=True", "volatile: ", ""), body.format("", "", "with torch.no_grad():\n        "))


def test_a_word_of_a_docstring_is_no_name_of_the_code() -> None:
    body = ('"""Thus it is."""\n\n\ndef f(net, x):\n    # No step is due\n{}    v = Variable(x{})\n'
            "    {}return net(v).data\n")
    becomes(body.format("    # Thus it is volatile\n", ", volatile=True", ""),
            body.format("", "", "with torch.no_grad():\n        "))


def test_a_comment_below_stays_where_another_flag_does() -> None:
    said = "    # v is volatile, w need not be\n"
    body = "def f(net, x, y):\n    v = Variable(x{})\n{}    volatile = len(y)\n    {}return net(v).data, volatile\n"
    becomes(body.format(", volatile=True", said, ""),
            body.format("", said, "with torch.no_grad():\n        "))


def test_a_comment_above_a_call_of_several_lines_speaks_of_the_flag_in_it() -> None:
    becomes(
        "def f(net, x):\n    # no gradients are due, so that volatile\n    # is all that it takes\n"
        "    v = Variable(x,\n                 volatile=True)\n    return net(v).data\n",
        "def f(net, x):\n    v = Variable(x)\n    with torch.no_grad():\n        return net(v).data\n",
    )


def test_a_hash_in_a_string_is_no_comment() -> None:
    becomes(
        "def f(net, x):\n    return net(Variable(x, volatile=True)).data, '# volatile'\n",
        "def f(net, x):\n    with torch.no_grad():\n        return net(Variable(x)).data, '# volatile'\n",
    )


USE = "\n\ndef g(net, x):\n    return net(to_var(x{})).data\n"
BLOCK = "\n\ndef g(net, x):\n    with torch.no_grad():\n        return net(to_var(x)).data\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            ["Args:", "    x (Tensor): the data", "    volatile (bool): no graph,", "        as on 0.3", "Returns: it"],
            ["Args:", "    x (Tensor): the data", "Returns: it"],
        ),
        (["Args:", "    volatile: no graph", "", "Returns: it"], ["", "Returns: it"]),
        ([":param x: the data", ":param bool volatile: no graph", ":type volatile: bool"], [":param x: the data"]),
        (
            ["Parameters", "----------", "x : Tensor", "volatile : bool", "    No graph.", "", "Returns it"],
            ["Parameters", "----------", "x : Tensor", "", "Returns it"],
        ),
        (["Args:", "    - x: the data", "    - volatile: no graph", "      as on 0.3", "    * y: none"],
         ["Args:", "    - x: the data", "    * y: none"]),
        (["Args:", "    `x`: the data", "    `volatile` (bool): no graph"], ["Args:", "    `x`: the data"]),
        (["- non-volatile: the data"], ["- non-volatile: the data"]),
        (["A volatile x: no graph."], ["A volatile x: no graph."]),
    ],
    ids=["google", "the only one", "sphinx", "numpy", "bullets", "quoted", "another word", "prose"],
)
def test_a_docstring_loses_the_entry_of_the_parameter(before: list[str], after: list[str]) -> None:
    def function(signature: str, lines: list[str], flag: str) -> str:
        text = "\n".join(f"    {line}".rstrip() for line in lines)
        return f'def to_var(x{signature}):\n    """Makes one.\n\n{text}\n    """\n    return Variable(x{flag})\n'

    becomes(
        function(", volatile=False", before, ", volatile=volatile") + USE.format(", volatile=True"),
        function("", after, "") + BLOCK,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["The data stay.", "", "If volatile is set, no graph is kept.", "", "Returns: it"],
         ["The data stay.", "", "Returns: it"]),
        (["The data stay.", "If volatile is set, no graph", "is kept, as on 0.3.", "Returns it."],
         ["The data stay.", "Returns it."]),
        (["`volatile` is True for pictures that are looked at."], []),
        (["If volatile inputs come in, they stay."], ["If volatile inputs come in, they stay."]),
        (["If volatile is set, no graph. Else x is kept."], ["If volatile is set, no graph. Else x is kept."]),
        (["The data, and", "volatile is what they are."], ["The data, and", "volatile is what they are."]),
        (["A volatile, cheap copy."], ["A volatile, cheap copy."]),
        (["Of data: volatile is not one."], ["Of data: volatile is not one."]),
    ],
    ids=["paragraph", "lines", "quoted", "another's", "more than that", "in a sentence", "an adjective", "aside"],
)
def test_a_docstring_loses_the_sentence_that_tells_what_the_parameter_does(before: list[str], after: list[str]) -> None:
    def function(signature: str, lines: list[str], flag: str) -> str:
        text = "".join(f"    {line}".rstrip() + "\n" for line in ["", *lines] if line or lines)
        return f'def to_var(x{signature}):\n    """Makes one.\n{text}    """\n    return Variable(x{flag})\n'

    becomes(
        function(", volatile=False", before, ", volatile=volatile") + USE.format(", volatile=True"),
        function("", after, "") + BLOCK,
    )


ONE_LINE = [
    ('"""volatile: no graph"""', None),
    ('""" If volatile is setted False, it will keep the graph."""', None),
    ("'Makes tensors. If volatile, it keeps no graph.'", "'Makes tensors.'"),
    ('"""Makes tensors. A `volatile` is for inference. Slow."""', '"""Makes tensors. Slow."""'),
    ('"""Makes volatile ones."""', '"""Makes volatile ones."""'),
    ('"""Makes one, if volatile is set without a graph."""', '"""Makes one, if volatile is set without a graph."""'),
    ('r"""If volatile is set, it keeps no graph."""', 'r"""If volatile is set, it keeps no graph."""'),
]


@pytest.mark.parametrize(("said", "left"), ONE_LINE, ids=[said for said, _ in ONE_LINE])
def test_so_does_one_of_one_line_and_goes_where_nothing_else_is_said(said: str, left: str | None) -> None:
    becomes(
        f"def to_var(x, volatile=False):\n    {said}\n    return Variable(x, volatile=volatile)\n"
        + USE.format(", volatile=True"),
        f"def to_var(x):\n{f'    {left}' if left else ''}{chr(10) if left else ''}    return Variable(x)\n" + BLOCK,
    )


@pytest.mark.parametrize(("said", "goes"), [
    ("If test is True, no graph is kept.", True), ("When `test`, no graph is kept.", True),
    ("The test is run first.", False), ("If test is red, it is a failure.", False),
])
def test_a_parameter_of_another_name_may_be_any_word(said: str, goes: bool) -> None:
    kept = "" if goes else f'    """{said}"""\n'
    becomes(
        f'def to_var(x, test=False):\n    """{said}"""\n    return Variable(x, volatile=test)\n'
        + USE.format(", test=True"),
        f"def to_var(x):\n{kept}    return Variable(x)\n" + BLOCK,
    )


def test_a_docstring_that_somebody_reads_stays() -> None:
    becomes(
        'def to_var(x, volatile=False):\n    """volatile: no graph"""\n    return Variable(x, volatile=volatile)\n'
        + USE.format(", volatile=True") + "\n\nprint(g.__doc__)\n",
        'def to_var(x):\n    """volatile: no graph"""\n    return Variable(x)\n' + BLOCK
        + "\n\nprint(g.__doc__)\n",
    )


def test_so_does_that_of_a_function_with_a_decorator() -> None:
    becomes(
        'class Box:\n    @staticmethod\n    def to_var(x, volatile=False):\n        """volatile: no graph"""\n'
        '        return Variable(x, volatile=volatile)\n\n    def show(self, net, x):\n'
        '        return net(Box.to_var(x, volatile=True)).data\n',
        'class Box:\n    @staticmethod\n    def to_var(x):\n        """volatile: no graph"""\n'
        '        return Variable(x)\n\n    def show(self, net, x):\n'
        '        with torch.no_grad():\n            return net(Box.to_var(x)).data\n',
    )
