#include "weir/answer/base64.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string Encoded(std::string_view bytes, Padding padding = Padding::kEqual) {
  std::array<char, 64> memory;
  TextWriter out(memory);
  WriteBase64(bytes, padding, out);
  return std::string(out.text());
}

TEST(Base64Test, PadsTheLastGroup) {
  EXPECT_EQ(Encoded(""), "");
  EXPECT_EQ(Encoded("a"), "YQ==");
  EXPECT_EQ(Encoded("user:42"), "dXNlcjo0Mg==");
  EXPECT_EQ(Encoded(std::string_view("\0\xff", 2)), "AP8=");
  EXPECT_EQ(Encoded("App-999"), "QXBwLTk5OQ==");
  EXPECT_EQ(Base64Size(7), 12U);
}

TEST(Base64Test, LeavesPaddingOutWhenAsked) {
  EXPECT_EQ(Encoded("a", Padding::kNone), "YQ");
  EXPECT_EQ(Encoded("ab", Padding::kNone), "YWI");
  EXPECT_EQ(Encoded("abc", Padding::kNone), "YWJj");
}

TEST(Base64Test, ReadsBackWithAndWithoutPadding) {
  EXPECT_EQ(ReadBase64("aGVsbG8="), "hello");
  EXPECT_EQ(ReadBase64("aGVsbG8"), "hello");
  EXPECT_EQ(ReadBase64(""), "");
  EXPECT_EQ(ReadBase64("aGVsbG9="), "hello");  // Pad bits that are not zero.
}

TEST(Base64Test, RefusesOtherLetters) {
  EXPECT_EQ(ReadBase64("_-Ah"), std::nullopt);
  EXPECT_EQ(ReadBase64("aGVsb G8="), std::nullopt);
  EXPECT_EQ(ReadBase64("aGV=bG8="), std::nullopt);
  EXPECT_EQ(ReadBase64("a"), std::nullopt);
}

}  // namespace
}  // namespace weir
