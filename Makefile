# make run    environment, mesh, the PMMA block with both schemes, tables and figures in results/
# make test   environment, the test suite
# make check  formatting, lint, types
# make slow   the long studies
# make bench  the step, the sweep and the elimination against bare linear algebra, the steps of all schemes side by side

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/fem-contact

.PHONY: run test check slow bench clean

run: $(VENV)/.installed
	mkdir -p results
	$(RUN) run pmma_sliding_block -o results/fremond.h5 --overwrite
	$(RUN) run pmma_sliding_block -o results/moreau-jean.h5 --overwrite --set scheme.name=moreau-jean
	$(RUN) show results/fremond.h5 results/moreau-jean.h5
	$(RUN) plot results/fremond.h5 results/moreau-jean.h5 -o results

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m "not slow"

slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m slow

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.step
	$(BIN)/python -m benchmarks.sweep
	$(BIN)/python -m benchmarks.elimination
	$(BIN)/python -m benchmarks.schemes

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "fem_contact needs Python 3.11 or newer; give one with: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,check]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf results .pytest_cache .hypothesis .mypy_cache .ruff_cache
