#!/usr/bin/env bash
# Says which C++ files are not formatted; --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard '*.cc' '*.h')
# A file that was deleted but not yet committed is still listed.
present=()
for f in "${files[@]}"; do [ ! -f "$f" ] || present+=("$f"); done
[ "${#present[@]}" -gt 0 ] || exit 0
if [ "${1:-}" = --fix ]; then
  exec clang-format-14 -i "${present[@]}"
fi
clang-format-14 --dry-run -Werror "${present[@]}"
echo "format: ${#present[@]} files"
