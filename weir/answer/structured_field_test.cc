#include "weir/answer/structured_field.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

template <typename Write>
std::string Written(Write write) {
  std::array<char, 256> memory;
  TextWriter out(memory);
  FieldListWriter list(out);
  write(list);
  list.Close();
  return std::string(out.text());
}

TEST(StructuredFieldTest, WritesMembersAndParametersWithoutSpareSpaces) {
  EXPECT_EQ(Written([](FieldListWriter& list) {
              list.String("burst");
              list.Integer("q", std::int64_t{100});
              list.True("soft");
              list.String("qu", "content-bytes");
              list.Token("method", "GET");
              list.Bytes("pk", "hello");
              list.Token("daily");
              list.Integer(std::int64_t{-5});
              list.Bytes("");
            }),
            "\"burst\";q=100;soft;qu=\"content-bytes\";method=GET;pk=:aGVsbG8=:, daily, -5, ::");
}

TEST(StructuredFieldTest, E17_EscapesQuotesAndBackslashes) {
  EXPECT_EQ(Written([](FieldListWriter& list) { list.String("a\"b\\c"); }), "\"a\\\"b\\\\c\"");
}

TEST(StructuredFieldTest, ClampsIntegersToFifteenDigits) {
  EXPECT_EQ(Written([](FieldListWriter& list) { list.Integer(std::uint64_t{1} << 53U); }),
            "999999999999999");
  EXPECT_EQ(Written([](FieldListWriter& list) {
              list.Integer(std::numeric_limits<std::int64_t>::min());
            }),
            "-999999999999999");
}

TEST(StructuredFieldTest, TakesBackAMemberThatDoesNotFit) {
  std::array<char, 16> memory;
  TextWriter out(memory);
  FieldListWriter list(out);
  list.String("first");
  EXPECT_TRUE(list.Close());
  list.String("second");
  EXPECT_FALSE(list.Close());
  EXPECT_EQ(list.members(), 1U);
  list.Token("last");
  EXPECT_TRUE(list.Close());
  EXPECT_EQ(out.text(), "\"first\", last");
}

TEST(StructuredFieldTest, KnowsWhatEachTypeMayHold) {
  EXPECT_TRUE(IsFieldString(""));
  EXPECT_TRUE(IsFieldString(" ~"));
  EXPECT_FALSE(IsFieldString("\x7f"));
  EXPECT_FALSE(IsFieldString("f\xc3\xbc"));
  EXPECT_TRUE(IsFieldToken("*a/b:c"));
  EXPECT_FALSE(IsFieldToken("1min"));
  EXPECT_FALSE(IsFieldToken(""));
  EXPECT_FALSE(IsFieldToken("a b"));
  EXPECT_TRUE(IsFieldKey("weir-burst"));
  EXPECT_TRUE(IsFieldKey("*x_1.y"));
  EXPECT_FALSE(IsFieldKey("R"));
  EXPECT_FALSE(IsFieldKey("1a"));
  EXPECT_FALSE(IsFieldKey(""));
}

}  // namespace
}  // namespace weir
