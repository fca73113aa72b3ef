#include "cli/console.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(ConsoleTest, PaintsTerminalsOnlyUnlessTold) {
  const Environment plain{{"TERM", "xterm"}};
  EXPECT_TRUE(WantsColor(ColorChoice::kAuto, true, plain));
  EXPECT_FALSE(WantsColor(ColorChoice::kAuto, false, plain));
  EXPECT_TRUE(WantsColor(ColorChoice::kAlways, false, plain));
  EXPECT_FALSE(WantsColor(ColorChoice::kNever, true, plain));
}

TEST(ConsoleTest, HonoursTheUsualVariables) {
  EXPECT_FALSE(WantsColor(ColorChoice::kAuto, true, {{"NO_COLOR", "1"}}));
  EXPECT_TRUE(WantsColor(ColorChoice::kAuto, true, {{"NO_COLOR", ""}}));
  EXPECT_FALSE(WantsColor(ColorChoice::kAuto, true, {{"TERM", "dumb"}}));
  EXPECT_TRUE(WantsColor(ColorChoice::kAuto, false, {{"CLICOLOR_FORCE", "1"}}));
  EXPECT_FALSE(WantsColor(ColorChoice::kAuto, false, {{"CLICOLOR_FORCE", "0"}}));
  EXPECT_FALSE(WantsColor(ColorChoice::kAuto, true, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}));
  EXPECT_TRUE(WantsColor(ColorChoice::kAlways, false, {{"NO_COLOR", "1"}}));
}

}  // namespace
}  // namespace weir::cli
