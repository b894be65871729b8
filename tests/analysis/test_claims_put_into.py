"""What is put into what a caller handed in leaves to him, as what is returned does: his code may ask for the flag."""

from __future__ import annotations

import pytest
from solving import becomes, files_stay, stays

PUTS = {
    "a list": "out.append(Variable(t, volatile=True))",
    "several into a list": "out.extend([Variable(t, volatile=True), t])",
    "an item": 'out["x"] = Variable(t, volatile=True)',
    "an attribute": "out.x = Variable(t, volatile=True)",
    "a list in an attribute": "out.parts.append(Variable(t, volatile=True))",
    "a list in an item": "out[0].append(Variable(t, volatile=True))",
    "what is not there yet": 'out.setdefault("x", Variable(t, volatile=True))',
}


@pytest.mark.parametrize("put", PUTS.values(), ids=PUTS)
def test_a_flag_stays_where_the_tensor_goes_into_what_nobody_knows_who_handed_in(put: str) -> None:
    stays(f"""
        def fill(out, t):
            {put}
        """, "unseen-callers")


def test_a_flag_stays_in_a_file_whose_function_another_hands_on() -> None:
    files_stay({
        "a.py": "from torch.autograd import Variable\n\n\ndef fill(out, t):\n"
                "    out['x'] = Variable(t, volatile=True)\n",
        "b.py": "from a import fill\n\nimport tools\n\n\ndef main(loader):\n    tools.each(loader, fill)\n",
    }, "unseen-callers")


def test_a_caller_in_sight_has_the_block() -> None:
    becomes("""
        def fill(out, t):
            out.append(Variable(t, volatile=True))


        net = torch.nn.Linear(2, 2)
        found = []
        fill(found, torch.ones(2))
        print(net(found[0]))
        """, """
        def fill(out, t):
            out.append(Variable(t))


        net = torch.nn.Linear(2, 2)
        found = []
        fill(found, torch.ones(2))
        with torch.no_grad():
            print(net(found[0]))
        """)


def test_what_the_function_itself_has_a_use_for_has_its_block_there() -> None:
    becomes("""
        def fill(out, net, t):
            out.append(net(Variable(t, volatile=True)))
        """, """
        def fill(out, net, t):
            with torch.no_grad():
                out.append(net(Variable(t)))
        """)


def test_a_list_of_its_own_leaves_to_nobody() -> None:
    becomes("""
        def look(net, t):
            out = []
            out.append(Variable(t, volatile=True))
            return net(out[0]).data
        """, """
        def look(net, t):
            out = []
            out.append(Variable(t))
            with torch.no_grad():
                return net(out[0]).data
        """)
