# Everything a user or developer types. Needs Python 3.11 or newer, a Rust toolchain, git and make; the rest goes into .venv.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
CARGO ?= cargo
# The first interpreter that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# One interpreter for every build of the extension, so that cargo never rebuilds it for another one.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# Python keeps what it compiles for the next start, even where the surroundings forbid this: to compile is two thirds of a start.
export PYTHONDONTWRITEBYTECODE :=
# Warnings of our own crates are errors; clippy carries them (`lint`), so that no flag change rebuilds the dependencies.
CLIPPY_FLAGS := -D warnings

# The extension carries the text of its interface.
RUST_SOURCES := Cargo.toml Cargo.lock python/cellrate/_core.pyi $(shell find crates -name '*.rs' -path '*/src/*' -o -name Cargo.toml)

.PHONY: help install reproduce infer tested check check-tests test lint format test-stub build-tests test-rust test-python test-docs test-long test-results closed-forms faults lab test-lab pictures determinism oracles mutants mutants-theory fuzz sanitize bench threads scale docs notebooks wheel lock lock-mutants lock-notebooks clean

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11 or newer on the path (or PYTHON=...)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What is imported is compiled then; that is little of it all.
$(VENV)/.dependencies: requirements.txt | $(BIN)/python
	@echo "make: installing packages into $(VENV): half a minute to two"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.txt
	@touch $@

# An editable installation: a change of Python needs nothing, a change of Rust a rebuild.
$(VENV)/.installed: $(RUST_SOURCES) pyproject.toml $(VENV)/.dependencies
	@echo "make: building the engine with all optimisations: 5 to 15 minutes of processor time, on all cores for the first half"
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --locked
	@touch $@

install: $(VENV)/.installed ## build the package and install it into .venv

reproduce: install ## rerun the papers' experiments: published beside measured (ARGS="--seeds 5")
	$(BIN)/cellrate reproduce $(ARGS)

# Goes on where it was interrupted.
infer: install ## what the papers' results say of what they leave open, joint readings, draws, five seeds; stored (ARGS="gerla95")
	$(BIN)/cellrate infer $(ARGS) --store
	$(BIN)/cellrate reproduce $(ARGS) --readings 64 --draws 200
	$(BIN)/cellrate reproduce $(ARGS) --seeds 5 --keep-seeds
	$(BIN)/cellrate reproduce $(ARGS) --seeds 5 --inferred --keep-seeds

# Tools of cargo's, at the versions that their stamps name.
CARGO_MUTANTS := target/tools/.cargo-mutants@27.1.0
CARGO_FUZZ := target/tools/.cargo-fuzz@0.13.2
target/tools/.%:
	$(CARGO) install --quiet --locked --root target/tools $*
	@touch $@

target/mutants-venv/.dependencies: proof/requirements-mutants.txt | $(BIN)/python
	$(BIN)/python -m venv target/mutants-venv
	target/mutants-venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-binary yattag -r $<
	@touch $@

# A fault in the engine is tried in a copy of the workspace, 8,500 in all.
mutants: $(CARGO_MUTANTS) ## small faults in the engine that its tests let pass, a twentieth of all (SHARD=3/20 tries others)
	CARGO_PROFILE_DEV_DEBUG=none INSTA_UPDATE=no PROPTEST_MAX_SHRINK_ITERS=0 \
		target/tools/bin/cargo-mutants mutants --shard $(or $(SHARD),0/20) --sharding round-robin

# Cosmic Ray changes files in place.
mutants-theory: tested target/mutants-venv/.dependencies ## the same for one file of the closed forms (MODULE=credit.py; others in python/cellrate/theory)
	rm -rf target/mutants-theory && mkdir -p target/mutants-theory && git archive HEAD | tar -x -C target/mutants-theory
	cd target/mutants-theory && sed 's|MODULE|$(or $(MODULE),credit.py)|; s|PYTHON -m|$(CURDIR)/$(TESTED)/bin/python -m|' proof/cosmic-ray.toml > cosmic-ray.toml && \
		../mutants-venv/bin/cosmic-ray init cosmic-ray.toml session.sqlite && ../mutants-venv/bin/cosmic-ray exec cosmic-ray.toml session.sqlite && \
		../mutants-venv/bin/cr-report --surviving-only --show-diff session.sqlite

bench: install ## time the engine against bare loops, and what changed since the last entry of the history (ARGS=--keep appends one)
	$(BIN)/python -m proof.bench_history $(ARGS)

threads: install ## one run on several threads against one (ARGS='--threads 2 4 8 16' where there are as many cores)
	$(BIN)/python -m proof.threads $(ARGS)

scale: install ## large networks: time, and memory against its bound (ARGS='--most 1000000' for a million sources)
	$(BIN)/python -m proof.scale $(ARGS)

# Where tests run: the package of this tree with an extension that is built like the Rust tests.
TESTED := target/tested
tested: $(VENV)/.dependencies ## this tree's package with the tests' build of the engine, in target/tested
	@.ci/tested $(BIN)/python $(TESTED)

# What tells most about the whole for its time: each key's effect, an experiment of each paper, bad input, and what holds sources and documentation
# together. Test files that differ from the last commit come with them; files that tests import do not count.
CHECKED := $(patsubst %,tests/test_%.py,bad_input core documented_names docstrings every_key_matters every_message language_expressions layers \
	theory_edges) tests/test_golden_runs.py::test_a_whole_experiment_gives_the_committed_results
EDITED = $(shell git diff --name-only --diff-filter=d HEAD -- 'tests/test_*.py'; git ls-files --others --exclude-standard 'tests/test_*.py')

check: lint check-tests ## the habit between edits: formatting, lints, types, the engine's unit tests, a part of the Python tests

check-tests: tested
	$(CARGO) test --locked --quiet --package cellrate-engine --lib
	$(TESTED)/bin/python -m pytest --quiet --numprocesses logical --dist worksteal $(sort $(CHECKED) $(wildcard $(EDITED)))

test: lint test-stub test-rust test-python ## all tests; of the golden tables a quick part, the rest is `make test-results`

lint: $(VENV)/.dependencies ## formatting, clippy, ruff, mypy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- $(CLIPPY_FLAGS)
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary

format: $(VENV)/.dependencies ## format everything
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet

test-stub: tested
	@$(TESTED)/bin/python -m mypy.stubtest --concise --mypy-config-file .ci/stubtest.ini cellrate._core

# Can be under way while .venv is filled.
build-tests: | $(BIN)/python
	@$(CARGO) test --workspace --locked --quiet --no-run

test-rust: | $(BIN)/python
	$(CARGO) test --workspace --locked --quiet

test-python: tested
	$(TESTED)/bin/python -m pytest --quiet --numprocesses logical --dist worksteal

test-docs: tested ## the documentation is read without a warning, and its Python gives what it shows
	$(TESTED)/bin/python -m sphinx -q -W -b doctest docs docs/_build/doctest

test-long: tested test-docs ## tests that take ten seconds or more each: kills and damage, clusters, statistics, a crate outside the workspace; before a release
	$(TESTED)/bin/python -m pytest --quiet --numprocesses logical --dist worksteal -m long

closed-forms: install ## the tests of queues and noise with other seeds, of control schemes on more graphs (ARGS='--only fairness' for the latter)
	$(BIN)/python -m proof.forms $(ARGS)

# The lab's page; the package carries what it serves.
LAB := python/cellrate/lab/pages
LAB_SOURCES := lab/package-lock.json lab/build.mjs lab/tsconfig.json $(shell find lab/src -type f)

lab/node_modules/.installed: lab/package-lock.json
	@command -v npm > /dev/null || { echo "make: the lab needs node 20 or newer and npm (Debian: apt-get install nodejs npm)" >&2; exit 1; }
	@echo "make: installing the packages of the lab's page: a minute"
	@cd lab && npm ci --silent --no-audit --no-fund
	@touch $@

lab: lab/node_modules/.installed ## the lab: the engine in a page, in out/lab/ (any web host serves it) and for `cellrate lab`; needs node and npm
	@mkdir -p out
	@echo "make: building the engine for the browser: 3 to 10 minutes of processor time the first time"
	@cd lab && node build.mjs "../$$(../.ci/wasm)" ../out/lab
	@diff -rq out/lab $(LAB) > /dev/null 2>&1 || \
		{ rm -rf $(LAB).new && mkdir $(LAB).new && cp out/lab/* $(LAB).new && rm -rf $(LAB) && mv $(LAB).new $(LAB); }

pictures: install lab ## the lab's pictures, in a browser, and the manual's sheet of pictures, drawn anew
	cd lab && npm run --silent pictures
	$(BIN)/python -c "from PIL import Image; [Image.open(f).quantize(128).save(f, optimize=True) for f in ('docs/images/lab.png', 'docs/images/lab-compare.png')]"
	$(BIN)/python docs/extensions/sheet_of_pictures.py

test-lab: lab tested ## the lab in a real browser: equal digests, sliders, links, keys, accessibility (installs Chromium if root, as apt-get has it; ARGS=--all for the longest runs, too)
	@command -v chromium > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		{ apt-get install --quiet=2 chromium || { apt-get update --quiet=2 && apt-get install --quiet=2 chromium; }; } > /dev/null 2>&1; } || \
		{ echo "make: the tests of the lab need chromium" >&2; exit 1; }
	cd lab && npx tsc --noEmit
	cd lab && ARGS="$(ARGS)" npm test --silent

test-results: install ## every built-in experiment, by the release build, against the committed golden tables (ARGS="gerla95" for some)
	@mkdir -p out
	$(BIN)/cellrate reproduce $(ARGS) --check > out/check.txt

faults: install ## kills, full disks, damaged stores, crowds, jumping clocks (FAULTS=100 kills; Linux, root for mounts; ARGS=--allow-skips for the rest)
	@test "$$(id -u)" != 0 || test -d /usr/lib/*/faketime || ! command -v apt-get > /dev/null || apt-get install --quiet=2 faketime
	$(BIN)/python -m proof.faults $(ARGS)

determinism: install ## the same bytes from all numbers of workers, hash seeds, locales, builds
	$(BIN)/python -m proof.determinism $(ARGS)

oracles: install ## other simulators run again and held against the engine, tshark reads our captures (ARGS=tshark; ns2 and tshark are Debian packages, ns-3 goes into target/)
	timeout --foreground --signal=INT 1800 $(BIN)/python -m proof.oracles $(ARGS)

target/fuzzing-tools: proof/requirements-fuzzing.txt | $(BIN)/python
	rm -rf $@
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: --target $@ -r $<

fuzz: install $(CARGO_FUZZ) target/fuzzing-tools ## every reader against made-up input (FUZZ_SECONDS=60 each; a nightly Rust), random operations on every component (FUZZ_CASES=12000)
	$(BIN)/python -m proof.fuzzing --seconds $(or $(FUZZ_SECONDS),60)
	$(CARGO) test --release --locked --quiet -p cellrate-engine --test suite operations -- --list | grep -q ': test$$'
	PROPTEST_CASES=$(or $(FUZZ_CASES),12000) $(CARGO) test --release --locked -p cellrate-engine --test suite operations

sanitize: ## undefined behaviour and data races, by Miri, sanitizers and valgrind (ARGS="miri address thread memcheck" for some; a nightly Rust)
	proof/sanitize $(ARGS)

docs: install ## the documentation as web pages, in docs/_build/html
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

$(VENV)/.notebooks: docs/notebooks/requirements.txt $(VENV)/.installed
	$(BIN)/python -m pip install --no-compile --disable-pip-version-check --require-hashes --only-binary :all: --progress-bar off -r docs/notebooks/requirements.txt
	@touch $@

notebooks: $(VENV)/.notebooks ## the notebooks in JupyterLab, which is installed into .venv with pandas and pyarrow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jupyter lab $(ARGS) docs/notebooks

wheel: $(VENV)/.dependencies lab ## a wheel in dist/ with the lab, proven to install where there is no compiler
	rm -rf dist
	$(BIN)/maturin build --release --locked --quiet --out dist
	.ci/prove-wheel $(BIN)/python dist/*.whl

target/uv/bin/uv:
	$(PYTHON) -m venv target/uv
	target/uv/bin/pip install --quiet uv

lock: target/uv/bin/uv ## write requirements.txt anew from pyproject.toml
	target/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --custom-compile-command "make lock" --extra cli --extra graph --extra cluster --extra xarray --extra gym --group development pyproject.toml --output-file requirements.txt

lock-mutants: target/uv/bin/uv ## write proof/requirements-mutants.txt anew
	target/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --custom-compile-command "make lock-mutants" proof/requirements-mutants.in --output-file proof/requirements-mutants.txt

lock-notebooks: target/uv/bin/uv ## write docs/notebooks/requirements.txt anew
	target/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --custom-compile-command "make lock-notebooks" docs/notebooks/requirements.in --output-file docs/notebooks/requirements.txt

clean: ## remove what make made
	rm -rf $(VENV) dist docs/_build out lab/node_modules $(LAB)
	$(CARGO) clean --quiet
