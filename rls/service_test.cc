#include "rls/service.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/loop.h"
#include "test/rule_tree.h"
#include "weir/base/manual_clock.h"
#include "weir/store/memory_store.h"

namespace weir::rls {
namespace {

using testing::ElementsAre;
using testing::Pair;

// A call that nobody made.
class Call final : public net::GrpcCall {
 public:
  std::string_view path() const override { return kShouldRateLimit; }
  Instant deadline() const override { return kNever; }
  const net::PeerInfo& peer() const override { return peer_; }
  std::optional<std::string_view> header(std::string_view name) const override {
    if (name == "x-request-id") return "7f3a";
    if (name == "traceparent") return "00-1";
    return std::nullopt;
  }
  void Reply(std::span<const std::uint8_t>) override { ++replies; }
  void Fail(net::GrpcStatus, std::string_view) override { ++failures; }

  int replies = 0;
  int failures = 0;

 private:
  net::PeerInfo peer_;
};

class Recorder final : public DecisionObserver {
 public:
  explicit Recorder(bool reads_texts) : reads_texts_(reads_texts) {}
  bool wants_texts() const override { return reads_texts_; }
  void OnDecision(const Request& request, const Check&, const Decision&, const Now&) override {
    names.emplace_back(request.id, request.traceparent);
  }
  void OnBatch(std::size_t decisions, Instant polled) override {
    batches.emplace_back(decisions, polled);
  }

  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::pair<std::size_t, Instant>> batches;

 private:
  const bool reads_texts_;
};

struct Observed {
  explicit Observed(bool reads_texts) : recorder(reads_texts) {
    engine.SetPolicy(Policy::Build({DomainOf("shop", {NodeOf("k", "", 5)})}, OptionsOf()));
    limiter.BeginTurn();
  }
  void Ask(Call& call) {
    // domain "shop"; one descriptor of one entry, k=v.
    const std::string bytes = "\x0a\x04shop\x12\x08\x0a\x06\x0a\x01k\x12\x01v";
    service.OnCall(call, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    service.OnBatchEnd();
  }

  ManualClock clock;
  net::Loop loop{clock};
  MemoryStore store{{.max_keys = 1000, .now = clock.Read()}};
  Engine engine{store, {}};
  Limiter limiter{engine, 0};
  Recorder recorder;
  RateLimitService service{loop, limiter, {}, &recorder};
};

TEST(RateLimitServiceTest, Whowants_textsLearnsTheNamesOfTheCall) {
  for (const bool reads : {true, false}) {
    Observed observed(reads);
    Call call;
    observed.Ask(call);
    EXPECT_EQ(call.replies, 1);
    EXPECT_THAT(observed.recorder.names,
                ElementsAre(reads ? std::pair<std::string, std::string>("7f3a", "00-1")
                                  : std::pair<std::string, std::string>()));
    EXPECT_THAT(observed.recorder.batches, ElementsAre(Pair(1U, observed.loop.now().steady)));
  }
}

TEST(RateLimitServiceTest, ItsRequestsCountAsThoseOfGrpc) {
  Observed observed(false);
  Call call;
  observed.Ask(call);
  observed.Ask(call);
  const DomainTotals totals = observed.engine.Domains().at("shop");
  EXPECT_EQ(totals.requests.at(static_cast<std::size_t>(Transport::kGrpc)), 2U);
}

}  // namespace
}  // namespace weir::rls
