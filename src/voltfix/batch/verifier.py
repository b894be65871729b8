"""One runner of the verifier for all jobs of a slot: torch is loaded once, not once for each repository.

The runner is started by the slot and inherited by the children that it forks, one after the other. It keeps
its own sandbox and its own limits for what it runs. After a job that was ended in the middle nobody knows
what the runner is about to say, so it is replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltfix.batch.model import Outcome, Task
from voltfix.core import migrate

if TYPE_CHECKING:
    from voltfix.verify.client import Client

SAMPLE = b"""import torch
from torch.autograd import Variable
def evaluate(net, loader):
    for data in loader:
        data = Variable(data, volatile=True)
        print(net(data).data)
"""
_ENDED = ("time-limit", "memory-limit", "crash")


def ready(task: Task) -> None:
    """See to it that a runner is up, if the task may ask it."""
    from voltfix.verify import client

    if "--no-verify" in task.settings.arguments or not client.available():
        return
    if not client.shared().alive():
        _start(client.shared())


def _start(runner: Client) -> None:
    from functools import partial

    from voltfix.verify.client import verify

    runner.close()
    migrate({"sample.py": SAMPLE}, None, partial(verify, device="cpu"))
    runner.lend()


def after(outcome: Outcome) -> None:
    """Give up a runner that a job was perhaps ended in the middle of talking to."""
    from voltfix.verify import client

    if outcome.cause in _ENDED:
        client.shared().kill()
