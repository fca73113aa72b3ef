#include "cli/descriptor_words.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(DescriptorWordsTest, WordsAreTheEntriesOfOneDescriptor) {
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"tenant=acme", "path=/v1/orders"}), "");
  ASSERT_EQ(words.asked().size(), 1U);
  ASSERT_EQ(words.asked()[0].entries.size(), 2U);
  EXPECT_EQ(words.asked()[0].entries[1], (Entry{"path", "/v1/orders"}));
}

TEST(DescriptorWordsTest, ValuesMayBeEmptyAndMayContainEquals) {
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"query=a=b", "tenant="}), "");
  EXPECT_EQ(words.asked()[0].entries[0], (Entry{"query", "a=b"}));
  EXPECT_EQ(words.asked()[0].entries[1], (Entry{"tenant", ""}));
}

TEST(DescriptorWordsTest, APlusBeginsTheNextDescriptor) {
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"a=1", "+", "b=2", "c=3"}), "");
  ASSERT_EQ(words.asked().size(), 2U);
  EXPECT_EQ(words.asked()[0].entries.size(), 1U);
  EXPECT_EQ(words.asked()[1].entries[1], (Entry{"c", "3"}));
}

TEST(DescriptorWordsTest, SaysWhichWordIsWrong) {
  DescriptorWords words;
  EXPECT_EQ(words.Parse({"tenant"}), "`tenant` is not an entry: write key=value");
  EXPECT_EQ(words.Parse({"=acme"}), "`=acme` is not an entry: write key=value");
  EXPECT_EQ(words.Parse({"+", "a=1"}), "there is no entry before `+`");
  EXPECT_EQ(words.Parse({"a=1", "+"}), "there is no entry behind `+`");
  EXPECT_NE(words.Parse({}), "");
}

}  // namespace
}  // namespace weir::cli
