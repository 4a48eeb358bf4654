# Thin: each target is the bootstrap of .venv and a line or two over the command line, `codegen --help`.
# What is stale is decided there, by content: nothing that is up to date is written again.

UNROLL ?= 2
ISA ?= relaxed
PORT ?= 8000
SECONDS ?= 600
EACH ?= 60
SEED ?= 0
MAY_SURVIVE ?= 0
PYTHON ?= python3
VENV_BIN := .venv/bin
CODEGEN := $(VENV_BIN)/python -m codegen
LINTED := codegen tools tests examples docs README.md

.PHONY: kernels library test test-all lint check bless vectors js page serve mutants fuzz engines matrix bench bench-article tune report clean bootstrap help

kernels: bootstrap  ## generate, assemble and verify the kernels, families with UNROLL blocks a turn
	@$(CODEGEN) --emit wat,wasm --unroll='$(UNROLL)'
	@$(CODEGEN) verify --unroll='$(UNROLL)'

library: bootstrap  ## a static library of ISA for C, build/libggmlwat.a, and its header
	@$(CODEGEN) library --isa='$(ISA)'

test: bootstrap lint  ## lint, types, goldens and the test suite but for what takes minutes
	@$(VENV_BIN)/python -m pytest --numprocesses=auto

test-all: bootstrap lint  ## the same with the tests that take minutes, and say which were skipped for want of an engine
	@$(VENV_BIN)/python -m pytest --numprocesses=auto -m '' -rs

lint: bootstrap  ## ruff and mypy --strict
	@$(VENV_BIN)/ruff check $(LINTED)
	@$(VENV_BIN)/ruff format --check $(LINTED)
	@$(VENV_BIN)/mypy

check: bootstrap  ## compare generated/ with what the generator says
	@$(CODEGEN) check

bless: bootstrap  ## accept what the generator says as the new goldens
	@$(CODEGEN) bless

fuzz: bootstrap  ## damaged files, random command lines, wrong calls, for SECONDS
	@$(VENV_BIN)/python -m tools.fuzz --seconds='$(SECONDS)'

engines: bootstrap  ## fetch engines, a C compiler, bundlers and TypeScript for the tests, as far as this machine can
	@$(VENV_BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[engines]'
	@$(VENV_BIN)/python -m codegen.engines.install

matrix: bootstrap  ## run the conformance vectors in every engine that is here
	@$(CODEGEN) verify --engine all

bench: bootstrap  ## time every registered kernel against scalar, native GGML and the machine's limits
	@$(CODEGEN) bench

bench-article: bootstrap  ## the published table, measured again here with our kernels added
	@$(CODEGEN) bench --article --rounds 25

tune: bootstrap  ## search for the fastest kernels in wasmtime and in node, and write tuning/
	@$(CODEGEN) tune
	@$(CODEGEN) tune --engine node

report: bootstrap  ## measure, and draw docs/report/ with its pictures
	@$(CODEGEN) report

mutants: bootstrap  ## put faults in, one at a time, EACH of a group drawn by SEED, and show what notices each
	@$(VENV_BIN)/python -m tools.mutants --each='$(EACH)' --seed='$(SEED)' --may-survive='$(MAY_SURVIVE)'

vectors: bootstrap  ## write the conformance vectors of tests/vectors again
	@$(CODEGEN) vectors

js: bootstrap  ## write the npm package, an ES module and its kernels, to dist/js
	@$(CODEGEN) js

page: bootstrap  ## build the page that verifies and times the kernels in a browser, to dist/page
	@$(CODEGEN) page

serve: page  ## show that page on this machine, at PORT
	@$(CODEGEN) serve --port='$(PORT)'

clean:  ## remove everything that make made
	rm -rf build dist .engines .venv .venv.lock .mypy_cache .pytest_cache .ruff_cache .hypothesis

bootstrap:
	@$(PYTHON) tools/bootstrap.py

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16
