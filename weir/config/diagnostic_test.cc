#include "weir/config/diagnostic.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weir/config/render.h"

namespace weir {
namespace {

Diagnostic Example() {
  Diagnostic d;
  d.code = "WEIR-P003";
  d.file = "shop.yaml";
  d.span = {{2, 5}, {2, 14}};
  d.message = "unknown key `ratelimit`";
  d.label = "did you mean `rate_limit`?";
  d.effect = "no limit";
  d.fix = "write `rate_limit`";
  d.notes = {"one", "two"};
  return d;
}

const std::vector<SourceFile> kFiles = {{"shop.yaml", "domain: shop\n    ratelimit: é\n"}};

TEST(RenderTest, ShowsPlaceExcerptCaretsAndWaysOut) {
  EXPECT_EQ(RenderText(Example(), kFiles),
            "error[WEIR-P003]: unknown key `ratelimit`\n"
            "  --> shop.yaml:2:5\n"
            "   |\n"
            " 2 |     ratelimit: é\n"
            "   |     ^^^^^^^^^ did you mean `rate_limit`?\n"
            "   = effect: no limit\n"
            "   = fix: write `rate_limit`\n"
            "   = note: one\n"
            "   = note: two\n");
}

TEST(RenderTest, PointsIntoOtherFilesToo) {
  Diagnostic d = Example();
  d.related = {{"other.yaml", {{1, 1}, {1, 7}}, "first"}};
  const std::vector<SourceFile> files = {kFiles[0], {"other.yaml", "domain: shop\n"}};
  EXPECT_NE(
      RenderText(d, files).find("  ::: other.yaml:1:1  first\n 1 | domain: shop\n   | ------\n"),
      std::string::npos)
      << RenderText(d, files);
}

TEST(RenderTest, ManagesWithoutTheSource) {
  EXPECT_EQ(RenderText(Example(), {}).substr(0, 62),
            "error[WEIR-P003]: unknown key `ratelimit`\n  --> shop.yaml:2:5\n");
}

TEST(RenderTest, CountsColumnsInCharacters) {
  Diagnostic d = Example();
  d.span = {{2, 16}, {2, 17}};
  const std::string text = RenderText(d, kFiles);
  EXPECT_NE(text.find("   | " + std::string(15, ' ') + "^ did"), std::string::npos) << text;
}

TEST(RenderTest, LetsNoControlCharacterThrough) {
  Diagnostic d = Example();
  d.span = {{1, 1}, {1, 2}};
  const std::vector<SourceFile> files = {{"shop.yaml", "a\x1b[2J\tb\n"}};
  EXPECT_EQ(RenderText(d, files).find('\x1b'), std::string::npos);
}

TEST(RenderTest, SumsUp) {
  const std::vector<Diagnostic> one = {Example()};
  EXPECT_EQ(RenderSummary(one, 2, 12),
            "2 files, 12 rules: 1 error, 0 warnings. Help for a code: weir help WEIR-P003\n");
  EXPECT_EQ(RenderSummary({}, 1, 1), "1 file, 1 rule: no problems.\n");
}

TEST(RenderTest, WritesJson) {
  Diagnostic d = Example();
  d.related = {{"o.yaml", {{1, 1}, {2, 1}}, "x"}};
  d.notes.clear();
  const std::vector<Diagnostic> one = {d};
  EXPECT_EQ(
      RenderJson(one, 1, 0),
      "{\"schema\":\"weir.check/1\",\"files\":1,\"rules\":0,\"errors\":1,\"warnings\":0,"
      "\"diagnostics\":[{\"code\":\"WEIR-P003\",\"severity\":\"error\",\"file\":\"shop.yaml\","
      "\"line\":2,\"column\":5,\"length\":9,\"message\":\"unknown key `ratelimit`\","
      "\"label\":\"did you mean `rate_limit`?\",\"effect\":\"no limit\","
      "\"fix\":\"write `rate_limit`\",\"notes\":[],\"related\":[{\"file\":\"o.yaml\","
      "\"line\":1,\"column\":1,\"length\":0,\"label\":\"x\"}]}]}\n");
}

TEST(RenderTest, C101_QuotesWhateverTextForJson) {
  EXPECT_EQ(JsonQuoted("say \"hi\"\n\\ \x01 é"), "\"say \\\"hi\\\"\\n\\\\ \\u0001 é\"");
  EXPECT_EQ(JsonQuoted("\xff\xc0\xaf\xed\xa0\x80"),
            "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(DiagnosticTest, SortsByPlaceAndKeepsEqualOnesOnce) {
  Diagnostic late = Example();
  late.span.begin.line = 9;
  std::vector<Diagnostic> all = {late, Example(), Example()};
  SortDiagnostics(all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1], late);
}

TEST(DiagnosticTest, FitsOnALogLine) {
  EXPECT_EQ(OneLine(Example()), "shop.yaml:2:5: error[WEIR-P003]: unknown key `ratelimit`");
}

TEST(DidYouMeanTest, SeesSlipsAndNothingElse) {
  constexpr std::array<std::string_view, 3> kWords = {"rate_limit", "requests_per_unit", "unit"};
  EXPECT_EQ(DidYouMean("ratelimit", kWords), "rate_limit");
  EXPECT_EQ(DidYouMean("Rate-Limit", kWords), "rate_limit");
  EXPECT_EQ(DidYouMean("requests_per_unti", kWords), "requests_per_unit");
  EXPECT_EQ(DidYouMean("unti", kWords), "unit");
  EXPECT_EQ(DidYouMean("tenant", kWords), "");
  EXPECT_EQ(DidYouMean(std::string(100'000, 'x'), kWords), "");
}

}  // namespace
}  // namespace weir
