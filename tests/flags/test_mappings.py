from __future__ import annotations

import pytest

from alone import node, project
from voltfix.flags.mappings import Holds, holds

KEYS = frozenset({"volatile"})


@pytest.mark.parametrize(("text", "found"), [
    ("{'volatile': True}", "YES"), ("{'other': 1}", "NO"), ("dict(volatile=v)", "YES"), ("options()", "UNKNOWN"),
])
def test_what_a_mapping_holds(text, found):
    code = project(main=f"f(**{text})")
    assert holds(code, "main.py", node(code, text), KEYS) is Holds[found]
