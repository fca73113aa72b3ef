#include "weir/answer/text_writer.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(TextWriterTest, WritesTextsAndNumbersOneAfterTheOther) {
  std::array<char, 64> memory;
  TextWriter out(memory);
  out.Put("n=");
  out.PutNumber(std::int64_t{-7});
  out.Put(' ');
  out.PutNumber(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out.text(), "n=-7 18446744073709551615");
  EXPECT_FALSE(out.full());
}

TEST(TextWriterTest, FillsItsMemoryToTheLastByte) {
  std::array<char, 4> memory;
  TextWriter out(memory);
  out.Put("abcd");
  EXPECT_EQ(out.text(), "abcd");
  EXPECT_FALSE(out.full());
}

TEST(TextWriterTest, WritesNothingMoreOnceSomethingDidNotFit) {
  std::array<char, 4> memory;
  TextWriter out(memory);
  out.Put("abc");
  out.Put("de");
  out.Put("f");
  EXPECT_EQ(out.text(), "abc");
  EXPECT_TRUE(out.full());
}

TEST(TextWriterTest, IsUsableAgainAfterARewind) {
  std::array<char, 4> memory;
  TextWriter out(memory);
  out.Put("ab");
  out.Put("cde");
  out.Rewind(1);
  out.Put("xyz");
  EXPECT_EQ(out.text(), "axyz");
  EXPECT_EQ(out.TextFrom(2), "yz");
  EXPECT_FALSE(out.full());
}

}  // namespace
}  // namespace weir
