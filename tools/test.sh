#!/usr/bin/env bash
# Builds the preset `dev` and runs its tests, then the end-to-end tests: tools/test.sh [--full]
#
# --full adds the tests labelled `long`, and runs every fuzz target for FUZZ_SECONDS (600).
set -euo pipefail
cd "$(dirname "$0")/.."
full=
[ "${1:-}" != --full ] || full=1
jobs=${JOBS:-$(nproc)}

tools/install.sh build test
cmake --preset dev
cmake --build build/dev -j "$jobs"

status=0
ctest_args=(--test-dir build/dev --output-on-failure --no-tests=error -j "$jobs")
[ -n "$full" ] || ctest_args+=(-LE long)
ctest "${ctest_args[@]}" || status=1

python3 -m unittest discover -q -s tools -p '*_test.py' || status=1

if [ -f .venv/requirements.txt ]; then
  WEIR_LONG=$full PYTHONDONTWRITEBYTECODE=1 \
    .venv/bin/python -m pytest -p no:cacheprovider test/e2e --preset dev || status=1
else
  echo "notice: test/e2e skipped: PyPI could not be reached" >&2
fi

if [ -n "$full" ]; then
  tools/install.sh check
  tools/fuzz.sh "${FUZZ_SECONDS:-600}" || status=1
fi
exit $status
