"""Train one recipe: `python train.py fit --config configs/roberta.yaml`; see `--help`."""

import sys

from lit_roberta.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
