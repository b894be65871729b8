"""What the recorded runs load before they fork, once a run."""

from voltfix.processes.lasting import for_life
from voltfix.verify import pages


def prepare():
    """Load torch and the emulation of 0.3 for the life of the process, on pages of which forks are cheap."""
    with for_life():
        import torch
        import torch._dynamo

        import voltfix.verify.legacy
        import voltfix.verify.legacy_source

    _ = voltfix
    torch.set_num_threads(1)
    pages.collapse()
