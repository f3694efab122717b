# The one interface: people and CI call the same targets.
#   make demo     a fresh machine with python3: install, and shorten a few sentences
#   make serve    the same, and serve the page on this machine: http://127.0.0.1:8017/
#   make test     everything that must hold: lint, types, every test, coverage
#   make quick    the tests that take less than two minutes in all
#   make fuzz     drawn cases against every promise, for a minute: SECONDS=3600 SEED=1 make fuzz
#   make bench    what the searches cost, printed
#   make quality  the figures of the objectives on development data (half an hour): TERSELY_DEV=folder make quality
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUNDLE := tersely/models/headlines-en
TINY := work/tiny-bundle
SECONDS ?= 60

.PHONY: demo serve test browser quick lint install fuzz bench quality docs clean

demo: $(VENV)/.installed
	@set -e; if [ -f $(BUNDLE)/bundle.json ]; then \
	  echo "Eight words each, with the bundle $(BUNDLE):"; bundle=$(BUNDLE); \
	else \
	  $(BIN)/python tests/tiny_bundle.py $(TINY) && bundle=$(TINY) && \
	  echo "There is no trained bundle in this copy: a tiny one with random weights shows the mechanics, not the quality."; \
	fi; \
	echo; OMP_NUM_THREADS=1 $(BIN)/tersely --bundle $$bundle --words 8 examples/sentences.txt

serve: $(VENV)/.installed-serve
	$(BIN)/tersely serve

test: lint browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal --cov=tersely --cov-report=term:skip-covered --cov-fail-under=90

# The tests of the pages need chromium. Without it they skip, but in CI they fail.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  { apt-get update && apt-get install -y chromium; } >/dev/null 2>&1 || echo "no chromium: the pages are not tested"

quick: $(VENV)/.installed-test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

install: $(VENV)/.installed-test

fuzz: $(VENV)/.installed-test
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore benchmarks/fuzz.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

bench: $(VENV)/.installed-test
	$(BIN)/python benchmarks/search.py

quality: $(VENV)/.installed-test
	$(BIN)/python benchmarks/quality.py --out results/quality.json

docs: $(VENV)/.installed-test
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_api.py
	$(BIN)/python docs/make_tables.py
	$(BIN)/python docs/make_reproduction.py
	OMP_NUM_THREADS=1 $(BIN)/python docs/make_examples.py

clean:
	rm -rf $(VENV) work .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

# The stamps keep a second `make test` from installing anything again.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-serve: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[serve]"
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	@touch $@ $(VENV)/.installed $(VENV)/.installed-serve
