"""Who may call a function: what is loaded with it, and not what runs in another process."""

from __future__ import annotations

import pytest
from solving import files_stay, migrated_files, refusals

SHOW = """
    import common


    class Tools(object):
        def wrap(self, t, off=True):
            return Variable(t, volatile=off)


    def main(net, t):
        print(net(Tools().wrap(t)).data)


    main(common.net(), common.data())
    """
TRAIN = """
    import common


    def run(job, net, t):
        return net(job.wrap(t)).data


    run(common.job(), common.net(), common.data())
    """
COMMON = """
    def data():
        return read('data.bin')
    """


def test_a_script_calls_nothing_of_another_script() -> None:
    files = {"show.py": SHOW, "train.py": TRAIN, "common.py": COMMON}
    result, after = migrated_files(files)
    assert not refusals(result)
    assert set(result.outputs) == {"show.py"}
    assert "def wrap(self, t):" in after["show.py"]


@pytest.mark.parametrize("joins", [
    "import show, train", "import show\n__import__(name)",
    "import importlib\nimport train\nimportlib.import_module(name)",
    "def later():\n    from show import main\n    from train import run\n    run(main)",
])
def test_a_script_that_a_third_file_loads_with_another_one_may_call_what_is_in_it(joins: str) -> None:
    files_stay({"show.py": SHOW, "train.py": TRAIN, "common.py": COMMON, "all.py": joins}, "unseen-callers")


def test_what_both_import_may_be_called_by_each() -> None:
    tools, main = SHOW.split("    def main")
    shared = {"show.py": "    import common\n    from shared import Tools\n\n    def main" + main, "shared.py": tools,
              "train.py": TRAIN, "common.py": COMMON + "\n    import shared\n"}
    files_stay(shared, "unseen-callers")
