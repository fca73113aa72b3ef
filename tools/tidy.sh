#!/usr/bin/env bash
# Runs clang-tidy with .clang-tidy's list: tools/tidy.sh [--all | FILE ...]
#
# Without arguments it takes what changed since the merge base with TIDY_BASE (default: origin/main,
# else main).  Where that is the commit itself, as in a fresh clone, it takes what the last three
# commits changed; --all takes the whole tree, what was committed last first.  A header stands for
# the sources beside it.  After TIDY_MINUTES (10) no further file is begun, and the rest is counted aloud.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${TIDY_MINUTES:-10}
jobs=${JOBS:-$(nproc)}
db=${TIDY_BUILD:-build/dev}

[ -f "$db/compile_commands.json" ] || cmake --preset dev -B "$db" >/dev/null
# gcc's precompiled headers mean nothing to clang.
mkdir -p build/tidy
sed -E 's# -Winvalid-pch -include [^ ]*cmake_pch\.hxx##' "$db/compile_commands.json" \
  >build/tidy/compile_commands.json

by_last_commit() { git log --format= --name-only --diff-filter=ACMR | awk '!seen[$0]++'; }

changed_files() {
  local base=${TIDY_BASE:-} head
  head=$(git rev-parse HEAD)
  if [ -z "$base" ]; then
    base=$(git rev-parse -q --verify origin/main || git rev-parse -q --verify main || true)
  fi
  [ -z "$base" ] || base=$(git merge-base HEAD "$base" || true)
  if [ -z "$base" ] || [ "$base" = "$head" ]; then
    base=$(git rev-parse -q --verify HEAD~3 || git rev-list --max-parents=0 HEAD | tail -n 1)
  fi
  git diff --name-only --diff-filter=ACMR "$base"
  git ls-files --others --exclude-standard
}

# Sources stand for themselves, headers for x.cc and x_test.cc beside them.
sources_of() {
  local f stem
  while read -r f; do
    case $f in
      *.cc) echo "$f" ;;
      *.h)
        stem=${f%.h}
        printf '%s\n' "$stem.cc" "${stem}_test.cc"
        ;;
    esac
  done | awk '!seen[$0]++' | while read -r f; do
    if [ -f "$f" ] && grep -q "\"file\": \"$PWD/$f\"" "$db/compile_commands.json"; then
      echo "$f"
    fi
  done
}

if [ "${1:-}" = --all ]; then
  mapfile -t files < <(by_last_commit | sources_of)
elif [ $# -gt 0 ]; then
  mapfile -t files < <(printf '%s\n' "$@" | sources_of)
else
  mapfile -t files < <(changed_files | sources_of)
fi
if [ "${#files[@]}" -eq 0 ]; then
  echo "tidy: no file to look at"
  exit 0
fi

left=$(mktemp)
trap 'rm -f "$left"' EXIT
tidy_one() {
  local f=$1 checks=()
  if [ "$(date +%s)" -ge "$TIDY_DEADLINE" ]; then
    echo "$f" >>"$TIDY_LEFT"
    return 0
  fi
  case $f in
    *_test.cc | *_fuzz.cc | test/* | bench/*)
      # The test framework's macros make statics, long bodies and unchecked moves of their own.
      checks=(--checks=-cppcoreguidelines-avoid-non-const-global-variables,-readability-function-*,-cppcoreguidelines-interfaces-global-init,-bugprone-use-after-move,-misc-non-copyable-objects,-bugprone-exception-escape,-performance-inefficient-vector-operation,-clang-analyzer-cplusplus.InnerPointer)
      ;;
  esac
  timeout 300 clang-tidy-14 --quiet -p "$TIDY_DB" "${checks[@]}" \
    --extra-arg=-Wno-unknown-warning-option "$f" 2> >(grep -v ' warnings\? generated\.$' >&2)
}
export -f tidy_one
export TIDY_DEADLINE=$(($(date +%s) + minutes * 60)) TIDY_LEFT=$left TIDY_DB=build/tidy
status=0
printf '%s\n' "${files[@]}" | xargs -P "$jobs" -I{} bash -c 'tidy_one "$1"' _ {} || status=1
skipped=$(wc -l <"$left")
echo "tidy: looked at $((${#files[@]} - skipped)) of ${#files[@]} files in at most $minutes minutes"
exit $status
