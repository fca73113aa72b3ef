#include "weir/config/yaml_scalar.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

YamlScalar Plain(const std::string& text, const std::string& tag = "") {
  YamlNode node;
  node.implicit = true;
  node.text = text;
  if (!tag.empty()) node.tag = "tag:yaml.org,2002:" + tag;
  return ResolveScalar(node);
}

TEST(YamlScalarTest, ReadsBooleansInTheSpellingsOfYaml11) {
  for (const char* t : {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    EXPECT_EQ(Plain(t).value, decltype(YamlScalar::value)(true)) << t;
  }
  for (const char* t : {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "OFF"}) {
    EXPECT_EQ(Plain(t).value, decltype(YamlScalar::value)(false)) << t;
  }
  for (const char* t : {"yEs", "tRue", "oN", "yess"}) {
    EXPECT_EQ(Plain(t).type, YamlType::kString) << t;
  }
}

TEST(YamlScalarTest, ReadsIntegersAsGoDoes) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {"+1", 1},
      {"-7", -7},
      {"010", 8},
      {"0o17", 15},
      {"0x1F", 31},
      {"0X1f", 31},
      {"0b11", 3},
      {"-0b11", -3},
      {"1_000", 1000},
      {"1__0", 10},
      {"1_", 1},
      {"0b-1", -1},
      {"-0x10", -16},
      {"9223372036854775807", 9223372036854775807},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [text, value] : cases) {
    const YamlScalar scalar = Plain(text);
    EXPECT_EQ(scalar.type, YamlType::kInt) << text;
    EXPECT_EQ(scalar.value, decltype(YamlScalar::value)(value)) << text;
  }
  EXPECT_EQ(Plain("18446744073709551615").value,
            decltype(YamlScalar::value)(std::uint64_t{18446744073709551615U}));
}

TEST(YamlScalarTest, ReadsFloatsAsGoDoes) {
  for (const char* t : {"1.5", ".5", "1.", "1e5", "-1.5e-3", "08", ".5_0", "18446744073709551616",
                        "+9223372036854775808", ".inf", "-.Inf", ".nan", "1e-999"}) {
    EXPECT_EQ(Plain(t).type, YamlType::kFloat) << t;
  }
  EXPECT_EQ(std::get<double>(Plain("1000.0").value), 1000.0);
  EXPECT_TRUE(std::isnan(std::get<double>(Plain(".nan").value)));
}

TEST(YamlScalarTest, LeavesTheRestAsText) {
  for (const char* t : {"1e999", ".", "._5", "-", "+", "0x", "0b", "0b2", "1:30", "190:20:30", "<<",
                        "1.5.5", "e5", "-.nan", "0o8", "_1"}) {
    EXPECT_EQ(Plain(t).type, YamlType::kString) << t;
  }
}

TEST(YamlScalarTest, KnowsDates) {
  for (const char* t : {"2001-01-01", "2001-1-1", "2000-02-29", "2001-01-01T1:2:3Z",
                        "2001-01-01t01:02:03.5+01:00", "2001-01-01 1:2:3", "2001-01-01 1:2:3,5"}) {
    EXPECT_EQ(Plain(t).type, YamlType::kTimestamp) << t;
  }
  for (const char* t : {"2001-13-01", "2001-02-29", "2001-01-01T01:02:03", "201-01-01",
                        "2001-01-01 24:00:00", "2001-01-01x"}) {
    EXPECT_NE(Plain(t).type, YamlType::kTimestamp) << t;
  }
}

TEST(YamlScalarTest, QuotedTextIsText) {
  YamlNode node;
  node.text = "5";
  EXPECT_EQ(ResolveScalar(node).type, YamlType::kString);
}

TEST(YamlScalarTest, TagsDecideOrContradict) {
  EXPECT_EQ(Plain("5", "str").type, YamlType::kString);
  EXPECT_EQ(Plain("5", "float").type, YamlType::kFloat);
  EXPECT_EQ(std::get<std::string>(Plain("aGk=", "binary").value), "hi");
  EXPECT_EQ(Plain("a", "int").error, "cannot decode !!str `a` as a !!int");
  EXPECT_EQ(Plain("!", "binary").error, "!!binary value contains invalid base64 data");
  EXPECT_EQ(Plain("x", "mine").type, YamlType::kOther);
}

}  // namespace
}  // namespace weir
