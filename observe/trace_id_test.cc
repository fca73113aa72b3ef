#include "observe/trace_id.h"

#include <string>

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kRest = "-00f067aa0ba902b7-01";

TEST(TraceIdTest, IsTheSecondField) {
  EXPECT_EQ(TraceIdOf("00-" + kTrace + kRest), kTrace);
  EXPECT_EQ(TraceIdOf("42-" + kTrace + kRest + "-more"), kTrace) << "a later version";
}

TEST(TraceIdTest, IsNothingWhereTheHeaderIsNotOne) {
  const std::string zeros(32, '0');
  for (const std::string& bad :
       {std::string(), std::string("00"), kTrace, "00-" + kTrace, "00-" + kTrace + kRest + "-more",
        "ff-" + kTrace + kRest, "0g-" + kTrace + kRest, "00-" + zeros + kRest,
        "00_" + kTrace + kRest, "00-4BF92F3577B34DA6A3CE929D0E0E4736" + kRest,
        "42-" + kTrace + kRest + "more", "00-" + kTrace + "-00f067aa0ba902bx-01",
        "00-" + kTrace + "-00f067aa0ba902b7-0x"}) {
    EXPECT_EQ(TraceIdOf(bad), "") << bad;
  }
}

}  // namespace
}  // namespace weir::observe
