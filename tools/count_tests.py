#!/usr/bin/env python3
"""Adds up what test runners said: tools/count_tests.py LOG ...

Understands GoogleTest (also as ctest logged it), pytest and unittest.  Prints "PASSED FAILED SKIPPED".
A program that ctest saw fail without a failed case of its own (it crashed, or ran out of time)
counts as one failure.
"""

import re
import sys

GTEST_CASE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] \S+(?:, where .*)? \(\d+ ms\)$", re.M)
CTEST_PROGRAM = re.compile(r"^\d+/\d+ Testing: ", re.M)
PYTEST_LINE = re.compile(
    r"^=* ?((?:\d+ (?:passed|failed|skipped|errors?|deselected|xfailed|xpassed|warnings?)(?:, )?)+)"
    r" in [\d.]+s", re.M)
UNITTEST_LINE = re.compile(r"^Ran (\d+) tests? in [\d.]+s\n+(OK|FAILED)(?: \(([^)]*)\))?", re.M)


def add(total, passed=0, failed=0, skipped=0):
    return total[0] + passed, total[1] + failed, total[2] + skipped


def count_gtest(text):
    total = (0, 0, 0)
    for match in GTEST_CASE.finditer(text):
        word = match[1]
        total = add(total, word == "OK", word == "FAILED", word == "SKIPPED")
    return total


def count_ctest(text):
    """`text` is ctest's LastTest.log: one section a program."""
    total = (0, 0, 0)
    starts = [m.start() for m in CTEST_PROGRAM.finditer(text)] + [len(text)]
    for begin, end in zip(starts, starts[1:]):
        section = text[begin:end]
        cases = count_gtest(section)
        passed = re.search(r"^Test Passed\.", section, re.M) is not None
        if not passed and cases[1] == 0:
            cases = add(cases, failed=1)
        elif passed and cases == (0, 0, 0):
            cases = add(cases, passed=1)  # A test that is no GoogleTest program.
        total = add(total, *cases)
    return total


def count_pytest(text):
    total = (0, 0, 0)
    for match in PYTEST_LINE.finditer(text):
        counts = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (\w+)", match[1])}
        total = add(total, counts.get("passed", 0) + counts.get("xpassed", 0),
                    counts.get("failed", 0) + counts.get("error", 0),
                    counts.get("skipped", 0) + counts.get("xfailed", 0))
    return total


def count_unittest(text):
    total = (0, 0, 0)
    for match in UNITTEST_LINE.finditer(text):
        notes = {word: int(n) for word, n in re.findall(r"(\w+)=(\d+)", match[3] or "")}
        failed = notes.get("failures", 0) + notes.get("errors", 0)
        skipped = notes.get("skipped", 0)
        total = add(total, int(match[1]) - failed - skipped, failed, skipped)
    return total


def count(text):
    if CTEST_PROGRAM.search(text):
        return count_ctest(text)
    total = (0, 0, 0)
    for counter in (count_pytest, count_unittest):
        total = add(total, *counter(text))
    return total


def main(paths):
    total = (0, 0, 0)
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as f:
            total = add(total, *count(f.read()))
    print(*total)


if __name__ == "__main__":
    main(sys.argv[1:])
