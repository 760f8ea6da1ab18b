# Two commands do everything on a fresh machine: `make compare` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: compare tune test check benchmark clean

compare: $(INSTALLED)
	$(BIN)/python compare.py

tune: $(INSTALLED)
	$(BIN)/python compare.py --tune-lr 3 --seeds 0 --output tuning-report

test: $(INSTALLED)
	$(BIN)/python -m pytest

check: $(INSTALLED)
	.ci/run

benchmark: $(INSTALLED)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build *.egg-info

# torch comes first and alone: with its exact version pinned, pip takes the build that fits this machine.
$(INSTALLED): setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev,hf,onnx]"
	touch $(INSTALLED)
