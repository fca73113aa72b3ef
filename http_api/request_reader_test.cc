#include "http_api/request_reader.h"

#include <gtest/gtest.h>

namespace weir::http_api {
namespace {

std::string PointerOf(Dialect dialect, std::string_view body) {
  RequestReader reader(dialect);
  Request request;
  const auto fault = reader.Read(body, &request);
  return fault ? fault->pointer + "|" + fault->detail : "good";
}
std::string Check(std::string_view body) {
  return PointerOf(Dialect::kCheck, body);
}
std::string Proto(std::string_view body) {
  return PointerOf(Dialect::kProto, body);
}

TEST(RequestReaderTest, ReadsACheckWithEverything) {
  RequestReader reader(Dialect::kCheck);
  Request request;
  ASSERT_FALSE(reader.Read(
      R"({"cost":3,"domain":"shop","descriptors":[
          {"entries":[{"value":"ac\u006de","key":"tenant"},{"key":"path"}],"cost":0,
           "limit":{"requests_per_unit":7,"unit":"Week"}},
          {"refund":true,"entries":[{"key":"ip","value":"::1"}]}]})",
      &request));
  EXPECT_EQ(request.domain, "shop");
  EXPECT_EQ(request.cost, 3U);
  ASSERT_EQ(request.descriptors.size(), 2U);
  const Descriptor& first = request.descriptors[0];
  ASSERT_EQ(first.entries.size(), 2U);
  EXPECT_EQ(first.entries[0], (Entry{"tenant", "acme"}));
  EXPECT_EQ(first.entries[1], (Entry{"path", ""}));
  EXPECT_EQ(first.cost, 0U);
  EXPECT_EQ(first.limit->requests_per_unit, 7U);
  EXPECT_EQ(first.limit->unit, Unit::kWeek);
  const Descriptor& second = request.descriptors[1];
  EXPECT_TRUE(second.refund);
  EXPECT_EQ(second.cost, std::nullopt);
  EXPECT_EQ(second.limit, std::nullopt);
}

TEST(RequestReaderTest, ReadsTheNextBodyAfresh) {
  RequestReader reader(Dialect::kCheck);
  Request request;
  ASSERT_FALSE(reader.Read(
      R"({"domain":"a","cost":5,"descriptors":[{"entries":[{"key":"k"}],"refund":true}]})",
      &request));
  ASSERT_TRUE(reader.Read("[", &request));
  ASSERT_FALSE(
      reader.Read(R"({"domain":"b","descriptors":[{"entries":[{"key":"k"}]}]})", &request));
  EXPECT_EQ(request.domain, "b");
  EXPECT_EQ(request.cost, 1U);
  EXPECT_FALSE(request.descriptors[0].refund);
}

TEST(RequestReaderTest, PointsAtTheFirstFault) {
  EXPECT_EQ(Check(""), "|not valid JSON at byte 0");
  EXPECT_EQ(Check("[]"), "|must be an object");
  EXPECT_EQ(Check("{}"), "/domain|must not be empty");
  EXPECT_EQ(Check(R"({"domain":1})"), "/domain|must be a string");
  EXPECT_EQ(Check(R"({"domain":null})"), "/domain|must be a string");
  EXPECT_EQ(Check(R"({"domain":{}})"), "/domain|must be a string");
  EXPECT_EQ(Check(R"({"domain":"a"})"), "/descriptors|must not be empty");
  EXPECT_EQ(Check(R"({"domain":"a","descriptors":[]})"), "/descriptors|must not be empty");
  EXPECT_EQ(Check(R"({"domain":"a","descriptors":{}})"), "/descriptors|must be an array");
  EXPECT_EQ(Check(R"({"domain":"a","descriptors":[7]})"), "/descriptors/0|must be an object");
  EXPECT_EQ(Check(R"({"domain":"a","descriptors":[{}]})"),
            "/descriptors/0/entries|must not be empty");
  EXPECT_EQ(Check(R"({"descriptors":[{"entries":[{"key":"k"}]},{"entries":[{"key":"k"},[]]}]})"),
            "/descriptors/1/entries/1|must be an object");
  EXPECT_EQ(Check(R"({"descriptors":[{"entries":[{"key":"k"}]},{"entries":[{"value":"v"}]}]})"),
            "/descriptors/1/entries/0/key|must not be empty");
  EXPECT_EQ(Check(R"({"descriptors":[{"entries":[{"key":true}]}]})"),
            "/descriptors/0/entries/0/key|must be a string");
  EXPECT_EQ(Check(R"({"descriptors":[{"limit":{"requests_per_unit":"5"}}]})"),
            "/descriptors/0/limit/requests_per_unit|must be a non-negative integer");
  EXPECT_EQ(Check(R"({"descriptors":[{"limit":{"requests_per_unit":5}}]})"),
            "/descriptors/0/limit/unit|is required");
  EXPECT_EQ(Check(R"({"descriptors":[{"limit":{"unit":2}}]})"),
            "/descriptors/0/limit/unit|must be a string");
  EXPECT_EQ(Check(R"({"descriptors":[{"limit":{"unit":"eon"}}]})").substr(0, 27),
            "/descriptors/0/limit/unit|m");
  EXPECT_EQ(Check(R"({"descriptors":[{"limit":[]}]})"), "/descriptors/0/limit|must be an object");
  EXPECT_EQ(Check(R"({"descriptors":[{"refund":1}]})"),
            "/descriptors/0/refund|must be true or false");
  EXPECT_EQ(Check(R"({"cost":-1})"), "/cost|must be a non-negative integer");
  EXPECT_EQ(Check(R"({"cost":1.5})"), "/cost|must be a non-negative integer");
  EXPECT_EQ(Check(R"({"cost":"1"})"), "/cost|must be a non-negative integer");
  EXPECT_EQ(Check(R"({"a/b~c":1})"), "/a~1b~0c|unknown member");
  EXPECT_EQ(Check(R"({"hitsAddend":1})"), "/hitsAddend|unknown member");
  EXPECT_EQ(Check(R"({"cost":1,"cost":1})"), "/cost|given twice");
}

TEST(RequestReaderTest, TakesAnyCostOfSixtyFourBits) {
  RequestReader reader(Dialect::kCheck);
  Request request;
  ASSERT_FALSE(reader.Read(R"({"domain":"a","cost":18446744073709551615,"descriptors":[
      {"entries":[{"key":"k"}]}]})",
                           &request));
  EXPECT_EQ(request.cost, ~0ULL);
  EXPECT_EQ(Check(R"({"cost":18446744073709551616})"), "/cost|must be a non-negative integer");
}

TEST(RequestReaderTest, HoldsItsBoundsExactly) {
  const auto many = [](std::size_t descriptors, std::size_t entries) {
    std::string body = R"({"domain":"a","descriptors":[)";
    for (std::size_t d = 0; d < descriptors; ++d) {
      body += d == 0 ? R"({"entries":[)" : R"(,{"entries":[)";
      for (std::size_t e = 0; e < entries; ++e)
        body += e == 0 ? R"({"key":"k"})" : R"(,{"key":"k"})";
      body += "]}";
    }
    return body + "]}";
  };
  EXPECT_EQ(Check(many(RequestReader::kMostDescriptors, 1)), "good");
  EXPECT_EQ(Check(many(RequestReader::kMostDescriptors + 1, 1)),
            "/descriptors/1024|too many descriptors");
  EXPECT_EQ(Check(many(1, RequestReader::kMostEntries)), "good");
  EXPECT_EQ(Check(many(1, RequestReader::kMostEntries + 1)),
            "/descriptors/0/entries/256|too many entries");
}

TEST(ProtoRequestTest, KnowsBothSpellings) {
  for (const char* body :
       {R"({"domain":"a","descriptors":[{"entries":[{"key":"k","value":"v"}],"hitsAddend":"7",
            "isNegativeHits":true,"limit":{"requestsPerUnit":5,"unit":"HOUR"}}],"hitsAddend":2})",
        R"({"domain":"a","descriptors":[{"entries":[{"key":"k","value":"v"}],"hits_addend":7,
            "is_negative_hits":true,"limit":{"requests_per_unit":"5","unit":3}}],
            "hits_addend":"2"})"}) {
    RequestReader reader(Dialect::kProto);
    Request request;
    ASSERT_FALSE(reader.Read(body, &request)) << body;
    EXPECT_EQ(request.cost, 2U);
    const Descriptor& d = request.descriptors[0];
    EXPECT_EQ(d.cost, 7U);
    EXPECT_TRUE(d.refund);
    EXPECT_EQ(d.limit->requests_per_unit, 5U);
    EXPECT_EQ(d.limit->unit, Unit::kHour);
  }
}

TEST(ProtoRequestTest, CountsZeroAsOneOnTheRequestAndAsALookOnADescriptor) {
  RequestReader reader(Dialect::kProto);
  Request request;
  ASSERT_FALSE(reader.Read(
      R"({"domain":"a","hitsAddend":0,"descriptors":[{"hitsAddend":0},{"hitsAddend":null}]})",
      &request));
  EXPECT_EQ(request.cost, 1U);
  EXPECT_FALSE(request.cost_given);
  EXPECT_EQ(request.descriptors[0].cost, 0U);
  EXPECT_EQ(request.descriptors[1].cost, std::nullopt);
}

TEST(ProtoRequestTest, KnowsTheWeekByItsNumberOnly) {
  RequestReader reader(Dialect::kProto);
  Request request;
  ASSERT_FALSE(reader.Read(R"({"domain":"a","descriptors":[{"limit":{"unit":7}}]})", &request));
  EXPECT_EQ(request.descriptors[0].limit->unit, Unit::kWeek);
}

TEST(CheckRequestTest, KnowsTheWeekByItsName) {
  RequestReader reader(Dialect::kCheck);
  Request request;
  ASSERT_FALSE(reader.Read(R"({"domain":"a","descriptors":[{"entries":[{"key":"k","value":"v"}],
      "limit":{"requests_per_unit":1,"unit":"week"}}]})",
                           &request));
  EXPECT_EQ(request.descriptors[0].limit->unit, Unit::kWeek);
}

TEST(ProtoRequestTest, TakesNullForAbsentButNotInLists) {
  EXPECT_EQ(Proto(R"({"domain":"a","hitsAddend":null,"descriptors":[
      {"entries":null,"limit":null},{"entries":[{"key":null,"value":"v"}]}]})"),
            "good");
  EXPECT_NE(Proto(R"({"domain":"a","descriptors":[null]})"), "good");
  EXPECT_NE(Proto(R"({"domain":"a","descriptors":[{"entries":[null]}]})"), "good");
  EXPECT_NE(Proto("null"), "good");
}

TEST(ProtoRequestTest, RefusesWhatProtoJsonRefuses) {
  for (const char* body :
       {"",
        "}",
        "{}",
        "[]",
        R"({"domain":""})",
        R"({"domain":"a"})",
        R"({"domain":"a","descriptors":[]})",
        R"({"domain":"a","descriptors":[{}],"x":1})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":1,"hits_addend":1})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":4294967296})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":-1})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":" 1"})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":"+1"})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":""})",
        R"({"domain":"a","descriptors":[{}],"hitsAddend":true})",
        R"({"domain":"a","descriptors":[{"hitsAddend":"18446744073709551616"}]})",
        R"({"domain":"a","descriptors":[{"limit":{"unit":"minute"}}]})",
        R"({"domain":"a","descriptors":[{"limit":{"unit":"WEEK"}}]})",
        R"({"domain":"a","descriptors":[{"limit":{"unit":"1"}}]})",
        R"({"domain":"a","descriptors":[{"cost":1}]})",
        R"({"domain":"a","descriptors":[{"refund":true}]})"}) {
    EXPECT_NE(Proto(body), "good") << body;
  }
}

TEST(ProtoRequestTest, TakesUnitsThatNobodyKnowsByNumber) {
  EXPECT_EQ(Proto(R"({"domain":"a","descriptors":[{"limit":{"unit":99}},{"limit":{"unit":-1}},
      {"limit":{}}]})"),
            "good");
}

}  // namespace
}  // namespace weir::http_api
