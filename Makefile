# Two commands do everything on a fresh machine: `make compare` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: compare tune test check benchmark clean

compare: $(INSTALLED)
	$(BIN)/python compare.py

tune: $(INSTALLED)
	$(BIN)/python compare.py --tune-lr 3 --seeds 0 --output tuning-report

# A file of tests at a time on each core; one thread each, or two runs on two cores wait for one another.
test: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

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
