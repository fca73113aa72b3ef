#include "redis/reply.h"

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

using State = ReplyReader::State;
using Type = Reply::Type;

void Feed(ReplyReader& reader, std::string_view text) {
  reader.Feed({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(ReplyReaderTest, ReadsEveryTypeOfTheProtocol) {
  ReplyReader reader;
  Feed(reader,
       "+OK\r\n:-7\r\n$5\r\nhe\r\nl\r\n$-1\r\n-ERR no\r\n*2\r\n:1\r\n*1\r\n$0\r\n\r\n*-1\r\n");
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().type(), Type::kStatus);
  EXPECT_EQ(reader.reply().text(), "OK");
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().integer(), -7);
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().text(), "he\r\nl");
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().type(), Type::kNil);
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_TRUE(reader.reply().is_error());
  EXPECT_EQ(reader.reply().text(), "ERR no");
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().elements(), 2U);
  EXPECT_EQ(reader.reply().integer(1), 1);
  EXPECT_EQ(reader.reply().elements(2), 1U);
  EXPECT_EQ(reader.reply().type(3), Type::kString);
  EXPECT_EQ(reader.reply().After(1), 2U);
  EXPECT_EQ(reader.reply().After(2), 4U);
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().type(), Type::kNil);
  EXPECT_EQ(reader.Next(), State::kMore);
}

TEST(ReplyReaderTest, PutsTogetherWhatComesByteByByte) {
  ReplyReader reader;
  const std::string_view text = "*3\r\n:1\r\n$3\r\nabc\r\n:-2\r\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    ASSERT_EQ(reader.Next(), State::kMore) << i;
    Feed(reader, text.substr(i, 1));
  }
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_EQ(reader.reply().size(), 4U);
  EXPECT_EQ(reader.reply().text(2), "abc");
  EXPECT_EQ(reader.reply().integer(3), -2);
}

TEST(ReplyReaderTest, KnowsAFlatArrayOfIntegers) {
  ReplyReader reader;
  Feed(reader, "*2\r\n:1\r\n:2\r\n*2\r\n:1\r\n$1\r\nx\r\n*0\r\n");
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_TRUE(reader.reply().IsIntegers(2));
  EXPECT_FALSE(reader.reply().IsIntegers(1));
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_FALSE(reader.reply().IsIntegers(2));
  ASSERT_EQ(reader.Next(), State::kReply);
  EXPECT_TRUE(reader.reply().IsIntegers(0));
}

TEST(ReplyReaderTest, GarbageBreaksTheStreamForGood) {
  for (const std::string_view text : {"HTTP/1.1 400 Bad Request\r\n", "\r\n", ":12x\r\n", "$-2\r\n",
                                      "*-2\r\n", "$99999999999999999999\r\n", "%1\r\n", "_\r\n"}) {
    ReplyReader reader;
    Feed(reader, text);
    EXPECT_EQ(reader.Next(), State::kBroken) << text;
    EXPECT_FALSE(reader.error().empty());
    Feed(reader, "+OK\r\n");
    EXPECT_EQ(reader.Next(), State::kBroken);
    reader.Reset();
    Feed(reader, "+OK\r\n");
    EXPECT_EQ(reader.Next(), State::kReply);
  }
}

TEST(ReplyReaderTest, NestingDeeperThanAnyAnswerBreaksTheStream) {
  ReplyReader reader;
  std::string deep;
  for (int i = 0; i < 50; ++i) deep += "*1\r\n";
  Feed(reader, deep);
  EXPECT_EQ(reader.Next(), State::kBroken);
}

TEST(ReplyReaderTest, AReplyBeyondTheBoundBreaksTheStreamBeforeItIsHeld) {
  ReplyReader reader;
  Feed(reader, "$2000000000\r\n");
  const std::string block(64 * 1024, 'x');
  std::size_t fed = 0;
  while (reader.Next() == State::kMore) {
    ASSERT_LE(fed, ReplyReader::kMostBuffered);
    Feed(reader, block);
    fed += block.size();
  }
  EXPECT_EQ(reader.Next(), State::kBroken);
}

TEST(ReplyReaderTest, MoreItemsThanTheBoundBreakTheStream) {
  ReplyReader reader;
  Feed(reader, "*2147483647\r\n");
  std::string block;
  for (int i = 0; i < 4096; ++i) block += ":1\r\n";
  int blocks = 0;
  while (reader.Next() == State::kMore) {
    ASSERT_LT(++blocks, 20);
    Feed(reader, block);
  }
  EXPECT_EQ(reader.error(), "a reply with too many items");
}

}  // namespace
}  // namespace weir::redis
