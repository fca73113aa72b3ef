#include "weir/answer/problem.h"

#include <string>

#include <gtest/gtest.h>

#include "weir/answer/header_rig.h"

namespace weir {
namespace {

class ProblemTest : public HeaderRig {
 protected:
  std::string Body(Verdict verdict, const std::vector<Applied>& applied, const Rule* policy,
                   Duration retry_after = {}) {
    return std::string(
        body_.Write({.verdict = verdict, .retry_after = retry_after, .applied = applied}, policy));
  }

  ProblemBody body_;
};

TEST_F(ProblemTest, E2_QuotaExceeded) {
  const Applied applied = Fixed("default", 100, 60, 0, 19.3, true);
  EXPECT_EQ(Body(Verdict::kDeny, {applied}, applied.rule),
            R"({"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",)"
            R"("title":"Quota Exceeded","status":429,"detail":"Retry in 20 seconds.",)"
            R"("policy":"default","violated-policies":["default"],"retry_after_seconds":20})");
}

TEST_F(ProblemTest, E18_TemporaryReducedCapacity) {
  const Applied applied = Fixed("hourly", 500, 3600, 0, 120, true);
  EXPECT_EQ(
      Body(Verdict::kUnavailable, {applied}, applied.rule),
      R"({"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",)"
      R"("title":"Temporary Reduced Capacity","status":503,"detail":"Retry in 120 seconds.",)"
      R"("policy":"hourly","violated-policies":["hourly"],"retry_after_seconds":120})");
}

TEST_F(ProblemTest, SaysNothingItDoesNotKnow) {
  EXPECT_EQ(
      Body(Verdict::kUnavailable, {}, nullptr),
      R"({"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",)"
      R"("title":"Temporary Reduced Capacity","status":503})");
}

TEST_F(ProblemTest, C70_SaysSoWhenWaitingCannotHelp) {
  const Applied applied = Denied(Bucket(5, 0, 0), kNeverFits);
  const std::string body = Body(Verdict::kDeny, {applied}, applied.rule);
  EXPECT_NE(body.find(R"("detail":"This request is larger than the limit ever allows.")"),
            std::string::npos);
  EXPECT_EQ(body.find("retry_after_seconds"), std::string::npos);
}

TEST_F(ProblemTest, ListsOnlyTheViolatedPolicies) {
  const std::string body =
      Body(Verdict::kDeny,
           {Fixed("a", 1, 60, 0, 1, true), Fixed("b", 9, 60, 5, 1), Fixed("c", 1, 60, 0, 1, true)},
           nullptr);
  EXPECT_NE(body.find(R"("detail":"Retry in 1 second.","violated-policies":["a","c"])"),
            std::string::npos)
      << body;
}

TEST_F(ProblemTest, StaysBelowOneKilobyteAndWellFormed) {
  std::vector<Applied> applied;
  for (int i = 0; i < 16; ++i) {
    applied.push_back(Fixed(std::string(60, '"') + std::to_string(i), 1, 60, 0, 1, true));
  }
  const std::string body = Body(Verdict::kDeny, applied, applied.front().rule);
  EXPECT_LT(body.size(), 1024U);
  EXPECT_GT(body.size(), 700U);
  EXPECT_EQ(body.substr(body.size() - 27), R"("],"retry_after_seconds":1})");

  Rule huge;
  huge.name = std::string(5000, 'n');
  const std::string without = Body(Verdict::kDeny, {}, &huge);
  EXPECT_EQ(without.find("policy\""), std::string::npos);
  EXPECT_EQ(without.back(), '}');
}

TEST_F(ProblemTest, EscapesJsonText) {
  std::array<char, 128> memory;
  TextWriter out(memory);
  WriteJsonString("a\"b\\c\n\r\t\x01\x7f \xc3\xbc\xff", out);
  EXPECT_EQ(out.text(), "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f \xc3\xbc\xef\xbf\xbd\"");
}

TEST_F(ProblemTest, KindsHaveTheirStatuses) {
  EXPECT_EQ(StatusOf(ProblemFor(Verdict::kDeny)), 429);
  EXPECT_EQ(StatusOf(ProblemFor(Verdict::kUnavailable)), 503);
}

}  // namespace
}  // namespace weir
