#include "http_api/http_api.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

TEST(HttpApiTest, TellsHealthAsTheReferenceService) {
  HttpApiOptions options;
  bool healthy = true;
  options.healthy = [&] { return healthy; };
  ApiRig rig(options);
  Answered answer = rig.Get("/healthcheck");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "OK");
  healthy = false;
  answer = rig.Get("/healthcheck");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "");
}

// Remembers what it is told.
class Recorder final : public DecisionObserver {
 public:
  explicit Recorder(bool reads_texts) : reads_texts_(reads_texts) {}
  bool wants_texts() const override { return reads_texts_; }
  void OnDecision(const Request& request, const Check& check, const Decision&,
                  const Now&) override {
    ids.emplace_back(request.id);
    traceparents.emplace_back(request.traceparent);
    descriptors.push_back(request.descriptors.size());
    EXPECT_EQ(check.transport, Transport::kHttp);
  }
  void OnBatch(std::size_t decisions, Instant polled) override {
    batches.emplace_back(decisions, polled);
  }

  std::vector<std::string> ids;
  std::vector<std::string> traceparents;
  std::vector<std::size_t> descriptors;
  std::vector<std::pair<std::size_t, Instant>> batches;

 private:
  const bool reads_texts_;
};

struct ObservedApi {
  explicit ObservedApi(bool reads_texts) : recorder(reads_texts) {
    engine.SetPolicy(BuildPolicy(ShopRules()));
  }
  net::StringTransport transport;
  MemoryStore store{{.max_keys = 1000, .now = transport.time}};
  Engine engine{store, {}};
  Limiter limiter{engine, 0};
  HttpApiOptions options;
  ResponseOptions response;
  Recorder recorder;
  HttpApi api{limiter, response, options, &recorder};
  net::Http1Options http;
  net::Http1Session session{transport, api, http};
};

TEST(ObservedHttpApiTest, BatchesAreTimedFromThePollThatBroughtThem) {
  ObservedApi observed(false);
  observed.session.OnBytes(net::AsBytes(net::Post("/v1/check", kAcme) + net::Post("/json", kAcme)));
  EXPECT_THAT(observed.recorder.batches,
              testing::ElementsAre(testing::Pair(2U, observed.transport.time.steady)));
  EXPECT_THAT(observed.recorder.ids, testing::ElementsAre("", ""));
  EXPECT_THAT(observed.recorder.descriptors, testing::ElementsAre(0U, 0U));
  observed.session.OnBytes(net::AsBytes(net::Get("/healthcheck", "")));
  EXPECT_EQ(observed.recorder.batches.size(), 1U) << "nothing was decided";
  EXPECT_EQ(observed.engine.Domains().at("shop").requests.at(2), 2U);
}

TEST(ObservedHttpApiTest, Whowants_textsLearnsTheNamesOfTheRequest) {
  ObservedApi observed(true);
  const std::string body(kAcme);
  observed.session.OnBytes(net::AsBytes(
      "POST /v1/check HTTP/1.1\r\nHost: a\r\nX-Request-Id: 7f3a\r\ntraceparent: 00-1\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body));
  EXPECT_THAT(observed.recorder.ids, testing::ElementsAre("7f3a"));
  EXPECT_THAT(observed.recorder.traceparents, testing::ElementsAre("00-1"));
  EXPECT_THAT(observed.recorder.descriptors, testing::ElementsAre(1U));
}

// A store that answers when told.
class SlowStore final : public Store {
 public:
  std::size_t Commit(std::span<Check* const> checks, const Now&) override {
    for (Check* check : checks) {
      check->pending = true;
      held.push_back(check);
    }
    return checks.size();
  }
  Instant Poll(const Now&) override { return kNever; }
  NodeId NodeOf(const Hit&) const override { return 0; }

  void Answer(std::size_t n, Outcome outcome) {
    Check* check = held.at(n);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(n));
    check->outcomes.assign(check->hits.size(), outcome);
    check->pending = false;
    check->Done();
  }
  std::vector<Check*> held;
};

class SlowApiTest : public testing::Test {
 protected:
  SlowApiTest() { engine_.SetPolicy(BuildPolicy(ShopRules())); }
  std::string Output() { return std::exchange(transport_.output, {}); }

  net::StringTransport transport_;
  SlowStore store_;
  Engine engine_{store_, {}};
  Limiter limiter_{engine_, 0};
  HttpApiOptions options_;
  ResponseOptions response_;
  HttpApi api_{limiter_, response_, options_};
  net::Http1Options http_;
  std::unique_ptr<net::Http1Session> session_ =
      std::make_unique<net::Http1Session>(transport_, api_, http_);
};

TEST_F(SlowApiTest, AnswersWhenTheStoreDoesInTheOrderOfTheRequests) {
  session_->OnBytes(net::AsBytes(net::Post("/v1/check", kAcme) + net::Post("/v1/check", kAcme)));
  ASSERT_EQ(store_.held.size(), 2U);
  EXPECT_EQ(Output(), "");
  Outcome denied;
  denied.allowed = false;
  store_.Answer(1, denied);
  EXPECT_EQ(Output(), "");
  store_.Answer(0, {});
  const std::string out = Output();
  EXPECT_LT(out.find("HTTP/1.1 200"), out.find("HTTP/1.1 429"));
}

TEST_F(SlowApiTest, Says503WhereNoCountMeansNo) {
  session_->OnBytes(net::AsBytes(net::Post("/v1/check", kAcme)));
  Outcome closed;
  closed.allowed = false;
  closed.basis = Basis::kClosed;
  closed.retry = std::chrono::seconds(2);
  store_.Answer(0, closed);
  const Answered answer = Split(Output());
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("retry-after"), "2");
  EXPECT_NE(answer.body.find(R"("basis":"closed")"), std::string::npos);
}

TEST_F(SlowApiTest, ForgetsThoseWhoLeft) {
  session_->OnBytes(net::AsBytes(net::Post("/v1/check", kAcme)));
  session_.reset();
  store_.Answer(0, {});
  EXPECT_EQ(Output(), "");
}

}  // namespace
}  // namespace weir::http_api
