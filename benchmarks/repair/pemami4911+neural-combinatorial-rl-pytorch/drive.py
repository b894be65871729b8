import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
os.makedirs("data")
stand.module("tensorboard_logger")
small = ["--train_size", 8, "--val_size", 4, "--batch_size", 4, "--embedding_dim", 6, "--hidden_dim", 6]
more = ["--use_cuda", "False", "--log_step", 1, "--disable_progress_bar", "True"]
stand.run("trainer.py", "--task", "sort_4", *small, *more)
