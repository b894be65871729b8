"""An alarm of the verifier is shown again before a change is taken back: with what is imported and who imports it at
hand, and alone."""

from __future__ import annotations

from collections.abc import Sequence

from voltfix import core
from voltfix.model import Options, Verification
from voltfix.verify.plan import Item

HEAD = "import torch\nfrom torch.autograd import Variable\nfrom tools import show\n"
ONE = "def one(net, x):\n    return show(net(Variable(x, volatile=True)))\n"
TWO = "def two(net, x):\n    return show(net(Variable(x, volatile=True)))\n"
FILES = {"a.py": (HEAD + ONE + TWO).encode(), "tools.py": b"def show(x):\n    return x.data\n"}

SAME, DIFFERENT = Verification("symbolic", "identical"), Verification("symbolic", "different", detail="it differs")


class Asked:
    """A verifier that answers as it is told, round by round, and remembers what it was asked."""

    def __init__(self, *answers: dict[str, Verification]) -> None:
        self.answers, self.rounds = list(answers), []

    def __call__(self, items: Sequence[Item]) -> list[Verification]:
        self.rounds.append(list(items))
        told = self.answers.pop(0) if self.answers else {}
        return [told.get(item.touched[0][1], SAME) for item in items]


def statuses(verifier: Asked) -> list[str]:
    result = core.migrate(FILES, Options(), verifier)
    return [site.status for site in result.sites]


def test_an_alarm_that_is_not_shown_again_with_the_imported_modules_at_hand_is_none():
    verifier = Asked({"one": DIFFERENT})
    assert "refused" not in statuses(verifier)
    assert [sorted(item.before) for item in verifier.rounds[1]] == [["a.py", "tools.py"]]
    assert verifier.rounds[1][0].before["tools.py"] == verifier.rounds[1][0].after["tools.py"]


def test_those_that_import_a_blamed_module_are_at_hand_as_they_become():
    caller = b"from torch.autograd import Variable\nfrom a import one\ndef three(net, x):\n    return one(net, x)\n"
    plain = b"def four(net, x):\n    return net(Variable(x, volatile=True)).data\n"
    files = {**FILES, "main.py": caller + plain, "other.py": b"import tools\n"}
    verifier = Asked({"one": DIFFERENT})
    result = core.migrate(files, Options(), verifier)
    (again,) = verifier.rounds[1]
    assert sorted(again.before) == ["a.py", "main.py", "tools.py"]
    assert again.before["main.py"] == (caller + plain).decode()
    assert again.after["main.py"] == result.outputs["main.py"].decode()
    assert "main.py" not in verifier.rounds[0][0].before


def test_an_alarm_that_is_shown_again_takes_the_change_back():
    again = {"one": DIFFERENT}
    assert statuses(Asked(again, again, again)).count("refused") == 1


def test_a_change_that_differs_only_beside_another_one_that_does_is_not_blamed():
    both = {"one": DIFFERENT, "two": DIFFERENT}
    verifier = Asked(both, both, {"two": DIFFERENT})
    assert statuses(verifier).count("refused") == 1
    alone = {item.touched[0][1]: item for item in verifier.rounds[2]}
    assert "def two(net, x):\n    return show(net(Variable(x, volatile=True)))" in alone["one"].after["a.py"]
    assert alone["one"].rest == "legacy"


def test_changes_that_differ_only_together_are_taken_back():
    both = {"one": DIFFERENT, "two": DIFFERENT}
    assert statuses(Asked(both, both)).count("refused") == 2


OPEN = Verification("symbolic", detail="a.py: one: the flag was never on (line 4)")
CALLER = b"from a import one\ndef three(net, x):\n    return one(net, x)\n"


def verdicts(verifier: Asked, **files: bytes) -> list[str]:
    result = core.migrate({**FILES, **{f"{name}.py": text for name, text in files.items()}}, Options(), verifier)
    return [site.verification.cpu for site in result.sites]


def test_what_could_not_be_told_is_asked_again_with_those_that_import_it_at_hand():
    verifier = Asked({"one": OPEN})
    assert verdicts(verifier, main=CALLER) == ["identical", "identical"]
    (again,) = verifier.rounds[1]
    assert sorted(again.before) == ["a.py", "main.py", "tools.py"]


def test_what_nobody_imports_is_not_asked_again():
    verifier = Asked({"one": OPEN})
    assert verdicts(verifier) == ["not-run", "identical"]
    assert len(verifier.rounds) == 1


def test_a_difference_that_is_seen_once_is_no_alarm():
    verifier = Asked({"one": OPEN}, {"one": DIFFERENT})
    assert verdicts(verifier, main=CALLER) == ["not-run", "identical"]
    assert len(verifier.rounds) == 2


def test_what_took_too_long_is_not_asked_again():
    verifier = Asked({"one": Verification("symbolic", detail="a.py: one: more than 4000 operations")})
    assert verdicts(verifier, main=CALLER) == ["not-run", "identical"]
    assert len(verifier.rounds) == 1


MOVING = (HEAD + ONE.replace("    return", "    x = x.cuda(async=True)\n    return")).encode()


def moved(verifier: Asked, **files: bytes) -> tuple[list[str], dict[str, bytes]]:
    more = {f"{name}.py": text for name, text in files.items()}
    result = core.migrate({**FILES, "a.py": MOVING, **more}, Options(), verifier)
    return [site.verification.cpu for site in result.sites], dict(result.outputs)


def test_after_the_rules_that_modernize_it_is_asked_again_with_those_that_import_it_at_hand():
    verifier = Asked({"one": OPEN}, {}, {"one": OPEN})
    told, outputs = moved(verifier, main=CALLER)
    assert told == ["identical"]
    assert b"non_blocking=True" in outputs["a.py"]
    assert sorted(verifier.rounds[3][0].before) == ["a.py", "main.py", "tools.py"]
    assert "non_blocking=True" in verifier.rounds[3][0].after["a.py"]


def test_what_is_not_told_there_stays_untold():
    verifier = Asked({"one": OPEN}, {}, {"one": OPEN}, {"one": OPEN})
    assert moved(verifier, main=CALLER)[0] == ["not-run"]
    verifier = Asked({"one": OPEN}, {"one": OPEN})
    assert moved(verifier)[0] == ["not-run"]
    assert len(verifier.rounds) == 2
