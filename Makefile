# What a person, and CI, can ask of the tree.  Every target installs what it is missing first, needs
# no terminal, and works as root or with sudo.

SHELL := /bin/bash
JOBS ?= $(shell nproc)
ARGS ?=
FUZZ_SECONDS ?= 30

.PHONY: help run build test test-full check format tidy layers asan tsan fuzz consumer bench \
	install-tools clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build and start the demo until Ctrl-C; ARGS="--port-base N" moves its ports
	exec build/release/weir demo $(ARGS)

build: ## the release binary, build/release/weir
	@tools/install.sh build
	cmake --preset release
	cmake --build build/release -j $(JOBS) --target weir

test: ## build with assertions, run the unit and end-to-end tests (at most 20 minutes on two cores)
	@JOBS=$(JOBS) tools/test.sh

test-full: ## make test, then the long tests and ten minutes of every fuzz target
	@JOBS=$(JOBS) tools/test.sh --full

check: layers format tidy ## format, layers, and clang-tidy on what changed

format: ## every C++ file is formatted (tools/format.sh --fix mends)
	@tools/install.sh check
	tools/format.sh

layers: ## dependencies point one way; see tools/check_layers.py
	@tools/install.sh check
	python3 tools/check_layers.py
	python3 -m unittest discover -q -s tools -p '*_test.py'

tidy: ## clang-tidy on what changed since the merge base; ARGS=--all for all
	@tools/install.sh build test check
	tools/tidy.sh $(ARGS)

asan: ## the unit tests under the address and undefined behaviour sanitizers
	JOBS=$(JOBS) tools/sanitize.sh asan

tsan: ## the unit tests under the thread sanitizer
	JOBS=$(JOBS) tools/sanitize.sh tsan

fuzz: ## every fuzz target for FUZZ_SECONDS (30) each
	@tools/install.sh build check
	JOBS=$(JOBS) tools/fuzz.sh $(FUZZ_SECONDS)

bench: ## every figure beside its floor; see bench/
	@tools/install.sh build bench
	cmake --preset release
	cmake --build build/release -j $(JOBS)
	bench/run $(ARGS)

consumer: ## another project finds the installed library and uses it
	@tools/install.sh build
	test/consumer/run.sh

install-tools: ## every package and tool that any target needs
	@tools/install.sh build test check bench

clean: ## removes build/, and nothing that was downloaded
	rm -rf build
