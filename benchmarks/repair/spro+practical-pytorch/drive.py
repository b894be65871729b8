import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.module("unidecode", unidecode=str)
os.makedirs("data/names")
os.makedirs("here")
for name, words in (("Here", ["Anna", "Berta"]), ("There", ["Olaf", "Nils"]), ("Far", ["Yuki", "Kenji"])):
    with open(f"data/names/{name}.txt", "w") as handle:
        handle.write("\n".join(words))
os.chdir("here")
stand.run("char-rnn-classification/train.py", n_epochs=12, print_every=4, plot_every=3)
stand.run("char-rnn-classification/predict.py", "Anna")
stand.run("conditional-char-rnn/train.py", n_epochs=12, print_every=4, plot_every=3)
with open("text.txt", "w") as handle:
    handle.write("What the Whale sang, A. And so it went on. " * 10)
stand.run("char-rnn-generation/train.py", "text.txt", "--n_epochs", 3, "--print_every", 1, "--hidden_size", 5)
