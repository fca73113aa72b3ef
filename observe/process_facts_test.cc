#include "observe/process_facts.h"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

TEST(ProcessFactsTest, ReadsSizesInPages) {
  ProcessFacts facts;
  ParseStatm("500 120 80 1 0 60 0\n", 4096, facts);
  EXPECT_EQ(facts.virtual_bytes, 500U * 4096);
  EXPECT_EQ(facts.resident_bytes, 120U * 4096);
}

TEST(ProcessFactsTest, LeavesFactsAloneWhenTheTextIsSomethingElse) {
  ProcessFacts facts;
  facts.resident_bytes = 7;
  ParseStatm("", 4096, facts);
  ParseStatm("500 x", 4096, facts);
  EXPECT_EQ(facts.resident_bytes, 7U);
  EXPECT_EQ(facts.virtual_bytes, 0U);
}

TEST(ProcessFactsTest, KnowsThisProcess) {
  const ProcessFacts facts = ReadProcessFacts();
  EXPECT_GT(facts.resident_bytes, 0U);
  EXPECT_GE(facts.virtual_bytes, facts.resident_bytes);
  EXPECT_GT(facts.open_fds, 0U);
  EXPECT_GE(facts.max_fds, facts.open_fds);
}

}  // namespace
}  // namespace weir::observe
