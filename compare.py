"""Train recipes under one budget and write a report: `python compare.py`; see `--help`."""

import sys

from lit_roberta.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["compare", *sys.argv[1:]]))
