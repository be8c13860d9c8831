# Every task of the project. `make` alone lists them.

VENV   := .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
# One for each kind of installation: what a job needs, and what tests and docs need too.
RUNTIME := $(VENV)/.runtime
STAMP  := $(VENV)/.installed
# Bytecode is kept whatever the environment says: compiling the tests takes as long as running them.
PYTEST  = PYTHONDONTWRITEBYTECODE= HYPOTHESIS_PROFILE=$(HYPOTHESIS_PROFILE) $(BIN)/python -m pytest \
  $(if $(filter thorough hunt,$(HYPOTHESIS_PROFILE)),-o faulthandler_timeout=0)

# Few examples of each property; test-properties tries more, and HYPOTHESIS_PROFILE=thorough many new ones.
HYPOTHESIS_PROFILE ?= quick

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List every task, with the minutes of tests/budget.ini
	@awk -F ':.*## ' 'FNR == NR { if (/^[a-z-]+ = [0-9.]+$$/) { split($$0, at, " = "); minutes[at[1]] = " (" at[2] " min)" }; next } \
	  /^[a-z-]+:.*## / { printf "  make %-16s %s%s\n", $$1, $$2, minutes[$$1] }' tests/budget.ini $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: java $(STAMP) ## Make .venv with all that tests and docs need, and see that Java is there

.PHONY: java
java:
	@tools/ensure_java.sh

# Made again when the dependencies change.
$(RUNTIME): pyproject.toml tools/setup_venv.sh hatch_build.py
	@PYTHON="$(PYTHON)" tools/setup_venv.sh $(VENV) runtime
	@touch $@

$(STAMP): pyproject.toml tools/setup_venv.sh hatch_build.py
	@PYTHON="$(PYTHON)" tools/setup_venv.sh $(VENV) development
	@touch $(RUNTIME) $@

.PHONY: native
native: $(STAMP) ## Compile again what exists in machine code too, after a change of src/flott/runtime/native
	$(BIN)/python hatch_build.py

.PHONY: demo
demo: java $(RUNTIME) ## Install what a job needs, and run a live streaming job on the terminal (Ctrl-C ends it)
	@$(BIN)/python examples/orders_demo.py

.PHONY: test
test: setup ## Run the fast tests, then whole jobs in one process, then those on Spark
	@$(PYTHON) tools/run_suites.py test

.PHONY: test-fast
test-fast: $(STAMP) ## Run the tests that need neither Spark nor Java, and the examples in docstrings
	$(PYTEST) -q -n 2 -m "not spark and not slow and not nightly and not chaos and not oracle and not job and not hypothesis and not values and not corpus and not fuzzer"

.PHONY: test-jobs
test-jobs: $(STAMP) ## Run the tests that run whole jobs without Spark, and the properties with few examples
	$(PYTEST) -q -n 2 -m "(job or hypothesis) and not spark and not slow and not nightly and not chaos and not oracle and not values and not corpus and not fuzzer" tests

.PHONY: test-pure
test-pure: $(STAMP) ## Run the tests of what is compiled once more, without it
	FLOTT_PURE=1 $(PYTEST) -q -n 2 -m "not spark and not slow and not nightly" tests/runtime tests/table/runtime

.PHONY: test-spark
test-spark: setup ## Run the tests on embedded Spark, in one process
	$(PYTEST) -q -m "spark and not slow and not nightly and not values and not corpus and not fuzzer"

.PHONY: test-chaos
test-chaos: setup ## Run only the tests that kill processes and break storage
	$(PYTEST) -q -m chaos

.PHONY: cluster-test
cluster-test: setup ## Run a job on a standalone Spark cluster that loses an executor and a machine
	$(PYTEST) -q tests/chaos/test_cluster.py

.PHONY: oracle
oracle: setup ## Ask PyFlink and Flink whether they do the same (PYFLINK_PYTHON, or set up the first time)
	$(PYTEST) -q -m oracle tests/oracle

.PHONY: test-properties
test-properties: HYPOTHESIS_PROFILE := $(if $(filter quick,$(HYPOTHESIS_PROFILE)),ci,$(HYPOTHESIS_PROFILE))
test-properties: $(STAMP) ## Run the properties with ten times as many random examples
	$(PYTEST) -q -n 2 -m "hypothesis and not spark and not slow and not nightly and not chaos and not values and not corpus and not fuzzer" tests

VALUES = $(PYTEST) -q -m "values and not nightly" tests/values

.PHONY: test-values
test-values: setup ## Send arbitrary values and keys over every edge, into every state, on every runner
	$(VALUES)

.PHONY: sql-corpus
sql-corpus: $(STAMP) ## Compare functions with Flink's recorded answers, and random queries with DuckDB
	$(PYTEST) -q -n 2 --dist loadfile -m corpus tests/table

.PHONY: planner-fuzzer
planner-fuzzer: $(STAMP) ## Plan random statements of every form: planned, or refused by an error of Flott's
	$(PYTEST) -q -n 2 -m fuzzer tests/table

.PHONY: test-slow
test-slow: setup ## Run the tests that take long: the simulation, PostgreSQL, packaging, Spark Connect
	$(PYTEST) -q -m "slow and not nightly and not chaos" --ignore=$(POINTS)

POINTS := tests/chaos/test_storage_points.py

.PHONY: test-crash-points
test-crash-points: $(STAMP) ## Crash, cut the power, stall, start a second driver: at every point between two writes
	$(PYTEST) -q -n 2 -m slow $(POINTS)

.PHONY: test-nightly
test-nightly: setup ## Run the tests that take too long for CI: the whole savepoint matrix, all transcripts on Spark
	$(PYTEST) -q -m "nightly and not chaos and not oracle" --ignore tests/docs  # docs-test runs those

.PHONY: lint
lint: $(STAMP) ## Check style, formatting, types, import layers, docs, words and timing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/lint_layers.py
	$(BIN)/python tools/lint_docs.py
	$(BIN)/python tools/lint_links.py
	$(BIN)/python tools/lint_words.py
	$(BIN)/python tools/lint_commits.py
	$(BIN)/python tools/lint_timing.py
	PYTHONPATH=src $(BIN)/python tools/configuration_reference.py --check
	PYTHONPATH=src $(BIN)/python tools/command_line_reference.py --check

.PHONY: support
support: $(STAMP) ## Compare with PyFlink's API, and write docs/support.md
	PYTHONPATH=src $(BIN)/python tools/support_table.py

.PHONY: examples-page
examples-page: $(STAMP) ## Run the examples, and write docs/examples.md with what they print
	PYTHONPATH=src $(BIN)/python tools/examples_page.py

.PHONY: performance-page
performance-page: ## Write the chart and the table of docs/performance.md from docs/figures/bench-rounds.csv
	$(PYTHON) tools/performance_page.py

.PHONY: bench
bench: setup ## Compare with PyFlink, Flink SQL and Spark, all scenarios (hours): benchmarks/results/bench.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'matplotlib>=3.8'
	PYTHONPATH=src $(BIN)/python benchmarks/bench.py

.PHONY: flames
flames: setup ## Draw where the time of each scenario goes: docs/figures/flame-*.svg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'py-spy>=0.4'
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=src $(BIN)/python benchmarks/flame.py

.PHONY: guard
guard: $(STAMP) ## Fail if operators clearly lost 3 % of their speed since the base in benchmarks/guard.py: [MINUTES=1]
	PYTHONPATH=src:. $(BIN)/python benchmarks/guard.py $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: compare
compare: $(STAMP) ## Compare the speed of two revisions: OLD=rev [NEW=HEAD] [SCENARIOS=dicts,q*] [SPARK=1] [MINUTES=20]
	@PYTHONPATH=src:. $(BIN)/python -m benchmarks.compare $(if $(OLD),$(OLD),$(error make compare OLD=rev)) $(or $(NEW),HEAD) \
	  --scenarios '$(SCENARIOS)' --minutes $(or $(MINUTES),20) $(if $(SPARK),--spark)

.PHONY: docs
docs: $(STAMP) ## Build the documentation site, without the network: build/site/index.html
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=src $(BIN)/python -m mkdocs build --strict --quiet

.PHONY: docs-test
docs-test: setup docs ## Run all programs of the docs, follow the quickstart, make the mistakes of the error gallery
	$(BIN)/python tools/lint_links.py
	$(PYTEST) -q tests/docs

.PHONY: docs-reference
docs-reference: $(STAMP) ## Write the pages that are made from code: configuration, command line, error gallery
	PYTHONPATH=src $(BIN)/python tools/configuration_reference.py
	PYTHONPATH=src $(BIN)/python tools/command_line_reference.py
	PYTHONPATH=src $(BIN)/python tools/error_gallery.py

.PHONY: format
format: $(STAMP) ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

.PHONY: ci
ci: ## Run what CI runs; fail if a suite goes beyond its budget by half
	@$(PYTHON) tools/run_suites.py --enforce ci

.PHONY: nightly
nightly: ## Run what takes longer than CI may: chaos, the oracle, all programs of the docs, whole matrices
	@$(PYTHON) tools/run_suites.py --keep-going nightly

.PHONY: hunt
hunt: ## Look for bugs with new random input, for hours; one that finds some does not stop the others
	@$(MAKE) --keep-going --no-print-directory hunt-properties hunt-simulation hunt-values hunt-queries hunt-planner

.PHONY: hunt-properties
hunt-properties: ## Run the properties with two thousand new examples each
	HYPOTHESIS_PROFILE=thorough $(MAKE) --no-print-directory test-properties

.PHONY: hunt-simulation
hunt-simulation: $(STAMP) ## Run the simulated crashes with three thousand new seeds, or FLOTT_SEEDS=first-last
	FLOTT_SEEDS=$${FLOTT_SEEDS:-$$($(PYTHON) -c 'from random import randrange; n = randrange(10**9); print(f"{n}-{n + 2999}")')} \
	  $(PYTEST) -q tests/chaos/test_simulation.py

.PHONY: hunt-values
hunt-values: HYPOTHESIS_PROFILE := hunt
hunt-values: setup ## Run the harness of values and keys with new random input, in rounds, for an hour or MINUTES
	@end=$$(($$(date +%s) + 60 * $(or $(MINUTES),60))); found=0; \
	while [ $$(date +%s) -lt $$end ]; do \
	  $(VALUES) || found=1; \
	done; exit $$found

FRESH = $$($(PYTHON) -c 'from random import randrange; print(f"{randrange(10**9)},$(1)")')

.PHONY: hunt-queries
hunt-queries: $(STAMP) ## Compare thirty thousand new random queries with DuckDB, or FLOTT_QUERIES=first,count
	FLOTT_QUERIES=$${FLOTT_QUERIES:-$(call FRESH,30000)} $(PYTEST) -q tests/table/random/test_duckdb.py

.PHONY: hunt-planner
hunt-planner: $(STAMP) ## Plan half a million new random statements, or FLOTT_STATEMENTS=first,count
	FLOTT_STATEMENTS=$${FLOTT_STATEMENTS:-$(call FRESH,500000)} $(PYTEST) -q tests/table/random/test_planner.py

.PHONY: hunt-campaign
hunt-campaign: $(STAMP) ## Disturb jobs on embedded Spark for an hour, or MINUTES: kills, pauses, power cuts (root; not part of hunt)
	PYTHONPATH=src:. nice -n 10 $(BIN)/python tests/chaos/campaign.py --minutes $(or $(MINUTES),60)

.PHONY: clean
clean: ## Remove the virtual environment and everything that tools and runs left
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf artifacts spark-warehouse metastore_db derby.log benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
