# The only entry point: people, pre-commit and CI all call these targets.
#
# Whatever is downloaded or made stays in this checkout: .venv (packages) and .cache (downloads,
# jars, tool caches). Stamps inside them say what is up to date, so a second run costs nothing.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
ifeq ($(MAKELEVEL),0)
.NOTPARALLEL: # two targets may both need the packages; only `setup` knows what can run at once
endif

PYTHON ?= python3
BIN := .venv/bin
CACHE := $(CURDIR)/.cache

export HYPOTHESIS_STORAGE_DIRECTORY := $(CACHE)/hypothesis
export PIP_CACHE_DIR := $(CACHE)/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PRE_COMMIT_HOME := $(CACHE)/pre-commit
export UV_CACHE_DIR := $(CACHE)/uv
# It lives for seconds: the second compiler and a collector of many threads never pay.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
# Bytecode is kept in the checkout, too: without it each of a hundred processes compiles all of us
# anew, and each of pytest's rewrites every assertion: a fifth of what `check` takes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## Show this help
	@printf 'trimtab: a central rebalance controller. First `make demo`, then `make test`.\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ------------------------------------------------------------------------------------- use it

.PHONY: setup demo run .tools .installed
setup: .installed ## Install everything into this checkout (once; about 2 minutes)
	@$(MAKE) --silent .cache/jars/kafka.jsa

.installed: .tools
	@$(MAKE) --silent --jobs=2 .venv/.projects .cache/jars/stamp

demo: setup ## Watch rebalances happen: a real Kafka, the controller and live members
	@$(BIN)/trimtab demo

run: setup ## Start the controller (on an embedded Kafka, unless TRIMTAB_KAFKA__BOOTSTRAP_SERVERS is set)
	@$(BIN)/trimtab run

# ------------------------------------------------------------------------------------ check it

# Everything that needs neither a JVM nor a network, nor a minute.
PURE := not (kafka or spark or packaging or gate or slow)
# A process more than cores, for the pure tests wait a little as well.
ONE_MORE = $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
# How many processes run tests: two with the lowest priority for those that need no JVM, and three
# for those that do, which wait most of their time (tests/builders/sharing.py).
AT_ONCE ?= 5

.PHONY: test check dev fmt lint types layers transcripts simulate lives explore coverage bench .bench-name
.PHONY: chaos floors kills members
test: .installed ## Run every test, on a real Kafka and a real Spark (about 25 minutes)
	@$(MAKE) --silent --jobs=3 .cache/jars/kafka.jsa .cache/java/stamp .venv/.tests
	@echo 'test: every test; those that start Kafka and Spark first, the others beside them'
	@$(BIN)/pytest --numprocesses=$(AT_ONCE) --dist=loadgroup

check: lint types layers ## Format, lint, types, layers and the quick pure tests: no JVM, about a minute
	@$(BIN)/pytest -m '$(PURE)' --numprocesses=$(ONE_MORE) --hypothesis-profile=quick

dev: .venv/.dev ## Install the development tools (the others do it when they need them)

# Maven builds them while a controller is run once.
members: .installed ## Build the members in Java, and fetch what they are tested with
	@$(MAKE) --silent --jobs=2 .cache/jars/kafka.jsa .cache/java/stamp

fmt: dev ## Rewrite the code in the one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: dev ## Check format and lint
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: dev ## Check types (mypy --strict)
	@$(BIN)/mypy

layers: dev ## Check who imports whom (import-linter)
	@$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

transcripts: dev ## Rewrite the golden stories; commit only what you understand
	@$(BIN)/pytest tests/transcripts --rewrite

SEEDS ?= 2000
FIRST ?= 0

simulate: dev ## Run the simulation with random faults: make simulate SEEDS=2000 FIRST=0 CLUSTERS=100
	@$(BIN)/python -m tests.simulation --seeds $(SEEDS) --first $(FIRST) $(CLUSTERS:%=--clusters %)

DO ?= compare

lives: dev ## Check that a change changes no decision: make lives DO=record before it, make lives after it
	@$(BIN)/python -m tests.simulation.recorded $(DO) --seeds $(SEEDS)

MINUTES ?= 30
SEED ?= 1

KIND ?= kafka

chaos: setup dev $(if $(filter rocketmq,$(KIND)),members) ## Hurt members, Kafka and controller, and check all: make chaos MINUTES=30 SEED=7 KIND=rocketmq
	@$(BIN)/python -m chaos --minutes $(MINUTES) --seed $(SEED) --kind $(KIND)

TIMES ?= 20

kills: setup dev ## Kill the controller at every step of a batch: make kills TIMES=20 SEED=1
	@$(BIN)/python -m chaos.kills --times $(TIMES) --seed $(SEED)

STATES ?= 1000000
TROUBLE ?= wishes=2 deaths=1 losses=1

explore: dev ## Every interleaving of 3 members and 2 queues: make explore STATES=1000000
	@$(BIN)/python -m tests.laws --states $(STATES) --trouble $(TROUBLE)

coverage: dev ## Branch coverage of the pure packages by the pure tests
	@$(BIN)/pytest -m '$(PURE)' --cov --cov-report=term

floors: .cache/floors/stamp ## The SDK's pure tests with the lowest versions that it takes
	@PYTHONPATH=.cache/floors $(BIN)/python -m pytest -m '$(PURE)' --numprocesses=auto \
		--hypothesis-profile=quick tests/unit/sdk tests/unit/faults tests/unit/protocol \
		--ignore=tests/unit/protocol/test_contracts.py # what pydantic writes differs by version

bench: .bench-name setup dev ## Run one bench: make bench NAME=floor
	@$(BIN)/python -m bench.$(NAME)

.bench-name:
	$(if $(filter $(NAME),$(BENCHES)),,$(error say which one: make bench NAME=<$(BENCHES)>))

BENCHES = $(patsubst bench/%/__main__.py,%,$(wildcard bench/*/__main__.py))

# ----------------------------------------------------------------------------------- maintain it

.PHONY: lock contracts jars build hooks clean distclean
lock: dev ## Resolve the hashed requirement locks again from pyproject.toml
	@$(LOCK) --group build --output-file requirements/build.txt
	@$(LOCK) pyproject.toml --all-extras --output-file requirements/runtime.txt
	@$(LOCK) --group dev --constraint requirements/build.txt --constraint requirements/runtime.txt \
		--output-file requirements/dev.txt
	@$(LOCK) --resolution lowest-direct clients/python/pyproject.toml --all-extras \
		--output-file requirements/floors.txt

# No index address is written into a lock: where packages come from is the machine's business.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-emit-index-url --no-emit-package trimtab --custom-compile-command 'make lock'

contracts: dev ## Write docs/contracts (JSON Schema, AsyncAPI) from the models
	@$(BIN)/python -m trimtab.contracts docs/contracts

jars: .venv/.projects ## Fetch and verify the jars again
	@$(BIN)/trimtab kafka fetch

build: dev ## Build a wheel of each distribution into dist/
	@$(BIN)/hatchling build --target wheel --directory $(CURDIR)/dist
	@cd clients/python && $(CURDIR)/$(BIN)/hatchling build --target wheel --directory $(CURDIR)/dist

hooks: dev ## Let git check each commit (lint, types, layers) and each push (make check)
	@$(BIN)/pre-commit install

clean: ## Remove the results of checks and builds; downloads stay
	@rm -rf build dist clients/python/dist clients/java/target .cache/{coverage*,hypothesis,import-linter,mypy,pytest,ruff,tmp}
	@find . -name __pycache__ -not -path './.*' -prune -exec rm -rf {} +

distclean: clean ## Remove everything that make ever created
	@rm -rf .venv .cache .trimtab

# ---------------------------------------------------------------------------------- how set-up works

# What must be there before anything is downloaded: one line says what to install.
.tools:
	$(if $(wildcard .cache/jars/stamp),,$(need_python)$(need_java)$(need_maven))

need_python = $(call need,$(PYTHON) -c 'import ensurepip; import sys; import venv; assert sys.hexversion >= 0x30b0000',\
	Python 3.11 or newer with venv is needed: install it or name another one (make PYTHON=python3.12))
need_java = $(call need,test "$$($(JAVA) -version 2>&1 | sed -nE 's/.*version "([0-9]+).*/\1/p')" -ge 17,\
	Java 17 or newer is needed: install a JDK such as openjdk-17-jre-headless or set JAVA_HOME to one)
need_maven = $(call need,command -v mvn,Maven is needed to fetch the jars of Kafka and Spark: install maven)
need = $(if $(shell ($(1)) >/dev/null 2>&1 && echo yes),,$(error $(strip $(2))))

JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)

# $(call step,name,commands): run them and say how long they took.
step = echo 'set-up: $(1) …'; begun=$$SECONDS; { $(2); }; echo "set-up: $(1): $$((SECONDS - begun)) s"

# Quiet but for what takes a while. Builds in .cache/tmp: /tmp may be too small for Spark.
# A lock is whole: nothing is left to resolve. With its own resolver pip 23.2 takes the newest of what is
# asked for with an extra (coverage[toml]), not the one of the lock, and refuses that for want of a hash.
pip_install = mkdir -p .cache/tmp; DIST_EXTRA_CONFIG=$(CURDIR)/requirements/wheels.cfg \
	TMPDIR=$(CACHE)/tmp $(BIN)/pip install --no-deps --require-hashes $(1) \
	| { grep --line-buffered -oE '$(SLOW)' || true; }
SLOW := Downloading .*[0-9]{2}\.[0-9] MB\)|Building wheel for \w+|Installing collected packages

.venv/.python:
	$(need_python)
	@$(call step,python environment,$(PYTHON) -m venv --clear .venv)
	@touch $@

# The build tools come first and by hash: Spark is published as source only, and pip would else
# fetch unhashed tools to build it.
.venv/.build: requirements/build.txt .venv/.python
	@$(call step,build tools,$(call pip_install,-r requirements/build.txt))
	@touch $@

.venv/.runtime: requirements/runtime.txt .venv/.build
	@$(call step,python packages,$(call pip_install,--no-build-isolation -r requirements/runtime.txt))
	@touch $@

.venv/.projects: pyproject.toml clients/python/pyproject.toml .venv/.runtime
	@$(call step,this project,$(BIN)/pip install --quiet --no-deps --no-build-isolation \
		--editable clients/python --editable .)
	@touch $@

.venv/.dev: requirements/dev.txt .venv/.projects
	@$(call step,development tools,$(call pip_install,-r requirements/dev.txt))
	@touch $@

# Else five processes at once translate all tests, each for itself.
.venv/.tests: .venv/.dev
	@$(call step,tests looked through,$(BIN)/pytest --collect-only -q >/dev/null)
	@touch $@

# Beside the others and in front of them: only what the SDK needs is as low as it takes.
.cache/floors/stamp: requirements/floors.txt .venv/.dev
	@$(call step,lowest packages of the SDK,$(BIN)/uv pip install --quiet --require-hashes \
		--target .cache/floors -r requirements/floors.txt)
	@touch $@

# What `trimtab kafka fetch` does, without waiting for the packages that the command itself needs.
# The stamp is its own; touched, because an unchanged cache keeps its old one.
.cache/jars/stamp: deploy/jars/pom.xml deploy/jars/SHA256SUMS | .venv/.build
	@$(call step,jars of Kafka and Spark,$(BIN)/python -c \
		'from console.embedded.jars import JarCache; JarCache.default().fetch()')
	@touch $@

# Later starts of the controller and of the embedded Kafka take a third less. Spark's own jars are
# those of PySpark. It is the last file that is written.
.cache/jars/kafka.jsa: .venv/.runtime .cache/jars/stamp | .venv/.projects
	@$(call step,quicker starts,$(BIN)/trimtab --quiet prepare >/dev/null)
	@touch $@

# Members in Java: built by a compiler that Maven fetches, because a Java runtime has none. What they
# run with is compared with our list, as the jars of Kafka and Spark are.
JAVA_SOURCES := $(shell find clients/java -name '*.java' -o -name pom.xml -o -path '*/META-INF/service/*')
.cache/java/stamp: $(JAVA_SOURCES) clients/java/SHA256SUMS | .venv/.projects .cache/jars/stamp
	@rm -rf .cache/java
	@$(call step,members in Java,mvn --batch-mode --no-transfer-progress --strict-checksums --quiet \
		--file clients/java/pom.xml -Dmaven.repo.local=$(CACHE)/m2 -Dbuilt=$(CACHE)/java package)
	@$(BIN)/python -c 'from pathlib import Path; from console.embedded.checksums import *; \
		verify(sums_of(Path(".cache/java/lib")), read_sums(Path("clients/java/SHA256SUMS")))'
	@touch $@
