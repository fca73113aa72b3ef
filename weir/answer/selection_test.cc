#include "weir/answer/selection.h"

#include <gtest/gtest.h>

#include "weir/answer/header_rig.h"

namespace weir {
namespace {

class SelectionTest : public HeaderRig {
 protected:
  static Texts Names(const Selection& selection) {
    Texts names;
    for (const auto& policy : selection.policies()) names.emplace_back(policy.name);
    return names;
  }
};

TEST_F(SelectionTest, ShowsARuleChargedTwiceOnceAndAsTheWorseOff) {
  const Applied one = Fixed("a", 10, 60, 7, 30);
  Applied two = one;
  two.remaining = 3;
  const std::vector<Applied> applied = {one, two};
  const Selection selection({.applied = applied});
  ASSERT_EQ(selection.policies().size(), 1U);
  EXPECT_EQ(selection.policies().front().applied->remaining, 3U);
}

TEST_F(SelectionTest, KeepsNamesApartWhenCaseIsIgnored) {
  const std::vector<Applied> applied = {Fixed("API", 10, 60, 7, 30), Fixed("api", 20, 60, 7, 30)};
  const Texts names = Names(Selection({.applied = applied}));
  EXPECT_EQ(names[0], "API");
  EXPECT_EQ(names[1].substr(0, 9), "shop/api~");
}

TEST_F(SelectionTest, KnowsTheTightestAndTheLowest) {
  const std::vector<Applied> applied = {Fixed("few", 5, 60, 4, 30), Fixed("many", 100, 60, 9, 30),
                                        Fixed("more", 1000, 60, 90, 30)};
  const Selection selection({.applied = applied});
  EXPECT_EQ(selection.tightest().name, "many");
  EXPECT_EQ(selection.lowest().name, "few");
}

TEST_F(SelectionTest, KeepsTheWorstOffWhenThereAreTooMany) {
  std::vector<Applied> applied;
  for (std::size_t i = 0; i < Selection::kMost + 3; ++i) {
    applied.push_back(Fixed("p" + std::to_string(i), 100, 60, 50, 30));
  }
  applied[Selection::kMost + 1].remaining = 1;
  const Selection selection({.applied = applied});
  const Texts names = Names(selection);
  EXPECT_EQ(names.size(), Selection::kMost);
  EXPECT_EQ(names.front(), "p0");
  EXPECT_EQ(names.back(), "p17");
  EXPECT_EQ(selection.tightest().name, "p17");
}

}  // namespace
}  // namespace weir
