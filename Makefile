# Every target works from a fresh clone: what it needs is installed into .venv first. Bare `make` prints the targets.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest
SUITE := $(BIN)/python -m tests.suite.parts

# Compiled modules are kept, whatever the environment says: hundreds of processes would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo quick fast test thorough caught lint types real coverage bench lock docs clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## Make .venv with the quorate command, every dependency, and a Java for Spark

demo: $(READY) ## See a broken log caught: the violation, why it is one, and the line that replays it
	$(BIN)/quorate demo

quick: $(READY) ## While you work: lint and types of what you changed, and the tests that it can reach
	$(BIN)/python -m tests.suite.quick

fast: $(READY) ## Run the tests that need neither Spark nor a real system nor much time
	$(SUITE) fast

test: $(READY) ## Everything that continuous integration runs: lint, types, all tests but the thorough ones
	$(SUITE) test

thorough: $(READY) ## Run what is long: every proof and seed again, millions of events and states, searches with new seeds
	$(SUITE) thorough

caught: $(READY) ## Renew the page of what is caught, after make test
	$(SUITE) caught

lint: $(READY) ## Check style and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY) ## Check types with mypy (strict) and pyright
	$(BIN)/mypy
	$(BIN)/pyright

real: $(READY) ## Run the tests against real systems on loopback only
	$(PYTEST) -m real

coverage: $(READY) ## Run the tests that need neither Spark nor a real system, and report branch coverage
	$(PYTEST) --numprocesses auto --dist loadgroup -m "not spark and not real and not thorough" --cov --cov-report term \
		--cov-report html

bench: $(READY) ## Measure: the only source of performance figures
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/costs.py
	$(BIN)/python benchmarks/skew.py
	$(BIN)/python benchmarks/json_lines.py
	$(BIN)/python benchmarks/recorder.py
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/audit_live.py
	$(BIN)/python benchmarks/client_histories.py
	$(BIN)/python benchmarks/segments.py
	$(BIN)/python benchmarks/replay.py
	$(BIN)/python benchmarks/watch.py

lock: $(READY) ## Renew requirements.lock from pyproject.toml, to the newest versions allowed
	$(BIN)/uv pip compile pyproject.toml --output-file requirements.lock --upgrade \
		--universal --python-version 3.11 --extra compiled --extra connect --extra java --extra live --extra second-solver --group dev --group site \
		--generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet

docs: $(READY) ## Check the documents and build them as a site, with a page for each rule
	$(PYTEST) tests/test_documents.py
	$(BIN)/python -m conformance.site
	@echo "The site begins at build/docs/site/index.html"

clean: ## Remove .venv and everything that builds, tests and tools leave behind
	rm -rf $(VENV) build dist artifacts spark-warehouse metastore_db derby.log htmlcov .coverage .coverage.*
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An interpreter counts only if it starts, is new enough and can make environments: a version manager's
# placeholder for a Python that is not installed, or a Python split over system packages, does not.
define FIND_PYTHON
for python in python3.13 python3.12 python3.11 python3; do \
	if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then \
		echo "$$python"; exit 0; \
	fi; \
done; \
echo "quorate needs Python 3.11 or newer with its venv module, and found none as python3.13, python3.12, python3.11" \
	"or python3 on PATH. Install one (on Debian and Ubuntu: python3 and python3-venv) and run make again." >&2; \
exit 1
endef

$(BIN)/python:
	@python=$$($(FIND_PYTHON)) && echo "$$python -m venv $(VENV)" && "$$python" -m venv $(VENV)

$(READY): requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
		--requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m spark_checks.java
	@touch $(READY)
