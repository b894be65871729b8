import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.module("argcomplete")
sizes = ["-pcontroller_size=6", "-pmemory_n=5", "-pmemory_m=4", "-psequence_width=3", "-pnum_batches=4"]
more = ["--checkpoint-interval", 2, "--report-interval", 2, "--checkpoint-path", "."]
stand.run("train.py", "--task", "copy", *sizes, "-psequence_max_len=4", *more)
stand.run("train.py", "--task", "repeat-copy", *sizes, "-psequence_max_len=4", *more)
