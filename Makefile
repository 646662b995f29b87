# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
export PYTHONDONTWRITEBYTECODE ?=

.PHONY: demo test quick java browser lint types docs bench validate clean help

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(BIN)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "trueerror needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "Cannot make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	$(PIP) install --quiet --editable .
	@touch $@

$(BIN)/.dev: $(BIN)/.core
	$(PIP) install --quiet --editable '.[dev,docs]'
	@touch $@

demo: $(BIN)/.core ## run the main job on bundled real predictions
	@$(BIN)/trueerror demo

# Spark runs on Java; without it its tests are left out, and they say so.
java:
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get install --yes --quiet default-jre-headless >/dev/null || \
	      echo "Java could not be installed, so the tests on Spark are left out"; \
	  else echo "no Java, so the tests on Spark are left out; on Debian: apt-get install default-jre-headless"; fi

test: $(BIN)/.dev java browser lint types ## lint, types, import layers, doctests and all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

quick: $(BIN)/.dev ## style and the tests that take no browser, no Spark and no long runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not browser and not spark"

# The report is tested in a real browser: as root on Debian it is installed, else this says what to install and fails.
browser:
	@sh scripts/browser.sh

lint: $(BIN)/.dev ## style, format and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(BIN)/.dev ## mypy, strict
	$(BIN)/mypy

docs: $(BIN)/.dev ## build the documentation into site/
	$(BIN)/python docs/build.py
	$(BIN)/mkdocs build --strict --quiet

bench: $(BIN)/.dev ## speed side by side with peers (QUICK=1 for a short run)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

validate: $(BIN)/.dev ## coverage and type I error simulations (QUICK=1 for a short run)
	$(BIN)/python -m validation $(if $(QUICK),--quick)

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .hypothesis
