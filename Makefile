# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Hundreds of tests start the program anew: it is compiled once, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: gpu demo test postgres test-oldest test-newest quick screenshots fuzz fuzz-readers mutate wheel sbom java browser lint types docs bench validate clean help

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "trueerror needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Cannot make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }

$(BIN)/.core: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable .
	@touch $@

# uv loads side by side and compiles nothing that is not used; where it reaches no index, pip does the same.
$(BIN)/.dev: pyproject.toml | $(BIN)/python
	{ $(PIP) install --quiet uv && $(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[dev,docs]'; } || \
	  $(PIP) install --quiet --editable '.[dev,docs]'
	@touch $(BIN)/.core $@

demo: $(BIN)/.core ## run the main job on bundled real predictions
	@$(BIN)/trueerror demo

# Spark runs on Java; without it its tests are left out, and they say so.
java:
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get install --yes --quiet default-jre-headless >/dev/null || \
	      echo "Java could not be installed, so the tests on Spark are left out"; \
	  else echo "no Java, so the tests on Spark are left out; on Debian: apt-get install default-jre-headless"; fi

# A PostgreSQL server that the tests start and stop themselves; without it they leave it out and say so.
postgres:
	@ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || command -v pg_ctl >/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get install --yes --quiet --no-install-recommends postgresql >/dev/null || \
	      echo "PostgreSQL could not be installed, so the tests on it are left out"; \
	  else echo "no PostgreSQL, so the tests on it are left out; on Debian: apt-get install postgresql"; fi

# Types are checked beside the first tests: what mypy says comes after theirs, and fails the whole as they do.
test: $(BIN)/.dev java browser postgres lint ## lint, types, import layers, doctests and all tests
	@$(BIN)/mypy > $(BIN)/.types 2>&1 & types=$$!; \
	  $(BIN)/python -m pytest -n 2 --dist loadfile; tests=$$?; \
	  wait $$types; types=$$?; cat $(BIN)/.types; exit $$((tests + types))

quick: $(BIN)/.dev ## style and the tests that take no browser, no Spark and no long runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not browser and not spark"

# The oldest and the newest versions that pyproject.toml allows, each in an environment of its own; the versions that were
# tested are kept in constraints/. What needs a browser or Java is left to `make test`.
SUITE := -m "not browser and not spark" -p no:cacheprovider -n 2 --dist loadfile
$(VENV)-%/.ready: pyproject.toml
	@test -x $(VENV)-$*/bin/python || $(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip --disable-pip-version-check install --quiet uv
	$(VENV)-$*/bin/uv pip install --quiet --python $(VENV)-$*/bin/python \
	  --resolution $(if $(filter oldest,$*),lowest-direct,highest) --editable '.[dev]'
	$(VENV)-$*/bin/uv pip freeze --python $(VENV)-$*/bin/python --exclude-editable | grep -vE "^(uv|pip|setuptools)=" > constraints/$*.txt
	@touch $@

test-oldest: $(VENV)-oldest/.ready ## the tests at the lowest versions that are allowed
	# Old packages beside newer ones of others give notice of what they will lose: no error of ours.
	$(VENV)-oldest/bin/python -m pytest $(SUITE) -W ignore::DeprecationWarning -W ignore::FutureWarning

test-newest: $(VENV)-newest/.ready ## the tests at the newest versions that are allowed
	$(VENV)-newest/bin/python -m pytest $(SUITE)

test-ray: $(BIN)/.dev ## experiments on a real Ray cluster, one of whose processes is killed
	$(PIP) install --quiet ray
	$(BIN)/python -m pytest tests/experiments/test_ray.py

fuzz: $(BIN)/.dev ## random calls, equal data, files and command lines (CALLS=n, 2,000,000; SECONDS=s JOBS=j); counts to validation/
	$(BIN)/python -m tests.fuzz $(if $(CALLS),--calls $(CALLS)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JOBS),--jobs $(JOBS))

fuzz-readers: $(BIN)/.dev ## files written by atheris, led by the lines of the readers that they reach (INPUTS=n, 100,000)
	$(PIP) install --quiet atheris
	$(BIN)/python -m tests.fuzz.readers $(if $(INPUTS),--inputs $(INPUTS))

mutate: $(BIN)/.dev ## mutants of the statistics that the tests must notice (MUTANTS=n); the score goes to validation/
	$(BIN)/python -m tests.mutants $(if $(MUTANTS),--mutants $(MUTANTS))

wheel: $(BIN)/.dev ## build wheel and source twice with the same bytes, and check them
	$(PIP) install --quiet build twine
	sh scripts/wheel.sh $(BIN)/python

sbom: $(BIN)/.core ## what an installation brings, with versions and licences (CycloneDX); to build/sbom.cdx.json
	$(PIP) install --quiet packaging
	$(BIN)/python scripts/sbom.py build/sbom.cdx.json

# The report is tested in a real browser: as root on Debian it is installed, else this says what to install and fails.
browser:
	@sh scripts/browser.sh

screenshots: $(BIN)/.dev browser ## the report of every kind at three widths, light, dark and printed; to build/screenshots
	$(BIN)/python docs/making/screenshots.py build/screenshots --keep

lint: $(BIN)/.dev ## style, format and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(BIN)/.dev ## mypy, strict
	$(BIN)/mypy

docs: $(BIN)/.dev ## build the documentation into site/, from its pages and the code; warnings are errors
	$(BIN)/python docs/build.py

# Other tools at their newest versions; torch by one version, since its newest brings gigabytes for GPUs along.
TORCH ?= torch==2.13.0
$(BIN)/.peers: pyproject.toml | $(BIN)/.dev
	$(PIP) install --quiet --upgrade confidenceinterval mlxtend statsmodels MLstatkit torchmetrics $(TORCH)
	@touch $@

bench: $(BIN)/.dev $(BIN)/.peers ## speed side by side with peers (QUICK=1 for a short run)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

gpu: ## on a machine with an NVIDIA GPU, torch and CuPy: the same answers as in memory, and how fast
	PYTHONPATH=src $(PYTHON) -m benchmarks.gpu

validate: $(BIN)/.dev ## coverage and type I error simulations (QUICK=1 for a short run)
	$(BIN)/python -m validation $(if $(QUICK),--quick)

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest dist build site .mypy_cache .ruff_cache .pytest_cache .hypothesis
