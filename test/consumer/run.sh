#!/usr/bin/env bash
# Installs the library below build/, then configures, builds and runs this project against it, as
# an embedding application would: from the installed files alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=${JOBS:-$(nproc)}
out=$PWD/build/consumer
prefix=$out/prefix
rm -rf "$prefix" "$out/app"

cmake -S . -B "$out/weir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DWEIR_APPS=OFF -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF >/dev/null
cmake --build "$out/weir" -j "$jobs"
cmake --install "$out/weir" >/dev/null

# Neither the source tree nor our warning flags may leak into what is installed.
if grep -rnE "$PWD/(weir|build)|weir_flags|-Werror|-Wall" "$prefix"/lib*/cmake; then
  echo "consumer: the export mentions this build" >&2
  exit 1
fi

cmake -S test/consumer -B "$out/app" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$out/app"
"$out/app/consumer"
echo "consumer: ok"
