# Everything happens in .venv, which is made when it is missing or when a dependency has changed.

# The first of these that is Python 3.11 or newer; `make PYTHON=/path/to/python3.12 ...` decides.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
# What only tests need of Node's packages; never part of the product.
NODE := .node
ANVIL := $(NODE)/node_modules/@foundry-rs/anvil
# Installs in a fraction of pip's time; where it cannot be had, pip does the same.
UV := uv==0.13.8

.DEFAULT_GOAL := help
.PHONY: help setup run test check lint types docs bench test-faults test-browser \
	anvil interop-paid lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		while IFS='|' read -r name what; do printf '%-20s %s\n' "$$name" "$$what"; done

setup: $(READY) ## make .venv with everything in it

run: $(READY) ## start the whole service here; options in ARGS="--port 8080 --verbose"
	@"$(BIN)/citegrid-server" up $(ARGS)

test: $(READY) $(ANVIL) ## all tests but those that kill processes; options in ARGS="-k search"
	@"$(BIN)/python" -m pytest tests/unit tests/integration tests/contract $(ARGS)

check: lint types test ## all that must pass before a change goes in (what CI runs)

lint: $(READY) ## style, formatting, who may import whom
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/lint-imports"

types: $(READY) ## mypy, strict
	"$(BIN)/mypy"

docs: $(READY) ## write the reference pages that come from the code
	"$(BIN)/citegrid-server" docs

bench: $(BENCH_READY) ## all measurements against their baselines; ARGS="--quick" only tries them
	@for name in jobs submit claims index retrieval_quality answers extraction; do \
		echo "== $$name"; "$(BIN)/python" -m bench.$$name $(ARGS) || exit; done

test-faults: $(READY) ## kill workers, dispatchers and servers, and count what is lost
	@"$(BIN)/python" -m pytest tests/fault -m fault $(ARGS)

test-browser: $(READY) ## the pages in a real browser (needs chromium)
	@"$(BIN)/python" -m pip install -qq --disable-pip-version-check -c requirements.lock -e '.[browser]'
	@"$(BIN)/python" -m pytest tests/browser -m browser $(ARGS)

anvil: $(ANVIL) ## a local chain for the tests of paid search (needs Node; without it they use eth-tester)

interop-paid: $(READY) $(ANVIL) ## the official x402 client pays this server (needs Node)
	@command -v npm >/dev/null && mkdir -p $(NODE)/typescript \
		&& cp tests/interop/typescript/package.json $(NODE)/typescript/ \
		&& npm install --silent --no-audit --no-fund --prefix $(NODE)/typescript \
		|| echo "Node's packages cannot be had: what needs them is skipped."
	@"$(BIN)/python" -m pytest tests/interop -m interop -rs $(ARGS)

# Where Node is missing this makes nothing, and nothing fails.
$(ANVIL):
	@command -v npm >/dev/null \
		&& npm install --silent --no-audit --no-fund --prefix $(NODE) @foundry-rs/anvil@1.7.1 \
		|| echo "anvil cannot be installed: the tests use eth-tester instead."

lock: ## choose versions anew (needs uv)
	uv pip compile setup.cfg --extra test --universal --python-version 3.11 --upgrade \
		--no-emit-index-url --no-annotate --custom-compile-command "make lock" \
		-o requirements.lock

clean: ## remove .venv and caches; data in .citegrid stays
	rm -rf "$(VENV)" .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

$(READY): requirements.lock setup.cfg pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/it"; exit 1; }
	@"$(BIN)/python" -c '' 2>/dev/null || { rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)"; } || { \
		rm -rf "$(VENV)"; echo "No venv can be made; on Debian: apt install python3-venv"; exit 1; }
	@echo "Installing into $(VENV) ..."
	@"$(BIN)/python" -m pip install --quiet --disable-pip-version-check "$(UV)" 2>/dev/null \
		&& "$(BIN)/uv" pip install --quiet --python "$(BIN)/python" --no-deps -r requirements.lock 2>/dev/null \
		|| "$(BIN)/python" -m pip install -qq --disable-pip-version-check --no-deps -r requirements.lock
	@"$(BIN)/python" -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch "$@"

$(BENCH_READY): $(READY)
	@"$(BIN)/python" -m pip install -qq --disable-pip-version-check -c requirements.lock -e '.[bench]'
	@touch "$@"
