#!/usr/bin/env bash
# Builds every fuzz target and runs each for some seconds, as many at once as there are cores:
# tools/fuzz.sh [SECONDS [NAME ...]]
#
# A target's seeds, where it has any, lie in test/fuzz/NAME/.  What a run finds is left in
# build/fuzz/found/NAME-*, and its log in build/fuzz/NAME.log.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
shift || true
jobs=${JOBS:-$(nproc)}

cmake --preset fuzz >/dev/null
if [ $# -gt 0 ]; then
  targets=("$@")
else
  mapfile -t targets < <(ninja -C build/fuzz -t targets all |
    sed -n 's/^\([a-z0-9_]*_fuzz\): CXX_EXECUTABLE_LINKER.*/\1/p' | sort)
fi
[ "${#targets[@]}" -gt 0 ] || { echo "fuzz: no targets" >&2; exit 1; }
cmake --build build/fuzz -j "$jobs" --target "${targets[@]}"
mkdir -p build/fuzz/found

fuzz_one() {
  local name=$1 seconds=$2 corpus=build/fuzz/corpus/$1 seeds=()
  mkdir -p "$corpus"
  [ ! -d "test/fuzz/$name" ] || seeds=("test/fuzz/$name")
  if build/fuzz/"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/found/$name-" "$corpus" "${seeds[@]}" \
    >"build/fuzz/$name.log" 2>&1; then
    echo "fuzz: $name ok: $(grep -oE '^Done [0-9]+ runs' "build/fuzz/$name.log" || true)"
  else
    echo "fuzz: $name FAILED"
    tail -n 40 "build/fuzz/$name.log"
    return 1
  fi
}
export -f fuzz_one
printf '%s\n' "${targets[@]}" |
  xargs -P "$jobs" -I{} bash -c 'fuzz_one "$1" "$2"' _ {} "$seconds"
echo "fuzz: ${#targets[@]} targets, $seconds s each"
