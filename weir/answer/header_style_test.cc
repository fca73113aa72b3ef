#include "weir/answer/header_style.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(HeaderStyleTest, ReadsBackEveryName) {
  for (int i = 0; i <= static_cast<int>(HeaderStyle::kDraft07); ++i) {
    const auto style = static_cast<HeaderStyle>(i);
    EXPECT_NE(NameOf(style), "unknown");
    EXPECT_EQ(ParseHeaderStyle(NameOf(style)), style);
  }
  for (int i = 0; i <= static_cast<int>(Listing::kViolated); ++i) {
    const auto listing = static_cast<Listing>(i);
    EXPECT_NE(NameOf(listing), "unknown");
    EXPECT_EQ(ParseListing(NameOf(listing)), listing);
  }
}

TEST(HeaderStyleTest, KnowsNoOtherNames) {
  EXPECT_EQ(ParseHeaderStyle("Draft-11"), std::nullopt);
  EXPECT_EQ(ParseHeaderStyle(""), std::nullopt);
  EXPECT_EQ(ParseListing("some"), std::nullopt);
}

}  // namespace
}  // namespace weir
