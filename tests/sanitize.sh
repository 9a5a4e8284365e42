#!/usr/bin/env bash
# Builds the native core with AddressSanitizer and UndefinedBehaviorSanitizer and runs the tests that reach it.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
folder=$PWD/build/sanitize

"$python" -m pip install --quiet nanobind cmake ninja
"$python" -m cmake -S . -B "$folder/native" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DKATARIBE_SANITIZE=ON \
  -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DPython_EXECUTABLE="$python" \
  -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >/dev/null
"$python" -m cmake --build "$folder/native"

# A package of its own beside the sanitized core, in an environment that borrows the libraries but not the editable
# install, whose import hook would find the ordinary core first.
rm -rf "$folder/package" && mkdir -p "$folder/package"
cp -r src/kataribe "$folder/package/"
cp "$folder"/native/_{native_,processor}*.so "$folder/package/kataribe/"
[ -x "$folder/venv/bin/python" ] || "$python" -m venv --without-pip "$folder/venv"
"$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' \
  >"$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/borrowed.pth"

# Python itself leaks on exit by design; what we look for is reads and writes out of bounds.
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" \
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH="$folder/package" \
  "$folder/venv/bin/python" -m pytest -p no:cacheprovider -m "not java and not slow" --timeout 3000 \
  tests/test_native.py tests/text/test_*.py \
  tests/captions/test_{golden,greedy,meteor_native,meteor_resource,meteor_search,ngram_metrics}.py \
  tests/differential/test_ngram_metrics.py tests/boundaries/test_{f1,chance,ranking,edges}.py \
  tests/stories/test_{alignment,soda,activitynet}.py tests/stats/test_correlation.py tests/encoders/test_bert.py "$@"
