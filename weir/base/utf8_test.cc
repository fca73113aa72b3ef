#include "weir/base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Utf8Test, AcceptsEveryLengthOfCharacter) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("plain ASCII, longer than eight bytes"));
  EXPECT_TRUE(IsUtf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  EXPECT_TRUE(IsUtf8(std::string_view("\0", 1)));
  EXPECT_TRUE(IsUtf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
}

TEST(Utf8Test, RefusesWhatRfc3629Forbids) {
  EXPECT_FALSE(IsUtf8("\x80"));              // A tail without a head.
  EXPECT_FALSE(IsUtf8("\xc0\xaf"));          // Overlong.
  EXPECT_FALSE(IsUtf8("\xe0\x80\xaf"));      // Overlong.
  EXPECT_FALSE(IsUtf8("\xf0\x80\x80\xaf"));  // Overlong.
  EXPECT_FALSE(IsUtf8("\xed\xa0\x80"));      // A surrogate.
  EXPECT_FALSE(IsUtf8("\xf4\x90\x80\x80"));  // Above U+10FFFF.
  EXPECT_FALSE(IsUtf8("\xff"));
}

TEST(Utf8Test, SeesEveryByteOfEveryLength) {
  for (std::size_t length = 0; length < 40; ++length) {
    std::string text(length, 'a');
    EXPECT_TRUE(IsAscii(text));
    for (std::size_t at = 0; at < length; ++at) {
      text[at] = '\xff';
      EXPECT_FALSE(IsAscii(text)) << at << " of " << length;
      EXPECT_FALSE(IsUtf8(text)) << at << " of " << length;
      text[at] = 'a';
    }
  }
}

TEST(Utf8Test, RefusesACharacterThatIsCutOff) {
  EXPECT_FALSE(IsUtf8("12345678\xe2\x82"));
  EXPECT_FALSE(IsUtf8("\xc3"));
  EXPECT_FALSE(IsUtf8("\xe2\x82 "));
}

}  // namespace
}  // namespace weir
