"""What a migration is for: memory and time of an evaluation loop on today's torch, before and after voltfix.

    python benchmarks/memory.py [--device cpu|cuda] [--batches N] [--repeat N]

The loops below are written for PyTorch 0.3. Today's torch ignores ``volatile=True``: the loop runs, and keeps the
graph of every batch. voltfix migrates the text here and now; both versions run in processes of their own. Memory is
the peak above what the process held before the loop: resident memory on the CPU, allocated memory on CUDA. Time is
CPU time on the CPU (one thread), wall clock on CUDA. Printed are medians, and before / after as a ratio.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import subprocess
import sys
import time
import warnings
from typing import Any

HEAD = """import torch
import torch.nn.functional as F
from torch.autograd import Variable


"""
LOOPS = {
    "scores each batch": """def evaluate(model, batches):
    model.eval()
    correct = 0
    for data, target in batches:
        data, target = Variable(data, volatile=True), Variable(target)
        output = model(data)
        correct += (output.max(1)[1] == target).data.sum()
    return correct
""",
    "sums the loss": """def evaluate(model, batches):
    model.eval()
    total = 0
    for data, target in batches:
        data, target = Variable(data, volatile=True), Variable(target)
        total += F.cross_entropy(model(data), target)
    return total
""",
}
WIDTH, SIZE, BATCH, DEPTH = 32, 32, 32, 12


def migrated(text: str) -> str:
    """What voltfix makes of a loop; raises if it leaves a site behind."""
    from voltfix.core import migrate
    from voltfix.model import Options

    result = migrate({"loop.py": text.encode()}, Options(), None)
    if not result.outputs or any(site.status != "fixed" for site in result.sites):
        raise SystemExit(f"voltfix did not migrate the loop: {result.sites}")
    return result.outputs["loop.py"].decode()


# --- one measurement, in a process of its own --------------------------------------------------------------


def network(torch: Any) -> Any:
    """A plain convolutional network without pooling: its activations are what takes memory."""
    nn = torch.nn
    parts = [nn.Conv2d(3, WIDTH, 3, padding=1), nn.ReLU()]
    for _ in range(DEPTH - 1):
        parts += [nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.BatchNorm2d(WIDTH), nn.ReLU()]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTH, 10))


def resident() -> int:
    """The most memory that this process ever held, in bytes (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(text: str, device: str, batches: int) -> dict[str, float]:
    """Seconds and peak bytes of one loop, and what it computed."""
    import torch

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    scope: dict[str, Any] = {}
    exec(text, scope)
    model = network(torch).to(device)
    data = [(torch.randn(BATCH, 3, SIZE, SIZE), torch.randint(10, (BATCH,))) for _ in range(batches)]
    data = [(x.to(device), y.to(device)) for x, y in data]
    with torch.no_grad():  # libraries load: what both loops need
        model.eval()(data[0][0][:1])
    gc.collect()
    cuda = device.startswith("cuda")
    if cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    held = torch.cuda.memory_allocated() if cuda else resident()
    clock = time.perf_counter if cuda else time.process_time  # what else the machine does is no part of it
    started = clock()
    result = scope["evaluate"](model, data)
    if cuda:
        torch.cuda.synchronize()
    seconds = clock() - started
    peak = (torch.cuda.max_memory_allocated() if cuda else resident()) - held
    return {"seconds": seconds, "bytes": peak, "result": float(result)}


def in_child(text: str, device: str, batches: int) -> dict[str, float]:
    """``measure`` in a fresh process."""
    command = [sys.executable, __file__, "--child", "--device", device, "--batches", str(batches)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout)
    return found


# --- the table ---------------------------------------------------------------------------------------------


def compared(text: str, device: str, batches: int, repeat: int) -> list[dict[str, float]]:
    """Medians of the loop before and after; their results have to agree."""
    versions = text, migrated(text)
    runs = [[in_child(version, device, batches) for version in versions] for _ in range(repeat)]
    if any(before["result"] != after["result"] for before, after in runs):
        raise SystemExit("before and after computed different things")
    return [
        {name: statistics.median(pair[side][name] for pair in runs) for name in ("seconds", "bytes")} for side in (0, 1)
    ]


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(measure(sys.stdin.read(), asked.device, asked.batches)))
        return
    print(f"{asked.batches} batches of {BATCH} images of {SIZE} x {SIZE}, {DEPTH} convolutions, {asked.device}\n")
    print("| loop | peak memory before | after | ratio | time before | after | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, text in LOOPS.items():
        before, after = compared(HEAD + text, asked.device, asked.batches, asked.repeat)
        memory = before["bytes"] / max(1.0, after["bytes"])
        speed = before["seconds"] / after["seconds"]
        row = [f"{each['bytes'] / 2**20:.0f} MiB" for each in (before, after)] + [f"{memory:.1f}"]
        row += [f"{each['seconds']:.2f} s" for each in (before, after)] + [f"{speed:.2f}"]
        print(f"| {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
