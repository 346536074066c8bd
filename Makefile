# make demo    a first look in a minute: four systems without a key, the leaderboard and its page
# make build   everything from a fresh clone to a served, printed leaderboard
# make test    everything that must hold, in a scratch warehouse
# make test-fast   what a change may break of it: formulas and Python; no whole build
# make report  the pictures as one page that opens from disk
# make spark-test  the same numbers on Apache Spark (needs Java 17; builds first; docs/scale.md)
# make docs    the browsable documentation as one page
# make bench   times and sizes, compared with those measured before
# make wheel   target/wheel/kernel29-VERSION-py3-none-any.whl: pip install it, kernel29 init my-project
# make torture what a build survives, at length
# make audit   the software bill of materials, and known vulnerabilities
# make plan    what a live run with these variables would send and cost; sends nothing
# Everything again, whether or not something has changed:  make build FULL=1
# A live run:  make build MODE=live MODELS=gpt4o MAX_USD=1
# A part:      make build MODE=live MODELS=gpt4o,local PROMPTS=dxgpt_json TEST_SETS=rarebench LIMIT=50

# a Python 3.11 to 3.13; empty: what .venv has, otherwise the newest on the path
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SPARK := .venv-spark

# where it is set, each of many processes compiles its libraries again: a second for dbt
unexport PYTHONDONTWRITEBYTECODE

MODE ?= off
MODELS ?=
PROMPTS ?=
TEST_SETS ?=
LIMIT ?=
JUDGES ?=
JUDGE_RUNS ?= live
QUESTIONS ?=
QUESTION_SETS ?=
QUESTION_LIMIT ?=
MAX_USD ?= 1
EXECUTION ?= direct
FULL ?=
RUN = --models '$(MODELS)' --prompts '$(PROMPTS)' --test-sets '$(TEST_SETS)' --limit '$(LIMIT)' \
	--judges '$(JUDGES)' --judge-runs '$(JUDGE_RUNS)' --max-usd '$(MAX_USD)' --execution '$(EXECUTION)'

KNOWN := PYTHON MODE MODELS PROMPTS TEST_SETS LIMIT JUDGES JUDGE_RUNS QUESTIONS QUESTION_SETS QUESTION_LIMIT MAX_USD EXECUTION FULL
GIVEN := $(foreach one,$(MAKEOVERRIDES),$(firstword $(subst =, ,$(one))))
# a misspelt variable would plan, send and pay for everything it was meant to leave out
$(if $(filter-out $(KNOWN),$(filter-out %_ADDOPTS,$(GIVEN))),$(error \
	There is no variable $(filter-out $(KNOWN),$(GIVEN)): use $(KNOWN)))

.PHONY: demo build plan test test-fast spark-test spark-test-short lint report docs bench wheel lock audit torture clean
.DEFAULT_GOAL := build

build: $(READY)
	@$(BIN)/kernel29 build --mode '$(MODE)' --questions '$(QUESTIONS)' --question-sets '$(QUESTION_SETS)' --question-limit '$(QUESTION_LIMIT)' $(RUN) $(if $(FULL),--full)

demo: $(READY)
	@$(BIN)/kernel29 demo

plan: $(READY)
	@$(BIN)/kernel29 plan $(RUN)

# What `make -n` only shows, as it would not a line with the name of make in it.
LINT = $(MAKE) --no-print-directory lint

# The lint has what the tests leave of the processors; what it says comes last. Some tests kill
# processes, start servers and browsers: one that fails is tried once more, and named (RERUN) when it
# passes then.
test: $(READY)
	@log=$$(mktemp); nice $(LINT) >$$log 2>&1 & lint=$$!; \
		$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 20 \
			--reruns 1 --max-suite-reruns 10 --rerun-show-tracebacks; \
		tests=$$?; wait $$lint; lint=$$?; cat $$log; rm $$log; \
		[ $$tests -eq 0 ] && exit $$lint || exit $$tests

test-fast: $(READY)
	@$(BIN)/ruff check .
	@failed=0; for tests in changed_python changed_formulas; do \
		$(BIN)/python tests/$$tests.py || failed=1; done; exit $$failed

spark-test: $(SPARK)/.ready build
	@$(SPARK)/bin/pytest tests/spark

# Spark reads the judged ranks that DuckDB has made, and builds the scores alone
spark-test-short: $(SPARK)/.ready build
	@$(SPARK)/bin/pytest tests/spark --from-ranks

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy & types=$$!; PYTHONWARNINGS=ignore $(BIN)/python tests/lint_sql.py; sql=$$?; \
		wait $$types && exit $$sql

report: $(READY)
	@$(BIN)/kernel29 report

docs: $(READY)
	@$(BIN)/kernel29 docs

# What benchmarks/figures.csv names, beside what was measured before; 1 if something is worse.
bench: $(READY)
	@folder=$$(mktemp -d) && { $(BIN)/python benchmarks/bench.py --folder $$folder; code=$$?; \
		rm -rf $$folder; exit $$code; }

# The package with the project in it, for whoever has no clone: kernel29 init lays it out.
wheel: $(READY)
	@$(BIN)/uv build --quiet --wheel --no-build-isolation --out-dir target/wheel

# Locked versions with hashes; no address of any index, so that every mirror serves.
lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --extra dev --python-version 3.11 --universal \
		--generate-hashes --no-strip-extras --no-emit-index-url --no-header --quiet --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra spark --python-version 3.11 --universal \
		--generate-hashes --no-strip-extras --no-emit-index-url --no-header --quiet --output-file spark/requirements.lock
	$(BIN)/uv pip compile orchestration/audit.in --python-version 3.11 --universal \
		--generate-hashes --no-emit-index-url --no-header --quiet --output-file orchestration/audit.lock
	$(BIN)/python .ci/lock.py
	@VENV='$(VENV)' .ci/setup
	$(BIN)/python .ci/licences.py

# The software bill of materials, and known vulnerabilities where an advisory database can be asked.
audit: $(READY)
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(VENV)/audit
	@$(BIN)/uv pip install --quiet --python $(VENV)/audit --require-hashes -r orchestration/audit.lock
	@$(BIN)/python orchestration/audit.py $(VENV)/audit/bin

$(READY): requirements.lock pyproject.toml
	@PYTHON='$(PYTHON)' VENV='$(VENV)' .ci/setup

# Beside the default environment, which it leaves as it is.
$(SPARK)/.ready: spark/requirements.lock spark/pyproject.toml | $(READY)
	@PYTHON='$(abspath $(BIN)/python)' VENV='$(SPARK)' LOCK=spark/requirements.lock .ci/setup

# Kills, full disks, broken ledgers and mutated inputs, at length; writes benchmarks/TORTURE.md.
torture: $(READY)
	@$(BIN)/python benchmarks/torture.py

clean:
	rm -rf build serve target logs $(VENV) $(SPARK)
