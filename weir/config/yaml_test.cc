#include "weir/config/yaml.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

YamlParse Parse(const std::string& text, const YamlLimits& limits = {}) {
  return ParseYaml({"test.yaml", text}, limits);
}

TEST(YamlTest, KeepsTextStyleAndExactPlaces) {
  const YamlParse parse = Parse("a: yes\nb: 'x y'\nc: [1, é, z]\n");
  ASSERT_TRUE(parse.ok());
  const YamlNode& root = *parse.document.root();
  ASSERT_TRUE(root.is_mapping());
  ASSERT_EQ(root.pairs.size(), 3U);
  const YamlNode& yes = *root.Find("a");
  EXPECT_EQ(yes.text, "yes");
  EXPECT_TRUE(yes.implicit);
  EXPECT_EQ(yes.span, (SourceSpan{{1, 4}, {1, 7}}));
  const YamlNode& quoted = *root.Find("b");
  EXPECT_FALSE(quoted.implicit);
  EXPECT_EQ(quoted.span, (SourceSpan{{2, 4}, {2, 9}}));
  EXPECT_EQ(root.Find("c")->items[2]->span, (SourceSpan{{3, 11}, {3, 12}}));
}

TEST(YamlTest, KeepsEveryDuplicate) {
  const YamlParse parse = Parse("a: 1\na: 2\na: 3\n");
  EXPECT_EQ(parse.document.root()->pairs.size(), 3U);
  EXPECT_EQ(parse.document.root()->Find("a")->text, "3");
}

TEST(YamlTest, RepeatsAnchorsWhereTheAliasStands) {
  const YamlParse parse = Parse("a: &x {k: 1}\nb: *x\n");
  const YamlNode& b = *parse.document.root()->Find("b");
  EXPECT_EQ(b.span.begin, (SourceMark{2, 4}));
  ASSERT_TRUE(b.is_mapping());
  EXPECT_EQ(b.Find("k")->span.begin.line, 1U);
  EXPECT_EQ(b.alias_of, parse.document.root()->Find("a"));
}

TEST(YamlTest, MergesWhereTheMergeStands) {
  const YamlParse parse =
      Parse("x: &x {a: 1, b: 2}\ny: &y {b: 3}\nz:\n  b: 0\n  <<: [*y, *x]\n  a: 9\n");
  std::string order;
  for (const auto& pair : EffectivePairs(*parse.document.root()->Find("z"))) {
    order += pair.key->text + pair.value->text + " ";
  }
  // Later ones win: of the two merged mappings the first, and the merge over what stands above it.
  EXPECT_EQ(order, "b0 a1 b2 b3 a9 ");
}

TEST(YamlTest, AnEmptyTextHasNoRoot) {
  EXPECT_TRUE(Parse("").ok());
  EXPECT_EQ(Parse("").document.root(), nullptr);
  EXPECT_EQ(Parse("# nothing\n").document.root(), nullptr);
}

TEST(YamlTest, UsesTheFirstDocumentOnlyAndSaysSo) {
  for (const char* more : {"---\nb: 2\n", "---\n[ broken\n", "...\n%%%\n"}) {
    const YamlParse parse = Parse(std::string("a: 1\n") + more);
    ASSERT_TRUE(parse.ok()) << more;
    ASSERT_EQ(parse.diagnostics.size(), 1U) << more;
    EXPECT_EQ(parse.diagnostics[0].code, "WEIR-P029");
    EXPECT_EQ(parse.diagnostics[0].severity, Severity::kWarning);
  }
  EXPECT_TRUE(Parse("---\na: 1\n...\n").diagnostics.empty());
}

TEST(YamlTest, ReportsErrorsAsTheReferenceDoes) {
  EXPECT_EQ(Parse("domain: [a").go_error, "yaml: line 1: did not find expected ',' or ']'");
  EXPECT_EQ(Parse("\tdomain: a").go_error, "yaml: found character that cannot start any token");
  EXPECT_EQ(Parse("a: 1\n'''").go_error, "yaml: line 2: found unexpected end of stream");
  EXPECT_EQ(Parse("a: *x").go_error, "yaml: unknown anchor 'x' referenced");
  EXPECT_EQ(Parse("a: &x {b: *x}").go_error, "yaml: anchor 'x' value contains itself");
  EXPECT_EQ(Parse("a: \x01").go_error, "yaml: control characters are not allowed");
}

TEST(YamlTest, PlacesErrorsExactly) {
  const YamlParse parse = Parse("domain: shop\nkey: @x\n");
  ASSERT_EQ(parse.diagnostics.size(), 1U);
  EXPECT_EQ(parse.diagnostics[0].code, "WEIR-P001");
  EXPECT_EQ(parse.diagnostics[0].span.begin, (SourceMark{2, 6}));
  EXPECT_EQ(Parse("a: 1\nb: \x01").diagnostics[0].span.begin, (SourceMark{2, 4}));
}

void ExpectRefused(const YamlParse& parse) {
  EXPECT_FALSE(parse.ok());
  EXPECT_EQ(parse.document.root(), nullptr);
  ASSERT_EQ(parse.diagnostics.size(), 1U);
  EXPECT_EQ(parse.diagnostics[0].code, "WEIR-P002");
}

TEST(YamlTest, RefusesTextsBeyondTheSizeLimit) {
  EXPECT_TRUE(Parse("a: 12345", {.bytes = 8}).ok());
  ExpectRefused(Parse("a: 123456", {.bytes = 8}));
}

TEST(YamlTest, RefusesTooManyValues) {
  EXPECT_TRUE(Parse("[1, 2, 3]", {.nodes = 4}).ok());
  ExpectRefused(Parse("[1, 2, 3, 4]", {.nodes = 4}));
}

TEST(YamlTest, RefusesTooDeepNesting) {
  EXPECT_TRUE(Parse("[[[1]]]", {.depth = 3}).ok());
  ExpectRefused(Parse("[[[[1]]]]", {.depth = 3}));
  ExpectRefused(Parse(std::string(200'000, '[')));
  // Through aliases just as well.
  EXPECT_TRUE(Parse("- &a [[1]]\n- *a\n", {.depth = 3}).ok());
  ExpectRefused(Parse("- &a [[1]]\n- [*a]\n", {.depth = 3}));
}

TEST(YamlTest, RefusesAliasBombsBeforeTheyExpand) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += (k ? ", " : "") + below;
    bomb += "]\n";
  }
  ExpectRefused(Parse(bomb));
}

TEST(YamlTest, ReadsUtf16) {
  const std::string text(
      "\xff\xfe"
      "a\0:\0 \0b\0\n\0",
      12);
  const YamlParse parse = Parse(text);
  ASSERT_TRUE(parse.ok());
  EXPECT_EQ(parse.document.root()->Find("a")->text, "b");
}

}  // namespace
}  // namespace weir
