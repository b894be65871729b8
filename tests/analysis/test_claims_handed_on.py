"""What a library hands on, a loader gives and a container that nobody knows holds is as volatile as what came in."""

from __future__ import annotations

import pytest
from solving import becomes, covers, source

from helpers import migrated

LIBRARIES = "import collections\nimport itertools\nimport pickle\nimport random\nimport six\nfrom tqdm import tqdm\n\n"
ROWS = """
def look(net, lines):
    rows = [Variable(line, volatile=True) for line in lines]
    {line}
"""


@pytest.mark.parametrize("line", [
    "return [net(row).data for row in tqdm(rows)]",
    "return [net(row).data for _, row in enumerate(tqdm(zip(rows, rows), total=3))]",
    "return net(random.choice(rows)).data",
    "return [net(row).data for row in random.sample(rows, 3)]",
    "return [net(row).data for row in itertools.islice(itertools.chain(rows, rows), 3)]",
    "return [net(row).data for _, row in six.iteritems(dict(enumerate(rows)))]",
    "return net(pickle.loads(pickle.dumps(rows))[0]).data",
    "return net(collections.OrderedDict(zip(lines, rows))['a']).data",
])
def test_what_a_library_hands_back_of_what_is_volatile_is_volatile(line: str) -> None:
    covers(LIBRARIES + ROWS.format(line=line), inside=["net("], outside=["rows ="])


@pytest.mark.parametrize("line", [
    "random.shuffle(rows)\n    return len(rows)",
    "return random.choice(lines) + rows[0].size(0)",
    "return list(tqdm(lines)), [row.size() for row in tqdm(rows)]",
])
def test_nothing_is_computed_by_that(line: str) -> None:
    text = migrated(source(LIBRARIES + ROWS.format(line=line))).outputs["a.py"].decode()
    assert "volatile" not in text
    assert "no_grad" not in text


@pytest.mark.parametrize("gone_over", [
    "tqdm(pairs)", "itertools.chain(pairs, pairs)", "random.sample(pairs, 3)", "[random.choice(pairs)]"])
def test_what_stands_beside_it_is_what_it_was(gone_over: str) -> None:
    becomes(LIBRARIES + f"""
def fit(net, lines):
    pairs = [(Variable(line), Variable(line, volatile=True)) for line in lines]
    for one, other in {gone_over}:
        seen = net(other).data
        (net(one) - Variable(seen)).sum().backward()
""", LIBRARIES + f"""
def fit(net, lines):
    pairs = [(Variable(line), Variable(line)) for line in lines]
    for one, other in {gone_over}:
        with torch.no_grad():
            seen = net(other).data
        (net(one) - Variable(seen)).sum().backward()
""")


@pytest.mark.parametrize("made", ["collections.deque(maxlen=9)", "lines.store", "make()"])
@pytest.mark.parametrize(("put", "use"), [
    ("held.append(Variable(line, volatile=True))", "return net(held[0]).data"),
    ("held['a'].append(Variable(line, volatile=True))", "return [net(row).data for row in held['a']]"),
    ("held[len(lines)].append(Variable(line, volatile=True))", "return [net(row).data for row in held[3]]"),
])
def test_a_container_that_nobody_knows_holds_what_is_put_into_it(made: str, put: str, use: str) -> None:
    if made == "collections.deque(maxlen=9)" and "'" in put:
        return  # a queue has no words
    result = migrated(source(
        f"import collections\nfrom stores import make\n\ndef look(net, lines):\n    held = {made}\n"
        f"    for line in lines:\n        {put}\n    {use}\n"))
    text = result.outputs.get("a.py", b"").decode()
    read = "net(held" if "[0]" in use else "for row"
    assert not text or text.index("no_grad", text.index("append")) < text.index(read)


LOADER = """
import torch.utils.data

def collate(rows{more}):
    return Variable(torch.stack(rows), volatile={flag})

{maker}

def look(net, data):
    for rows in {asked}:
        print(net(rows).data)

def fit(net, data):
    for rows in torch.utils.data.DataLoader(data, collate_fn=torch.stack):
        net(Variable(rows)).sum().backward()
"""


@pytest.mark.parametrize(("maker", "asked"), [
    ("def loader(data):\n    return torch.utils.data.DataLoader(data, collate_fn=collate)", "loader(data)"),
    ("def loaders(data):\n    return 1, {'look': torch.utils.data.DataLoader(data, collate_fn=collate)}",
     "loaders(data)[1]['look']"),
    ("class Look(object):\n    def __init__(self, data):\n"
     "        self.rows = torch.utils.data.DataLoader(data, collate_fn=collate)", "Look(data).rows"),
    ("def loader(data):\n    return torch.utils.data.DataLoader(data, collate_fn=lambda rows: collate(rows))",
     "loader(data)"),
])
def test_what_a_loader_gives_is_volatile_wherever_it_was_made(maker: str, asked: str) -> None:
    covers(LOADER.format(more="", flag="True", maker=maker, asked=asked),
           inside=["print(net(rows)"], outside=["backward()"])


@pytest.mark.parametrize("off", ["True", "not fit", "fit is None"])
def test_so_it_is_where_the_flag_is_filled_in_beforehand(off: str) -> None:
    maker = ("from functools import partial\n\ndef loader(data, fit=None):\n"
             f"    return torch.utils.data.DataLoader(data, collate_fn=partial(collate, off={off}))")
    text = migrated(source(LOADER.format(more=", off", flag="off", maker=maker, asked="loader(data)"))).outputs[
        "a.py"].decode()
    assert text.count("torch.no_grad()") == 1
    assert text.index("no_grad") < text.index("print(net")
