import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
os.makedirs("data")
stand.words("data/train.txt", 20)
stand.words("data/test.txt", 10)
stand.run("train_word_embeddings.py", "--num-iterations", 4, "--batch-size", 3, "--num-sample", 2, "--use-cuda", "")
stand.run("train.py", "--num-iterations", 2, "--batch-size", 3, "--use-cuda", "")
stand.run("sample.py", "--num-sample", 2, "--use-cuda", "")
