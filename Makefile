# make demo needs nothing but Python 3.11 and make test chromium and Java as well: both set up by themselves.
PYTHON ?= python3.11
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
export PYTHONHASHSEED := 0
export MPLBACKEND := Agg

.PHONY: help setup demo test test-quick lint bench audit clean

help:
	@echo "make demo    set up, run the main jobs on built-in data, leave pages to open in demo/"
	@echo "make test    set up, lint, run every test"
	@echo "make lint    ruff and mypy"
	@echo "make audit   attack every mechanism with real noise, and the broken ones; pages in demo/ (five minutes; EFFORT=8: more power)"
	@echo "make bench   every figure we claim, side by side with its peers (takes long; --quick: make bench QUICK=1)"

setup: $(READY)

$(READY): pyproject.toml scripts/setup
	@PYTHON="$(PYTHON)" sh scripts/setup "$(VENV)"
	@touch $@

demo: $(READY)
	@$(RUN) examples/demo.py demo

test: lint
	@sh scripts/programs
	$(RUN) -m pytest -n 2 --dist worksteal

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(READY)
	$(RUN) -m benchmarks $(if $(QUICK),--quick,)

# The broken ones first: an audit that does not catch them proves nothing about the sound ones.
audit: $(READY)
	@mkdir -p demo && rm -f demo/audit.html demo/audit-broken.html
	$(VENV)/bin/entrenous attack audit --broken --out demo/audit-broken.html
	$(VENV)/bin/entrenous attack audit --effort $(or $(EFFORT),3) --out demo/audit.html

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
