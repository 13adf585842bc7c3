# Every target sets up what it needs. Only Python >= 3.11, git and make are assumed.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=
NPM    := $(BIN)/python scripts/node.py npm
# Containers set it, and then hundreds of processes of the tests would each compile what they import,
# PyTorch too: seconds before the first line runs.
unexport PYTHONDONTWRITEBYTECODE
# As many processes as tests/conftest.py says, each with servers of its own; files stay whole, as some
# share what is slow to make, and come as they are sorted there.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready frontend/dist/index.html ## Install packages and build the frontend

$(VENV)/.ready: requirements/lock.txt requirements/uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Karat needs Python 3.11, 3.12 or 3.13; this is %s. Name another with: make PYTHON=python3.12 ..." % sys.version.split()[0] if not (3, 11) <= sys.version_info[:2] <= (3, 13) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv pip sync --quiet --require-hashes requirements/lock.txt
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

frontend/node_modules/.ready: frontend/package.json frontend/package-lock.json $(VENV)/.ready
	$(NPM) --prefix frontend ci --no-audit --no-fund --loglevel=error
	touch $@

FRONTEND_SOURCES := $(shell find frontend/src frontend/public docs/algorithms -type f 2>/dev/null) frontend/index.html frontend/vite.config.ts frontend/compress.ts frontend/markdown.ts frontend/preload.ts frontend/tsconfig.json
frontend/dist/index.html: frontend/node_modules/.ready $(FRONTEND_SOURCES)
	$(NPM) --prefix frontend run --silent build

demo: setup ## Watch open-set active learning on handwritten digits (ARGS="--exit --json out.json")
	$(BIN)/karat demo $(ARGS)

up: setup ## Start Karat with its own PostgreSQL and Redis (ARGS="--port 8090")
	$(BIN)/karat up $(ARGS)

test: setup ## Run every test that finishes in minutes
	$(NPM) --prefix frontend run --silent test
	$(PYTEST) $(ARGS)

test-long: setup ## Run the long tests as well
	$(PYTEST) -m "long or not long" $(ARGS)

lint: setup ## Check style, types and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(NPM) --prefix frontend run --silent lint

format: setup ## Rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(NPM) --prefix frontend run --silent format

docs: setup ## Build the documentation into site/ and check its links
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

bench: setup ## Run the service benchmarks at a small size
	$(BIN)/python -m benchmarks.labeling --clients 1,8,32 --seconds 10 $(ARGS)
	$(BIN)/python -m benchmarks.import_pool --n 10000 $(ARGS)

screenshots: setup ## Take every page into docs/screens (ARGS="--only label,project")
	$(BIN)/python -m tests.e2e.screenshots $(ARGS)

audit: $(VENV)/.ready frontend/node_modules/.ready ## Ask PyPI and npm for known weaknesses of the pinned packages
	$(BIN)/python -m scripts.audit $(ARGS)

openapi: $(VENV)/.ready ## Rewrite frontend/openapi.json and the types of both clients from the API
	$(BIN)/python -m api.openapi > frontend/openapi.json
	$(BIN)/python -m scripts.client_types
	$(NPM) --prefix frontend run --silent types

sbom: $(VENV)/.ready ## Write what Karat is made of, as CycloneDX, into karat.cdx.json
	$(BIN)/python -m scripts.sbom --out karat.cdx.json $(ARGS)

chart: $(VENV)/.ready ## Render the Helm chart into deploy/rendered
	$(BIN)/python -m scripts.chart

lock: $(VENV)/.ready ## Resolve the pinned packages again
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra dev --extra otel pyproject.toml -o requirements/lock.txt

.PHONY: help setup demo up test test-long lint format docs bench screenshots audit openapi sbom chart lock
