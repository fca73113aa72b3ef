#include "cli/hit_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/descriptor_words.h"

namespace weir::cli {
namespace {

using std::chrono::milliseconds;

Heard Ok() {
  return {Heard::Kind::kOk, "OK", "50/SECOND, 49 left", {}};
}
Heard Over() {
  return {Heard::Kind::kOver, "OVER_LIMIT", "50/SECOND, 0 left", {{"retry-after", "1"}}};
}

HitTally Tally() {
  HitTally tally;
  for (int i = 0; i < 2; ++i) tally.Add(Ok());
  for (int i = 0; i < 3; ++i) tally.Add(Over());
  tally.took = milliseconds(12);
  return tally;
}

TEST(HitTextTest, OneAnswerIsOneLine) {
  EXPECT_EQ(HeardText(Ok()), "OK  50/SECOND, 49 left\n");
  EXPECT_EQ(HeardText(Over()), "OVER_LIMIT  50/SECOND, 0 left  retry-after: 1\n");
}

TEST(HitTextTest, ManyAnswersAreCountedAndTheFirstOverLimitShown) {
  EXPECT_EQ(TallyText(Tally()),
            "5 asked in 12.0 ms: 2 OK, 3 OVER_LIMIT\n"
            "first over limit: number 3  OVER_LIMIT  50/SECOND, 0 left  retry-after: 1\n");
}

TEST(HitTextTest, AnErrorIsShownOnce) {
  HitTally tally;
  for (int i = 0; i < 2; ++i) {
    tally.Add({Heard::Kind::kRefused, "INVALID_ARGUMENT", "no domain", {}});
  }
  EXPECT_EQ(TallyText(tally),
            "2 asked in 0.0 ms: 2 INVALID_ARGUMENT\nfirst refused: INVALID_ARGUMENT  no domain\n");
}

TEST(HitTextTest, JsonHasCountsAndHeaders) {
  const auto json = nlohmann::json::parse(TallyJson(Tally()));
  EXPECT_EQ(json["schema"], "weir.hit/1");
  EXPECT_EQ(json["asked"], 5);
  EXPECT_EQ(json["answers"]["OVER_LIMIT"], 3);
  EXPECT_EQ(json["first_over"]["number"], 3);
  EXPECT_EQ(json["first_over"]["headers"]["retry-after"], "1");
  EXPECT_TRUE(json["first_refused"].is_null());
}

TEST(HitTextTest, RatesAreWrittenAsPeopleSayThem) {
  EXPECT_EQ(ParseRate("50/s"), Duration(milliseconds(20)));
  EXPECT_EQ(ParseRate("50"), Duration(milliseconds(20)));
  EXPECT_EQ(ParseRate("6/min"), Duration(milliseconds(10'000)));
  EXPECT_EQ(ParseRate("0.5/s"), Duration(milliseconds(2000)));
  for (const char* other : {"", "0", "-1", "50/fortnight", "s", "nan", "inf", "1e99", "1e-9/h"}) {
    EXPECT_EQ(ParseRate(other), std::nullopt) << other;
  }
}

TEST(AskerTest, TheHttpBodyIsThatOfTheCheckApi) {
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"tenant=acme", "+", "path=/"}), "");
  Request request;
  request.domain = "shop";
  request.descriptors = words.asked();
  request.cost = 2;
  EXPECT_EQ(CheckBody(request),
            R"({"domain":"shop","descriptors":[{"entries":[{"key":"tenant","value":"acme"}]},)"
            R"({"entries":[{"key":"path","value":"/"}]}],"cost":2})");
}

}  // namespace
}  // namespace weir::cli
