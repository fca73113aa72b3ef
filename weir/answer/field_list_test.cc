#include "weir/answer/field_list.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

// The canonical text of what was read, or "fail".
std::string Read(std::string_view text) {
  const std::optional<FieldList> list = ParseFieldList(text);
  return list ? CanonicalField(*list) : "fail";
}

TEST(FieldListTest, ReadsStringsWithTheirTwoEscapes) {
  EXPECT_EQ(Read(R"("foo \"bar\" \\ baz")"), R"("foo \"bar\" \\ baz")");
  const auto list = ParseFieldList(R"("foo \"bar\" \\ baz")");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(std::get<FieldItem>(list->front()).value, FieldBareItem(R"(foo "bar" \ baz)"));
}

TEST(FieldListTest, FailsOnMalformedStrings) {
  EXPECT_EQ(Read(R"("foo \,")"), "fail");
  EXPECT_EQ(Read("\"f\xc3\xbc\xc3\xbc\""), "fail");
  EXPECT_EQ(Read("\"\t\""), "fail");
  EXPECT_EQ(Read("'foo'"), "fail");
  EXPECT_EQ(Read("\"foo"), "fail");
  EXPECT_EQ(Read("\"foo\\"), "fail");
}

TEST(FieldListTest, ReadsByteSequences) {
  EXPECT_EQ(Read(":aGVsbG8=:"), ":aGVsbG8=:");
  EXPECT_EQ(Read(":aGVsbG8:"), ":aGVsbG8=:");
  EXPECT_EQ(Read("::"), "::");
  EXPECT_EQ(Read(":_-Ah:"), "fail");
  EXPECT_EQ(Read(":aGVsb G8=:"), "fail");
  EXPECT_EQ(Read(":aGVsbG8="), "fail");
  EXPECT_EQ(Read(":"), "fail");
}

TEST(FieldListTest, LetsTheLastOfEqualParametersWinInTheFirstsPlace) {
  EXPECT_EQ(Read("a;b=1;c=2;b=3"), "a;b=3;c=2");
}

TEST(FieldListTest, FailsOnMalformedParameters) {
  for (const char* text : {"a;b=1;", "a;", "a;=1", "a; ", "\"p\";R=5", "\"p\" ;r=5",
                           "text/html;q =0.5", "text/html;q= 0.5", "text/html ;q=0.5"}) {
    EXPECT_EQ(Read(text), "fail") << text;
  }
}

TEST(FieldListTest, AllowsSpacesWhereTheGrammarDoes) {
  EXPECT_EQ(Read("text/html  ,\ttext/plain;  q=0.5"), "text/html, text/plain;q=0.5");
  EXPECT_EQ(Read("\"p\"; r=5"), "\"p\";r=5");
  EXPECT_EQ(Read("  a  "), "a");
}

TEST(FieldListTest, FailsOnCommasWithoutMembersAndMembersWithoutCommas) {
  EXPECT_EQ(Read("x,"), "fail");
  EXPECT_EQ(Read("x,,y"), "fail");
  EXPECT_EQ(Read(",x"), "fail");
  EXPECT_EQ(Read("\"p\";r=5 \"q\";r=1"), "fail");
}

TEST(FieldListTest, ReadsNumbersOfUpToFifteenDigits) {
  EXPECT_EQ(Read("\"p\";r=5;t=10"), "\"p\";r=5;t=10");
  EXPECT_EQ(Read("\"p\";r=1000000000000000"), "fail");
  EXPECT_EQ(Read("\"p\";r=-1"), "\"p\";r=-1");
  EXPECT_EQ(Read("007, -0"), "7, 0");
  EXPECT_EQ(Read("\"p\";r=5.0"), "\"p\";r=5.0");
  EXPECT_EQ(Read("-1.25, 0.125"), "-1.25, 0.125");
  for (const char* text : {"1.", "1.2345", "1234567890123.0", "-", "--1", "1e3"}) {
    EXPECT_EQ(Read(text), "fail") << text;
  }
}

TEST(FieldListTest, TellsTypesApart) {
  const auto list = ParseFieldList("\"p\";r=5;d=5.0;s=\"5\";t=x;b=?0;f");
  ASSERT_TRUE(list.has_value());
  const auto& item = std::get<FieldItem>(list->front());
  EXPECT_EQ(*item.Find("r"), FieldBareItem(std::int64_t{5}));
  EXPECT_EQ(*item.Find("d"), FieldBareItem(FieldDecimal{5000}));
  EXPECT_EQ(*item.Find("s"), FieldBareItem(std::string("5")));
  EXPECT_EQ(*item.Find("t"), FieldBareItem(FieldToken{"x"}));
  EXPECT_EQ(*item.Find("b"), FieldBareItem(false));
  EXPECT_EQ(*item.Find("f"), FieldBareItem(true));
  EXPECT_EQ(item.Find("none"), nullptr);
}

TEST(FieldListTest, ReadsWhatWeNeverSend) {
  EXPECT_EQ(Read("@1659578233"), "@1659578233");
  EXPECT_EQ(Read("@1.5"), "fail");
  EXPECT_EQ(Read("%\"f%c3%bc\""), "%\"f%c3%bc\"");
  EXPECT_EQ(Read("%\"f%C3%BC\""), "fail");
  EXPECT_EQ(Read("%\"f%c3\""), "fail");
  EXPECT_EQ(Read("( \"a\"  b;x );y=1, ()"), "(\"a\" b;x);y=1, ()");
  EXPECT_EQ(Read("(a"), "fail");
  EXPECT_EQ(Read("(a\"b\")"), "fail");
}

TEST(FieldListTest, IsEmptyForAnEmptyText) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("   "), "");
}

TEST(FieldListTest, HoldsTheSizesThatEveryParserMust) {
  std::string members = "a";
  for (int i = 1; i < 1024; ++i) members += ", a";
  EXPECT_EQ(Read(members), members);
  EXPECT_EQ(Read("\"" + std::string(1024, 'x') + "\""), "\"" + std::string(1024, 'x') + "\"");
  EXPECT_EQ(Read(std::string(512, 't')), std::string(512, 't'));
  EXPECT_EQ(Read("a;" + std::string(64, 'k')), "a;" + std::string(64, 'k'));
  std::string most = "a";
  for (std::size_t i = 0; i < kMostFieldParameters; ++i) most += ";k" + std::to_string(i);
  EXPECT_EQ(Read(most), most);
}

TEST(FieldListTest, FailsBeyondItsBounds) {
  std::string many = "a";
  for (std::size_t i = 0; i <= kMostFieldParameters; ++i) many += ";k" + std::to_string(i);
  EXPECT_EQ(Read(many), "fail");
  EXPECT_NE(Read(std::string(kLongestField, 'a')), "fail");
  EXPECT_EQ(Read(std::string(kLongestField + 1, 'a')), "fail");
}

}  // namespace
}  // namespace weir
