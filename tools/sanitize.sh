#!/usr/bin/env bash
# Builds a sanitizer preset and runs the unit tests under it: tools/sanitize.sh asan|tsan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?asan or tsan}
jobs=${JOBS:-$(nproc)}
tools/install.sh build test
cmake --preset "$preset"

# Threads meet in the table, the engine, the metrics and the loops.  Bytes from outside are read under
# the address sanitizer here and by the fuzz targets, those of HTTP/1.1 by the latter alone.
# http_api, admin and cli are in neither list: a hundred objects more, compiled twice.
case $preset in
  tsan) tests=(base store limiter net net_http1 observe) ;;
  *) tests=(base core store limiter config answer net rls) ;;
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
