#include "http_api/json_events.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::http_api {
namespace {

// Writes the events down in a compact form.
class Notes final : public JsonEvents {
 public:
  bool Null() override { return Add("n"); }
  bool Bool(bool value) override { return Add(value ? "t" : "f"); }
  bool Number(const JsonNumber& n) override {
    return Add(n.integer ? std::to_string(*n.integer) : n.negative ? "-" : "#");
  }
  bool String(std::string_view value) override { return Add("'" + std::string(value) + "'"); }
  bool StartObject() override { return Add("{"); }
  bool Key(std::string_view name) override { return Add(std::string(name) + ":"); }
  bool EndObject() override { return Add("}"); }
  bool StartArray() override { return Add("["); }
  bool EndArray() override { return Add("]"); }

  std::string text;
  std::size_t stop_after = 1000;

 private:
  bool Add(std::string_view what) {
    text += what;
    return --stop_after > 0;
  }
};

std::string Read(std::string_view json) {
  Arena arena;
  Notes notes;
  const JsonResult result = ReadJson(json, arena, notes);
  return result.end == JsonEnd::kComplete ? notes.text : "malformed";
}

TEST(JsonEventsTest, TellsWhatATextContains) {
  EXPECT_EQ(Read(R"( {"a" : [1, true,false ,null,"x",{}, [] ], "b":"" } )"),
            "{a:[1tfn'x'{}[]]b:''}");
  EXPECT_EQ(Read("3"), "3");
  EXPECT_EQ(Read("\t\"x\"\r\n"), "'x'");
}

TEST(JsonEventsTest, UndoesEscapes) {
  EXPECT_EQ(Read(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")"),
            "'\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'");
  EXPECT_EQ(Read(R"({"\u0061":1})"), "{a:1}");
}

TEST(JsonEventsTest, RefusesWhatIsNotJson) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv,
                                      " "sv,
                                      "{"sv,
                                      "}"sv,
                                      "[1,]"sv,
                                      "{,}"sv,
                                      "{\"a\"}"sv,
                                      "{\"a\":}"sv,
                                      "{\"a\":1,}"sv,
                                      "{a:1}"sv,
                                      "[1 2]"sv,
                                      "1 2"sv,
                                      "[1]]"sv,
                                      "tru"sv,
                                      "nul"sv,
                                      "True"sv,
                                      "'x'"sv,
                                      "\"x"sv,
                                      "\"\\\""sv,
                                      "\"\\x\""sv,
                                      "\"\\u12\""sv,
                                      "\"\\u12g4\""sv,
                                      "\"\\ud800\""sv,
                                      "\"\\ud800\\u0041\""sv,
                                      "\"\\udc00\""sv,
                                      "\"a\nb\""sv,
                                      "\"\xff\""sv,
                                      "\"\xc3\""sv,
                                      "\"\xed\xa0\x80\""sv,
                                      "01"sv,
                                      "+1"sv,
                                      "-"sv,
                                      "1."sv,
                                      ".5"sv,
                                      "1e"sv,
                                      "1e+"sv,
                                      "0x1"sv,
                                      "NaN"sv,
                                      "[1}"sv,
                                      "{\"a\":1]"sv,
                                      "// x\n1"sv,
                                      "\xef\xbb\xbf{}"sv,
                                      "{}\0"sv,
                                      "\0"sv,
                                      "\"\\"sv}) {
    EXPECT_EQ(Read(text), "malformed") << text;
    EXPECT_FALSE(nlohmann::json::accept(text) && text.find('\0') == text.npos &&
                 !text.starts_with("\xef\xbb\xbf"))
        << text;
  }
}

TEST(JsonEventsTest, NamesTheByteThatIsWrong) {
  Arena arena;
  Notes notes;
  EXPECT_EQ(ReadJson("[1,x]", arena, notes).position, 3U);
}

TEST(JsonEventsTest, RefusesDeepNestingWithoutRecursion) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(Read(nested(kMaxJsonDepth)), nested(kMaxJsonDepth));
  EXPECT_EQ(Read(nested(kMaxJsonDepth + 1)), "malformed");
  EXPECT_EQ(Read(std::string(1'000'000, '[')), "malformed");
}

TEST(JsonEventsTest, StopsWhenTold) {
  Arena arena;
  Notes notes;
  notes.stop_after = 2;
  EXPECT_EQ(ReadJson("[1,2,3]", arena, notes).end, JsonEnd::kStopped);
  EXPECT_EQ(notes.text, "[1");
}

TEST(JsonNumberTest, KnowsIntegersHoweverTheyAreSpelled) {
  const auto integer = [](std::string_view text) { return ParseJsonNumber(text)->integer; };
  EXPECT_EQ(integer("0"), 0U);
  EXPECT_EQ(integer("-0"), 0U);
  EXPECT_EQ(integer("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(integer("3.0"), 3U);
  EXPECT_EQ(integer("1.5e1"), 15U);
  EXPECT_EQ(integer("20E-1"), 2U);
  EXPECT_EQ(integer("18446744073709551616"), std::nullopt);
  EXPECT_EQ(integer("1.5"), std::nullopt);
  EXPECT_EQ(integer("-1"), std::nullopt);
  EXPECT_EQ(integer("1e400"), std::nullopt);
  EXPECT_TRUE(ParseJsonNumber("-1")->negative);
  EXPECT_TRUE(ParseJsonNumber("-1e3")->negative);
  EXPECT_EQ(ParseJsonNumber(" 1"), std::nullopt);
  EXPECT_EQ(ParseJsonNumber("1 "), std::nullopt);
}

}  // namespace
}  // namespace weir::http_api
