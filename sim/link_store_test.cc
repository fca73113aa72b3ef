#include "sim/link_store.h"

#include <array>

#include <gtest/gtest.h>

#include "weir/base/hash.h"

namespace weir::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Now kStart{.steady = Instant(seconds(60)), .wall = WallTime(seconds(1'699'999'200))};

class Probe final : public Check {
 public:
  void Done() override { ++done; }
  int done = 0;
};

class LinkStoreTest : public testing::Test {
 protected:
  LinkStoreTest() { rule_.quota = MakeQuota({.limit = 5, .window = seconds(3600)}).value(); }

  void Suffer(Fault fault) { faults_.assign(1, fault); }
  LinkStore& link() {
    if (!link_) {
      LinkOptions options;
      options.jitter = {};
      link_ = std::make_unique<LinkStore>(server_, faults_, 0, kStart, options);
    }
    return *link_;
  }
  Now now() const { return {.steady = kStart.steady + t_, .wall = kStart.wall + t_}; }

  std::size_t Send(Probe& check) {
    check.Clear();
    Hit& hit = check.hits.emplace_back();
    hit.rule = &rule_;
    hit.quota = &rule_.quota;
    hit.id = 77;
    const std::array<Check*, 1> batch = {&check};
    return link().Commit(batch, now());
  }
  // Lets everything happen until then.
  void RunTo(Duration until) {
    for (;;) {
      const Instant next = link().Poll(now());
      if (next - kStart.steady > until) break;
      t_ = std::max(t_, next - kStart.steady);
    }
    t_ = until;
  }
  // Units in the store now.
  std::uint64_t Counted() {
    Check look;
    Hit& hit = look.hits.emplace_back();
    hit.rule = &rule_;
    hit.quota = &rule_.quota;
    hit.id = 77;
    hit.cost = 0;
    server_.Execute(look, t_);
    return (look.outcomes[0].used + static_cast<std::uint64_t>(rule_.quota.interval) - 1) /
           static_cast<std::uint64_t>(rule_.quota.interval);
  }

  Rule rule_;
  std::vector<Fault> faults_;
  StoreServer server_{kStart, {}, 1};
  std::unique_ptr<LinkStore> link_;
  Duration t_{};
};

TEST_F(LinkStoreTest, AnswersAfterARoundTripWithTheStoresTime) {
  Probe check;
  EXPECT_EQ(Send(check), 1U);
  RunTo(microseconds(399));
  EXPECT_EQ(check.done, 0);
  RunTo(microseconds(400));
  EXPECT_EQ(check.done, 1);
  EXPECT_TRUE(check.outcomes[0].allowed);
  EXPECT_EQ(check.outcomes[0].cause, Cause::kNone);
  EXPECT_EQ(check.outcomes[0].at, kStart.wall + microseconds(200));
}

TEST_F(LinkStoreTest, ARefusedCallSurelyDidNotRun) {
  Suffer({.kind = FaultKind::kRefuse, .to = seconds(1)});
  Probe check;
  EXPECT_EQ(Send(check), 0U);
  EXPECT_EQ(check.outcomes[0].cause, Cause::kRefused);
  EXPECT_FALSE(check.outcomes[0].ambiguous);
  EXPECT_EQ(Counted(), 0U);
}

TEST_F(LinkStoreTest, ASilentStoreCostsTheConnectionAfterASecondAndNobodyKnowsWhetherItCounted) {
  Suffer({.kind = FaultKind::kBlackhole, .to = seconds(10)});
  Probe check;
  EXPECT_EQ(Send(check), 1U);
  RunTo(milliseconds(999));
  EXPECT_EQ(check.done, 0);
  RunTo(seconds(1));
  EXPECT_EQ(check.done, 1);
  EXPECT_EQ(check.outcomes[0].cause, Cause::kTimeout);
  EXPECT_TRUE(check.outcomes[0].ambiguous);
  RunTo(seconds(12));
  EXPECT_EQ(Counted(), 0U);
}

TEST_F(LinkStoreTest, AFrozenStoreExecutesWhatWasGivenUpWhenItGoesOn) {
  Suffer({.kind = FaultKind::kFreeze, .to = seconds(10)});
  Probe check;
  EXPECT_EQ(Send(check), 1U);
  RunTo(seconds(2));
  EXPECT_EQ(check.done, 1);
  EXPECT_TRUE(check.outcomes[0].ambiguous);
  EXPECT_EQ(Counted(), 0U);
  check.Clear();  // The check is its owner's again: what still runs is a copy.
  RunTo(seconds(11));
  EXPECT_EQ(Counted(), 1U);
}

TEST_F(LinkStoreTest, ACutIsAmbiguousWhetherTheCallRanOrNot) {
  for (const FaultKind kind : {FaultKind::kCutBefore, FaultKind::kCutAfter}) {
    SCOPED_TRACE(NameOf(kind));
    const std::uint64_t before = Counted();
    Suffer({.kind = kind, .from = t_, .to = t_ + seconds(1)});
    Probe check;
    EXPECT_EQ(Send(check), 1U);
    RunTo(t_ + milliseconds(500));
    EXPECT_EQ(check.done, 1);
    EXPECT_EQ(check.outcomes[0].cause, Cause::kReset);
    EXPECT_TRUE(check.outcomes[0].ambiguous);
    EXPECT_EQ(Counted() - before, kind == FaultKind::kCutAfter ? 1U : 0U);
    t_ += seconds(3);
  }
}

TEST_F(LinkStoreTest, ErrorsOfTheStoreSayThatNothingWasCounted) {
  struct Row {
    FaultKind kind;
    Cause cause;
  };
  for (const Row& row :
       {Row{FaultKind::kReadonly, Cause::kReadonly}, Row{FaultKind::kLoading, Cause::kLoading},
        Row{FaultKind::kOom, Cause::kOom}, Row{FaultKind::kClusterDown, Cause::kClusterDown}}) {
    SCOPED_TRACE(NameOf(row.kind));
    Suffer({.kind = row.kind, .from = t_, .to = t_ + seconds(1)});
    Probe check;
    Send(check);
    RunTo(t_ + milliseconds(2));
    EXPECT_EQ(check.done, 1);
    EXPECT_EQ(check.outcomes[0].cause, row.cause);
    EXPECT_FALSE(check.outcomes[0].ambiguous);
    t_ += seconds(2);
  }
  EXPECT_EQ(Counted(), 0U);
}

TEST_F(LinkStoreTest, AFailoverLosesWhatTheReplicaHadNotSeen) {
  server_.KeepReplica(milliseconds(100));
  Probe first;
  Send(first);
  RunTo(milliseconds(200));
  Probe second;
  Send(second);
  RunTo(milliseconds(250));
  EXPECT_EQ(Counted(), 2U);
  server_.FailOver(t_);
  EXPECT_EQ(Counted(), 1U);
}

TEST_F(LinkStoreTest, AnEvictedKeyStartsAnew) {
  Probe check;
  Send(check);
  RunTo(milliseconds(1));
  EXPECT_EQ(Counted(), 1U);
  server_.Evict(1);
  EXPECT_EQ(Counted(), 0U);
}

}  // namespace
}  // namespace weir::sim
