#!/usr/bin/env bash
# Builds a sanitizer preset and runs the unit tests under it: tools/sanitize.sh asan|tsan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?asan or tsan}
jobs=${JOBS:-$(nproc)}
tools/install.sh build test
cmake --preset "$preset"

# Threads meet in the table and the engine; every byte from outside that the faces read is read under
# the address sanitizer by the fuzz targets.  So each preset builds what it has something to say of.
case $preset in
  tsan) tests=(base store failure limiter) ;;
  *) tests=(base core store failure limiter config answer) ;;
esac
targets=("${tests[@]/#/weir_}")
targets=("${targets[@]/%/_test}")
pattern=$(IFS='|' && echo "^(${targets[*]})\$")
cmake --build "build/$preset" -j "$jobs" --target "${targets[@]}"

# gcc 12's thread sanitizer cannot place its shadow under the address randomisation of new kernels.
fixed_addresses=()
if [ "$preset" = tsan ] && setarch -R true 2>/dev/null; then
  fixed_addresses=(setarch -R)
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-second_deadlock_stack=1:halt_on_error=1}
"${fixed_addresses[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
  -j "$jobs" -LE long -R "$pattern"
