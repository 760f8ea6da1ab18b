"""Train recipes under one budget and write a report: `python compare.py`; see `--help`."""

import sys

from lit_roberta.comparison.cli import main

if __name__ == "__main__":
    sys.exit(main())
