# Everything starts from a fresh clone: Python 3.11+, a C++ compiler and the package registries.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test bench check-slow docs clean

demo: $(READY)
	$(BIN)/kataribe demo

test: $(READY)
	$(BIN)/pytest

bench: $(READY)
	$(BIN)/python -m bench

check-slow: $(READY)
	$(BIN)/pytest -m slow --timeout 3600
	tests/sanitize.sh

docs: $(READY)
	$(BIN)/mkdocs build --strict

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(READY): $(VENV)/bin/python pyproject.toml CMakeLists.txt $(wildcard native/*)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist site
