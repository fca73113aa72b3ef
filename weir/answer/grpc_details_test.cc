#include "weir/answer/grpc_details.h"

#include <string>

#include <gtest/gtest.h>

#include "weir/base/utf8.h"
#include "weir/core/decision.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

TEST(GrpcDetailsTest, WritesTheKnownVector) {
  GrpcRetryDetails details;
  EXPECT_EQ(details.Write(8, "over limit", milliseconds(1500)),
            "CAgSCm92ZXIgbGltaXQaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIKCggIAR"
            "CAyrXuAQ");
  EXPECT_EQ(details.bytes().substr(details.bytes().size() - 10),
            "\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01");
}

TEST(GrpcDetailsTest, LeavesTheRetryOutWhenWaitingCannotHelp) {
  GrpcRetryDetails details;
  details.Write(8, "no", kNeverFits);
  EXPECT_EQ(details.bytes(), std::string_view("\x08\x08\x12\x02no"));
}

TEST(GrpcDetailsTest, AWaitOfNothingIsAnEmptyDuration) {
  GrpcRetryDetails details;
  details.Write(14, "", Duration(-5));
  EXPECT_EQ(details.bytes().substr(details.bytes().size() - 4),
            std::string_view("\x12\x02\x0a\0", 4));
}

TEST(GrpcDetailsTest, HoldsTheLongestWait) {
  GrpcRetryDetails details;
  EXPECT_FALSE(details.Write(8, "m", kNeverFits - Duration(1)).empty());
}

TEST(GrpcDetailsTest, CutsLongMessagesBetweenCharacters) {
  GrpcRetryDetails details;
  std::string message = "x";
  while (message.size() < 2 * GrpcRetryDetails::kLongestMessage) message += "\xe2\x82\xac";
  details.Write(8, message, milliseconds(1));
  // code, then the message with a two-byte length.
  const std::string_view kept = details.bytes().substr(5, 256);
  EXPECT_TRUE(IsUtf8(kept.substr(0, 256)) || IsUtf8(kept.substr(0, 255)) ||
              IsUtf8(kept.substr(0, 254)));
  details.Write(8, std::string(1000, '\x80'), milliseconds(1));
  EXPECT_LE(details.bytes().size(), GrpcRetryDetails::kLongestMessage + 128);
}

TEST(GrpcDetailsTest, PushbackIsInMillisecondsRoundedUp) {
  EXPECT_EQ(RetryPushbackMillis(Duration(1)), 1);
  EXPECT_EQ(RetryPushbackMillis(milliseconds(1500)), 1500);
  EXPECT_EQ(RetryPushbackMillis(Duration(-1)), 0);
  EXPECT_EQ(RetryPushbackMillis(kNeverFits), -1);
}

}  // namespace
}  // namespace weir
