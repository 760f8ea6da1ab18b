"""Train one recipe: `python train.py fit --config configs/roberta.yaml`; see `--help`."""

import sys

from lit_roberta.training.cli import main

if __name__ == "__main__":
    sys.exit(main())
