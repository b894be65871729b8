import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
os.makedirs("data")
stand.words("data/train.txt", 30)
stand.words("data/test.txt", 20)
stand.run(
    "pytorch/train.py",
    "--data_path",
    "data",
    "--no_earlystopping",
    "--epochs",
    2,
    "--batch_size",
    10,
    "--emsize",
    4,
    "--nhidden",
    5,
    "--arch_g",
    "6-6",
    "--arch_d",
    "6-6",
    "--z_size",
    3,
    "--log_interval",
    1,
)
