"""VF213 to VF215: arrays that are ragged or run backwards, and what dropout gives back."""

from __future__ import annotations

import pytest

from modernize.support import becomes, stays

HEAD = "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    "rows",
    [
        "[['<s>'] + line.split() for line in f]",
        "[['<s>'] + [w for w in line.split() if w in known] + ['</s>'] for line in f]",
        "[line.split() if flag else ['<s>'] + keep(line) for line in f]",
    ],
)
def test_ragged_lists_of_words_are_objects(rows: str) -> None:
    becomes(f"{HEAD}a = np.array({rows})\n", f"{HEAD}a = np.array({rows}, dtype=object)\n", "VF213")
    named = f"{HEAD}def f(f, known, flag, keep):\n    rows = {rows}\n    return np.array(rows"
    becomes(f"{named})[1:]\n", f"{named}, dtype=object)[1:]\n", "VF213")


@pytest.mark.parametrize(
    "line",
    [
        "a = np.array([[float(w) for w in line.split()] for line in f])",
        "a = np.array([[0 for _ in range(3)] for _ in range(4)])",
        "a = np.array([[1, 2], [3, 4]])",
        "a = np.array([len(line.split()) for line in f])",
        "a = np.array([line.split() for line in f], dtype=object)",
        "a = torch.tensor([line.split() for line in f])",
        "a = np.array([[1 if w else 0 for w in line] for line in f])",
        "a = array([line.split() for line in f])",
        "rows = [line.split() for line in f]\nrows = pad(rows)\na = np.array(rows)",
    ],
)
def test_other_lists_stay(line: str) -> None:
    stays(f"{HEAD}{line}\n", "VF213")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p = nn.utils.rnn.pack_padded_sequence(x, np.sort(n)[::-1])",
         "p = nn.utils.rnn.pack_padded_sequence(x, np.sort(n)[::-1].copy())"),
        ("n = np.sort(n)[::-1]\np = nn.utils.rnn.pack_padded_sequence(x, n)",
         "n = np.sort(n)[::-1]\np = nn.utils.rnn.pack_padded_sequence(x, n.copy())"),
        ("n, i = np.sort(n)[::-1], np.argsort(n)\np = nn.utils.rnn.pack_padded_sequence(x, n)",
         "n, i = np.sort(n)[::-1], np.argsort(n)\np = nn.utils.rnn.pack_padded_sequence(x, n.copy())"),
        ("t = torch.from_numpy(np.zeros(3)[::-1])", "t = torch.from_numpy(np.zeros(3)[::-1].copy())"),
    ],
)  # fmt: skip
def test_reversed_arrays_are_copied(before: str, after: str) -> None:
    becomes(f"{HEAD}{before}\n", f"{HEAD}{after}\n", "VF214")


@pytest.mark.parametrize(
    "line",
    [
        "p = nn.utils.rnn.pack_padded_sequence(x, lengths[::-1])",
        "p = nn.utils.rnn.pack_padded_sequence(x, list(n)[::-1])",
        "p = nn.utils.rnn.pack_padded_sequence(x, np.sort(n)[::2])",
        "p = nn.utils.rnn.pack_padded_sequence(x, np.sort(n)[::-1].copy())",
        "p = pack(x, np.sort(n)[::-1])",
        "p = np.dot(x, np.sort(n)[::-1])",
    ],
)
def test_other_slices_stay(line: str) -> None:
    stays(f"{HEAD}{line}\n", "VF214")


DROP = """\
class W:
    def set(self, name, raw):
        w = F.dropout(raw, p=0.5, training=self.training){}
        {}
"""


def test_what_setattr_sets_is_cloned() -> None:
    source, after = (HEAD + DROP.format(end, "setattr(self.module, name, w)") for end in ("", ".clone()"))
    becomes(source, after, "VF215")


@pytest.mark.parametrize(
    "use",
    ["return w", "self.w = w", "setattr(self.module, name, w * 2)", "put(self.module, name, w)"],
)
def test_other_uses_of_dropout_stay(use: str) -> None:
    stays(HEAD + DROP.format("", use), "VF215")


def test_an_own_setattr_is_not_pythons() -> None:
    stays(f"{HEAD}def setattr(a, b, c): pass\nsetattr(m, 'w', F.dropout(raw))\n", "VF215")
