"""The layer check can fail: one test per fault that it is there to find."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402


def faults(path, text):
    return [message for _, message in check_layers.file_faults(path, text)]


class IncludeTest(unittest.TestCase):
    def test_a_part_may_include_itself_and_what_lies_below(self):
        self.assertEqual(faults("weir/core/a.cc", '#include "weir/core/a.h"\n'), [])
        self.assertEqual(faults("weir/core/a.cc", '#include "weir/base/clock.h"\n'), [])
        self.assertEqual(faults("weir/core/algorithm/gcra.cc", '#include "weir/core/quota.h"\n'), [])

    def test_a_part_may_not_include_what_lies_above(self):
        self.assertEqual(len(faults("weir/base/a.cc", '#include "weir/core/quota.h"\n')), 1)
        self.assertEqual(len(faults("weir/store/a.cc", '#include "weir/limiter/limiter.h"\n')), 1)

    def test_net_knows_no_limits(self):
        self.assertEqual(len(faults("net/a.cc", '#include "weir/core/decision.h"\n')), 1)

    def test_faces_do_not_know_each_other(self):
        self.assertEqual(len(faults("http_api/a.cc", '#include "rls/service.h"\n')), 1)
        self.assertEqual(len(faults("rls/a.cc", '#include "http_api/json.h"\n')), 1)

    def test_the_simulator_stays_inside_the_library(self):
        self.assertEqual(faults("sim/a.cc", '#include "weir/limiter/limiter.h"\n'), [])
        self.assertEqual(len(faults("sim/a.cc", '#include "net/loop.h"\n')), 1)

    def test_the_command_line_may_include_every_part(self):
        for part in check_layers.MAY_INCLUDE:
            if part not in ("test", "bench"):
                self.assertEqual(faults("cli/a.cc", f'#include "{part}/a.h"\n'), [], part)

    def test_nothing_but_tests_includes_test_support(self):
        self.assertEqual(len(faults("rls/a.cc", '#include "test/support/a.h"\n')), 1)
        self.assertEqual(faults("rls/a_test.cc", '#include "test/support/a.h"\n'), [])

    def test_an_include_relative_to_its_own_folder_is_refused(self):
        self.assertEqual(len(faults("weir/core/a.cc", '#include "quota.h"\n')), 1)

    def test_a_commented_include_does_not_count(self):
        self.assertEqual(faults("net/a.cc", '// #include "rls/service.h"\n'), [])

    def test_a_folder_outside_the_table_is_refused(self):
        self.assertEqual(len(faults("extras/a.cc", "int a;\n")), 1)
        self.assertEqual(len(faults("weir/extras/a.cc", "int a;\n")), 1)

    def test_protobuf_stops_in_rls(self):
        text = '#include "envoy/service/ratelimit/v3/rls.pb.h"\n'
        self.assertEqual(faults("rls/oracle.cc", text), [])
        self.assertEqual(faults("net/grpc_test.cc", text), [])
        self.assertEqual(len(faults("net/grpc.cc", text)), 1)
        self.assertEqual(len(faults("weir/core/a.cc", "#include <google/protobuf/message.h>\n")), 1)
        self.assertEqual(len(faults("cli/a.cc", "#include <grpcpp/grpcpp.h>\n")), 1)

    def test_every_row_of_the_table_is_acyclic(self):
        for part, below in check_layers.MAY_INCLUDE.items():
            for other in below:
                self.assertNotIn(part, check_layers.MAY_INCLUDE[other], f"{part} and {other}")


class WordTest(unittest.TestCase):
    WORDS = ["std::chrono::system_clock::now();", "std::chrono::steady_clock::now();",
             'getenv("HOME");', "std::thread t;", "std::this_thread::yield();",
             "std::random_device d;", "std::async(f);", "clock_gettime(0, &t);", "uv_hrtime();"]

    def test_each_forbidden_word_is_found(self):
        for word in self.WORDS:
            self.assertEqual(len(faults("weir/limiter/a.cc", f"auto x = {word}\n")), 1, word)
            self.assertEqual(len(faults("net/http1.cc", f"auto x = {word}\n")), 1, word)

    def test_they_may_stand_in_the_loop_the_one_clock_cli_and_tests(self):
        for path in ("net/loop.cc", "net/loop_thread.cc", "weir/base/system_clock.cc", "cli/serve.cc",
                     "weir/limiter/a_test.cc", "test/support/a.cc", "bench/a.cc"):
            for word in self.WORDS:
                self.assertEqual(faults(path, f"auto x = {word}\n"), [], path)

    def test_a_comment_may_name_them(self):
        self.assertEqual(faults("weir/core/a.cc", "// not std::thread\n/* getenv\n getenv */\n"), [])

    def test_code_before_a_comment_is_still_read(self):
        self.assertEqual(len(faults("weir/core/a.cc", "std::thread t;  // a thread\n")), 1)


class ShapeTest(unittest.TestCase):
    def test_a_header_opens_with_pragma_once(self):
        self.assertEqual(faults("weir/core/a.h", "// A note.\n#pragma once\nint a;\n"), [])
        self.assertEqual(len(faults("weir/core/a.h", "int a;\n#pragma once\n")), 1)
        self.assertEqual(len(faults("weir/core/a.h", "")), 1)

    def test_no_file_is_longer_than_the_bound(self):
        self.assertEqual(faults("weir/core/a.cc", "\n" * check_layers.MAX_LINES), [])
        for path in ("weir/core/a.cc", "tools/a.py", "tools/a.sh"):
            self.assertEqual(len(faults(path, "\n" * (check_layers.MAX_LINES + 1))), 1, path)


class ProgramTest(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "net"))
            with open(os.path.join(root, "net", "a.cc"), "w", encoding="utf-8") as f:
                f.write(text)
            return subprocess.run([sys.executable, check_layers.__file__, root], check=False,
                                  capture_output=True, text=True)

    def test_a_fault_is_named_with_file_and_line_and_fails_the_run(self):
        done = self.run_on('\n#include "rls/service.h"\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn("net/a.cc:2: net may not include rls", done.stdout)

    def test_a_tree_without_faults_passes(self):
        self.assertEqual(self.run_on('#include "weir/base/clock.h"\n').returncode, 0)


if __name__ == "__main__":
    unittest.main()
