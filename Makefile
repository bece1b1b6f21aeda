# make demo needs nothing but Python 3.11 and make test chromium and Java as well: both set up by themselves.
PYTHON ?= python3.11
VENV := .venv
RUN := $(VENV)/bin/python
PYTEST := $(RUN) -m pytest -n logical --dist worksteal
DEMO := $(VENV)/.demo
READY := $(VENV)/.ready
SETUP := pyproject.toml requirements.lock scripts/setup
export PYTHONHASHSEED := 0
export MPLBACKEND := Agg
# Many images of Python forbid it to keep what it compiled: every process would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test quick lint ruff bench audit thorough versions lock dist clean

help:
	@echo "make demo    set up, run the main jobs on built-in data, leave pages to open in demo/"
	@echo "make test    set up, lint, run every test but those of make audit and make thorough (twelve minutes)"
	@echo "make quick   what can be tested in two minutes, while you work"
	@echo "make lint    ruff and mypy"
	@echo "make audit   attack every mechanism with real noise, and the broken ones; plant every fault; pages in demo/ (ten minutes; EFFORT=8: more power)"
	@echo "make thorough  what takes long and attacks no mechanism: machines lost by Spark, all pairs of worlds of sealed answers, new examples for every property (an hour)"
	@echo "make bench   every figure we claim, side by side with its peers (takes long; --quick: make bench QUICK=1)"
	@echo "make versions  the built wheel in a bare environment, with each of Python 3.11 to 3.13 that is there"
	@echo "make lock    renew requirements.lock: the newest versions of everything the tests install"
	@echo "make dist    a wheel and a source archive in dist/"

setup: $(READY)

# The demo needs less than half of what the tests need; both share one environment.
$(DEMO): $(SETUP)
	@PYTHON="$(PYTHON)" sh scripts/setup "$(VENV)" plots,words
	@touch $@

$(READY): $(SETUP)
	@PYTHON="$(PYTHON)" sh scripts/setup "$(VENV)" dev
	@touch $(DEMO) $@

demo: $(DEMO)
	@$(RUN) examples/demo.py demo

test: ruff
	@sh scripts/programs
	sh scripts/test $(RUN)

quick: ruff
	$(PYTEST) -m "not (audit or browser or data or documents or faults or long or postgres or spark or thorough or wheel)"

# The wheel in a bare environment, with every Python that is there.
versions: $(READY)
	ENTRENOUS_PYTHONS="$(strip $(foreach minor,11 12 13,$(shell python3.$(minor) -c "import sys; print(sys.executable)" 2>/dev/null)))" $(RUN) -m pytest -m wheel

lint: ruff
	$(VENV)/bin/mypy

ruff: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

bench: $(READY)
	$(RUN) -m benchmarks $(if $(QUICK),--quick,)

# The broken ones first: an audit that does not catch them proves nothing about the sound ones.
audit: $(READY)
	@sh scripts/programs
	@mkdir -p demo && rm -f demo/audit.html demo/audit-broken.html
	$(VENV)/bin/entrenous attack audit --broken --out demo/audit-broken.html
	$(VENV)/bin/entrenous attack audit --effort $(or $(EFFORT),3) --out demo/audit.html
	$(PYTEST) -m "audit and thorough"

thorough: $(READY)
	@sh scripts/programs
	$(PYTEST) -m "thorough and not audit"
	$(PYTEST) -m "hypothesis and not (audit or thorough or faults or postgres or spark or browser or wheel)" --hypothesis-profile=search
	$(RUN) -m pytest tests/web/test_openapi.py --hypothesis-profile=search

lock:
	@PYTHON="$(PYTHON)" sh scripts/lock

dist: $(READY)
	$(RUN) -m hatchling build

clean:
	rm -rf $(VENV) demo dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
