#!/usr/bin/env python3
"""Holds the tree to its order: tools/check_layers.py [ROOT]

Dependencies point one way.  MAY_INCLUDE is the table of ARCHITECTURE.md as code: a part may include
itself and what its row names.  Clocks, threads, the environment and random devices stay where
FORBIDDEN's rows allow them, generated protobuf code stays in `rls`, headers open with
`#pragma once`, and no file grows past MAX_LINES.

Prints one line per fault, as FILE:LINE: what is wrong, and exits 1 if there is any.
"""

import os
import re
import sys

MAX_LINES = 400

_LIBRARY = ["weir/base", "weir/core", "weir/store", "weir/fleet", "weir/failure", "weir/limiter",
            "weir/config", "weir/answer"]

MAY_INCLUDE = {
    # The library: each part knows those before it.
    **{part: set(_LIBRARY[:i]) for i, part in enumerate(_LIBRARY)},
    "net": {"weir/base"},
    "redis": {"weir/base", "weir/core", "weir/store", "weir/fleet", "weir/failure", "net"},
    "proto": set(),
    "rls": {*_LIBRARY, "net"},
    "http_api": {*_LIBRARY, "net"},
    "gateway": {*_LIBRARY, "net", "rls"},
    "discovery": {"weir/base", "weir/core", "weir/fleet", "weir/config", "net"},
    "observe": {*_LIBRARY},
    "admin": {*_LIBRARY, "net", "observe"},
    "sim": {*_LIBRARY},
}
# These put parts together and may include all that stands before them.
for _top in ("cli", "test", "bench"):
    MAY_INCLUDE[_top] = set(MAY_INCLUDE)

# What tests beside the sources may use as well.
TEST_SUPPORT = {"test"}

REAL_CLOCK_FILES = ("weir/base/system_clock.cc", "net/loop", "cli/", "test/", "bench/")

# One row a word: what matches it, and the paths (or their beginnings) where it may stand.
FORBIDDEN = [
    (word, re.compile(pattern), REAL_CLOCK_FILES)
    for word, pattern in [
        ("system_clock::now", r"\bsystem_clock::now\b"),
        ("steady_clock::now", r"\bsteady_clock::now\b"),
        ("high_resolution_clock", r"\bhigh_resolution_clock\b"),
        ("clock_gettime", r"\bclock_gettime\b"),
        ("gettimeofday", r"\bgettimeofday\b"),
        ("uv_hrtime", r"\buv_hrtime\b"),
        ("getenv", r"\b(?:secure_)?getenv\b"),
        ("std::thread", r"\bstd::j?thread\b"),
        ("std::async", r"\bstd::async\b"),
        ("std::this_thread", r"\bstd::this_thread\b"),
        ("random_device", r"\brandom_device\b"),
    ]
]

# Files that need a forbidden word, each with the reason.
EXCEPTIONS = {}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
PROTOBUF = re.compile(r"\.pb\.h$|^google/protobuf/|^grpcpp/")
CODE = (".h", ".cc")
LENGTH_CHECKED = CODE + (".py", ".sh")
SKIPPED_DIRS = {"build", "cmake", "node_modules", "__pycache__", "third_party"}


def part_of(path):
    """The part that `path` belongs to, or None for a folder the table does not know."""
    pieces = path.split("/")
    for name in ("/".join(pieces[:2]), pieces[0]):
        if name in MAY_INCLUDE and len(pieces) > 1:
            return name
    return None


def is_test(path):
    return path.startswith(("test/", "bench/")) or path.endswith(
        ("_test.cc", "_fuzz.cc", "_bench.cc", "_rig.h", "_for_test.h"))


def without_comments(text):
    """`text` with comments blanked and string contents kept: line numbers stay true."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(
        lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def include_faults(path, number, quote, target):
    """Why `path` may not include `target`, as zero or one fault."""
    if PROTOBUF.search(target):
        if not (path.startswith("rls/") or is_test(path)):
            yield number, f"{target}: protobuf and gRPC stop in rls"
        return
    if quote == "<":
        return
    here, there = part_of(path), part_of(target)
    if there is None:
        yield number, f'"{target}": say the path from the root of the tree'
    elif there == here or there in MAY_INCLUDE[here] or (is_test(path) and there in TEST_SUPPORT):
        return
    else:
        yield number, f'{here} may not include {there} ("{target}")'


def code_faults(path, text):
    """Faults of one C++ file, as (line number, message)."""
    if part_of(path) is None:
        yield 1, "belongs to no part that tools/check_layers.py knows"
        return
    bare = without_comments(text)
    lines = bare.split("\n")
    if path.endswith(".h"):
        first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (1, ""))
        if first[1].strip() != "#pragma once":
            yield first[0], "a header opens with #pragma once"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield from include_faults(path, number, match[1], match[2])
            continue
        for word, pattern, allowed in FORBIDDEN:
            if (pattern.search(line) and not path.startswith(allowed) and not is_test(path)
                    and word not in EXCEPTIONS.get(path, ())):
                yield number, f"{word} may not stand here: take time, threads and chance as arguments"


def file_faults(path, text):
    """All faults of one file, as (line number, message)."""
    length = text.count("\n")
    if length > MAX_LINES:
        yield length, f"{length} lines, more than {MAX_LINES}: split it"
    if path.endswith(CODE):
        yield from code_faults(path, text)


def files(root):
    for folder, dirs, names in os.walk(root):
        dirs[:] = sorted(d for d in dirs if d not in SKIPPED_DIRS and not d.startswith("."))
        for name in sorted(names):
            if name.endswith(LENGTH_CHECKED):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def main(root):
    count = faults = 0
    for path in files(root):
        count += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            for number, message in file_faults(path, f.read()):
                faults += 1
                print(f"{path}:{number}: {message}")
    print(f"layers: {count} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else default))
