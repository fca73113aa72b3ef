"""What count_tests.py reads from each runner's words."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count_tests  # noqa: E402

CTEST = """Start testing: Nov 30 16:00 UTC
----------------------------------------------------------
1/2 Testing: weir_base_test
Output:
[ RUN      ] A.B
[       OK ] A.B (0 ms)
[ RUN      ] A.C
[  SKIPPED ] A.C (0 ms)
[  PASSED  ] 1 test.
Test time =   0.01 sec
----------------------------------------------------------
Test Passed.
2/2 Testing: weir_core_test
Output:
%s
----------------------------------------------------------
Test Failed.
"""


class CountTest(unittest.TestCase):
    def test_counts_cases_and_not_programs(self):
        text = CTEST % "[       OK ] D.E (1 ms)\n[  FAILED  ] D.F (1 ms)\n[  FAILED  ] D.F\n 1 FAILED TEST"
        self.assertEqual(count_tests.count(text), (2, 1, 1))

    def test_a_parameterised_case_names_its_parameter(self):
        text = CTEST % "[  FAILED  ] All/D.F/0, where GetParam() = 4-byte (1 ms)"
        self.assertEqual(count_tests.count(text), (1, 1, 1))

    def test_a_program_that_crashed_is_a_failure(self):
        self.assertEqual(count_tests.count(CTEST % "[       OK ] D.E (1 ms)\n[ RUN      ] D.F"), (2, 1, 1))

    def test_pytest(self):
        self.assertEqual(count_tests.count("==== 12 passed in 3.21s ====\n"), (12, 0, 0))
        self.assertEqual(
            count_tests.count("=== 1 failed, 4 passed, 2 skipped, 1 warning, 1 error in 62.00s (0:01:02) ==\n"),
            (4, 2, 2))
        self.assertEqual(count_tests.count("3 passed in 0.10s\n"), (3, 0, 0))

    def test_unittest(self):
        self.assertEqual(count_tests.count("Ran 20 tests in 0.2s\n\nOK\n"), (20, 0, 0))
        self.assertEqual(
            count_tests.count("Ran 20 tests in 0.2s\n\nFAILED (failures=1, errors=2, skipped=3)\n"),
            (14, 3, 3))

    def test_other_words_count_nothing(self):
        self.assertEqual(count_tests.count("5 files passed\n[  PASSED  ] 4 tests.\n"), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
