#include "redis/key_writer.h"

#include <set>

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

Quota Bucket(std::uint64_t limit) {
  return MakeQuota({.limit = limit, .window = std::chrono::seconds(1)}).value();
}

class KeyWriterTest : public testing::Test {
 protected:
  KeyWriterTest() {
    rule_.id = "shop/tenant";
    rule_.quota = Bucket(50);
  }
  Hit HitOn(std::string_view key) {
    Hit hit;
    hit.rule = &rule_;
    hit.quota = &rule_.quota;
    hit.key = key;
    return hit;
  }
  std::string KeyOf(const Hit& hit) {
    std::string key;
    writer_.Write(hit, *hit.quota, key);
    return key;
  }

  Rule rule_;
  KeyWriter writer_;
};

TEST(SlotTest, FollowsTheClusterSpecification) {
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("bar"), 5061);
  EXPECT_EQ(SlotOf("{user1000}.following"), 3443);
  EXPECT_EQ(SlotOf("{user1000}.followers"), 3443);
  EXPECT_EQ(SlotOf("rl:{tenant-1}:gcra"), 12386);
  EXPECT_EQ(SlotOf("123456789"), 12739);
  EXPECT_EQ(SlotOf("foo{}{bar}"), 8363);
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), 4015);
  EXPECT_EQ(SlotOf("foo{bar}{zap}"), 5061);
  EXPECT_EQ(SlotOf("{}x"), 10595);
  EXPECT_EQ(SlotOf(""), 0);
  EXPECT_EQ(SlotOf("x"), 16287);
}

TEST_F(KeyWriterTest, NamesTheQuotaTheRuleAndTheValues) {
  const std::string key = KeyOf(HitOn("shop/tenant|4:acme"));
  EXPECT_TRUE(key.starts_with("weir:{"));
  EXPECT_TRUE(key.ends_with("}b50/1000000/50:shop/tenant|4:acme"));
}

TEST_F(KeyWriterTest, AllLimitsOfOneCallerShareASlot) {
  Rule other;
  other.id = "shop/tenant/path";
  other.quota = Bucket(7);
  Hit deep = HitOn("shop/tenant/path|4:acme|6:/login");
  deep.rule = &other;
  deep.quota = &other.quota;
  const Hit shallow = HitOn("shop/tenant|4:acme");
  EXPECT_EQ(KeyWriter::SlotOf(deep), KeyWriter::SlotOf(shallow));
  EXPECT_EQ(KeyWriter::SlotOf(deep), SlotOf(KeyOf(deep)));
  EXPECT_NE(KeyWriter::SlotOf(HitOn("shop/tenant|6:globex")), KeyWriter::SlotOf(shallow));
}

TEST_F(KeyWriterTest, NoValueCanChooseTheSlotOfAnother) {
  const Hit tricky = HitOn("shop/tenant|6:{acme}");
  EXPECT_EQ(SlotOf(KeyOf(tricky)), KeyWriter::SlotOf(tricky));
  EXPECT_NE(KeyWriter::SlotOf(tricky), KeyWriter::SlotOf(HitOn("shop/tenant|4:acme")));
}

TEST_F(KeyWriterTest, ATextThatIsNotFramedIsItsOwnTag) {
  for (const std::string_view key :
       {"", "shop/tenant", "shop/tenant|", "shop/tenant|9:short", "shop/tenant|x:y",
        "elsewhere|acme", "shop/tenant|99999999999999999999999:x"}) {
    const Hit hit = HitOn(key);
    EXPECT_EQ(SlotOf(KeyOf(hit)), KeyWriter::SlotOf(hit)) << key;
  }
}

TEST_F(KeyWriterTest, AChangedQuotaHasAnotherNameInTheSameSlot) {
  const Hit hit = HitOn("shop/tenant|4:acme");
  std::set<std::string> names;
  std::string key;
  for (const QuotaSpec& spec :
       {QuotaSpec{.limit = 50, .window = std::chrono::seconds(1)},
        QuotaSpec{.limit = 50, .window = std::chrono::seconds(1), .burst = 60},
        QuotaSpec{.limit = 50, .window = std::chrono::seconds(2)},
        QuotaSpec{
            .algorithm = Algorithm::kFixedWindow, .limit = 50, .window = std::chrono::hours(1)},
        QuotaSpec{
            .algorithm = Algorithm::kSlidingWindow, .limit = 50, .window = std::chrono::hours(1)},
        QuotaSpec{.algorithm = Algorithm::kFixedWindow, .limit = 50, .unit = Unit::kMonth},
        QuotaSpec{.algorithm = Algorithm::kFixedWindow,
        .limit = 50,
        .unit = Unit::kMonth,
        .calendar = true}}) {
    writer_.Write(hit, MakeQuota(spec).value(), key);
    EXPECT_TRUE(names.insert(key).second) << key;
    EXPECT_EQ(SlotOf(key), KeyWriter::SlotOf(hit));
  }
}

TEST_F(KeyWriterTest, ALongTextStandsAsItsHash) {
  const std::string at = "shop/tenant|" + std::string(KeyWriter::kLongestText - 12, 'x');
  const std::string beyond = at + "x";
  EXPECT_NE(KeyOf(HitOn(at)).find(at), std::string::npos);
  EXPECT_LT(KeyOf(HitOn(beyond)).size(), 100U);
  EXPECT_NE(KeyOf(HitOn(beyond)), KeyOf(HitOn(beyond + "y")));
}

}  // namespace
}  // namespace weir::redis
