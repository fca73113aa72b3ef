#include "redis/command.h"

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

TEST(CommandTest, IsAnArrayOfBulkStrings) {
  std::string out;
  AppendCommand(out, {"GET", "k"});
  EXPECT_EQ(out, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
}

TEST(CommandTest, CarriesAnyBytesAndAnyNumber) {
  std::string out;
  AppendCommandHead(out, 12);
  AppendArgument(out, std::string_view("a\r\n\0", 4));
  AppendArgument(out, std::string_view());
  AppendArgument(out, std::int64_t{-9'223'372'036'854'775'807} - 1);
  EXPECT_EQ(out,
            std::string_view("*12\r\n$4\r\na\r\n\0\r\n$0\r\n\r\n$20\r\n-9223372036854775808\r\n",
                             sizeof("*12\r\n$4\r\na\r\n0\r\n$0\r\n\r\n$20\r\n"
                                    "-9223372036854775808\r\n") -
                                 1));
}

TEST(CommandTest, PacksNumbersAsLittleEndianDoubles) {
  std::string out;
  AppendPacked(out, {1.0, -2.0});
  EXPECT_EQ(out, std::string_view("$16\r\n\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0\r\n", 23));
}

TEST(CommandTest, DoesNotGrowABufferThatIsLargeEnough) {
  std::string out;
  out.reserve(100);
  const char* const before = out.data();
  AppendCommand(out, {"SET", "key", "value"});
  EXPECT_EQ(out.data(), before);
}

}  // namespace
}  // namespace weir::redis
