"""``voltfix doctor`` names no line of Python 2 that Python 3 never runs, or that provides for both."""

from __future__ import annotations

import pytest

from voltfix.model import Options
from voltfix.pipeline.obstacles import examine


def old(source: str, **others: str) -> list[int]:
    files = {"a.py": source, **{f"{name}.py": text for name, text in others.items()}}
    found = examine({path: text.encode() for path, text in files.items()}, Options(modernize=True))
    return [obstacle.line for obstacle in found if obstacle.path == "a.py" and obstacle.kind == "python-2"]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n",
        "try:\n    import cPickle as pickle\nexcept:\n    import pickle\n",
        "try:\n    from StringIO import StringIO\nexcept (ImportError, OSError):\n    from io import StringIO\n",
        "try:\n    import queue\nexcept ImportError:\n    import Queue as queue\n",
        "try:\n    input = raw_input\nexcept NameError:\n    pass\n",
        "try:\n    unicode_type = str\nexcept NameError:\n    unicode_type = unicode\n",
        "try:\n    pairs = d.iteritems()\nexcept AttributeError:\n    pairs = d.items()\n",
        "import sys\nif sys.version_info[0] == 2:\n    import Queue as queue\nelse:\n    import queue\n",
        "import sys\nif sys.version_info >= (3, 0):\n    import queue\nelse:\n    import Queue as queue\n",
        "import sys\nif sys.version_info.major < 3:\n    x = xrange(3)\n",
        "from sys import version_info\nPY2 = version_info[0] == 2\nif PY2:\n    x = xrange(3)\n",
        "import sys\nnames = d.iterkeys() if sys.version[0] == '2' else d.keys()\n",
        "import sys\nif not sys.version_info > (3,):\n    print(unicode('x'))\n",
        "import sys\nif n and sys.version_info[0] == 2:\n    x = xrange(3)\n",
        "import six\nif six.PY2:\n    x = unichr(3)\n",
        "import sys\ndef pairs(d):\n    if sys.version_info[0] >= 3:\n        return d.items()\n"
        "    return d.iteritems()\n",
        "import sys\ndef f(xs):\n    for x in xs:\n        if sys.version_info[:2] > (2, 7):\n            continue\n"
        "        x.has_key(1)\n",
        "from other import PY2\nif PY2:\n    x = xrange(3)\n",
    ],
)  # fmt: skip
def test_what_provides_for_both_is_not_listed(source: str) -> None:
    assert old(source, other="import sys\nPY2 = sys.version_info[0] < 3\n") == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("try:\n    import cPickle\nexcept ImportError:\n    raise RuntimeError('no pickle')\n", 2),
        ("try:\n    import cPickle\nexcept KeyError:\n    import pickle\n", 2),
        ("try:\n    import cPickle\nfinally:\n    import pickle\n", 2),
        ("try:\n    import cPickle\n    main()\nexcept Exception:\n    print('failed')\n", 2),
        ("try:\n    import ujson as pickle\nexcept ImportError:\n    import cPickle as pickle\n", 4),
        ("try:\n    pass\nexcept ImportError:\n    pass\nelse:\n    import cPickle\n", 6),
        ("try:\n    for pair in d.iteritems():\n        run(pair)\nexcept Exception as error:\n    print(error)\n", 2),
        ("import sys\nif sys.version_info[0] >= 3:\n    x = xrange(3)\n", 3),
        ("import sys\nif sys.version_info[0] == 2:\n    pass\nelse:\n    x = xrange(3)\n", 5),
        ("import sys\nif n or sys.version_info[0] == 2:\n    x = xrange(3)\n", 3),
        ("DEBUG = False\nif DEBUG:\n    x = xrange(3)\n", 3),
        ("def f():\n    if True:\n        return 1\n    return xrange(3)\n", 4),
        ("import sys\nif sys.platform == 'linux2':\n    x = xrange(3)\n", 3),
        ("import sys\nif len(sys.argv) > 2:\n    x = xrange(3)\n", 3),
        ("import sys\nPY2 = sys.version_info[0] == 2\nPY2 = True\nif PY2:\n    x = xrange(3)\n", 5),
        ("import sys\ndef f(d):\n    if sys.version_info[0] >= 3:\n        print(3)\n    return d.iteritems()\n", 5),
        ("import sys\ndef f(d):\n    if sys.version_info[0] < 3:\n        return d\n    return d.iteritems()\n", 5),
    ],
)  # fmt: skip
def test_what_python_3_gets_to_is_listed(source: str, line: int) -> None:
    assert old(source) == [line]


OWN = "class Alphabet(object):\n    def iteritems(self):\n        return iter(self.pairs)\n"


def test_a_method_that_a_class_of_the_project_has_is_no_method_of_dictionaries() -> None:
    assert old("def show(alphabet):\n    return list(alphabet.iteritems())\n", other=OWN) == []


@pytest.mark.parametrize(
    "given", ["{1: 2}", "dict(a=1)", "vars(x)", "{k: 1 for k in x}", "collections.OrderedDict(x)"]
)
def test_asked_of_a_dictionary_it_is_one_whatever_classes_there_are(given: str) -> None:
    assert old(f"import collections\nlist({given}.iteritems())\n", other=OWN) == [2]
    assert old(f"import collections\nd = {given}\nlist(d.iteritems())\n", other=OWN) == [3]


def test_a_method_of_another_name_says_nothing() -> None:
    assert old("def show(d):\n    return list(d.itervalues())\n", other=OWN) == [2]
